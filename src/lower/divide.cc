// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders. TOSA has no division of floats: a * RECIPROCAL(b) is off by up to 1.5
// units in the last place, which is enough for a quotient and wrong under FLOOR for one exact
// multiple in twenty. So rounded quotients and remainders are corrected by the exact rest.
#include <cmath>
#include <vector>

#include "lower/elementwise.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

constexpr int64_t kMaxFolded = 4096;

// a / b. A divisor that is known becomes a factor at compile time.
void LowerTrueDivide(Lowering& lower) {
  Builder& b = lower.b();
  const Operands in = FloatOperands(lower, "self", "other");
  if (!lower.IsTensorArg("other")) {
    return lower.ReturnAs(MulScalar(b, in.a, 1.0 / lower.Float("other", 1)));
  }
  const fx::ConstantPtr constant = lower.ConstantIn("other");
  if (constant != nullptr && constant->NumElements() <= kMaxFolded) {
    Result<std::vector<double>> values = fx::AsDoubles(*constant);
    if (values.ok() && !values->empty()) {
      for (double& value : *values) value = 1.0 / value;
      return lower.ReturnAs(b.Mul(in.a, b.Floats(in.dtype, *values, constant->shape)));
    }
  }
  lower.ReturnAs(b.Div(in.a, in.b));
}

// A value as a sum of two that have 12 significant bits each, so that products of halves are exact
// (Veltkamp's splitting, for |x| < 2^115).
struct Halves {
  Value* high;
  Value* low;  // nullptr: zero
};

Halves Split(Builder& b, Value* x, std::optional<double> known) {
  if (known && std::isfinite(*known)) {
    int exponent = 0;
    const double mantissa = std::frexp(static_cast<float>(*known), &exponent);
    const double high = std::ldexp(std::nearbyint(std::ldexp(mantissa, 12)), exponent - 12);
    const double low = static_cast<double>(static_cast<float>(*known)) - high;
    return {b.ScalarLike(x, high), low == 0 ? nullptr : b.ScalarLike(x, low)};
  }
  Value* scaled = MulScalar(b, x, 4097);
  Value* high = b.Binary(Op::SUB, scaled, b.Binary(Op::SUB, scaled, x));
  return {high, b.Binary(Op::SUB, x, high)};
}

// |a| and |b| of a division in FP32, and what is computed of them.
class Division {
 public:
  Division(Lowering& lower, const Operands& in, std::optional<double> divisor)
      : b_(lower.b()), a_(in.a), divisor_(in.b), abs_a_(b_.Unary(Op::ABS, in.a)) {
    if (divisor) {
      known_ = std::abs(static_cast<double>(static_cast<float>(*divisor)));
      abs_b_ = b_.ScalarLike(in.b, *known_);
      reciprocal_ = b_.ScalarLike(in.b, 1.0 / *known_);
    } else {
      abs_b_ = b_.Unary(Op::ABS, in.b);
      reciprocal_ = b_.Unary(Op::RECIPROCAL, abs_b_);
    }
    split_b_ = Split(b_, abs_b_, known_);
  }

  // The quotient of the magnitudes to 1.5 units in the last place.
  Value* Approximate() { return b_.Mul(abs_a_, reciprocal_); }

  // |a| - q |b|, exact for a q near |a| / |b|: the product is taken in two parts (Dekker).
  Value* Rest(Value* q) {
    const Halves split_q = Split(b_, q, std::nullopt);
    Value* product = b_.Mul(q, abs_b_);
    Value* error = b_.Binary(Op::SUB, b_.Mul(split_q.high, split_b_.high), product);
    if (split_b_.low != nullptr) {
      error = b_.Binary(Op::ADD, error, b_.Mul(split_q.high, split_b_.low));
    }
    error = b_.Binary(Op::ADD, error, b_.Mul(split_q.low, split_b_.high));
    if (split_b_.low != nullptr) {
      error = b_.Binary(Op::ADD, error, b_.Mul(split_q.low, split_b_.low));
    }
    return b_.Binary(Op::SUB, b_.Binary(Op::SUB, abs_a_, product), error);
  }

  // The quotient of the magnitudes as IEEE rounds it: one Newton step with the exact rest. Where
  // there is no rest (infinities, division by zero) the approximation is right.
  Value* Rounded() {
    Value* q = Approximate();
    Value* rest = Rest(q);
    Value* better = b_.Binary(Op::ADD, q, b_.Mul(rest, reciprocal_));
    return b_.Select(b_.Binary(Op::EQUAL, rest, rest), better, q);
  }

  // floor(|a| / |b|) and the rest, both exact for quotients below 2^23. The rest is NaN where
  // torch's is: for an infinite a, and for b = 0.
  void Truncated(Value** quotient, Value** rest) {
    Value* q = b_.Unary(Op::FLOOR, Approximate());
    Value* r = Rest(q);
    Value* over = Less(b_, r, 0);
    Value* under = b_.Binary(Op::GREATER_EQUAL, r, abs_b_);
    Value* step = SelectScalar(b_, over, -1, SelectScalar(b_, under, 1, b_.ScalarLike(q, 0)));
    r = b_.Binary(Op::SUB, r, b_.Mul(step, abs_b_));
    // A smaller |a| is the rest itself, for an infinite b too.
    Value* is_less = b_.Binary(Op::GREATER, abs_b_, abs_a_);
    *rest = b_.Select(is_less, abs_a_, r);
    *quotient = SelectScalar(b_, is_less, 0, b_.Binary(Op::ADD, q, step));
  }

  Value* a_is_negative() { return Less(b_, a_, 0); }
  Value* signs_differ() {
    return b_.Binary(Op::LOGICAL_XOR, a_is_negative(), Less(b_, divisor_, 0));
  }
  // C's fmod: the rest with a's sign, a itself where it is smaller (a zero keeps its sign).
  Value* Fmod(Value* rest) {
    Value* is_less = b_.Binary(Op::GREATER, abs_b_, abs_a_);
    return b_.Select(is_less, a_, b_.Select(a_is_negative(), b_.Negate(rest), rest));
  }
  bool divisor_may_be_zero() const { return !known_ || *known_ == 0; }

 private:
  Builder& b_;
  Value* a_;
  Value* divisor_;
  Value* abs_a_;
  Value* abs_b_ = nullptr;
  Value* reciprocal_ = nullptr;
  std::optional<double> known_;
  Halves split_b_{nullptr, nullptr};
};

// Divisors by which FP32 divides exactly, a power of two: no correction is needed.
bool IsPowerOfTwo(std::optional<double> known) {
  if (!known || !std::isfinite(*known) || *known == 0) return false;
  int exponent = 0;
  const double mantissa = std::frexp(*known, &exponent);
  return std::abs(mantissa) == 0.5 && std::abs(exponent) <= 64;
}

// ---- integers: INTDIV truncates ----

// 1 where `x` is negative, else 0: the sign bit, which every profile can take.
Value* SignBit(Builder& b, Value* x) {
  return b.Binary(Op::LOGICAL_RIGHT_SHIFT, x, b.ScalarLike(x, 31));
}

struct IntegerDivision {
  Value* quotient;    // truncated
  Value* rest;        // a - quotient * b, with a's sign
  Value* correction;  // 1 where the floor is one less; nullptr unless asked for
};

IntegerDivision DivideIntegers(Lowering& lower, const Operands& in, std::optional<double> known,
                               bool floor) {
  Builder& b = lower.b();
  IntegerDivision result{b.Binary(Op::INTDIV, in.a, in.b), nullptr, nullptr};
  result.rest = b.Binary(Op::SUB, in.a, b.Mul(result.quotient, in.b));
  if (!floor) return result;
  // The rest is negative under a positive divisor, or positive under a negative one.
  Value* negative = !known || *known > 0 ? SignBit(b, result.rest) : nullptr;
  Value* positive = !known || *known < 0 ? SignBit(b, b.Negate(result.rest)) : nullptr;
  if (negative != nullptr && positive != nullptr) {
    Value* sign = SignBit(b, in.b);
    Value* kept = b.Mul(negative, b.Binary(Op::SUB, b.ScalarLike(sign, 1), sign));
    result.correction = b.Binary(Op::ADD, kept, b.Mul(positive, sign));
  } else {
    result.correction = negative != nullptr ? negative : positive;
  }
  if (result.correction == nullptr) result.correction = b.ScalarLike(result.rest, 0);
  return result;
}

// The operands, and the divisor where it is known.
struct Fraction {
  Operands in;
  std::optional<double> divisor;
};

Fraction FractionOf(Lowering& lower, Scalars scalars) {
  const DType promoted = lower.Promoted("self", "other");
  return {BinaryOperands(lower, "self", "other", true, scalars),
          KnownNumber(lower, "other", promoted, scalars)};
}

// Whether the operands are integers that TOSA divides; reports what it does not.
bool AreIntegers(Lowering& lower, const Operands& in) {
  if (IsFloat(in.dtype)) return false;
  if (in.dtype != DType::kINT32) {
    lower.Unsupported("a division of " + std::string(Name(in.dtype)));
  }
  return true;
}

// ---- the operators ----

void LowerFloorDivide(Lowering& lower) {
  Builder& b = lower.b();
  const auto [in, divisor] = FractionOf(lower, Scalars::kKept);
  if (AreIntegers(lower, in)) {
    const IntegerDivision d = DivideIntegers(lower, in, divisor, true);
    return lower.ReturnAs(b.Binary(Op::SUB, d.quotient, d.correction));
  }
  if (IsPowerOfTwo(divisor)) {
    return lower.ReturnAs(b.Unary(Op::FLOOR, MulScalar(b, in.a, 1.0 / *divisor)));
  }
  Division d(lower, in, divisor);
  Value* quotient = nullptr;
  Value* rest = nullptr;
  d.Truncated(&quotient, &rest);
  Value* differ = d.signs_differ();
  // Downward: one more in magnitude where a rest is left.
  Value* down = b.Binary(Op::LOGICAL_AND, differ, Greater(b, rest, 0));
  quotient = b.Binary(Op::ADD, quotient, SelectScalar(b, down, 1, b.ScalarLike(quotient, 0)));
  quotient = b.Select(differ, b.Negate(quotient), quotient);
  // NaN where fmod gives NaN; by zero torch divides.
  quotient = b.Select(b.Binary(Op::EQUAL, rest, rest), quotient, rest);
  if (d.divisor_may_be_zero()) {
    quotient = b.Select(Equal(b, in.b, 0), b.Div(in.a, in.b), quotient);
  }
  lower.ReturnAs(quotient);
}

void LowerTruncDivide(Lowering& lower) {
  Builder& b = lower.b();
  const auto [in, divisor] = FractionOf(lower, Scalars::kKept);
  if (AreIntegers(lower, in)) return lower.ReturnAs(b.Binary(Op::INTDIV, in.a, in.b));
  if (IsPowerOfTwo(divisor)) {
    return lower.ReturnAs(Trunc(b, MulScalar(b, in.a, 1.0 / *divisor)));
  }
  // The quotient that torch truncates is a rounded one: 1 / 0.1 gives 10.
  Division d(lower, in, divisor);
  Value* magnitude = b.Unary(Op::FLOOR, d.Rounded());
  // By the sign of a * RECIPROCAL(b), which knows that of a zero divisor.
  Value* sign = Less(b, b.Div(in.a, in.b), 0);
  lower.ReturnAs(b.Select(sign, b.Negate(magnitude), magnitude));
}

void LowerDivideMode(Lowering& lower) {
  const std::string mode = lower.Str("rounding_mode", "");
  if (mode == "floor") return LowerFloorDivide(lower);
  if (mode == "trunc") return LowerTruncDivide(lower);
  if (mode.empty()) return LowerTrueDivide(lower);
  lower.Unsupported("rounding mode \"" + mode + "\"");
}

// The rest with b's sign.
void LowerRemainder(Lowering& lower) {
  Builder& b = lower.b();
  const auto [in, divisor] = FractionOf(lower, Scalars::kRounded);
  if (AreIntegers(lower, in)) {
    const IntegerDivision d = DivideIntegers(lower, in, divisor, true);
    return lower.ReturnAs(b.Binary(Op::ADD, d.rest, b.Mul(d.correction, in.b)));
  }
  if (IsPowerOfTwo(divisor)) {
    Value* quotient = b.Unary(Op::FLOOR, MulScalar(b, in.a, 1.0 / *divisor));
    return lower.ReturnAs(b.Binary(Op::SUB, in.a, MulScalar(b, quotient, *divisor)));
  }
  Division d(lower, in, divisor);
  Value* quotient = nullptr;
  Value* rest = nullptr;
  d.Truncated(&quotient, &rest);
  Value* fmod = d.Fmod(rest);
  Value* add = b.Binary(Op::LOGICAL_AND, d.signs_differ(), Greater(b, rest, 0));
  lower.ReturnAs(b.Select(add, b.Binary(Op::ADD, fmod, in.b), fmod));
}

void LowerFmod(Lowering& lower) {
  const auto [in, divisor] = FractionOf(lower, Scalars::kRounded);
  if (AreIntegers(lower, in)) return lower.ReturnAs(DivideIntegers(lower, in, divisor, false).rest);
  Division d(lower, in, divisor);
  Value* quotient = nullptr;
  Value* rest = nullptr;
  d.Truncated(&quotient, &rest);
  lower.ReturnAs(d.Fmod(rest));
}

constexpr LoweringRow kRows[] = {
    {"aten.div.Scalar", LowerTrueDivide},
    {"aten.div.Scalar_mode", LowerDivideMode},
    {"aten.div.Tensor", LowerTrueDivide},
    {"aten.div.Tensor_mode", LowerDivideMode},
    {"aten.divide.Tensor", LowerTrueDivide},
    {"aten.floor_divide.Scalar", LowerFloorDivide},
    {"aten.floor_divide.default", LowerFloorDivide},
    {"aten.fmod.Scalar", LowerFmod},
    {"aten.fmod.Tensor", LowerFmod},
    {"aten.remainder.Scalar", LowerRemainder},
    {"aten.remainder.Tensor", LowerRemainder},
    {"aten.true_divide.Tensor", LowerTrueDivide},
};

}  // namespace

std::span<const LoweringRow> DivideRows() { return kRows; }

}  // namespace tosac::lower
