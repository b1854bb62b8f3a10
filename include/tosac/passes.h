// SPDX-License-Identifier: Apache-2.0
// Passes over a Program, their registry and the manager that runs them.
#ifndef TOSAC_PASSES_H_
#define TOSAC_PASSES_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tosac/diag.h"
#include "tosac/program.h"
#include "tosac/target.h"

namespace tosac {

enum class Changed : bool { kNo, kYes };

// What a pass may ask and tell.
struct PassContext {
  Target target;
  std::vector<Diag> notes;  // for the user: what was dropped, narrowed, moved to the interface
};

using PassFunction = Result<Changed> (*)(fx::Program&, PassContext&);

enum class Exactness : uint8_t {
  kExact,     // bit-identical results in TOSA's arithmetic
  kRounding,  // results may differ by rounding
};

struct PassRow {
  std::string_view name;  // "merge-const-shapes"
  PassFunction function;
  Exactness exactness;
  std::string_view summary;  // one line
};
std::span<const PassRow> PassRows();
const PassRow* FindPass(std::string_view name);

struct PassTiming {
  std::string_view name;
  double seconds = 0;
};
struct PipelineOptions {
  std::string print_after;  // a pass's name, "all", or ""
  // Takes the text of the program after a pass: (pass name, text).
  std::function<void(std::string_view, const std::string&)> print;
  bool verify = true;  // check the program's structure after each pass
  std::vector<PassTiming>* timings = nullptr;
};
// Runs passes in order. A pass that leaves a program that does not verify is an internal error
// (rule "internal-...") that names the pass.
Result<Changed> RunPipeline(fx::Program& program, std::span<const PassRow* const> pipeline,
                            PassContext& context, const PipelineOptions& options);

}  // namespace tosac

#endif  // TOSAC_PASSES_H_
