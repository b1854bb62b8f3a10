// SPDX-License-Identifier: Apache-2.0
#include "fx/pt2_graph.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "fx/pt2_archive.h"

namespace tosac::fx {
namespace {

std::string_view WithoutPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

template <typename T, typename Convert>
std::optional<std::vector<T>> ReadList(JsonValue value, Convert convert) {
  const auto list = AsArray(value);
  if (!list) return std::nullopt;
  std::vector<T> result;
  for (const JsonValue element : *list) {
    const auto converted = convert(element);
    if (!converted) return std::nullopt;
    result.push_back(static_cast<T>(*converted));
  }
  return result;
}

// torch._export.serde's numbers of memory formats and layouts.
constexpr std::string_view kMemoryFormats[] = {"torch.unknown_format", "torch.contiguous_format",
                                               "torch.channels_last", "torch.channels_last_3d",
                                               "torch.preserve_format"};
constexpr int64_t kStrided = 7;

// Python's `with torch.no_grad():` and `with torch.autocast(...):` (whose casts were traced) around
// part of the model.
bool IsWrapper(std::string_view target) {
  return target == "higher_order.wrap_with_set_grad_enabled" ||
         target == "higher_order.wrap_with_autocast";
}

// The name that {"as_tensor": {"name": N}} or {"as_sym_int": {"as_name": N}} refers to.
std::optional<std::string_view> ReferredName(JsonValue argument) {
  const auto entry = AsUnion(argument);
  if (!entry) return std::nullopt;
  if (const auto name = AsString(Member(entry->value, "name"))) return name;
  return AsString(Member(entry->value, "as_name"));
}

// The names of a node's results, lists of them flattened.
std::vector<std::optional<std::string_view>> ResultNames(JsonArray outputs) {
  std::vector<std::optional<std::string_view>> names;
  for (const JsonValue output : outputs) {
    const auto entry = AsUnion(output);
    const auto list = entry ? AsArray(entry->value) : std::nullopt;
    if (!list) {
      names.push_back(ReferredName(output));
      continue;
    }
    for (const JsonValue tensor : *list) names.push_back(AsString(Member(tensor, "name")));
  }
  return names;
}

}  // namespace

Pt2GraphReader::Pt2GraphReader(Program* program, Graph* graph)
    : Pt2GraphReader(program, graph, std::make_shared<SymbolTable>(), 0) {}

Pt2GraphReader::Pt2GraphReader(Program* program, Graph* graph, std::shared_ptr<SymbolTable> symbols,
                               int depth)
    : program_(program), graph_(graph), symbols_(std::move(symbols)), depth_(depth) {}

Diag Pt2GraphReader::Fail(std::string message) const {
  return Error("program-node", std::move(message),
               {"", "%" + std::string(node_name_) + " = " + std::string(node_target_),
                SourceLine(stack_trace_)});
}

Result<void> Pt2GraphReader::ReadRanges(std::optional<JsonValue> ranges) {
  const auto object = AsObject(ranges);
  if (!object) return {};
  for (const auto field : *object) {
    SymbolRange range;
    range.min = AsInt(Member(field.value, "min_val")).value_or(INT64_MIN);
    range.max = AsInt(Member(field.value, "max_val")).value_or(INT64_MAX);
    symbols_->ranges[std::string(field.key)] = range;
  }
  return {};
}

Result<void> Pt2GraphReader::ReadTypes(JsonValue graph) {
  const auto values = AsObject(Member(graph, "tensor_values"));
  if (!values) return Error("program-json", "a graph has no tensor_values");
  for (const auto field : *values) metas_.emplace(field.key, field.value);
  // SymInts that can only have one value are integers.
  if (const auto ints = AsObject(Member(graph, "sym_int_values"))) {
    for (const auto field : *ints) {
      const std::optional<Dim> dim = ReadDim(field.value);
      if (dim && dim->known) known_ints_.emplace(field.key, dim->value);
    }
  }
  return {};
}

std::optional<Pt2GraphReader::Dim> Pt2GraphReader::ReadDim(JsonValue value) const {
  Dim dim;
  if (const auto literal = AsInt(Member(value, "as_int"))) {
    dim.value = *literal;
    dim.known = true;
    return dim;
  }
  const auto expr = Member(value, "as_expr");
  const auto text = expr ? AsString(Member(*expr, "expr_str")) : std::nullopt;
  if (!text) return std::nullopt;
  dim.symbolic = ReadSymbolicSize(*text, symbols_->ranges);
  dim.value = dim.symbolic.range.min;
  dim.known = dim.symbolic.range.IsConstant();
  if (const auto hint = Member(*expr, "hint")) {
    dim.hint = AsInt(Member(*hint, "as_int")).value_or(-1);
  }
  return dim;
}

int64_t Pt2GraphReader::SymbolNumber(const Dim& dim) {
  const SymbolRange& range = dim.symbolic.range;
  const auto [entry, fresh] = symbols_->dims.try_emplace(
      dim.symbolic.text, -static_cast<int64_t>(program_->symbols.size()) - 1);
  if (fresh) {
    program_->symbols.push_back(
        {dim.symbolic.text, std::max<int64_t>(range.min, 0), range.max, dim.hint});
  }
  return entry->second;
}

Result<Type> Pt2GraphReader::ReadType(std::string_view name, JsonValue meta) {
  const auto number = AsInt(Member(meta, "dtype"));
  const std::optional<DType> dtype = number ? ScalarTypeFromNumber(*number) : std::nullopt;
  if (!dtype) {
    return Error("program-dtype", "dtype code " + (number ? std::to_string(*number) : "(none)") +
                                      " of tensor " + std::string(name) + " is not supported");
  }
  const auto sizes = AsArray(Member(meta, "sizes"));
  if (!sizes) {
    return Error("program-json", "tensor " + std::string(name) + " has no sizes");
  }
  std::vector<int64_t> dims;
  int64_t elements = 1;
  for (const JsonValue size : *sizes) {
    const std::optional<Dim> dim = ReadDim(size);
    if (!dim || (dim->known && dim->value < 0)) {
      return Error("program-json", "tensor " + std::string(name) + " has a size that is none");
    }
    if (dim->known) {
      const int64_t factor = std::max<int64_t>(dim->value, 1);
      if (factor > limits::kMaxTensorElements / elements) {
        return Error("program-size", "tensor " + std::string(name) + " has more than " +
                                         std::to_string(limits::kMaxTensorElements) + " elements");
      }
      elements *= factor;
    }
    dims.push_back(dim->known ? dim->value : SymbolNumber(*dim));
  }
  return TensorType(*dtype, std::move(dims));
}

Result<Type> Pt2GraphReader::TypeOf(std::string_view name) {
  const auto meta = metas_.find(name);
  if (meta == metas_.end()) {
    return Error("program-json", "tensor " + std::string(name) + " is not in tensor_values");
  }
  return ReadType(name, meta->second);
}

Result<void> Pt2GraphReader::Define(std::string_view name, Value* value) {
  if (values_.emplace(name, value).second) return {};
  return Error("program-json", "two values of the program are called " + std::string(name));
}

Result<int32_t> Pt2GraphReader::Operand(std::optional<std::string_view> name) {
  if (!name) return Fail("an argument names no value");
  const auto value = values_.find(*name);
  if (value == values_.end()) {
    return Fail("argument " + std::string(*name) + " is not defined before this node");
  }
  operands_.push_back(value->second);
  return static_cast<int32_t>(operands_.size() - 1);
}

Result<ArgValue> Pt2GraphReader::ReadTensors(JsonValue value, bool optional) {
  const auto list = AsArray(value);
  if (!list) return Fail("a list of tensors is no list");
  OperandListArg arg;
  for (JsonValue element : *list) {
    if (optional) {
      const auto entry = AsUnion(element);
      if (entry && entry->key == "as_none") {
        arg.indices.push_back(-1);
        continue;
      }
      if (entry) element = entry->value;
    }
    TOSAC_ASSIGN(const int32_t index, Operand(AsString(Member(element, "name"))));
    arg.indices.push_back(index);
  }
  return ArgValue(std::move(arg));
}

Result<ArgValue> Pt2GraphReader::ReadSymInts(JsonValue value) {
  const auto list = AsArray(value);
  if (!list) return Fail("a list of sizes is no list");
  MixedIntsArg arg;
  bool all_known = true;
  for (const JsonValue element : *list) {
    const auto literal = AsInt(Member(element, "as_int"));
    const auto name = AsString(Member(element, "as_name"));
    const auto known = name ? known_ints_.find(*name) : known_ints_.end();
    if (literal) {
      arg.elements.push_back({*literal, -1});
    } else if (known != known_ints_.end()) {
      arg.elements.push_back({known->second, -1});
    } else {
      TOSAC_ASSIGN(const int32_t index, Operand(name));
      arg.elements.push_back({0, index});
      all_known = false;
    }
  }
  if (!all_known) return ArgValue(std::move(arg));
  std::vector<int64_t> ints;
  for (const MixedIntsArg::Element& element : arg.elements) ints.push_back(element.value);
  return ArgValue(std::move(ints));
}

// as_sym_int, as_sym_float, as_sym_bool: a literal or the name of a symbolic scalar.
Result<ArgValue> Pt2GraphReader::ReadSymScalar(const JsonUnion& arg) {
  if (const auto value = AsInt(Member(arg.value, "as_int"))) return ArgValue(*value);
  if (const auto value = AsBool(Member(arg.value, "as_bool"))) return ArgValue(*value);
  if (const auto value = AsDouble(Member(arg.value, "as_float"))) return ArgValue(*value);
  const auto name = AsString(Member(arg.value, "as_name"));
  if (name) {
    if (const auto known = known_ints_.find(*name); known != known_ints_.end()) {
      return ArgValue(known->second);
    }
  }
  TOSAC_ASSIGN(const int32_t index, Operand(name));
  return ArgValue(OperandArg{static_cast<uint32_t>(index)});
}

Result<ArgValue> Pt2GraphReader::ReadGraph(JsonValue value) {
  const auto name = AsString(Member(value, "name"));
  const auto graph = Member(value, "graph");
  const auto inputs = graph ? AsArray(Member(*graph, "inputs")) : std::nullopt;
  const auto outputs = graph ? AsArray(Member(*graph, "outputs")) : std::nullopt;
  if (!name || !inputs || !outputs) return Fail("a nested graph is incomplete");
  if (depth_ >= limits::kMaxGraphDepth) return Fail("graphs are nested too deep");
  Graph* inner = program_->AddGraph(*name);
  Pt2GraphReader reader(program_, inner, symbols_, depth_ + 1);
  TOSAC_TRY(reader.ReadTypes(*graph));
  for (const JsonValue input : *inputs) {
    const auto tensor = Member(input, "as_tensor");
    const auto input_name = tensor ? AsString(Member(*tensor, "name")) : std::nullopt;
    if (!input_name) return Fail("an input of a nested graph is no tensor");
    TOSAC_ASSIGN(Type type, reader.TypeOf(*input_name));
    TOSAC_TRY(reader.Define(*input_name, inner->AddInput(*input_name, std::move(type))));
  }
  TOSAC_TRY(reader.ReadNodes(*graph));
  for (const JsonValue output : *outputs) TOSAC_TRY(reader.AddOutput(output, {}));
  regions_.push_back(inner);
  return ArgValue(GraphArg{static_cast<uint32_t>(regions_.size() - 1)});
}

Result<ArgValue> Pt2GraphReader::ReadArg(JsonValue value) {
  const auto arg = AsUnion(value);
  if (!arg) return Fail("an argument is no object of one member");
  const std::string_view key = arg->key;
  const auto or_fail = [&](auto read) -> Result<ArgValue> {
    if (read) return ArgValue(std::move(*read));
    return Fail("an argument of kind " + std::string(key) + " has another value");
  };
  if (key == "as_none") return ArgValue(NoArg{});
  if (key == "as_tensor") {
    TOSAC_ASSIGN(const int32_t index, Operand(AsString(Member(arg->value, "name"))));
    return ArgValue(OperandArg{static_cast<uint32_t>(index)});
  }
  if (key == "as_optional_tensor") return ReadArg(arg->value);
  if (key == "as_tensors") return ReadTensors(arg->value, false);
  if (key == "as_optional_tensors") return ReadTensors(arg->value, true);
  if (key == "as_int") return or_fail(AsInt(arg->value));
  if (key == "as_float") return or_fail(AsDouble(arg->value));
  if (key == "as_bool") return or_fail(AsBool(arg->value));
  if (key == "as_string") {
    const auto text = AsString(arg->value);
    return or_fail(text ? std::optional<std::string>(*text) : std::nullopt);
  }
  if (key == "as_ints") return or_fail(ReadList<int64_t>(arg->value, AsInt));
  if (key == "as_floats") return or_fail(ReadList<double>(arg->value, AsDouble));
  if (key == "as_bools") return or_fail(ReadList<bool>(arg->value, AsBool));
  if (key == "as_sym_ints") return ReadSymInts(arg->value);
  if (key == "as_sym_int" || key == "as_sym_float" || key == "as_sym_bool") {
    return ReadSymScalar(*arg);
  }
  if (key == "as_graph") return ReadGraph(arg->value);
  if (key == "as_scalar_type") {
    const auto number = AsInt(arg->value);
    const std::optional<DType> dtype = number ? ScalarTypeFromNumber(*number) : std::nullopt;
    if (dtype) return ArgValue(DTypeArg{*dtype});
    return Fail("an argument has a dtype code that is not supported");
  }
  if (key == "as_memory_format") {
    const int64_t number = AsInt(arg->value).value_or(-1);
    if (number < 0 || number >= static_cast<int64_t>(std::size(kMemoryFormats))) {
      return Fail("an argument has an unknown memory format");
    }
    return ArgValue(EnumArg{std::string(kMemoryFormats[number])});
  }
  if (key == "as_layout") {
    if (AsInt(arg->value) == kStrided) return ArgValue(EnumArg{"torch.strided"});
    return Fail("only strided tensors are supported");
  }
  if (key == "as_device") {
    const auto type = AsString(Member(arg->value, "type"));
    return ArgValue(EnumArg{std::string(type.value_or("cpu"))});
  }
  if (key == "as_complex") {
    const auto real = AsDouble(Member(arg->value, "real"));
    const auto imag = AsDouble(Member(arg->value, "imag"));
    if (real && imag) return ArgValue(ComplexArg{*real, *imag});
  }
  return Fail("an argument of kind " + std::string(key) + " is not supported");
}

Result<void> Pt2GraphReader::ReadResult(JsonValue output, std::vector<Type>* types,
                                        std::vector<std::string_view>* names) {
  const auto entry = AsUnion(output);
  if (!entry) return Fail("a result is no object of one member");
  const auto add = [&](JsonValue tensor) -> Result<void> {
    const auto name = AsString(Member(tensor, "name"));
    if (!name) return Fail("a result has no name");
    TOSAC_ASSIGN(Type type, TypeOf(*name));
    types->push_back(std::move(type));
    names->emplace_back(*name);
    return {};
  };
  if (entry->key == "as_tensor") return add(entry->value);
  if (entry->key == "as_tensors") {
    const auto list = AsArray(entry->value);
    if (!list) return Fail("a list of results is no list");
    for (const JsonValue tensor : *list) TOSAC_TRY(add(tensor));
    return {};
  }
  if (entry->key == "as_optional_tensors") {
    const auto list = AsArray(entry->value);
    if (!list) return Fail("a list of results is no list");
    for (const JsonValue tensor : *list) TOSAC_TRY(ReadResult(tensor, types, names));
    return {};
  }
  if (entry->key == "as_optional_tensor") return ReadResult(entry->value, types, names);
  if (entry->key == "as_none") {
    types->push_back(Type{TypeKind::kNone, DType::kUnknown, {}, true});
    names->emplace_back();
    return {};
  }
  if (entry->key == "as_sym_int" || entry->key == "as_sym_bool" || entry->key == "as_sym_float") {
    const auto name = AsString(Member(entry->value, "as_name"));
    types->push_back(Type{TypeKind::kScalar, DType::kUnknown, {}, true});
    names->emplace_back(name.value_or(""));
    return {};
  }
  return Fail("a result of kind " + std::string(entry->key) + " is not supported");
}

Result<void> Pt2GraphReader::ReadNode(JsonValue node) {
  operands_.clear();
  regions_.clear();
  node_target_ = WithoutPrefix(AsString(Member(node, "target")).value_or(""), "torch.ops.");
  node_name_ = AsString(Member(node, "name")).value_or("");
  stack_trace_ = {};
  if (const auto metadata = Member(node, "metadata")) {
    stack_trace_ = AsString(Member(*metadata, "stack_trace")).value_or("");
  }
  const auto inputs = AsArray(Member(node, "inputs"));
  const auto outputs = AsArray(Member(node, "outputs"));
  if (node_target_.empty() || !inputs || !outputs) {
    return Fail("a node has no target, inputs or outputs");
  }
  if (IsWrapper(node_target_)) return InlineGraph(*inputs, *outputs);
  std::vector<Arg> args;
  for (const JsonValue input : *inputs) {
    const auto value = Member(input, "arg");
    if (!value) return Fail("an argument has no value");
    Arg arg;
    arg.name = AsString(Member(input, "name")).value_or("");
    constexpr int64_t kKeyword = 2;
    arg.keyword = AsInt(Member(input, "kind")).value_or(0) == kKeyword;
    TOSAC_ASSIGN(arg.value, ReadArg(*value));
    args.push_back(std::move(arg));
  }
  std::vector<Type> types;
  std::vector<std::string_view> names;
  for (const JsonValue output : *outputs) TOSAC_TRY(ReadResult(output, &types, &names));
  if (node_name_.empty()) node_name_ = names.empty() ? node_target_ : names[0];
  Node* added = graph_->AddAten(node_target_, std::move(args), operands_, std::move(types),
                                names.empty() || names[0].empty() ? node_name_ : names[0]);
  added->name = node_name_;
  added->stack_trace = stack_trace_;
  added->regions = regions_;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    graph_->Rename(added->result(i), names[i]);
    TOSAC_TRY(Define(names[i], added->result(i)));
  }
  return {};
}

Result<void> Pt2GraphReader::InlineGraph(JsonArray inputs, JsonArray outputs) {
  // (settings..., graph, operands...)
  std::optional<JsonValue> inner;
  std::vector<Value*> operands;
  for (const JsonValue input : inputs) {
    const auto arg = Member(input, "arg");
    if (!arg) return Fail("an argument has no value");
    if (!inner) {
      if (const auto graph = Member(*arg, "as_graph")) inner = Member(*graph, "graph");
      continue;
    }
    TOSAC_ASSIGN(const int32_t index, Operand(ReferredName(*arg)));
    operands.push_back(operands_[static_cast<size_t>(index)]);
  }
  const auto inner_inputs = inner ? AsArray(Member(*inner, "inputs")) : std::nullopt;
  const auto inner_outputs = inner ? AsArray(Member(*inner, "outputs")) : std::nullopt;
  if (!inner_inputs || !inner_outputs || inner_inputs->size() != operands.size()) {
    return Fail("its graph is missing, or takes another number of inputs");
  }
  if (depth_ >= limits::kMaxGraphDepth) return Fail("graphs are nested too deep");
  Pt2GraphReader reader(program_, graph_, symbols_, depth_ + 1);
  TOSAC_TRY(reader.ReadTypes(*inner));
  size_t next = 0;
  for (const JsonValue input : *inner_inputs) {
    const auto name = ReferredName(input);
    if (!name) return Fail("an input of its graph has no name");
    TOSAC_TRY(reader.Define(*name, operands[next++]));
  }
  TOSAC_TRY(reader.ReadNodes(*inner));
  const auto names = ResultNames(outputs);
  if (names.size() != inner_outputs->size()) {
    return Fail("its graph returns another number of results");
  }
  next = 0;
  for (const JsonValue output : *inner_outputs) {
    const auto inner_name = ReferredName(output);
    const std::optional<std::string_view> name = names[next++];
    if (!inner_name || !name) continue;  // None; a later use of it is an undefined name
    const auto value = reader.values_.find(*inner_name);
    if (value == reader.values_.end()) {
      return Fail("result " + std::string(*inner_name) + " of its graph is not defined");
    }
    TOSAC_TRY(Define(*name, value->second));
  }
  return {};
}

Result<void> Pt2GraphReader::ReadNodes(JsonValue graph) {
  const auto nodes = AsArray(Member(graph, "nodes"));
  if (!nodes) return Error("program-json", "a graph has no nodes");
  for (const JsonValue node : *nodes) TOSAC_TRY(ReadNode(node));
  return {};
}

Result<void> Pt2GraphReader::AddOutput(JsonValue argument, const OutputInfo& info) {
  const auto entry = AsUnion(argument);
  if (entry && entry->key == "as_none") return {};
  const auto name =
      entry && entry->key == "as_tensor" ? AsString(Member(entry->value, "name")) : std::nullopt;
  if (!name) {
    return Error("program-output", "an output of kind " +
                                       std::string(entry ? entry->key : "(unknown)") +
                                       " is not supported; return tensors");
  }
  const auto value = values_.find(*name);
  if (value == values_.end()) {
    return Error("program-output", "output " + std::string(*name) + " is not defined");
  }
  graph_->AddOutput(value->second, info);
  return {};
}

}  // namespace tosac::fx
