// SPDX-License-Identifier: Apache-2.0
#include "tosac/module.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tosac {
namespace {

// The bits of the last logical byte that belong to the value.
uint8_t LastByteMask(DType dtype, uint64_t elements) {
  const DTypeInfo* info = FindDType(dtype);
  if (info == nullptr) return 0xff;
  const uint64_t used = elements * info->bits % 8;
  return used == 0 ? 0xff : static_cast<uint8_t>((1u << used) - 1);
}

// The mask for LogicalData(): all ones where the data is shorter than the value.
uint8_t MaskOf(const Value& value, size_t logical_size) {
  const std::optional<uint64_t> elements = value.NumElements();
  if (!elements || LogicalBytes(value.dtype, *elements) != logical_size) return 0xff;
  return LastByteMask(value.dtype, *elements);
}

}  // namespace

std::optional<uint64_t> Value::NumElements() const {
  uint64_t count = 1;
  for (const int32_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count)) {
      return std::nullopt;
    }
  }
  return count;
}

std::span<const uint8_t> Value::LogicalData() const {
  const std::optional<uint64_t> elements = is_unranked ? std::nullopt : NumElements();
  if (!elements) return data;
  const std::optional<uint64_t> bytes = LogicalBytes(dtype, *elements);
  if (!bytes || *bytes >= data.size()) return data;
  return data.first(static_cast<size_t>(*bytes));
}

bool EqualBytes(const Value& a, const Value& b) {
  const std::span<const uint8_t> x = a.LogicalData();
  const std::span<const uint8_t> y = b.LogicalData();
  if (x.size() != y.size()) return false;
  if (x.empty()) return true;
  const uint8_t mask_x = MaskOf(a, x.size());
  const uint8_t mask_y = MaskOf(b, y.size());
  const size_t last = x.size() - 1;
  return std::memcmp(x.data(), y.data(), last) == 0 && (x[last] & mask_x) == (y[last] & mask_y);
}

Hash128 HashConstant(const Value& value) {
  const std::span<const uint8_t> data = value.LogicalData();
  // The bytes with the last one masked apart, then dtype and shape. A value of a few bytes (most
  // constants) is gathered and hashed in one call.
  const uint8_t mask = data.empty() ? 0xff : MaskOf(value, data.size());
  uint64_t head[2] = {static_cast<uint64_t>(value.dtype), value.shape.size()};
  uint64_t seed = XXH3_64bits(head, sizeof(head));
  if (!value.shape.empty()) {
    seed = XXH3_64bits_withSeed(value.shape.data(), value.shape.size() * sizeof(int32_t), seed);
  }
  if (mask != 0xff) {
    const uint64_t tail[2] = {seed, static_cast<uint64_t>(data.back() & mask)};
    seed = XXH3_64bits(tail, sizeof(tail));
  }
  const size_t size = mask == 0xff ? data.size() : data.size() - 1;
  const XXH128_hash_t hash = XXH3_128bits_withSeed(data.data(), size, seed);
  return {hash.low64, hash.high64};
}

std::string_view Module::Own(std::string text) { return strings_.emplace_back(std::move(text)); }

std::span<const uint8_t> Module::Own(std::vector<uint8_t> bytes) {
  // Small ones (most constants are a few bytes) share a chunk that never grows past its capacity.
  constexpr size_t kChunk = size_t{1} << 16;
  constexpr size_t kSmall = 1024;
  if (bytes.size() > kSmall) return bytes_.emplace_back(std::move(bytes));
  if (bytes_.empty() || bytes_.back().capacity() - bytes_.back().size() < bytes.size()) {
    bytes_.emplace_back().reserve(kChunk);
  }
  std::vector<uint8_t>& chunk = bytes_.back();
  const size_t start = chunk.size();
  chunk.insert(chunk.end(), bytes.begin(), bytes.end());
  return std::span<const uint8_t>(chunk).subspan(start);
}

void Module::Keep(std::shared_ptr<const void> owner) {
  if (owner != nullptr && (owners_.empty() || owners_.back() != owner)) {
    owners_.push_back(std::move(owner));
  }
}

std::string OperatorPath(const Region& region, const Block& block, size_t op_index) {
  std::string path =
      std::string(region.name) + "/" + std::string(block.name) + "/op" + std::to_string(op_index);
  if (op_index < block.operators.size()) {
    path += " " + std::string(Name(block.operators[op_index].op));
  }
  return path;
}

}  // namespace tosac
