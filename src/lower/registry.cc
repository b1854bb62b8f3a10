// SPDX-License-Identifier: Apache-2.0
#include "lower/registry.h"

#include <algorithm>

namespace tosac::lower {
namespace {

using FamilyFunction = std::span<const LoweringRow> (*)();
constexpr FamilyFunction kFamilies[] = {
    ActivationRows, AttentionRows, BinaryRows, CastRows,    ClampRows, CompareRows,  ConvRows,
    CreateRows,     DivideRows,    IndexRows,  LinearRows,  NormRows,  PoolRows,     PowerRows,
    ReduceRows,     RnnRows,       SliceRows,  SoftmaxRows, UnaryRows, UpsampleRows, ViewRows,
};

// All rows, by target.
const std::vector<LoweringRow>& SortedRows() {
  static const std::vector<LoweringRow> rows = [] {
    std::vector<LoweringRow> all;
    for (const FamilyFunction family : kFamilies) {
      const std::span<const LoweringRow> family_rows = family();
      all.insert(all.end(), family_rows.begin(), family_rows.end());
    }
    std::sort(all.begin(), all.end(),
              [](const LoweringRow& a, const LoweringRow& b) { return a.target < b.target; });
    return all;
  }();
  return rows;
}

}  // namespace

LowerFunction FindLowering(std::string_view target) {
  const std::vector<LoweringRow>& rows = SortedRows();
  const auto row =
      std::lower_bound(rows.begin(), rows.end(), target,
                       [](const LoweringRow& r, std::string_view t) { return r.target < t; });
  return row != rows.end() && row->target == target ? row->function : nullptr;
}

std::vector<std::string_view> LoweredTargets() {
  std::vector<std::string_view> targets;
  for (const LoweringRow& row : SortedRows()) targets.push_back(row.target);
  return targets;
}

}  // namespace tosac::lower
