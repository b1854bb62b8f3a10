// SPDX-License-Identifier: Apache-2.0
// tosac dedup IN -o OUT
#include <cstdio>
#include <memory>
#include <string>

#include "command.h"
#include "tosac/io.h"
#include "tosac/json.h"
#include "tosac/tools.h"

namespace tosac::cli {
namespace {

struct Options {
  std::string input;
  std::string output;
  bool json = false;
};

struct Row {
  const char* name;
  uint64_t before;
  uint64_t after;
};

std::string Json(std::span<const Row> rows, const DedupReport& report) {
  std::string text = "{";
  for (const Row& row : rows) {
    text += (text.size() > 1 ? ", \"" : "\"") + std::string(row.name) +
            "\": {\"before\": " + std::to_string(row.before) +
            ", \"after\": " + std::to_string(row.after) + "}";
  }
  text += ", \"renamed\": {";
  for (size_t i = 0; i < report.renamed.size(); ++i) {
    text += (i == 0 ? "" : ", ") + JsonString(report.renamed[i].first) + ": " +
            JsonString(report.renamed[i].second);
  }
  return text + "}}\n";
}

std::string Table(std::span<const Row> rows) {
  std::string text;
  for (const Row& row : rows) {
    char line[128];
    std::snprintf(line, sizeof(line), "%-15s %12llu -> %llu\n", row.name,
                  static_cast<unsigned long long>(row.before),
                  static_cast<unsigned long long>(row.after));
    text += line;
  }
  return text;
}

int DedupFile(const Options& options) {
  Result<Module> module = ReadTosaFile(options.input);
  if (!module.ok()) return Report(module.diag());
  const Result<DedupReport> report = Dedup(*module);
  if (!report.ok()) return Report(report.diag());
  const Result<Encoded> encoded = EncodeTosa(*module);
  if (!encoded.ok()) return Report(encoded.diag());
  const Result<void> written = WriteFile(encoded->pieces, options.output);
  if (!written.ok()) return Report(written.diag());
  const Row rows[] = {
      {"operators", report->operators_before, report->operators_after},
      {"constants", report->constants_before, report->constants_after},
      {"constant_bytes", report->constant_bytes_before, report->constant_bytes_after},
      {"file_bytes", module->file_bytes, encoded->size},
  };
  const std::string text = options.json ? Json(rows, *report) : Table(rows);
  // With the file on standard output the report goes beside it.
  if (options.output == "-") {
    std::fputs(text.c_str(), stderr);
    return kYes;
  }
  return PrintResult(text, kYes);
}

}  // namespace

std::function<int()> SetupDedup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("IN", options->input, "a .tosa file (- for standard input)")
      ->required()
      ->option_text(" ");
  app.add_option("-o,--output", options->output,
                 "where to write; may be IN (- for standard output)")
      ->required()
      ->option_text("FILE");
  app.add_flag("--json", options->json, "print the counts and the renamed constants as JSON");
  return [options] { return DedupFile(*options); };
}

}  // namespace tosac::cli
