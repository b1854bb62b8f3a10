// SPDX-License-Identifier: Apache-2.0
#include "support/zip_writer.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstdlib>
#include <memory>

#include "base/zip.h"

namespace tosac::testing {
namespace {

// Little-endian, `width` bytes wide.
void Put(std::string* out, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

std::string Deflate(const std::string& contents) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(9), libdeflate_free_compressor);
  std::string out(libdeflate_deflate_compress_bound(compressor.get(), contents.size()), '\0');
  out.resize(libdeflate_deflate_compress(compressor.get(), contents.data(), contents.size(),
                                         out.data(), out.size()));
  return out;
}

struct Sizes {
  uint64_t contents;
  uint64_t packed;
};

// What a local header and a directory entry have in common: version to the extra field's length.
void PutCommon(std::string* out, const ZipSpec& entry, const Sizes& sizes, bool zip64,
               uint64_t extra_size) {
  Put(out, 45, 2);
  Put(out, entry.flags, 2);
  Put(out, entry.method.value_or(entry.deflate ? 8 : 0), 2);
  Put(out, 0x00210000, 4);
  Put(out, entry.crc.value_or(libdeflate_crc32(0, entry.contents.data(), entry.contents.size())),
      4);
  Put(out, zip64 ? UINT32_MAX : sizes.packed, 4);
  Put(out, zip64 ? UINT32_MAX : sizes.contents, 4);
  Put(out, entry.name.size(), 2);
  Put(out, extra_size, 2);
}

}  // namespace

std::vector<uint8_t> WriteZip(std::span<const ZipSpec> entries, bool zip64) {
  std::string out;
  std::string directory;
  for (const ZipSpec& entry : entries) {
    const uint64_t offset = entry.header_offset.value_or(static_cast<uint32_t>(out.size()));
    const std::string payload = entry.deflate ? Deflate(entry.contents) : entry.contents;
    const Sizes sizes = {entry.size.value_or(entry.contents.size()),
                         entry.packed_size.value_or(payload.size())};
    Put(&out, 0x04034b50, 4);
    PutCommon(&out, entry, sizes, zip64, zip64 ? 20 : 0);
    out += entry.name;
    if (zip64) {
      Put(&out, 1, 2);
      Put(&out, 16, 2);
      Put(&out, sizes.contents, 8);
      Put(&out, sizes.packed, 8);
    }
    out += payload;
    Put(&directory, 0x02014b50, 4);
    Put(&directory, 45, 2);
    PutCommon(&directory, entry, sizes, zip64, zip64 ? 28 : 0);
    Put(&directory, 0, 8);  // comment, disk, internal attributes, half of the external ones
    Put(&directory, 0, 2);
    Put(&directory, zip64 ? UINT32_MAX : offset, 4);
    directory += entry.name;
    if (zip64) {
      Put(&directory, 1, 2);
      Put(&directory, 24, 2);
      Put(&directory, sizes.contents, 8);
      Put(&directory, sizes.packed, 8);
      Put(&directory, offset, 8);
    }
  }
  const uint64_t start = out.size();
  out += directory;
  if (zip64) {
    const uint64_t end = out.size();
    Put(&out, 0x06064b50, 4);
    Put(&out, 44, 8);
    Put(&out, 45, 2);
    Put(&out, 45, 2);
    Put(&out, 0, 8);  // disks
    Put(&out, entries.size(), 8);
    Put(&out, entries.size(), 8);
    Put(&out, directory.size(), 8);
    Put(&out, start, 8);
    Put(&out, 0x07064b50, 4);
    Put(&out, 0, 4);
    Put(&out, end, 8);
    Put(&out, 1, 4);
  }
  Put(&out, 0x06054b50, 4);
  Put(&out, 0, 4);  // disks
  Put(&out, zip64 ? UINT16_MAX : entries.size(), 2);
  Put(&out, zip64 ? UINT16_MAX : entries.size(), 2);
  Put(&out, zip64 ? UINT32_MAX : directory.size(), 4);
  Put(&out, zip64 ? UINT32_MAX : start, 4);
  Put(&out, 0, 2);  // comment
  return {out.begin(), out.end()};
}

std::vector<ZipSpec> ReadZipSpecs(const std::vector<uint8_t>& archive) {
  std::vector<ZipSpec> specs;
  const Result<std::vector<ZipEntry>> entries = ReadZip(archive);
  EXPECT_TRUE(entries.ok()) << entries.diag().ToString();
  if (!entries.ok()) return specs;
  for (const ZipEntry& entry : *entries) {
    const ZipContents contents(entry, nullptr);
    const auto bytes = contents.Bytes();
    EXPECT_TRUE(bytes.ok()) << bytes.diag().ToString();
    if (bytes.ok()) specs.push_back({entry.name, std::string(bytes->begin(), bytes->end())});
  }
  return specs;
}

ZipSpec& EntryEndingIn(std::vector<ZipSpec>& entries, std::string_view suffix) {
  for (ZipSpec& entry : entries) {
    if (entry.name.ends_with(suffix)) return entry;
  }
  ADD_FAILURE() << "no entry ends in " << suffix;
  std::abort();
}

}  // namespace tosac::testing
