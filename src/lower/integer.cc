// SPDX-License-Identifier: Apache-2.0
#include "lower/integer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lower/builder.h"

namespace tosac::lower {

using fx::Node;
using fx::Value;

namespace {

// Larger constants are not searched for their bounds.
constexpr int64_t kMaxSearchedInts = int64_t{1} << 20;
constexpr int64_t kMaxSearchedFloats = int64_t{1} << 12;

ValueRange DTypeRange(DType dtype) {
  const int bits = dtype == DType::kINT8 ? 8 : dtype == DType::kINT16 ? 16 : 32;
  const double half = std::ldexp(1.0, bits - 1);
  return {-half, half - 1};
}

bool IsNarrowInteger(DType dtype) {
  return dtype == DType::kINT8 || dtype == DType::kINT16 || dtype == DType::kINT32;
}

std::optional<ValueRange> ConstantRange(const fx::Constant& constant) {
  const int64_t limit = IsFloat(constant.dtype) ? kMaxSearchedFloats : kMaxSearchedInts;
  if (!constant.IsSplat() && constant.NumElements() > limit) return std::nullopt;
  fx::Constant searched = constant;
  if (constant.IsSplat()) {
    searched.shape.assign(constant.shape.size(), 1);
  }
  const Result<std::vector<double>> values = fx::AsDoubles(searched);
  if (!values.ok() || values->empty()) return std::nullopt;
  ValueRange range = {values->front(), values->front()};
  for (const double value : *values) {
    if (std::isnan(value)) return std::nullopt;
    range.min = std::min(range.min, value);
    range.max = std::max(range.max, value);
  }
  return range;
}

ValueRange Union(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

ValueRange Product(const ValueRange& a, const ValueRange& b) {
  const auto [low, high] =
      std::minmax({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
  return {low, high};
}

ValueRange Quotient(const ValueRange& a) {
  // |a / b| is at most |a| for integers.
  const double most = std::max(std::abs(a.min), std::abs(a.max));
  return {-most, most};
}

// Which operands carry the values that the result is made of: all; `first` only; or those after
// the first (SELECT).
std::optional<ValueRange> ResultRange(const Node& node, std::span<const ValueRange> in) {
  const auto united = [&](size_t from) {
    ValueRange range = in[from];
    for (size_t i = from + 1; i < in.size(); ++i) range = Union(range, in[i]);
    return range;
  };
  switch (node.op) {
    case Op::ADD:
      return ValueRange{in[0].min + in[1].min, in[0].max + in[1].max};
    case Op::SUB:
      return ValueRange{in[0].min - in[1].max, in[0].max - in[1].min};
    case Op::MUL:
      return Product(in[0], in[1]);
    case Op::INTDIV:
      return Quotient(in[0]);
    case Op::MAXIMUM:
      return ValueRange{std::max(in[0].min, in[1].min), std::max(in[0].max, in[1].max)};
    case Op::MINIMUM:
      return ValueRange{std::min(in[0].min, in[1].min), std::min(in[0].max, in[1].max)};
    case Op::ABS:
      return ValueRange{0, std::max(std::abs(in[0].min), std::abs(in[0].max))};
    case Op::NEGATE:
      return ValueRange{-in[0].max, -in[0].min};
    case Op::REDUCE_SUM: {
      const double count = static_cast<double>(node.operand(0)->type.NumElements()) /
                           static_cast<double>(node.result()->type.NumElements());
      return Product(in[0], {count, count});
    }
    case Op::LOGICAL_RIGHT_SHIFT:
      // By 31, which lowerings use to take the sign, it gives 0 or 1; else nothing is said.
      if (in[1].min == 31 && in[1].max == 31) return ValueRange{0, 1};
      return std::nullopt;
    case Op::FLOOR:
    case Op::CEIL:
      return ValueRange{std::floor(in[0].min), std::ceil(in[0].max)};
    case Op::SELECT:
    case Op::PAD:
    case Op::CONCAT:
    case Op::SCATTER:
    case Op::CAST:
    case Op::GATHER:
    case Op::IDENTITY:
    case Op::REDUCE_MAX:
    case Op::REDUCE_MIN:
    case Op::RESHAPE:
    case Op::REVERSE:
    case Op::SLICE:
    case Op::TILE:
    case Op::TRANSPOSE:
      return united(0);
    default:
      return std::nullopt;
  }
}

// The operands that hold data of the result's kind.
std::vector<const Value*> DataOperands(const Node& node) {
  const auto operands = node.operands();
  switch (node.op) {
    case Op::SELECT:
      return {operands[1], operands[2]};
    case Op::CONCAT:
      return {operands.begin(), operands.end()};
    case Op::PAD:
    case Op::SCATTER:
      return {operands[0], operands[2]};
    case Op::ADD:
    case Op::SUB:
    case Op::MUL:
    case Op::INTDIV:
    case Op::MAXIMUM:
    case Op::MINIMUM:
    case Op::LOGICAL_RIGHT_SHIFT:
      return {operands[0], operands[1]};
    default:
      if (operands.empty()) return {};
      return {operands[0]};
  }
}

}  // namespace

bool IntegerIsInFpProfile(Op op) {
  switch (op) {
    case Op::ADD:
    case Op::SUB:
    case Op::MUL:
    case Op::INTDIV:
    case Op::LOGICAL_LEFT_SHIFT:
    case Op::LOGICAL_RIGHT_SHIFT:
    case Op::CAST:
    case Op::CONST:
    case Op::IDENTITY:
    case Op::ARGMAX:
      return true;
    default:
      return false;
  }
}

bool OnlyMoves(Op op) {
  switch (op) {
    case Op::CONCAT:
    case Op::GATHER:
    case Op::PAD:
    case Op::RESHAPE:
    case Op::REVERSE:
    case Op::SCATTER:
    case Op::SELECT:
    case Op::SLICE:
    case Op::TILE:
    case Op::TRANSPOSE:
      return true;
    default:
      return false;
  }
}

std::optional<ValueRange> Integers::RangeOf(const Value* value) {
  if (const auto found = ranges_.find(value); found != ranges_.end()) return found->second;
  std::optional<ValueRange> range;
  if (const fx::ConstantPtr constant = value->constant()) range = ConstantRange(*constant);
  if (!range && IsNarrowInteger(value->type.dtype)) range = DTypeRange(value->type.dtype);
  if (range) ranges_.emplace(value, *range);
  return range;
}

void Integers::Assume(const Value* value, ValueRange range) {
  if (const std::optional<ValueRange> known = RangeOf(value)) {
    range = {std::max(range.min, known->min), std::min(range.max, known->max)};
  }
  ranges_.insert_or_assign(value, range);
}

void Integers::Derive(const Node& node) {
  const Value* result = node.result();
  const bool is_integer = IsNarrowInteger(result->type.dtype);
  if (node.op == Op::ARGMAX) {
    const auto* axis = node.attrs.empty() ? nullptr : std::get_if<int64_t>(&node.attrs[0]);
    const int64_t size = axis == nullptr ? INT32_MAX : node.operand(0)->type.dim(*axis);
    ranges_.emplace(result, ValueRange{0, static_cast<double>(size - 1)});
    return;
  }
  std::vector<ValueRange> in;
  // Floats are of interest only when one of them stands for an integer or a BOOL.
  bool known = is_integer;
  const std::vector<const Value*> operands = DataOperands(node);
  for (const Value* operand : operands) known = known || ranges_.contains(operand);
  known = known || (node.op == Op::SELECT && operands[0]->constant() && operands[1]->constant());
  if (!known) return;
  for (const Value* operand : operands) {
    const std::optional<ValueRange> range = RangeOf(operand);
    if (!range) return;
    in.push_back(*range);
  }
  if (in.empty()) return;
  std::optional<ValueRange> range = ResultRange(node, in);
  if (!range || std::isnan(range->min) || std::isnan(range->max)) return;
  if (is_integer) {
    *range = {std::floor(range->min), std::ceil(range->max)};
    // Integers that wrap around, and CASTs that saturate, can be anything.
    const ValueRange all = DTypeRange(result->type.dtype);
    if (range->min < all.min || range->max > all.max) range = all;
  }
  ranges_.emplace(result, *range);
}

Value* Integers::FloatOf(const Value* integer) const {
  const auto found = floats_.find(integer);
  return found == floats_.end() ? nullptr : found->second;
}

const std::string* Integers::Rounded(const Value* integer) const {
  const auto found = rounded_.find(integer);
  return found == rounded_.end() ? nullptr : &found->second;
}

}  // namespace tosac::lower
