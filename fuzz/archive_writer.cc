// SPDX-License-Identifier: Apache-2.0
#include "archive_writer.h"

#include <libdeflate.h>

#include <cstdint>

namespace tosac::fuzz {
namespace {

// Little-endian, `bytes` wide.
void Put(std::string* out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

// What a local header and a directory entry have in common: version to crc, sizes, name length.
void PutCommon(std::string* out, const Entry& entry) {
  Put(out, 20, 2);  // version needed
  Put(out, 0, 2);   // flags
  Put(out, 0, 2);   // method: stored
  Put(out, 0x00210000, 4);
  Put(out, libdeflate_crc32(0, entry.contents.data(), entry.contents.size()), 4);
  Put(out, entry.contents.size(), 4);
  Put(out, entry.contents.size(), 4);
  Put(out, entry.name.size(), 2);
  Put(out, 0, 2);  // extra field
}

}  // namespace

std::string WriteArchive(std::span<const Entry> entries) {
  std::string out;
  std::string directory;
  for (const Entry& entry : entries) {
    const uint64_t offset = out.size();
    Put(&out, 0x04034b50, 4);
    PutCommon(&out, entry);
    out += entry.name + entry.contents;
    Put(&directory, 0x02014b50, 4);
    Put(&directory, 20, 2);  // version made by
    PutCommon(&directory, entry);
    Put(&directory, 0, 2);  // comment
    Put(&directory, 0, 2);  // disk
    Put(&directory, 0, 2);  // internal attributes
    Put(&directory, 0, 4);  // external attributes
    Put(&directory, offset, 4);
    directory += entry.name;
  }
  const uint64_t start = out.size();
  out += directory;
  Put(&out, 0x06054b50, 4);
  Put(&out, 0, 4);  // disks
  Put(&out, entries.size(), 2);
  Put(&out, entries.size(), 2);
  Put(&out, directory.size(), 4);
  Put(&out, start, 4);
  Put(&out, 0, 2);  // comment
  return out;
}

}  // namespace tosac::fuzz
