// SPDX-License-Identifier: Apache-2.0
// What broadcasting says need not be written out: TILEs of axes of one element, and constants whose
// elements are all equal.
#include <algorithm>
#include <vector>

#include "passes/registry.h"
#include "passes/tosa_nodes.h"

namespace tosac {
namespace {

using fx::Node;

// The other operands of the elementwise `node` give its result its shape without operand `index`.
bool BroadcastsWithout(const Node& node, size_t index) {
  if (!IsElementwise(node.op) || !IsElementOperand(node, index)) return false;
  const std::vector<int64_t>& dims = node.result()->type.dims;
  std::vector<int64_t> others(dims.size(), 1);
  for (size_t i = 0; i < node.operands().size(); ++i) {
    if (i == index || !IsElementOperand(node, i)) continue;
    const std::vector<int64_t>& operand = node.operand(i)->type.dims;
    for (size_t d = 0; d < dims.size() && d < operand.size(); ++d) {
      others[d] = std::max(others[d], operand[d]);
    }
  }
  return others == dims;
}

// TILE only repeats axes of one element, as broadcasting does.
bool IsBroadcast(const Node& tile) {
  const std::vector<int64_t>& from = tile.operand(0)->type.dims;
  const std::vector<int64_t>& to = tile.result()->type.dims;
  for (size_t i = 0; i < from.size() && i < to.size(); ++i) {
    if (from[i] != to[i] && from[i] != 1) return false;
  }
  return from.size() == to.size();
}

}  // namespace

Result<Changed> DropBroadcasts(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    for (Node* node : graph->Nodes()) {
      if (node->kind() != fx::NodeKind::kTosa || !IsElementwise(node->op)) continue;
      for (size_t i = 0; i < node->operands().size(); ++i) {
        const Node* tile = node->operand(i)->def();
        if (tile == nullptr || !tile->IsTosa(Op::TILE) || !IsBroadcast(*tile)) continue;
        if (!BroadcastsWithout(*node, i)) continue;
        node->SetOperand(i, tile->operand(0));
        changed = Changed::kYes;
      }
    }
  }
  return changed;
}

Result<Changed> ShrinkSplats(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    for (Node* node : graph->Nodes()) {
      if (node->erased() || !node->IsTosa(Op::CONST) || node->constant == nullptr) continue;
      if (!node->constant->IsSplat() || node->constant->NumElements() < 2) continue;
      fx::Value* small = nullptr;
      const std::vector<fx::Use> uses(node->result()->uses().begin(), node->result()->uses().end());
      for (const fx::Use& use : uses) {
        if (use.node->kind() != fx::NodeKind::kTosa || !BroadcastsWithout(*use.node, use.operand)) {
          continue;
        }
        if (small == nullptr) {
          auto one = std::make_shared<fx::Constant>(*node->constant);
          one->shape.assign(one->shape.size(), 1);
          small = graph->AddConstant(one, node->result()->name, node->pooled, node)->result();
        }
        use.node->SetOperand(use.operand, small);
        changed = Changed::kYes;
      }
    }
  }
  return changed;
}

}  // namespace tosac
