// SPDX-License-Identifier: Apache-2.0
// A Program of TOSA nodes to a Module, through the serializer.
#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "tosac/program.h"
#include "tosac/serializer.h"

namespace tosac::fx {
namespace {

class Emitter {
 public:
  Emitter(const Program& program, TosaSerializer* serializer)
      : program_(program), serializer_(serializer) {}

  Result<void> Run() {
    // Graphs of one name are the blocks of one region, in order.
    std::unordered_map<std::string, RegionRef> regions;
    for (const auto& graph : program_.graphs()) {
      const auto found = regions.find(graph->name);
      const RegionRef region =
          found != regions.end() ? found->second : serializer_->StartRegion(graph->name);
      regions.emplace(graph->name, region);
      TOSAC_TRY(EmitGraph(*graph, serializer_->StartBlock(region, graph->block_name)));
    }
    return {};
  }

 private:
  Diag Fail(const Node* node, std::string message) const {
    return Error("emit-node", std::move(message),
                 {program_.file, node == nullptr ? "" : "%" + node->name,
                  node == nullptr ? "" : SourceLine(node->stack_trace)});
  }

  Result<void> EmitGraph(const Graph& graph, BlockRef block) {
    block_ = block;
    refs_.clear();
    for (const auto& input : graph.inputs()) {
      TOSAC_ASSIGN(const std::vector<int32_t> shape, Shape(input->type, nullptr));
      refs_[input.get()] =
          serializer_->AddInputTensor(block, shape, input->type.dtype, input->name);
    }
    for (const Node* node = graph.first(); node != graph.output(); node = node->next()) {
      TOSAC_TRY(EmitNode(*node));
    }
    for (const Value* output : graph.outputs()) {
      TOSAC_ASSIGN(const TensorRef ref, Ref(output, graph.output()));
      serializer_->AddOutput(ref);
    }
    return {};
  }

  Result<TensorRef> Ref(const Value* value, const Node* user) const {
    const auto found = refs_.find(value);
    if (found != refs_.end()) return found->second;
    return Fail(user, "%" + value->name + " is used outside the block that makes it");
  }

  Result<std::vector<int32_t>> Shape(const Type& type, const Node* node) const {
    std::vector<int32_t> shape;
    for (const int64_t dim : type.dims) {
      if (dim < 0 || dim > std::numeric_limits<int32_t>::max()) {
        return Fail(node, "a tensor of type " + ToString(type) + " has a size that is not known");
      }
      shape.push_back(static_cast<int32_t>(dim));
    }
    if (type.dtype >= DType::kFirstNonTosa) {
      return Fail(node, "TOSA has no tensors of type " + ToString(type));
    }
    return shape;
  }

  Result<void> EmitNode(const Node& node) {
    if (node.kind() != NodeKind::kTosa) {
      return Fail(&node, node.target + " was not lowered to TOSA");
    }
    if (node.constant != nullptr) return EmitConstant(node);
    std::vector<TensorRef> inputs;
    for (const Value* operand : node.operands()) {
      TOSAC_ASSIGN(const TensorRef ref, Ref(operand, &node));
      inputs.push_back(ref);
    }
    std::vector<TensorRef> outputs;
    for (size_t i = 0; i < node.num_results(); ++i) {
      const Value* result = node.result(i);
      if (result->type.kind == TypeKind::kShape) {
        const auto rank = static_cast<uint32_t>(result->type.dim(0));
        outputs.push_back(serializer_->AddShape(block_, rank, result->name));
      } else {
        TOSAC_ASSIGN(const std::vector<int32_t> shape, Shape(result->type, &node));
        TensorOptions options;
        options.is_unranked = !result->type.ranked;
        outputs.push_back(
            serializer_->AddTensor(block_, shape, result->type.dtype, result->name, options));
      }
      refs_[result] = outputs.back();
    }
    Result<void> added =
        serializer_->AddOperator(block_, node.op, inputs, outputs, node.attrs, node.location);
    if (!added.ok()) return At(added.diag(), {program_.file, "%" + node.name, ""});
    return {};
  }

  Result<void> EmitConstant(const Node& node) {
    const Value* result = node.result();
    TOSAC_ASSIGN(const std::vector<int32_t> shape, Shape(result->type, &node));
    Result<Constant::View> view = node.constant->Bytes();
    if (!view.ok()) return At(view.diag(), {program_.file, "%" + node.name, ""});
    Result<TensorRef> ref =
        node.pooled
            ? serializer_->AddConst(block_, shape, result->type.dtype, view->bytes, result->name)
            : serializer_->AddUnpooledConst(block_, shape, result->type.dtype, view->bytes,
                                            result->name, view->owner, node.location);
    if (!ref.ok()) return At(ref.diag(), {program_.file, "%" + node.name, ""});
    refs_[result] = *ref;
    return {};
  }

  const Program& program_;
  TosaSerializer* serializer_;
  BlockRef block_;
  std::unordered_map<const Value*, TensorRef> refs_;  // of the block that is being emitted
};

}  // namespace

Result<Module> EmitModule(const Program& program, const Version& version,
                          const EmitOptions& options, EmitReport* report) {
  if (!options.constant_pool) {
    TosaSerializer serializer(version);
    TOSAC_TRY(Emitter(program, &serializer).Run());
    return serializer.Serialize();
  }
  TosaSerializerWithConstantPool serializer(version);
  TOSAC_TRY(Emitter(program, &serializer).Run());
  if (report != nullptr) {
    report->pool_hits = serializer.hits();
    report->pool_bytes_saved = serializer.bytes_saved();
  }
  return serializer.Serialize();
}

}  // namespace tosac::fx
