// SPDX-License-Identifier: Apache-2.0
// Assertions that run with the program compute nothing that TOSA can express.
#include <algorithm>
#include <string>

#include "passes/registry.h"

namespace tosac {
namespace {

constexpr std::string_view kAssertions[] = {
    "aten._assert_async.default",       "aten._assert_async.msg",
    "aten._assert_scalar.default",      "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default",
};

}  // namespace

Result<Changed> DropAssertions(fx::Program& program, PassContext& context) {
  uint64_t dropped = 0;
  for (const auto& graph : program.graphs()) {
    for (fx::Node* node : graph->Nodes()) {
      const bool assertion = std::find(std::begin(kAssertions), std::end(kAssertions),
                                       node->target) != std::end(kAssertions);
      const bool used = node->num_results() > 0 && !node->result()->uses().empty();
      if (!assertion || used) continue;
      graph->Erase(node);
      ++dropped;
    }
  }
  if (dropped == 0) return Changed::kNo;
  Diag note = Error(
      "dropped-assertions",
      std::to_string(dropped) + (dropped == 1 ? " runtime assertion" : " runtime assertions") +
          " of the program can not run in TOSA and " + (dropped == 1 ? "is" : "are") + " left out");
  note.severity = Severity::kNote;
  context.notes.push_back(std::move(note));
  return Changed::kYes;
}

}  // namespace tosac
