// SPDX-License-Identifier: Apache-2.0
#include "lower/builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tosac::lower {
namespace {

using fx::ConstantPtr;
using fx::TensorType;
using fx::Type;

std::string TypeText(const Value* value) { return fx::ToString(value->type); }

}  // namespace

std::optional<Dims> BroadcastDims(std::span<const int64_t> a, std::span<const int64_t> b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims dims(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t da = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    const int64_t db = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (da != db && da != 1 && db != 1) return std::nullopt;
    dims[i] = da == 1 ? db : da;
  }
  return dims;
}

void Builder::Fail(Diag diag) {
  if (!error_) error_ = std::move(diag);
}

void Builder::SetOrigin(std::string_view name, std::string_view stack_trace) {
  origin_ = name;
  stack_trace_ = stack_trace;
}

Value* Builder::Emit(Op op, std::span<Value* const> operands, Type result,
                     std::vector<AttrValue> attrs) {
  for (const int64_t dim : result.dims) {
    if (dim <= 0 && result.kind == fx::TypeKind::kTensor) {
      Fail("lower-empty", std::string(Name(op)) + " would make a tensor of type " +
                              fx::ToString(result) + ", and TOSA has none with a size of 0");
    }
  }
  if (result.rank() > target_.limits().max_rank && result.kind == fx::TypeKind::kTensor) {
    Fail("lower-rank", std::string(Name(op)) + " would make a tensor of rank " +
                           std::to_string(result.rank()) + "; the target's level allows " +
                           std::to_string(target_.limits().max_rank));
  }
  if (NeedsFloat(op, operands, result)) {
    return EmitThroughFloat(op, operands, std::move(result), std::move(attrs));
  }
  return EmitNode(op, operands, std::move(result), std::move(attrs));
}

Value* Builder::EmitNode(Op op, std::span<Value* const> operands, Type result,
                         std::vector<AttrValue> attrs) {
  for (const Value* operand : operands) RequireExact(operand);
  std::string wish = origin_;
  if (const OpInfo* info = FindOp(op)) wish.append("_").append(info->mlir);
  fx::Node* node = graph_.AddTosa(op, operands, {std::move(result)}, std::move(attrs), wish);
  node->name = origin_;
  node->stack_trace = stack_trace_;
  ints_.Derive(*node);
  return node->result();
}

// ---- constants ----

Value* Builder::Helper(ConstantPtr constant, std::string_view name) {
  fx::Node* node = graph_.AddConstant(std::move(constant),
                                      name.empty() ? origin_ + "_const" : std::string(name), true);
  node->stack_trace = stack_trace_;
  return node->result();
}

Value* Builder::Owned(ConstantPtr constant, std::string_view name) {
  return graph_.AddConstant(std::move(constant), name, false)->result();
}

Value* Builder::Scalar(DType dtype, double value, int64_t rank) {
  const Dims dims(static_cast<size_t>(std::max<int64_t>(rank, 0)), 1);
  return Floats(dtype, std::span(&value, 1), dims);
}

Value* Builder::ScalarLike(const Value* like, double value) {
  return Scalar(like->type.dtype, value, like->type.rank());
}

Value* Builder::ScalarInt(DType dtype, int64_t value, int64_t rank) {
  std::vector<uint8_t> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  const Dims dims(static_cast<size_t>(std::max<int64_t>(rank, 0)), 1);
  Result<ConstantPtr> constant =
      fx::Converted(fx::MakeConstant(DType::kINT64, dims, std::move(bytes)), dtype);
  if (!constant.ok()) {
    Fail(constant.diag());
    constant = fx::MakeConstant(DType::kBOOL, dims, {0});
  }
  return Helper(*constant);
}

Value* Builder::ZeroPoint(DType dtype) { return ScalarInt(dtype, 0, 1); }

Value* Builder::Ints(DType dtype, std::span<const int64_t> values) {
  std::vector<uint8_t> bytes(values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size_bytes());
  const Dims dims = {static_cast<int64_t>(values.size())};
  Result<ConstantPtr> constant =
      fx::Converted(fx::MakeConstant(DType::kINT64, dims, std::move(bytes)), dtype);
  if (!constant.ok()) {
    Fail(constant.diag());
    return ScalarInt(DType::kINT32, 0, 1);
  }
  return Helper(*constant);
}

Value* Builder::Floats(DType dtype, std::span<const double> values, const Dims& shape) {
  std::vector<uint8_t> bytes(values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size_bytes());
  Result<ConstantPtr> constant =
      fx::Converted(fx::MakeConstant(DType::kFP64, shape, std::move(bytes)), dtype);
  if (!constant.ok()) {
    Fail(constant.diag());
    return ScalarInt(DType::kINT32, 0, static_cast<int64_t>(shape.size()));
  }
  return Helper(*constant);
}

Value* Builder::Shape(std::span<const int64_t> values) {
  std::vector<uint8_t> bytes(values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size_bytes());
  ConstantPtr constant =
      fx::MakeConstant(DType::kSHAPE, {static_cast<int64_t>(values.size())}, std::move(bytes));
  fx::Node* node = graph_.AddConstant(std::move(constant), origin_ + "_shape", false);
  node->stack_trace = stack_trace_;
  return node->result();
}

// ---- elementwise ----

Value* Builder::Unary(Op op, Value* input) { return Emit(op, std::array{input}, input->type); }

Value* Builder::Negate(Value* input) {
  const DType dtype = input->type.dtype;
  if (dtype == DType::kINT32 && !target_.Has(Feature::kInt)) {
    return Binary(Op::SUB, ScalarLike(input, 0), input);
  }
  Value* operands[] = {input, ZeroPoint(dtype), ZeroPoint(dtype)};
  return Emit(Op::NEGATE, operands, input->type);
}

Dims Builder::BroadcastOperands(Op op, Value** a, Value** b) {
  std::optional<Dims> dims = BroadcastDims((*a)->type.dims, (*b)->type.dims);
  if (!dims || (*a)->type.dtype != (*b)->type.dtype) {
    Fail("lower-type", std::string(Name(op)) + " can not take operands of types " + TypeText(*a) +
                           " and " + TypeText(*b));
    return (*a)->type.dims;
  }
  for (Value** operand : {a, b}) {
    Dims padded = (*operand)->type.dims;
    padded.insert(padded.begin(), dims->size() - padded.size(), 1);
    *operand = Reshape(*operand, std::move(padded));
  }
  return *dims;
}

namespace {

bool IsComparison(Op op) { return op == Op::EQUAL || op == Op::GREATER || op == Op::GREATER_EQUAL; }

constexpr int64_t kPropagate = static_cast<int64_t>(NanMode::kPropagate);

std::vector<AttrValue> BinaryAttrs(Op op) {
  if (op == Op::MAXIMUM || op == Op::MINIMUM) return {kPropagate};
  if (op == Op::ARITHMETIC_RIGHT_SHIFT) return {int64_t{0}};
  return {};
}

}  // namespace

Value* Builder::Binary(Op op, Value* a, Value* b) {
  Dims dims = BroadcastOperands(op, &a, &b);
  const DType dtype = IsComparison(op) ? DType::kBOOL : a->type.dtype;
  Value* operands[] = {a, b};
  return Emit(op, operands, TensorType(dtype, std::move(dims)), BinaryAttrs(op));
}

Value* Builder::Mul(Value* a, Value* b) {
  Dims dims = BroadcastOperands(Op::MUL, &a, &b);
  Value* operands[] = {a, b, ScalarInt(DType::kINT8, 0, 1)};
  return Emit(Op::MUL, operands, TensorType(a->type.dtype, std::move(dims)));
}

Value* Builder::Div(Value* a, Value* b) { return Mul(a, Unary(Op::RECIPROCAL, b)); }

Value* Builder::Select(Value* condition, Value* on_true, Value* on_false) {
  const std::optional<Dims> values = BroadcastDims(on_true->type.dims, on_false->type.dims);
  const std::optional<Dims> all =
      values ? BroadcastDims(*values, condition->type.dims) : std::nullopt;
  if (!all || on_true->type.dtype != on_false->type.dtype ||
      condition->type.dtype != DType::kBOOL) {
    Fail("lower-type", "SELECT can not take operands of types " + TypeText(condition) + ", " +
                           TypeText(on_true) + " and " + TypeText(on_false));
    return on_true;
  }
  Value* operands[] = {condition, on_true, on_false};
  for (Value*& operand : operands) {
    Dims padded = operand->type.dims;
    padded.insert(padded.begin(), all->size() - padded.size(), 1);
    operand = Reshape(operand, std::move(padded));
  }
  return Emit(Op::SELECT, operands, TensorType(on_true->type.dtype, *all));
}

Value* Builder::Clamp(Value* input, double min, double max) {
  const DType dtype = input->type.dtype;
  if (!IsFloat(dtype) && dtype != DType::kINT8 && dtype != DType::kINT16) {
    if (!std::isinf(min)) input = Binary(Op::MAXIMUM, input, ScalarLike(input, min));
    if (!std::isinf(max)) input = Binary(Op::MINIMUM, input, ScalarLike(input, max));
    return input;
  }
  std::vector<AttrValue> attrs;
  for (const double bound : {min, max}) {
    std::vector<uint8_t> bytes(sizeof(bound));
    std::memcpy(bytes.data(), &bound, sizeof(bound));
    const Result<ConstantPtr> converted =
        fx::Converted(fx::MakeConstant(DType::kFP64, {1}, std::move(bytes)), dtype);
    if (!converted.ok()) {
      Fail(converted.diag());
      return input;
    }
    const Result<fx::Constant::View> view = (*converted)->Bytes();
    if (!view.ok()) {
      Fail(view.diag());
      return input;
    }
    attrs.emplace_back(std::vector<uint8_t>(view->bytes.begin(), view->bytes.end()));
  }
  attrs.emplace_back(kPropagate);
  return Emit(Op::CLAMP, std::array{input}, input->type, std::move(attrs));
}

Value* Builder::Cast(Value* input, DType dtype) {
  const DType from = input->type.dtype;
  if (from == dtype) return input;
  const bool has_bool_cast = target_.version().minor >= 1 && dtype == DType::kFP32;
  if (from == DType::kBOOL && IsFloat(dtype) && !has_bool_cast) {
    const int64_t rank = input->type.rank();
    return Select(input, Scalar(dtype, 1.0, rank), Scalar(dtype, 0.0, rank));
  }
  if (!target_.Has(Feature::kInt) && (from == DType::kBOOL || IsInteger(from))) {
    return CastWithoutIntProfile(input, dtype);
  }
  return Emit(Op::CAST, std::array{input}, TensorType(dtype, input->type.dims));
}

// ---- layout ----

Value* Builder::Reshape(Value* input, Dims dims) {
  if (input->type.dims == dims) return input;
  Type result = TensorType(input->type.dtype, dims);
  if (result.NumElements() != input->type.NumElements()) {
    Fail("lower-type", "RESHAPE of " + TypeText(input) + " to " + fx::ToString(result) +
                           " changes the number of elements");
    return input;
  }
  // A helper constant takes its new shape at once.
  if (input->def() != nullptr && input->def()->pooled && input->constant() != nullptr) {
    if (ConstantPtr reshaped = fx::Reshaped(input->constant(), dims)) return Helper(reshaped);
  }
  Value* operands[] = {input, Shape(dims)};
  return Emit(Op::RESHAPE, operands, std::move(result));
}

Value* Builder::Transpose(Value* input, std::span<const int64_t> perm) {
  const int64_t rank = input->type.rank();
  Dims dims(perm.size());
  std::vector<int32_t> perms(perm.begin(), perm.end());
  std::vector<bool> seen(perm.size(), false);
  bool identity = true;
  for (size_t i = 0; i < perm.size(); ++i) {
    if (static_cast<int64_t>(perm.size()) != rank || perm[i] < 0 || perm[i] >= rank ||
        seen[static_cast<size_t>(perm[i])]) {
      Fail("lower-type", "TRANSPOSE of " + TypeText(input) + " by what is no permutation of it");
      return input;
    }
    seen[static_cast<size_t>(perm[i])] = true;
    dims[i] = input->type.dims[static_cast<size_t>(perm[i])];
    identity = identity && perm[i] == static_cast<int64_t>(i);
  }
  if (identity) return input;
  return Emit(Op::TRANSPOSE, std::array{input}, TensorType(input->type.dtype, std::move(dims)),
              {std::move(perms)});
}

Value* Builder::BroadcastTo(Value* input, Dims dims) {
  if (input->type.dims == dims) return input;
  if (BroadcastDims(input->type.dims, dims) != dims) {
    Fail("lower-type", TypeText(input) + " can not be broadcast to " +
                           fx::ToString(TensorType(input->type.dtype, dims)));
    return input;
  }
  Dims padded = input->type.dims;
  padded.insert(padded.begin(), dims.size() - padded.size(), 1);
  Dims multiples(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) multiples[i] = padded[i] == dims[i] ? 1 : dims[i];
  return Tile(Reshape(input, padded), std::move(multiples));
}

Value* Builder::Slice(Value* input, Dims start, Dims size) {
  if (size == input->type.dims) return input;
  const size_t rank = input->type.dims.size();
  bool fits = start.size() == rank && size.size() == rank;
  for (size_t i = 0; fits && i < rank; ++i) {
    fits = start[i] >= 0 && size[i] > 0 && start[i] <= input->type.dims[i] - size[i];
  }
  if (!fits) {
    Fail("lower-type", "SLICE of " + TypeText(input) + " reaches past its end or is empty");
    return input;
  }
  Value* operands[] = {input, Shape(start), Shape(size)};
  return Emit(Op::SLICE, operands, TensorType(input->type.dtype, std::move(size)));
}

Value* Builder::Concat(std::span<Value* const> inputs, int64_t axis) {
  if (inputs.empty()) {
    Fail("lower-type", "CONCAT of nothing");
    return ScalarInt(DType::kINT32, 0, 1);
  }
  if (inputs.size() == 1) return inputs[0];
  Type result = inputs[0]->type;
  if (axis < 0 || axis >= result.rank()) {
    Fail("lower-type", "CONCAT of " + TypeText(inputs[0]) + " along no axis of it");
    return inputs[0];
  }
  const size_t a = static_cast<size_t>(axis);
  for (const Value* input : inputs.subspan(1)) {
    Type expected = result;
    bool fits = input->type.rank() == result.rank();
    if (fits) expected.dims[a] = input->type.dims[a];
    if (!fits || expected != input->type) {
      Fail("lower-type", "CONCAT can not take operands of types " + fx::ToString(result) + " and " +
                             TypeText(input));
      return inputs[0];
    }
    result.dims[a] += input->type.dims[a];
  }
  // Longer lists than the level allows are concatenated in pieces.
  const size_t limit = static_cast<size_t>(target_.limits().max_tensor_list_size);
  if (inputs.size() > limit) {
    std::vector<Value*> pieces;
    for (size_t i = 0; i < inputs.size(); i += limit) {
      pieces.push_back(Concat(inputs.subspan(i, std::min(limit, inputs.size() - i)), axis));
    }
    return Concat(pieces, axis);
  }
  return Emit(Op::CONCAT, inputs, std::move(result), {axis});
}

Value* Builder::Pad(Value* input, std::span<const int64_t> pads, double value) {
  if (std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; })) return input;
  Dims dims = input->type.dims;
  bool fits = pads.size() == 2 * dims.size();
  for (size_t i = 0; fits && i < dims.size(); ++i) {
    fits = pads[2 * i] >= 0 && pads[2 * i + 1] >= 0;
    dims[i] += pads[2 * i] + pads[2 * i + 1];
  }
  if (!fits) {
    Fail("lower-type", "PAD of " + TypeText(input) + " with negative or too few paddings");
    return input;
  }
  Value* operands[] = {input, Shape(pads), Scalar(input->type.dtype, value, 1)};
  return Emit(Op::PAD, operands, TensorType(input->type.dtype, std::move(dims)));
}

Value* Builder::Tile(Value* input, Dims multiples) {
  if (std::all_of(multiples.begin(), multiples.end(), [](int64_t m) { return m == 1; })) {
    return input;
  }
  Dims dims = input->type.dims;
  if (multiples.size() != dims.size()) {
    Fail("lower-type", "TILE of " + TypeText(input) + " by a list of another length");
    return input;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (__builtin_mul_overflow(dims[i], multiples[i], &dims[i])) {
      Fail("lower-type", "TILE of " + TypeText(input) + " overflows");
      return input;
    }
  }
  Value* operands[] = {input, Shape(multiples)};
  return Emit(Op::TILE, operands, TensorType(input->type.dtype, std::move(dims)));
}

Value* Builder::Reverse(Value* input, int64_t axis) {
  return Emit(Op::REVERSE, std::array{input}, input->type, {axis});
}

Value* Builder::Gather(Value* values, Value* indices) {
  const Type& v = values->type;
  const Type& i = indices->type;
  if (v.rank() != 3 || i.rank() != 2 || v.dim(0) != i.dim(0)) {
    Fail("lower-type",
         "GATHER can not take operands of types " + TypeText(values) + " and " + TypeText(indices));
    return values;
  }
  // TOSA 1.0 gathers no BOOLs.
  if (v.dtype == DType::kBOOL && target_.version().minor < 1) {
    const DType carrier = target_.Has(Feature::kFp) ? DType::kFP32 : DType::kINT32;
    Value* numbers = Gather(Cast(values, carrier), indices);
    return Binary(Op::GREATER, numbers, ScalarLike(numbers, 0));
  }
  Value* operands[] = {values, indices};
  return Emit(Op::GATHER, operands, TensorType(v.dtype, {v.dim(0), i.dim(1), v.dim(2)}));
}

Value* Builder::Scatter(Value* values_in, Value* indices, Value* input) {
  const Type& v = values_in->type;
  const Type& i = indices->type;
  if (v.rank() != 3 || i.rank() != 2 || v.dim(0) != i.dim(0) ||
      input->type != TensorType(v.dtype, {v.dim(0), i.dim(1), v.dim(2)})) {
    Fail("lower-type", "SCATTER can not take operands of types " + TypeText(values_in) + ", " +
                           TypeText(indices) + " and " + TypeText(input));
    return values_in;
  }
  Value* operands[] = {values_in, indices, input};
  return Emit(Op::SCATTER, operands, v);
}

// ---- reductions ----

Value* Builder::Reduce(Op op, Value* input, int64_t axis) {
  Type result = input->type;
  if (axis < 0 || axis >= result.rank()) {
    Fail("lower-type", std::string(Name(op)) + " of " + TypeText(input) + " along no axis of it");
    return input;
  }
  result.dims[static_cast<size_t>(axis)] = 1;
  std::vector<AttrValue> attrs = {axis};
  if (op == Op::REDUCE_MAX || op == Op::REDUCE_MIN) attrs.emplace_back(kPropagate);
  return Emit(op, std::array{input}, std::move(result), std::move(attrs));
}

Value* Builder::Argmax(Value* input, int64_t axis) {
  Dims dims = input->type.dims;
  if (axis < 0 || axis >= input->type.rank()) {
    Fail("lower-type", "ARGMAX of " + TypeText(input) + " along no axis of it");
    return input;
  }
  dims.erase(dims.begin() + axis);
  return Emit(Op::ARGMAX, std::array{input}, TensorType(DType::kINT32, std::move(dims)),
              {axis, kPropagate});
}

}  // namespace tosac::lower
