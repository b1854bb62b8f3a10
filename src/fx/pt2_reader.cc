// SPDX-License-Identifier: Apache-2.0
// The program of a .pt2: signature, tensors and nodes of its JSON become a Program. Facts of the
// schema: torch/_export/serde/schema.py of PyTorch 2.13.
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/mapped_file.h"
#include "fx/pt2_archive.h"
#include "fx/pt2_graph.h"
#include "tosac/program.h"

namespace tosac::fx {
namespace {

constexpr std::string_view kRule = "program-signature";

// The name of the tensor that an input or output spec speaks of: {"arg": {"name": N}} or
// {"arg": {"as_tensor": {"name": N}}}.
std::optional<std::string_view> SpecName(JsonValue spec) {
  const auto arg = Member(spec, "arg");
  if (!arg) return std::nullopt;
  if (const auto name = AsString(Member(*arg, "name"))) return name;
  const auto tensor = Member(*arg, "as_tensor");
  return tensor ? AsString(Member(*tensor, "name")) : std::nullopt;
}

class ProgramReader {
 public:
  ProgramReader(Pt2Archive* archive, Program* program) : archive_(archive), program_(program) {}

  Result<void> Run() {
    const JsonValue root = archive_->program().root();
    const auto module = Member(root, "graph_module");
    const auto graph = module ? Member(*module, "graph") : std::nullopt;
    const auto signature = module ? Member(*module, "signature") : std::nullopt;
    if (!graph || !signature) {
      return Error("program-json",
                   "the program's JSON has no graph_module with a graph and a "
                   "signature");
    }
    Pt2GraphReader reader(program_, &program_->main());
    TOSAC_TRY(reader.ReadRanges(Member(root, "range_constraints")));
    TOSAC_TRY(reader.ReadTypes(*graph));
    TOSAC_TRY(FindMutatedBuffers(*signature));
    TOSAC_TRY(ReadInputs(*signature, *graph, reader));
    TOSAC_TRY(reader.ReadNodes(*graph));
    return ReadOutputs(*signature, *graph, reader);
  }

 private:
  // A buffer that the graph writes is state and never a constant.
  Result<void> FindMutatedBuffers(JsonValue signature) {
    const auto specs = AsArray(Member(signature, "output_specs"));
    if (!specs) return Error(kRule, "the signature has no output_specs");
    for (const JsonValue spec : *specs) {
      const auto mutation = Member(spec, "buffer_mutation");
      const auto fqn = mutation ? AsString(Member(*mutation, "buffer_name")) : std::nullopt;
      if (fqn) mutated_.insert_or_assign(std::string(*fqn), true);
    }
    return {};
  }

  Result<void> ReadInputs(JsonValue signature, JsonValue graph, Pt2GraphReader& reader) {
    const auto specs = AsArray(Member(signature, "input_specs"));
    const auto inputs = AsArray(Member(graph, "inputs"));
    if (!specs || !inputs || specs->size() != inputs->size()) {
      return Error(kRule, "the graph has another number of inputs than its signature");
    }
    auto input = inputs->begin();
    for (const JsonValue spec : *specs) {
      const auto entry = AsUnion(spec);
      if (!entry) return Error(kRule, "an input_spec is no object of one member");
      // The graph's own list decides the order; the signature must not tell another.
      const auto tensor = Member(*input, "as_tensor");
      const auto name = tensor ? AsString(Member(*tensor, "name")) : std::nullopt;
      if (name && SpecName(entry->value).value_or(*name) != *name) {
        return Error(kRule, "input " + std::string(*name) + " has another name in the signature");
      }
      TOSAC_TRY(ReadInput(*entry, reader));
      ++input;
    }
    return {};
  }

  Result<void> ReadInput(const JsonUnion& spec, Pt2GraphReader& reader) {
    struct StateKind {
      std::string_view key;
      std::string_view name_key;
    };
    constexpr StateKind kStateKinds[] = {{"parameter", "parameter_name"},
                                         {"buffer", "buffer_name"},
                                         {"tensor_constant", "tensor_constant_name"}};
    for (const StateKind& kind : kStateKinds) {
      if (spec.key != kind.key) continue;
      const auto name = SpecName(spec.value);
      const auto fqn = AsString(Member(spec.value, kind.name_key));
      if (!name || !fqn) return Error(kRule, "a " + std::string(kind.key) + " has no name");
      return AddState(*name, *fqn, reader);
    }
    if (spec.key == "user_input") {
      const auto arg = Member(spec.value, "arg");
      if (const auto name = SpecName(spec.value)) return AddUserInput(*name, reader);
      const auto constant = arg ? AsUnion(*arg) : std::nullopt;
      // A Python value that export baked in: the graph has no use of it.
      if (constant &&
          (constant->key == "as_int" || constant->key == "as_float" || constant->key == "as_bool" ||
           constant->key == "as_string" || constant->key == "as_none")) {
        return {};
      }
      return Error("program-input", "a user input of kind " +
                                        std::string(constant ? constant->key : "(unknown)") +
                                        " is not supported; pass tensors");
    }
    if (spec.key == "constant_input") return {};
    return Error("program-input",
                 "inputs of kind " + std::string(spec.key) + " are not supported; pass tensors");
  }

  Result<void> AddUserInput(std::string_view name, Pt2GraphReader& reader) {
    TOSAC_ASSIGN(Type type, reader.TypeOf(name));
    return reader.Define(name, program_->main().AddInput(name, std::move(type)));
  }

  Result<void> AddState(std::string_view name, std::string_view fqn, Pt2GraphReader& reader) {
    Graph& graph = program_->main();
    TOSAC_ASSIGN(ConstantPtr constant, archive_->Tensor(fqn));
    TOSAC_ASSIGN(const Type declared, reader.TypeOf(name));
    const Type stored = TensorType(constant->dtype, constant->shape);
    if (!(stored == declared)) {
      return Error("archive-tensor", "tensor " + std::string(fqn) + " is " + ToString(stored) +
                                         " in the archive but " + ToString(declared) +
                                         " in the program");
    }
    if (mutated_.contains(std::string(fqn))) {
      Value* input = graph.AddInput(name, declared,
                                    {InputKind::kState, std::string(fqn), std::move(constant)});
      return reader.Define(name, input);
    }
    Node* node = graph.AddConstant(std::move(constant), name, false);
    node->fqn = fqn;
    return reader.Define(name, node->result());
  }

  Result<void> ReadOutputs(JsonValue signature, JsonValue graph, Pt2GraphReader& reader) {
    const auto specs = AsArray(Member(signature, "output_specs"));
    const auto outputs = AsArray(Member(graph, "outputs"));
    if (!specs || !outputs || specs->size() != outputs->size()) {
      return Error(kRule, "the graph has another number of outputs than its signature");
    }
    auto output = outputs->begin();
    for (const JsonValue spec : *specs) {
      const auto entry = AsUnion(spec);
      if (!entry) return Error(kRule, "an output_spec is no object of one member");
      TOSAC_ASSIGN(const OutputInfo info, OutputKindOf(*entry));
      TOSAC_TRY(reader.AddOutput(*output, info));
      ++output;
    }
    return {};
  }

  static Result<OutputInfo> OutputKindOf(const JsonUnion& spec) {
    if (spec.key == "user_output" || spec.key == "loss_output") return OutputInfo{};
    if (spec.key == "buffer_mutation") {
      const auto fqn = AsString(Member(spec.value, "buffer_name"));
      return OutputInfo{OutputKind::kBufferMutation, std::string(fqn.value_or(""))};
    }
    if (spec.key == "user_input_mutation") {
      const auto name = AsString(Member(spec.value, "user_input_name"));
      return OutputInfo{OutputKind::kInputMutation, std::string(name.value_or(""))};
    }
    return Error("program-output",
                 "outputs of kind " + std::string(spec.key) + " are not supported");
  }

  Pt2Archive* archive_;
  Program* program_;
  std::unordered_map<std::string, bool> mutated_;  // fully qualified names of written buffers
};

}  // namespace

Result<Program> ReadPt2(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                        std::string_view file) {
  const Location place = {std::string(file), "", ""};
  Result<Pt2Archive> archive = Pt2Archive::Open(bytes, std::move(owner));
  if (!archive.ok()) return At(archive.diag(), place);
  Program program;
  program.file = file;
  if (Result<void> read = ProgramReader(&*archive, &program).Run(); !read.ok()) {
    return At(read.diag(), place);
  }
  return program;
}

Result<Program> ReadPt2File(const std::string& path) {
  TOSAC_ASSIGN(FileBytes file, OpenFile(path));
  return ReadPt2(file.bytes, std::move(file.owner), FileName(path));
}

}  // namespace tosac::fx
