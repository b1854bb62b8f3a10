// SPDX-License-Identifier: Apache-2.0
#include "tosac/target.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace tosac {
namespace {

constexpr std::array<FeatureRow, 13> kFeatures = {{
    {Feature::kInt, "INT", "PRO-INT", 0},
    {Feature::kFp, "FP", "PRO-FP", 0},
    {Feature::kInt16, "int16", "EXT-INT16", 0},
    {Feature::kInt4, "int4", "EXT-INT4", 0},
    {Feature::kInt64, "int64", "EXT-INT64", 1},
    {Feature::kBf16, "bf16", "EXT-BF16", 0},
    {Feature::kFp8e4m3, "fp8e4m3", "EXT-FP8E4M3", 0},
    {Feature::kFp8e5m2, "fp8e5m2", "EXT-FP8E5M2", 0},
    {Feature::kFft, "fft", "EXT-FFT", 0},
    {Feature::kVariable, "var", "EXT-VARIABLE", 0},
    {Feature::kControlFlow, "cf", "EXT-CONTROLFLOW", 0},
    {Feature::kShape, "shape", "EXT-SHAPE", 1},
    {Feature::kMxfp, "mxfp", "EXT-MXFP", 1},
}};

// TOSA specification, "Levels": 8K, and the limits that hold where no level is asked for.
constexpr LevelLimits kLevel8k = {6, 8192, 8192, 256, 64, 16};
constexpr LevelLimits kNoLevel = {32, INT32_MAX, INT32_MAX, 2048, INT32_MAX, 64};

constexpr std::string_view kPrefix = "TOSA-";

std::string ListFeatures(int minor) {
  std::string list;
  for (const FeatureRow& row : kFeatures) {
    if (row.since_minor > minor) continue;
    if (!list.empty()) list += ", ";
    list += row.name;
  }
  return list;
}

// Splits "1.0+FP+bf16" at '+'.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  while (true) {
    const size_t plus = text.find('+', start);
    parts.push_back(text.substr(start, plus - start));
    if (plus == std::string_view::npos) return parts;
    start = plus + 1;
  }
}

}  // namespace

std::span<const FeatureRow> FeatureRows() { return kFeatures; }

Target::Target() = default;

const LevelLimits& Target::limits() const { return level_8k_ ? kLevel8k : kNoLevel; }

Result<Target> Target::Parse(std::string_view text) {
  const std::string quoted = "\"" + std::string(text) + "\"";
  if (!text.starts_with(kPrefix)) {
    return Error("target-syntax", "target " + quoted +
                                      " does not start with \"TOSA-\"; a target reads like "
                                      "TOSA-1.0+FP or TOSA-1.1+INT+FP+bf16");
  }
  const std::vector<std::string_view> parts = Split(text.substr(kPrefix.size()));
  Target target;
  target.features_ = 0;
  if (parts[0] == "1.0") {
    target.version_ = {1, 0, 0, false};
  } else if (parts[0] == "1.1") {
    target.version_ = {1, 1, 0, true};
  } else {
    return Error("target-version", "target " + quoted + " asks for TOSA version \"" +
                                       std::string(parts[0]) + "\"; there are 1.0 and 1.1");
  }
  const int minor = target.version_.minor;
  bool level_given = false;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string part(parts[i]);
    if (part == "8k" || part == "nolevel") {
      if (level_given) {
        return Error("target-repeated", "target " + quoted + " gives a level twice");
      }
      level_given = true;
      target.level_8k_ = part == "8k";
      continue;
    }
    const auto* row = std::find_if(kFeatures.begin(), kFeatures.end(),
                                   [&](const FeatureRow& r) { return r.name == part; });
    if (row == kFeatures.end()) {
      return Error("target-part", "target " + quoted + ": \"" + part +
                                      "\" is no profile, extension or level; there are " +
                                      ListFeatures(minor) + ", 8k, nolevel");
    }
    if (row->since_minor > minor) {
      return Error("target-part", "target " + quoted + ": " + part + " came with TOSA 1." +
                                      std::to_string(row->since_minor) + "; TOSA 1." +
                                      std::to_string(minor) + " has " + ListFeatures(minor));
    }
    if (target.Has(row->feature)) {
      return Error("target-repeated", "target " + quoted + " names " + part + " twice");
    }
    target.features_ |= static_cast<uint32_t>(row->feature);
  }
  if (!target.Has(Feature::kInt) && !target.Has(Feature::kFp)) {
    return Error("target-profile", "target " + quoted + " names no profile: add +INT, +FP or both");
  }
  struct Need {
    Feature feature;
    Feature profile;
  };
  // TOSA specification, "Extensions": the profiles that each extension builds on.
  constexpr Need kNeeds[] = {
      {Feature::kInt16, Feature::kInt},  {Feature::kInt4, Feature::kInt},
      {Feature::kBf16, Feature::kFp},    {Feature::kFp8e4m3, Feature::kFp},
      {Feature::kFp8e5m2, Feature::kFp}, {Feature::kFft, Feature::kFp},
      {Feature::kMxfp, Feature::kFp},
  };
  const auto name_of = [](Feature feature) {
    return std::string(std::find_if(kFeatures.begin(), kFeatures.end(), [&](const FeatureRow& r) {
                         return r.feature == feature;
                       })->name);
  };
  for (const Need& need : kNeeds) {
    if (target.Has(need.feature) && !target.Has(need.profile)) {
      return Error("target-profile", "target " + quoted + ": " + name_of(need.feature) +
                                         " needs the " + name_of(need.profile) + " profile");
    }
  }
  return target;
}

std::string Target::ToString() const {
  std::string text =
      std::string(kPrefix) + std::to_string(version_.major) + "." + std::to_string(version_.minor);
  for (const FeatureRow& row : kFeatures) {
    if (Has(row.feature)) {
      text += '+';
      text += row.name;
    }
  }
  if (!level_8k_) text += "+nolevel";
  return text;
}

}  // namespace tosac
