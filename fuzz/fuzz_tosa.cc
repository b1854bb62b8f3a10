// SPDX-License-Identifier: Apache-2.0
// Bytes as a .tosa file: whatever can be read is counted, compared with itself, deduplicated,
// written, read back and compared again. Beside crashes this finds broken promises: a file that
// differs from itself, a dedup that changes what a file computes, a file that cannot be read back.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tosac/io.h"
#include "tosac/tools.h"

namespace {

using tosac::Module;
using tosac::Result;

[[noreturn]] void Broken(const char* promise, const std::string& detail) {
  std::fprintf(stderr, "broken promise: %s: %s\n", promise, detail.c_str());
  std::abort();
}

void ExpectEqual(const Module& a, const Module& b, const char* promise) {
  const std::optional<tosac::Difference> difference = tosac::Diff(a, b);
  if (difference) {
    Broken(promise, difference->message + ": " + difference->a + " / " + difference->b);
  }
}

Module Reread(const std::vector<uint8_t>& bytes) {
  Result<Module> module = tosac::ReadTosa(bytes, nullptr, "written");
  if (!module) Broken("what was written can be read", module.diag().ToString());
  return std::move(*module);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  Result<Module> original = tosac::ReadTosa(bytes, nullptr, "fuzz");
  if (!original) {
    if (original.diag().message.empty() || original.diag().rule.empty()) {
      Broken("a diagnostic has a rule and a message", original.diag().ToString());
    }
    return 0;
  }
  const tosac::Stat stat = tosac::ComputeStat(*original);
  if (tosac::StatText(stat).empty() || tosac::StatJson(stat).empty()) {
    Broken("stat says something", "nothing");
  }
  ExpectEqual(*original, *original, "a module equals itself");

  Result<Module> copy = tosac::ReadTosa(bytes, nullptr, "fuzz");
  if (!copy) Broken("reading is deterministic", copy.diag().ToString());
  const Result<std::vector<uint8_t>> written = tosac::WriteTosa(*original);
  const Result<tosac::DedupReport> report = tosac::Dedup(*copy);
  if (!report) return 0;
  if (report->constants_before - report->constants_after != stat.duplicate_constants) {
    Broken("stat counts what dedup removes", std::to_string(stat.duplicate_constants));
  }
  ExpectEqual(*original, *copy, "dedup changes constants only");
  Result<tosac::DedupReport> again = tosac::Dedup(*copy);
  if (!again || !again->renamed.empty()) Broken("dedup is idempotent", "it removed more");

  // A module that was read can be too large for a flatbuffer of its own; otherwise it is written.
  if (!written) return 0;
  ExpectEqual(*original, Reread(*written), "writing and reading back changes nothing");
  const Result<std::vector<uint8_t>> smaller = tosac::WriteTosa(*copy);
  if (!smaller) Broken("what dedup leaves can be written", smaller.diag().ToString());
  ExpectEqual(*original, Reread(*smaller), "dedup, written, changes constants only");
  return 0;
}
