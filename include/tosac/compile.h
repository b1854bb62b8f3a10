// SPDX-License-Identifier: Apache-2.0
// The driver: a PyTorch .pt2 archive to a TOSA module.
#ifndef TOSAC_COMPILE_H_
#define TOSAC_COMPILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tosac/diag.h"
#include "tosac/module.h"
#include "tosac/passes.h"
#include "tosac/target.h"

namespace tosac {

struct CompileOptions {
  Target target;
  // Off: every helper constant and CONST_SHAPE is emitted where it is asked for.
  bool constant_pool = true;
  PipelineOptions pipeline;
};

struct CompileReport {
  std::vector<Diag> notes;  // what the user should know: narrowed types, dropped assertions
  uint64_t pool_hits = 0;
  uint64_t pool_bytes_saved = 0;
  std::vector<PassTiming> timings;
};

// Errors: what ReadPt2 reports; rule "unsupported-operators" with one note per operator that can
// not be lowered (its count and one source line); rules "lower-..." for what TOSA forbids.
Result<Module> CompilePt2File(const std::string& path, const CompileOptions& options,
                              CompileReport* report = nullptr);
Result<Module> CompileProgram(fx::Program program, const CompileOptions& options,
                              CompileReport* report = nullptr);

// The ATen operators that have a lowering, sorted: "aten.add.Tensor".
std::vector<std::string_view> LoweredOperators();

// The diagnostic says that TOSA or the target can not express the model (exit code 1), not that
// the archive can not be read.
bool IsUnsupported(const Diag& diag);

}  // namespace tosac

#endif  // TOSAC_COMPILE_H_
