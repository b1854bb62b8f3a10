// SPDX-License-Identifier: Apache-2.0
#include "support/module_equal.h"

#include <algorithm>
#include <vector>

namespace tosac::testing {
namespace {

bool SameBytes(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::string ScaleDifference(const Scale* a, const Scale* b, const CompareOptions& options) {
  if ((a == nullptr) != (b == nullptr)) return "one has a scale";
  if (a == nullptr) return "";
  if (a->dtype != b->dtype) return "scale dtype";
  if (a->block_shape != b->block_shape) return "block shape";
  if (a->has_data != b->has_data) return "one has scale data";
  if (options.external && a->external != b->external) return "one scale is external";
  return SameBytes(a->data, b->data) ? "" : "scale data";
}

std::string ValueDifference(const Value& a, const Value& b, const CompareOptions& options) {
  if (a.name != b.name) return "name " + std::string(b.name);
  if (a.dtype != b.dtype) return "dtype";
  if (a.shape != b.shape) return "shape";
  if (a.is_variable != b.is_variable) return "is_variable";
  if (a.is_unranked != b.is_unranked) return "is_unranked";
  if (a.variable_name != b.variable_name) return "variable_name";
  if (a.has_data != b.has_data) return "has_data";
  if (options.external && a.external != b.external) return "external";
  if (!SameBytes(a.data, b.data)) return "data";
  return ScaleDifference(a.scale.get(), b.scale.get(), options);
}

std::vector<const Value*> Select(const Block& block, bool shapes) {
  std::vector<const Value*> values;
  for (const Value& value : block.values) {
    if (value.is_shape == shapes) values.push_back(&value);
  }
  return values;
}

std::vector<std::string_view> Names(const Block& block, const std::vector<ValueId>& ids) {
  std::vector<std::string_view> names;
  names.reserve(ids.size());
  for (const ValueId id : ids) names.push_back(block.values.at(id).name);
  return names;
}

std::string OperatorDifference(const Block& a, const Block& b, size_t index) {
  const Operator& x = a.operators[index];
  const Operator& y = b.operators[index];
  if (x.op != y.op) return "op " + std::string(Name(y.op));
  if (Names(a, x.inputs) != Names(b, y.inputs)) return "inputs";
  if (Names(a, x.outputs) != Names(b, y.outputs)) return "outputs";
  if (x.attrs != y.attrs) return "attributes";
  if (x.has_location != y.has_location || x.location != y.location) return "location";
  return "";
}

std::string BlockDifference(const Block& a, const Block& b, const CompareOptions& options) {
  if (a.name != b.name) return "block name " + std::string(b.name);
  for (const bool shapes : {false, true}) {
    const std::vector<const Value*> x = Select(a, shapes);
    const std::vector<const Value*> y = Select(b, shapes);
    if (x.size() != y.size()) return "number of tensors or shapes";
    for (size_t i = 0; i < x.size(); ++i) {
      const std::string difference = ValueDifference(*x[i], *y[i], options);
      if (!difference.empty()) return "tensor " + std::string(x[i]->name) + ": " + difference;
    }
  }
  if (Names(a, a.inputs) != Names(b, b.inputs)) return "block inputs";
  if (Names(a, a.outputs) != Names(b, b.outputs)) return "block outputs";
  if (a.operators.size() != b.operators.size()) return "number of operators";
  for (size_t i = 0; i < a.operators.size(); ++i) {
    const std::string difference = OperatorDifference(a, b, i);
    if (!difference.empty()) return "operator " + std::to_string(i) + ": " + difference;
  }
  return "";
}

}  // namespace

std::string ModuleDifference(const Module& a, const Module& b, const CompareOptions& options) {
  if (a.version != b.version) return "version";
  if (a.software_version != b.software_version) return "software version";
  if (a.compatibility != b.compatibility) return "compatibility";
  if (a.regions.size() != b.regions.size()) return "number of regions";
  for (size_t r = 0; r < a.regions.size(); ++r) {
    if (a.regions[r].name != b.regions[r].name) return "region name";
    if (a.regions[r].blocks.size() != b.regions[r].blocks.size()) return "number of blocks";
    for (size_t i = 0; i < a.regions[r].blocks.size(); ++i) {
      const std::string difference =
          BlockDifference(a.regions[r].blocks[i], b.regions[r].blocks[i], options);
      if (!difference.empty()) return std::string(a.regions[r].name) + ": " + difference;
    }
  }
  return "";
}

}  // namespace tosac::testing
