// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_BASE_MAPPED_FILE_H_
#define TOSAC_SRC_BASE_MAPPED_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tosac/diag.h"

namespace tosac {

// The bytes of a file that was opened for reading.
struct FileBytes {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive
};

// Maps a regular file read-only; reads standard input ("-"), pipes and devices into memory.
// Errors: rule "io-open" (missing, no permission, a directory), "io-read".
Result<FileBytes> OpenFile(const std::string& path);

// "standard input" for "-", else the path: how diagnostics name a file.
std::string FileName(const std::string& path);

}  // namespace tosac

#endif  // TOSAC_SRC_BASE_MAPPED_FILE_H_
