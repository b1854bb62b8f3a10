// SPDX-License-Identifier: Apache-2.0
// Reading and writing .tosa files and plain bytes.
#ifndef TOSAC_IO_H_
#define TOSAC_IO_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tosac/diag.h"
#include "tosac/module.h"

namespace tosac {

// Reads a .tosa file. `path` "-" is standard input. A regular file is mapped and constants are
// spans into the mapping; no constant byte is touched. Errors: I/O (rule "io-..."), and everything
// that keeps the bytes from being a TOSA module (rules "tosa-...").
Result<Module> ReadTosaFile(const std::string& path);

// Reads a module from memory. `owner`, when given, keeps `bytes` alive with the Module; without it
// the caller does. `file` names the bytes in diagnostics.
Result<Module> ReadTosa(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                        std::string_view file);

enum class ConstantForm : uint8_t {
  kAsIs,      // each constant where the module says (Value::external)
  kInline,    // all inside the flatbuffer
  kExternal,  // all behind the flatbuffer, through offset and size
};
struct WriteOptions {
  ConstantForm constants = ConstantForm::kAsIs;
};

// A file in pieces, in order: write them one after the other. Large constants are views of where
// they lie; `module` must outlive the result.
struct Encoded {
  std::vector<std::span<const uint8_t>> pieces;
  std::shared_ptr<const void> owner;  // of the pieces that were built
  uint64_t size = 0;
};
Result<Encoded> EncodeTosa(const Module& module, const WriteOptions& options = {});
Result<std::vector<uint8_t>> WriteTosa(const Module& module, const WriteOptions& options = {});

// Writes to `path` ("-": standard output). A regular target is written beside itself and renamed
// over (links followed, mode kept), so that it is never half-written and may be the input; a
// device, pipe or fifo is written directly.
Result<void> WriteTosaFile(const Module& module, const std::string& path,
                           const WriteOptions& options = {});
Result<void> WriteFile(std::span<const std::span<const uint8_t>> pieces, const std::string& path);
Result<void> WriteText(std::string_view text, const std::string& path);

}  // namespace tosac

#endif  // TOSAC_IO_H_
