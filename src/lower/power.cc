// SPDX-License-Identifier: Apache-2.0
// Powers. TOSA's POW is unpredictable for a negative base, for zero to a power that is not
// positive, and for infinities and NaN: it only ever gets positive finite bases here.
#include <cmath>
#include <limits>

#include "lower/elementwise.h"
#include "lower/math.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Integer exponents up to here are chains of MUL: the error grows with the exponent.
constexpr int64_t kMaxChain = 64;

// x^n for n >= 1 by repeated squaring.
Value* Chain(Builder& b, Value* x, int64_t n) {
  Value* result = nullptr;
  for (;; x = b.Mul(x, x)) {
    if ((n & 1) != 0) result = result == nullptr ? x : b.Mul(result, x);
    n >>= 1;
    if (n == 0) return result;
  }
}

// A tensor exponent (or base), after torch's pow, which is C's.
Value* General(Builder& b, Value* x, Value* y) {
  Value* abs_x = b.Unary(Op::ABS, x);
  Value* x_is_regular = b.Binary(Op::LOGICAL_AND, Greater(b, abs_x, 0), Less(b, abs_x, kInfinity));
  Value* y_is_finite = Less(b, b.Unary(Op::ABS, y), kInfinity);
  Value* regular = b.Binary(Op::LOGICAL_AND, x_is_regular, y_is_finite);
  Value* power =
      b.Binary(Op::POW, SelectScalar(b, regular, abs_x, 1), SelectScalar(b, regular, y, 1));
  // Zero, infinity and infinite exponents: infinity where |x| > 1 and y > 0 agree, else zero.
  Value* shrinks = b.Binary(Op::LOGICAL_XOR, Greater(b, abs_x, 1), Greater(b, y, 0));
  Value* special = SelectScalar(b, shrinks, 0, b.ScalarLike(power, kInfinity));
  special = SelectScalar(b, Equal(b, abs_x, 1), 1, special);
  power = b.Select(regular, power, special);
  // A negative base (-0 among them, which its reciprocal shows) to an odd exponent is negative; to
  // an exponent that is no integer it is NaN.
  Value* is_integer = b.Binary(Op::EQUAL, b.Unary(Op::FLOOR, y), y);
  Value* half = MulScalar(b, y, 0.5);
  Value* is_even = b.Binary(Op::EQUAL, b.Unary(Op::FLOOR, half), half);
  Value* is_odd = b.Binary(Op::LOGICAL_AND, is_integer, Not(b, is_even));
  Value* below = Less(b, x, 0);
  Value* negative = b.Binary(Op::LOGICAL_OR, below, Less(b, b.Unary(Op::RECIPROCAL, x), 0));
  power = b.Select(b.Binary(Op::LOGICAL_AND, negative, is_odd), b.Negate(power), power);
  Value* undefined =
      b.Binary(Op::LOGICAL_AND, b.Binary(Op::LOGICAL_AND, below, x_is_regular), Not(b, is_integer));
  power = SelectScalar(b, undefined, kNaN, power);
  // NaN goes on, but anything to 0 and 1 to anything is 1.
  Value* sum = b.Binary(Op::ADD, abs_x, b.Unary(Op::ABS, y));
  power = b.Select(b.Binary(Op::EQUAL, sum, sum), power, sum);
  Value* one = b.Binary(Op::LOGICAL_OR, Equal(b, y, 0), Equal(b, x, 1));
  return SelectScalar(b, one, 1, power);
}

// An exponent that is known and no integer.
Value* ByFraction(Builder& b, Value* x, double exponent) {
  Value* regular = b.Binary(Op::LOGICAL_AND, Greater(b, x, 0), Less(b, x, kInfinity));
  Value* safe = SelectScalar(b, regular, x, 1);
  Value* power = b.Binary(Op::POW, safe, b.ScalarLike(x, exponent));
  // Zeros and infinities give themselves or their reciprocals, without sign; what is left is NaN.
  Value* abs_x = b.Unary(Op::ABS, x);
  Value* edge = exponent > 0 ? abs_x : b.Unary(Op::RECIPROCAL, abs_x);
  Value* is_edge = b.Binary(Op::LOGICAL_OR, Equal(b, abs_x, 0), Equal(b, abs_x, kInfinity));
  return b.Select(regular, power, SelectScalar(b, is_edge, edge, kNaN));
}

// A whole exponent past the chains: |x| by ByFraction, and the sign by the exponent's parity.
Value* ByWhole(Builder& b, Value* x, double exponent) {
  Value* power = ByFraction(b, b.Unary(Op::ABS, x), exponent);
  if (std::fmod(exponent, 2) == 0) return power;
  Value* negative = b.Binary(Op::LOGICAL_OR, Less(b, x, 0), Less(b, b.Unary(Op::RECIPROCAL, x), 0));
  return b.Select(negative, b.Negate(power), power);
}

Value* FloatPower(Builder& b, Value* x, double exponent) {
  if (exponent == 0.5) return Sqrt(b, x);
  if (exponent == -0.5) return b.Unary(Op::RSQRT, x);
  if (!std::isfinite(exponent)) return General(b, x, b.ScalarLike(x, exponent));
  if (exponent != std::floor(exponent)) return ByFraction(b, x, exponent);
  if (std::abs(exponent) > kMaxChain) return ByWhole(b, x, exponent);
  const auto n = static_cast<int64_t>(std::abs(exponent));
  Value* power = Chain(b, x, n);
  return exponent < 0 ? b.Unary(Op::RECIPROCAL, power) : power;
}

void LowerPowTensorScalar(Lowering& lower) {
  Builder& b = lower.b();
  const fx::Type result = lower.ResultType();
  const double exponent = RoundedTo(result.dtype, lower.Float("exponent", 1));
  if (exponent == 0) return lower.Return(Filled(b, result.dtype, 1, result.dims));
  if (exponent == 1) return lower.Return(lower.Convert(lower.In("self"), result.dtype));
  if (!IsFloat(result.dtype)) {
    if (exponent < 0 || exponent > kMaxChain || result.dtype == DType::kBOOL) {
      return lower.Unsupported("an integer to the power of " +
                               std::to_string(lower.Int("exponent", 0)));
    }
    Value* base = lower.Convert(lower.In("self"), WideDType(result.dtype));
    return lower.ReturnAs(Chain(b, base, static_cast<int64_t>(exponent)));
  }
  // A square is rounded once in any dtype.
  Value* base = lower.Convert(lower.In("self"), result.dtype);
  if (exponent != 2) base = lower.ToCompute(base);
  lower.ReturnAs(FloatPower(b, base, exponent));
}

void LowerPowTensorTensor(Lowering& lower) {
  const Operands in = BinaryOperands(lower, "self", "exponent", true);
  if (!IsFloat(in.dtype)) return lower.Unsupported("integers to the power of a tensor");
  lower.ReturnAs(General(lower.b(), in.a, in.b));
}

void LowerPowScalar(Lowering& lower) {
  Builder& b = lower.b();
  const Operands in = BinaryOperands(lower, "self", "exponent", true);
  const double base = RoundedTo(lower.ResultType().dtype, lower.Float("self", 1));
  if (!IsFloat(in.dtype)) return lower.Unsupported("integers to the power of a tensor");
  if (!(base > 0) || base == 1 || std::isinf(base)) {
    return lower.ReturnAs(General(b, b.Reshape(in.a, Dims(in.b->type.dims.size(), 1)), in.b));
  }
  // Infinite exponents and NaN go through EXP, which knows them.
  Value* finite = Less(b, b.Unary(Op::ABS, in.b), kInfinity);
  Value* power = b.Binary(Op::POW, b.ScalarLike(in.b, base), SelectScalar(b, finite, in.b, 1));
  Value* exp = b.Unary(Op::EXP, MulScalar(b, in.b, std::log(base)));
  lower.ReturnAs(b.Select(finite, power, exp));
}

constexpr LoweringRow kRows[] = {
    {"aten.pow.Scalar", LowerPowScalar},
    {"aten.pow.Tensor_Scalar", LowerPowTensorScalar},
    {"aten.pow.Tensor_Tensor", LowerPowTensorTensor},
};

}  // namespace

std::span<const LoweringRow> PowerRows() { return kRows; }

}  // namespace tosac::lower
