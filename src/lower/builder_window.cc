// SPDX-License-Identifier: Apache-2.0
// The Builder's windowed operators: convolutions, pools, MATMUL and RESIZE.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lower/builder.h"

namespace tosac::lower {
namespace {

using fx::TensorType;
using fx::Type;

constexpr int64_t kPropagate = static_cast<int64_t>(NanMode::kPropagate);

template <size_t N>
std::vector<int32_t> Ints32(const std::array<int64_t, N>& values) {
  return std::vector<int32_t>(values.begin(), values.end());
}

// The accumulator of a floating-point convolution, pool or REDUCE_SUM: FP32 (for FP16 too, where
// the specification offers FP16 and FP32).
int64_t AccType(DType dtype) {
  return static_cast<int64_t>(IsFloat(dtype) ? DType::kFP32 : DType::kINT32);
}

// (size + pads - reach) / stride + 1 when the window tiles it exactly, else -1.
int64_t OutputSize(int64_t size, int64_t pad_before, int64_t pad_after, int64_t kernel,
                   int64_t dilation, int64_t stride) {
  constexpr int64_t kMax = INT32_MAX;
  const bool sane = stride > 0 && dilation > 0 && kernel > 0 && pad_before >= 0 && pad_after >= 0 &&
                    size <= kMax && stride <= kMax && dilation <= kMax && kernel <= kMax &&
                    pad_before <= kMax && pad_after <= kMax;
  if (!sane) return -1;
  const int64_t span = size - 1 + pad_before + pad_after - (kernel - 1) * dilation;
  return span < 0 || span % stride != 0 ? -1 : span / stride + 1;
}

std::string OperandTypes(std::span<Value* const> values) {
  std::string text;
  for (const Value* value : values) text += (text.empty() ? "" : ", ") + fx::ToString(value->type);
  return text;
}

}  // namespace

Value* Builder::Conv2d(Value* input, Value* weight, Value* bias, const Window2d& window) {
  const Type& in = input->type;
  const Type& w = weight->type;
  Value* operands[] = {input, weight, bias, nullptr, nullptr};
  const bool fits = in.rank() == 4 && w.rank() == 4 && bias->type.rank() == 1 &&
                    in.dim(3) == w.dim(3) &&
                    (bias->type.dim(0) == w.dim(0) || bias->type.dim(0) == 1);
  if (!fits) {
    Fail("lower-type",
         "CONV2D can not take operands of types " + OperandTypes(std::span(operands, 3)));
    return input;
  }
  const int64_t oh = OutputSize(in.dim(1), window.pad[0], window.pad[1], w.dim(1),
                                window.dilation[0], window.stride[0]);
  const int64_t ow = OutputSize(in.dim(2), window.pad[2], window.pad[3], w.dim(2),
                                window.dilation[1], window.stride[1]);
  if (oh < 0 || ow < 0) {
    Fail("lower-window", "CONV2D: the window does not tile the padded input " + fx::ToString(in));
    return input;
  }
  operands[3] = ZeroPoint(in.dtype);
  operands[4] = ZeroPoint(w.dtype);
  Type result = TensorType(bias->type.dtype, {in.dim(0), oh, ow, w.dim(0)});
  return Emit(Op::CONV2D, operands, std::move(result),
              {Ints32(window.pad), Ints32(window.stride), Ints32(window.dilation), int64_t{0},
               AccType(in.dtype)});
}

Value* Builder::DepthwiseConv2d(Value* input, Value* weight, Value* bias, const Window2d& window) {
  const Type& in = input->type;
  const Type& w = weight->type;
  Value* operands[] = {input, weight, bias, nullptr, nullptr};
  const int64_t channels = w.dim(2) * w.dim(3);
  const bool fits = in.rank() == 4 && w.rank() == 4 && bias->type.rank() == 1 &&
                    in.dim(3) == w.dim(2) &&
                    (bias->type.dim(0) == channels || bias->type.dim(0) == 1);
  if (!fits) {
    Fail("lower-type",
         "DEPTHWISE_CONV2D can not take operands of types " + OperandTypes(std::span(operands, 3)));
    return input;
  }
  const int64_t oh = OutputSize(in.dim(1), window.pad[0], window.pad[1], w.dim(0),
                                window.dilation[0], window.stride[0]);
  const int64_t ow = OutputSize(in.dim(2), window.pad[2], window.pad[3], w.dim(1),
                                window.dilation[1], window.stride[1]);
  if (oh < 0 || ow < 0) {
    Fail("lower-window",
         "DEPTHWISE_CONV2D: the window does not tile the padded input " + fx::ToString(in));
    return input;
  }
  operands[3] = ZeroPoint(in.dtype);
  operands[4] = ZeroPoint(w.dtype);
  Type result = TensorType(bias->type.dtype, {in.dim(0), oh, ow, channels});
  return Emit(Op::DEPTHWISE_CONV2D, operands, std::move(result),
              {Ints32(window.pad), Ints32(window.stride), Ints32(window.dilation), int64_t{0},
               AccType(in.dtype)});
}

Value* Builder::Conv3d(Value* input, Value* weight, Value* bias, const Window3d& window) {
  const Type& in = input->type;
  const Type& w = weight->type;
  Value* operands[] = {input, weight, bias, nullptr, nullptr};
  const bool fits = in.rank() == 5 && w.rank() == 5 && bias->type.rank() == 1 &&
                    in.dim(4) == w.dim(4) &&
                    (bias->type.dim(0) == w.dim(0) || bias->type.dim(0) == 1);
  if (!fits) {
    Fail("lower-type",
         "CONV3D can not take operands of types " + OperandTypes(std::span(operands, 3)));
    return input;
  }
  Dims dims = {in.dim(0)};
  for (size_t i = 0; i < 3; ++i) {
    const int64_t axis = static_cast<int64_t>(i) + 1;
    const int64_t out = OutputSize(in.dim(axis), window.pad[2 * i], window.pad[2 * i + 1],
                                   w.dim(axis), window.dilation[i], window.stride[i]);
    if (out < 0) {
      Fail("lower-window", "CONV3D: the window does not tile the padded input " + fx::ToString(in));
      return input;
    }
    dims.push_back(out);
  }
  dims.push_back(w.dim(0));
  operands[3] = ZeroPoint(in.dtype);
  operands[4] = ZeroPoint(w.dtype);
  return Emit(Op::CONV3D, operands, TensorType(bias->type.dtype, std::move(dims)),
              {Ints32(window.pad), Ints32(window.stride), Ints32(window.dilation), int64_t{0},
               AccType(in.dtype)});
}

Value* Builder::TransposeConv2d(Value* input, Value* weight, Value* bias,
                                std::array<int64_t, 2> stride, std::array<int64_t, 4> out_pad) {
  const Type& in = input->type;
  const Type& w = weight->type;
  Value* operands[] = {input, weight, bias, nullptr, nullptr};
  const bool fits = in.rank() == 4 && w.rank() == 4 && bias->type.rank() == 1 &&
                    in.dim(3) == w.dim(3) &&
                    (bias->type.dim(0) == w.dim(0) || bias->type.dim(0) == 1);
  if (!fits) {
    Fail("lower-type",
         "TRANSPOSE_CONV2D can not take operands of types " + OperandTypes(std::span(operands, 3)));
    return input;
  }
  Dims dims = {in.dim(0)};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t axis = static_cast<int64_t>(i) + 1;
    // TOSA forbids an out_pad that cuts off a whole kernel.
    const bool cuts = out_pad[2 * i] <= -w.dim(axis) || out_pad[2 * i + 1] <= -w.dim(axis);
    const int64_t out =
        (in.dim(axis) - 1) * stride[i] + out_pad[2 * i] + out_pad[2 * i + 1] + w.dim(axis);
    if (cuts || stride[i] <= 0 || stride[i] > INT32_MAX || out <= 0) {
      Fail("lower-window",
           "TRANSPOSE_CONV2D: out_pad cuts off a whole kernel of " + fx::ToString(w));
      return input;
    }
    dims.push_back(out);
  }
  dims.push_back(w.dim(0));
  operands[3] = ZeroPoint(in.dtype);
  operands[4] = ZeroPoint(w.dtype);
  return Emit(Op::TRANSPOSE_CONV2D, operands, TensorType(bias->type.dtype, std::move(dims)),
              {Ints32(out_pad), Ints32(stride), int64_t{0}, AccType(in.dtype)});
}

namespace {

// The type of a pool's result; rank 0 where the window does not fit.
Type PoolType(const Type& in, const Window2d& window) {
  const int64_t oh =
      OutputSize(in.dim(1), window.pad[0], window.pad[1], window.kernel[0], 1, window.stride[0]);
  const int64_t ow =
      OutputSize(in.dim(2), window.pad[2], window.pad[3], window.kernel[1], 1, window.stride[1]);
  if (in.rank() != 4 || oh < 0 || ow < 0) return TensorType(in.dtype, {});
  return TensorType(in.dtype, {in.dim(0), oh, ow, in.dim(3)});
}

}  // namespace

Value* Builder::MaxPool2d(Value* input, const Window2d& window) {
  Type result = PoolType(input->type, window);
  if (result.rank() != 4) {
    Fail("lower-window",
         "MAX_POOL2D: the window does not tile the padded input " + fx::ToString(input->type));
    return input;
  }
  return Emit(Op::MAX_POOL2D, std::array{input}, std::move(result),
              {Ints32(window.kernel), Ints32(window.stride), Ints32(window.pad), kPropagate});
}

Value* Builder::AvgPool2d(Value* input, const Window2d& window) {
  Type result = PoolType(input->type, window);
  if (result.rank() != 4) {
    Fail("lower-window",
         "AVG_POOL2D: the window does not tile the padded input " + fx::ToString(input->type));
    return input;
  }
  const DType dtype = input->type.dtype;
  Value* operands[] = {input, ZeroPoint(dtype), ZeroPoint(dtype)};
  return Emit(Op::AVG_POOL2D, operands, std::move(result),
              {Ints32(window.kernel), Ints32(window.stride), Ints32(window.pad), AccType(dtype)});
}

Value* Builder::MatMul(Value* a, Value* b) {
  const Type& ta = a->type;
  const Type& tb = b->type;
  Value* operands[] = {a, b, nullptr, nullptr};
  if (ta.rank() != 3 || tb.rank() != 3 || ta.dim(0) != tb.dim(0) || ta.dim(2) != tb.dim(1) ||
      ta.dtype != tb.dtype) {
    Fail("lower-type",
         "MATMUL can not take operands of types " + OperandTypes(std::span(operands, 2)));
    return a;
  }
  operands[2] = ZeroPoint(ta.dtype);
  operands[3] = ZeroPoint(tb.dtype);
  // BF16 matrices have an FP32 product.
  const bool bfloat = ta.dtype == DType::kBF16;
  const DType out = bfloat ? DType::kFP32 : ta.dtype == DType::kINT8 ? DType::kINT32 : ta.dtype;
  Value* product = Emit(Op::MATMUL, operands, TensorType(out, {ta.dim(0), ta.dim(1), tb.dim(2)}));
  return bfloat ? Cast(product, DType::kBF16) : product;
}

Value* Builder::Resize(Value* input, ResizeMode mode, std::array<int64_t, 4> scale,
                       std::array<int64_t, 2> offset, std::array<int64_t, 2> border) {
  const Type& in = input->type;
  Dims dims = {in.dim(0)};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t n = scale[2 * i];
    const int64_t d = scale[2 * i + 1];
    const int64_t size = in.dim(static_cast<int64_t>(i) + 1);
    // TOSA specification, RESIZE: the error checks on scale, offset, border and sizes.
    constexpr int64_t kMaxScale = 1 << 11;
    constexpr int64_t kMaxSize = 16384;
    const bool fits = in.rank() == 4 && n > 0 && d > 0 && n <= kMaxScale && d < 16 * n &&
                      size < kMaxSize && offset[i] >= -n && offset[i] < 16 * n &&
                      border[i] >= -16 * n && border[i] < n;
    const int64_t span = fits ? (size - 1) * n - offset[i] + border[i] : -1;
    if (span < 0 || span % d != 0 || span / d + 1 >= kMaxSize) {
      Fail("lower-resize", "RESIZE of " + fx::ToString(in) + " by scale " + std::to_string(n) +
                               "/" + std::to_string(d) + " is outside TOSA's limits");
      return input;
    }
    dims.push_back(span / d + 1);
  }
  dims.push_back(in.dim(3));
  Value* operands[] = {input, Shape(scale), Shape(offset), Shape(border)};
  return Emit(Op::RESIZE, operands, TensorType(in.dtype, std::move(dims)),
              {static_cast<int64_t>(mode)});
}

}  // namespace tosac::lower
