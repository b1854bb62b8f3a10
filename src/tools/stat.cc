// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "tools/duplicates.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

constexpr size_t kLargest = 10;

// More than one element, and all equal.
bool IsSplat(const Value& value) {
  const std::optional<uint64_t> elements = value.NumElements();
  const DTypeInfo* info = FindDType(value.dtype);
  if (!elements || *elements < 2 || info == nullptr) return false;
  const std::span<const uint8_t> data = value.LogicalData();
  if (data.size() != LogicalBytes(value.dtype, *elements)) return false;
  if (info->bits % 8 == 0) {
    const size_t width = info->bits / 8u;
    return std::memcmp(data.data(), data.data() + width, data.size() - width) == 0;
  }
  // Elements of 4 or 6 bits, packed from the low bits on.
  const auto element = [&](uint64_t index) {
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < info->bits; ++bit) {
      const uint64_t at = index * info->bits + bit;
      result |= (data[at / 8] >> (at % 8) & 1u) << bit;
    }
    return result;
  };
  const uint32_t first = element(0);
  for (uint64_t i = 1; i < *elements; ++i) {
    if (element(i) != first) return false;
  }
  return true;
}

// The product; as much as fits, where it does not.
uint64_t Times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

uint64_t Product(std::span<const int32_t> shape) {
  uint64_t product = 1;
  for (const int32_t dim : shape) product = Times(product, static_cast<uint64_t>(std::max(dim, 0)));
  return product;
}

// Multiply-accumulates, from the shapes of the operands and the result.
uint64_t Macs(const Block& block, const Operator& op) {
  if (op.outputs.empty() || op.inputs.size() < 2) return 0;
  if (block.values[op.outputs[0]].is_unranked) return 0;
  const auto shape = [&](ValueId id) { return std::span(block.values[id].shape); };
  const std::span<const int32_t> input = shape(op.inputs[0]);
  // Block-scaled operators take each operand with its scales.
  const bool scaled = op.op == Op::CONV2D_BLOCK_SCALED && op.inputs.size() > 2;
  const std::span<const int32_t> weight = shape(op.inputs[scaled ? 2 : 1]);
  const std::span<const int32_t> output = shape(op.outputs[0]);
  switch (op.op) {
    case Op::CONV2D:
    case Op::CONV3D:
    case Op::CONV2D_BLOCK_SCALED:
      // Each output takes one filter: all of the weight but its output channels.
      return weight.empty() ? 0 : Times(Product(output), Product(weight.subspan(1)));
    case Op::DEPTHWISE_CONV2D:
      if (weight.size() < 2) return 0;
      return Times(Product(output), Product(weight.first(2)));
    case Op::TRANSPOSE_CONV2D:
      // Each input meets one filter's window for every output channel.
      if (weight.size() < 3) return 0;
      return Times(Product(input), Product(weight.first(3)));
    case Op::MATMUL:
    case Op::MATMUL_T:
    case Op::MATMUL_T_BLOCK_SCALED:
      return input.empty() ? 0 : Times(Product(output), Product(input.last(1)));
    default:
      return 0;
  }
}

void AddConstant(const Value& value, Stat* stat) {
  ConstantEntry entry;
  entry.name = value.name;
  entry.dtype = value.dtype;
  entry.shape = value.shape;
  entry.bytes = value.data.size();
  entry.splat = IsSplat(value);
  stat->constant_bytes += entry.bytes;
  if (entry.splat) {
    ++stat->splat_constants;
    const uint64_t one = LogicalBytes(value.dtype, 1).value_or(0);
    stat->splat_bytes += entry.bytes - std::min(entry.bytes, one);
  }
  // A short list, kept sorted; equal sizes stay in file order.
  auto& largest = stat->largest;
  const auto at = std::upper_bound(
      largest.begin(), largest.end(), entry,
      [](const ConstantEntry& a, const ConstantEntry& b) { return a.bytes > b.bytes; });
  if (at == largest.end() && largest.size() >= kLargest) return;
  largest.insert(at, std::move(entry));
  if (largest.size() > kLargest) largest.pop_back();
}

void AddBlock(const Block& block, Stat* stat) {
  ++stat->blocks;
  stat->operators += block.operators.size();
  for (const Value& value : block.values) {
    ++(value.is_shape ? stat->shapes : stat->tensors);
    if (!value.is_shape) ++stat->by_dtype[std::string(Name(value.dtype))];
  }
  for (const Operator& op : block.operators) {
    ++stat->by_op[std::string(Name(op.op))];
    if (__builtin_add_overflow(stat->macs, Macs(block, op), &stat->macs)) {
      stat->macs = std::numeric_limits<uint64_t>::max();
    }
    if (!IsConstantOp(op.op)) continue;
    ++stat->constants;
    for (const ValueId id : op.outputs) AddConstant(block.values[id], stat);
  }
  for (const DuplicateGroup& group : FindDuplicates(block)) {
    stat->duplicate_constants += group.removed.size();
    for (const size_t op : group.removed) {
      stat->duplicate_bytes += block.values[block.operators[op].outputs[0]].data.size();
    }
  }
}

std::vector<InterfaceEntry> Interface(const Block& block, const std::vector<ValueId>& ids) {
  std::vector<InterfaceEntry> entries;
  for (const ValueId id : ids) {
    const Value& value = block.values[id];
    entries.push_back({std::string(value.name), value.dtype, value.shape});
  }
  return entries;
}

}  // namespace

Stat ComputeStat(const Module& module) {
  Stat stat;
  stat.version = module.version;
  stat.file_bytes = module.file_bytes;
  stat.regions = module.regions.size();
  for (const Region& region : module.regions) {
    for (const Block& block : region.blocks) AddBlock(block, &stat);
  }
  if (!module.regions.empty() && !module.regions[0].blocks.empty()) {
    const Block& main = module.regions[0].blocks[0];
    stat.inputs = Interface(main, main.inputs);
    stat.outputs = Interface(main, main.outputs);
  }
  return stat;
}

}  // namespace tosac
