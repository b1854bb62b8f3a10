// SPDX-License-Identifier: Apache-2.0
#include "tosac/diag.h"

namespace tosac {
namespace {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

// Names in files may hold anything; a message is one line of printable text.
void AppendPrintable(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out->append("\\x");
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
    } else {
      out->push_back(c);
    }
  }
}

void Append(const Diag& diag, int depth, std::string* out) {
  out->append(static_cast<size_t>(depth) * 2, ' ');
  for (const std::string* part : {&diag.location.file, &diag.location.path}) {
    if (part->empty()) continue;
    AppendPrintable(*part, out);
    out->append(": ");
  }
  out->append(SeverityName(diag.severity));
  out->append(": ");
  AppendPrintable(diag.message, out);
  out->append(" [").append(diag.rule).append("]");
  if (!diag.location.source.empty()) {
    out->append("\n");
    out->append(static_cast<size_t>(depth) * 2 + 4, ' ');
    out->append("at ");
    AppendPrintable(diag.location.source, out);
  }
  for (const Diag& note : diag.notes) {
    out->append("\n");
    Append(note, depth + 1, out);
  }
}

}  // namespace

std::string Diag::ToString() const {
  std::string text;
  Append(*this, 0, &text);
  return text;
}

Diag Error(std::string_view rule, std::string message) {
  return Error(rule, std::move(message), {});
}

Diag Error(std::string_view rule, std::string message, Location location) {
  Diag diag;
  diag.rule = rule;
  diag.message = std::move(message);
  diag.location = std::move(location);
  return diag;
}

Diag At(Diag diag, const Location& location) {
  if (diag.location.file.empty()) diag.location.file = location.file;
  if (diag.location.path.empty()) diag.location.path = location.path;
  if (diag.location.source.empty()) diag.location.source = location.source;
  return diag;
}

}  // namespace tosac
