// SPDX-License-Identifier: Apache-2.0
// Writes zip archives of stored entries, for the fuzz target of the archive reader.
#ifndef TOSAC_FUZZ_ARCHIVE_WRITER_H_
#define TOSAC_FUZZ_ARCHIVE_WRITER_H_

#include <span>
#include <string>

namespace tosac::fuzz {

struct Entry {
  std::string name;
  std::string contents;
};

// The bytes of an archive with these entries, stored, with right checksums.
std::string WriteArchive(std::span<const Entry> entries);

}  // namespace tosac::fuzz

#endif  // TOSAC_FUZZ_ARCHIVE_WRITER_H_
