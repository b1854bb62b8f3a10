// SPDX-License-Identifier: Apache-2.0
// Small computations that several families share.
#ifndef TOSAC_SRC_LOWER_MATH_H_
#define TOSAC_SRC_LOWER_MATH_H_

#include "lower/builder.h"

namespace tosac::lower {

// sqrt(x) as RECIPROCAL(RSQRT(x)): 0 at 0, infinity at infinity, NaN below 0, as torch.
Value* Sqrt(Builder& b, Value* input);

// x * x.
Value* Square(Builder& b, Value* input);

// The sum over `axes` (each stays with size 1). An axis of more than 2^16 elements is summed in
// two stages, so that a sequential accumulator keeps FP32's accuracy.
Value* Sum(Builder& b, Value* input, const Dims& axes);

// The mean over `axes`; floats only.
Value* Mean(Builder& b, Value* input, const Dims& axes);

// Product of the sizes of `axes`.
int64_t Count(const fx::Type& type, const Dims& axes);

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_MATH_H_
