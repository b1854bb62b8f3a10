// SPDX-License-Identifier: Apache-2.0
// Matrix products with constant or computed operands.
#include <functional>
#include <numeric>

#include "lower/registry.h"

namespace tosac::lower {
namespace {

// y = x W^T + b as a 1x1 CONV2D, which carries the bias: [..., IC] is [1, 1, rows, IC] and
// the weight [OC, IC] is [OC, 1, 1, IC], the same bytes.
void LowerLinear(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("input");
  Value* weight = lower.In("weight");
  const fx::Type result = lower.ResultType();
  if (input->type.rank() == 0 || weight->type.rank() != 2) {
    return lower.Unsupported("an input of rank 0 or a weight that is no matrix");
  }
  const int64_t in_features = input->type.dim(-1);
  const int64_t out_features = weight->type.dim(0);
  if (in_features <= 0 || input->type.NumElements() <= 0) {
    return lower.Unsupported("an empty operand");
  }
  const int64_t rows = input->type.NumElements() / in_features;
  Value* bias = lower.Has("bias") ? lower.In("bias") : b.Scalar(result.dtype, 0, 1);
  Value* conv = b.Conv2d(b.Reshape(input, {1, 1, rows, in_features}),
                         b.Reshape(weight, {out_features, 1, 1, in_features}), bias, Window2d{});
  lower.Return(b.Reshape(conv, result.dims));
}

constexpr LoweringRow kRows[] = {
    {"aten.linear.default", LowerLinear},
};

}  // namespace

std::span<const LoweringRow> LinearRows() { return kRows; }

}  // namespace tosac::lower
