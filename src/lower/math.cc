// SPDX-License-Identifier: Apache-2.0
#include "lower/math.h"

namespace tosac::lower {

Value* Sqrt(Builder& b, Value* input) { return b.Unary(Op::RECIPROCAL, b.Unary(Op::RSQRT, input)); }

Value* Square(Builder& b, Value* input) { return b.Mul(input, input); }

namespace {

Value* SumAxis(Builder& b, Value* input, int64_t axis) {
  constexpr int64_t kMaxStage = int64_t{1} << 16;
  constexpr int64_t kStage = 1024;
  const int64_t size = input->type.dim(axis);
  if (size <= kMaxStage) return b.Reduce(Op::REDUCE_SUM, input, axis);
  const auto a = static_cast<size_t>(axis);
  const int64_t rows = (size + kStage - 1) / kStage;
  Dims pads(2 * input->type.dims.size(), 0);
  pads[2 * a + 1] = rows * kStage - size;
  Value* padded = b.Pad(input, pads, 0);
  Dims dims = input->type.dims;
  dims[a] = rows;
  dims.insert(dims.begin() + axis + 1, kStage);
  Value* inner = b.Reduce(Op::REDUCE_SUM, b.Reshape(padded, dims), axis + 1);
  dims.erase(dims.begin() + axis + 1);
  return SumAxis(b, b.Reshape(inner, dims), axis);
}

}  // namespace

Value* Sum(Builder& b, Value* input, const Dims& axes) {
  for (const int64_t axis : axes) {
    if (input->type.dim(axis) != 1) input = SumAxis(b, input, axis);
  }
  return input;
}

int64_t Count(const fx::Type& type, const Dims& axes) {
  int64_t count = 1;
  for (const int64_t axis : axes) count *= type.dim(axis);
  return count;
}

Value* Mean(Builder& b, Value* input, const Dims& axes) {
  const int64_t count = Count(input->type, axes);
  Value* sum = Sum(b, input, axes);
  if (count == 1) return sum;
  return b.Mul(sum, b.ScalarLike(sum, 1.0 / static_cast<double>(count)));
}

}  // namespace tosac::lower
