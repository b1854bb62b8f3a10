// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "tosac/program.h"

namespace tosac::fx {
namespace {

constexpr std::string_view kRule = "internal-program";

bool HasList(std::span<const OperandInfo> operands) {
  return std::any_of(operands.begin(), operands.end(), [](const OperandInfo& operand) {
    return operand.kind == OperandKind::kTensorList || operand.kind == OperandKind::kShapeList;
  });
}

class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph) : graph_(graph) {}

  Result<void> Run() {
    std::unordered_set<std::string_view> names;
    for (const auto& input : graph_.inputs()) {
      TOSAC_TRY(Define(*input, &names));
    }
    size_t count = 0;
    for (const Node* node = graph_.first(); node != graph_.output(); node = node->next()) {
      if (node == nullptr || ++count > graph_.num_nodes()) {
        return Error(kRule, "the list of nodes of graph " + graph_.name + " is broken");
      }
      TOSAC_TRY(CheckNode(*node));
      for (size_t i = 0; i < node->num_results(); ++i) {
        TOSAC_TRY(Define(*node->result(i), &names));
      }
    }
    TOSAC_TRY(CheckOperands(*graph_.output()));
    if (graph_.outputs().size() != graph_.output_info.size() ||
        graph_.inputs().size() != graph_.input_info.size()) {
      return Error(kRule, "graph " + graph_.name + " lacks facts on an input or output");
    }
    return CheckUses();
  }

 private:
  Result<void> Define(const Value& value, std::unordered_set<std::string_view>* names) {
    defined_.insert(&value);
    uses_ += value.uses().size();
    if (names->insert(value.name).second) return {};
    return Error(kRule, "two values are called %" + value.name);
  }

  Result<void> CheckNode(const Node& node) {
    TOSAC_TRY(CheckOperands(node));
    if (node.kind() != NodeKind::kTosa) return {};
    const OpInfo* info = FindOp(node.op);
    if (info == nullptr) return Error(kRule, "%" + node.name + " calls an unknown operator");
    const bool inputs_fit = HasList(info->inputs) || node.operands().size() == info->inputs.size();
    if (!inputs_fit || node.attrs.size() != info->attrs.size()) {
      return Error(kRule, "%" + node.name + " = tosa." + std::string(info->name) +
                              " has a wrong number of operands or attributes");
    }
    return {};
  }

  Result<void> CheckOperands(const Node& node) {
    for (const Value* operand : node.operands()) {
      ++operands_;
      // An operand of an enclosing graph is defined there.
      if (operand->graph() == &graph_ && !defined_.contains(operand)) {
        return Error(kRule, "%" + node.name + " uses %" + operand->name + " before it is defined");
      }
      if (operand->graph() != &graph_) ++outer_operands_;
    }
    return {};
  }

  Result<void> CheckUses() const {
    // Each operand is one use of a value; uses by inner graphs only add to the count.
    if (uses_ + outer_operands_ >= operands_) return {};
    return Error(kRule, "the use lists of graph " + graph_.name + " miss a use");
  }

  const Graph& graph_;
  std::unordered_set<const Value*> defined_;
  size_t uses_ = 0;
  size_t operands_ = 0;
  size_t outer_operands_ = 0;
};

}  // namespace

Result<void> Verify(const Program& program) {
  for (const auto& graph : program.graphs()) TOSAC_TRY(GraphVerifier(*graph).Run());
  return {};
}

}  // namespace tosac::fx
