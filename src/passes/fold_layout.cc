// SPDX-License-Identifier: Apache-2.0
// RESHAPEs, TRANSPOSEs and SLICEs of constants are laid out at compile time.
#include <string>
#include <vector>

#include "passes/registry.h"
#include "passes/tosa_nodes.h"

namespace tosac {
namespace {

using fx::ConstantPtr;
using fx::Node;

// A part of a constant is a view of it with another offset.
ConstantPtr Sliced(const Node& node, const fx::Constant& constant) {
  const ConstantPtr start = node.operand(1)->constant();
  if (start == nullptr) return nullptr;
  const Result<std::vector<int64_t>> starts = fx::AsInts(*start);
  if (!starts.ok() || starts->size() != constant.shape.size()) return nullptr;
  auto part = std::make_shared<fx::Constant>(constant);
  part->shape = node.result()->type.dims;
  for (size_t i = 0; i < starts->size(); ++i) part->offset += (*starts)[i] * constant.strides[i];
  return part;
}

// The constant that `node` makes of its constant operand; nullptr when it is no such node.
Result<ConstantPtr> LaidOut(const Node& node) {
  if (node.kind() != fx::NodeKind::kTosa || node.operands().empty()) return ConstantPtr();
  const ConstantPtr constant = node.operand(0)->constant();
  const DTypeInfo* info = constant == nullptr ? nullptr : FindDType(constant->dtype);
  if (info == nullptr || info->bits % 8 != 0) return ConstantPtr();
  if (node.op == Op::TRANSPOSE) {
    const auto& perms = std::get<std::vector<int32_t>>(node.attrs[0]);
    const std::vector<int64_t> perm(perms.begin(), perms.end());
    return fx::Permuted(constant, perm);
  }
  if (node.op == Op::SLICE) return Sliced(node, *constant);
  if (node.op != Op::RESHAPE) return ConstantPtr();
  const std::vector<int64_t>& dims = node.result()->type.dims;
  if (ConstantPtr view = fx::Reshaped(constant, dims)) return view;
  TOSAC_ASSIGN(const fx::Constant::View view, constant->Bytes());
  auto reshaped = std::make_shared<fx::Constant>();
  reshaped->dtype = constant->dtype;
  reshaped->shape = dims;
  reshaped->strides.resize(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) reshaped->strides[i] = stride;
  reshaped->storage = fx::MakeStorage(view.bytes, view.owner);
  return ConstantPtr(reshaped);
}

}  // namespace

Result<Changed> FoldLayout(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    for (Node* node : graph->Nodes()) {
      if (node->erased()) continue;
      TOSAC_ASSIGN(ConstantPtr folded, LaidOut(*node));
      if (folded == nullptr) continue;
      Node* source = node->operand(0)->def();
      // A weight that is also used as it was would stand in the file twice.
      constexpr int64_t kSmall = 64;
      const bool shared = !source->result()->HasOneUse();
      if (shared && !source->pooled && folded->NumElements() > kSmall) continue;
      Node* constant =
          graph->AddConstant(std::move(folded), node->result()->name, source->pooled, node);
      constant->location = source->location;
      node->result()->ReplaceAllUsesWith(constant->result());
      graph->Erase(node);
      if (source->result()->uses().empty()) {
        // The graph's constant keeps its name.
        const std::string name = source->result()->name;
        graph->Erase(source);
        graph->Rename(constant->result(), name);
      }
      changed = Changed::kYes;
    }
  }
  return changed;
}

}  // namespace tosac
