// SPDX-License-Identifier: Apache-2.0
#include "tosac/compile.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "lower/lowering.h"

namespace tosac {
namespace {

// What runs on the ATen program, in order.
constexpr std::string_view kAtenPasses[] = {
    "drop-assertions", "functionalize", "drop-copies", "eliminate-dead-code", "fold-batch-norm",
};

// What runs on the lowered program, in order.
constexpr std::string_view kTosaPasses[] = {
    "drop-broadcasts",     "eliminate-dead-code", "shrink-splats",      "fold-layout",
    "share-equal-nodes",   "simplify-transposes", "simplify-reshapes",  "eliminate-dead-code",
    "simplify-transposes", "simplify-reshapes",   "share-equal-nodes",  "fold-layout",
    "eliminate-dead-code", "merge-parameters",    "merge-const-shapes", "eliminate-dead-code",
};

// With the pool off, a constant is emitted where it is asked for: the merging passes stay out too.
std::vector<const PassRow*> MakePipeline(std::span<const std::string_view> names,
                                         bool constant_pool) {
  std::vector<const PassRow*> pipeline;
  for (const std::string_view name : names) {
    if (!constant_pool && name.starts_with("merge-")) continue;
    if (const PassRow* row = FindPass(name)) pipeline.push_back(row);
  }
  return pipeline;
}

// Sizes that are not known are refused by name and range.
Result<void> CheckStatic(const fx::Program& program) {
  std::vector<int64_t> used;
  const auto look = [&](const fx::Type& type) {
    for (const int64_t dim : type.dims) {
      if (dim < 0 && std::find(used.begin(), used.end(), dim) == used.end()) used.push_back(dim);
    }
  };
  for (const auto& graph : program.graphs()) {
    for (const auto& input : graph->inputs()) look(input->type);
    for (const fx::Node* node : graph->Nodes()) {
      for (size_t i = 0; i < node->num_results(); ++i) look(node->result(i)->type);
    }
  }
  if (used.empty()) return {};
  Diag diag = Error("dynamic-shape",
                    "the program has sizes that are not known when it is compiled; export it with "
                    "static shapes",
                    {program.file, "", ""});
  for (const int64_t dim : used) {
    const auto index = static_cast<size_t>(-(dim + 1));
    if (index >= program.symbols.size()) continue;
    const fx::Symbol& symbol = program.symbols[index];
    Diag note =
        Error("dynamic-size",
              "size " + symbol.expr + " ranges from " + std::to_string(symbol.min) + " to " +
                  (symbol.max == INT64_MAX ? std::string("infinity") : std::to_string(symbol.max)));
    note.severity = Severity::kNote;
    diag.notes.push_back(std::move(note));
  }
  return diag;
}

// Times one step of the driver beside the passes.
class StepTimer {
 public:
  StepTimer(std::string_view name, CompileReport* report) : name_(name), report_(report) {}
  ~StepTimer() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    report_->timings.push_back({name_, elapsed.count()});
  }
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

 private:
  std::string_view name_;
  CompileReport* report_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<Module> CompileProgram(fx::Program program, const CompileOptions& options,
                              CompileReport* report) {
  CompileReport unused;
  if (report == nullptr) report = &unused;
  TOSAC_TRY(CheckStatic(program));
  PassContext context{options.target, {}};
  PipelineOptions pipeline = options.pipeline;
  pipeline.timings = &report->timings;

  if (pipeline.print && (pipeline.print_after == "all" || pipeline.print_after == "read")) {
    pipeline.print("read", fx::ToText(program));
  }
  TOSAC_TRY(
      RunPipeline(program, MakePipeline(kAtenPasses, options.constant_pool), context, pipeline));
  Result<fx::Program> lowered = [&] {
    const StepTimer timer("lower", report);
    return lower::LowerProgram(program, options.target, context.notes);
  }();
  if (!lowered.ok()) return lowered.diag();
  if (pipeline.print && (pipeline.print_after == "all" || pipeline.print_after == "lower")) {
    pipeline.print("lower", fx::ToText(*lowered));
  }
  TOSAC_TRY(
      RunPipeline(*lowered, MakePipeline(kTosaPasses, options.constant_pool), context, pipeline));
  report->notes = std::move(context.notes);

  const StepTimer timer("emit", report);
  fx::EmitReport emitted;
  Result<Module> module = fx::EmitModule(*lowered, options.target.version(),
                                         {.constant_pool = options.constant_pool}, &emitted);
  report->pool_hits = emitted.pool_hits;
  report->pool_bytes_saved = emitted.pool_bytes_saved;
  return module;
}

Result<Module> CompilePt2File(const std::string& path, const CompileOptions& options,
                              CompileReport* report) {
  CompileReport unused;
  if (report == nullptr) report = &unused;
  Result<fx::Program> program = [&] {
    const StepTimer timer("read", report);
    return fx::ReadPt2File(path);
  }();
  if (!program.ok()) return program.diag();
  return CompileProgram(std::move(*program), options, report);
}

std::vector<std::string_view> LoweredOperators() { return lower::LoweredTargets(); }

bool IsUnsupported(const Diag& diag) {
  return diag.rule == "unsupported-operators" || diag.rule == "dynamic-shape" ||
         diag.rule == "constant-range" || diag.rule.starts_with("lower-");
}

}  // namespace tosac
