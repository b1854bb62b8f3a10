// SPDX-License-Identifier: Apache-2.0
// The walk over a Program's ATen nodes.
#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lower/lowering.h"

namespace tosac::lower {

using fx::Graph;
using fx::Node;
using fx::Program;
using fx::Type;

namespace {

Location Place(const Program& program, const Node& node) {
  return {program.file, "%" + node.name + " = " + node.target, fx::SourceLine(node.stack_trace)};
}

}  // namespace

// Lowers the graphs of one Program.
class Driver {
 public:
  Driver(const Program& from, const Target& target, std::vector<Diag>& notes)
      : from_(from), target_(target), notes_(notes) {}

  Result<Program> Run() {
    Program to;
    to.file = from_.file;
    to.version = target_.version();
    for (const auto& graph : from_.graphs()) {
      Graph* lowered = &to.main();
      if (graph.get() != &from_.main()) lowered = to.AddGraph(graph->name);
      lowered->name = graph->name;
      lowered->block_name = graph->block_name;
      TOSAC_TRY(LowerGraph(*graph, *lowered));
    }
    if (!unsupported_.empty()) return UnsupportedDiag();
    return to;
  }

 private:
  struct Count {
    uint64_t count = 0;
    const Node* first = nullptr;
  };

  Result<void> LowerGraph(const Graph& graph, Graph& to) {
    Builder builder(to, target_);
    Lowering lowering(builder, notes_);
    TOSAC_TRY(LowerInputs(graph, to, lowering));
    for (const Node* node : graph.Nodes()) {
      if (node->IsTosa(Op::CONST)) continue;  // comes in where it is used
      builder.SetOrigin(node->name, node->stack_trace);
      lowering.node_ = node;
      TOSAC_TRY(LowerNode(lowering));
    }
    if (!unsupported_.empty()) return {};
    return LowerOutputs(graph, to, lowering);
  }

  Result<void> LowerInputs(const Graph& graph, Graph& to, Lowering& lowering) {
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      const Value* input = graph.inputs()[i].get();
      Type type = input->type;
      const DType dtype = lowering.Narrow(type.dtype);
      if (const auto& error = lowering.b().error()) {
        return At(*error, {from_.file, "input %" + input->name, ""});
      }
      if (dtype != type.dtype) {
        lowering.Note("narrowed-input", "input %" + input->name + " is " +
                                            std::string(Name(type.dtype)) + " in PyTorch and " +
                                            std::string(Name(dtype)) + " in the compiled file");
        type.dtype = dtype;
      }
      Value* lowered = to.AddInput(input->name, type, graph.input_info[i]);
      lowering.values_.emplace(input, lowered);
    }
    return {};
  }

  Result<void> LowerNode(Lowering& lowering) {
    const Node& node = lowering.node();
    if (node.kind() == fx::NodeKind::kTosa) return CopyTosa(lowering);
    if (MakesOnlyEmpty(node)) {
      BindStandIns(node, lowering);
      return {};
    }
    const LowerFunction function = FindLowering(node.target);
    if (function == nullptr) {
      Unsupported(node, lowering, "");
      return {};
    }
    function(lowering);
    if (lowering.unsupported_) {
      Unsupported(node, lowering, *lowering.unsupported_);
      lowering.unsupported_.reset();
      return {};
    }
    if (lowering.b().failed()) return At(*lowering.b().error(), Place(from_, node));
    for (size_t i = 0; i < node.num_results(); ++i) {
      // A result that the lowering left out (an indices output, say) may have no use.
      if (lowering.values_.contains(node.result(i)) || node.result(i)->uses().empty()) continue;
      Unsupported(node, lowering, "its result " + std::to_string(i) + " is used");
    }
    return {};
  }

  Result<void> CopyTosa(Lowering& lowering) {
    const Node& node = lowering.node();
    std::vector<Value*> operands;
    for (const Value* operand : node.operands()) {
      operands.push_back(lowering.Lowered(operand));
      lowering.b().RequireExact(operands.back());
    }
    if (lowering.b().failed()) return At(*lowering.b().error(), Place(from_, node));
    if (node.constant != nullptr) {
      Node* copy =
          lowering.b().graph().AddConstant(node.constant, node.result()->name, node.pooled);
      lowering.values_.emplace(node.result(), copy->result());
      return {};
    }
    std::vector<Type> types;
    for (size_t i = 0; i < node.num_results(); ++i) types.push_back(node.result(i)->type);
    Node* copy = lowering.b().graph().AddTosa(node.op, operands, std::move(types), node.attrs,
                                              node.num_results() > 0 ? node.result()->name : "");
    for (size_t i = 0; i < node.num_results(); ++i) {
      lowering.values_.emplace(node.result(i), copy->result(i));
    }
    return {};
  }

  // Records it and gives its results stand-ins, so that the walk can go on and find the others.
  void Unsupported(const Node& node, Lowering& lowering, const std::string& why) {
    const std::string what = node.target + (why.empty() ? "" : ": " + why);
    Count& count = unsupported_[what];
    if (count.count++ == 0) count.first = &node;
    lowering.b().ClearError();
    BindStandIns(node, lowering);
  }

  // TOSA has no tensors without elements. What makes nothing else needs no computing; those who
  // use it (cat, sums) know that it is empty from its type.
  static bool MakesOnlyEmpty(const Node& node) {
    for (size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i)->type.kind != fx::TypeKind::kTensor ||
          node.result(i)->type.NumElements() != 0) {
        return false;
      }
    }
    return node.num_results() > 0;
  }

  // Zeros of the right types for the results that are not bound.
  static void BindStandIns(const Node& node, Lowering& lowering) {
    for (size_t i = 0; i < node.num_results(); ++i) {
      if (lowering.values_.contains(node.result(i))) continue;
      Type type = lowering.ResultType(i);
      constexpr uint8_t kZeros[16] = {};
      const DTypeInfo* info = FindDType(type.dtype);
      const size_t bytes = info == nullptr ? 1 : (info->bits + 7u) / 8u;
      Value* stand_in =
          lowering.b().Helper(fx::MakeSplat(type.dtype, type.dims, std::span(kZeros, bytes)));
      stand_in->type = type;
      lowering.values_.emplace(node.result(i), stand_in);
    }
  }

  Diag UnsupportedDiag() const {
    uint64_t nodes = 0;
    for (const auto& [what, count] : unsupported_) nodes += count.count;
    Diag diag = Error("unsupported-operators",
                      std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") + " of " +
                          std::to_string(unsupported_.size()) +
                          (unsupported_.size() == 1 ? " kind" : " kinds") +
                          " can not be lowered to " + target_.ToString(),
                      {from_.file, "", ""});
    for (const auto& [what, count] : unsupported_) {
      Diag note = Error("unsupported-operator", std::to_string(count.count) + " x " + what,
                        Place(from_, *count.first));
      note.location.file.clear();
      note.severity = Severity::kNote;
      diag.notes.push_back(std::move(note));
    }
    return diag;
  }

  // TOSA wants every output of a block to be a tensor of its own that an operator makes.
  Result<void> LowerOutputs(const Graph& graph, Graph& to, Lowering& lowering) {
    std::unordered_set<const Value*> taken;
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      const Value* output = graph.outputs()[i];
      lowering.b().SetOrigin(output->name, "");
      Value* lowered = lowering.Lowered(output);
      lowering.b().RequireExact(lowered);
      if (lowering.b().failed()) {
        return At(*lowering.b().error(), {from_.file, "output %" + output->name, ""});
      }
      const bool is_own = lowered->def() != nullptr && lowered->constant() == nullptr;
      if (!is_own || !taken.insert(lowered).second) {
        lowered = lowering.b().Unary(Op::IDENTITY, lowered);
        taken.insert(lowered);
      }
      to.AddOutput(lowered, graph.output_info[i]);
    }
    return {};
  }

  const Program& from_;
  const Target& target_;
  std::vector<Diag>& notes_;
  std::map<std::string, Count> unsupported_;
};

Result<Program> LowerProgram(const Program& program, const Target& target,
                             std::vector<Diag>& notes) {
  return Driver(program, target, notes).Run();
}

}  // namespace tosac::lower
