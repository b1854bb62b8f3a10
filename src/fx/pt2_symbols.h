// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes of a .pt2: SymPy's srepr form, read as text for people and as an interval.
#ifndef TOSAC_SRC_FX_PT2_SYMBOLS_H_
#define TOSAC_SRC_FX_PT2_SYMBOLS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tosac::fx {

// The values that a symbol or an expression can have; an end that is not known is INT64_MIN or
// INT64_MAX.
struct SymbolRange {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
  bool IsConstant() const { return min == max; }
};
using SymbolRanges = std::map<std::string, SymbolRange, std::less<>>;

struct SymbolicSize {
  std::string text;  // "2*s77 + 1"
  SymbolRange range;
};

// Reads "Add(Mul(Integer(2), Symbol('s77', integer=True)), Integer(1))". Never fails: what it does
// not know stays as it is written and has no range.
SymbolicSize ReadSymbolicSize(std::string_view srepr, const SymbolRanges& ranges);

}  // namespace tosac::fx

#endif  // TOSAC_SRC_FX_PT2_SYMBOLS_H_
