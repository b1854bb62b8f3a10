// SPDX-License-Identifier: Apache-2.0
#include "tosac/serializer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "tosa/constant_pool.h"

namespace tosac {
namespace {

// `name`, or the first free of `name_1`, `name_2`, ...; `next` remembers where to go on.
std::string FreeName(std::string_view name, std::unordered_map<std::string, uint64_t>* next) {
  std::string wish(name.empty() ? "tensor" : name);
  const auto [entry, fresh] = next->try_emplace(wish, 1);
  if (fresh) return wish;
  while (true) {
    std::string candidate = wish + "_" + std::to_string(entry->second++);
    if (next->try_emplace(candidate, 1).second) return candidate;
  }
}

bool KindMatches(AttrKind kind, const AttrValue& value) {
  switch (kind) {
    case AttrKind::kI32:
    case AttrKind::kBool:
    case AttrKind::kEnum:
      return std::holds_alternative<int64_t>(value);
    case AttrKind::kI32List:
      return std::holds_alternative<std::vector<int32_t>>(value);
    case AttrKind::kBytes:
      return std::holds_alternative<std::vector<uint8_t>>(value);
    case AttrKind::kString:
      return std::holds_alternative<std::string>(value);
  }
  return false;
}

constexpr std::string_view kMisuse = "serializer-misuse";

}  // namespace

TosaSerializer::TosaSerializer(Version version) { module_.version = version; }

void TosaSerializer::Fail(std::string message) {
  if (!error_) error_ = Error(kMisuse, std::move(message));
}

Block* TosaSerializer::MutableBlock(BlockRef ref) {
  if (ref.region >= module_.regions.size()) return nullptr;
  std::vector<Block>& blocks = module_.regions[ref.region].blocks;
  return ref.block < blocks.size() ? &blocks[ref.block] : nullptr;
}

const Block* TosaSerializer::FindBlock(BlockRef ref) const {
  if (ref.region >= module_.regions.size()) return nullptr;
  const std::vector<Block>& blocks = module_.regions[ref.region].blocks;
  return ref.block < blocks.size() ? &blocks[ref.block] : nullptr;
}

bool TosaSerializer::Owns(TensorRef ref) const {
  const Block* block = FindBlock(ref.block);
  return block != nullptr && ref.id < block->values.size();
}

RegionRef TosaSerializer::StartRegion(std::string_view name) {
  Region& region = module_.regions.emplace_back();
  region.name = module_.Own(std::string(name));
  graph_owned_.emplace_back();
  return {static_cast<uint32_t>(module_.regions.size() - 1)};
}

BlockRef TosaSerializer::StartBlock(RegionRef region, std::string_view name) {
  if (region.region >= module_.regions.size()) {
    Fail("a block is started in a region that was not");
    return {region.region, 0};
  }
  std::vector<Block>& blocks = module_.regions[region.region].blocks;
  blocks.emplace_back().name = module_.Own(std::string(name));
  graph_owned_[region.region].emplace_back();
  return {region.region, static_cast<uint32_t>(blocks.size() - 1)};
}

TensorRef TosaSerializer::AddValue(BlockRef ref, Value value, std::string_view name,
                                   bool graph_owned) {
  Block* block = MutableBlock(ref);
  if (block == nullptr) {
    Fail("tensor \"" + std::string(name) + "\" is added to a block that was not started");
    return {ref, 0};
  }
  value.name = module_.Own(std::string(name));
  block->values.push_back(std::move(value));
  graph_owned_[ref.region][ref.block].push_back(graph_owned);
  return {ref, static_cast<ValueId>(block->values.size() - 1)};
}

TensorRef TosaSerializer::AddInputTensor(BlockRef block, std::span<const int32_t> shape,
                                         DType dtype, std::string_view name) {
  const TensorRef tensor = AddTensor(block, shape, dtype, name);
  if (Owns(tensor)) MutableBlock(block)->inputs.push_back(tensor.id);
  return tensor;
}

void TosaSerializer::AddOutput(TensorRef tensor) {
  if (!Owns(tensor)) return Fail("an output is no tensor of its block");
  MutableBlock(tensor.block)->outputs.push_back(tensor.id);
}

TensorRef TosaSerializer::AddTensor(BlockRef block, std::span<const int32_t> shape, DType dtype,
                                    std::string_view name, const TensorOptions& options) {
  Value value;
  value.dtype = dtype;
  value.shape.assign(shape.begin(), shape.end());
  value.is_variable = options.is_variable;
  value.is_unranked = options.is_unranked;
  if (!options.variable_name.empty()) value.variable_name = module_.Own(options.variable_name);
  return AddValue(block, std::move(value), name, true);
}

TensorRef TosaSerializer::AddShape(BlockRef block, uint32_t rank, std::string_view name) {
  Value value;
  value.dtype = DType::kSHAPE;
  value.is_shape = true;
  value.shape = {static_cast<int32_t>(rank)};
  return AddValue(block, std::move(value), name, true);
}

Result<void> TosaSerializer::AddOperator(BlockRef ref, Op op, std::span<const TensorRef> inputs,
                                         std::span<const TensorRef> outputs,
                                         std::vector<AttrValue> attrs, std::string_view location) {
  const OpInfo* info = FindOp(op);
  Block* block = MutableBlock(ref);
  if (info == nullptr || block == nullptr) {
    return Error(kMisuse, "an unknown operator, or a block that was not started");
  }
  bool fits = attrs.size() == info->attrs.size();
  for (size_t i = 0; fits && i < attrs.size(); ++i) {
    fits = KindMatches(info->attrs[i].kind, attrs[i]);
  }
  if (!fits) {
    return Error(kMisuse, std::string(info->name) + " takes " + std::to_string(info->attrs.size()) +
                              " attributes of other kinds than were given");
  }
  Operator node;
  node.op = op;
  for (const auto& [refs, ids] : {std::pair{inputs, &node.inputs}, {outputs, &node.outputs}}) {
    for (const TensorRef tensor : refs) {
      if (tensor.block != ref || !Owns(tensor)) {
        return Error(kMisuse, std::string(info->name) + " names a tensor of another block");
      }
      ids->push_back(tensor.id);
    }
  }
  node.attrs = std::move(attrs);
  node.has_location = !location.empty();
  if (node.has_location) node.location = module_.Own(std::string(location));
  block->operators.push_back(std::move(node));
  return {};
}

Result<TensorRef> TosaSerializer::MakeConst(BlockRef ref, std::span<const int32_t> shape,
                                            DType dtype, std::span<const uint8_t> bytes,
                                            std::string_view name, bool graph_owned,
                                            std::shared_ptr<const void> owner,
                                            std::string_view location) {
  Value value;
  value.dtype = dtype;
  value.is_shape = dtype == DType::kSHAPE;
  value.shape.assign(shape.begin(), shape.end());
  const std::optional<uint64_t> elements = value.NumElements();
  const std::optional<uint64_t> needed = elements ? LogicalBytes(dtype, *elements) : std::nullopt;
  if (!needed || bytes.size() < *needed || dtype >= DType::kFirstNonTosa) {
    return Error(kMisuse, "constant \"" + std::string(name) +
                              "\" has a type that TOSA lacks, or fewer bytes than its shape needs");
  }
  value.has_data = true;
  if (owner != nullptr) {
    module_.Keep(std::move(owner));
    value.data = bytes;
  } else {
    value.data = module_.Own(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  }
  const TensorRef tensor = AddValue(ref, std::move(value), name, graph_owned);
  const Op op = dtype == DType::kSHAPE ? Op::CONST_SHAPE : Op::CONST;
  TOSAC_TRY(AddOperator(ref, op, {}, std::span(&tensor, 1), {}, location));
  return tensor;
}

Result<TensorRef> TosaSerializer::AddConst(BlockRef block, std::span<const int32_t> shape,
                                           DType dtype, std::span<const uint8_t> bytes,
                                           std::string_view name) {
  return MakeConst(block, shape, dtype, bytes, name, false, nullptr, {});
}

Result<TensorRef> TosaSerializer::AddUnpooledConst(BlockRef block, std::span<const int32_t> shape,
                                                   DType dtype, std::span<const uint8_t> bytes,
                                                   std::string_view name,
                                                   std::shared_ptr<const void> owner,
                                                   std::string_view location) {
  return MakeConst(block, shape, dtype, bytes, name, true, std::move(owner), location);
}

void TosaSerializer::SettleNames() {
  std::unordered_map<std::string, uint64_t> next;
  for (const bool graph_turn : {true, false}) {
    for (size_t r = 0; r < module_.regions.size(); ++r) {
      for (size_t b = 0; b < module_.regions[r].blocks.size(); ++b) {
        std::vector<Value>& values = module_.regions[r].blocks[b].values;
        for (size_t i = 0; i < values.size(); ++i) {
          if (graph_owned_[r][b][i] != graph_turn) continue;
          std::string name = FreeName(values[i].name, &next);
          if (name != values[i].name) values[i].name = module_.Own(std::move(name));
        }
      }
    }
  }
}

Result<Module> TosaSerializer::Serialize() {
  if (error_) return *error_;
  SettleNames();
  graph_owned_.clear();
  Module finished = std::move(module_);
  module_ = Module();
  module_.version = finished.version;
  return finished;
}

TosaSerializerWithConstantPool::TosaSerializerWithConstantPool(Version version)
    : TosaSerializer(version) {}

TosaSerializerWithConstantPool::~TosaSerializerWithConstantPool() = default;

Result<Module> TosaSerializerWithConstantPool::Serialize() {
  pools_.clear();
  return TosaSerializer::Serialize();
}

Result<TensorRef> TosaSerializerWithConstantPool::AddConst(BlockRef ref,
                                                           std::span<const int32_t> shape,
                                                           DType dtype,
                                                           std::span<const uint8_t> bytes,
                                                           std::string_view name) {
  const Block* block = FindBlock(ref);
  if (block == nullptr) return TosaSerializer::AddConst(ref, shape, dtype, bytes, name);
  std::unique_ptr<ConstantPool>& pool = pools_[{ref.region, ref.block}];
  if (pool == nullptr) pool = std::make_unique<ConstantPool>();
  if (const auto found = pool->Find(*block, {dtype, shape, bytes})) {
    ++hits_;
    bytes_saved_ += bytes.size();
    return TensorRef{ref, *found};
  }
  Result<TensorRef> made = TosaSerializer::AddConst(ref, shape, dtype, bytes, name);
  if (made.ok()) pool->Insert(*FindBlock(ref), made->id);
  return made;
}

}  // namespace tosac
