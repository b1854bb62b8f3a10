// SPDX-License-Identifier: Apache-2.0
// A Stat as a table for people and as JSON for machines.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tosac/json.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

// 1234567 as "1,234,567".
std::string Grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

// " (98.6 % of the file)"; empty where that says nothing.
std::string Share(uint64_t part, uint64_t whole) {
  if (part == 0 || part > whole) return "";
  const double per_mille = static_cast<double>(part) / static_cast<double>(whole) * 1000;
  const long long rounded = std::llround(per_mille);
  return " (" + std::to_string(rounded / 10) + "." + std::to_string(rounded % 10) +
         " % of the file)";
}

std::string ShapeText(const std::vector<int32_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ",";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::string TypeText(DType dtype, const std::vector<int32_t>& shape) {
  return std::string(Name(dtype)) + ShapeText(shape);
}

std::string VersionText(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch) + (version.draft ? " draft" : "");
}

void AppendInterface(std::string_view title, const std::vector<InterfaceEntry>& entries,
                     std::string* text) {
  for (size_t i = 0; i < entries.size(); ++i) {
    *text += (i == 0 ? std::string(title) : std::string(title.size(), ' ')) + "  " +
             entries[i].name + " " + TypeText(entries[i].dtype, entries[i].shape) + "\n";
  }
}

// Name and count, the highest count first.
std::vector<std::pair<std::string, uint64_t>> ByCount(
    const std::map<std::string, uint64_t>& counts) {
  std::vector<std::pair<std::string, uint64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return rows;
}

void AppendCounts(const std::map<std::string, uint64_t>& counts, std::string* text) {
  for (const auto& [name, count] : ByCount(counts)) {
    *text += Padded(Grouped(count), 12) + "  " + name + "\n";
  }
}

std::string CountsJson(const std::map<std::string, uint64_t>& counts) {
  std::string text = "{";
  for (const auto& [name, count] : counts) {
    if (text.size() > 1) text += ", ";
    text += JsonString(name) + ": " + std::to_string(count);
  }
  return text + "}";
}

std::string InterfaceJson(const std::vector<InterfaceEntry>& entries) {
  std::string text = "[";
  for (const InterfaceEntry& entry : entries) {
    if (text.size() > 1) text += ", ";
    text += "{\"name\": " + JsonString(entry.name) +
            ", \"dtype\": " + JsonString(Name(entry.dtype)) +
            ", \"shape\": " + ShapeText(entry.shape) + "}";
  }
  return text + "]";
}

}  // namespace

std::string StatText(const Stat& stat) {
  std::string text = "TOSA " + VersionText(stat.version) + ", " + Grouped(stat.file_bytes) +
                     " bytes, " + Grouped(stat.regions) + " region" +
                     (stat.regions == 1 ? "" : "s") + ", " + Grouped(stat.blocks) + " block" +
                     (stat.blocks == 1 ? "" : "s") + "\n";
  AppendInterface("inputs ", stat.inputs, &text);
  AppendInterface("outputs", stat.outputs, &text);
  text += "\n" + Padded(Grouped(stat.operators), 12) + "  operators\n";
  AppendCounts(stat.by_op, &text);
  text += "\n" + Padded(Grouped(stat.tensors), 12) + "  tensors\n";
  AppendCounts(stat.by_dtype, &text);
  text += Padded(Grouped(stat.shapes), 12) + "  shapes\n";
  text += "\n" + Padded(Grouped(stat.macs), 12) + "  multiply-accumulates\n";
  text += Padded(Grouped(stat.constants), 12) + "  constants of " + Grouped(stat.constant_bytes) +
          " bytes\n";
  text += Padded(Grouped(stat.duplicate_constants), 12) + "  of them duplicates, wasting " +
          Grouped(stat.duplicate_bytes) + " bytes" +
          (stat.duplicate_constants > 0 ? ": tosac dedup removes them" : "") + "\n";
  text += Padded(Grouped(stat.splat_constants), 12) + "  of them splats, which could save " +
          Grouped(stat.splat_bytes) + " bytes" + Share(stat.splat_bytes, stat.file_bytes) + "\n";
  size_t type_width = 0;
  for (const ConstantEntry& entry : stat.largest) {
    type_width = std::max(type_width, TypeText(entry.dtype, entry.shape).size());
  }
  if (!stat.largest.empty()) text += "\nlargest constants, in bytes\n";
  for (const ConstantEntry& entry : stat.largest) {
    std::string type = TypeText(entry.dtype, entry.shape);
    type.resize(type_width, ' ');
    text += Padded(Grouped(entry.bytes), 12) + "  " + type + "  " + entry.name +
            (entry.splat ? " (splat)" : "") + "\n";
  }
  return text;
}

std::string StatJson(const Stat& stat) {
  const auto number = [](std::string_view key, uint64_t value) {
    return ", \"" + std::string(key) + "\": " + std::to_string(value);
  };
  std::string text =
      "{\"version\": " + JsonString(VersionText(stat.version)) +
      number("file_bytes", stat.file_bytes) + number("regions", stat.regions) +
      number("blocks", stat.blocks) + number("operators", stat.operators) +
      ", \"by_op\": " + CountsJson(stat.by_op) + number("tensors", stat.tensors) +
      number("shapes", stat.shapes) + ", \"by_dtype\": " + CountsJson(stat.by_dtype) +
      ", \"inputs\": " + InterfaceJson(stat.inputs) +
      ", \"outputs\": " + InterfaceJson(stat.outputs) + number("constants", stat.constants) +
      number("constant_bytes", stat.constant_bytes) +
      number("duplicate_constants", stat.duplicate_constants) +
      number("duplicate_bytes", stat.duplicate_bytes) +
      number("splat_constants", stat.splat_constants) + number("splat_bytes", stat.splat_bytes) +
      number("macs", stat.macs) + ", \"largest_constants\": [";
  for (size_t i = 0; i < stat.largest.size(); ++i) {
    const ConstantEntry& entry = stat.largest[i];
    text += (i == 0 ? "{" : ", {");
    text += "\"name\": " + JsonString(entry.name) +
            ", \"dtype\": " + JsonString(Name(entry.dtype)) +
            ", \"shape\": " + ShapeText(entry.shape) + number("bytes", entry.bytes) +
            ", \"splat\": " + (entry.splat ? "true" : "false") + "}";
  }
  return text + "]}";
}

}  // namespace tosac
