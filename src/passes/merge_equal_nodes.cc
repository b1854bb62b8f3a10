// SPDX-License-Identifier: Apache-2.0
// Common subexpressions: of operators with the same attributes and operands the first stays.
// Helper constants count as the same operand when their values are the same.
#include <cstring>
#include <string>
#include <unordered_map>

#include "passes/registry.h"
#include "passes/tosa_nodes.h"

namespace tosac {
namespace {

using fx::Node;

bool IsPure(const Node& node) {
  if (node.kind() != fx::NodeKind::kTosa || !node.regions.empty()) return false;
  switch (node.op) {
    case Op::CUSTOM:
    case Op::COND_IF:
    case Op::WHILE_LOOP:
    case Op::VARIABLE:
    case Op::VARIABLE_READ:
    case Op::VARIABLE_WRITE:
    case Op::ASSERT_EQUAL_SHAPE:
      return false;
    default:
      return node.num_results() > 0;
  }
}

void Append(uint64_t value, std::string* key) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void Append(const fx::Type& type, std::string* key) {
  Append(static_cast<uint64_t>(type.kind) << 8 | static_cast<uint64_t>(type.dtype), key);
  Append(type.dims.size(), key);
  for (const int64_t dim : type.dims) Append(static_cast<uint64_t>(dim), key);
}

void Append(const AttrValue& attr, std::string* key) {
  Append(attr.index(), key);
  if (const auto* scalar = std::get_if<int64_t>(&attr)) {
    Append(static_cast<uint64_t>(*scalar), key);
  } else if (const auto* list = std::get_if<std::vector<int32_t>>(&attr)) {
    Append(list->size(), key);
    for (const int32_t value : *list) Append(static_cast<uint64_t>(value), key);
  } else if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&attr)) {
    Append(bytes->size(), key);
    key->append(bytes->begin(), bytes->end());
  } else {
    const auto& text = std::get<std::string>(attr);
    Append(text.size(), key);
    key->append(text);
  }
}

class Merger {
 public:
  explicit Merger(fx::Graph& graph) : graph_(graph) {}

  Result<Changed> Run() {
    Changed changed = Changed::kNo;
    for (Node* node : graph_.Nodes()) {
      if (!IsPure(*node)) continue;
      if (node->constant != nullptr) {
        TOSAC_TRY(NumberConstant(*node));
        continue;
      }
      if (node->op == Op::CONST || node->op == Op::CONST_SHAPE) continue;
      const auto [entry, fresh] = seen_.try_emplace(KeyOf(*node), node);
      if (fresh) continue;
      bool replaced = false;
      for (size_t i = 0; i < node->num_results(); ++i) {
        replaced = ReplaceValue(node->result(i), entry->second->result(i)) || replaced;
      }
      if (replaced) changed = Changed::kYes;
    }
    return changed;
  }

 private:
  // Equal small constants get one number; large ones are told apart by their nodes, for merging
  // them is another pass's work.
  Result<void> NumberConstant(const Node& node) {
    constexpr int64_t kSmall = 1024;
    const fx::Constant& constant = *node.constant;
    if (!constant.IsSplat() && constant.NumElements() > kSmall) return {};
    fx::Constant small = constant;
    std::string key = constant.IsSplat() ? "s" : "c";
    if (constant.IsSplat()) {
      small.shape.clear();
      small.strides.clear();
    }
    Append(node.result()->type, &key);
    TOSAC_ASSIGN(const fx::ByteView view, small.Bytes());
    key.append(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
    const auto [entry, fresh] = constants_.try_emplace(std::move(key), node.result());
    if (!fresh) same_as_.emplace(node.result(), entry->second);
    return {};
  }

  std::string KeyOf(const Node& node) const {
    std::string key;
    Append(static_cast<uint64_t>(node.op), &key);
    for (const AttrValue& attr : node.attrs) Append(attr, &key);
    Append(node.operands().size(), &key);
    for (const fx::Value* operand : node.operands()) {
      const auto same = same_as_.find(operand);
      const fx::Value* stands_for = same == same_as_.end() ? operand : same->second;
      Append(reinterpret_cast<uintptr_t>(stands_for), &key);
    }
    for (size_t i = 0; i < node.num_results(); ++i) Append(node.result(i)->type, &key);
    return key;
  }

  fx::Graph& graph_;
  std::unordered_map<std::string, Node*> seen_;
  std::unordered_map<std::string, const fx::Value*> constants_;
  std::unordered_map<const fx::Value*, const fx::Value*> same_as_;
};

}  // namespace

Result<Changed> MergeEqualNodes(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    TOSAC_ASSIGN(const Changed here, Merger(*graph).Run());
    if (here == Changed::kYes) changed = Changed::kYes;
  }
  return changed;
}

}  // namespace tosac
