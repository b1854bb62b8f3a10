// SPDX-License-Identifier: Apache-2.0
// Builder: integers under a target that has the profile FP alone.
#include <algorithm>
#include <string>
#include <utility>

#include "lower/builder.h"

namespace tosac::lower {

using fx::TensorType;
using fx::Type;

namespace {

bool IsNarrowInteger(const Type& type) {
  return type.kind == fx::TypeKind::kTensor &&
         (type.dtype == DType::kINT8 || type.dtype == DType::kINT16 || type.dtype == DType::kINT32);
}

bool IsComparison(Op op) { return op == Op::EQUAL || op == Op::GREATER || op == Op::GREATER_EQUAL; }

// Operands that are integers in every profile: an index, and MUL's shift.
bool IsIndex(Op op, size_t operand) {
  return operand == 1 && (op == Op::GATHER || op == Op::SCATTER);
}

// What computes on bits has no counterpart in floats, and a sum of products is not exact there.
bool HasFloatForm(Op op) {
  switch (op) {
    case Op::ARITHMETIC_RIGHT_SHIFT:
    case Op::BITWISE_AND:
    case Op::BITWISE_NOT:
    case Op::BITWISE_OR:
    case Op::BITWISE_XOR:
    case Op::CLZ:
    case Op::MATMUL:
    case Op::REDUCE_PRODUCT:
    case Op::RESCALE:
    case Op::TABLE:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool Builder::NeedsFloat(Op op, std::span<Value* const> operands, const Type& result) const {
  if (target_.Has(Feature::kInt) || IntegerIsInFpProfile(op)) return false;
  if (IsNarrowInteger(result)) return true;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!IsIndex(op, i) && IsNarrowInteger(operands[i]->type)) return true;
  }
  return false;
}

std::string Builder::NeedsIntProfile(Op op, const Value* value, std::string_view why) const {
  std::string better = target_.ToString();
  better.insert(std::min(better.find('+'), better.size()), "+INT");
  return std::string(Name(op)) + " of " + fx::ToString(value->type) +
         " needs the profile INT: " + std::string(why) + ". The target " + better + " has it";
}

void Builder::RequireExact(const Value* value) {
  if (const std::string* why = ints_.Rounded(value)) Fail("lower-integer-profile", *why);
}

Value* Builder::ToFloat(Value* integer) {
  if (Value* known = ints_.FloatOf(integer)) return known;
  Value* result = nullptr;
  if (const fx::ConstantPtr constant = integer->constant()) {
    Result<fx::ConstantPtr> converted = fx::Converted(constant, DType::kFP32);
    if (!converted.ok()) {
      Fail(converted.diag());
      return integer;
    }
    result = Helper(*converted, integer->name + "_fp32");
  } else if (integer->type.dtype == DType::kBOOL) {
    result = Cast(integer, DType::kFP32);
  } else {
    result = EmitNode(Op::CAST, std::span(&integer, 1),
                      TensorType(DType::kFP32, integer->type.dims), {});
  }
  if (const auto range = ints_.RangeOf(integer)) ints_.Assume(result, *range);
  ints_.SetFloatOf(integer, result);
  return result;
}

Value* Builder::EmitThroughFloat(Op op, std::span<Value* const> operands, Type result,
                                 std::vector<AttrValue> attrs) {
  std::vector<Value*> floats(operands.begin(), operands.end());
  const Value* inexact = nullptr;
  const Value* exact = nullptr;
  bool is_below = false;
  for (size_t i = 0; i < floats.size(); ++i) {
    if (IsIndex(op, i) || !IsNarrowInteger(floats[i]->type)) continue;
    const std::optional<ValueRange> range = ints_.RangeOf(floats[i]);
    const bool is_exact = range && range->Exact() && ints_.Rounded(floats[i]) == nullptr;
    (is_exact ? exact : inexact) = floats[i];
    is_below = is_below || (is_exact && range->BelowExact());
  }
  const auto fail = [&](const Value* value, std::string_view why) {
    Fail("lower-integer-profile", NeedsIntProfile(op, value, why));
    return EmitNode(op, operands, result, attrs);
  };
  if (!HasFloatForm(op)) {
    return fail(inexact != nullptr ? inexact : operands[0], "it computes on integers only");
  }
  // Rounding to FP32 keeps order, so a comparison needs only one side that is exact and below 2^24.
  // What only moves elements can move rounded ones, as long as nothing needs them exact later.
  constexpr std::string_view kInexact =
      "its values are not provably within 2^24, up to which FP32 is exact";
  if (inexact != nullptr && !(IsComparison(op) && is_below) && !OnlyMoves(op)) {
    return fail(inexact, kInexact);
  }
  for (size_t i = 0; i < floats.size(); ++i) {
    if (!IsIndex(op, i) && IsNarrowInteger(floats[i]->type)) floats[i] = ToFloat(floats[i]);
  }
  if (!IsNarrowInteger(result)) return EmitNode(op, floats, std::move(result), std::move(attrs));
  Type float_type = result;
  float_type.dtype = DType::kFP32;
  Value* value = EmitNode(op, floats, std::move(float_type), attrs);
  const std::optional<ValueRange> range = ints_.RangeOf(value);
  const bool is_exact = inexact == nullptr && range && range->Exact();
  if (!is_exact && !OnlyMoves(op)) {
    return fail(exact != nullptr ? exact : operands[0],
                "its results are not provably within 2^24, up to which FP32 is exact");
  }
  Value* integer = EmitNode(Op::CAST, std::span(&value, 1), std::move(result), {});
  ints_.SetFloatOf(integer, value);
  if (!is_exact) {
    ints_.MarkRounded(integer, NeedsIntProfile(op, inexact != nullptr ? inexact : value, kInexact));
  }
  return integer;
}

Value* Builder::CastWithoutIntProfile(Value* input, DType dtype) {
  const DType from = input->type.dtype;
  if (IsFloat(dtype)) {
    // What came from FP32 is taken from there.
    if (Value* known = ints_.FloatOf(input)) return Cast(known, dtype);
    if (dtype == DType::kFP32 && input->constant() == nullptr) return ToFloat(input);
    return EmitNode(Op::CAST, std::span(&input, 1), TensorType(dtype, input->type.dims), {});
  }
  const Type result = TensorType(dtype, input->type.dims);
  if (!IsNarrowInteger(result) || (from != DType::kBOOL && !IsNarrowInteger(input->type))) {
    return EmitNode(Op::CAST, std::span(&input, 1), result, {});
  }
  // A narrower integer keeps the low bits, which a saturating CAST from FP32 would not.
  const int bits = FindDType(dtype)->bits;
  const double half = static_cast<double>(int64_t{1} << (bits - 1));
  const std::optional<ValueRange> range = ints_.RangeOf(input);
  const bool fits = from == DType::kBOOL || FindDType(from)->bits <= bits ||
                    (range && range->min >= -half && range->max < half);
  if (!fits || (from == DType::kINT32 && range && !range->Exact())) {
    Fail("lower-integer-profile",
         NeedsIntProfile(Op::CAST, input, "its values do not provably fit the result"));
    return EmitNode(Op::CAST, std::span(&input, 1), result, {});
  }
  Value* value = ToFloat(input);
  Value* integer = EmitNode(Op::CAST, std::span(&value, 1), result, {});
  ints_.SetFloatOf(integer, value);
  return integer;
}

}  // namespace tosac::lower
