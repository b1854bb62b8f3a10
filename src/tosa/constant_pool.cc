// SPDX-License-Identifier: Apache-2.0
#include "tosa/constant_pool.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tosac {
namespace {

ConstantKey KeyOf(const Value& value) { return {value.dtype, value.shape, value.data}; }

// A total order of keys: negative, zero or positive.
int Compare(const ConstantKey& a, const ConstantKey& b) {
  const auto order = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (const int o = order(a.dtype, b.dtype)) return o;
  if (const int o = order(a.bytes.size(), b.bytes.size())) return o;
  if (const int o = order(a.shape.size(), b.shape.size())) return o;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    if (const int o = order(a.shape[i], b.shape[i])) return o;
  }
  return a.bytes.empty() ? 0 : std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size());
}

}  // namespace

uint64_t HashKey(const ConstantKey& key) {
  uint64_t seed = static_cast<uint64_t>(key.dtype) << 32 | key.shape.size();
  if (!key.shape.empty()) {
    seed = XXH3_64bits_withSeed(key.shape.data(), key.shape.size_bytes(), seed);
  }
  return XXH3_64bits_withSeed(key.bytes.data(), key.bytes.size(), seed);
}

size_t ConstantPool::SlotOf(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].id != kFree && slots_[at].hash != hash) at = (at + 1) & mask;
  return at;
}

void ConstantPool::Grow() {
  constexpr size_t kFirst = 64;
  std::vector<Slot> old(std::max(kFirst, slots_.size() * 2));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id != kFree) slots_[SlotOf(slot.hash)] = slot;
  }
}

std::optional<ValueId> ConstantPool::Find(const Block& block, const ConstantKey& key) const {
  if (slots_.empty()) return std::nullopt;
  const Slot& slot = slots_[SlotOf(hash_(key))];
  if (slot.id == kFree) return std::nullopt;
  const auto key_of = [&](ValueId id) { return KeyOf(block.values[id]); };
  if (slot.id != kMany) {
    if (Compare(key_of(slot.id), key) == 0) return slot.id;
    return std::nullopt;
  }
  const std::vector<ValueId>& ids = collisions_.at(slot.hash);
  const auto at = std::lower_bound(ids.begin(), ids.end(), key, [&](ValueId id, const auto& k) {
    return Compare(key_of(id), k) < 0;
  });
  if (at != ids.end() && Compare(key_of(*at), key) == 0) return *at;
  return std::nullopt;
}

void ConstantPool::Insert(const Block& block, ValueId id) {
  if (used_ * 2 >= slots_.size()) Grow();
  const ConstantKey key = KeyOf(block.values[id]);
  const uint64_t hash = hash_(key);
  Slot& slot = slots_[SlotOf(hash)];
  ++size_;
  if (slot.id == kFree) {
    slot = {hash, id};
    ++used_;
    return;
  }
  std::vector<ValueId>& ids = collisions_[hash];
  if (slot.id != kMany) {
    ids.push_back(slot.id);
    slot.id = kMany;
  }
  const auto at = std::lower_bound(ids.begin(), ids.end(), key, [&](ValueId other, const auto& k) {
    return Compare(KeyOf(block.values[other]), k) < 0;
  });
  ids.insert(at, id);
}

}  // namespace tosac
