// SPDX-License-Identifier: Apache-2.0
// Operators of one operand that work on each element.
#include <cmath>
#include <limits>
#include <numbers>

#include "lower/elementwise.h"
#include "lower/math.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Exact in every dtype: no way through FP32.
template <Op kOp>
void LowerExact(Lowering& lower) {
  Value* input = lower.In("self");
  // FLOOR and CEIL of an integer.
  if (!IsFloat(input->type.dtype) && (kOp == Op::FLOOR || kOp == Op::CEIL)) {
    return lower.ReturnAs(input);
  }
  const DType wide = WideDType(input->type.dtype);
  if (!IsFloat(input->type.dtype)) input = lower.Convert(input, wide);
  lower.ReturnAs(lower.b().Unary(kOp, input));
}

// Computed in FP32 at least; integers and BOOL become floats.
template <Op kOp>
void LowerFloat(Lowering& lower) {
  lower.ReturnAs(lower.b().Unary(kOp, FloatSelf(lower)));
}

void LowerNeg(Lowering& lower) {
  Value* input = lower.In("self");
  if (!IsFloat(input->type.dtype)) input = lower.Convert(input, WideDType(input->type.dtype));
  lower.ReturnAs(lower.b().Negate(input));
}

void LowerReciprocal(Lowering& lower) {
  Value* input = lower.In("self");
  if (!IsFloat(input->type.dtype)) input = lower.Convert(input, DType::kFP32);
  lower.ReturnAs(lower.b().Unary(Op::RECIPROCAL, input));
}

void LowerSqrt(Lowering& lower) { lower.ReturnAs(Sqrt(lower.b(), FloatSelf(lower))); }

void LowerExp2(Lowering& lower) {
  Builder& b = lower.b();
  lower.ReturnAs(b.Unary(Op::EXP, MulScalar(b, FloatSelf(lower), std::numbers::ln2)));
}

void LowerExpm1(Lowering& lower) { lower.ReturnAs(Expm1(lower.b(), FloatSelf(lower))); }
void LowerLog1p(Lowering& lower) { lower.ReturnAs(Log1p(lower.b(), FloatSelf(lower))); }

void LowerLog2(Lowering& lower) {
  Builder& b = lower.b();
  lower.ReturnAs(MulScalar(b, b.Unary(Op::LOG, FloatSelf(lower)), std::numbers::log2e));
}

void LowerLog10(Lowering& lower) {
  Builder& b = lower.b();
  lower.ReturnAs(MulScalar(b, b.Unary(Op::LOG, FloatSelf(lower)), std::numbers::log10e));
}

void LowerTan(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = FloatSelf(lower);
  lower.ReturnAs(b.Div(b.Unary(Op::SIN, input), b.Unary(Op::COS, input)));
}

void LowerSquare(Lowering& lower) {
  Value* input = lower.In("self");
  lower.ReturnAs(Square(lower.b(), lower.Convert(input, WideDType(input->type.dtype))));
}

// Half to even. With g = 2 floor(|x| / 2) the rest |x| - g is exact and in [0, 2): it becomes 0, 1
// or 2. Up to 1/2 the result is x * 0, a zero of x's sign.
Value* RoundToEven(Builder& b, Value* x) {
  Value* a = b.Unary(Op::ABS, x);
  Value* g = MulScalar(b, b.Unary(Op::FLOOR, MulScalar(b, a, 0.5)), 2);
  Value* rest = b.Binary(Op::SUB, a, g);
  Value* at_least = b.Binary(Op::GREATER_EQUAL, rest, b.ScalarLike(rest, 1.5));
  Value* up = SelectScalar(b, at_least, 2, b.ScalarLike(rest, 1));
  up = SelectScalar(b, Greater(b, rest, 0.5), up, 0);
  Value* magnitude = b.Binary(Op::ADD, g, up);
  Value* rounded = b.Select(Less(b, x, 0), b.Negate(magnitude), magnitude);
  return b.Select(Greater(b, a, 0.5), rounded, MulScalar(b, x, 0));
}

void LowerRound(Lowering& lower) {
  Value* input = lower.In("self");
  if (!IsFloat(input->type.dtype)) return lower.ReturnAs(input);
  lower.ReturnAs(RoundToEven(lower.b(), input));
}

void LowerRoundDecimals(Lowering& lower) {
  Builder& b = lower.b();
  const int64_t decimals = lower.Int("decimals", 0);
  Value* input = lower.In("self");
  if (!IsFloat(input->type.dtype)) return lower.Unsupported("decimals of an integer");
  if (std::abs(decimals) > 30) return lower.Unsupported("more than 30 decimals");
  Value* wide = lower.ToCompute(input);
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  const double before = decimals >= 0 ? scale : 1 / scale;
  lower.ReturnAs(MulScalar(b, RoundToEven(b, MulScalar(b, wide, before)), 1 / before));
}

void LowerTrunc(Lowering& lower) {
  Value* input = lower.In("self");
  lower.ReturnAs(IsFloat(input->type.dtype) ? Trunc(lower.b(), input) : input);
}

void LowerFrac(Lowering& lower) {
  Value* input = lower.In("self");
  lower.ReturnAs(lower.b().Binary(Op::SUB, input, Trunc(lower.b(), input)));
}

// 0 for NaN, as torch.
void LowerSign(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  if (input->type.dtype == DType::kBOOL) return lower.Return(input);
  input = IsFloat(input->type.dtype) ? input : lower.Convert(input, WideDType(input->type.dtype));
  Value* below = b.Select(Less(b, input, 0), b.ScalarLike(input, -1), b.ScalarLike(input, 0));
  lower.ReturnAs(SelectScalar(b, Greater(b, input, 0), 1, below));
}

void LowerBitwiseNot(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  if (input->type.dtype == DType::kBOOL) return lower.Return(Not(b, input));
  input = lower.Convert(input, WideDType(input->type.dtype));
  // ~x is -1 - x, which every profile has.
  lower.ReturnAs(b.Binary(Op::SUB, b.ScalarLike(input, -1), input));
}

void LowerLogicalNot(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  if (input->type.dtype == DType::kBOOL) return lower.Return(Not(b, input));
  lower.Return(Equal(b, input, 0));
}

// What has neither NaN nor infinity gives a constant.
bool IsInexact(Lowering& lower, bool otherwise) {
  Value* input = lower.In("self");
  if (IsFloat(input->type.dtype)) return true;
  const uint8_t element[] = {static_cast<uint8_t>(otherwise)};
  lower.Return(lower.b().Helper(fx::MakeSplat(DType::kBOOL, input->type.dims, element)));
  return false;
}

void LowerIsNan(Lowering& lower) {
  if (!IsInexact(lower, false)) return;
  Value* input = lower.In("self");
  lower.Return(Not(lower.b(), lower.b().Binary(Op::EQUAL, input, input)));
}

void LowerIsInf(Lowering& lower) {
  if (!IsInexact(lower, false)) return;
  Builder& b = lower.b();
  lower.Return(Equal(b, b.Unary(Op::ABS, lower.In("self")), kInfinity));
}

void LowerIsFinite(Lowering& lower) {
  if (!IsInexact(lower, true)) return;
  Builder& b = lower.b();
  lower.Return(Less(b, b.Unary(Op::ABS, lower.In("self")), kInfinity));
}

constexpr LoweringRow kRows[] = {
    {"aten.abs.default", LowerExact<Op::ABS>},
    {"aten.bitwise_not.default", LowerBitwiseNot},
    {"aten.ceil.default", LowerExact<Op::CEIL>},
    {"aten.cos.default", LowerFloat<Op::COS>},
    {"aten.erf.default", LowerFloat<Op::ERF>},
    {"aten.exp.default", LowerFloat<Op::EXP>},
    {"aten.exp2.default", LowerExp2},
    {"aten.expm1.default", LowerExpm1},
    {"aten.floor.default", LowerExact<Op::FLOOR>},
    {"aten.frac.default", LowerFrac},
    {"aten.isfinite.default", LowerIsFinite},
    {"aten.isinf.default", LowerIsInf},
    {"aten.isnan.default", LowerIsNan},
    {"aten.log.default", LowerFloat<Op::LOG>},
    {"aten.log10.default", LowerLog10},
    {"aten.log1p.default", LowerLog1p},
    {"aten.log2.default", LowerLog2},
    {"aten.logical_not.default", LowerLogicalNot},
    {"aten.neg.default", LowerNeg},
    {"aten.reciprocal.default", LowerReciprocal},
    {"aten.round.decimals", LowerRoundDecimals},
    {"aten.round.default", LowerRound},
    {"aten.rsqrt.default", LowerFloat<Op::RSQRT>},
    {"aten.sigmoid.default", LowerFloat<Op::SIGMOID>},
    {"aten.sign.default", LowerSign},
    {"aten.sin.default", LowerFloat<Op::SIN>},
    {"aten.sqrt.default", LowerSqrt},
    {"aten.square.default", LowerSquare},
    {"aten.tan.default", LowerTan},
    {"aten.tanh.default", LowerFloat<Op::TANH>},
    {"aten.trunc.default", LowerTrunc},
};

}  // namespace

std::span<const LoweringRow> UnaryRows() { return kRows; }

}  // namespace tosac::lower
