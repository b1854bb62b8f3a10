// SPDX-License-Identifier: Apache-2.0
// Views and permutations: the same elements under another shape or order.
#include <numeric>

#include "lower/registry.h"

namespace tosac::lower {
namespace {

// Operators that keep the elements in row-major order: the archive says the new shape.
void LowerReshape(Lowering& lower) {
  lower.Return(lower.b().Reshape(lower.In("self"), lower.ResultType().dims));
}

// Operators that change nothing that TOSA sees (memory formats, autograd, copies).
void LowerSame(Lowering& lower) { lower.Return(lower.In("self")); }

// Bits seen as another type of the same width are no operator of TOSA.
void LowerViewDtype(Lowering& lower) {
  if (lower.AtenType("self").dtype != lower.node().result()->type.dtype) {
    return lower.Unsupported("bits of one type seen as another");
  }
  LowerReshape(lower);
}

void LowerDropout(Lowering& lower) {
  if (lower.Bool("train", false) && lower.Float("p", 0.5) != 0) {
    return lower.Unsupported("dropout in training mode; call model.eval() before the export");
  }
  lower.Return(lower.In("input"));
}

Dims Identity(int64_t rank) {
  Dims perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

void LowerPermute(Lowering& lower) {
  Value* input = lower.In("self");
  Dims perm = lower.IntList("dims", {});
  for (int64_t& axis : perm) axis = NormalizeAxis(axis, input->type.rank());
  lower.Return(lower.b().Transpose(input, perm));
}

void LowerTranspose(Lowering& lower) {
  Value* input = lower.In("self");
  const int64_t rank = input->type.rank();
  if (rank == 0) return lower.Return(input);
  Dims perm = Identity(rank);
  // swapaxes has other names for the same two.
  const bool axes = lower.Has("axis0");
  const auto dim0 = static_cast<size_t>(lower.Axis(axes ? "axis0" : "dim0", 0, rank));
  const auto dim1 = static_cast<size_t>(lower.Axis(axes ? "axis1" : "dim1", 0, rank));
  std::swap(perm[dim0], perm[dim1]);
  lower.Return(lower.b().Transpose(input, perm));
}

// The last two dimensions swapped (t, mT), or all of them reversed (numpy_T).
void LowerMatrixTranspose(Lowering& lower) {
  Value* input = lower.In("self");
  Dims perm = Identity(input->type.rank());
  if (perm.size() >= 2) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  lower.Return(lower.b().Transpose(input, perm));
}

void LowerNumpyT(Lowering& lower) {
  Value* input = lower.In("self");
  Dims perm = Identity(input->type.rank());
  lower.Return(lower.b().Transpose(input, Dims(perm.rbegin(), perm.rend())));
}

void LowerMovedim(Lowering& lower) {
  Value* input = lower.In("self");
  const int64_t rank = input->type.rank();
  const Dims source = lower.IntList("source", {});
  const Dims destination = lower.IntList("destination", {});
  Dims perm(static_cast<size_t>(rank), -1);
  std::vector<bool> moved(static_cast<size_t>(rank), false);
  for (size_t i = 0; i < std::min(source.size(), destination.size()); ++i) {
    const int64_t from = NormalizeAxis(source[i], rank);
    const int64_t to = NormalizeAxis(destination[i], rank);
    if (from < 0 || from >= rank || to < 0 || to >= rank) {
      return lower.Fail("lower-argument", "a dimension to move is outside the tensor");
    }
    perm[static_cast<size_t>(to)] = from;
    moved[static_cast<size_t>(from)] = true;
  }
  int64_t next = 0;
  for (int64_t& axis : perm) {
    if (axis >= 0) continue;
    while (next < rank && moved[static_cast<size_t>(next)]) ++next;
    axis = next++;
  }
  lower.Return(lower.b().Transpose(input, perm));
}

// expand, broadcast_to: the archive says the new shape.
void LowerExpand(Lowering& lower) {
  lower.Return(lower.b().BroadcastTo(lower.In("self"), lower.ResultType().dims));
}

void LowerRepeat(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const Dims repeats = lower.IntList(lower.Has("repeats") ? "repeats" : "dims", {});
  Dims multiples = repeats;
  Dims dims = input->type.dims;
  // tile pads the shorter of the two, repeat only the tensor.
  if (multiples.size() < dims.size()) {
    multiples.insert(multiples.begin(), dims.size() - multiples.size(), 1);
  }
  dims.insert(dims.begin(), multiples.size() - dims.size(), 1);
  lower.Return(b.Tile(b.Reshape(input, std::move(dims)), std::move(multiples)));
}

// [N, C*r*r, H, W] -> [N, C, H*r, W*r], for any number of leading dimensions.
void LowerPixelShuffle(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t r = lower.Int("upscale_factor", 1);
  const fx::Type& type = input->type;
  if (type.rank() < 3 || r < 1 || type.dim(-3) % (r * r) != 0) {
    return lower.Fail("lower-type", "pixel_shuffle of " + fx::ToString(type));
  }
  const int64_t c = type.dim(-3) / (r * r);
  const int64_t n = type.NumElements() / (type.dim(-3) * type.dim(-2) * type.dim(-1));
  Value* split = b.Reshape(input, {n * c, r, r, type.dim(-2), type.dim(-1)});
  Value* shuffled = b.Transpose(split, Dims{0, 3, 1, 4, 2});
  lower.Return(b.Reshape(shuffled, lower.ResultType().dims));
}

void LowerPixelUnshuffle(Lowering& lower) {
  Builder& b = lower.b();
  Value* input = lower.In("self");
  const int64_t r = lower.Int("downscale_factor", 1);
  const fx::Type& type = input->type;
  if (type.rank() < 3 || r < 1 || type.dim(-2) % r != 0 || type.dim(-1) % r != 0) {
    return lower.Fail("lower-type", "pixel_unshuffle of " + fx::ToString(type));
  }
  const int64_t n = type.NumElements() / (type.dim(-2) * type.dim(-1));
  Value* split = b.Reshape(input, {n, type.dim(-2) / r, r, type.dim(-1) / r, r});
  Value* shuffled = b.Transpose(split, Dims{0, 2, 4, 1, 3});
  lower.Return(b.Reshape(shuffled, lower.ResultType().dims));
}

constexpr LoweringRow kRows[] = {
    {"aten.alias.default", LowerSame},
    {"aten.alpha_dropout.default", LowerDropout},
    {"aten.broadcast_to.default", LowerExpand},
    {"aten.clone.default", LowerSame},
    {"aten.contiguous.default", LowerSame},
    {"aten.detach.default", LowerSame},
    {"aten.dropout.default", LowerDropout},
    {"aten.expand.default", LowerExpand},
    {"aten.expand_as.default", LowerExpand},
    {"aten.feature_dropout.default", LowerDropout},
    {"aten.flatten.using_ints", LowerReshape},
    {"aten.lift_fresh_copy.default", LowerSame},
    {"aten.mT.default", LowerMatrixTranspose},
    {"aten.movedim.int", LowerMovedim},
    {"aten.numpy_T.default", LowerNumpyT},
    {"aten.permute.default", LowerPermute},
    {"aten.pixel_shuffle.default", LowerPixelShuffle},
    {"aten.pixel_unshuffle.default", LowerPixelUnshuffle},
    {"aten.ravel.default", LowerReshape},
    {"aten.repeat.default", LowerRepeat},
    {"aten.reshape.default", LowerReshape},
    {"aten.reshape_as.default", LowerReshape},
    {"aten.squeeze.default", LowerReshape},
    {"aten.squeeze.dim", LowerReshape},
    {"aten.squeeze.dims", LowerReshape},
    {"aten.swapaxes.default", LowerTranspose},
    {"aten.t.default", LowerMatrixTranspose},
    {"aten.tile.default", LowerRepeat},
    {"aten.transpose.int", LowerTranspose},
    {"aten.unflatten.int", LowerReshape},
    {"aten.unsqueeze.default", LowerReshape},
    {"aten.view.default", LowerReshape},
    {"aten.view.dtype", LowerViewDtype},
    {"aten.view_as.default", LowerReshape},
};

}  // namespace

std::span<const LoweringRow> ViewRows() { return kRows; }

}  // namespace tosac::lower
