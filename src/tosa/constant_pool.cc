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

std::optional<ValueId> ConstantPool::Find(const Block& block, const ConstantKey& key) const {
  const auto bucket = buckets_.find(hash_(key));
  if (bucket == buckets_.end()) return std::nullopt;
  const auto key_of = [&](ValueId id) { return KeyOf(block.values[id]); };
  const std::vector<ValueId>& ids = bucket->second.more;
  if (ids.empty()) {
    const ValueId only = bucket->second.first;
    if (Compare(key_of(only), key) == 0) return only;
    return std::nullopt;
  }
  const auto at = std::lower_bound(ids.begin(), ids.end(), key, [&](ValueId id, const auto& k) {
    return Compare(key_of(id), k) < 0;
  });
  if (at != ids.end() && Compare(key_of(*at), key) == 0) return *at;
  return std::nullopt;
}

void ConstantPool::Insert(const Block& block, ValueId id) {
  const ConstantKey key = KeyOf(block.values[id]);
  const auto [entry, fresh] = buckets_.try_emplace(hash_(key), Bucket{id, {}});
  ++size_;
  if (fresh) return;
  std::vector<ValueId>& ids = entry->second.more;
  if (ids.empty()) ids.push_back(entry->second.first);
  const auto at = std::lower_bound(ids.begin(), ids.end(), key, [&](ValueId other, const auto& k) {
    return Compare(KeyOf(block.values[other]), k) < 0;
  });
  ids.insert(at, id);
}

}  // namespace tosac
