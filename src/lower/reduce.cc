// SPDX-License-Identifier: Apache-2.0
// Reductions and cumulative sums.
#include <cmath>
#include <limits>

#include "lower/math.h"
#include "lower/registry.h"
#include "lower/slice.h"

namespace tosac::lower {
namespace {

// The axes of a reduction: `dim` as one number or a list; absent, None and empty mean all.
Dims ReductionAxes(Lowering& lower, const Value* input) {
  return lower.Axes("dim", input->type.rank());
}

// The input in the dtype of the result (torch sums bools and small integers as int64), FP16 and
// BF16 in FP32.
Value* SumInput(Lowering& lower) {
  return lower.ToCompute(lower.Convert(lower.In("self"), lower.ResultType().dtype));
}

void LowerSum(Lowering& lower) {
  Value* input = SumInput(lower);
  lower.ReturnAs(Sum(lower.b(), input, ReductionAxes(lower, input)));
}

void LowerMean(Lowering& lower) {
  Value* input = SumInput(lower);
  lower.ReturnAs(Mean(lower.b(), input, ReductionAxes(lower, input)));
}

// The variance over `axes` and the mean; torch's `correction` (or `unbiased`) is taken off the
// count.
Value* Variance(Lowering& lower, Value* input, const Dims& axes, Value** mean) {
  Builder& b = lower.b();
  const double correction = lower.Has("correction")        ? lower.Float("correction", 1)
                            : lower.Bool("unbiased", true) ? 1
                                                           : 0;
  const double count = static_cast<double>(Count(input->type, axes));
  *mean = Mean(b, input, axes);
  Value* centered = b.Binary(Op::SUB, input, *mean);
  Value* sum = Sum(b, Square(b, centered), axes);
  // One element with a correction of one is 0/0: NaN, as torch.
  const double divisor = std::max(count - correction, 0.0);
  return b.Mul(sum, b.ScalarLike(sum, 1.0 / divisor));
}

void LowerVar(Lowering& lower) {
  Value* input = SumInput(lower);
  Value* mean = nullptr;
  lower.ReturnAs(Variance(lower, input, ReductionAxes(lower, input), &mean));
}

void LowerStd(Lowering& lower) {
  Value* input = SumInput(lower);
  Value* mean = nullptr;
  lower.ReturnAs(Sqrt(lower.b(), Variance(lower, input, ReductionAxes(lower, input), &mean)));
}

void LowerVarMean(Lowering& lower) {
  Value* input = SumInput(lower);
  Value* mean = nullptr;
  Value* variance = Variance(lower, input, ReductionAxes(lower, input), &mean);
  lower.ReturnAs(variance, 0);
  lower.ReturnAs(mean, 1);
}

void LowerExtreme(Lowering& lower, Op op) {
  Value* input = lower.In("self");
  for (const int64_t axis : ReductionAxes(lower, input)) {
    input = lower.b().Reduce(op, input, axis);
  }
  lower.ReturnAs(input);
}

void LowerAmax(Lowering& lower) { LowerExtreme(lower, Op::REDUCE_MAX); }
void LowerAmin(Lowering& lower) { LowerExtreme(lower, Op::REDUCE_MIN); }

// The index of the largest (or smallest) element along `axis`, which is dropped.
Value* ArgExtreme(Lowering& lower, Value* input, int64_t axis, bool smallest) {
  Builder& b = lower.b();
  const DType dtype = input->type.dtype;
  if (dtype == DType::kBOOL || dtype == DType::kINT32 || dtype == DType::kINT64) {
    lower.Unsupported("the index of an extreme of " + std::string(Name(dtype)) + " elements");
    return input;
  }
  return b.Argmax(smallest ? b.Negate(input) : input, axis);
}

void LowerArg(Lowering& lower, bool smallest) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  if (!lower.Has("dim") || input->type.rank() == 0) {
    input = b.Reshape(input, {input->type.NumElements()});
  }
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  Value* index = ArgExtreme(lower, input, axis, smallest);
  lower.Return(b.Reshape(b.Cast(index, lower.ResultType().dtype), lower.ResultType().dims));
}

void LowerArgmax(Lowering& lower) { LowerArg(lower, false); }
void LowerArgmin(Lowering& lower) { LowerArg(lower, true); }

// max.dim and min.dim: values and their indices.
void LowerExtremeDim(Lowering& lower, Op op) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  if (input->type.rank() == 0) input = b.Reshape(input, {1});
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  if (!lower.node().result(0)->uses().empty()) {
    lower.ReturnAs(b.Reduce(op, input, axis), 0);
  }
  if (lower.num_results() > 1 && !lower.node().result(1)->uses().empty()) {
    Value* index = ArgExtreme(lower, input, axis, op == Op::REDUCE_MIN);
    lower.Return(b.Reshape(b.Cast(index, lower.ResultType(1).dtype), lower.ResultType(1).dims), 1);
  }
}

void LowerMaxDim(Lowering& lower) { LowerExtremeDim(lower, Op::REDUCE_MAX); }
void LowerMinDim(Lowering& lower) { LowerExtremeDim(lower, Op::REDUCE_MIN); }

void LowerProd(Lowering& lower) {
  Value* input = SumInput(lower);
  if (!IsFloat(input->type.dtype)) return lower.Unsupported("a product of integers");
  for (const int64_t axis : ReductionAxes(lower, input)) {
    input = lower.b().Reduce(Op::REDUCE_PRODUCT, input, axis);
  }
  lower.ReturnAs(input);
}

void LowerLogical(Lowering& lower, Op op) {
  Value* input = lower.Convert(lower.In("self"), DType::kBOOL);
  for (const int64_t axis : ReductionAxes(lower, input)) {
    input = lower.b().Reduce(op, input, axis);
  }
  lower.ReturnAs(input);
}

void LowerAny(Lowering& lower) { LowerLogical(lower, Op::REDUCE_ANY); }
void LowerAll(Lowering& lower) { LowerLogical(lower, Op::REDUCE_ALL); }

// log(sum(exp(x))), with the largest element taken out first where it is finite.
void LowerLogsumexp(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = SumInput(lower);
  const Dims axes = ReductionAxes(lower, input);
  Value* largest = input;
  for (const int64_t axis : axes) largest = b.Reduce(Op::REDUCE_MAX, largest, axis);
  Value* magnitude = b.Unary(Op::ABS, largest);
  Value* infinite = b.Binary(Op::EQUAL, magnitude,
                             b.ScalarLike(magnitude, std::numeric_limits<double>::infinity()));
  Value* shift = b.Select(infinite, b.ScalarLike(largest, 0), largest);
  Value* sum = Sum(b, b.Unary(Op::EXP, b.Binary(Op::SUB, input, shift)), axes);
  lower.ReturnAs(b.Binary(Op::ADD, b.Unary(Op::LOG, sum), shift));
}

void LowerVectorNorm(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = SumInput(lower);
  const Dims axes = ReductionAxes(lower, input);
  const double order = lower.Float("ord", 2);
  Value* magnitude = b.Unary(Op::ABS, input);
  if (order == 2) return lower.ReturnAs(Sqrt(b, Sum(b, Square(b, input), axes)));
  if (order == 1) return lower.ReturnAs(Sum(b, magnitude, axes));
  if (std::isinf(order)) {
    for (const int64_t axis : axes) {
      magnitude = b.Reduce(order > 0 ? Op::REDUCE_MAX : Op::REDUCE_MIN, magnitude, axis);
    }
    return lower.ReturnAs(magnitude);
  }
  lower.Unsupported("a norm of order " + std::to_string(order));
}

// Sums in logarithmic steps: after step k each element holds the sum of the 2^k before it.
void LowerCumsum(Lowering& lower) {
  Builder& b = lower.b();
  Value* sum = SumInput(lower);
  if (sum->type.rank() == 0) return lower.ReturnAs(sum);
  const int64_t axis = lower.Axis("dim", 0, sum->type.rank());
  const int64_t size = sum->type.dim(axis);
  for (int64_t step = 1; step < size && !b.failed(); step *= 2) {
    Dims pads(2 * sum->type.dims.size(), 0);
    pads[2 * static_cast<size_t>(axis)] = step;
    Value* shifted = b.Pad(SliceAxis(b, sum, axis, 0, size - step), pads, 0);
    sum = b.Binary(Op::ADD, sum, shifted);
  }
  lower.ReturnAs(sum);
}

constexpr LoweringRow kRows[] = {
    {"aten.all.default", LowerAll},
    {"aten.all.dim", LowerAll},
    {"aten.all.dims", LowerAll},
    {"aten.amax.default", LowerAmax},
    {"aten.amin.default", LowerAmin},
    {"aten.any.default", LowerAny},
    {"aten.any.dim", LowerAny},
    {"aten.any.dims", LowerAny},
    {"aten.argmax.default", LowerArgmax},
    {"aten.argmin.default", LowerArgmin},
    {"aten.cumsum.default", LowerCumsum},
    {"aten.linalg_vector_norm.default", LowerVectorNorm},
    {"aten.logsumexp.default", LowerLogsumexp},
    {"aten.max.default", LowerAmax},
    {"aten.max.dim", LowerMaxDim},
    {"aten.mean.default", LowerMean},
    {"aten.mean.dim", LowerMean},
    {"aten.min.default", LowerAmin},
    {"aten.min.dim", LowerMinDim},
    {"aten.prod.default", LowerProd},
    {"aten.prod.dim_int", LowerProd},
    {"aten.std.correction", LowerStd},
    {"aten.std.default", LowerStd},
    {"aten.std.dim", LowerStd},
    {"aten.sum.default", LowerSum},
    {"aten.sum.dim_IntList", LowerSum},
    {"aten.var.correction", LowerVar},
    {"aten.var.dim", LowerVar},
    {"aten.var_mean.correction", LowerVarMean},
    {"aten.var_mean.dim", LowerVarMean},
};

}  // namespace

std::span<const LoweringRow> ReduceRows() { return kRows; }

}  // namespace tosac::lower
