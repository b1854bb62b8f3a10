// SPDX-License-Identifier: Apache-2.0
// Zip archives for tests: right ones, and ones that lie.
#ifndef TOSAC_TESTS_SUPPORT_ZIP_WRITER_H_
#define TOSAC_TESTS_SUPPORT_ZIP_WRITER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tosac::testing {

struct ZipSpec {
  std::string name;
  std::string contents;
  bool deflate = false;
  // What the headers say instead of the truth.
  std::optional<uint64_t> size = std::nullopt;         // of the contents
  std::optional<uint64_t> packed_size = std::nullopt;  // of the payload
  std::optional<uint32_t> crc = std::nullopt;
  std::optional<uint16_t> method = std::nullopt;
  std::optional<uint32_t> header_offset = std::nullopt;  // of the local header, in the directory
  uint16_t flags = 0;
};

// Little-endian; with `zip64`, all sizes and offsets stand in the 64-bit fields.
std::vector<uint8_t> WriteZip(std::span<const ZipSpec> entries, bool zip64 = false);

// The entries of an archive, deflated ones inflated; a failure fails the test.
std::vector<ZipSpec> ReadZipSpecs(const std::vector<uint8_t>& archive);
// The entry whose name ends in `suffix`; a failure aborts the test program.
ZipSpec& EntryEndingIn(std::vector<ZipSpec>& entries, std::string_view suffix);

}  // namespace tosac::testing

#endif  // TOSAC_TESTS_SUPPORT_ZIP_WRITER_H_
