// SPDX-License-Identifier: Apache-2.0
// Reading zip archives (zip64 too) from memory; libdeflate inflates. The directory is read here:
// Debian's minizip 1.1 loses zip64 entries and takes what is cut off for zeros.
#ifndef TOSAC_SRC_BASE_ZIP_H_
#define TOSAC_SRC_BASE_ZIP_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tosac/diag.h"

namespace tosac {

struct ZipEntry {
  std::string name;
  bool deflated = false;  // else stored: the payload is the contents
  uint32_t crc = 0;
  uint64_t size = 0;  // of the contents
  std::span<const uint8_t> payload;
};

// The entries of the archive `bytes`, sorted by name; payloads are views of `bytes`. Refuses what
// no honest writer makes: payloads outside the file or overlapping, two entries of one name, names
// that climb out ("../"), encryption, methods other than stored and deflated, sizes that DEFLATE
// can not reach or that a file of this size has no use for. Errors: rules "archive-zip" (no zip
// archive, cut off, damaged), "archive-entry", "archive-bomb".
Result<std::vector<ZipEntry>> ReadZip(std::span<const uint8_t> bytes);

const ZipEntry* FindEntry(std::span<const ZipEntry> entries, std::string_view name);

// The contents of an entry: a view of a stored payload, or inflated once on first use. The CRC is
// checked on first use. Thread-safe.
class ZipContents {
 public:
  // `owner` keeps the entry's payload alive.
  ZipContents(ZipEntry entry, std::shared_ptr<const void> owner);
  uint64_t size() const { return entry_.size; }
  // Errors: rules "archive-crc", "archive-deflate".
  Result<std::span<const uint8_t>> Bytes() const;

 private:
  void Load() const;

  ZipEntry entry_;
  std::shared_ptr<const void> owner_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<uint8_t[]> inflated_;
  mutable std::optional<Diag> error_;
};

}  // namespace tosac

#endif  // TOSAC_SRC_BASE_ZIP_H_
