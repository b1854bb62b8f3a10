// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters by index tensors, and selections that a constant index says.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "lower/registry.h"
#include "lower/slice.h"

namespace tosac::lower {
namespace {

// INT32 indices [shape] as a helper constant.
Value* IndexConstant(Builder& b, const std::vector<int64_t>& values, Dims shape) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int64_t));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  const Result<fx::ConstantPtr> constant = fx::Converted(
      fx::MakeConstant(DType::kINT64, std::move(shape), std::move(bytes)), DType::kINT32);
  if (!constant.ok()) {
    b.Fail(constant.diag());
    return b.ScalarInt(DType::kINT32, 0, 2);
  }
  return b.Helper(*constant);
}

// The index operand with negative indices counted from the end, when it is a constant; nullopt
// when it is computed.
std::optional<std::vector<int64_t>> ConstantIndices(Lowering& lower, const fx::Value* index,
                                                    int64_t size) {
  const fx::ConstantPtr constant = index->constant();
  if (constant == nullptr || !IsInteger(constant->dtype)) return std::nullopt;
  Result<std::vector<int64_t>> values = fx::AsInts(*constant);
  if (!values.ok()) {
    lower.b().Fail(values.diag());
    return std::nullopt;
  }
  for (int64_t& value : *values) {
    if (value < 0) value += size;
    if (value < 0 || value >= size) {
      lower.Fail("lower-index", "an index lies outside its dimension of " + std::to_string(size));
      return std::nullopt;
    }
  }
  return *values;
}

// Takes rows `indices` [W] (INT32) of axis `axis`.
Value* TakeRows(Builder& b, Value* input, int64_t axis, Value* indices) {
  const fx::Type type = input->type;
  const int64_t count = indices->type.NumElements();
  int64_t before = 1;
  for (int64_t i = 0; i < axis; ++i) before *= type.dim(i);
  if (type.dim(axis) <= 0 || before <= 0) {
    b.Fail("lower-type", "indexing " + fx::ToString(type));
    return input;
  }
  const int64_t after = type.NumElements() / (before * type.dim(axis));
  b.AssumeRange(indices, 0, static_cast<double>(type.dim(axis) - 1));
  Value* flat = b.Reshape(indices, {1, count});
  Value* rows = b.Reshape(input, {before, type.dim(axis), after});
  if (before > 1) flat = b.BroadcastTo(flat, {before, count});
  Dims dims = type.dims;
  dims[static_cast<size_t>(axis)] = count;
  return b.Reshape(b.Gather(rows, flat), dims);
}

// Adds the size to negative indices of a computed index tensor.
Value* WrapNegative(Builder& b, Value* index, int64_t size) {
  Value* zero = b.ScalarInt(index->type.dtype, 0, index->type.rank());
  Value* negative = b.Binary(Op::GREATER, zero, index);
  Value* wrapped =
      b.Binary(Op::ADD, index, b.ScalarInt(index->type.dtype, size, index->type.rank()));
  return b.Select(negative, wrapped, index);
}

void LowerEmbedding(Lowering& lower) {
  Builder& b = lower.b();
  Value* indices = lower.In("indices");
  Value* rows = TakeRows(b, lower.In("weight"), 0, indices);
  lower.Return(b.Reshape(rows, lower.ResultType().dims));
}

void LowerIndexSelect(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  if (input->type.rank() == 0) return lower.Return(input);
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  lower.Return(b.Reshape(TakeRows(b, input, axis, lower.In("index")), lower.ResultType().dims));
}

// gather: out[i][j][k] = self[index[i][j][k]][j][k] for dim 0. The axis goes last, the others are
// the batch; self is cut to the index's sizes in those.
void LowerGather(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  Value* index = lower.In(lower.Has("index") ? "index" : "indices");
  const int64_t rank = input->type.rank();
  if (rank == 0) return lower.Return(input);
  if (index->type.rank() != rank) {
    return lower.Fail("lower-argument", "an index of another rank than the tensor");
  }
  const int64_t axis = lower.Axis("dim", 0, rank);
  b.AssumeRange(index, 0, static_cast<double>(input->type.dim(axis) - 1));
  Dims size = input->type.dims;
  Dims perm;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis) continue;
    const auto at = static_cast<size_t>(i);
    if (lower.node().target == "aten.take_along_dim.default") {
      // Broadcasts instead of cutting.
      if (index->type.dims[at] != size[at] && index->type.dims[at] != 1 && size[at] != 1) {
        return lower.Fail("lower-argument", "the index does not broadcast to the tensor");
      }
    } else {
      size[at] = std::min(size[at], index->type.dims[at]);
    }
    perm.push_back(i);
  }
  perm.push_back(axis);
  input = b.Slice(input, Dims(size.size(), 0), size);
  Dims common = index->type.dims;
  for (size_t i = 0; i < common.size(); ++i) {
    if (static_cast<int64_t>(i) != axis) common[i] = std::max(common[i], input->type.dims[i]);
  }
  Dims input_dims = common;
  input_dims[static_cast<size_t>(axis)] = input->type.dim(axis);
  input = b.Transpose(b.BroadcastTo(input, input_dims), perm);
  index = b.Transpose(b.BroadcastTo(index, common), perm);
  const int64_t k = input->type.dim(-1);
  const int64_t w = index->type.dim(-1);
  const int64_t n = k > 0 ? input->type.NumElements() / k : 0;
  Value* taken = b.Gather(b.Reshape(input, {n, k, 1}), b.Reshape(index, {n, w}));
  Dims back(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  lower.Return(b.Transpose(b.Reshape(taken, index->type.dims), back));
}

// The operands of index.Tensor and index_put: where they stand, and their common shape.
struct IndexList {
  std::vector<int64_t> axes;             // dimensions that are indexed
  std::vector<const fx::Value*> values;  // ATen's
  Dims shape;                            // of all of them, broadcast
  bool adjacent = true;                  // the axes are neighbours
};

bool ReadIndices(Lowering& lower, int64_t rank, IndexList* list) {
  const fx::Arg* arg = lower.node().FindArg("indices");
  const auto* operands = arg == nullptr ? nullptr : std::get_if<fx::OperandListArg>(&arg->value);
  if (operands == nullptr || static_cast<int64_t>(operands->indices.size()) > rank) {
    lower.Fail("lower-argument", "more indices than dimensions");
    return false;
  }
  for (size_t i = 0; i < operands->indices.size(); ++i) {
    if (operands->indices[i] < 0) continue;
    const fx::Value* value = lower.node().operand(static_cast<size_t>(operands->indices[i]));
    if (!IsInteger(value->type.dtype)) {
      lower.Unsupported("an index of type " + fx::ToString(value->type) +
                        "; how many elements a mask selects is not known");
      return false;
    }
    const std::optional<Dims> shape = BroadcastDims(list->shape, value->type.dims);
    if (!shape) {
      lower.Fail("lower-argument", "the indices do not broadcast");
      return false;
    }
    list->shape = *shape;
    if (!list->axes.empty() && list->axes.back() + 1 != static_cast<int64_t>(i)) {
      list->adjacent = false;
    }
    list->axes.push_back(static_cast<int64_t>(i));
    list->values.push_back(value);
  }
  return !list->axes.empty();
}

// One index [count] into the indexed axes merged row-major: sum of index_i * stride_i.
Value* LinearIndex(Lowering& lower, const IndexList& list, const Dims& sizes) {
  Builder& b = lower.b();
  int64_t count = 1;
  for (const int64_t dim : list.shape) count *= dim;
  std::vector<int64_t> known(static_cast<size_t>(count), 0);
  bool all_known = true;
  Value* computed = nullptr;
  int64_t stride = 1;
  for (size_t i = list.axes.size(); i-- > 0;) {
    const auto values = ConstantIndices(lower, list.values[i], sizes[i]);
    if (b.failed()) return b.ScalarInt(DType::kINT32, 0, 1);
    all_known = all_known && values.has_value();
    if (values) {
      // Broadcast by views of a constant.
      std::vector<uint8_t> bytes(values->size() * sizeof(int64_t));
      std::memcpy(bytes.data(), values->data(), bytes.size());
      const fx::ConstantPtr full = fx::Expanded(
          fx::MakeConstant(DType::kINT64, list.values[i]->type.dims, std::move(bytes)), list.shape);
      const Result<std::vector<int64_t>> elements = fx::AsInts(*full);
      for (size_t j = 0; elements.ok() && j < known.size(); ++j) {
        known[j] += (*elements)[j] * stride;
      }
    } else {
      Value* given = lower.Lowered(list.values[i]);
      b.AssumeRange(given, static_cast<double>(-sizes[i]), static_cast<double>(sizes[i] - 1));
      Value* index = WrapNegative(b, given, sizes[i]);
      index = b.Reshape(b.BroadcastTo(index, list.shape), {count});
      if (stride != 1) index = b.Mul(index, b.ScalarInt(index->type.dtype, stride, 1));
      computed = computed == nullptr ? index : b.Binary(Op::ADD, computed, index);
    }
    stride *= sizes[i];
  }
  if (computed == nullptr) return IndexConstant(b, known, {count});
  const bool nothing_known =
      std::all_of(known.begin(), known.end(), [](int64_t v) { return v == 0; });
  if (nothing_known) return computed;
  return b.Binary(Op::ADD, computed,
                  b.Cast(IndexConstant(b, known, {count}), computed->type.dtype));
}

// Indexed axes to the front (index.Tensor) in order, the others behind.
Dims FrontPermutation(int64_t rank, const std::vector<int64_t>& axes) {
  Dims perm(axes.begin(), axes.end());
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) perm.push_back(i);
  }
  return perm;
}

void LowerIndex(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t rank = input->type.rank();
  IndexList list;
  if (!ReadIndices(lower, rank, &list)) return;
  Dims sizes;
  int64_t rows = 1;
  for (const int64_t axis : list.axes) {
    sizes.push_back(input->type.dim(axis));
    rows *= sizes.back();
  }
  Value* front = b.Transpose(input, FrontPermutation(rank, list.axes));
  if (rows <= 0) return lower.Fail("lower-type", "indexing " + fx::ToString(input->type));
  const int64_t after = front->type.NumElements() / rows;
  Value* index = LinearIndex(lower, list, sizes);
  const int64_t count = index->type.dim(0);
  Value* taken = b.Gather(b.Reshape(front, {1, rows, after}), b.Reshape(index, {1, count}));
  Dims dims = list.shape;
  const Dims& front_dims = front->type.dims;
  dims.insert(dims.end(), front_dims.begin() + static_cast<ptrdiff_t>(list.axes.size()),
              front_dims.end());
  taken = b.Reshape(taken, dims);
  if (list.adjacent && list.axes[0] > 0) {
    // Neighbouring indices leave their dimensions where they stood.
    const auto indexed = static_cast<int64_t>(list.shape.size());
    Dims perm;
    for (int64_t i = 0; i < list.axes[0]; ++i) perm.push_back(indexed + i);
    for (int64_t i = 0; i < indexed; ++i) perm.push_back(i);
    for (int64_t i = indexed + list.axes[0]; i < static_cast<int64_t>(dims.size()); ++i) {
      perm.push_back(i);
    }
    taken = b.Transpose(taken, perm);
  }
  lower.Return(taken);
}

// The main diagonal (and others) of two axes, which the archive's shape ends with.
void LowerDiagonal(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t rank = input->type.rank();
  const int64_t offset = lower.Int("offset", 0);
  const int64_t axis1 = lower.Axis("dim1", 0, rank);
  const int64_t axis2 = lower.Axis("dim2", 1, rank);
  if (axis1 == axis2) return lower.Fail("lower-argument", "a diagonal of one dimension");
  const fx::Type result = lower.ResultType();
  Dims perm = {axis1, axis2};
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis1 && i != axis2) perm.push_back(i);
  }
  Value* front = b.Transpose(input, perm);
  const int64_t columns = front->type.dim(1);
  const int64_t rows = front->type.dim(0);
  const int64_t count = result.dim(-1);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = i + std::max<int64_t>(-offset, 0);
    const int64_t column = i + std::max<int64_t>(offset, 0);
    if (row >= rows || column >= columns) return lower.Fail("lower-argument", "no such diagonal");
    indices.push_back(row * columns + column);
  }
  const int64_t after = front->type.NumElements() / (rows * columns);
  Value* taken =
      b.Gather(b.Reshape(front, {1, rows * columns, after}), IndexConstant(b, indices, {1, count}));
  // [count, rest...] to [rest..., count].
  Dims dims = {count};
  Dims back;
  for (int64_t i = 0; i + 1 < result.rank(); ++i) {
    dims.push_back(result.dim(i));
    back.push_back(i + 1);
  }
  back.push_back(0);
  lower.Return(b.Transpose(b.Reshape(taken, dims), back));
}

// Windows of `size` every `step` along a dimension, as a new last dimension.
void LowerUnfold(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dimension", 0, input->type.rank());
  const int64_t size = lower.Int("size", 1);
  const int64_t step = lower.Int("step", 1);
  const fx::Type result = lower.ResultType();
  const int64_t count = result.dim(axis);
  if (size < 1 || step < 1 || (count - 1) * step + size > input->type.dim(axis)) {
    return lower.Fail("lower-argument", "windows that do not fit the tensor");
  }
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < size; ++j) indices.push_back(i * step + j);
  }
  Value* taken = TakeRows(b, input, axis, IndexConstant(b, indices, {count * size}));
  Dims dims = input->type.dims;
  dims[static_cast<size_t>(axis)] = count;
  dims.insert(dims.begin() + axis + 1, size);
  Dims perm;
  for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i) {
    if (i != axis + 1) perm.push_back(i);
  }
  perm.push_back(axis + 1);
  lower.Return(b.Transpose(b.Reshape(taken, dims), perm));
}

// tril and triu: SELECT by a comparison of a column and a row of numbers, no n x n constant.
void LowerTriangle(Lowering& lower, bool lower_part) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t rows = input->type.dim(-2);
  const int64_t columns = input->type.dim(-1);
  const auto diagonal = static_cast<double>(lower.Int("diagonal", 0));
  const auto range = [](int64_t count, double start) {
    std::vector<double> values(static_cast<size_t>(std::max<int64_t>(count, 0)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<double>(i);
    return values;
  };
  if (input->type.rank() < 2) return lower.Fail("lower-argument", "a triangle of no matrix");
  Value* row = b.Floats(DType::kFP32, range(rows, diagonal), {rows, 1});
  Value* column = b.Floats(DType::kFP32, range(columns, 0), {1, columns});
  Value* keep = lower_part ? b.Binary(Op::GREATER_EQUAL, row, column)
                           : b.Binary(Op::GREATER_EQUAL, column, row);
  if (input->type.dtype == DType::kBOOL) {
    return lower.Return(b.Binary(Op::LOGICAL_AND, input, keep));
  }
  lower.Return(b.Select(keep, input, b.ScalarLike(input, 0)));
}

void LowerTril(Lowering& lower) { LowerTriangle(lower, true); }
void LowerTriu(Lowering& lower) { LowerTriangle(lower, false); }

// [N, G * C, ...] with the two factors of the channels swapped.
void LowerChannelShuffle(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const fx::Type type = input->type;
  const int64_t groups = lower.Int("groups", 1);
  if (type.rank() < 3 || groups < 1 || type.dim(1) % groups != 0) {
    return lower.Fail("lower-argument", "the channels can not be split into the groups");
  }
  const int64_t n = type.dim(0);
  const int64_t rest = type.NumElements() / (n * type.dim(1));
  Value* split = b.Reshape(input, {n, groups, type.dim(1) / groups, rest});
  lower.Return(b.Reshape(b.Transpose(split, Dims{0, 2, 1, 3}), type.dims));
}

constexpr LoweringRow kRows[] = {
    {"aten.channel_shuffle.default", LowerChannelShuffle},
    {"aten.diagonal.default", LowerDiagonal},
    {"aten.embedding.default", LowerEmbedding},
    {"aten.gather.default", LowerGather},
    {"aten.index.Tensor", LowerIndex},
    {"aten.index_select.default", LowerIndexSelect},
    {"aten.take_along_dim.default", LowerGather},
    {"aten.tril.default", LowerTril},
    {"aten.triu.default", LowerTriu},
    {"aten.unfold.default", LowerUnfold},
};

}  // namespace

std::span<const LoweringRow> IndexRows() { return kRows; }

}  // namespace tosac::lower
