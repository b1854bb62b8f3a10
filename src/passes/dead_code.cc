// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "passes/registry.h"

namespace tosac {
namespace {

bool HasEffect(const fx::Node& node) {
  // An ATen node that is left here may have effects that only its lowering knows.
  if (node.kind() != fx::NodeKind::kTosa) {
    return node.target.find("assert") != std::string::npos || !node.regions.empty() ||
           node.num_results() == 0;
  }
  switch (node.op) {
    case Op::VARIABLE:
    case Op::VARIABLE_WRITE:
    case Op::CUSTOM:
    case Op::COND_IF:
    case Op::WHILE_LOOP:
    case Op::ASSERT_EQUAL_SHAPE:
      return true;
    default:
      return false;
  }
}

bool IsUsed(const fx::Node& node) {
  for (size_t i = 0; i < node.num_results(); ++i) {
    if (!node.result(i)->uses().empty()) return true;
  }
  return false;
}

}  // namespace

Result<Changed> EliminateDeadCode(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    std::vector<fx::Node*> nodes = graph->Nodes();
    // From the end, so that what only a dead node used dies with it.
    std::reverse(nodes.begin(), nodes.end());
    for (fx::Node* node : nodes) {
      if (IsUsed(*node) || HasEffect(*node)) continue;
      graph->Erase(node);
      changed = Changed::kYes;
    }
  }
  return changed;
}

}  // namespace tosac
