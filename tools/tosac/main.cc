// SPDX-License-Identifier: Apache-2.0
// The tosac binary: a row a subcommand.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "command.h"
#include "tosac/io.h"
#include "tosac/version.h"

namespace tosac::cli {
namespace {

constexpr CommandRow kCommands[] = {
    {"compile", "compile a PyTorch .pt2 archive to a .tosa file", SetupCompile},
    {"dedup", "emit every constant of a .tosa file once per block", SetupDedup},
    {"stat", "say what is in .tosa files: operators, constants, what is wasted", SetupStat},
    {"diff", "compare two .tosa files up to names and sharing of constants", SetupDiff},
};

// CLI11 says "A subcommand is required" where one is misspelt.
int ReportUsage(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  const std::vector<std::string> rest = app.remaining();
  if (app.get_subcommands().empty() && !rest.empty() && rest[0].substr(0, 1) != "-") {
    message = "there is no command \"" + rest[0] + "\"; there are";
    for (const CommandRow& row : kCommands) message += " " + std::string(row.name);
  }
  std::fprintf(stderr, "tosac: error: %s [usage]\nRun with --help for more information.\n",
               message.c_str());
  return kError;
}

int Run(int argc, char** argv) {
  CLI::App app(
      "A TOSA compiler and toolkit.\n"
      "Results go to standard output, all else to standard error. \"-\" is standard input "
      "or output.\nExit codes: 0 yes; 1 no (different, unsupported); 2 usage, I/O or "
      "unreadable input.",
      "tosac");
  app.set_version_flag("--version", "tosac " TOSAC_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands;
  for (const CommandRow& row : kCommands) {
    CLI::App* command = app.add_subcommand(std::string(row.name), std::string(row.summary));
    commands.emplace_back(command, row.setup(*command));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return ReportUsage(app, error);
    app.exit(error);  // prints the help or the version
    std::cout.flush();
    return std::cout ? kYes : kError;
  }
  for (const auto& [command, run] : commands) {
    if (command->parsed()) return run();
  }
  return kError;
}

}  // namespace

int Report(const Diag& diag) {
  std::fprintf(stderr, "tosac: %s\n", diag.ToString().c_str());
  return kError;
}

void PrintNote(const Diag& diag) { std::fprintf(stderr, "tosac: %s\n", diag.ToString().c_str()); }

int PrintResult(std::string_view text, int code) {
  const Result<void> written = WriteText(text, "-");
  return written.ok() ? code : Report(written.diag());
}

}  // namespace tosac::cli

int main(int argc, char** argv) {
  // A closed pipe is an error to report, not a signal to die of.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return tosac::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("tosac: error: out of memory [out-of-memory]\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tosac: error: %s [internal-exception]\n", error.what());
  }
  return tosac::cli::kError;
}
