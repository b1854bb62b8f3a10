// SPDX-License-Identifier: Apache-2.0
// tosac compile MODEL.pt2 -o MODEL.tosa
#include <cstdio>
#include <memory>
#include <string>

#include "command.h"
#include "tosac/compile.h"
#include "tosac/io.h"
#include "tosac/json.h"
#include "tosac/tools.h"

namespace tosac::cli {
namespace {

struct Options {
  std::string input;
  std::string output;
  std::string target = "TOSA-1.0+FP";
  std::string print_after;
  bool no_constant_pool = false;
  bool time_passes = false;
  bool json = false;
  bool list_operators = false;
};

void PrintTimings(const CompileReport& report) {
  double total = 0;
  for (const PassTiming& timing : report.timings) total += timing.seconds;
  for (const PassTiming& timing : report.timings) {
    std::fprintf(stderr, "%9.3f ms %5.1f %%  %s\n", timing.seconds * 1e3,
                 total > 0 ? timing.seconds / total * 100 : 0.0, std::string(timing.name).c_str());
  }
  std::fprintf(stderr, "%9.3f ms        in all\n", total * 1e3);
}

// The operators and bytes of `stat`, as one object.
std::string Counts(const Stat& stat) {
  return "{\"operators\": " + std::to_string(stat.operators) +
         ", \"constants\": " + std::to_string(stat.constants) +
         ", \"constant_bytes\": " + std::to_string(stat.constant_bytes) + "}";
}

// What a machine wants to know of a compilation: counts with the pool on and off, and the notes.
std::string Json(const Options& options, const Stat& pool_on, const Stat& pool_off,
                 const CompileReport& report) {
  std::string text =
      "{\"input\": " + JsonString(options.input) + ", \"output\": " + JsonString(options.output) +
      ", \"target\": " + JsonString(options.target) + ", \"pool_on\": " + Counts(pool_on) +
      ", \"pool_off\": " + Counts(pool_off) +
      ", \"pool_hits\": " + std::to_string(report.pool_hits) +
      ", \"pool_bytes_saved\": " + std::to_string(report.pool_bytes_saved) + ", \"notes\": [";
  for (size_t i = 0; i < report.notes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + JsonString(report.notes[i].message);
  }
  return text + "]}\n";
}

int Compile(const Options& options) {
  if (options.list_operators) {
    std::string text;
    for (const std::string_view name : LoweredOperators()) text.append(name).append("\n");
    return PrintResult(text, kYes);
  }
  if (options.input.empty() || options.output.empty()) {
    return Report(Error("usage", "compile needs MODEL.pt2 and -o OUT.tosa"));
  }
  CompileOptions compile;
  Result<Target> target = Target::Parse(options.target);
  if (!target.ok()) return Report(target.diag());
  compile.target = *target;
  compile.constant_pool = !options.no_constant_pool;
  compile.pipeline.print_after = options.print_after;
  if (!options.print_after.empty()) {
    const std::string& name = options.print_after;
    if (name != "all" && name != "read" && name != "lower" && FindPass(name) == nullptr) {
      std::string names = "read, lower";
      for (const PassRow& row : PassRows()) names += ", " + std::string(row.name);
      return Report(Error("usage", "--print-after: there is no pass \"" + name + "\"; there are " +
                                       names + ", all"));
    }
    compile.pipeline.print = [](std::string_view pass, const std::string& text) {
      std::fprintf(stderr, "// after %s\n%s", std::string(pass).c_str(), text.c_str());
    };
  }
  CompileReport report;
  Result<Module> module = CompilePt2File(options.input, compile, &report);
  if (!module.ok()) {
    Report(module.diag());
    return IsUnsupported(module.diag()) ? kNo : kError;
  }
  for (const Diag& note : report.notes) PrintNote(note);
  const Result<void> written = WriteTosaFile(*module, options.output);
  if (!written.ok()) return Report(written.diag());
  if (options.time_passes) PrintTimings(report);
  if (!options.json) return kYes;
  compile.constant_pool = options.no_constant_pool;
  compile.pipeline = {};
  Result<Module> other = CompilePt2File(options.input, compile);
  if (!other.ok()) return Report(other.diag());
  Stat stats[2] = {ComputeStat(*module), ComputeStat(*other)};
  if (options.no_constant_pool) std::swap(stats[0], stats[1]);
  return PrintResult(Json(options, stats[0], stats[1], report), kYes);
}

}  // namespace

std::function<int()> SetupCompile(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("MODEL.pt2", options->input,
                 "what torch.export.save wrote (- for standard input)");
  app.add_option("-o,--output", options->output, "the .tosa file to write (- for standard output)");
  app.add_option("--target", options->target, "version, profiles and extensions")
      ->capture_default_str();
  app.add_flag(
      "--no-constant-pool", options->no_constant_pool,
      "emit helper constants and shapes where they are asked for, to see what pooling saves");
  app.add_option("--print-after", options->print_after,
                 "print the program after a step or pass (or all) to standard error");
  app.add_flag("--time-passes", options->time_passes, "print where the time went");
  app.add_flag("--json", options->json,
               "print operators and constant bytes with the pool on and off, and the notes");
  app.add_flag("--list-operators", options->list_operators, "list the ATen operators and exit");
  return [options] { return Compile(*options); };
}

}  // namespace tosac::cli
