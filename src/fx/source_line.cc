// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "tosac/program.h"

namespace tosac::fx {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(first, last - first + 1);
}

}  // namespace

std::string SourceLine(std::string_view stack_trace) {
  // Python's format, innermost frame last:
  //   File "model.py", line 12, in forward
  //     return self.linear(x)
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  const size_t frame = stack_trace.rfind(kFile);
  if (frame == std::string_view::npos) return std::string(Trim(stack_trace));
  std::string_view rest = stack_trace.substr(frame + kFile.size());
  const size_t quote = rest.find(kLine);
  if (quote == std::string_view::npos) return std::string(Trim(rest));
  std::string text(rest.substr(0, quote));
  rest.remove_prefix(quote + kLine.size());
  const size_t digits = rest.find_first_not_of("0123456789");
  text += ":" + std::string(rest.substr(0, digits));
  const size_t newline = rest.find('\n');
  if (newline != std::string_view::npos) {
    rest.remove_prefix(newline + 1);
    const std::string_view code = Trim(rest.substr(0, rest.find('\n')));
    if (!code.empty()) text += ": " + std::string(code);
  }
  return text;
}

}  // namespace tosac::fx
