// SPDX-License-Identifier: Apache-2.0
// Parts of tensors, and tensors put together: slices, splits, concatenation, padding, flips.
#include "lower/slice.h"

#include <algorithm>
#include <limits>

#include "lower/registry.h"

namespace tosac::lower {

Value* SliceAxis(Builder& b, Value* input, int64_t axis, int64_t start, int64_t size) {
  Dims starts(input->type.dims.size(), 0);
  Dims sizes = input->type.dims;
  if (axis < 0 || axis >= input->type.rank()) {
    b.Fail("lower-type", "a slice along no axis of " + fx::ToString(input->type));
    return input;
  }
  starts[static_cast<size_t>(axis)] = start;
  sizes[static_cast<size_t>(axis)] = size;
  return b.Slice(input, std::move(starts), std::move(sizes));
}

Value* StrideAxis(Builder& b, Value* input, int64_t axis, int64_t step) {
  const int64_t size = input->type.dim(axis);
  const int64_t count = (size + step - 1) / step;
  if (step <= 1 || count == 1) return SliceAxis(b, input, axis, 0, step <= 1 ? size : 1);
  const auto a = static_cast<size_t>(axis);
  // Padded to whole steps, [.., count, step, ..], of which the first of each step stays.
  Dims pads(2 * input->type.dims.size(), 0);
  pads[2 * a + 1] = count * step - size;
  Value* padded = b.Pad(input, pads, 0);
  Dims split = padded->type.dims;
  split[a] = count;
  split.insert(split.begin() + axis + 1, step);
  Value* first = SliceAxis(b, b.Reshape(padded, split), axis + 1, 0, 1);
  Dims dims = input->type.dims;
  dims[a] = count;
  return b.Reshape(first, std::move(dims));
}

namespace {

// torch clamps the bounds of a slice into the tensor; negative ones count from the end.
int64_t ClampBound(int64_t bound, int64_t size) {
  if (bound < 0) bound = std::max<int64_t>(bound, -size) + size;
  return std::min(bound, size);
}

void LowerSlice(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  const int64_t size = input->type.dim(axis);
  const int64_t start = ClampBound(lower.Int("start", 0), size);
  const int64_t end = ClampBound(lower.Int("end", std::numeric_limits<int64_t>::max()), size);
  const int64_t step = lower.Int("step", 1);
  if (step < 1 || end <= start) return lower.Unsupported("an empty slice");
  Value* slice = SliceAxis(b, input, axis, start, end - start);
  lower.Return(StrideAxis(b, slice, axis, step));
}

// `input` with elements [start, start + part) of an axis replaced by `part`.
Value* ReplaceRange(Builder& b, Value* input, Value* part, int64_t axis, int64_t start) {
  const int64_t size = input->type.dim(axis);
  const int64_t end = start + part->type.dim(axis);
  std::vector<Value*> pieces;
  if (start > 0) pieces.push_back(SliceAxis(b, input, axis, 0, start));
  pieces.push_back(part);
  if (end < size) pieces.push_back(SliceAxis(b, input, axis, end, size - end));
  return b.Concat(pieces, axis);
}

void LowerSliceScatter(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  const int64_t size = input->type.dim(axis);
  const int64_t start = ClampBound(lower.Int("start", 0), size);
  const int64_t end = ClampBound(lower.Int("end", std::numeric_limits<int64_t>::max()), size);
  const int64_t step = lower.Int("step", 1);
  if (end <= start) return lower.Return(input);
  Dims dims = input->type.dims;
  if (static_cast<size_t>(axis) >= dims.size() || step < 1) {
    return lower.Fail("lower-argument", "slice_scatter along no axis");
  }
  dims[static_cast<size_t>(axis)] = (end - start + step - 1) / step;
  Value* part = b.BroadcastTo(lower.Convert(lower.In("src"), input->type.dtype), dims);
  if (step == 1) return lower.Return(ReplaceRange(b, input, part, axis, start));
  // Element by element between the ones that stay.
  std::vector<Value*> pieces;
  if (start > 0) pieces.push_back(SliceAxis(b, input, axis, 0, start));
  for (int64_t i = start; i < end && !b.failed(); i += step) {
    pieces.push_back(SliceAxis(b, part, axis, (i - start) / step, 1));
    const int64_t next = i + step < end ? i + step : size;
    if (next > i + 1) pieces.push_back(SliceAxis(b, input, axis, i + 1, next - i - 1));
  }
  lower.Return(b.Concat(pieces, axis));
}

void LowerSelectScatter(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  const int64_t index = lower.Int("index", 0);
  Dims dims = input->type.dims;
  if (static_cast<size_t>(axis) >= dims.size()) {
    return lower.Fail("lower-argument", "select_scatter along no axis");
  }
  dims[static_cast<size_t>(axis)] = 1;
  Value* part = b.Reshape(lower.Convert(lower.In("src"), input->type.dtype), dims);
  lower.Return(
      ReplaceRange(b, input, part, axis, index < 0 ? index + input->type.dim(axis) : index));
}

// copy: the source in the type and shape of the tensor that it overwrites.
void LowerCopy(Lowering& lower) {
  const fx::Type result = lower.ResultType();
  lower.Return(lower.b().BroadcastTo(lower.Convert(lower.In("src"), result.dtype), result.dims));
}

void LowerSelect(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  const int64_t index = lower.Int("index", 0);
  const int64_t size = input->type.dim(axis);
  Value* slice = SliceAxis(b, input, axis, index < 0 ? index + size : index, 1);
  lower.Return(b.Reshape(slice, lower.ResultType().dims));
}

void LowerNarrow(Lowering& lower) {
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  const int64_t start = lower.Int("start", 0);
  const int64_t size = input->type.dim(axis);
  lower.Return(
      SliceAxis(lower.b(), input, axis, start < 0 ? start + size : start, lower.Int("length", 0)));
}

// chunk, split, split_with_sizes, tensor_split: the archive says the sizes.
void LowerSplit(Lowering& lower) {
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  int64_t start = 0;
  for (size_t i = 0; i < lower.num_results(); ++i) {
    const int64_t size = lower.ResultType(i).dim(axis);
    // A piece that nobody uses costs nothing, and an empty one can not be made.
    if (!lower.node().result(i)->uses().empty() && size > 0) {
      lower.Return(SliceAxis(lower.b(), input, axis, start, size), i);
    }
    start += size;
  }
}

void LowerUnbind(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t axis = lower.Axis("dim", 0, input->type.rank());
  for (size_t i = 0; i < lower.num_results(); ++i) {
    if (lower.node().result(i)->uses().empty()) continue;
    Value* slice = SliceAxis(b, input, axis, static_cast<int64_t>(i), 1);
    lower.Return(b.Reshape(slice, lower.ResultType(i).dims), i);
  }
}

// The non-empty tensors of a list, in the result's dtype.
std::vector<Value*> NonEmpty(Lowering& lower, std::string_view name) {
  std::vector<Value*> values;
  for (Value* value : lower.Ins(name)) {
    if (value == nullptr || value->type.NumElements() == 0) continue;
    values.push_back(lower.Convert(value, lower.ResultType().dtype));
  }
  return values;
}

void LowerCat(Lowering& lower) {
  const std::vector<Value*> values = NonEmpty(lower, "tensors");
  if (values.empty()) return lower.Unsupported("nothing but empty tensors");
  lower.Return(lower.b().Concat(values, lower.Axis("dim", 0, lower.ResultType().rank())));
}

void LowerStack(Lowering& lower) {
  Builder& b = lower.b();
  const fx::Type result = lower.ResultType();
  const int64_t axis = lower.Axis("dim", 0, result.rank());
  Dims piece = result.dims;
  if (static_cast<size_t>(axis) < piece.size()) piece[static_cast<size_t>(axis)] = 1;
  std::vector<Value*> values = NonEmpty(lower, "tensors");
  for (Value*& value : values) value = b.Reshape(value, piece);
  lower.Return(b.Concat(values, axis));
}

// hstack, vstack, column_stack of tensors that have the rank of the result.
void LowerAlongFirstDifference(Lowering& lower, int64_t axis_rank1, int64_t axis) {
  const std::vector<Value*> values = NonEmpty(lower, "tensors");
  lower.Return(lower.b().Concat(values, lower.ResultType().rank() == 1 ? axis_rank1 : axis));
}
void LowerHstack(Lowering& lower) { LowerAlongFirstDifference(lower, 0, 1); }

void LowerFlip(Lowering& lower) {
  Value* input = lower.In("self");
  if (lower.node().target == "aten.fliplr.default")
    return lower.Return(lower.b().Reverse(input, 1));
  const Dims axes = lower.IntList("dims", {});
  if (axes.empty()) return lower.Return(input);
  for (const int64_t axis : lower.Axes("dims", input->type.rank())) {
    input = lower.b().Reverse(input, axis);
  }
  lower.Return(input);
}

Value* RollAxis(Builder& b, Value* input, int64_t axis, int64_t shift) {
  const int64_t size = input->type.dim(axis);
  shift = ((shift % size) + size) % size;
  if (shift == 0) return input;
  Value* pieces[] = {SliceAxis(b, input, axis, size - shift, shift),
                     SliceAxis(b, input, axis, 0, size - shift)};
  return b.Concat(pieces, axis);
}

void LowerRoll(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const Dims shifts = lower.IntList("shifts", {});
  const Dims axes = lower.IntList("dims", {});
  const int64_t rank = input->type.rank();
  if (axes.empty()) {
    Value* flat = b.Reshape(input, {input->type.NumElements()});
    const int64_t shift = shifts.empty() ? 0 : shifts[0];
    return lower.Return(b.Reshape(RollAxis(b, flat, 0, shift), input->type.dims));
  }
  for (size_t i = 0; i < std::min(shifts.size(), axes.size()); ++i) {
    const int64_t axis = NormalizeAxis(axes[i], rank);
    if (axis < 0 || axis >= rank) return lower.Fail("lower-argument", "no such dimension to roll");
    input = RollAxis(b, input, axis, shifts[i]);
  }
  lower.Return(input);
}

// torch lists paddings from the last dimension on: [low, high] of the last, of the one before, ...
// Negative ones cut.
Value* ConstantPad(Lowering& lower, Value* input, const Dims& padding, double value) {
  Builder& b = lower.b();
  const size_t rank = input->type.dims.size();
  if (padding.size() % 2 != 0 || padding.size() / 2 > rank) {
    lower.Fail("lower-argument", "more paddings than dimensions");
    return input;
  }
  Dims pads(2 * rank, 0);
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    const size_t axis = rank - 1 - i;
    pads[2 * axis] = std::max<int64_t>(padding[2 * i], 0);
    pads[2 * axis + 1] = std::max<int64_t>(padding[2 * i + 1], 0);
    const int64_t cut_low = std::max<int64_t>(-padding[2 * i], 0);
    const int64_t cut_high = std::max<int64_t>(-padding[2 * i + 1], 0);
    const int64_t left = input->type.dims[axis] - cut_low - cut_high;
    input = SliceAxis(b, input, static_cast<int64_t>(axis), cut_low, left);
  }
  return b.Pad(input, pads, value);
}

void LowerConstantPad(Lowering& lower) {
  Value* input = lower.In("self");
  lower.Return(ConstantPad(lower, input, lower.IntList("pad", {}), lower.Float("value", 0)));
}

enum class Border : uint8_t { kReflect, kReplicate, kCircular };

// The border of one axis mirrored, repeated or taken from the other end, joined to the tensor.
Value* BorderAxis(Builder& b, Value* input, int64_t axis, int64_t low, int64_t high,
                  Border border) {
  const int64_t size = input->type.dim(axis);
  const auto repeat = [&](int64_t start, int64_t count) {
    Dims multiples(input->type.dims.size(), 1);
    multiples[static_cast<size_t>(axis)] = count;
    return b.Tile(SliceAxis(b, input, axis, start, 1), std::move(multiples));
  };
  const auto mirror = [&](int64_t start, int64_t count) {
    return b.Reverse(SliceAxis(b, input, axis, start, count), axis);
  };
  std::vector<Value*> pieces;
  if (low > 0) {
    pieces.push_back(border == Border::kReflect     ? mirror(1, low)
                     : border == Border::kReplicate ? repeat(0, low)
                                                    : SliceAxis(b, input, axis, size - low, low));
  }
  pieces.push_back(input);
  if (high > 0) {
    pieces.push_back(border == Border::kReflect     ? mirror(size - 1 - high, high)
                     : border == Border::kReplicate ? repeat(size - 1, high)
                                                    : SliceAxis(b, input, axis, 0, high));
  }
  return b.Concat(pieces, axis);
}

// Negative paddings cut first, as torch does.
void LowerBorderPad(Lowering& lower, Border border) {
  Value* input = lower.In("self");
  const Dims padding = lower.IntList("pad", {});
  const int64_t rank = input->type.rank();
  if (padding.size() % 2 != 0 || static_cast<int64_t>(padding.size() / 2) > rank) {
    return lower.Fail("lower-argument", "more paddings than dimensions");
  }
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    const int64_t axis = rank - 1 - static_cast<int64_t>(i);
    const int64_t cut_low = std::max<int64_t>(-padding[2 * i], 0);
    const int64_t cut_high = std::max<int64_t>(-padding[2 * i + 1], 0);
    input = SliceAxis(lower.b(), input, axis, cut_low, input->type.dim(axis) - cut_low - cut_high);
    input = BorderAxis(lower.b(), input, axis, std::max<int64_t>(padding[2 * i], 0),
                       std::max<int64_t>(padding[2 * i + 1], 0), border);
  }
  lower.Return(input);
}

void LowerPad(Lowering& lower) {
  const std::string mode = lower.Str("mode", "constant");
  if (mode == "reflect") return LowerBorderPad(lower, Border::kReflect);
  if (mode == "replicate") return LowerBorderPad(lower, Border::kReplicate);
  if (mode == "circular") return LowerBorderPad(lower, Border::kCircular);
  if (mode == "constant") return LowerConstantPad(lower);
  lower.Unsupported("padding mode " + mode);
}

constexpr LoweringRow kRows[] = {
    {"aten.cat.default", LowerCat},
    {"aten.chunk.default", LowerSplit},
    {"aten.constant_pad_nd.default", LowerConstantPad},
    {"aten.copy.default", LowerCopy},
    {"aten.flip.default", LowerFlip},
    {"aten.fliplr.default", LowerFlip},
    {"aten.hstack.default", LowerHstack},
    {"aten.narrow.default", LowerNarrow},
    {"aten.pad.default", LowerPad},
    {"aten.roll.default", LowerRoll},
    {"aten.select.int", LowerSelect},
    {"aten.select_scatter.default", LowerSelectScatter},
    {"aten.slice.Tensor", LowerSlice},
    {"aten.slice_scatter.default", LowerSliceScatter},
    {"aten.split.Tensor", LowerSplit},
    {"aten.split_with_sizes.default", LowerSplit},
    {"aten.stack.default", LowerStack},
    {"aten.tensor_split.sections", LowerSplit},
    {"aten.unbind.int", LowerUnbind},
};

}  // namespace

std::span<const LoweringRow> SliceRows() { return kRows; }

}  // namespace tosac::lower
