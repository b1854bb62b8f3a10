// SPDX-License-Identifier: Apache-2.0
// TRANSPOSEs are merged, turned into RESHAPEs where only axes of size 1 move, and moved down past
// what can run in the other layout, until two meet and cancel out.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "passes/registry.h"
#include "passes/tosa_nodes.h"

namespace tosac {
namespace {

using fx::Graph;
using fx::Node;
using fx::Type;
using Perm = std::vector<int32_t>;

const Perm& PermOf(const Node& transpose) { return std::get<Perm>(transpose.attrs[0]); }

bool IsTranspose(const Node* node) { return node != nullptr && node->IsTosa(Op::TRANSPOSE); }

Perm Inverse(const Perm& perm) {
  Perm inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<size_t>(perm[i])] = static_cast<int32_t>(i);
  }
  return inverse;
}

bool IsIdentity(const Perm& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int32_t>(i)) return false;
  }
  return true;
}

// The axes of more than one element keep their order.
bool MovesOnlyOnes(const Perm& perm, const std::vector<int64_t>& dims) {
  int32_t last = -1;
  for (const int32_t axis : perm) {
    if (dims[static_cast<size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

std::vector<int64_t> Permuted(const std::vector<int64_t>& dims, const Perm& perm) {
  std::vector<int64_t> result;
  for (const int32_t axis : perm) result.push_back(dims[static_cast<size_t>(axis)]);
  return result;
}

bool IsReduction(Op op) {
  switch (op) {
    case Op::REDUCE_ALL:
    case Op::REDUCE_ANY:
    case Op::REDUCE_MAX:
    case Op::REDUCE_MIN:
    case Op::REDUCE_PRODUCT:
    case Op::REDUCE_SUM:
      return true;
    default:
      return false;
  }
}

class Simplifier {
 public:
  explicit Simplifier(Graph& graph) : graph_(graph) {}

  Changed Run() {
    for (Node* node : graph_.Nodes()) {
      if (node->erased() || node->kind() != fx::NodeKind::kTosa) continue;
      if (node->op == Op::TRANSPOSE) {
        SimplifyTranspose(node);
      } else if (IsElementwise(node->op)) {
        SinkThroughElementwise(node);
      } else if (node->op == Op::CONCAT) {
        SinkThroughConcat(node);
      } else if (IsReduction(node->op) || node->op == Op::REVERSE) {
        SinkThroughAxis(node);
      } else if (node->op == Op::PAD) {
        SinkThroughPad(node);
      }
    }
    return changed_;
  }

 private:
  void SimplifyTranspose(Node* node) {
    Node* inner = node->operand(0)->def();
    if (IsTranspose(inner)) {
      const Perm outer_perm = PermOf(*node);
      const Perm inner_perm = PermOf(*inner);
      Perm merged;
      for (const int32_t axis : outer_perm) merged.push_back(inner_perm[static_cast<size_t>(axis)]);
      node->SetOperand(0, inner->operand(0));
      node->attrs[0] = merged;
      changed_ = Changed::kYes;
    }
    if (MoveBeforeReshape(node)) return;
    const Perm perm = PermOf(*node);
    if (IsIdentity(perm)) {
      if (ReplaceValue(node->result(), node->operand(0))) changed_ = Changed::kYes;
      return;
    }
    if (!MovesOnlyOnes(perm, node->operand(0)->type.dims)) return;
    fx::Value* shape =
        AddShapeConstant(graph_, node->result()->type.dims, node->result()->name + "_shape", node);
    const std::array<fx::Value*, 2> operands = {node->operand(0), shape};
    Node* reshape = graph_.AddTosa(Op::RESHAPE, operands, {node->result()->type}, {},
                                   node->result()->name, node);
    reshape->name = node->name;
    reshape->stack_trace = node->stack_trace;
    const std::string name = node->result()->name;
    node->result()->ReplaceAllUsesWith(reshape->result());
    graph_.Erase(node);
    graph_.Rename(reshape->result(), name);
    changed_ = Changed::kYes;
  }

  // TRANSPOSE(RESHAPE(TRANSPOSE(x))), where the RESHAPE only merges the first two axes and the
  // outer TRANSPOSE leaves them in front, is RESHAPE(TRANSPOSE(x)).
  bool MoveBeforeReshape(Node* node) {
    Node* reshape = node->operand(0)->def();
    if (reshape == nullptr || !reshape->IsTosa(Op::RESHAPE)) return false;
    const Node* inner = reshape->operand(0)->def();
    const Perm perm = PermOf(*node);
    const std::vector<int64_t>& wide = reshape->operand(0)->type.dims;
    const std::vector<int64_t>& merged = reshape->result()->type.dims;
    const bool merges = wide.size() == merged.size() + 1 && wide.size() >= 3 &&
                        std::equal(wide.begin() + 2, wide.end(), merged.begin() + 1);
    if (!IsTranspose(inner) || !merges || perm[0] != 0) return false;
    Perm moved = {0, 1};
    for (size_t i = 1; i < perm.size(); ++i) moved.push_back(perm[i] + 1);
    const Perm& inner_perm = PermOf(*inner);
    Perm both;
    for (const int32_t axis : moved) both.push_back(inner_perm[static_cast<size_t>(axis)]);
    fx::Value* source = inner->operand(0);
    const Type moved_type = {fx::TypeKind::kTensor, source->type.dtype,
                             Permuted(source->type.dims, both), true};
    Node* transpose = graph_.AddTosa(Op::TRANSPOSE, std::array{source}, {moved_type}, {both},
                                     node->result()->name, node);
    fx::Value* shape =
        AddShapeConstant(graph_, node->result()->type.dims, node->result()->name + "_shape", node);
    const std::array<fx::Value*, 2> operands = {transpose->result(), shape};
    Node* outer = graph_.AddTosa(Op::RESHAPE, operands, {node->result()->type}, {},
                                 node->result()->name, node);
    for (Node* added : {transpose, outer}) {
      added->name = node->name;
      added->stack_trace = node->stack_trace;
    }
    const std::string name = node->result()->name;
    node->result()->ReplaceAllUsesWith(outer->result());
    graph_.Erase(node);
    graph_.Rename(outer->result(), name);
    changed_ = Changed::kYes;
    return true;
  }

  // The TRANSPOSE that makes the operand, when moving it past `node` costs nothing: its other users
  // are TRANSPOSEs, which merge with it, or operators that it can move past too.
  static const Node* MovableTranspose(const fx::Value* operand, const Node& node) {
    const Node* def = operand->def();
    if (!IsTranspose(def)) return nullptr;
    for (const fx::Use& use : operand->uses()) {
      const bool movable =
          use.node == &node || (use.node->kind() == fx::NodeKind::kTosa &&
                                (use.node->op == Op::TRANSPOSE || IsElementwise(use.node->op)));
      if (!movable) return nullptr;
    }
    return def;
  }

  void SinkThroughElementwise(Node* node) {
    const Node* transpose = nullptr;
    for (size_t i = 0; i < node->operands().size(); ++i) {
      if (!IsElementOperand(*node, i)) continue;
      const fx::Value* operand = node->operand(i);
      if (operand->type.NumElements() == 1) continue;
      if (operand->constant() != nullptr) {
        if (operand->type.rank() != node->result()->type.rank()) return;
        continue;
      }
      const Node* def = MovableTranspose(operand, *node);
      if (def == nullptr || operand->type.rank() != node->result()->type.rank()) return;
      if (transpose != nullptr && PermOf(*transpose) != PermOf(*def)) return;
      transpose = def;
    }
    if (transpose == nullptr) return;
    const Perm perm = PermOf(*transpose);
    const Perm inverse = Inverse(perm);
    for (size_t i = 0; i < node->operands().size(); ++i) {
      if (!IsElementOperand(*node, i)) continue;
      fx::Value* operand = node->operand(i);
      if (operand->constant() != nullptr) {
        if (operand->type.NumElements() != 1) {
          node->SetOperand(i, PermutedConstant(operand, inverse, node));
        }
      } else if (IsTranspose(operand->def())) {
        node->SetOperand(i, operand->def()->operand(0));
      }
    }
    AddTransposeAfter(node, perm);
  }

  fx::Value* PermutedConstant(fx::Value* value, const Perm& perm, Node* before) {
    const std::vector<int64_t> wide(perm.begin(), perm.end());
    const Node* def = value->def();
    return graph_.AddConstant(fx::Permuted(def->constant, wide), value->name, def->pooled, before)
        ->result();
  }

  void SinkThroughConcat(Node* node) {
    const Node* transpose = nullptr;
    for (const fx::Value* operand : node->operands()) {
      const Node* def = MovableTranspose(operand, *node);
      if (def == nullptr || (transpose != nullptr && PermOf(*transpose) != PermOf(*def))) return;
      transpose = def;
    }
    if (transpose == nullptr) return;
    const Perm perm = PermOf(*transpose);
    for (size_t i = 0; i < node->operands().size(); ++i) {
      node->SetOperand(i, node->operand(i)->def()->operand(0));
    }
    RemapAxis(node, perm);
    AddTransposeAfter(node, perm);
  }

  static void RemapAxis(Node* node, const Perm& perm) {
    const auto axis = static_cast<size_t>(std::get<int64_t>(node->attrs[0]));
    node->attrs[0] = int64_t{perm[axis]};
  }

  void SinkThroughAxis(Node* node) {
    const Node* def = node->operand(0)->def();
    if (!IsTranspose(def) || !UsedOnlyBy(*node->operand(0), *node)) return;
    const Perm perm = PermOf(*def);
    node->SetOperand(0, def->operand(0));
    RemapAxis(node, perm);
    AddTransposeAfter(node, perm);
  }

  void SinkThroughPad(Node* node) {
    const Node* def = node->operand(0)->def();
    const fx::ConstantPtr pads = node->operand(1)->constant();
    if (!IsTranspose(def) || !UsedOnlyBy(*node->operand(0), *node) || pads == nullptr) return;
    const Result<std::vector<int64_t>> values = fx::AsInts(*pads);
    const Perm perm = PermOf(*def);
    if (!values.ok() || values->size() != 2 * perm.size()) return;
    std::vector<int64_t> moved(values->size());
    for (size_t i = 0; i < perm.size(); ++i) {
      const auto axis = static_cast<size_t>(perm[i]);
      moved[2 * axis] = (*values)[2 * i];
      moved[2 * axis + 1] = (*values)[2 * i + 1];
    }
    node->SetOperand(0, def->operand(0));
    node->SetOperand(1, AddShapeConstant(graph_, moved, node->operand(1)->name, node));
    AddTransposeAfter(node, perm);
  }

  void AddTransposeAfter(Node* node, const Perm& perm) {
    fx::Value* result = node->result();
    const Type outside = result->type;
    Type inside = outside;
    inside.dims = Permuted(outside.dims, Inverse(perm));
    Node* transpose = graph_.AddTosa(Op::TRANSPOSE, std::array{result}, {outside}, {perm},
                                     result->name, node->next());
    MoveUsersTo(node, inside, transpose);
    changed_ = Changed::kYes;
  }

  Graph& graph_;
  Changed changed_ = Changed::kNo;
};

}  // namespace

Result<Changed> SimplifyTransposes(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    if (Simplifier(*graph).Run() == Changed::kYes) changed = Changed::kYes;
  }
  return changed;
}

}  // namespace tosac
