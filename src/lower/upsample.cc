// SPDX-License-Identifier: Apache-2.0
// Upsampling. RESIZE where its limits allow; nearest neighbours at other scales by GATHER.
#include <cmath>
#include <cstring>
#include <numeric>

#include "lower/registry.h"
#include "lower/slice.h"
#include "lower/window.h"

namespace tosac::lower {
namespace {

// Output size and the scale that torch uses of one axis.
struct Axis {
  int64_t in = 1;
  int64_t out = 1;
  double inverse_scale = 1;  // source step per output element
};

// torch: the step is 1 / scale_factor where that was given and may be used, else in / out.
std::vector<Axis> ReadAxes(Lowering& lower, const Value* input, size_t axes) {
  std::vector<Axis> result;
  const fx::Type out = lower.ResultType();
  const fx::Arg* arg = lower.node().FindArg("scale_factors");
  const auto* factors = arg == nullptr ? nullptr : std::get_if<std::vector<double>>(&arg->value);
  for (size_t i = 0; i < axes; ++i) {
    const auto axis = static_cast<int64_t>(i) + 2;
    Axis a{input->type.dim(axis), out.dim(axis), 1};
    a.inverse_scale = static_cast<double>(a.in) / static_cast<double>(a.out);
    if (factors != nullptr && i < factors->size() && (*factors)[i] > 0) {
      a.inverse_scale = 1 / (*factors)[i];
    }
    result.push_back(a);
  }
  return result;
}

// The source index of each output element, as torch's nearest mode computes it (in float).
std::vector<int64_t> NearestIndices(const Axis& axis) {
  std::vector<int64_t> indices;
  const auto step = static_cast<float>(axis.inverse_scale);
  for (int64_t i = 0; i < axis.out; ++i) {
    const auto source = static_cast<int64_t>(std::floor(static_cast<float>(i) * step));
    indices.push_back(std::min(source, axis.in - 1));
  }
  return indices;
}

// Each element repeated a whole number of times.
bool IsRepeat(const std::vector<int64_t>& indices, const Axis& axis) {
  if (axis.out % axis.in != 0) return false;
  for (int64_t i = 0; i < axis.out; ++i) {
    if (indices[static_cast<size_t>(i)] != i / (axis.out / axis.in)) return false;
  }
  return true;
}

// Takes `indices` of axis 1 of [N, size, C].
Value* GatherRows(Builder& b, Value* input, const std::vector<int64_t>& indices) {
  const int64_t n = input->type.dim(0);
  std::vector<int64_t> all;
  for (int64_t i = 0; i < n; ++i) all.insert(all.end(), indices.begin(), indices.end());
  std::vector<uint8_t> bytes(all.size() * 8);
  std::memcpy(bytes.data(), all.data(), bytes.size());
  const Result<fx::ConstantPtr> constant = fx::Converted(
      fx::MakeConstant(DType::kINT64, {n, static_cast<int64_t>(indices.size())}, std::move(bytes)),
      DType::kINT32);
  if (!constant.ok()) {
    b.Fail(constant.diag());
    return input;
  }
  return b.Gather(input, b.Helper(*constant));
}

// Nearest along axis `axis` of a channels-last tensor.
Value* NearestAxis(Builder& b, Value* input, int64_t axis, const Axis& a) {
  if (a.in == a.out) return input;
  const std::vector<int64_t> indices = NearestIndices(a);
  const fx::Type type = input->type;
  int64_t before = 1;
  for (int64_t i = 0; i < axis; ++i) before *= type.dim(i);
  const int64_t after = type.NumElements() / (before * a.in);
  Dims dims = type.dims;
  dims[static_cast<size_t>(axis)] = a.out;
  if (IsRepeat(indices, a)) {
    Value* split = b.Reshape(input, {before, a.in, 1, after});
    return b.Reshape(b.Tile(split, {1, 1, a.out / a.in, 1}), dims);
  }
  return b.Reshape(GatherRows(b, b.Reshape(input, {before, a.in, after}), indices), dims);
}

void LowerNearest(Lowering& lower, size_t axes) {
  Builder& b = lower.b();
  Value* input = lower.In("input");
  if (input->type.rank() != static_cast<int64_t>(axes) + 2) {
    return lower.Fail("lower-argument", "upsampling of " + fx::ToString(input->type));
  }
  const std::vector<Axis> sizes = ReadAxes(lower, input, axes);
  Value* output = ToChannelsLast(b, input);
  for (size_t i = 0; i < axes; ++i) {
    output = NearestAxis(b, output, static_cast<int64_t>(i) + 1, sizes[i]);
  }
  lower.Return(ToChannelsFirst(b, output));
}

void LowerNearest1d(Lowering& lower) { LowerNearest(lower, 1); }
void LowerNearest2d(Lowering& lower) { LowerNearest(lower, 2); }

// Two neighbours and their weights for each output element of a linear axis.
struct Blend {
  std::vector<int64_t> low, high;
  std::vector<double> weight;  // of the high neighbour
};
Blend LinearBlend(const Axis& axis, bool align_corners) {
  Blend blend;
  const double step =
      align_corners
          ? (axis.out > 1 ? static_cast<double>(axis.in - 1) / static_cast<double>(axis.out - 1)
                          : 0)
          : axis.inverse_scale;
  for (int64_t i = 0; i < axis.out; ++i) {
    double source =
        align_corners ? static_cast<double>(i) * step : (static_cast<double>(i) + 0.5) * step - 0.5;
    source = std::max(source, 0.0);
    const int64_t low = std::min(static_cast<int64_t>(std::floor(source)), axis.in - 1);
    blend.low.push_back(low);
    blend.high.push_back(std::min(low + 1, axis.in - 1));
    blend.weight.push_back(std::min(std::max(source - static_cast<double>(low), 0.0), 1.0));
  }
  return blend;
}

// One axis of a linear interpolation: low + (high - low) * weight, the neighbours by GATHER.
Value* LinearAxis(Builder& b, Value* input, int64_t axis, const Axis& a, bool align_corners) {
  if (a.in == a.out && (align_corners || a.inverse_scale == 1)) return input;
  const Blend blend = LinearBlend(a, align_corners);
  const fx::Type type = input->type;
  int64_t before = 1;
  for (int64_t i = 0; i < axis; ++i) before *= type.dim(i);
  const int64_t after = type.NumElements() / (before * a.in);
  Value* rows = b.Reshape(input, {before, a.in, after});
  Value* low = GatherRows(b, rows, blend.low);
  Value* high = GatherRows(b, rows, blend.high);
  Value* weight = b.Floats(type.dtype, blend.weight, {1, a.out, 1});
  std::vector<double> rest;
  for (const double w : blend.weight) rest.push_back(1 - w);
  Value* mixed =
      b.Binary(Op::ADD, b.Mul(low, b.Floats(type.dtype, rest, {1, a.out, 1})), b.Mul(high, weight));
  Dims dims = type.dims;
  dims[static_cast<size_t>(axis)] = a.out;
  return b.Reshape(mixed, dims);
}

// The whole scale n / d of an axis whose size is multiplied exactly, where RESIZE can say it.
bool WholeScale(const Axis& axis, bool align_corners, int64_t* n, int64_t* d) {
  const int64_t in = align_corners ? axis.in - 1 : axis.in;
  const int64_t out = align_corners ? axis.out - 1 : axis.out;
  if (in < 1 || out < 1) return false;
  if (!align_corners &&
      std::fabs(axis.inverse_scale * static_cast<double>(out) - static_cast<double>(in)) > 1e-9) {
    return false;
  }
  const int64_t common = std::gcd(in, out);
  *n = 2 * out / common;
  *d = 2 * in / common;
  return *n <= 2048 && *d < 16 * *n && axis.in < 16384 && axis.out < 16384 && *n / *d <= 256;
}

void LowerBilinear2d(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.ToCompute(lower.In("input"));
  if (input->type.rank() != 4) {
    return lower.Fail("lower-argument", "upsampling of " + fx::ToString(input->type));
  }
  const bool align_corners = lower.Bool("align_corners", false);
  const std::vector<Axis> axes = ReadAxes(lower, input, 2);
  Value* output = ToChannelsLast(b, input);
  std::array<int64_t, 4> scale = {1, 1, 1, 1};
  std::array<int64_t, 2> offset = {0, 0};
  std::array<int64_t, 2> border = {0, 0};
  bool resize = true;
  for (size_t i = 0; i < 2 && resize; ++i) {
    int64_t n = 0;
    int64_t d = 0;
    resize = WholeScale(axes[i], align_corners, &n, &d);
    if (!resize) break;
    scale[2 * i] = n;
    scale[2 * i + 1] = d;
    if (align_corners) continue;
    // Element i lies at (i * d + offset) / n; torch's half pixels make the offset (d - n) / 2.
    offset[i] = (d - n) / 2;
    border[i] = (axes[i].out - 1) * d + offset[i] - (axes[i].in - 1) * n;
    resize = offset[i] >= -n && offset[i] < 16 * n && border[i] >= -16 * n && border[i] < n;
  }
  if (resize) {
    output = b.Resize(output, ResizeMode::kBilinear, scale, offset, border);
  } else {
    for (size_t i = 0; i < 2; ++i) {
      output = LinearAxis(b, output, static_cast<int64_t>(i) + 1, axes[i], align_corners);
    }
  }
  lower.ReturnAs(ToChannelsFirst(b, output));
}

constexpr LoweringRow kRows[] = {
    {"aten.upsample_bilinear2d.vec", LowerBilinear2d},
    {"aten.upsample_nearest1d.vec", LowerNearest1d},
    {"aten.upsample_nearest2d.vec", LowerNearest2d},
};

}  // namespace

std::span<const LoweringRow> UpsampleRows() { return kRows; }

}  // namespace tosac::lower
