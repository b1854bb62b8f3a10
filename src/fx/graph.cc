// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <utility>

#include "tosac/program.h"

namespace tosac::fx {

// ---- types ----

int64_t Type::dim(int64_t axis) const {
  if (axis < 0) axis += rank();
  return axis < 0 || axis >= rank() ? 1 : dims[static_cast<size_t>(axis)];
}

bool Type::IsStatic() const {
  return std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim >= 0; });
}

int64_t Type::NumElements() const {
  constexpr int64_t kMax = int64_t{1} << 62;
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count) || count > kMax) return -1;
  }
  return count;
}

Type TensorType(DType dtype, std::vector<int64_t> dims) {
  return {TypeKind::kTensor, dtype, std::move(dims), true};
}

Type ShapeType(int64_t rank) { return {TypeKind::kShape, DType::kSHAPE, {rank}, true}; }

std::string ToString(const Type& type) {
  switch (type.kind) {
    case TypeKind::kShape:
      return "shape[" + std::to_string(type.dim(0)) + "]";
    case TypeKind::kScalar:
      return "scalar";
    case TypeKind::kNone:
      return "none";
    case TypeKind::kTensor:
      break;
  }
  const DTypeInfo* info = FindDType(type.dtype);
  std::string text;
  if (info == nullptr) {
    text = "?";
  } else if (!info->torch.empty()) {
    text = info->torch;
  } else {
    for (const char c : info->name) {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  if (!type.ranked) return text + "[*]";
  text += "[";
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (i > 0) text += ",";
    const int64_t dim = type.dims[i];
    text += dim < 0 ? "s" + std::to_string(-(dim + 1)) : std::to_string(dim);
  }
  return text + "]";
}

// ---- values ----

void Value::ReplaceAllUsesWith(Value* other) {
  if (other == this) return;
  for (const Use& use : uses_) {
    use.node->operands_[use.operand] = other;
    other->uses_.push_back(use);
  }
  uses_.clear();
}

ConstantPtr Value::constant() const {
  return def_ != nullptr && def_->kind() == NodeKind::kTosa ? def_->constant : nullptr;
}

// ---- nodes ----

namespace {

void RemoveUse(std::vector<Use>* uses, const Use& use) {
  const auto found = std::find(uses->begin(), uses->end(), use);
  if (found == uses->end()) return;
  *found = uses->back();
  uses->pop_back();
}

}  // namespace

void Node::SetOperand(size_t i, Value* value) {
  const Use use{this, static_cast<uint32_t>(i)};
  if (operands_[i] == value) return;
  RemoveUse(&operands_[i]->uses_, use);
  operands_[i] = value;
  value->uses_.push_back(use);
}

void Node::AppendOperand(Value* value) {
  value->uses_.push_back({this, static_cast<uint32_t>(operands_.size())});
  operands_.push_back(value);
}

void Node::SetOperands(std::span<Value* const> values) {
  const std::vector<Value*> copy(values.begin(), values.end());
  for (size_t i = 0; i < operands_.size(); ++i) {
    RemoveUse(&operands_[i]->uses_, {this, static_cast<uint32_t>(i)});
  }
  operands_.clear();
  for (Value* value : copy) AppendOperand(value);
}

const Arg* Node::FindArg(std::string_view which) const {
  for (const Arg& arg : args) {
    if (arg.name == which) return std::holds_alternative<NoArg>(arg.value) ? nullptr : &arg;
  }
  return nullptr;
}

// ---- graphs ----

Graph::Graph(Program* program) : name("main"), block_name("main"), program_(program) {
  nodes_.push_back(std::make_unique<Node>());
  output_ = nodes_.back().get();
  output_->kind_ = NodeKind::kOutput;
  output_->graph_ = this;
  output_->name = "output";
  first_ = output_;
}

Graph::~Graph() = default;

std::string Graph::UniqueName(std::string_view wish) {
  std::string name_wish(wish.empty() ? "value" : wish);
  const auto [entry, fresh] = names_.try_emplace(name_wish, 1);
  if (fresh) return name_wish;
  while (true) {
    std::string candidate = name_wish + "_" + std::to_string(entry->second++);
    if (names_.try_emplace(candidate, 1).second) return candidate;
  }
}

void Graph::Rename(Value* value, std::string_view wish) {
  if (value->name == wish) return;
  std::string fresh = UniqueName(wish);
  names_.erase(value->name);
  value->name = std::move(fresh);
}

Value* Graph::AddInput(std::string_view wish, Type type, InputInfo info) {
  auto value = std::make_unique<Value>();
  value->name = UniqueName(wish);
  value->type = std::move(type);
  value->graph_ = this;
  value->index_ = static_cast<uint32_t>(inputs_.size());
  inputs_.push_back(std::move(value));
  input_info.push_back(std::move(info));
  return inputs_.back().get();
}

void Graph::RemoveInput(size_t index) {
  inputs_.erase(inputs_.begin() + static_cast<ptrdiff_t>(index));
  input_info.erase(input_info.begin() + static_cast<ptrdiff_t>(index));
  for (size_t i = index; i < inputs_.size(); ++i) inputs_[i]->index_ = static_cast<uint32_t>(i);
}

void Graph::AddOutput(Value* value, OutputInfo info) {
  output_->AppendOperand(value);
  output_info.push_back(std::move(info));
}

std::vector<Node*> Graph::Nodes() const {
  std::vector<Node*> nodes;
  nodes.reserve(num_nodes_);
  for (Node* node = first_; node != output_; node = node->next_) nodes.push_back(node);
  return nodes;
}

Node* Graph::Insert(std::unique_ptr<Node> owned, std::vector<Type> results, std::string_view wish,
                    Node* before) {
  Node* node = owned.get();
  nodes_.push_back(std::move(owned));
  node->graph_ = this;
  for (size_t i = 0; i < results.size(); ++i) {
    auto value = std::make_unique<Value>();
    value->name = UniqueName(wish);
    value->type = std::move(results[i]);
    value->graph_ = this;
    value->def_ = node;
    value->index_ = static_cast<uint32_t>(i);
    node->results_.push_back(std::move(value));
  }
  if (before == nullptr) before = output_;
  node->next_ = before;
  node->prev_ = before->prev_;
  before->prev_ = node;
  (node->prev_ == nullptr ? first_ : node->prev_->next_) = node;
  ++num_nodes_;
  return node;
}

Node* Graph::AddAten(std::string_view target, std::vector<Arg> args,
                     std::span<Value* const> operands, std::vector<Type> results,
                     std::string_view wish, Node* before) {
  auto node = std::make_unique<Node>();
  node->kind_ = NodeKind::kAten;
  node->target = target;
  node->args = std::move(args);
  node->name = wish.empty() ? target : wish;
  for (Value* operand : operands) node->AppendOperand(operand);
  const std::string result_name = node->name;
  return Insert(std::move(node), std::move(results), result_name, before);
}

Node* Graph::AddTosa(Op op, std::span<Value* const> operands, std::vector<Type> results,
                     std::vector<AttrValue> attrs, std::string_view wish, Node* before) {
  const OpInfo* info = FindOp(op);
  auto node = std::make_unique<Node>();
  node->kind_ = NodeKind::kTosa;
  node->op = op;
  node->attrs = std::move(attrs);
  node->name = !wish.empty() ? wish : info != nullptr ? info->mlir : "tosa";
  for (Value* operand : operands) node->AppendOperand(operand);
  const std::string result_name = node->name;
  return Insert(std::move(node), std::move(results), result_name, before);
}

Node* Graph::AddConstant(ConstantPtr constant, std::string_view wish, bool pooled, Node* before) {
  const bool is_shape = constant->dtype == DType::kSHAPE;
  Type type =
      is_shape ? ShapeType(constant->NumElements()) : TensorType(constant->dtype, constant->shape);
  Node* node =
      AddTosa(is_shape ? Op::CONST_SHAPE : Op::CONST, {}, {std::move(type)}, {}, wish, before);
  node->constant = std::move(constant);
  node->pooled = pooled;
  return node;
}

void Graph::Erase(Node* node) {
  if (node->erased_ || node == output_) return;
  node->SetOperands({});
  (node->prev_ == nullptr ? first_ : node->prev_->next_) = node->next_;
  node->next_->prev_ = node->prev_;
  node->erased_ = true;
  node->constant.reset();
  for (const auto& value : node->results_) names_.erase(value->name);
  --num_nodes_;
}

void Graph::MoveBefore(Node* node, Node* before) {
  if (node == before || node->next_ == before) return;
  (node->prev_ == nullptr ? first_ : node->prev_->next_) = node->next_;
  node->next_->prev_ = node->prev_;
  node->next_ = before;
  node->prev_ = before->prev_;
  before->prev_ = node;
  (node->prev_ == nullptr ? first_ : node->prev_->next_) = node;
}

// ---- programs ----

Program::Program() { graphs_.push_back(std::unique_ptr<Graph>(new Graph(this))); }

Program::Program(Program&& other) noexcept
    : file(std::move(other.file)),
      symbols(std::move(other.symbols)),
      version(other.version),
      software_version(std::move(other.software_version)),
      compatibility(std::move(other.compatibility)),
      graphs_(std::move(other.graphs_)) {
  for (const auto& graph : graphs_) graph->program_ = this;
}

Program& Program::operator=(Program&& other) noexcept {
  file = std::move(other.file);
  symbols = std::move(other.symbols);
  version = other.version;
  software_version = std::move(other.software_version);
  compatibility = std::move(other.compatibility);
  graphs_ = std::move(other.graphs_);
  for (const auto& graph : graphs_) graph->program_ = this;
  return *this;
}

Program::~Program() = default;

Graph* Program::AddGraph(std::string_view graph_name) {
  graphs_.push_back(std::unique_ptr<Graph>(new Graph(this)));
  graphs_.back()->name = graph_name;
  return graphs_.back().get();
}

}  // namespace tosac::fx
