// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "passes/registry.h"
#include "passes/tosa_nodes.h"

namespace tosac {
namespace {

using fx::Graph;
using fx::Node;
using fx::Type;

class Simplifier {
 public:
  explicit Simplifier(Graph& graph) : graph_(graph) {}

  Changed Run() {
    for (Node* node : graph_.Nodes()) {
      if (node->erased() || node->kind() != fx::NodeKind::kTosa) continue;
      if (node->op == Op::RESHAPE) {
        SimplifyReshape(node);
      } else if (IsElementwise(node->op)) {
        SinkReshapes(node);
      }
    }
    return changed_;
  }

 private:
  void SimplifyReshape(Node* node) {
    const Node* inner = node->operand(0)->def();
    if (inner != nullptr && inner->IsTosa(Op::RESHAPE)) {
      node->SetOperand(0, inner->operand(0));
      changed_ = Changed::kYes;
    }
    if (node->operand(0)->type == node->result()->type &&
        ReplaceValue(node->result(), node->operand(0))) {
      changed_ = Changed::kYes;
    }
  }

  // op(RESHAPE(x), RESHAPE(y), scalar) is RESHAPE(op(x, y, scalar)) where x and y have one shape.
  void SinkReshapes(Node* node) {
    // Not below a CAST to an integer: the profile FP has no RESHAPE of one.
    if (node->op == Op::CAST && IsInteger(node->result()->type.dtype) &&
        !IsInteger(node->operand(0)->type.dtype)) {
      return;
    }
    const Type* inner = nullptr;
    for (size_t i = 0; i < node->operands().size(); ++i) {
      if (!IsElementOperand(*node, i)) continue;
      const fx::Value* operand = node->operand(i);
      const Node* def = operand->def();
      if (def != nullptr && def->IsTosa(Op::RESHAPE) &&
          operand->type.dims == node->result()->type.dims) {
        const Type& source = def->operand(0)->type;
        if (inner != nullptr && inner->dims != source.dims) return;
        if (!UsedOnlyBy(*operand, *node)) return;
        inner = &source;
      } else if (operand->constant() == nullptr || operand->type.NumElements() != 1) {
        return;
      }
    }
    if (inner == nullptr) return;
    Type inside = *inner;
    const Type outside = node->result()->type;
    for (size_t i = 0; i < node->operands().size(); ++i) {
      if (!IsElementOperand(*node, i)) continue;
      fx::Value* operand = node->operand(i);
      if (operand->constant() == nullptr) {
        node->SetOperand(i, operand->def()->operand(0));
      } else if (operand->type.rank() != inside.rank()) {
        node->SetOperand(i, WithRank(operand, inside.rank(), node));
      }
    }
    inside.dtype = outside.dtype;
    AddReshapeAfter(node, inside);
    changed_ = Changed::kYes;
  }

  // The one-element constant with a shape of ones of that rank.
  fx::Value* WithRank(fx::Value* scalar, int64_t rank, Node* before) {
    const std::vector<int64_t> ones(static_cast<size_t>(rank), 1);
    const Node* def = scalar->def();
    return graph_.AddConstant(fx::Reshaped(def->constant, ones), scalar->name, def->pooled, before)
        ->result();
  }

  // Gives `node` the result type `inside` and its users a RESHAPE back to the type it had.
  void AddReshapeAfter(Node* node, const Type& inside) {
    fx::Value* result = node->result();
    const Type outside = result->type;
    Node* next = node->next();
    fx::Value* shape = AddShapeConstant(graph_, outside.dims, result->name + "_shape", next);
    const std::array<fx::Value*, 2> operands = {result, shape};
    Node* reshape = graph_.AddTosa(Op::RESHAPE, operands, {outside}, {}, result->name, next);
    MoveUsersTo(node, inside, reshape);
  }

  Graph& graph_;
  Changed changed_ = Changed::kNo;
};

}  // namespace

Result<Changed> SimplifyReshapes(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    if (Simplifier(*graph).Run() == Changed::kYes) changed = Changed::kYes;
  }
  return changed;
}

}  // namespace tosac
