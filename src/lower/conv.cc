// SPDX-License-Identifier: Apache-2.0
// Convolutions. torch's are channels first; TOSA's run channels last, so each is transposed on the
// way in and out, and a pass takes the transposes out where layouts do not meet.
#include <algorithm>
#include <array>

#include "lower/registry.h"
#include "lower/slice.h"
#include "lower/window.h"

namespace tosac::lower {
namespace {

// What the overloads of convolution have in common.
struct Conv {
  Value* input = nullptr;   // [N, C, spatial...]
  Value* weight = nullptr;  // [O, C / groups, spatial...]; transposed: [C, O / groups, ...]
  Value* bias = nullptr;    // [O] or [1]
  size_t axes = 0;
  Dims stride, dilation, pad_before, pad_after, output_padding;
  int64_t groups = 1;
  bool batched = true;
};

bool ReadConv(Lowering& lower, Conv* conv) {
  Builder& b = lower.b();
  conv->input = lower.In("input");
  conv->weight = lower.In("weight");
  const int64_t rank = conv->weight->type.rank();
  if (rank < 3 || rank > 5) {
    lower.Unsupported("a weight of rank " + std::to_string(rank));
    return false;
  }
  conv->axes = static_cast<size_t>(rank - 2);
  conv->batched = conv->input->type.rank() == rank;
  if (!conv->batched) {
    Dims dims = conv->input->type.dims;
    dims.insert(dims.begin(), 1);
    conv->input = b.Reshape(conv->input, std::move(dims));
  }
  conv->stride = PerAxis(lower.IntList("stride", {1}), conv->axes);
  conv->dilation = PerAxis(lower.IntList("dilation", {1}), conv->axes);
  conv->groups = lower.Int("groups", 1);
  conv->bias = lower.Has("bias") ? lower.In("bias") : b.Scalar(conv->weight->type.dtype, 0, 1);
  const bool sane = conv->input->type.rank() == rank && conv->stride.size() == conv->axes &&
                    conv->dilation.size() == conv->axes && conv->groups > 0 &&
                    conv->bias->type.rank() == 1;
  if (!sane) lower.Fail("lower-argument", "the operands or windows of the convolution do not fit");
  return sane;
}

// padding as numbers, or as "same" and "valid".
bool ReadPadding(Lowering& lower, Conv* conv) {
  const fx::Arg* arg = lower.node().FindArg("padding");
  if (arg != nullptr && std::holds_alternative<std::string>(arg->value)) {
    const bool same = std::get<std::string>(arg->value) == "same";
    for (size_t i = 0; i < conv->axes; ++i) {
      const int64_t kernel = conv->weight->type.dim(static_cast<int64_t>(i) + 2);
      const int64_t total = same ? conv->dilation[i] * (kernel - 1) : 0;
      conv->pad_before.push_back(total / 2);
      conv->pad_after.push_back(total - total / 2);
    }
    return true;
  }
  conv->pad_before = PerAxis(lower.IntList("padding", {0}), conv->axes);
  conv->pad_after = conv->pad_before;
  conv->output_padding = PerAxis(lower.IntList("output_padding", {0}), conv->axes);
  const bool sane =
      conv->pad_before.size() == conv->axes && conv->output_padding.size() == conv->axes;
  if (!sane) lower.Fail("lower-argument", "the padding of the convolution does not fit");
  return sane;
}

// [N, L, C] as [N, 1, L, C], so that one-dimensional windows are two-dimensional ones.
Value* AddHeight(Builder& b, Value* value) {
  Dims dims = value->type.dims;
  dims.insert(dims.begin() + 1, 1);
  return b.Reshape(value, std::move(dims));
}

Window2d MakeWindow2d(const std::vector<WindowAxis>& axes) {
  Window2d window;
  for (size_t i = 0; i < 2 && i < axes.size(); ++i) {
    const size_t at = 2 - axes.size() + i;
    window.kernel[at] = axes[i].kernel;
    window.stride[at] = axes[i].stride;
    window.dilation[at] = axes[i].dilation;
    window.pad[2 * at] = axes[i].pad_before;
    window.pad[2 * at + 1] = axes[i].pad_after;
  }
  return window;
}

// One group; `input` is channels last and `weight` torch's.
Value* ConvGroup(Builder& b, Value* input, Value* weight, Value* bias,
                 const std::vector<WindowAxis>& axes) {
  Value* filter = ToChannelsLast(b, weight);
  if (axes.size() == 3) {
    Window3d window;
    for (size_t i = 0; i < 3; ++i) {
      window.stride[i] = axes[i].stride;
      window.dilation[i] = axes[i].dilation;
      window.pad[2 * i] = axes[i].pad_before;
      window.pad[2 * i + 1] = axes[i].pad_after;
    }
    return b.Conv3d(input, filter, bias, window);
  }
  if (axes.size() == 1) filter = AddHeight(b, filter);
  return b.Conv2d(input, filter, bias, MakeWindow2d(axes));
}

// [C * M, 1, KH, KW] as [KH, KW, C, M].
Value* DepthwiseFilter(Builder& b, Value* weight, int64_t channels) {
  const fx::Type& type = weight->type;
  const int64_t kh = type.rank() == 4 ? type.dim(2) : 1;
  const int64_t kw = type.dim(-1);
  Value* split = b.Reshape(weight, {channels, type.dim(0) / channels, kh, kw});
  return b.Transpose(split, Dims{2, 3, 0, 1});
}

Value* BiasGroup(Builder& b, Value* bias, int64_t group, int64_t size) {
  return bias->type.dim(0) == 1 ? bias : SliceAxis(b, bias, 0, group * size, size);
}

// Groups that are no depthwise convolution run one after the other.
Value* Grouped(Builder& b, const Conv& conv, Value* input, const std::vector<WindowAxis>& axes) {
  const int64_t in_size = input->type.dim(-1) / conv.groups;
  const int64_t out_size = conv.weight->type.dim(0) / conv.groups;
  std::vector<Value*> pieces;
  for (int64_t g = 0; g < conv.groups && !b.failed(); ++g) {
    Value* part = SliceAxis(b, input, input->type.rank() - 1, g * in_size, in_size);
    Value* weight = SliceAxis(b, conv.weight, 0, g * out_size, out_size);
    pieces.push_back(ConvGroup(b, part, weight, BiasGroup(b, conv.bias, g, out_size), axes));
  }
  const int64_t channel_axis = pieces.empty() ? 0 : pieces[0]->type.rank() - 1;
  return b.Concat(pieces, channel_axis);
}

// The result of a channels-last convolution as torch shapes it.
void ReturnConv(Lowering& lower, const Conv& conv, Value* output) {
  Builder& b = lower.b();
  if (conv.axes == 1) {
    output = b.Reshape(output, {output->type.dim(0), output->type.dim(2), output->type.dim(3)});
  }
  lower.Return(b.Reshape(ToChannelsFirst(b, output), lower.ResultType().dims));
}

void LowerForward(Lowering& lower, Conv& conv) {
  Builder& b = lower.b();
  std::vector<WindowAxis> axes;
  Dims cut;
  for (size_t i = 0; i < conv.axes; ++i) {
    const auto axis = static_cast<int64_t>(i) + 2;
    axes.push_back({conv.input->type.dim(axis), conv.weight->type.dim(axis), conv.stride[i],
                    conv.dilation[i], conv.pad_before[i], conv.pad_after[i]});
    if (!axes.back().IsSane()) {
      return lower.Fail("lower-window", "the window does not fit the padded input");
    }
    cut.push_back(MakeExact(&axes.back()));
  }
  Value* input = CutEnds(b, ToChannelsLast(b, conv.input), cut);
  if (conv.axes == 1) input = AddHeight(b, input);
  const int64_t channels = input->type.dim(-1);
  if (channels % conv.groups != 0 || conv.weight->type.dim(0) % conv.groups != 0) {
    return lower.Fail("lower-argument", "the channels can not be split into the groups");
  }
  Value* output = nullptr;
  if (conv.groups == 1) {
    output = ConvGroup(b, input, conv.weight, conv.bias, axes);
  } else if (conv.groups == channels && conv.axes < 3) {
    output = b.DepthwiseConv2d(input, DepthwiseFilter(b, conv.weight, channels), conv.bias,
                               MakeWindow2d(axes));
  } else {
    output = Grouped(b, conv, input, axes);
  }
  ReturnConv(lower, conv, output);
}

// Zeros between the elements of a filter's spatial axes: TOSA's transposed convolution has no
// dilation. [..., K, ...] becomes [..., (K - 1) * dilation + 1, ...].
Value* DilateFilter(Builder& b, Value* filter, int64_t axis, int64_t dilation) {
  if (dilation == 1) return filter;
  const int64_t kernel = filter->type.dim(axis);
  Dims dims = filter->type.dims;
  dims.insert(dims.begin() + axis + 1, 1);
  Value* split = b.Reshape(filter, dims);
  Dims pads(2 * dims.size(), 0);
  pads[2 * static_cast<size_t>(axis) + 3] = dilation - 1;
  Value* padded = b.Pad(split, pads, 0);
  dims.erase(dims.begin() + axis + 1);
  dims[static_cast<size_t>(axis)] = kernel * dilation;
  return SliceAxis(b, b.Reshape(padded, dims), axis, 0, (kernel - 1) * dilation + 1);
}

void LowerTransposed(Lowering& lower, Conv& conv) {
  Builder& b = lower.b();
  if (conv.axes > 2) return lower.Unsupported("a transposed convolution of three dimensions");
  Value* input = ToChannelsLast(b, conv.input);
  if (conv.axes == 1) input = AddHeight(b, input);
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 4> out_pad = {0, 0, 0, 0};
  Dims cut_before(2, 0);
  Dims cut_after(2, 0);
  for (size_t i = 0; i < conv.axes; ++i) {
    const size_t at = 2 - conv.axes + i;
    const int64_t kernel =
        (conv.weight->type.dim(static_cast<int64_t>(i) + 2) - 1) * conv.dilation[i] + 1;
    stride[at] = conv.stride[i];
    const int64_t before = -conv.pad_before[i];
    const int64_t after = conv.output_padding[i] - conv.pad_after[i];
    // TOSA can not cut a whole kernel off; the rest is sliced off the result.
    out_pad[2 * at] = std::max(before, 1 - kernel);
    out_pad[2 * at + 1] = std::max(after, 1 - kernel);
    cut_before[at] = out_pad[2 * at] - before;
    cut_after[at] = out_pad[2 * at + 1] - after;
  }
  const int64_t channels = input->type.dim(-1);
  if (channels % conv.groups != 0) {
    return lower.Fail("lower-argument", "the channels can not be split into the groups");
  }
  const int64_t in_size = channels / conv.groups;
  const int64_t out_size = conv.weight->type.dim(1);
  std::vector<Value*> pieces;
  for (int64_t g = 0; g < conv.groups && !b.failed(); ++g) {
    Value* part = SliceAxis(b, input, 3, g * in_size, in_size);
    Value* weight = SliceAxis(b, conv.weight, 0, g * in_size, in_size);
    // [C, O, spatial...] as [O, spatial..., C].
    Dims perm;
    for (int64_t i = 1; i < weight->type.rank(); ++i) perm.push_back(i);
    perm.push_back(0);
    Value* filter = b.Transpose(weight, perm);
    for (size_t i = 0; i < conv.axes; ++i) {
      filter = DilateFilter(b, filter, static_cast<int64_t>(i) + 1, conv.dilation[i]);
    }
    if (conv.axes == 1) filter = AddHeight(b, filter);
    pieces.push_back(
        b.TransposeConv2d(part, filter, BiasGroup(b, conv.bias, g, out_size), stride, out_pad));
  }
  Value* output = b.Concat(pieces, 3);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t axis = static_cast<int64_t>(i) + 1;
    const int64_t size = output->type.dim(axis) - cut_before[i] - cut_after[i];
    output = SliceAxis(b, output, axis, cut_before[i], size);
  }
  ReturnConv(lower, conv, output);
}

void LowerConv(Lowering& lower) {
  Conv conv;
  if (!ReadConv(lower, &conv) || !ReadPadding(lower, &conv)) return;
  if (lower.Bool("transposed", false)) return LowerTransposed(lower, conv);
  LowerForward(lower, conv);
}

void LowerConvTranspose(Lowering& lower) {
  Conv conv;
  if (!ReadConv(lower, &conv) || !ReadPadding(lower, &conv)) return;
  LowerTransposed(lower, conv);
}

constexpr LoweringRow kRows[] = {
    {"aten.conv1d.default", LowerConv},
    {"aten.conv1d.padding", LowerConv},
    {"aten.conv2d.default", LowerConv},
    {"aten.conv2d.padding", LowerConv},
    {"aten.conv3d.default", LowerConv},
    {"aten.conv3d.padding", LowerConv},
    {"aten.conv_transpose1d.default", LowerConvTranspose},
    {"aten.conv_transpose2d.input", LowerConvTranspose},
    {"aten.convolution.default", LowerConv},
};

}  // namespace

std::span<const LoweringRow> ConvRows() { return kRows; }

}  // namespace tosac::lower
