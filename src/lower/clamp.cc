// SPDX-License-Identifier: Apache-2.0
// Bounds. NaN goes through; an absent bound is infinite; bounds that cross give the upper one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lower/elementwise.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void ClampTo(Lowering& lower, double min, double max) {
  Builder& b = lower.b();
  const DType dtype = lower.ResultType().dtype;
  Value* input =
      lower.Convert(lower.In("self"), WideDType(dtype) == DType::kINT32 ? DType::kINT32 : dtype);
  // CLAMP wants min <= max, and torch's result is max then.
  if (min > max) min = max;
  // Every element is NaN.
  if (std::isnan(min) || std::isnan(max)) {
    return lower.Return(
        Filled(b, dtype, std::numeric_limits<double>::quiet_NaN(), lower.ResultType().dims));
  }
  if (min == -kInfinity && max == kInfinity) return lower.ReturnAs(input);
  lower.ReturnAs(b.Clamp(input, min, max));
}

void LowerClamp(Lowering& lower) {
  ClampTo(lower, lower.Float("min", -kInfinity), lower.Float("max", kInfinity));
}

void LowerHardtanh(Lowering& lower) {
  ClampTo(lower, lower.Float("min_val", -1), lower.Float("max_val", 1));
}

void LowerRelu(Lowering& lower) { ClampTo(lower, 0, kInfinity); }
void LowerRelu6(Lowering& lower) { ClampTo(lower, 0, 6); }

// Bounds that are tensors: MAXIMUM, then MINIMUM.
void LowerClampTensor(Lowering& lower) {
  Builder& b = lower.b();
  const DType dtype = WideDType(lower.ResultType().dtype) == DType::kINT32
                          ? DType::kINT32
                          : lower.ResultType().dtype;
  Value* value = lower.Convert(lower.In("self"), dtype);
  if (lower.Has("min")) value = b.Binary(Op::MAXIMUM, value, Operand(lower, "min", dtype));
  if (lower.Has("max")) value = b.Binary(Op::MINIMUM, value, Operand(lower, "max", dtype));
  lower.ReturnAs(value);
}

// Absent values: 0 for NaN, the dtype's extremes for the infinities.
void LowerNanToNum(Lowering& lower) {
  Builder& b = lower.b();
  Value* x = lower.In("self");
  const DType dtype = x->type.dtype;
  if (!IsFloat(dtype)) return lower.Return(x);
  constexpr double kHalfMost = 65504;
  const double most = dtype == DType::kFP16   ? kHalfMost
                      : dtype == DType::kBF16 ? std::ldexp(255.0, 120)
                                              : std::numeric_limits<float>::max();
  Value* number = b.Binary(Op::EQUAL, x, x);
  Value* result = SelectScalar(b, number, x, lower.Float("nan", 0));
  result = SelectScalar(b, Equal(b, x, kInfinity), lower.Float("posinf", most), result);
  lower.Return(SelectScalar(b, Equal(b, x, -kInfinity), lower.Float("neginf", -most), result));
}

constexpr LoweringRow kRows[] = {
    {"aten.clamp.Tensor", LowerClampTensor},     {"aten.clamp.default", LowerClamp},
    {"aten.clamp_max.Tensor", LowerClampTensor}, {"aten.clamp_max.default", LowerClamp},
    {"aten.clamp_min.Tensor", LowerClampTensor}, {"aten.clamp_min.default", LowerClamp},
    {"aten.clip.default", LowerClamp},           {"aten.hardtanh.default", LowerHardtanh},
    {"aten.nan_to_num.default", LowerNanToNum},  {"aten.relu.default", LowerRelu},
    {"aten.relu6.default", LowerRelu6},
};

}  // namespace

std::span<const LoweringRow> ClampRows() { return kRows; }

}  // namespace tosac::lower
