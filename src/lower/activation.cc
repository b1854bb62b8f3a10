// SPDX-License-Identifier: Apache-2.0
// Activation functions. FP16 and BF16 are computed in FP32 and rounded once, as torch does; NaN
// goes through all of them.
#include <numbers>
#include <string>

#include "lower/elementwise.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

// x where it is positive, else `otherwise`.
Value* PositiveOr(Builder& b, Value* x, Value* otherwise) {
  return b.Select(Greater(b, x, 0), x, otherwise);
}

// x * (1 + f) / 2, the factor 1/2 on x so that far left it is -0.
Value* HalfTimesOnePlus(Builder& b, Value* x, Value* f) {
  return b.Mul(MulScalar(b, x, 0.5), AddScalar(b, f, 1));
}

void LowerGelu(Lowering& lower) {
  Builder& b = lower.b();
  const std::string approximate = lower.Str("approximate", "none");
  Value* x = FloatSelf(lower);
  if (approximate == "none") {
    Value* erf = b.Unary(Op::ERF, MulScalar(b, x, 1 / std::numbers::sqrt2));
    return lower.ReturnAs(HalfTimesOnePlus(b, x, erf));
  }
  if (approximate != "tanh") return lower.Unsupported("approximate=\"" + approximate + "\"");
  // tanh(sqrt(2 / pi) (x + 0.044715 x^3))
  constexpr double kScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  Value* square = b.Mul(x, x);
  Value* factor = AddScalar(b, MulScalar(b, square, 0.044715 * kScale), kScale);
  lower.ReturnAs(HalfTimesOnePlus(b, x, b.Unary(Op::TANH, b.Mul(x, factor))));
}

void LowerSilu(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  lower.ReturnAs(b.Mul(x, b.Unary(Op::SIGMOID, x)));
}

// x tanh(log(1 + e^x)), where the tanh is n / (n + 2) of n = e^x (e^x + 2): no cancellation far
// left, and 1 from x = 20 on.
void LowerMish(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  Value* exp = b.Unary(Op::EXP, b.Binary(Op::MINIMUM, x, b.ScalarLike(x, 20)));
  Value* n = b.Mul(exp, AddScalar(b, exp, 2));
  lower.ReturnAs(b.Mul(x, b.Div(n, AddScalar(b, n, 2))));
}

void LowerLeakyRelu(Lowering& lower) {
  Builder& b = lower.b();
  const double slope = lower.Float("negative_slope", 0.01);
  Value* x = FloatSelf(lower);
  Value* scaled = MulScalar(b, x, slope);
  // For a slope in (0, 1] the larger one is the right one.
  const bool is_max = slope > 0 && slope <= 1;
  lower.ReturnAs(is_max ? b.Binary(Op::MAXIMUM, x, scaled) : PositiveOr(b, x, scaled));
}

// x > 0: scale x; else alpha scale (exp(input_scale x) - 1).
Value* Elu(Builder& b, Value* x, double alpha, double scale, double input_scale) {
  Value* exp = AddScalar(b, b.Unary(Op::EXP, MulScalar(b, x, input_scale)), -1);
  return b.Select(Greater(b, x, 0), MulScalar(b, x, scale), MulScalar(b, exp, alpha * scale));
}

void LowerElu(Lowering& lower) {
  lower.ReturnAs(Elu(lower.b(), FloatSelf(lower), lower.Float("alpha", 1), lower.Float("scale", 1),
                     lower.Float("input_scale", 1)));
}

void LowerSelu(Lowering& lower) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  lower.ReturnAs(Elu(lower.b(), FloatSelf(lower), kAlpha, kScale, 1));
}

void LowerCelu(Lowering& lower) {
  const double alpha = lower.Float("alpha", 1);
  if (alpha == 0) return lower.Unsupported("alpha=0");
  lower.ReturnAs(Elu(lower.b(), FloatSelf(lower), alpha, 1, 1 / alpha));
}

void LowerSoftplus(Lowering& lower) {
  Builder& b = lower.b();
  const double beta = lower.Float("beta", 1);
  Value* x = FloatSelf(lower);
  Value* scaled = MulScalar(b, x, beta);
  Value* soft = MulScalar(b, Log1p(b, b.Unary(Op::EXP, scaled)), 1 / beta);
  lower.ReturnAs(b.Select(Greater(b, scaled, lower.Float("threshold", 20)), x, soft));
}

// min(x, 0) - log(1 + exp(-|x|)). Its second result is a buffer for the derivative.
void LowerLogSigmoid(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  Value* exp = b.Unary(Op::EXP, b.Negate(b.Unary(Op::ABS, x)));
  Value* below = b.Binary(Op::MINIMUM, x, b.ScalarLike(x, 0));
  lower.ReturnAs(b.Binary(Op::SUB, below, Log1p(b, exp)));
}

Value* ReluSixOfPlusThree(Builder& b, Value* x) { return b.Clamp(AddScalar(b, x, 3), 0, 6); }

void LowerHardsigmoid(Lowering& lower) {
  Builder& b = lower.b();
  lower.ReturnAs(MulScalar(b, ReluSixOfPlusThree(b, FloatSelf(lower)), 1.0 / 6));
}

void LowerHardswish(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  lower.ReturnAs(MulScalar(b, b.Mul(x, ReluSixOfPlusThree(b, x)), 1.0 / 6));
}

void LowerThreshold(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = lower.In("self");
  Value* threshold = Operand(lower, "threshold", x->type.dtype);
  Value* keep_out = b.Binary(Op::GREATER_EQUAL, threshold, x);
  lower.Return(b.Select(keep_out, Operand(lower, "value", x->type.dtype), x));
}

void LowerHardshrink(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  const double lambda = RoundedTo(lower.ResultType().dtype, lower.Float("lambd", 0.5));
  Value* abs = b.Unary(Op::ABS, x);
  Value* inside = b.Binary(Op::GREATER_EQUAL, b.ScalarLike(abs, lambda), abs);
  lower.ReturnAs(SelectScalar(b, inside, 0, x));
}

void LowerSoftshrink(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  const double lambda = lower.Float("lambd", 0.5);
  // x * 0 inside, so that NaN goes through.
  Value* result = b.Select(Less(b, x, -lambda), AddScalar(b, x, lambda), MulScalar(b, x, 0));
  lower.ReturnAs(b.Select(Greater(b, x, lambda), AddScalar(b, x, -lambda), result));
}

// The first half times the sigmoid of the second.
void LowerGlu(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  const int64_t axis = lower.Axis("dim", -1, x->type.rank());
  const int64_t size = x->type.dim(axis);
  if (x->type.rank() == 0 || size < 2 || size % 2 != 0) {
    return lower.Unsupported("an axis that has no two halves");
  }
  Dims start(x->type.dims.size(), 0);
  Dims half = x->type.dims;
  half[static_cast<size_t>(axis)] = size / 2;
  Value* first = b.Slice(x, start, half);
  start[static_cast<size_t>(axis)] = size / 2;
  Value* gate = b.Slice(x, start, half);
  lower.ReturnAs(b.Mul(first, b.Unary(Op::SIGMOID, gate)));
}

// A weight of one element, or one for each channel (axis 1).
void LowerPrelu(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = FloatSelf(lower);
  Value* weight = lower.ToCompute(lower.In("weight"));
  const int64_t count = weight->type.NumElements();
  if (weight->type.rank() != x->type.rank() && count >= 1) {
    Dims dims(x->type.dims.size(), 1);
    if (count > 1 && dims.size() >= 2) dims[1] = count;
    weight = b.Reshape(weight, dims);
  }
  lower.ReturnAs(PositiveOr(b, x, b.Mul(x, weight)));
}

constexpr LoweringRow kRows[] = {
    {"aten._prelu_kernel.default", LowerPrelu},
    {"aten.celu.default", LowerCelu},
    {"aten.elu.default", LowerElu},
    {"aten.gelu.default", LowerGelu},
    {"aten.glu.default", LowerGlu},
    {"aten.hardshrink.default", LowerHardshrink},
    {"aten.hardsigmoid.default", LowerHardsigmoid},
    {"aten.hardswish.default", LowerHardswish},
    {"aten.leaky_relu.default", LowerLeakyRelu},
    {"aten.log_sigmoid.default", LowerLogSigmoid},
    {"aten.log_sigmoid_forward.default", LowerLogSigmoid},
    {"aten.mish.default", LowerMish},
    {"aten.prelu.default", LowerPrelu},
    {"aten.selu.default", LowerSelu},
    {"aten.silu.default", LowerSilu},
    {"aten.softplus.default", LowerSoftplus},
    {"aten.softshrink.default", LowerSoftshrink},
    {"aten.threshold.default", LowerThreshold},
};

}  // namespace

std::span<const LoweringRow> ActivationRows() { return kRows; }

}  // namespace tosac::lower
