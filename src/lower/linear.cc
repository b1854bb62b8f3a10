// SPDX-License-Identifier: Apache-2.0
// Matrix products with constant or computed operands.
#include "lower/linear.h"

#include <algorithm>
#include <numeric>

#include "lower/registry.h"

namespace tosac::lower {

// matmul's rules: rank 1 operands get a 1 at the front (left) or back (right); leading dimensions
// broadcast and are one batch dimension for MATMUL.
Value* MatMulBroadcast(Builder& b, Value* left, Value* right) {
  if (left->type.rank() < 2 || right->type.rank() < 2) {
    b.Fail("lower-type", "a matrix product of " + fx::ToString(left->type));
    return left;
  }
  const auto batch_of = [](const Value* value) {
    return Dims(value->type.dims.begin(), value->type.dims.end() - 2);
  };
  const std::optional<Dims> batch = BroadcastDims(batch_of(left), batch_of(right));
  if (!batch) {
    b.Fail("lower-type", "the batches of a matrix product do not fit");
    return left;
  }
  int64_t count = 1;
  for (const int64_t dim : *batch) count *= dim;
  const auto flat = [&](Value* value) {
    Dims dims = *batch;
    dims.push_back(value->type.dim(-2));
    dims.push_back(value->type.dim(-1));
    Value* full = b.BroadcastTo(value, dims);
    return b.Reshape(full, {count, value->type.dim(-2), value->type.dim(-1)});
  };
  Dims dims = *batch;
  dims.push_back(left->type.dim(-2));
  dims.push_back(right->type.dim(-1));
  return b.Reshape(b.MatMul(flat(left), flat(right)), dims);
}

// y = x W^T + b as a 1x1 CONV2D, which carries the bias: [..., IC] is [1, 1, rows, IC] and
// the weight [OC, IC] is [OC, 1, 1, IC], the same bytes.
Value* Linear(Builder& b, Value* input, Value* weight, Value* bias) {
  const int64_t in_features = input->type.dim(-1);
  const int64_t out_features = weight->type.dim(0);
  if (input->type.rank() == 0 || weight->type.rank() != 2 || in_features <= 0) {
    b.Fail("lower-type",
           "a linear layer of " + fx::ToString(input->type) + " by " + fx::ToString(weight->type));
    return input;
  }
  const int64_t rows = input->type.NumElements() / in_features;
  if (bias == nullptr) bias = b.Scalar(input->type.dtype, 0, 1);
  // One after the other: the order of arguments is the compiler's choice, the file's is not.
  Value* matrix = b.Reshape(input, {1, 1, rows, in_features});
  Value* filter = b.Reshape(weight, {out_features, 1, 1, in_features});
  Value* conv = b.Conv2d(matrix, filter, bias, Window2d{});
  Dims dims = input->type.dims;
  dims.back() = out_features;
  return b.Reshape(conv, dims);
}

namespace {

bool IsConstant(const Value* value) { return value->constant() != nullptr; }

void LowerLinear(Lowering& lower) {
  Value* input = lower.In("input");
  Value* weight = lower.In("weight");
  Value* bias = lower.Has("bias") ? lower.In("bias") : nullptr;
  lower.ReturnAs(Linear(lower.b(), input, weight, bias));
}

void LowerMatmul(Lowering& lower) {
  Builder& b = lower.b();
  Value* left = lower.In("self");
  Value* right = lower.In(lower.Has("mat2") ? "mat2" : lower.Has("vec") ? "vec" : "other");
  if (!lower.Has("mat2") && !lower.Has("vec") && lower.Has("tensor")) right = lower.In("tensor");
  if (left->type.rank() == 1) left = b.Reshape(left, {1, left->type.dim(0)});
  if (right->type.rank() == 1) right = b.Reshape(right, {right->type.dim(0), 1});
  Value* product = MatMulBroadcast(b, left, right);
  lower.Return(b.Reshape(product, lower.ResultType().dims));
}

void LowerDot(Lowering& lower) {
  Builder& b = lower.b();
  Value* left = lower.In("self");
  Value* right = lower.In("tensor");
  const int64_t n = left->type.dim(0);
  Value* product = b.MatMul(b.Reshape(left, {1, 1, n}), b.Reshape(right, {1, n, 1}));
  lower.Return(b.Reshape(product, lower.ResultType().dims));
}

void LowerOuter(Lowering& lower) {
  Builder& b = lower.b();
  Value* left = lower.In("self");
  Value* right = lower.In("vec2");
  lower.Return(b.Mul(b.Reshape(left, {left->type.dim(0), 1}), right));
}

// beta * self + alpha * (mat1 @ mat2)
void LowerAddmm(Lowering& lower) {
  Builder& b = lower.b();
  Value* self = lower.In("self");
  Value* left = lower.In(lower.Has("mat1") ? "mat1" : "batch1");
  Value* right = lower.In(lower.Has("mat1") ? "mat2" : "batch2");
  const double beta = lower.Float("beta", 1);
  const double alpha = lower.Float("alpha", 1);
  // With a constant matrix and a bias vector this is a linear layer.
  const bool vector = self->type.rank() == 1 && self->type.dim(0) == right->type.dim(-1);
  if (alpha == 1 && beta == 1 && vector && right->type.rank() == 2 && IsConstant(right)) {
    return lower.Return(Linear(b, left, b.Transpose(right, Dims{1, 0}), self));
  }
  Value* product = MatMulBroadcast(b, left, right);
  if (alpha != 1) product = b.Mul(product, b.ScalarLike(product, alpha));
  // torch leaves `self` out when beta is 0, NaN and all.
  if (beta == 0) return lower.Return(product);
  if (beta != 1) self = b.Mul(self, b.ScalarLike(self, beta));
  lower.Return(b.Binary(Op::ADD, self, product));
}

constexpr LoweringRow kRows[] = {
    {"aten.addmm.default", LowerAddmm},   {"aten.baddbmm.default", LowerAddmm},
    {"aten.bmm.default", LowerMatmul},    {"aten.dot.default", LowerDot},
    {"aten.linear.default", LowerLinear}, {"aten.matmul.default", LowerMatmul},
    {"aten.mm.default", LowerMatmul},     {"aten.mv.default", LowerMatmul},
    {"aten.outer.default", LowerOuter},
};

}  // namespace

std::span<const LoweringRow> LinearRows() { return kRows; }

}  // namespace tosac::lower
