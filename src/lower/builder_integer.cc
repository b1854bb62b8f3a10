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

void Builder::NeedsIntProfile(Op op, const Value* value, std::string_view why) {
  std::string better = target_.ToString();
  better.insert(std::min(better.find('+'), better.size()), "+INT");
  Fail("lower-integer-profile", std::string(Name(op)) + " of " + fx::ToString(value->type) +
                                    " needs the profile INT: " + std::string(why) +
                                    ". The target " + better + " has it");
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
  ints_.SetFloatOf(integer, result);
  return result;
}

Value* Builder::EmitThroughFloat(Op op, std::span<Value* const> operands, Type result,
                                 std::vector<AttrValue> attrs) {
  const auto is_exact = [&](const Value* value) {
    const std::optional<ValueRange> range = ints_.RangeOf(value);
    return range && range->Exact();
  };
  std::vector<Value*> floats(operands.begin(), operands.end());
  const Value* inexact = nullptr;
  size_t num_exact = 0;
  for (size_t i = 0; i < floats.size(); ++i) {
    if (IsIndex(op, i) || !IsNarrowInteger(floats[i]->type)) continue;
    if (is_exact(floats[i])) {
      ++num_exact;
    } else {
      inexact = floats[i];
    }
  }
  const Value* shown = inexact != nullptr || operands.empty() ? inexact : operands[0];
  if (!HasFloatForm(op)) {
    NeedsIntProfile(op, shown == nullptr ? operands[0] : shown, "it computes on integers only");
    return EmitNode(op, operands, std::move(result), std::move(attrs));
  }
  // Rounding to FP32 keeps order, so a comparison needs only one side that is exact and below 2^24.
  if (inexact != nullptr && !(IsComparison(op) && num_exact > 0)) {
    NeedsIntProfile(op, inexact,
                    "its values are not provably within 2^24, up to which FP32 is exact");
    return EmitNode(op, operands, std::move(result), std::move(attrs));
  }
  for (size_t i = 0; i < floats.size(); ++i) {
    if (!IsIndex(op, i) && IsNarrowInteger(floats[i]->type)) floats[i] = ToFloat(floats[i]);
  }
  if (!IsNarrowInteger(result)) return EmitNode(op, floats, std::move(result), std::move(attrs));
  Type float_type = result;
  float_type.dtype = DType::kFP32;
  Value* value = EmitNode(op, floats, std::move(float_type), std::move(attrs));
  if (const std::optional<ValueRange> range = ints_.RangeOf(value); !range || !range->Exact()) {
    NeedsIntProfile(op, shown == nullptr ? value : shown,
                    "its results are not provably within 2^24, up to which FP32 is exact");
  }
  Value* integer = EmitNode(Op::CAST, std::span(&value, 1), std::move(result), {});
  ints_.SetFloatOf(integer, value);
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
    NeedsIntProfile(Op::CAST, input, "its values do not provably fit " + std::string(Name(dtype)));
    return EmitNode(Op::CAST, std::span(&input, 1), result, {});
  }
  Value* value = ToFloat(input);
  Value* integer = EmitNode(Op::CAST, std::span(&value, 1), result, {});
  ints_.SetFloatOf(integer, value);
  return integer;
}

}  // namespace tosac::lower
