// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm.
#include "lower/softmax.h"

#include "lower/registry.h"

namespace tosac::lower {

Value* Softmax(Builder& b, Value* input, int64_t axis) {
  Value* shifted = b.Binary(Op::SUB, input, b.Reduce(Op::REDUCE_MAX, input, axis));
  Value* exp = b.Unary(Op::EXP, shifted);
  return b.Div(exp, b.Reduce(Op::REDUCE_SUM, exp, axis));
}

namespace {

// The input as torch computes it: in the result's dtype, FP16 and BF16 in FP32; rank 0 as [1].
Value* Prepared(Lowering& lower) {
  Value* input = lower.ToCompute(lower.Convert(lower.In("self"), lower.ResultType().dtype));
  return input->type.rank() == 0 ? lower.b().Reshape(input, {1}) : input;
}

void LowerSoftmax(Lowering& lower) {
  Value* input = Prepared(lower);
  lower.ReturnAs(Softmax(lower.b(), input, lower.Axis("dim", -1, input->type.rank())));
}

void LowerLogSoftmax(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = Prepared(lower);
  const int64_t axis = lower.Axis("dim", -1, input->type.rank());
  Value* shifted = b.Binary(Op::SUB, input, b.Reduce(Op::REDUCE_MAX, input, axis));
  Value* sum = b.Reduce(Op::REDUCE_SUM, b.Unary(Op::EXP, shifted), axis);
  lower.ReturnAs(b.Binary(Op::SUB, shifted, b.Unary(Op::LOG, sum)));
}

constexpr LoweringRow kRows[] = {
    {"aten._log_softmax.default", LowerLogSoftmax},
    {"aten._softmax.default", LowerSoftmax},
    {"aten.log_softmax.int", LowerLogSoftmax},
    {"aten.softmax.int", LowerSoftmax},
};

}  // namespace

std::span<const LoweringRow> SoftmaxRows() { return kRows; }

}  // namespace tosac::lower
