// SPDX-License-Identifier: Apache-2.0
#include "passes/views.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace tosac {
namespace {

using fx::Node;

// How the parent is made anew from a written view.
enum class Inverse : uint8_t {
  kReshape,    // same elements in the same order
  kTranspose,  // two axes swapped: swap them back
  kMatrix,     // the last two axes swapped
  kPermute,    // the inverse permutation
  kSelect,     // one index of an axis
  kSlice,      // a range of an axis
  kSplit,      // result i is the i-th range
  kUnbind,     // result i is index i
  kNone,       // not at all
};

struct ViewRow {
  std::string_view target;
  Inverse inverse;
  bool certain;  // never a copy
};
constexpr ViewRow kViews[] = {
    {"aten.alias.default", Inverse::kReshape, true},
    {"aten.chunk.default", Inverse::kSplit, true},
    {"aten.contiguous.default", Inverse::kReshape, false},
    {"aten.detach.default", Inverse::kReshape, true},
    {"aten.diagonal.default", Inverse::kNone, true},
    {"aten.dropout.default", Inverse::kReshape, false},
    {"aten.expand.default", Inverse::kNone, true},
    {"aten.expand_as.default", Inverse::kNone, true},
    {"aten.broadcast_to.default", Inverse::kNone, true},
    {"aten.flatten.using_ints", Inverse::kReshape, false},
    {"aten.mT.default", Inverse::kMatrix, true},
    {"aten.narrow.default", Inverse::kSlice, true},
    {"aten.numpy_T.default", Inverse::kNone, true},
    {"aten.permute.default", Inverse::kPermute, true},
    {"aten.ravel.default", Inverse::kReshape, false},
    {"aten.reshape.default", Inverse::kReshape, false},
    {"aten.reshape_as.default", Inverse::kReshape, false},
    {"aten.select.int", Inverse::kSelect, true},
    {"aten.slice.Tensor", Inverse::kSlice, true},
    {"aten.split.Tensor", Inverse::kSplit, true},
    {"aten.split.sizes", Inverse::kSplit, true},
    {"aten.split_with_sizes.default", Inverse::kSplit, true},
    {"aten.squeeze.default", Inverse::kReshape, true},
    {"aten.squeeze.dim", Inverse::kReshape, true},
    {"aten.squeeze.dims", Inverse::kReshape, true},
    {"aten.swapaxes.default", Inverse::kTranspose, true},
    {"aten.t.default", Inverse::kMatrix, true},
    {"aten.tensor_split.sections", Inverse::kSplit, true},
    {"aten.to.device", Inverse::kReshape, false},
    {"aten.to.dtype", Inverse::kReshape, false},
    {"aten.to.dtype_layout", Inverse::kReshape, false},
    {"aten.transpose.int", Inverse::kTranspose, true},
    {"aten.type_as.default", Inverse::kReshape, false},
    {"aten.unbind.int", Inverse::kUnbind, true},
    {"aten.unflatten.int", Inverse::kReshape, true},
    {"aten.unfold.default", Inverse::kNone, true},
    {"aten.unsqueeze.default", Inverse::kReshape, true},
    {"aten.view.default", Inverse::kReshape, true},
    {"aten.view_as.default", Inverse::kReshape, true},
};

const ViewRow* FindView(const Node& node) {
  if (node.kind() != fx::NodeKind::kAten) return nullptr;
  const auto* row = std::find_if(std::begin(kViews), std::end(kViews),
                                 [&](const ViewRow& r) { return r.target == node.target; });
  return row == std::end(kViews) ? nullptr : row;
}

int64_t IntArg(const Node& node, std::string_view name, int64_t fallback) {
  const fx::Arg* arg = node.FindArg(name);
  const auto* value = arg == nullptr ? nullptr : std::get_if<int64_t>(&arg->value);
  return value == nullptr ? fallback : *value;
}

int64_t Positive(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

fx::Arg Operand(std::string_view name, uint32_t index) {
  return {std::string(name), fx::OperandArg{index}, false};
}
fx::Arg Int(std::string_view name, int64_t value) { return {std::string(name), value, false}; }

// Adds nodes that lead from a part back to its parent.
class Scatterer {
 public:
  Scatterer(fx::Graph& graph, const Node& view, fx::Value* parent, Node* before)
      : graph_(graph), view_(view), parent_(parent), before_(before) {}

  fx::Value* Reshape(fx::Value* part) {
    return Add("aten.reshape.default", {Operand("self", 0), {"shape", parent_->type.dims, false}},
               std::array{part}, parent_->type);
  }

  fx::Value* Permute(fx::Value* part, std::vector<int64_t> perm) {
    return Add("aten.permute.default", {Operand("self", 0), {"dims", std::move(perm), false}},
               std::array{part}, parent_->type);
  }

  fx::Value* Slice(fx::Value* part, int64_t axis, int64_t start, int64_t end, int64_t step) {
    return Add("aten.slice_scatter.default",
               {Operand("self", 0), Operand("src", 1), Int("dim", axis), Int("start", start),
                Int("end", end), Int("step", step)},
               std::array{parent_, part}, parent_->type);
  }

  fx::Value* Select(fx::Value* part, int64_t axis, int64_t index) {
    return Add("aten.select_scatter.default",
               {Operand("self", 0), Operand("src", 1), Int("dim", axis), Int("index", index)},
               std::array{parent_, part}, parent_->type);
  }

 private:
  fx::Value* Add(std::string_view target, std::vector<fx::Arg> args,
                 std::span<fx::Value* const> operands, const fx::Type& type) {
    Node* node = graph_.AddAten(target, std::move(args), operands, {type}, view_.name, before_);
    node->stack_trace = view_.stack_trace;
    return node->result();
  }

  fx::Graph& graph_;
  const Node& view_;
  fx::Value* parent_;
  Node* before_;
};

std::vector<int64_t> SwappedAxes(int64_t rank, int64_t a, int64_t b) {
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  if (a >= 0 && a < rank && b >= 0 && b < rank) {
    std::swap(perm[static_cast<size_t>(a)], perm[static_cast<size_t>(b)]);
  }
  return perm;
}

std::vector<int64_t> InversePermutation(const Node& view, int64_t rank) {
  std::vector<int64_t> inverse = SwappedAxes(rank, 0, 0);
  const fx::Arg* arg = view.FindArg("dims");
  const auto* dims = arg == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(&arg->value);
  if (dims == nullptr || static_cast<int64_t>(dims->size()) != rank) return {};
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t axis = Positive((*dims)[static_cast<size_t>(i)], rank);
    if (axis < 0 || axis >= rank) return {};
    inverse[static_cast<size_t>(axis)] = i;
  }
  return inverse;
}

}  // namespace

bool IsView(const Node& node) { return FindView(node) != nullptr; }

bool CopiesNever(const Node& node) {
  const ViewRow* row = FindView(node);
  return row != nullptr && row->certain;
}

fx::Value* ScatterBack(fx::Graph& graph, const Node& view, size_t result, fx::Value* parent,
                       fx::Value* part, Node* before) {
  const ViewRow* row = FindView(view);
  if (row == nullptr || !row->certain) return nullptr;
  Scatterer scatter(graph, view, parent, before);
  const int64_t rank = parent->type.rank();
  const int64_t axis = Positive(IntArg(view, "dim", 0), rank);
  switch (row->inverse) {
    case Inverse::kReshape:
      return scatter.Reshape(part);
    case Inverse::kMatrix:
      return scatter.Permute(part, SwappedAxes(rank, rank - 2, rank - 1));
    case Inverse::kTranspose:
      return scatter.Permute(part, SwappedAxes(rank, Positive(IntArg(view, "dim0", 0), rank),
                                               Positive(IntArg(view, "dim1", 0), rank)));
    case Inverse::kPermute: {
      std::vector<int64_t> perm = InversePermutation(view, rank);
      return perm.empty() && rank > 0 ? nullptr : scatter.Permute(part, std::move(perm));
    }
    case Inverse::kSelect:
      return scatter.Select(part, axis, IntArg(view, "index", 0));
    case Inverse::kUnbind:
      return scatter.Select(part, axis, static_cast<int64_t>(result));
    case Inverse::kSlice: {
      const int64_t start = IntArg(view, "start", 0);
      const int64_t end = view.FindArg("length") != nullptr
                              ? Positive(start, parent->type.dim(axis)) + IntArg(view, "length", 0)
                              : IntArg(view, "end", INT64_MAX);
      return scatter.Slice(part, axis, start, end, IntArg(view, "step", 1));
    }
    case Inverse::kSplit: {
      int64_t start = 0;
      for (size_t i = 0; i < result; ++i) start += view.result(i)->type.dim(axis);
      return scatter.Slice(part, axis, start, start + part->type.dim(axis), 1);
    }
    case Inverse::kNone:
      return nullptr;
  }
  return nullptr;
}

}  // namespace tosac
