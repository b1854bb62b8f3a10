// SPDX-License-Identifier: Apache-2.0
// What every subcommand is made of.
#ifndef TOSAC_TOOLS_TOSAC_COMMAND_H_
#define TOSAC_TOOLS_TOSAC_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "tosac/diag.h"

namespace tosac::cli {

// The process's answers (docs: "Command line").
inline constexpr int kYes = 0;
inline constexpr int kNo = 1;     // different, invalid, unsupported
inline constexpr int kError = 2;  // usage, I/O, an input that can not be read as what it should be

// Adds a subcommand's options to `app` and returns what runs when it is chosen.
using Setup = std::function<int()> (*)(CLI::App& app);

struct CommandRow {
  std::string_view name;
  std::string_view summary;
  Setup setup;
};

std::function<int()> SetupCompile(CLI::App& app);
std::function<int()> SetupDedup(CLI::App& app);
std::function<int()> SetupDiff(CLI::App& app);
std::function<int()> SetupStat(CLI::App& app);

// Prints a diagnostic to standard error and returns kError.
int Report(const Diag& diag);
void PrintNote(const Diag& diag);
// Writes a result to standard output; kError when that fails, else `code`.
int PrintResult(std::string_view text, int code);

}  // namespace tosac::cli

#endif  // TOSAC_TOOLS_TOSAC_COMMAND_H_
