// SPDX-License-Identifier: Apache-2.0
// Normalisations.
#include <cmath>

#include "lower/math.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

// (x - mean) * rsqrt(var + eps) over `axes`.
struct Normalized {
  Value* output = nullptr;
  Value* mean = nullptr;
  Value* rstd = nullptr;
};
Normalized Normalize(Builder& b, Value* input, const Dims& axes, double eps) {
  Normalized result;
  result.mean = Mean(b, input, axes);
  Value* centered = b.Binary(Op::SUB, input, result.mean);
  Value* variance = Mean(b, Square(b, centered), axes);
  result.rstd = b.Unary(Op::RSQRT, b.Binary(Op::ADD, variance, b.ScalarLike(variance, eps)));
  result.output = b.Mul(centered, result.rstd);
  return result;
}

// x * weight + bias, where they are given; both are shaped `dims` first.
Value* Affine(Lowering& lower, Value* value, const Dims& dims) {
  Builder& b = lower.b();
  if (lower.Has("weight")) {
    value = b.Mul(value, b.Reshape(lower.ToCompute(lower.In("weight")), dims));
  }
  if (lower.Has("bias")) {
    value = b.Binary(Op::ADD, value, b.Reshape(lower.ToCompute(lower.In("bias")), dims));
  }
  return value;
}

// The last axes, as many as `shape` has.
Dims TrailingAxes(const fx::Type& type, size_t count) {
  Dims axes;
  for (int64_t i = type.rank() - static_cast<int64_t>(count); i < type.rank(); ++i) {
    if (i >= 0) axes.push_back(i);
  }
  return axes;
}

// native_layer_norm and native_group_norm return the mean and the reciprocal deviation too.
void ReturnNormalized(Lowering& lower, Value* output, const Normalized& normalized) {
  lower.ReturnAs(output, 0);
  if (lower.num_results() < 3) return;
  lower.ReturnAs(normalized.mean, 1);
  lower.ReturnAs(normalized.rstd, 2);
}

void LowerLayerNorm(Lowering& lower) {
  Value* input = lower.ToCompute(lower.In("input"));
  const Dims shape = lower.IntList("normalized_shape", {});
  const Dims axes = TrailingAxes(input->type, shape.size());
  const Normalized normalized = Normalize(lower.b(), input, axes, lower.Float("eps", 1e-5));
  ReturnNormalized(lower, Affine(lower, normalized.output, shape), normalized);
}

void LowerRmsNorm(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.ToCompute(lower.In("input"));
  const Dims shape = lower.IntList("normalized_shape", {});
  const Dims axes = TrailingAxes(input->type, shape.size());
  // torch's default is the machine epsilon of the dtype that it computes in: FP32.
  const double fallback = std::ldexp(1, -23);
  Value* mean = Mean(b, Square(b, input), axes);
  Value* rstd =
      b.Unary(Op::RSQRT, b.Binary(Op::ADD, mean, b.ScalarLike(mean, lower.Float("eps", fallback))));
  lower.ReturnAs(Affine(lower, b.Mul(input, rstd), shape));
}

// Groups of channels of [N, C, ...]: normalised as [N, G, C / G * ...].
void LowerGroups(Lowering& lower, int64_t groups, double eps) {
  Builder& b = lower.b();
  Value* input = lower.ToCompute(lower.In("input"));
  const fx::Type type = input->type;
  if (type.rank() < 2 || groups < 1 || type.dim(1) % groups != 0) {
    return lower.Fail("lower-argument", "the channels can not be split into the groups");
  }
  const int64_t n = type.dim(0);
  Value* grouped = b.Reshape(input, {n, groups, type.NumElements() / (n * groups)});
  const Normalized normalized = Normalize(b, grouped, {2}, eps);
  Dims per_channel(type.dims.size() - 1, 1);
  per_channel[0] = type.dim(1);
  Value* output = Affine(lower, b.Reshape(normalized.output, type.dims), per_channel);
  ReturnNormalized(lower, output, normalized);
}

void LowerGroupNorm(Lowering& lower) {
  LowerGroups(lower, lower.Int(lower.Has("num_groups") ? "num_groups" : "group", 1),
              lower.Float("eps", 1e-5));
}

// By running statistics (eval): x * scale + shift per channel.
void LowerRunningBatchNorm(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.ToCompute(lower.In("input"));
  Dims per_channel(input->type.dims.size() > 1 ? input->type.dims.size() - 1 : 1, 1);
  per_channel[0] = input->type.dim(1);
  Value* mean = b.Reshape(lower.ToCompute(lower.In("running_mean")), per_channel);
  Value* variance = b.Reshape(lower.ToCompute(lower.In("running_var")), per_channel);
  const double eps = lower.Float("eps", 1e-5);
  Value* rstd = b.Unary(Op::RSQRT, b.Binary(Op::ADD, variance, b.ScalarLike(variance, eps)));
  Value* output = b.Mul(b.Binary(Op::SUB, input, mean), rstd);
  lower.ReturnAs(Affine(lower, output, per_channel));
}

void LowerInstanceNorm(Lowering& lower) {
  if (!lower.Bool("use_input_stats", true)) return LowerRunningBatchNorm(lower);
  LowerGroups(lower, lower.AtenType("input").dim(1), lower.Float("eps", 1e-5));
}

// By the batch's own statistics: over every axis but the channels.
void LowerStatelessBatchNorm(Lowering& lower) {
  Value* input = lower.ToCompute(lower.In("input"));
  Dims axes;
  for (int64_t i = 0; i < input->type.rank(); ++i) {
    if (i != 1) axes.push_back(i);
  }
  Dims per_channel(input->type.dims.size() > 1 ? input->type.dims.size() - 1 : 1, 1);
  per_channel[0] = input->type.dim(1);
  const Normalized normalized = Normalize(lower.b(), input, axes, lower.Float("eps", 1e-5));
  ReturnNormalized(lower, Affine(lower, normalized.output, per_channel), normalized);
}

void LowerBatchNorm(Lowering& lower) {
  if (!lower.Has("running_mean") || !lower.Has("running_var")) {
    return LowerStatelessBatchNorm(lower);
  }
  if (lower.Bool("training", false)) {
    return lower.Unsupported("batch_norm in training mode; call model.eval() before the export");
  }
  LowerRunningBatchNorm(lower);
}

constexpr LoweringRow kRows[] = {
    {"aten._native_batch_norm_legit.no_stats", LowerStatelessBatchNorm},
    {"aten._native_batch_norm_legit_no_training.default", LowerRunningBatchNorm},
    {"aten.batch_norm.default", LowerBatchNorm},
    {"aten.group_norm.default", LowerGroupNorm},
    {"aten.instance_norm.default", LowerInstanceNorm},
    {"aten.layer_norm.default", LowerLayerNorm},
    {"aten.native_group_norm.default", LowerGroupNorm},
    {"aten.native_layer_norm.default", LowerLayerNorm},
    {"aten.rms_norm.default", LowerRmsNorm},
};

}  // namespace

std::span<const LoweringRow> NormRows() { return kRows; }

}  // namespace tosac::lower
