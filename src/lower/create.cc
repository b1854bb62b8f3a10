// SPDX-License-Identifier: Apache-2.0
// Tensors that the program makes from nothing: constants of the back end.
#include <cmath>
#include <cstring>

#include "lower/registry.h"

namespace tosac::lower {
namespace {

// A splat of the result's shape; one element is all that it holds.
void ReturnSplat(Lowering& lower, double value, bool is_int, int64_t int_value) {
  const fx::Type type = lower.ResultType();
  std::vector<uint8_t> bytes(8);
  DType from = DType::kFP64;
  if (is_int) {
    std::memcpy(bytes.data(), &int_value, sizeof(int_value));
    from = DType::kINT64;
  } else {
    std::memcpy(bytes.data(), &value, sizeof(value));
  }
  const Result<fx::ConstantPtr> converted =
      fx::Converted(fx::MakeSplat(from, type.dims, bytes), lower.Narrow(type.dtype));
  if (!converted.ok()) return lower.b().Fail(converted.diag());
  lower.Return(lower.b().Helper(*converted));
}

void LowerFull(Lowering& lower) {
  const std::string_view name = lower.Has("fill_value") ? "fill_value" : "s";
  if (lower.IsFloatArg(name)) return ReturnSplat(lower, lower.Float(name, 0), false, 0);
  ReturnSplat(lower, 0, true, lower.Int(name, 0));
}

void LowerZeros(Lowering& lower) { ReturnSplat(lower, 0, true, 0); }
void LowerOnes(Lowering& lower) { ReturnSplat(lower, 0, true, 1); }

void LowerArange(Lowering& lower) {
  const fx::Type type = lower.ResultType();
  const int64_t count = type.dim(0);
  constexpr int64_t kMaxCount = int64_t{1} << 26;
  if (type.rank() != 1 || count < 0 || count > kMaxCount) {
    return lower.Fail("lower-argument", "arange of type " + fx::ToString(type));
  }
  if (IsInteger(type.dtype) && !lower.IsFloatArg("start") && !lower.IsFloatArg("step")) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    const int64_t start = lower.Int("start", 0);
    const int64_t step = lower.Int("step", 1);
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = 0;
      if (__builtin_mul_overflow(i, step, &value) || __builtin_add_overflow(start, value, &value)) {
        return lower.Fail("constant-range", "arange overflows");
      }
      values[static_cast<size_t>(i)] = value;
    }
    return lower.Return(lower.b().Ints(type.dtype, values));
  }
  std::vector<double> values(static_cast<size_t>(count));
  const double start = lower.Float("start", 0);
  const double step = lower.Float("step", 1);
  for (size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<double>(i) * step;
  lower.Return(lower.b().Floats(type.dtype, values, type.dims));
}

// [2, n]: rows and columns of the lower triangle of a row x col matrix, offset by a diagonal.
void LowerTrilIndices(Lowering& lower) {
  const int64_t rows = lower.Int("row", 0);
  const int64_t columns = lower.Int("col", 0);
  const int64_t offset = lower.Int("offset", 0);
  constexpr int64_t kMax = 1 << 13;
  if (rows < 0 || columns < 0 || rows > kMax || columns > kMax || std::abs(offset) > kMax) {
    return lower.Unsupported("a triangle of that size");
  }
  std::vector<double> values[2];
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns && c <= r + offset; ++c) {
      values[0].push_back(static_cast<double>(r));
      values[1].push_back(static_cast<double>(c));
    }
  }
  values[0].insert(values[0].end(), values[1].begin(), values[1].end());
  const fx::Type type = lower.ResultType();
  if (static_cast<int64_t>(values[0].size()) != type.NumElements()) {
    return lower.Fail("lower-argument", "tril_indices of type " + fx::ToString(type));
  }
  lower.Return(lower.b().Floats(type.dtype, values[0], type.dims));
}

constexpr LoweringRow kRows[] = {
    {"aten.arange.default", LowerArange},
    {"aten.arange.start", LowerArange},
    {"aten.arange.start_step", LowerArange},
    {"aten.empty.memory_format", LowerZeros},
    {"aten.empty_like.default", LowerZeros},
    {"aten.full.default", LowerFull},
    {"aten.full_like.default", LowerFull},
    {"aten.new_empty.default", LowerZeros},
    {"aten.new_full.default", LowerFull},
    {"aten.new_ones.default", LowerOnes},
    {"aten.new_zeros.default", LowerZeros},
    {"aten.ones.default", LowerOnes},
    {"aten.ones_like.default", LowerOnes},
    {"aten.scalar_tensor.default", LowerFull},
    {"aten.tril_indices.default", LowerTrilIndices},
    {"aten.zeros.default", LowerZeros},
    {"aten.zeros_like.default", LowerZeros},
};

}  // namespace

std::span<const LoweringRow> CreateRows() { return kRows; }

}  // namespace tosac::lower
