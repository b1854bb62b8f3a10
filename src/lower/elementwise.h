// SPDX-License-Identifier: Apache-2.0
// What the elementwise families share: operands in the dtype that torch computes in.
#ifndef TOSAC_SRC_LOWER_ELEMENTWISE_H_
#define TOSAC_SRC_LOWER_ELEMENTWISE_H_

#include <optional>
#include <string_view>

#include "lower/lowering.h"

namespace tosac::lower {

inline bool IsHalf(DType dtype) { return dtype == DType::kFP16 || dtype == DType::kBF16; }

// FP32 for FP16 and BF16, INT32 for INT8 and INT16 (TOSA has no arithmetic on those), else `dtype`.
DType WideDType(DType dtype);

// The argument `name`, a tensor or a Python scalar, converted to `dtype`. A scalar has rank 0.
Value* Operand(Lowering& lower, std::string_view name, DType dtype);

// What torch does with a Python scalar beside a tensor of FP16 or BF16: most operators round it to
// that dtype; MUL and divisions keep it in FP32.
enum class Scalars { kRounded, kKept };

// The number, when the argument is a Python scalar (rounded to `dtype`, the promoted one, unless it
// is kept) or a tensor that is a constant of one element; nothing otherwise.
std::optional<double> KnownNumber(Lowering& lower, std::string_view name, DType dtype,
                                  Scalars scalars);

// A number as FP16 or BF16 holds it; as it is for other dtypes.
double RoundedTo(DType dtype, double value);

// Both operands in one dtype, that in which the result has to be computed: torch's promoted dtype,
// with integers narrower than INT32 widened. FP16 and BF16 stay, unless `wide` is set or a scalar
// that is kept is not a value of theirs.
struct Operands {
  Value* a;
  Value* b;
  DType dtype;
};
Operands BinaryOperands(Lowering& lower, std::string_view a, std::string_view b, bool wide = false,
                        Scalars scalars = Scalars::kRounded);
// The same for operators whose result is always a float: integers and BOOL become FP32, and so do
// FP16 and BF16.
Operands FloatOperands(Lowering& lower, std::string_view a, std::string_view b);

// The argument `self` in a float dtype, FP16 and BF16 as FP32, integers and BOOL as FP32.
Value* FloatSelf(Lowering& lower);

// `value` in every element of `dims`.
Value* Filled(Builder& b, DType dtype, double value, const Dims& dims);

// SELECT with a scalar of the dtype of the other branch.
Value* SelectScalar(Builder& b, Value* condition, double on_true, Value* on_false);
Value* SelectScalar(Builder& b, Value* condition, Value* on_true, double on_false);
// Operations with a scalar in the dtype of the value.
Value* AddScalar(Builder& b, Value* value, double scalar);
Value* MulScalar(Builder& b, Value* value, double scalar);  // the value itself for 1
Value* Greater(Builder& b, Value* value, double scalar);    // value > scalar
Value* Less(Builder& b, Value* value, double scalar);       // value < scalar
Value* Equal(Builder& b, Value* value, double scalar);
Value* Not(Builder& b, Value* value);

// log(1 + x), precise for small x, minus infinity at -1.
Value* Log1p(Builder& b, Value* x);
// exp(x) - 1, precise for small x.
Value* Expm1(Builder& b, Value* x);
// Toward zero; signs of zero are kept.
Value* Trunc(Builder& b, Value* x);

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_ELEMENTWISE_H_
