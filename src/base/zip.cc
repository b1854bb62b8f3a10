// SPDX-License-Identifier: Apache-2.0
#include "base/zip.h"

#include <libdeflate.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/limits.h"

namespace tosac {
namespace {

constexpr std::string_view kZipRule = "archive-zip";
constexpr std::string_view kEntryRule = "archive-entry";

// The bytes of the file, read little-endian; what lies outside reads as nothing.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint64_t size() const { return bytes_.size(); }
  bool Has(uint64_t at, uint64_t count) const {
    return count <= bytes_.size() && at <= bytes_.size() - count;
  }
  // The caller has checked the bounds.
  template <typename T>
  T Get(uint64_t at) const {
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      value = static_cast<T>(value | static_cast<T>(T{bytes_[at + i]} << (8 * i)));
    }
    return value;
  }
  std::string_view Text(uint64_t at, uint64_t count) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, count};
  }
  std::span<const uint8_t> Bytes(uint64_t at, uint64_t count) const {
    return bytes_.subspan(at, count);
  }

 private:
  std::span<const uint8_t> bytes_;
};

// Records of APPNOTE.TXT, the zip format's specification: signature and size of the fixed part.
constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint64_t kLocalHeaderSize = 30;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint64_t kDirectoryEntrySize = 46;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint64_t kEndSize = 22;
constexpr uint32_t kEnd64 = 0x06064b50;
constexpr uint64_t kEnd64Size = 56;
constexpr uint32_t kLocator64 = 0x07064b50;
constexpr uint64_t kLocator64Size = 20;
constexpr uint16_t kExtra64 = 1;  // the extra field with 64-bit sizes and offset

bool IsUnsafeName(std::string_view name) {
  return name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
         name.find('\0') != std::string_view::npos || name == ".." || name.starts_with("../") ||
         name.find("/../") != std::string_view::npos || name.ends_with("/..");
}

Diag EntryError(const std::string& name, std::string why) {
  return Error(kEntryRule, std::move(why), {"", name, ""});
}

Diag Damaged() { return Error(kZipRule, "the zip archive's directory is damaged"); }

// Where the directory lies.
struct Directory {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t entries = 0;
};

// The end record is the last thing in the file but for its comment.
std::optional<uint64_t> FindEnd(const Reader& file) {
  if (file.size() < kEndSize) return std::nullopt;
  const uint64_t last = file.size() - kEndSize;
  const uint64_t first = last > UINT16_MAX ? last - UINT16_MAX : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    if (file.Get<uint32_t>(at) == kEnd && file.Get<uint16_t>(at + 20) == last - at) return at;
  }
  return std::nullopt;
}

Result<Directory> FindDirectory(const Reader& file, uint64_t end) {
  uint64_t size = file.Get<uint32_t>(end + 12);
  Directory directory;
  directory.begin = file.Get<uint32_t>(end + 16);
  directory.entries = file.Get<uint16_t>(end + 10);
  uint64_t limit = end;
  if (file.Get<uint16_t>(end + 4) != 0 && file.Get<uint16_t>(end + 4) != UINT16_MAX) {
    return Error(kZipRule, "this is one part of a split zip archive");
  }
  const bool has_locator =
      end >= kLocator64Size && file.Get<uint32_t>(end - kLocator64Size) == kLocator64;
  if (has_locator) {
    const auto at = file.Get<uint64_t>(end - kLocator64Size + 8);
    if (!file.Has(at, kEnd64Size) || file.Get<uint32_t>(at) != kEnd64) return Damaged();
    directory.entries = file.Get<uint64_t>(at + 32);
    size = file.Get<uint64_t>(at + 40);
    directory.begin = file.Get<uint64_t>(at + 48);
    limit = at;
  }
  if (size > limit || directory.begin > limit - size) return Damaged();
  directory.end = directory.begin + size;
  return directory;
}

// A directory entry's fields.
struct Fields {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed_size = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // of the local header
  std::string name;
};

// Replaces fields that are all ones by those of the zip64 extra field, which holds only these.
Result<void> ReadExtra(const Reader& file, uint64_t at, uint64_t end, Fields* fields) {
  while (end - at >= 4) {
    const auto id = file.Get<uint16_t>(at);
    const uint64_t size = file.Get<uint16_t>(at + 2);
    at += 4;
    if (size > end - at) return Damaged();
    if (id == kExtra64) {
      uint64_t value = at;
      for (uint64_t* field : {&fields->size, &fields->packed_size, &fields->offset}) {
        if (*field != UINT32_MAX) continue;
        if (value + 8 > at + size) return Damaged();
        *field = file.Get<uint64_t>(value);
        value += 8;
      }
    }
    at += size;
  }
  return {};
}

// Reads the entry at *at and moves on to the next.
Result<Fields> ReadFields(const Reader& file, const Directory& directory, uint64_t* at) {
  if (directory.end - *at < kDirectoryEntrySize || file.Get<uint32_t>(*at) != kDirectoryEntry) {
    return Damaged();
  }
  Fields fields;
  fields.flags = file.Get<uint16_t>(*at + 8);
  fields.method = file.Get<uint16_t>(*at + 10);
  fields.crc = file.Get<uint32_t>(*at + 16);
  fields.packed_size = file.Get<uint32_t>(*at + 20);
  fields.size = file.Get<uint32_t>(*at + 24);
  fields.offset = file.Get<uint32_t>(*at + 42);
  const uint64_t name_size = file.Get<uint16_t>(*at + 28);
  const uint64_t extra_size = file.Get<uint16_t>(*at + 30);
  const uint64_t comment_size = file.Get<uint16_t>(*at + 32);
  *at += kDirectoryEntrySize;
  if (name_size + extra_size + comment_size > directory.end - *at) return Damaged();
  fields.name = file.Text(*at, name_size);
  TOSAC_TRY(ReadExtra(file, *at + name_size, *at + name_size + extra_size, &fields));
  *at += name_size + extra_size + comment_size;
  return fields;
}

// Where the payload begins. The local header must not tell another story than the directory.
Result<uint64_t> FindPayload(const Reader& file, const Directory& directory, const Fields& fields) {
  const Diag disagrees =
      EntryError(fields.name, "the entry's own header does not agree with the directory");
  const uint64_t at = fields.offset;
  if (at > directory.begin || directory.begin - at < kLocalHeaderSize ||
      file.Get<uint32_t>(at) != kLocalHeader) {
    return disagrees;
  }
  constexpr uint16_t kSizesFollow = 8;  // a streamed entry: the header has no sizes
  const auto packed_size = file.Get<uint32_t>(at + 18);
  const auto size = file.Get<uint32_t>(at + 22);
  const bool told = (file.Get<uint16_t>(at + 6) & kSizesFollow) == 0;
  const bool same_sizes = (packed_size == UINT32_MAX || packed_size == fields.packed_size) &&
                          (size == UINT32_MAX || size == fields.size) &&
                          file.Get<uint32_t>(at + 14) == fields.crc;
  const uint64_t name_size = file.Get<uint16_t>(at + 26);
  const uint64_t extra_size = file.Get<uint16_t>(at + 28);
  if (file.Get<uint16_t>(at + 8) != fields.method || (told && !same_sizes) ||
      name_size != fields.name.size() ||
      directory.begin - at - kLocalHeaderSize < name_size + extra_size ||
      file.Text(at + kLocalHeaderSize, name_size) != fields.name) {
    return disagrees;
  }
  return at + kLocalHeaderSize + name_size + extra_size;
}

Result<ZipEntry> MakeEntry(const Reader& file, const Directory& directory, Fields fields) {
  if (IsUnsafeName(fields.name)) {
    return EntryError(fields.name, "the entry's name leads out of the archive");
  }
  constexpr uint16_t kEncrypted = 1;
  constexpr uint16_t kDeflate = 8;
  if ((fields.flags & kEncrypted) != 0) return EntryError(fields.name, "the entry is encrypted");
  if (fields.method != 0 && fields.method != kDeflate) {
    return EntryError(fields.name, "the entry is compressed by method " +
                                       std::to_string(fields.method) +
                                       "; only stored and deflated entries can be read");
  }
  TOSAC_ASSIGN(const uint64_t start, FindPayload(file, directory, fields));
  if (fields.packed_size > directory.begin - start) {
    return EntryError(fields.name, "the entry reaches past the end of the file");
  }
  const bool deflated = fields.method == kDeflate;
  const bool lies = deflated ? fields.size / limits::kMaxInflateRatio > fields.packed_size
                             : fields.size != fields.packed_size;
  if (lies) {
    return EntryError(fields.name, "the entry claims " + std::to_string(fields.size) +
                                       " bytes, which its " + std::to_string(fields.packed_size) +
                                       " stored ones can not hold");
  }
  return ZipEntry{std::move(fields.name), deflated, fields.crc, fields.size,
                  file.Bytes(start, fields.packed_size)};
}

// Entries of one name, or payloads that share bytes, are how archives show two readers two things.
Result<void> CheckDisjoint(std::vector<ZipEntry>& entries) {
  std::vector<const ZipEntry*> by_place;
  for (const ZipEntry& entry : entries) {
    if (!entry.payload.empty()) by_place.push_back(&entry);
  }
  std::sort(by_place.begin(), by_place.end(), [](const ZipEntry* a, const ZipEntry* b) {
    return a->payload.data() < b->payload.data();
  });
  for (size_t i = 1; i < by_place.size(); ++i) {
    if (by_place[i - 1]->payload.data() + by_place[i - 1]->payload.size() >
        by_place[i]->payload.data()) {
      return EntryError(by_place[i]->name, "the entry shares bytes with " + by_place[i - 1]->name);
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const ZipEntry& a, const ZipEntry& b) { return a.name < b.name; });
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].name == entries[i - 1].name) {
      return EntryError(entries[i].name, "the archive has two entries of this name");
    }
  }
  return {};
}

// Zip bombs. Payloads share no bytes, so the ratio of one entry bounds the whole; but even that is
// a thousand times the file.
Result<void> CheckInflatedSize(std::span<const ZipEntry> entries, uint64_t file_size) {
  const uint64_t limit = limits::kMaxInflatedBase + limits::kMaxInflatedRatio * file_size;
  uint64_t total = 0;
  for (const ZipEntry& entry : entries) {
    if (!entry.deflated) continue;
    if (entry.size > limit - total) {
      return Error("archive-bomb",
                   "the archive of " + std::to_string(file_size) + " bytes would inflate to over " +
                       std::to_string(limit) +
                       " bytes; if it is honest, store its entries uncompressed",
                   {"", entry.name, ""});
    }
    total += entry.size;
  }
  return {};
}

// The end record, by which a zip archive is read, was not found.
Diag NoDirectory(const Reader& file) {
  if (file.Has(0, sizeof(uint32_t)) && file.Get<uint32_t>(0) == kLocalHeader) {
    return Error(kZipRule,
                 "the zip archive's directory is missing or damaged: the file was cut off (an "
                 "interrupted copy or download?)");
  }
  return Error(kZipRule, "this is no zip archive, as a .pt2 is");
}

}  // namespace

Result<std::vector<ZipEntry>> ReadZip(std::span<const uint8_t> bytes) {
  const Reader file(bytes);
  const std::optional<uint64_t> end = FindEnd(file);
  if (!end) return NoDirectory(file);
  TOSAC_ASSIGN(const Directory directory, FindDirectory(file, *end));
  if (directory.entries > limits::kMaxArchiveEntries) {
    return Error(kZipRule, "the zip archive has too many entries");
  }
  std::vector<ZipEntry> entries;
  uint64_t at = directory.begin;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    TOSAC_ASSIGN(Fields fields, ReadFields(file, directory, &at));
    TOSAC_ASSIGN(ZipEntry entry, MakeEntry(file, directory, std::move(fields)));
    const bool folder = entry.name.ends_with('/') && entry.size == 0;
    if (!folder) entries.push_back(std::move(entry));
  }
  if (at != directory.end) return Damaged();
  TOSAC_TRY(CheckDisjoint(entries));
  TOSAC_TRY(CheckInflatedSize(entries, bytes.size()));
  return entries;
}

const ZipEntry* FindEntry(std::span<const ZipEntry> entries, std::string_view name) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const ZipEntry& entry, std::string_view n) { return entry.name < n; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

ZipContents::ZipContents(ZipEntry entry, std::shared_ptr<const void> owner)
    : entry_(std::move(entry)), owner_(std::move(owner)) {}

void ZipContents::Load() const {
  std::span<const uint8_t> contents = entry_.payload;
  if (entry_.deflated) {
    // A small file may claim a gigabyte; let the allocation fail, not the process.
    inflated_.reset(new (std::nothrow) uint8_t[entry_.size]);
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
        decompressor(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (inflated_ == nullptr || decompressor == nullptr) {
      error_ = Error("archive-deflate", "there is no memory to inflate the entry",
                     {"", entry_.name, ""});
      return;
    }
    size_t actual = 0;
    const libdeflate_result result =
        libdeflate_deflate_decompress(decompressor.get(), entry_.payload.data(),
                                      entry_.payload.size(), inflated_.get(), entry_.size, &actual);
    if (result != LIBDEFLATE_SUCCESS || actual != entry_.size) {
      error_ =
          Error("archive-deflate", "the entry's compressed data is damaged", {"", entry_.name, ""});
      return;
    }
    contents = {inflated_.get(), entry_.size};
  }
  if (libdeflate_crc32(0, contents.data(), contents.size()) != entry_.crc) {
    error_ =
        Error("archive-crc", "the entry's bytes are damaged: their CRC differs from the archive's",
              {"", entry_.name, ""});
  }
}

Result<std::span<const uint8_t>> ZipContents::Bytes() const {
  std::call_once(once_, [this] { Load(); });
  if (error_) return *error_;
  if (entry_.deflated) return std::span<const uint8_t>(inflated_.get(), entry_.size);
  return entry_.payload;
}

}  // namespace tosac
