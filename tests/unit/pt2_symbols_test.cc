// SPDX-License-Identifier: Apache-2.0
#include "fx/pt2_symbols.h"

#include <gtest/gtest.h>

#include <string>

namespace tosac::fx {
namespace {

TEST(SymbolicSize, TextAndRange) {
  const SymbolRanges ranges = {{"s0", {2, 10}}, {"u0", {99, 99}}, {"s9", {0, INT64_MAX}}};
  const std::string s0 = "Symbol('s0', positive=True, integer=True)";
  struct Row {
    std::string srepr;
    std::string text;
    int64_t min, max;
  };
  const Row rows[] = {
      {s0, "s0", 2, 10},
      {"Integer(-3)", "-3", -3, -3},
      {"Add(Mul(Integer(2), " + s0 + "), Integer(-1))", "2*s0 - 1", 3, 19},
      {"Mul(Integer(2), Add(" + s0 + ", Integer(1)))", "2*(s0 + 1)", 6, 22},
      {"Mul(Integer(-1), " + s0 + ")", "-1*s0", -10, -2},
      {"FloorDiv(Add(" + s0 + ", Integer(1)), Integer(2))", "(s0 + 1)//2", 1, 5},
      {"Mod(" + s0 + ", Integer(4))", "s0 % 4", 0, 3},
      {"Max(Integer(4), " + s0 + ")", "max(4, s0)", 4, 10},
      {"Min(Integer(4), " + s0 + ")", "min(4, s0)", 2, 4},
      {"Add(Symbol('u0', integer=True), Integer(1))", "u0 + 1", 100, 100},
      {"Mod(Symbol('u0'), Integer(10))", "u0 % 10", 9, 9},
      {"Symbol('s9')", "s9", 0, INT64_MAX},
      {"Mul(Symbol('s9'), Integer(2))", "s9*2", 0, INT64_MAX},
      {"Add(Symbol('zz'), Integer(2))", "zz + 2", INT64_MIN, INT64_MAX},
      {"Pow(" + s0 + ", Integer(2))", "Pow(s0, 2)", INT64_MIN, INT64_MAX},
      {"Mul(Integer(9223372036854775807), Integer(9))", "9223372036854775807*9", INT64_MAX,
       INT64_MAX},
      {"FloorDiv(" + s0 + ", Integer(0))", "s0//0", INT64_MIN, INT64_MAX},
      // What can not be read is shown as it is.
      {"Add(", "Add(", INT64_MIN, INT64_MAX},
      {"Symbol('s0", "Symbol('s0", INT64_MIN, INT64_MAX},
      {"", "", INT64_MIN, INT64_MAX},
  };
  for (const Row& row : rows) {
    const SymbolicSize size = ReadSymbolicSize(row.srepr, ranges);
    EXPECT_EQ(size.text, row.text);
    EXPECT_EQ(size.range.min, row.min) << row.srepr;
    EXPECT_EQ(size.range.max, row.max) << row.srepr;
  }
}

TEST(SymbolicSize, DepthIsBounded) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "Add(";
  EXPECT_EQ(ReadSymbolicSize(deep, {}).text, deep);
}

}  // namespace
}  // namespace tosac::fx
