// SPDX-License-Identifier: Apache-2.0
// Types: what TOSA holds for a torch dtype, and torch's conversions between them.
#include <algorithm>
#include <string>

#include "lower/lowering.h"

namespace tosac::lower {

DType Lowering::Narrow(DType dtype) {
  const auto lacks = [&](std::string_view extension) {
    Fail("lower-dtype", std::string(Name(dtype)) + " needs a target with " +
                            std::string(extension) + ", and this one is " + target().ToString());
    return dtype;
  };
  switch (dtype) {
    case DType::kINT64:
      return target().IndexType();
    case DType::kBF16:
      return target().Has(Feature::kBf16) ? dtype : lacks("+bf16");
    case DType::kFP8E4M3:
      return target().Has(Feature::kFp8e4m3) ? dtype : lacks("+fp8e4m3");
    case DType::kFP8E5M2:
      return target().Has(Feature::kFp8e5m2) ? dtype : lacks("+fp8e5m2");
    case DType::kFP64:
      Fail("lower-dtype", "TOSA can not compute in float64; convert the model to float32");
      return DType::kFP32;
    default:
      break;
  }
  if (dtype >= DType::kFirstNonTosa || dtype == DType::kUnknown) {
    Fail("lower-dtype", "TOSA has no tensors of type " + std::string(Name(dtype)));
    return DType::kINT32;
  }
  return dtype;
}

namespace {

// torch's order of promotion: bool < integers by width < floats by width.
int Category(DType dtype) { return dtype == DType::kBOOL ? 0 : IsInteger(dtype) ? 1 : 2; }

DType Wider(DType a, DType b) {
  if (a == DType::kUnknown) return b;
  if (b == DType::kUnknown) return a;
  if (Category(a) != Category(b)) return Category(a) > Category(b) ? a : b;
  if (a == b) return a;
  const int bits_a = FindDType(a)->bits;
  const int bits_b = FindDType(b)->bits;
  if (bits_a != bits_b) return bits_a > bits_b ? a : b;
  if (Category(a) == 2) return DType::kFP32;  // float16 with bfloat16
  return DType::kINT16;                       // uint8 with int8
}

}  // namespace

DType Lowering::Promoted(std::string_view a, std::string_view b) {
  // Tensors with dimensions decide before rank-0 tensors, and those before Python scalars, unless
  // the lower kind has a higher category (torch's type promotion rules).
  DType by_priority[3] = {DType::kUnknown, DType::kUnknown, DType::kUnknown};
  for (const std::string_view name : {a, b}) {
    if (IsTensorArg(name)) {
      const fx::Type type = AtenType(name);
      DType& slot = by_priority[type.rank() > 0 ? 0 : 1];
      slot = Wider(slot, type.dtype);
    } else if (const fx::Arg* arg = node_->FindArg(name)) {
      const DType dtype = std::holds_alternative<double>(arg->value)    ? DType::kFP32
                          : std::holds_alternative<int64_t>(arg->value) ? DType::kINT64
                                                                        : DType::kBOOL;
      by_priority[2] = Wider(by_priority[2], dtype);
    }
  }
  DType result = by_priority[0];
  for (const DType lower : {by_priority[1], by_priority[2]}) {
    if (lower == DType::kUnknown) continue;
    if (result == DType::kUnknown || Category(lower) > Category(result)) result = lower;
  }
  return Narrow(result);
}

Value* Lowering::Truncate(Value* input, DType dtype) {
  // CAST rounds to even; FLOOR and CEIL by sign give what torch's conversion gives.
  const fx::Node* def = input->def();
  if (def != nullptr && (def->IsTosa(Op::FLOOR) || def->IsTosa(Op::CEIL))) {
    return b_.Cast(input, dtype);
  }
  Value* zero = b_.ScalarLike(input, 0);
  Value* negative = b_.Binary(Op::GREATER, zero, input);
  Value* whole = b_.Select(negative, b_.Unary(Op::CEIL, input), b_.Unary(Op::FLOOR, input));
  return b_.Cast(whole, dtype);
}

Value* Lowering::Convert(Value* input, DType dtype) {
  const DType from = input->type.dtype;
  if (from == dtype) return input;
  if (dtype == DType::kBOOL) {
    return b_.Unary(Op::LOGICAL_NOT, b_.Binary(Op::EQUAL, input, b_.ScalarLike(input, 0)));
  }
  if (IsFloat(from) && IsInteger(dtype)) return Truncate(input, dtype);
  return b_.Cast(input, dtype);
}

Value* Lowering::ToCompute(Value* input) {
  const DType dtype = input->type.dtype;
  return dtype == DType::kFP16 || dtype == DType::kBF16 ? b_.Cast(input, DType::kFP32) : input;
}

}  // namespace tosac::lower
