// SPDX-License-Identifier: Apache-2.0
// tosac diff A B
#include <memory>
#include <string>

#include "command.h"
#include "tosac/io.h"
#include "tosac/json.h"
#include "tosac/tools.h"

namespace tosac::cli {
namespace {

struct Options {
  std::string a;
  std::string b;
  bool json = false;
};

int DiffFiles(const Options& options) {
  const Result<Module> a = ReadTosaFile(options.a);
  if (!a.ok()) return Report(a.diag());
  const Result<Module> b = ReadTosaFile(options.b);
  if (!b.ok()) return Report(b.diag());
  const std::optional<Difference> difference = Diff(*a, *b);
  const int code = difference ? kNo : kYes;
  if (options.json) {
    std::string text = std::string("{\"equal\": ") + (difference ? "false" : "true");
    if (difference) {
      text += ", \"message\": " + JsonString(difference->message) +
              ", \"a\": " + JsonString(difference->a) + ", \"b\": " + JsonString(difference->b);
    }
    return PrintResult(text + "}\n", code);
  }
  if (!difference) return PrintResult("equal\n", code);
  return PrintResult("different: " + difference->message + "\n  a: " + difference->a +
                         "\n  b: " + difference->b + "\n",
                     code);
}

}  // namespace

std::function<int()> SetupDiff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("A", options->a, "a .tosa file")->required()->option_text(" ");
  app.add_option("B", options->b, "another (- for standard input in place of either)")
      ->required()
      ->option_text(" ");
  app.add_flag("--json", options->json, "print the answer as JSON");
  return [options] { return DiffFiles(*options); };
}

}  // namespace tosac::cli
