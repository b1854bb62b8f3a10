// SPDX-License-Identifier: Apache-2.0
// In-place operators become functional ones, aliases respected.
//
// A tensor is a root (it has memory of its own) or a view of a root, through a chain of view
// nodes. A write makes a new value of the root: the written view's new value, carried up the chain
// (a slice is scattered back, a permutation inverted). Views of an older state are made again when
// somebody still uses them. What nobody uses is dead code.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/registry.h"
#include "passes/views.h"

namespace tosac {
namespace {

using fx::Graph;
using fx::Node;

// In-place operators whose functional form has another name or other parameter names.
struct InPlaceRow {
  std::string_view in_place;
  std::string_view functional;
  std::string_view old_parameter;  // renamed to new_parameter; "" for none
  std::string_view new_parameter;
};
constexpr InPlaceRow kInPlace[] = {
    {"aten.zero_.default", "aten.zeros_like.default", "", ""},
    {"aten.fill_.Scalar", "aten.full_like.default", "value", "fill_value"},
    {"aten.fill_.Tensor", "aten.copy.default", "value", "src"},
    {"aten.pow_.Scalar", "aten.pow.Tensor_Scalar", "", ""},
    {"aten.pow_.Tensor", "aten.pow.Tensor_Tensor", "", ""},
    {"aten.dropout_.default", "aten.dropout.default", "self", "input"},
    {"aten.feature_dropout_.default", "aten.feature_dropout.default", "self", "input"},
    {"aten.alpha_dropout_.default", "aten.alpha_dropout.default", "self", "input"},
};

// The functional target of an in-place one: "aten.add_.Tensor" is "aten.add.Tensor", and
// "aten.__ior__.Tensor" is "aten.__or__.Tensor". nullopt for operators that write nothing.
std::optional<std::string> FunctionalTarget(const std::string& target) {
  for (const InPlaceRow& row : kInPlace) {
    if (row.in_place == target) return std::string(row.functional);
  }
  const size_t dot = target.find('.');
  const size_t end = target.find('.', dot + 1);
  if (dot == std::string::npos || end == std::string::npos) return std::nullopt;
  const std::string name = target.substr(dot + 1, end - dot - 1);
  if (name.starts_with("__i") && name.ends_with("__") && name.size() > 5) {
    return target.substr(0, dot + 1) + "__" + name.substr(3) + target.substr(end);
  }
  if (!name.ends_with("_") || name.ends_with("__")) return std::nullopt;
  return target.substr(0, dot + 1) + name.substr(0, name.size() - 1) + target.substr(end);
}

class Functionalizer {
 public:
  Functionalizer(const fx::Program& program, Graph& graph, PassContext& context)
      : program_(program), graph_(graph), context_(context) {}

  Result<Changed> Run() {
    for (Node* node : graph_.Nodes()) {
      if (node->erased()) continue;
      TOSAC_TRY(Refresh(node));
      if (node->kind() != fx::NodeKind::kAten) continue;
      if (const std::optional<std::string> functional = FunctionalTarget(node->target)) {
        TOSAC_TRY(MakeFunctional(node, *functional));
      } else if (IsView(*node)) {
        for (size_t i = 0; i < node->num_results(); ++i) AddView(node, i);
      }
    }
    TOSAC_TRY(Refresh(graph_.output()));
    return changed_;
  }

 private:
  // How a value came from its root.
  struct Alias {
    fx::Value* root = nullptr;
    fx::Value* parent = nullptr;  // nullptr: it is the root, or a newer state of it
    Node* view = nullptr;         // that made it from its parent
    size_t result = 0;
    uint64_t version = 0;  // of the root, when this value was made
  };
  struct Root {
    fx::Value* current = nullptr;
    uint64_t version = 0;
  };

  Alias& AliasOf(fx::Value* value) {
    const auto [entry, fresh] = aliases_.try_emplace(value);
    if (fresh) {
      entry->second.root = value;
      roots_[value].current = value;
    }
    return entry->second;
  }

  void AddView(Node* node, size_t result) {
    if (node->operands().empty()) return;
    const Alias parent = AliasOf(node->operand(0));
    aliases_[node->result(result)] = {parent.root, node->operand(0), node, result, parent.version};
  }

  Diag Refuse(const Node& node, std::string why) const {
    return Error(
        "lower-in-place", std::move(why),
        {program_.file, "%" + node.name + " = " + node.target, fx::SourceLine(node.stack_trace)});
  }

  // Operands that were overwritten since they were made are replaced by their present state.
  Result<void> Refresh(Node* node) {
    for (size_t i = 0; i < node->operands().size(); ++i) {
      TOSAC_ASSIGN(fx::Value * current, Current(node->operand(i), node));
      node->SetOperand(i, current);
    }
    return {};
  }

  Result<fx::Value*> Current(fx::Value* value, Node* user) {
    const auto found = aliases_.find(value);
    if (found == aliases_.end()) return value;
    const Alias alias = found->second;
    const Root& root = roots_[alias.root];
    if (alias.version == root.version) return value;
    if (alias.parent == nullptr) return root.current;
    // Made again from the root's present state, outermost view first.
    std::vector<Alias> chain;
    for (Alias step = alias; step.parent != nullptr; step = AliasOf(step.parent)) {
      chain.push_back(step);
    }
    fx::Value* current = root.current;
    for (auto step = chain.rbegin(); step != chain.rend(); ++step) {
      if (!CopiesNever(*step->view)) {
        return Refuse(*step->view,
                      "whether this shares memory with a tensor that is written later can not be "
                      "told; use clone() or an operator that returns a view");
      }
      std::vector<fx::Value*> operands(step->view->operands().begin(),
                                       step->view->operands().end());
      operands[0] = current;
      std::vector<fx::Type> types;
      for (size_t i = 0; i < step->view->num_results(); ++i) {
        types.push_back(step->view->result(i)->type);
      }
      Node* again = graph_.AddAten(step->view->target, step->view->args, operands, types,
                                   step->view->result(step->result)->name, user);
      again->stack_trace = step->view->stack_trace;
      fx::Value* parent = current;
      current = again->result(step->result);
      for (size_t i = 0; i < again->num_results(); ++i) {
        aliases_[again->result(i)] = {alias.root, parent, again, i, root.version};
      }
    }
    return current;
  }

  Result<void> MakeFunctional(Node* node, const std::string& functional) {
    if (node->operands().empty() || node->num_results() != 1) {
      return Refuse(*node, "this in-place operator is not supported");
    }
    changed_ = Changed::kYes;
    for (const InPlaceRow& row : kInPlace) {
      if (row.in_place != node->target) continue;
      for (fx::Arg& arg : node->args) {
        if (arg.name == row.old_parameter && !arg.name.empty()) arg.name = row.new_parameter;
      }
    }
    node->target = functional;
    // One that only changes how memory is seen (detach_, unsqueeze_) is a view.
    if (IsView(*node)) {
      AddView(node, 0);
      return {};
    }
    fx::Value* written = node->operand(0);
    const Alias alias = AliasOf(written);
    TOSAC_TRY(CheckWritable(*node, alias));
    fx::Value* fresh = node->result();
    TOSAC_ASSIGN(fx::Value * root_value, CarryUp(node, written, fresh));
    Root& root = roots_[alias.root];
    root.current = root_value;
    ++root.version;
    // The result is the written tensor in its new state, and so is the written tensor from now on.
    Alias state = alias;
    state.version = root.version;
    aliases_[fresh] = state;
    return {};
  }

  // Memory that outlives the call can not be written by a program that has no state.
  Result<void> CheckWritable(const Node& node, const Alias& alias) {
    if (alias.root->def() != nullptr) {
      if (alias.root->constant() == nullptr) return {};
      return Refuse(node, "it writes %" + alias.root->name +
                              ", a parameter or buffer, and the compiled program keeps no state; "
                              "register the change as a buffer mutation or write to a copy");
    }
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const bool is_user = graph_.input_info[i].kind == fx::InputKind::kUser;
      if (graph_.inputs()[i].get() != alias.root || !is_user) continue;
      Diag note = Error("input-written", "input %" + alias.root->name +
                                             " is written in place; the compiled program leaves "
                                             "the caller's tensor as it was");
      note.severity = Severity::kNote;
      const bool said =
          std::any_of(context_.notes.begin(), context_.notes.end(),
                      [&](const Diag& other) { return other.message == note.message; });
      if (!said) context_.notes.push_back(std::move(note));
    }
    return {};
  }

  // The root's new value when `written` becomes `fresh`.
  Result<fx::Value*> CarryUp(Node* node, fx::Value* written, fx::Value* fresh) {
    Node* before = node->next();
    fx::Value* current = fresh;
    for (Alias step = AliasOf(written); step.parent != nullptr; step = AliasOf(step.parent)) {
      TOSAC_ASSIGN(fx::Value * parent, Current(step.parent, before));
      fx::Value* above = ScatterBack(graph_, *step.view, step.result, parent, current, before);
      if (above == nullptr) {
        return Refuse(*node, "it writes through " + step.view->target +
                                 ", and that can not be undone; write to a copy instead");
      }
      current = above;
    }
    return current;
  }

  const fx::Program& program_;
  Graph& graph_;
  PassContext& context_;
  Changed changed_ = Changed::kNo;
  std::unordered_map<fx::Value*, Alias> aliases_;
  std::unordered_map<fx::Value*, Root> roots_;
};

}  // namespace

Result<Changed> Functionalize(fx::Program& program, PassContext& context) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    TOSAC_ASSIGN(const Changed here, Functionalizer(program, *graph, context).Run());
    if (here == Changed::kYes) changed = Changed::kYes;
  }
  return changed;
}

}  // namespace tosac
