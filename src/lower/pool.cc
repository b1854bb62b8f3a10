// SPDX-License-Identifier: Apache-2.0
// Pools. TOSA's are two-dimensional and channels last, and their windows tile exactly.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lower/registry.h"
#include "lower/slice.h"
#include "lower/window.h"

namespace tosac::lower {
namespace {

// A pool over [N, H, W, C]; one-dimensional ones have H = 1.
struct Pool {
  Value* input = nullptr;
  std::vector<WindowAxis> axes;  // two
  bool ceil_mode = false;
};

// torch's input [N, C, spatial...] or [C, spatial...] as [N, H, W, C].
Value* PoolInput(Builder& b, Value* input, size_t axes) {
  Dims dims = input->type.dims;
  if (dims.size() == axes + 1) dims.insert(dims.begin(), 1);
  Value* last = ToChannelsLast(b, b.Reshape(input, dims));
  if (axes == 2) return last;
  const fx::Type& type = last->type;
  return b.Reshape(last, {type.dim(0), 1, type.dim(1), type.dim(2)});
}

void ReturnPool(Lowering& lower, Value* output, size_t axes, size_t result = 0) {
  Builder& b = lower.b();
  if (axes == 1) {
    output = b.Reshape(output, {output->type.dim(0), output->type.dim(2), output->type.dim(3)});
  }
  lower.Return(b.Reshape(ToChannelsFirst(b, output), lower.ResultType(result).dims), result);
}

bool ReadPool(Lowering& lower, size_t axes, Pool* pool) {
  Value* input = lower.In("self");
  const int64_t rank = input->type.rank();
  if (rank != static_cast<int64_t>(axes) + 1 && rank != static_cast<int64_t>(axes) + 2) {
    lower.Fail("lower-argument", "a pool over a tensor of type " + fx::ToString(input->type));
    return false;
  }
  pool->input = PoolInput(lower.b(), input, axes);
  pool->ceil_mode = lower.Bool("ceil_mode", false);
  const Dims kernel = PerAxis(lower.IntList("kernel_size", {1}), axes);
  Dims stride = PerAxis(lower.IntList("stride", {}), axes);
  if (stride.empty()) stride = kernel;
  const Dims pad = PerAxis(lower.IntList("padding", {0}), axes);
  const Dims dilation = PerAxis(lower.IntList("dilation", {1}), axes);
  if (kernel.size() != axes || stride.size() != axes || pad.size() != axes ||
      dilation.size() != axes) {
    lower.Fail("lower-argument", "the windows of the pool do not fit");
    return false;
  }
  pool->axes.assign(2 - axes, WindowAxis{});
  for (size_t i = 0; i < axes; ++i) {
    const int64_t axis = static_cast<int64_t>(pool->axes.size()) + 1;
    pool->axes.push_back(
        {pool->input->type.dim(axis), kernel[i], stride[i], dilation[i], pad[i], pad[i]});
    if (!pool->axes.back().IsSane() || pad[i] > kernel[i] / 2) {
      lower.Fail("lower-window", "the window does not fit the padded input");
      return false;
    }
  }
  return true;
}

// The number of windows: in ceil mode one more where it starts inside the data or its left padding.
int64_t Windows(const WindowAxis& axis, bool ceil_mode) {
  const int64_t span = axis.size + axis.pad_before + axis.pad_after - axis.Reach();
  int64_t count = span / axis.stride + 1;
  if (ceil_mode && span % axis.stride != 0) {
    const bool starts_inside = count * axis.stride < axis.size + axis.pad_before;
    if (starts_inside) ++count;
  }
  return count;
}

// Makes exactly `count` windows of the axis: more padding at the end, or less, or a cut.
int64_t FitWindows(WindowAxis* axis, int64_t count) {
  const int64_t needed = (count - 1) * axis->stride + axis->Reach();
  const int64_t after = needed - axis->size - axis->pad_before;
  axis->pad_after = std::max<int64_t>(after, 0);
  const int64_t cut = std::max<int64_t>(-after, 0);
  axis->size -= cut;
  return cut;
}

Window2d MakeWindow(const Pool& pool) {
  Window2d window;
  for (size_t i = 0; i < 2; ++i) {
    window.kernel[i] = pool.axes[i].kernel;
    window.stride[i] = pool.axes[i].stride;
    window.pad[2 * i] = pool.axes[i].pad_before;
    window.pad[2 * i + 1] = pool.axes[i].pad_after;
  }
  return window;
}

// A dilated window is the maximum of shifted, strided slices: TOSA's pool has no dilation.
Value* DilatedMaxPool(Builder& b, const Pool& pool, int64_t rows, int64_t columns) {
  const WindowAxis& y = pool.axes[0];
  const WindowAxis& x = pool.axes[1];
  const int64_t pads[] = {0, 0, y.pad_before, y.pad_after, x.pad_before, x.pad_after, 0, 0};
  Value* padded = b.Pad(pool.input, pads, -std::numeric_limits<double>::infinity());
  Value* result = nullptr;
  for (int64_t i = 0; i < y.kernel && !b.failed(); ++i) {
    for (int64_t j = 0; j < x.kernel && !b.failed(); ++j) {
      Value* part = SliceAxis(b, padded, 1, i * y.dilation, (rows - 1) * y.stride + 1);
      part = SliceAxis(b, part, 2, j * x.dilation, (columns - 1) * x.stride + 1);
      part = StrideAxis(b, StrideAxis(b, part, 1, y.stride), 2, x.stride);
      result = result == nullptr ? part : b.Binary(Op::MAXIMUM, result, part);
    }
  }
  return result == nullptr ? padded : result;
}

void LowerMaxPool(Lowering& lower, size_t axes) {
  Builder& b = lower.b();
  Pool pool;
  if (!ReadPool(lower, axes, &pool)) return;
  Dims cut;
  Dims counts;
  for (WindowAxis& axis : pool.axes) {
    counts.push_back(Windows(axis, pool.ceil_mode));
    cut.push_back(FitWindows(&axis, counts.back()));
  }
  pool.input = CutEnds(b, pool.input, cut);
  const bool dilated = pool.axes[0].dilation > 1 || pool.axes[1].dilation > 1;
  Value* output = dilated ? DilatedMaxPool(b, pool, counts[0], counts[1])
                          : b.MaxPool2d(pool.input, MakeWindow(pool));
  ReturnPool(lower, output, axes);
}

void LowerMaxPool1d(Lowering& lower) { LowerMaxPool(lower, 1); }
void LowerMaxPool2d(Lowering& lower) { LowerMaxPool(lower, 2); }

// What torch divides the windows of one axis by: the elements that count (the data, and the
// padding where it is included), never the cells that ceil mode adds.
Dims CountedElements(const WindowAxis& original, int64_t count, bool include_pad) {
  Dims counted;
  const int64_t begin = include_pad ? 0 : original.pad_before;
  const int64_t end = original.pad_before + original.size + (include_pad ? original.pad_after : 0);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t low = std::max(i * original.stride, begin);
    const int64_t high = std::min(i * original.stride + original.kernel, end);
    counted.push_back(std::max<int64_t>(high - low, 1));
  }
  return counted;
}

void LowerAvgPool(Lowering& lower, size_t axes) {
  Builder& b = lower.b();
  Pool pool;
  if (!ReadPool(lower, axes, &pool)) return;
  const bool include_pad = lower.Bool("count_include_pad", true);
  const int64_t divisor = lower.Has("divisor_override") ? lower.Int("divisor_override", 1) : 0;
  if (lower.Has("divisor_override") && divisor <= 0) {
    return lower.Fail("lower-argument", "divisor_override is not positive");
  }
  std::vector<Dims> counted;
  std::vector<Dims> tosa_counted;
  Dims cut;
  for (WindowAxis& axis : pool.axes) {
    const WindowAxis original = axis;
    const int64_t count = Windows(axis, pool.ceil_mode);
    counted.push_back(CountedElements(original, count, include_pad));
    cut.push_back(FitWindows(&axis, count));
    WindowAxis fitted = axis;
    // TOSA's AVG_POOL2D divides by the elements of the data in the window.
    tosa_counted.push_back(CountedElements(fitted, count, false));
  }
  Value* input = CutEnds(b, lower.ToCompute(pool.input), cut);
  pool.input = input;
  Window2d window = MakeWindow(pool);
  const bool same = divisor == 0 && counted == tosa_counted;
  Value* output = nullptr;
  const int64_t rows = static_cast<int64_t>(counted[0].size());
  const int64_t columns = static_cast<int64_t>(counted[1].size());
  if (same) {
    output = b.AvgPool2d(input, window);
  } else {
    // Padded with zeros every window is full, and TOSA divides by the kernel; what torch divides
    // by is multiplied in.
    const int64_t pads[] = {0, 0, window.pad[0], window.pad[1], window.pad[2], window.pad[3], 0, 0};
    window.pad = {0, 0, 0, 0};
    output = b.AvgPool2d(b.Pad(input, pads, 0), window);
    const double area = static_cast<double>(window.kernel[0] * window.kernel[1]);
    std::vector<double> factors;
    for (const int64_t y : counted[0]) {
      for (const int64_t x : counted[1]) {
        factors.push_back(area / static_cast<double>(divisor != 0 ? divisor : y * x));
      }
    }
    const bool uniform = std::all_of(factors.begin(), factors.end(),
                                     [&](double factor) { return factor == factors[0]; });
    if (!uniform) {
      output = b.Mul(output, b.Floats(output->type.dtype, factors, {1, rows, columns, 1}));
    } else if (factors[0] != 1) {
      output = b.Mul(output, b.ScalarLike(output, factors[0]));
    }
  }
  ReturnPool(lower, b.Cast(output, lower.ResultType().dtype), axes);
}

void LowerAvgPool1d(Lowering& lower) { LowerAvgPool(lower, 1); }
void LowerAvgPool2d(Lowering& lower) { LowerAvgPool(lower, 2); }

// Window i of an adaptive pool covers [floor(i * size / count), ceil((i + 1) * size / count)).
struct AdaptiveWindow {
  int64_t start;
  int64_t size;
};
std::vector<AdaptiveWindow> AdaptiveWindows(int64_t size, int64_t count) {
  std::vector<AdaptiveWindow> windows;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start = i * size / count;
    const int64_t end = ((i + 1) * size + count - 1) / count;
    windows.push_back({start, end - start});
  }
  return windows;
}

// The windows have one size and one step: a pool can make them all at once.
bool IsRegular(const std::vector<AdaptiveWindow>& windows, int64_t size, int64_t* stride) {
  *stride = windows.size() > 1 ? windows[1].start : windows[0].size;
  for (size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].size != windows[0].size ||
        windows[i].start != static_cast<int64_t>(i) * *stride) {
      return false;
    }
  }
  return windows.back().start + windows.back().size == size && *stride > 0;
}

Value* PoolOnce(Builder& b, Value* input, const Window2d& window, bool is_max) {
  return is_max ? b.MaxPool2d(input, window) : b.AvgPool2d(input, window);
}

Value* AdaptivePool(Builder& b, Value* input, int64_t rows, int64_t columns, bool is_max) {
  const std::vector<AdaptiveWindow> ys = AdaptiveWindows(input->type.dim(1), rows);
  const std::vector<AdaptiveWindow> xs = AdaptiveWindows(input->type.dim(2), columns);
  Window2d window;
  if (IsRegular(ys, input->type.dim(1), &window.stride[0]) &&
      IsRegular(xs, input->type.dim(2), &window.stride[1])) {
    window.kernel = {ys[0].size, xs[0].size};
    return PoolOnce(b, input, window, is_max);
  }
  // Windows of several sizes: one pool each, joined.
  std::vector<Value*> row_values;
  for (const AdaptiveWindow& y : ys) {
    Value* strip = SliceAxis(b, input, 1, y.start, y.size);
    std::vector<Value*> cells;
    for (const AdaptiveWindow& x : xs) {
      if (b.failed()) return input;
      window.kernel = {y.size, x.size};
      window.stride = {1, 1};
      cells.push_back(PoolOnce(b, SliceAxis(b, strip, 2, x.start, x.size), window, is_max));
    }
    row_values.push_back(b.Concat(cells, 2));
  }
  return b.Concat(row_values, 1);
}

void LowerAdaptive(Lowering& lower, size_t axes, bool is_max) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t rank = input->type.rank();
  Dims size = PerAxis(lower.IntList("output_size", {}), axes);
  if ((rank != static_cast<int64_t>(axes) + 1 && rank != static_cast<int64_t>(axes) + 2) ||
      size.size() != axes) {
    return lower.Fail("lower-argument", "the sizes of the adaptive pool do not fit");
  }
  Value* nhwc = PoolInput(b, is_max ? input : lower.ToCompute(input), axes);
  if (axes == 1) size.insert(size.begin(), 1);
  constexpr int64_t kMaxWindows = 1 << 14;
  if (size[0] < 1 || size[1] < 1 || size[0] > kMaxWindows || size[1] > kMaxWindows) {
    return lower.Unsupported("an adaptive pool of that many windows");
  }
  Value* output = AdaptivePool(b, nhwc, size[0], size[1], is_max);
  ReturnPool(lower, b.Cast(output, lower.ResultType().dtype), axes);
}

void LowerAdaptiveAvgPool1d(Lowering& lower) { LowerAdaptive(lower, 1, false); }
void LowerAdaptiveAvgPool2d(Lowering& lower) { LowerAdaptive(lower, 2, false); }
void LowerAdaptiveMaxPool2d(Lowering& lower) { LowerAdaptive(lower, 2, true); }

constexpr LoweringRow kRows[] = {
    {"aten._adaptive_avg_pool2d.default", LowerAdaptiveAvgPool2d},
    {"aten.adaptive_avg_pool1d.default", LowerAdaptiveAvgPool1d},
    {"aten.adaptive_avg_pool2d.default", LowerAdaptiveAvgPool2d},
    {"aten.adaptive_max_pool2d.default", LowerAdaptiveMaxPool2d},
    {"aten.avg_pool1d.default", LowerAvgPool1d},
    {"aten.avg_pool2d.default", LowerAvgPool2d},
    {"aten.max_pool1d.default", LowerMaxPool1d},
    {"aten.max_pool2d.default", LowerMaxPool2d},
    {"aten.max_pool2d_with_indices.default", LowerMaxPool2d},
};

}  // namespace

std::span<const LoweringRow> PoolRows() { return kRows; }

}  // namespace tosac::lower
