// SPDX-License-Identifier: Apache-2.0
// In a functional program a copy is its source.
#include <algorithm>

#include "passes/registry.h"
#include "passes/tosa_nodes.h"

namespace tosac {
namespace {

constexpr std::string_view kCopies[] = {
    "aten.alias.default",           "aten.clone.default",   "aten.contiguous.default",
    "aten.detach.default",          "aten.detach_.default", "aten.lift_fresh.default",
    "aten.lift_fresh_copy.default",
};

}  // namespace

Result<Changed> DropCopies(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    for (fx::Node* node : graph->Nodes()) {
      const bool copy =
          std::find(std::begin(kCopies), std::end(kCopies), node->target) != std::end(kCopies);
      if (node->kind() != fx::NodeKind::kAten || !copy || node->operands().empty() ||
          node->num_results() != 1 || node->operand(0)->type != node->result()->type) {
        continue;
      }
      if (!ReplaceValue(node->result(), node->operand(0))) continue;
      if (node->result()->uses().empty()) graph->Erase(node);
      changed = Changed::kYes;
    }
  }
  return changed;
}

}  // namespace tosac
