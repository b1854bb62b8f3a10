// SPDX-License-Identifier: Apache-2.0
// A batch norm by running statistics after a convolution with constant weights is folded into the
// weights: w' = w * g and b' = (b - mean) * g + beta, with g = gamma / sqrt(var + eps).
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "passes/registry.h"

namespace tosac {
namespace {

using fx::ConstantPtr;
using fx::Graph;
using fx::Node;

// A tensor of FP32 times one factor for each index of its first dimension. Computed when it is
// asked for, so that a network's weights never stand in memory twice.
class ScaledStorage final : public fx::Storage {
 public:
  ScaledStorage(ConstantPtr source, std::vector<float> factors)
      : source_(std::move(source)), factors_(std::move(factors)) {}

  uint64_t size() const override {
    return static_cast<uint64_t>(source_->NumElements()) * sizeof(float);
  }

  Result<fx::ByteView> Bytes() const override {
    TOSAC_ASSIGN(const fx::ByteView view, source_->Bytes());
    const std::shared_ptr<float[]> scaled(new float[view.bytes.size() / sizeof(float)]);
    const size_t row = view.bytes.size() / sizeof(float) / factors_.size();
    for (size_t i = 0; i < factors_.size(); ++i) {
      float* out = scaled.get() + i * row;
      std::memcpy(out, view.bytes.data() + i * row * sizeof(float), row * sizeof(float));
      for (size_t j = 0; j < row; ++j) out[j] *= factors_[i];
    }
    return fx::ByteView{{reinterpret_cast<const uint8_t*>(scaled.get()), view.bytes.size()},
                        scaled};
  }

 private:
  ConstantPtr source_;
  std::vector<float> factors_;
};

// The constant tensor argument of that name; nullptr when there is none.
ConstantPtr ConstantArg(const Node& node, std::string_view name) {
  const fx::Arg* arg = node.FindArg(name);
  const auto* operand = arg == nullptr ? nullptr : std::get_if<fx::OperandArg>(&arg->value);
  return operand == nullptr ? nullptr : node.operand(operand->index)->constant();
}

bool HasTensorArg(const Node& node, std::string_view name) {
  const fx::Arg* arg = node.FindArg(name);
  return arg != nullptr && std::holds_alternative<fx::OperandArg>(arg->value);
}

double FloatArg(const Node& node, std::string_view name, double fallback) {
  const fx::Arg* arg = node.FindArg(name);
  const auto* value = arg == nullptr ? nullptr : std::get_if<double>(&arg->value);
  return value == nullptr ? fallback : *value;
}

bool BoolArg(const Node& node, std::string_view name) {
  const fx::Arg* arg = node.FindArg(name);
  const auto* value = arg == nullptr ? nullptr : std::get_if<bool>(&arg->value);
  return value != nullptr && *value;
}

bool IsForwardConvolution(const Node& node) {
  for (const std::string_view target :
       {"aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default", "aten.conv1d.padding",
        "aten.conv2d.padding", "aten.conv3d.padding", "aten.convolution.default"}) {
    if (node.IsAten(target)) return !BoolArg(node, "transposed");
  }
  return false;
}

bool IsInferenceBatchNorm(const Node& node) {
  if (node.IsAten("aten.batch_norm.default")) return !BoolArg(node, "training");
  if (!node.IsAten("aten._native_batch_norm_legit_no_training.default")) return false;
  for (size_t i = 1; i < node.num_results(); ++i) {
    if (!node.result(i)->uses().empty()) return false;
  }
  return true;
}

// The convolution that only `norm` reads; nullptr when its input is something else.
Node* FoldableConvolution(const Node& norm) {
  const fx::Arg* arg = norm.FindArg("input");
  const auto* operand = arg == nullptr ? nullptr : std::get_if<fx::OperandArg>(&arg->value);
  if (operand == nullptr) return nullptr;
  fx::Value* input = norm.operand(operand->index);
  Node* conv = input->def();
  if (conv == nullptr || !input->HasOneUse() || !IsForwardConvolution(*conv)) return nullptr;
  const ConstantPtr weight = ConstantArg(*conv, "weight");
  const bool constant_bias = !HasTensorArg(*conv, "bias") || ConstantArg(*conv, "bias") != nullptr;
  const bool fits = weight != nullptr && weight->dtype == DType::kFP32 && constant_bias &&
                    !weight->shape.empty() && weight->NumElements() > 0;
  return fits ? conv : nullptr;
}

// One parameter of `channels` values, or `fallback` for each where it is absent; nullopt where it
// is no constant of that size.
Result<std::optional<std::vector<double>>> Parameter(const Node& node, std::string_view name,
                                                     size_t channels, double fallback) {
  using Values = std::optional<std::vector<double>>;
  if (!HasTensorArg(node, name)) return Values(std::vector<double>(channels, fallback));
  const ConstantPtr constant = ConstantArg(node, name);
  if (constant == nullptr || constant->NumElements() != static_cast<int64_t>(channels)) {
    return Values();
  }
  TOSAC_ASSIGN(std::vector<double> values, fx::AsDoubles(*constant));
  return Values(std::move(values));
}

// Replaces or adds the argument `name` of `node` by `constant`. The constant takes over the name of
// the one that it replaces where nothing else uses that one.
void SetConstantArg(Node* node, std::string_view name, ConstantPtr constant,
                    std::string_view fallback_name) {
  Graph* graph = node->graph();
  fx::Arg* arg = nullptr;
  for (fx::Arg& candidate : node->args) {
    if (candidate.name == name) arg = &candidate;
  }
  const auto* operand = arg == nullptr ? nullptr : std::get_if<fx::OperandArg>(&arg->value);
  if (operand != nullptr) {
    fx::Value* old_value = node->operand(operand->index);
    const std::string old_name = old_value->name;
    fx::Value* fresh = graph->AddConstant(std::move(constant), old_name, false, node)->result();
    node->SetOperand(operand->index, fresh);
    if (old_value->uses().empty()) {
      graph->Erase(old_value->def());
      graph->Rename(fresh, old_name);
    }
    return;
  }
  fx::Value* fresh = graph->AddConstant(std::move(constant), fallback_name, false, node)->result();
  const auto index = static_cast<uint32_t>(node->operands().size());
  node->AppendOperand(fresh);
  if (arg != nullptr) {
    arg->value = fx::OperandArg{index};
  } else {
    node->args.push_back({std::string(name), fx::OperandArg{index}, true});
  }
}

Result<bool> Fold(Node* norm) {
  Node* conv = FoldableConvolution(*norm);
  if (conv == nullptr) return false;
  const ConstantPtr weight = ConstantArg(*conv, "weight");
  const auto channels = static_cast<size_t>(weight->shape[0]);
  TOSAC_ASSIGN(const auto gamma, Parameter(*norm, "weight", channels, 1));
  TOSAC_ASSIGN(const auto beta, Parameter(*norm, "bias", channels, 0));
  TOSAC_ASSIGN(const auto mean, Parameter(*norm, "running_mean", channels, 0));
  TOSAC_ASSIGN(const auto variance, Parameter(*norm, "running_var", channels, 1));
  TOSAC_ASSIGN(const auto bias, Parameter(*conv, "bias", channels, 0));
  if (!gamma || !beta || !mean || !variance || !bias || !HasTensorArg(*norm, "running_mean")) {
    return false;
  }
  const double eps = FloatArg(*norm, "eps", 1e-5);
  std::vector<float> factors(channels);
  std::vector<uint8_t> bias_bytes(channels * sizeof(float));
  for (size_t i = 0; i < channels; ++i) {
    const double factor = (*gamma)[i] / std::sqrt((*variance)[i] + eps);
    factors[i] = static_cast<float>(factor);
    const auto folded = static_cast<float>(((*bias)[i] - (*mean)[i]) * factor + (*beta)[i]);
    std::memcpy(bias_bytes.data() + i * sizeof(float), &folded, sizeof(folded));
  }
  auto scaled = std::make_shared<fx::Constant>();
  scaled->dtype = DType::kFP32;
  scaled->shape = weight->shape;
  scaled->strides.resize(weight->shape.size());
  int64_t stride = 1;
  for (size_t i = weight->shape.size(); i-- > 0; stride *= weight->shape[i]) {
    scaled->strides[i] = stride;
  }
  scaled->storage = std::make_shared<ScaledStorage>(weight, std::move(factors));
  SetConstantArg(conv, "weight", scaled, "weight");
  SetConstantArg(conv, "bias",
                 fx::MakeConstant(DType::kFP32, {weight->shape[0]}, std::move(bias_bytes)),
                 norm->result()->name + "_bias");
  fx::Value* output = conv->result();
  const std::string name = norm->result()->name;
  norm->result()->ReplaceAllUsesWith(output);
  norm->graph()->Erase(norm);
  output->graph()->Rename(output, name);
  return true;
}

}  // namespace

Result<Changed> FoldBatchNorm(fx::Program& program, PassContext&) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    for (Node* node : graph->Nodes()) {
      if (node->erased() || !IsInferenceBatchNorm(*node)) continue;
      TOSAC_ASSIGN(const bool folded, Fold(node));
      if (folded) changed = Changed::kYes;
    }
  }
  return changed;
}

}  // namespace tosac
