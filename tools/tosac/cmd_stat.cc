// SPDX-License-Identifier: Apache-2.0
// tosac stat FILE...
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "tosac/io.h"
#include "tosac/json.h"
#include "tosac/tools.h"

namespace tosac::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool json = false;
};

int StatFiles(const Options& options) {
  std::string text;
  int code = kYes;
  const bool several = options.files.size() > 1;
  for (const std::string& file : options.files) {
    const Result<Module> module = ReadTosaFile(file);
    if (!module.ok()) {
      code = Report(module.diag());
      continue;
    }
    const Stat stat = ComputeStat(*module);
    if (options.json) {
      std::string object = StatJson(stat);
      object.insert(1, "\"file\": " + JsonString(file) + ", ");
      text += (text.empty() ? "" : ",\n") + object;
    } else {
      if (several) text += (text.empty() ? "== " : "\n== ") + file + "\n";
      text += StatText(stat);
    }
  }
  if (options.json) text = several ? "[" + text + "]\n" : text.empty() ? "" : text + "\n";
  return PrintResult(text, code);
}

}  // namespace

std::function<int()> SetupStat(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->files, ".tosa files (- for standard input)")
      ->required()
      ->option_text("  ");
  app.add_flag("--json", options->json, "one object; for several files an array of them");
  return [options] { return StatFiles(*options); };
}

}  // namespace tosac::cli
