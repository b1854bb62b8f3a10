// SPDX-License-Identifier: Apache-2.0
#include "passes/tosa_nodes.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace tosac {

using fx::Graph;
using fx::Node;

bool IsElementwise(Op op) {
  switch (op) {
    case Op::CLAMP:
    case Op::ERF:
    case Op::SIGMOID:
    case Op::TANH:
    case Op::ADD:
    case Op::ARITHMETIC_RIGHT_SHIFT:
    case Op::BITWISE_AND:
    case Op::BITWISE_OR:
    case Op::BITWISE_XOR:
    case Op::INTDIV:
    case Op::LOGICAL_AND:
    case Op::LOGICAL_LEFT_SHIFT:
    case Op::LOGICAL_RIGHT_SHIFT:
    case Op::LOGICAL_OR:
    case Op::LOGICAL_XOR:
    case Op::MAXIMUM:
    case Op::MINIMUM:
    case Op::MUL:
    case Op::POW:
    case Op::SUB:
    case Op::ABS:
    case Op::BITWISE_NOT:
    case Op::CEIL:
    case Op::CLZ:
    case Op::COS:
    case Op::EXP:
    case Op::FLOOR:
    case Op::LOG:
    case Op::LOGICAL_NOT:
    case Op::NEGATE:
    case Op::RECIPROCAL:
    case Op::RSQRT:
    case Op::SIN:
    case Op::SELECT:
    case Op::EQUAL:
    case Op::GREATER:
    case Op::GREATER_EQUAL:
    case Op::CAST:
    case Op::IDENTITY:
      return true;
    default:
      return false;
  }
}

bool IsElementOperand(const Node& node, size_t index) {
  if (node.op == Op::MUL) return index < 2;
  if (node.op == Op::NEGATE) return index < 1;
  return true;
}

bool UsedOnlyBy(const fx::Value& value, const Node& node) {
  return std::all_of(value.uses().begin(), value.uses().end(),
                     [&](const fx::Use& use) { return use.node == &node; });
}

bool ReplaceValue(fx::Value* old_value, fx::Value* new_value) {
  const auto is_output = [](const fx::Value& value) {
    return std::any_of(value.uses().begin(), value.uses().end(), [](const fx::Use& use) {
      return use.node->kind() == fx::NodeKind::kOutput;
    });
  };
  Graph* graph = old_value->graph();
  // An output of a block is a tensor of its own that an operator makes: a graph input, a constant
  // or another output can not stand in its place.
  const bool own = new_value->def() != nullptr && new_value->constant() == nullptr;
  if (is_output(*old_value) && (!own || is_output(*new_value))) {
    bool rewired = false;
    const std::vector<fx::Use> uses(old_value->uses().begin(), old_value->uses().end());
    for (const fx::Use& use : uses) {
      if (use.node->kind() == fx::NodeKind::kOutput) continue;
      use.node->SetOperand(use.operand, new_value);
      rewired = true;
    }
    return rewired;
  }
  const bool takes_name = is_output(*old_value);
  old_value->ReplaceAllUsesWith(new_value);
  if (!takes_name) return true;
  const std::string name = old_value->name;
  graph->Rename(old_value, name + "_replaced");
  graph->Rename(new_value, name);
  return true;
}

void MoveUsersTo(Node* node, const fx::Type& inside, Node* after) {
  fx::Value* result = node->result();
  after->name = node->name;
  after->stack_trace = node->stack_trace;
  const std::vector<fx::Use> uses(result->uses().begin(), result->uses().end());
  for (const fx::Use& use : uses) {
    if (use.node != after) use.node->SetOperand(use.operand, after->result());
  }
  // The tensor that the users read keeps the name.
  const std::string name = result->name;
  result->graph()->Rename(result, name + "_inner");
  result->graph()->Rename(after->result(), name);
  result->type = inside;
}

fx::Value* AddShapeConstant(Graph& graph, std::span<const int64_t> values, std::string_view name,
                            Node* before) {
  std::vector<uint8_t> bytes(values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size_bytes());
  fx::ConstantPtr constant =
      fx::MakeConstant(DType::kSHAPE, {static_cast<int64_t>(values.size())}, std::move(bytes));
  return graph.AddConstant(std::move(constant), name, false, before)->result();
}

}  // namespace tosac
