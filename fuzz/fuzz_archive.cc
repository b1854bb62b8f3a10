// SPDX-License-Identifier: Apache-2.0
// Bytes as a .pt2 archive: what can be read is verified, printed and compiled; a module that comes
// out can be written and read back. Inputs that start with "PK" are archives. All others are put
// into one, so that the fuzzer needs no checksums: the first line is the weights' config, the
// second the constants', the rest the program's JSON; a few storages are given.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive_writer.h"
#include "tosac/compile.h"
#include "tosac/io.h"
#include "tosac/program.h"

namespace {

using tosac::Module;
using tosac::Result;
using tosac::fx::Program;

[[noreturn]] void Broken(const char* promise, const std::string& detail) {
  std::fprintf(stderr, "broken promise: %s: %s\n", promise, detail.c_str());
  std::abort();
}

std::string Archive(std::string_view text) {
  const size_t first = text.find('\n');
  const size_t second = first == text.npos ? text.npos : text.find('\n', first + 1);
  if (second == text.npos) return std::string(text);
  std::string storage;
  for (int i = 0; i < 256; ++i) storage.push_back(static_cast<char>(i));
  std::vector<tosac::fuzz::Entry> entries = {
      {"m/archive_format", "pt2"},
      {"m/byteorder", "little"},
      {"m/data/weights/model_weights_config.json", std::string(text.substr(0, first))},
      {"m/data/constants/model_constants_config.json",
       std::string(text.substr(first + 1, second - first - 1))},
      {"m/models/model.json", std::string(text.substr(second + 1))},
  };
  for (int i = 0; i < 4; ++i) {
    entries.push_back({"m/data/weights/weight_" + std::to_string(i), storage});
    entries.push_back({"m/data/constants/tensor_" + std::to_string(i), storage});
  }
  return tosac::fuzz::WriteArchive(entries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string archive(reinterpret_cast<const char*>(data), size);
  if (!archive.starts_with("PK")) archive = Archive(archive);
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(archive.data()),
                                       archive.size());
  Result<Program> program = tosac::fx::ReadPt2(bytes, nullptr, "fuzz");
  if (!program) {
    if (program.diag().message.empty() || program.diag().rule.empty()) {
      Broken("a diagnostic has a rule and a message", program.diag().ToString());
    }
    return 0;
  }
  const Result<void> verified = tosac::fx::Verify(*program);
  if (!verified) Broken("what was read is well-formed", verified.diag().ToString());
  if (tosac::fx::ToText(*program).empty()) Broken("a program has a text", "");
  const Result<Module> module = tosac::CompileProgram(std::move(*program), {});
  if (!module) {
    if (module.diag().rule.starts_with("internal-")) {
      Broken("an archive breaks no pass", module.diag().ToString());
    }
    return 0;
  }
  const Result<std::vector<uint8_t>> written = tosac::WriteTosa(*module);
  if (!written) return 0;
  const Result<Module> again = tosac::ReadTosa(*written, nullptr, "written");
  if (!again) Broken("what was compiled can be read", again.diag().ToString());
  return 0;
}
