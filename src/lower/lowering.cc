// SPDX-License-Identifier: Apache-2.0
#include "lower/lowering.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tosac::lower {

using fx::Arg;
using fx::ConstantPtr;
using fx::Type;

namespace {

// The operand that `arg` refers to; nullptr when it is no tensor.
const Value* OperandOf(const fx::Node& node, const Arg* arg) {
  if (arg == nullptr) return nullptr;
  const auto* operand = std::get_if<fx::OperandArg>(&arg->value);
  if (operand == nullptr || operand->index >= node.operands().size()) return nullptr;
  return node.operand(operand->index);
}

bool IsScalar(const Arg* arg) {
  return arg != nullptr &&
         (std::holds_alternative<int64_t>(arg->value) ||
          std::holds_alternative<double>(arg->value) || std::holds_alternative<bool>(arg->value));
}

}  // namespace

// ---- arguments ----

bool Lowering::Has(std::string_view name) const { return node_->FindArg(name) != nullptr; }

Value* Lowering::Lowered(const Value* value) {
  if (const auto found = values_.find(value); found != values_.end()) return found->second;
  // A constant of the graph comes into the new one when it is first used, so that what nobody uses
  // is neither converted nor complained about.
  const ConstantPtr constant = value->constant();
  if (constant == nullptr) {
    Fail("internal-lowering", "%" + value->name + " is used before it is lowered");
    return b_.ScalarInt(DType::kINT32, 0, 0);
  }
  const DType dtype = NarrowConstant(value->name, constant->dtype);
  Result<ConstantPtr> converted =
      constant->dtype == dtype ? Result<ConstantPtr>(constant) : fx::Converted(constant, dtype);
  if (!converted.ok()) {
    Diag diag = converted.diag();
    diag.message = "constant %" + value->name + ": " + diag.message;
    b_.Fail(std::move(diag));
    return b_.ScalarInt(DType::kINT32, 0, 0);
  }
  Value* lowered = b_.Owned(*converted, value->name);
  values_.emplace(value, lowered);
  return lowered;
}

DType Lowering::NarrowConstant(std::string_view name, DType dtype) {
  if (dtype != DType::kFP64) return Narrow(dtype);
  Note("narrowed-float64", "constant %" + std::string(name) + " is float64 and becomes FP32");
  return DType::kFP32;
}

Value* Lowering::In(std::string_view name) {
  const Arg* arg = node_->FindArg(name);
  if (const Value* operand = OperandOf(*node_, arg)) return Lowered(operand);
  if (IsScalar(arg)) return b_.Scalar(ResultType().dtype, Float(name, 0), 0);
  Fail("lower-argument", "argument `" + std::string(name) + "` is not a tensor");
  return b_.Scalar(DType::kFP32, 0, 0);
}

std::vector<Value*> Lowering::Ins(std::string_view name) {
  std::vector<Value*> values;
  const Arg* arg = node_->FindArg(name);
  const auto* list = arg == nullptr ? nullptr : std::get_if<fx::OperandListArg>(&arg->value);
  if (list == nullptr) {
    Fail("lower-argument", "argument `" + std::string(name) + "` is not a list of tensors");
    return values;
  }
  for (const int32_t index : list->indices) {
    if (index < 0) {
      values.push_back(nullptr);
    } else if (static_cast<size_t>(index) < node_->operands().size()) {
      values.push_back(Lowered(node_->operand(static_cast<size_t>(index))));
    }
  }
  return values;
}

ConstantPtr Lowering::ConstantIn(std::string_view name) const {
  const Value* operand = OperandOf(*node_, node_->FindArg(name));
  return operand == nullptr ? nullptr : operand->constant();
}

Type Lowering::AtenType(std::string_view name) const {
  const Value* operand = OperandOf(*node_, node_->FindArg(name));
  return operand == nullptr ? Type{} : operand->type;
}

int64_t Lowering::Int(std::string_view name, int64_t fallback) {
  const Arg* arg = node_->FindArg(name);
  if (arg == nullptr) return fallback;
  if (const auto* i = std::get_if<int64_t>(&arg->value)) return *i;
  if (const auto* b = std::get_if<bool>(&arg->value)) return *b ? 1 : 0;
  Fail("lower-argument", "argument `" + std::string(name) + "` is not an integer");
  return fallback;
}

double Lowering::Float(std::string_view name, double fallback) {
  const Arg* arg = node_->FindArg(name);
  if (arg == nullptr) return fallback;
  if (const auto* d = std::get_if<double>(&arg->value)) return *d;
  if (const auto* i = std::get_if<int64_t>(&arg->value)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&arg->value)) return *b ? 1 : 0;
  Fail("lower-argument", "argument `" + std::string(name) + "` is not a number");
  return fallback;
}

bool Lowering::Bool(std::string_view name, bool fallback) {
  const Arg* arg = node_->FindArg(name);
  if (arg == nullptr) return fallback;
  if (const auto* b = std::get_if<bool>(&arg->value)) return *b;
  if (const auto* i = std::get_if<int64_t>(&arg->value)) return *i != 0;
  Fail("lower-argument", "argument `" + std::string(name) + "` is not a bool");
  return fallback;
}

std::string Lowering::Str(std::string_view name, std::string_view fallback) {
  const Arg* arg = node_->FindArg(name);
  if (arg == nullptr) return std::string(fallback);
  if (const auto* s = std::get_if<std::string>(&arg->value)) return *s;
  Fail("lower-argument", "argument `" + std::string(name) + "` is not a string");
  return std::string(fallback);
}

Dims Lowering::IntList(std::string_view name, Dims fallback) {
  const Arg* arg = node_->FindArg(name);
  if (arg == nullptr) return fallback;
  if (const auto* list = std::get_if<std::vector<int64_t>>(&arg->value)) return *list;
  if (const auto* i = std::get_if<int64_t>(&arg->value)) return {*i};
  if (const auto* mixed = std::get_if<fx::MixedIntsArg>(&arg->value)) {
    Dims values;
    for (const auto& element : mixed->elements) {
      if (element.operand >= 0) break;
      values.push_back(element.value);
    }
    if (values.size() == mixed->elements.size()) return values;
  }
  Fail("lower-argument", "argument `" + std::string(name) + "` is not a list of known integers");
  return fallback;
}

std::optional<DType> Lowering::DTypeOf(std::string_view name) {
  const Arg* arg = node_->FindArg(name);
  if (arg == nullptr) return std::nullopt;
  if (const auto* dtype = std::get_if<fx::DTypeArg>(&arg->value)) return dtype->dtype;
  Fail("lower-argument", "argument `" + std::string(name) + "` is not a dtype");
  return std::nullopt;
}

bool Lowering::IsFloatArg(std::string_view name) const {
  const Arg* arg = node_->FindArg(name);
  return arg != nullptr && std::holds_alternative<double>(arg->value);
}

bool Lowering::IsTensorArg(std::string_view name) const {
  return OperandOf(*node_, node_->FindArg(name)) != nullptr;
}

int64_t Lowering::Axis(std::string_view name, int64_t fallback, int64_t rank) {
  const int64_t limit = std::max<int64_t>(rank, 1);
  const int64_t axis = Int(name, fallback);
  if (axis < -limit || axis >= limit) {
    Fail("lower-argument", "argument `" + std::string(name) + "` is " + std::to_string(axis) +
                               ", outside a tensor of rank " + std::to_string(rank));
    return 0;
  }
  return NormalizeAxis(axis, limit);
}

Dims Lowering::Axes(std::string_view name, int64_t rank) {
  Dims axes = IntList(name, {});
  if (axes.empty()) {
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  const int64_t limit = std::max<int64_t>(rank, 1);
  for (int64_t& axis : axes) {
    if (axis < -limit || axis >= limit) {
      Fail("lower-argument", "argument `" + std::string(name) + "` has " + std::to_string(axis) +
                                 ", outside a tensor of rank " + std::to_string(rank));
      return {};
    }
    axis = NormalizeAxis(axis, limit);
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  if (rank == 0) axes.clear();
  return axes;
}

// ---- results ----

Type Lowering::ResultType(size_t i) const {
  if (i >= node_->num_results()) return {};
  Type type = node_->result(i)->type;
  if (type.dtype == DType::kINT64) type.dtype = target().IndexType();
  return type;
}

void Lowering::Return(Value* value, size_t i) {
  if (b_.failed()) return;
  if (i >= node_->num_results()) {
    Fail("lower-result-type", "the archive lists " + std::to_string(node_->num_results()) +
                                  " results, the operator has more");
    return;
  }
  Narrow(node_->result(i)->type.dtype);  // reports a dtype that the target does not have
  const Type expected = ResultType(i);
  if (value->type != expected) {
    Fail("lower-result-type", "result " + std::to_string(i) + " is lowered to " +
                                  fx::ToString(value->type) + ", but the archive says " +
                                  fx::ToString(expected));
    return;
  }
  const Value* aten = node_->result(i);
  values_.emplace(aten, value);
  // The tensor that stands for the ATen value carries its name.
  const fx::Node* def = value->def();
  if (def != nullptr && def->name == node_->name && value->name != aten->name &&
      def->op != Op::CONST) {
    b_.graph().Rename(value, aten->name);
  }
}

void Lowering::ReturnAs(Value* value, size_t i) {
  if (b_.failed()) return;
  const Type expected = ResultType(i);
  Return(b_.Reshape(Convert(value, expected.dtype), expected.dims), i);
}

void Lowering::Unsupported(std::string why) {
  if (!unsupported_) unsupported_ = std::move(why);
}

void Lowering::Note(std::string_view rule, std::string message) {
  Diag note = Error(rule, std::move(message));
  note.severity = Severity::kNote;
  note.location.path = node_ == nullptr ? "" : node_->name;
  for (const Diag& other : notes_) {
    if (other.rule == note.rule && other.message == note.message) return;
  }
  notes_.push_back(std::move(note));
}

}  // namespace tosac::lower
