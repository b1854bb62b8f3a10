// SPDX-License-Identifier: Apache-2.0
#include "base/zip.h"

#include <libdeflate.h>
#include <unzip.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/limits.h"

namespace tosac {
namespace {

constexpr std::string_view kZipRule = "archive-zip";
constexpr std::string_view kEntryRule = "archive-entry";

// ---- a file of minizip's that is memory ----

struct MemoryFile {
  std::span<const uint8_t> bytes;
  uint64_t position = 0;
};

MemoryFile* AsMemory(voidpf stream) { return static_cast<MemoryFile*>(stream); }

voidpf OpenMemory(voidpf opaque, const void*, int) { return opaque; }

uLong ReadMemory(voidpf, voidpf stream, void* buffer, uLong size) {
  MemoryFile* file = AsMemory(stream);
  const uint64_t count = std::min<uint64_t>(size, file->bytes.size() - file->position);
  if (count > 0) std::memcpy(buffer, file->bytes.data() + file->position, count);
  file->position += count;
  return static_cast<uLong>(count);
}

uLong WriteNothing(voidpf, voidpf, const void*, uLong) { return 0; }

ZPOS64_T TellMemory(voidpf, voidpf stream) { return AsMemory(stream)->position; }

long SeekMemory(voidpf, voidpf stream, ZPOS64_T offset, int origin) {  // NOLINT: minizip's type
  MemoryFile* file = AsMemory(stream);
  uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = file->position;
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = file->bytes.size();
  uint64_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) || target > file->bytes.size()) return -1;
  file->position = target;
  return 0;
}

int CloseMemory(voidpf, voidpf) { return 0; }
int NoError(voidpf, voidpf) { return 0; }

struct UnzCloser {
  void operator()(void* file) const { unzClose(file); }
};
using UnzHandle = std::unique_ptr<void, UnzCloser>;

bool IsUnsafeName(std::string_view name) {
  return name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
         name.find('\0') != std::string_view::npos || name == ".." || name.starts_with("../") ||
         name.find("/../") != std::string_view::npos || name.ends_with("/..");
}

Diag EntryError(const std::string& name, std::string why) {
  return Error(kEntryRule, std::move(why), {"", name, ""});
}

Result<ZipEntry> ReadEntry(unzFile zip, std::span<const uint8_t> bytes) {
  unz_file_info64 info = {};
  char name[1024];
  if (unzGetCurrentFileInfo64(zip, &info, name, sizeof(name), nullptr, 0, nullptr, 0) != UNZ_OK ||
      info.size_filename >= sizeof(name)) {
    return Error(kZipRule, "the zip archive's directory is damaged");
  }
  ZipEntry entry;
  entry.name.assign(name, info.size_filename);
  entry.crc = static_cast<uint32_t>(info.crc);
  entry.size = info.uncompressed_size;
  if (IsUnsafeName(entry.name)) {
    return EntryError(entry.name, "the entry's name leads out of the archive");
  }
  constexpr uLong kEncrypted = 1;
  constexpr uLong kDeflate = 8;
  if ((info.flag & kEncrypted) != 0) return EntryError(entry.name, "the entry is encrypted");
  if (info.compression_method != 0 && info.compression_method != kDeflate) {
    return EntryError(entry.name, "the entry is compressed by method " +
                                      std::to_string(info.compression_method) +
                                      "; only stored and deflated entries can be read");
  }
  entry.deflated = info.compression_method == kDeflate;
  int method = 0;
  int level = 0;
  if (unzOpenCurrentFile2(zip, &method, &level, 1) != UNZ_OK) {
    return EntryError(entry.name, "the entry's own header does not agree with the directory");
  }
  const uint64_t start = unzGetCurrentFileZStreamPos64(zip);
  unzCloseCurrentFile(zip);
  if (info.compressed_size > bytes.size() || start > bytes.size() - info.compressed_size) {
    return EntryError(entry.name, "the entry reaches past the end of the file");
  }
  entry.payload = bytes.subspan(start, info.compressed_size);
  const bool lies = entry.deflated ? entry.size / limits::kMaxInflateRatio > info.compressed_size
                                   : entry.size != info.compressed_size;
  if (lies) {
    return EntryError(entry.name, "the entry claims " + std::to_string(entry.size) +
                                      " bytes, which its " + std::to_string(info.compressed_size) +
                                      " stored ones can not hold");
  }
  return entry;
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

// The end of the directory, by which a zip archive is read, was not found.
Diag NoDirectory(std::span<const uint8_t> bytes) {
  constexpr std::string_view kLocalHeader = "PK\x03\x04";
  if (bytes.size() >= kLocalHeader.size() &&
      std::memcmp(bytes.data(), kLocalHeader.data(), kLocalHeader.size()) == 0) {
    return Error(kZipRule,
                 "the zip archive's directory is missing or damaged: the file was cut off (an "
                 "interrupted copy or download?)");
  }
  return Error(kZipRule, "this is no zip archive, as a .pt2 is");
}

}  // namespace

Result<std::vector<ZipEntry>> ReadZip(std::span<const uint8_t> bytes) {
  MemoryFile memory{bytes, 0};
  zlib_filefunc64_def functions = {OpenMemory, ReadMemory,  WriteNothing, TellMemory,
                                   SeekMemory, CloseMemory, NoError,      &memory};
  const UnzHandle zip(unzOpen2_64("", &functions));
  if (zip == nullptr) return NoDirectory(bytes);
  std::vector<ZipEntry> entries;
  int status = unzGoToFirstFile(zip.get());
  while (status == UNZ_OK) {
    TOSAC_ASSIGN(ZipEntry entry, ReadEntry(zip.get(), bytes));
    const bool folder = entry.name.ends_with('/') && entry.size == 0;
    if (!folder) entries.push_back(std::move(entry));
    if (entries.size() > limits::kMaxArchiveEntries) {
      return Error(kZipRule, "the zip archive has too many entries");
    }
    status = unzGoToNextFile(zip.get());
  }
  if (status != UNZ_END_OF_LIST_OF_FILE) {
    return Error(kZipRule, "the zip archive's directory is damaged");
  }
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
