// SPDX-License-Identifier: Apache-2.0
#include "lower/elementwise.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

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

double RoundedTo(DType dtype, double value) {
  if (!IsHalf(dtype)) return value;
  std::vector<uint8_t> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  const Result<fx::ConstantPtr> rounded =
      fx::Converted(fx::MakeConstant(DType::kFP64, {}, std::move(bytes)), dtype);
  if (!rounded.ok()) return value;
  const Result<std::vector<double>> values = fx::AsDoubles(**rounded);
  return values.ok() && values->size() == 1 ? values->front() : value;
}

std::optional<double> KnownNumber(Lowering& lower, std::string_view name, DType dtype,
                                  Scalars scalars) {
  if (!lower.IsTensorArg(name)) {
    if (!lower.Has(name)) return std::nullopt;
    const double value = lower.Float(name, 0);
    return scalars == Scalars::kKept ? value : RoundedTo(dtype, value);
  }
  const fx::ConstantPtr constant = lower.ConstantIn(name);
  if (constant == nullptr || constant->NumElements() != 1) return std::nullopt;
  const Result<std::vector<double>> values = fx::AsDoubles(*constant);
  if (!values.ok() || values->size() != 1) return std::nullopt;
  return values->front();
}

Operands BinaryOperands(Lowering& lower, std::string_view a, std::string_view b, bool wide,
                        Scalars scalars) {
  const DType promoted = lower.Promoted(a, b);
  DType dtype = promoted;
  // Whether the promoted dtype has the scalar exactly, or the scalar is rounded to it.
  const auto fits = [&](std::string_view name) {
    if (scalars == Scalars::kRounded || lower.IsTensorArg(name)) return true;
    const double value = lower.Float(name, 0);
    return !(RoundedTo(promoted, value) != value);
  };
  if (!IsHalf(promoted) || wide || !fits(a) || !fits(b)) dtype = WideDType(promoted);
  const auto operand = [&](std::string_view name) {
    if (!IsHalf(promoted) || scalars == Scalars::kKept || lower.IsTensorArg(name)) {
      return Operand(lower, name, dtype);
    }
    return lower.b().Scalar(dtype, RoundedTo(promoted, lower.Float(name, 0)), 0);
  };
  return {operand(a), operand(b), dtype};
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
