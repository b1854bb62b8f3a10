// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tosac/program.h"

namespace tosac::fx {
namespace {

std::string Number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}
std::string Number(int64_t value) { return std::to_string(value); }
std::string Number(bool value) { return value ? "True" : "False"; }

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

template <typename List, typename Print>
std::string Bracketed(const List& list, Print print) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + print(list[i]);
  return text + "]";
}

std::string OperandText(const Node& node, int64_t index) {
  if (index < 0) return "None";
  if (static_cast<size_t>(index) >= node.operands().size()) return "?";
  return "%" + node.operand(static_cast<size_t>(index))->name;
}

// An argument as Python would write it.
struct ArgPrinter {
  const Node& node;

  std::string operator()(const NoArg&) const { return "None"; }
  std::string operator()(const OperandArg& arg) const { return OperandText(node, arg.index); }
  std::string operator()(const OperandListArg& arg) const {
    return Bracketed(arg.indices, [&](int32_t index) { return OperandText(node, index); });
  }
  std::string operator()(const MixedIntsArg& arg) const {
    return Bracketed(arg.elements, [&](const MixedIntsArg::Element& element) {
      return element.operand < 0 ? Number(element.value) : OperandText(node, element.operand);
    });
  }
  std::string operator()(int64_t value) const { return Number(value); }
  std::string operator()(double value) const { return Number(value); }
  std::string operator()(bool value) const { return Number(value); }
  std::string operator()(const std::string& value) const { return Quoted(value); }
  std::string operator()(const std::vector<int64_t>& list) const {
    return Bracketed(list, [](int64_t value) { return Number(value); });
  }
  std::string operator()(const std::vector<double>& list) const {
    return Bracketed(list, [](double value) { return Number(value); });
  }
  std::string operator()(const std::vector<bool>& list) const {
    return Bracketed(list, [](bool value) { return Number(value); });
  }
  std::string operator()(const DTypeArg& arg) const {
    const std::string scalar = ToString(TensorType(arg.dtype, {}));
    return scalar.substr(0, scalar.find('['));
  }
  std::string operator()(const EnumArg& arg) const { return arg.text; }
  std::string operator()(const GraphArg& arg) const {
    return arg.region < node.regions.size() ? "@" + node.regions[arg.region]->name : "?";
  }
  std::string operator()(const ComplexArg& arg) const {
    return "(" + Number(arg.real) + " + " + Number(arg.imag) + "j)";
  }
};

std::string AttrText(const AttrInfo& info, const AttrValue& value) {
  if (const auto* scalar = std::get_if<int64_t>(&value)) {
    if (info.kind == AttrKind::kBool) return Number(*scalar != 0);
    if (info.kind == AttrKind::kEnum) {
      if (const auto name = EnumName(info.enum_type, static_cast<uint32_t>(*scalar))) {
        return std::string(*name);
      }
    }
    return Number(*scalar);
  }
  if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) {
    return Bracketed(*list, [](int32_t v) { return std::to_string(v); });
  }
  if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&value)) {
    std::string text = "0x";
    constexpr char kHex[] = "0123456789abcdef";
    for (const uint8_t byte : *bytes) {
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
    return text;
  }
  return Quoted(std::get<std::string>(value));
}

// The elements of a small constant, one element of a splat, or a hash that tells values apart.
std::string ConstantText(const Constant& constant) {
  constexpr int64_t kShown = 8;
  Constant shown = constant;
  const bool splat = constant.IsSplat() && constant.NumElements() > 1;
  if (splat) {
    shown.shape.clear();
    shown.strides.clear();
  }
  if (shown.NumElements() <= kShown) {
    const auto join = [&](const auto& values) {
      std::string text = Bracketed(values, [](auto v) { return Number(v); });
      return splat ? "splat " + text.substr(1, text.size() - 2) : text;
    };
    if (IsFloat(constant.dtype)) {
      if (const auto values = AsDoubles(shown); values.ok()) return join(*values);
    } else if (const auto values = AsInts(shown); values.ok()) {
      return join(*values);
    }
  }
  const Result<Constant::View> view = shown.Bytes();
  if (!view.ok()) return "unreadable";
  char buffer[32];
  std::snprintf(
      buffer, sizeof(buffer), "#%016llx",
      static_cast<unsigned long long>(XXH3_64bits(view->bytes.data(), view->bytes.size())));
  return buffer;
}

std::string CallText(const Node& node) {
  std::string text;
  if (node.kind() == NodeKind::kAten) {
    text = node.target + "(";
    for (size_t i = 0; i < node.args.size(); ++i) {
      if (i > 0) text += ", ";
      if (node.args[i].keyword) text += node.args[i].name + "=";
      text += std::visit(ArgPrinter{node}, node.args[i].value);
    }
    return text + ")";
  }
  const OpInfo* info = FindOp(node.op);
  text = "tosa." + std::string(Name(node.op)) + "(";
  bool first = true;
  for (const Value* operand : node.operands()) {
    text += (first ? "%" : ", %") + operand->name;
    first = false;
  }
  if (node.constant != nullptr) {
    text += ConstantText(*node.constant);
    if (!node.pooled) text += ", owned";
  }
  for (size_t i = 0; info != nullptr && i < info->attrs.size() && i < node.attrs.size(); ++i) {
    text += (first ? "" : ", ") + std::string(info->attrs[i].name) + "=" +
            AttrText(info->attrs[i], node.attrs[i]);
    first = false;
  }
  return text + ")";
}

std::string ValueText(const Value& value) {
  return "%" + value.name + " : " + ToString(value.type);
}

std::string GraphText(const Graph& graph, const TextOptions& options) {
  std::string text = "graph @" + graph.name + "(";
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    text += (i == 0 ? "" : ", ") + ValueText(*graph.inputs()[i]);
  }
  text += ") {\n";
  for (const Node* node = graph.first(); node != graph.output(); node = node->next()) {
    text += "  ";
    for (size_t i = 0; i < node->num_results(); ++i) {
      text += (i == 0 ? "" : ", ") + ValueText(*node->result(i));
    }
    text += node->num_results() > 0 ? " = " : "";
    text += CallText(*node);
    if (options.source && !node->stack_trace.empty())
      text += "  # " + SourceLine(node->stack_trace);
    text += "\n";
  }
  text += "  return (";
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    text += (i == 0 ? "%" : ", %") + graph.outputs()[i]->name;
  }
  return text + ")\n}\n";
}

}  // namespace

std::string ToText(const Program& program, const TextOptions& options) {
  std::string text;
  for (const auto& graph : program.graphs()) text += GraphText(*graph, options);
  return text;
}

}  // namespace tosac::fx
