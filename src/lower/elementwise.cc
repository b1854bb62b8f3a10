// SPDX-License-Identifier: Apache-2.0
#include "lower/elementwise.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace tosac::lower {

DType WideDType(DType dtype) {
  if (IsHalf(dtype)) return DType::kFP32;
  if (dtype == DType::kINT8 || dtype == DType::kINT16) return DType::kINT32;
  return dtype;
}

Value* Operand(Lowering& lower, std::string_view name, DType dtype) {
  if (lower.IsTensorArg(name)) return lower.Convert(lower.In(name), dtype);
  if (IsInteger(dtype) && !lower.IsFloatArg(name)) {
    return lower.b().ScalarInt(dtype, lower.Int(name, 0), 0);
  }
  return lower.b().Scalar(dtype, lower.Float(name, 0), 0);
}

std::optional<double> KnownNumber(Lowering& lower, std::string_view name) {
  if (!lower.IsTensorArg(name)) {
    if (!lower.Has(name)) return std::nullopt;
    return lower.Float(name, 0);
  }
  const fx::ConstantPtr constant = lower.ConstantIn(name);
  if (constant == nullptr || constant->NumElements() != 1) return std::nullopt;
  const Result<std::vector<double>> values = fx::AsDoubles(*constant);
  if (!values.ok() || values->size() != 1) return std::nullopt;
  return values->front();
}

namespace {

// Whether FP16 or BF16 has exactly this number.
bool HoldsExactly(DType dtype, double value) {
  if (std::isnan(value) || std::isinf(value) || value == 0) return true;
  const auto as_float = static_cast<float>(value);
  if (static_cast<double>(as_float) != value) return false;
  if (dtype == DType::kBF16) return (std::bit_cast<uint32_t>(as_float) & 0xFFFFu) == 0;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);  // in [0.5, 1)
  if (exponent > 16) return false;
  // 11 bits, fewer below 2^-14.
  const int bits = exponent < -13 ? 11 - (-13 - exponent) : 11;
  const double scaled = std::ldexp(mantissa, bits);
  return bits > 0 && scaled == std::floor(scaled);
}

bool ScalarFits(Lowering& lower, std::string_view name, DType dtype) {
  return lower.IsTensorArg(name) || HoldsExactly(dtype, lower.Float(name, 0));
}

}  // namespace

Operands BinaryOperands(Lowering& lower, std::string_view a, std::string_view b, bool wide) {
  DType dtype = lower.Promoted(a, b);
  if (!IsHalf(dtype) || wide || !ScalarFits(lower, a, dtype) || !ScalarFits(lower, b, dtype)) {
    dtype = WideDType(dtype);
  }
  return {Operand(lower, a, dtype), Operand(lower, b, dtype), dtype};
}

Operands FloatOperands(Lowering& lower, std::string_view a, std::string_view b) {
  const DType promoted = lower.Promoted(a, b);
  const DType dtype = IsFloat(promoted) ? WideDType(promoted) : DType::kFP32;
  return {Operand(lower, a, dtype), Operand(lower, b, dtype), dtype};
}

Value* FloatSelf(Lowering& lower) {
  Value* self = lower.In("self");
  return IsFloat(self->type.dtype) ? lower.ToCompute(self) : lower.Convert(self, DType::kFP32);
}

Value* Filled(Builder& b, DType dtype, double value, const Dims& dims) {
  return b.BroadcastTo(b.Scalar(dtype, value, static_cast<int64_t>(dims.size())), dims);
}

Value* SelectScalar(Builder& b, Value* condition, double on_true, Value* on_false) {
  return b.Select(condition, b.ScalarLike(on_false, on_true), on_false);
}

Value* SelectScalar(Builder& b, Value* condition, Value* on_true, double on_false) {
  return b.Select(condition, on_true, b.ScalarLike(on_true, on_false));
}

Value* AddScalar(Builder& b, Value* value, double scalar) {
  return b.Binary(Op::ADD, value, b.ScalarLike(value, scalar));
}

Value* MulScalar(Builder& b, Value* value, double scalar) {
  return scalar == 1 ? value : b.Mul(value, b.ScalarLike(value, scalar));
}

Value* Greater(Builder& b, Value* value, double scalar) {
  return b.Binary(Op::GREATER, value, b.ScalarLike(value, scalar));
}

Value* Less(Builder& b, Value* value, double scalar) {
  return b.Binary(Op::GREATER, b.ScalarLike(value, scalar), value);
}

Value* Equal(Builder& b, Value* value, double scalar) {
  return b.Binary(Op::EQUAL, value, b.ScalarLike(value, scalar));
}

Value* Not(Builder& b, Value* value) { return b.Unary(Op::LOGICAL_NOT, value); }

Value* Log1p(Builder& b, Value* x) {
  // u = 1 + x has lost low bits of x: d = u - 1 is what is left of x, and log(u) / d tends to the
  // same limit as log1p(x) / x. Where nothing is lost (infinity among it) log(u) is right.
  Value* u = AddScalar(b, x, 1);
  Value* d = AddScalar(b, u, -1);
  Value* log = b.Unary(Op::LOG, u);
  Value* corrected = b.Mul(b.Mul(log, x), b.Unary(Op::RECIPROCAL, d));
  Value* result = b.Select(b.Binary(Op::EQUAL, d, x), log, corrected);
  return b.Select(Equal(b, d, 0), x, result);
}

Value* Expm1(Builder& b, Value* x) {
  // Taylor's series below 1/2 (x * (1 + x/2 * (1 + x/3 * ...)), 2e-8 of the result), where
  // exp(x) - 1 cancels.
  constexpr int kTerms = 8;
  Value* series = AddScalar(b, MulScalar(b, x, 1.0 / kTerms), 1);
  for (int i = kTerms - 1; i >= 2; --i) {
    series = AddScalar(b, b.Mul(MulScalar(b, x, 1.0 / i), series), 1);
  }
  series = b.Mul(x, series);
  Value* small = Less(b, b.Unary(Op::ABS, x), 0.5);
  return b.Select(small, series, AddScalar(b, b.Unary(Op::EXP, x), -1));
}

Value* Trunc(Builder& b, Value* x) {
  return b.Select(Less(b, x, 0), b.Unary(Op::CEIL, x), b.Unary(Op::FLOOR, x));
}

}  // namespace tosac::lower
