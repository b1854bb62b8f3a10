// SPDX-License-Identifier: Apache-2.0
#include "tools/dataflow.h"

#include <string>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tools/duplicates.h"

namespace tosac {
namespace {

// Collects what a hash covers.
class Hasher {
 public:
  void Add(uint64_t value) { Append(&value, sizeof(value)); }
  void Add(const Hash128& hash) { Append(&hash, sizeof(hash)); }
  void Add(std::string_view text) {
    Add(text.size());
    Append(text.data(), text.size());
  }
  void Add(std::span<const uint8_t> bytes) {
    Add(bytes.size());
    Append(bytes.data(), bytes.size());
  }
  void Add(const std::vector<int32_t>& list) {
    Add(list.size());
    Append(list.data(), list.size() * sizeof(int32_t));
  }
  Hash128 Finish() const {
    const XXH128_hash_t hash = XXH3_128bits(buffer_.data(), buffer_.size());
    return {hash.low64, hash.high64};
  }

 private:
  void Append(const void* data, size_t size) {
    if (size > 0) buffer_.append(static_cast<const char*>(data), size);
  }
  std::string buffer_;
};

// Everything but the name.
void AddType(const Value& value, Hasher* hasher) {
  hasher->Add(static_cast<uint64_t>(value.dtype) | uint64_t{value.is_shape} << 8 |
              uint64_t{value.is_unranked} << 9 | uint64_t{value.is_variable} << 10 |
              uint64_t{value.has_data} << 11 | uint64_t{value.scale != nullptr} << 12);
  hasher->Add(value.shape);
  hasher->Add(value.variable_name);
  if (value.has_data) hasher->Add(HashConstant(value));
  if (value.scale == nullptr) return;
  hasher->Add(static_cast<uint64_t>(value.scale->dtype) << 32 | value.scale->block_shape);
  hasher->Add(value.scale->data);
}

// A variable belongs to the block whether an operator refers to it or not.
bool IsVariable(const Value& value) { return value.is_variable || !value.variable_name.empty(); }

Hash128 HashInput(const Value& value, size_t index) {
  Hasher hasher;
  hasher.Add("input");
  hasher.Add(index);
  AddType(value, &hasher);
  return hasher.Finish();
}

// A value that nothing makes. Its bytes are what it is; one without bytes has only its name.
Hash128 HashUndefined(const Value& value) {
  Hasher hasher;
  hasher.Add("undefined");
  if (!value.has_data) hasher.Add(value.name);
  AddType(value, &hasher);
  return hasher.Finish();
}

Hash128 HashVariable(const Value& value) {
  Hasher hasher;
  hasher.Add("variable");
  AddType(value, &hasher);
  return hasher.Finish();
}

void AddAttr(const AttrValue& attr, Hasher* hasher) {
  if (const auto* scalar = std::get_if<int64_t>(&attr)) {
    hasher->Add(static_cast<uint64_t>(*scalar));
  } else if (const auto* list = std::get_if<std::vector<int32_t>>(&attr)) {
    hasher->Add(*list);
  } else if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&attr)) {
    hasher->Add(std::span<const uint8_t>(*bytes));
  } else {
    hasher->Add(std::get<std::string>(attr));
  }
}

enum class Mark : uint8_t { kNew, kOpen, kDone };

}  // namespace

bool HasEffect(Op op) {
  switch (op) {
    case Op::CUSTOM:
    case Op::COND_IF:
    case Op::WHILE_LOOP:
    case Op::VARIABLE:
    case Op::VARIABLE_WRITE:
    case Op::VARIABLE_READ:
    case Op::ASSERT_EQUAL_SHAPE:
      return true;
    default:
      return false;
  }
}

bool NamesRegion(Op op, size_t index) {
  return (op == Op::COND_IF || op == Op::WHILE_LOOP) && index < 2;
}

ModuleHashes::ModuleHashes(const Module& module) : module_(module) {
  for (size_t i = 0; i < module.regions.size(); ++i) by_name_.emplace(module.regions[i].name, i);
  hashes_.resize(module.regions.size());
  referenced_.resize(module.regions.size(), false);
  for (const size_t region : RegionOrder()) {
    for (const Block& block : module.regions[region].blocks) {
      hashes_[region].push_back(HashBlock(block));
    }
  }
}

std::optional<size_t> ModuleHashes::FindRegion(const AttrValue& attr) const {
  const auto* name = std::get_if<std::string>(&attr);
  const auto found = name == nullptr ? by_name_.end() : by_name_.find(*name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::vector<size_t> ModuleHashes::TopRegions() const {
  std::vector<size_t> top;
  for (size_t i = 0; i < module_.regions.size(); ++i) {
    if (i == 0 || circular_ || !referenced_[i]) top.push_back(i);
  }
  return top;
}

std::vector<size_t> ModuleHashes::RegionsNamedBy(size_t region) const {
  std::vector<size_t> named;
  for (const Block& block : module_.regions[region].blocks) {
    for (const Operator& op : block.operators) {
      for (size_t i = 0; i < op.attrs.size(); ++i) {
        if (!NamesRegion(op.op, i)) continue;
        if (const auto found = FindRegion(op.attrs[i])) named.push_back(*found);
      }
    }
  }
  return named;
}

// A region after those that it names.
std::vector<size_t> ModuleHashes::RegionOrder() {
  std::vector<size_t> order;
  std::vector<Mark> marks(module_.regions.size(), Mark::kNew);
  std::vector<std::pair<size_t, std::vector<size_t>>> stack;
  for (size_t root = 0; root < marks.size(); ++root) {
    if (marks[root] != Mark::kNew) continue;
    marks[root] = Mark::kOpen;
    stack.emplace_back(root, RegionsNamedBy(root));
    while (!stack.empty()) {
      auto& [region, named] = stack.back();
      if (named.empty()) {
        marks[region] = Mark::kDone;
        order.push_back(region);
        stack.pop_back();
        continue;
      }
      const size_t next = named.back();
      named.pop_back();
      referenced_[next] = true;
      if (marks[next] == Mark::kOpen) circular_ = true;
      if (marks[next] != Mark::kNew) continue;
      marks[next] = Mark::kOpen;
      stack.emplace_back(next, RegionsNamedBy(next));
    }
  }
  return order;
}

BlockHashes ModuleHashes::HashBlock(const Block& block) const {
  BlockHashes hashes;
  hashes.values.resize(block.values.size());
  hashes.operators.resize(block.operators.size());
  hashes.producer.assign(block.values.size(), kNoProducer);
  std::vector<uint64_t> ordinal(block.operators.size(), 0);
  for (size_t i = 0; i < block.operators.size(); ++i) {
    const Operator& op = block.operators[i];
    for (const ValueId id : op.outputs) {
      if (hashes.producer[id] == kNoProducer) hashes.producer[id] = static_cast<uint32_t>(i);
    }
    if (HasEffect(op.op)) {
      hashes.effects.push_back(i);
      ordinal[i] = hashes.effects.size();
    }
  }
  for (ValueId id = 0; id < block.values.size(); ++id) {
    if (hashes.producer[id] == kNoProducer) hashes.values[id] = HashUndefined(block.values[id]);
  }
  for (size_t i = 0; i < block.inputs.size(); ++i) {
    hashes.producer[block.inputs[i]] = kNoProducer;
    hashes.values[block.inputs[i]] = HashInput(block.values[block.inputs[i]], i);
  }
  HashOperators(block, ordinal, &hashes);
  // A sum does not depend on the order of the operators, and needs no sorting.
  Hash128 sum;
  uint64_t count = 0;
  const auto add = [&](const Hash128& hash) {
    sum.low += hash.low;
    sum.high += hash.high;
    ++count;
  };
  for (size_t i = 0; i < block.operators.size(); ++i) {
    if (!IsConstantOp(block.operators[i].op)) add(hashes.operators[i]);
  }
  for (const Value& value : block.values) {
    if (IsVariable(value)) add(HashVariable(value));
  }
  Hasher digest;
  digest.Add(block.inputs.size());
  for (const ValueId id : block.inputs) digest.Add(hashes.values[id]);
  for (const size_t op : hashes.effects) digest.Add(hashes.operators[op]);
  digest.Add(count);
  digest.Add(sum);
  for (const ValueId id : block.outputs) digest.Add(hashes.values[id]);
  hashes.digest = digest.Finish();
  return hashes;
}

// Producers before users, without recursion. A value on a circle keeps the zero hash.
void ModuleHashes::HashOperators(const Block& block, const std::vector<uint64_t>& ordinal,
                                 BlockHashes* hashes) const {
  std::vector<Mark> marks(block.operators.size(), Mark::kNew);
  std::vector<std::pair<size_t, size_t>> stack;  // operator, next input to look at
  for (size_t root = 0; root < marks.size(); ++root) {
    if (marks[root] != Mark::kNew) continue;
    marks[root] = Mark::kOpen;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [index, next] = stack.back();
      const Operator& op = block.operators[index];
      if (next < op.inputs.size()) {
        const uint32_t producer = hashes->producer[op.inputs[next++]];
        if (producer == kNoProducer || marks[producer] != Mark::kNew) continue;
        marks[producer] = Mark::kOpen;
        stack.emplace_back(producer, 0);
        continue;
      }
      const Hash128 hash = HashOperator(block, index, ordinal[index], *hashes);
      hashes->operators[index] = hash;
      for (size_t i = 0; i < op.outputs.size(); ++i) {
        const ValueId id = op.outputs[i];
        if (hashes->producer[id] != index) continue;
        Hasher hasher;
        hasher.Add(hash);
        hasher.Add(i);
        hashes->values[id] = hasher.Finish();
      }
      marks[index] = Mark::kDone;
      stack.pop_back();
    }
  }
}

Hash128 ModuleHashes::HashOperator(const Block& block, size_t index, uint64_t ordinal,
                                   const BlockHashes& hashes) const {
  const Operator& op = block.operators[index];
  Hasher hasher;
  hasher.Add(static_cast<uint64_t>(op.op));
  hasher.Add(ordinal);
  hasher.Add(op.inputs.size());
  for (const ValueId id : op.inputs) {
    hasher.Add(hashes.values[id]);
    // Operators in an order that computes nothing are not those in an order that does.
    const uint32_t producer = hashes.producer[id];
    const bool late =
        producer != kNoProducer && producer >= index && !IsConstantOp(block.operators[producer].op);
    hasher.Add(uint64_t{late});
  }
  hasher.Add(op.outputs.size());
  for (const ValueId id : op.outputs) AddType(block.values[id], &hasher);
  hasher.Add(op.attrs.size());
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const auto region = NamesRegion(op.op, i) ? FindRegion(op.attrs[i]) : std::nullopt;
    if (!region) {
      AddAttr(op.attrs[i], &hasher);
      continue;
    }
    // A region on a circle has no hash yet: it counts as its place in the file.
    const std::vector<BlockHashes>& body = hashes_[*region];
    hasher.Add(module_.regions[*region].blocks.size());
    for (const BlockHashes& inner : body) hasher.Add(inner.digest);
    if (body.empty()) hasher.Add(*region);
  }
  return hasher.Finish();
}

}  // namespace tosac
