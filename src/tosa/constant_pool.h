// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_TOSA_CONSTANT_POOL_H_
#define TOSAC_SRC_TOSA_CONSTANT_POOL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tosac/module.h"

namespace tosac {

// What makes two helper constants the same: dtype, shape and the exact bytes that are written.
struct ConstantKey {
  DType dtype = DType::kUnknown;
  std::span<const int32_t> shape;
  std::span<const uint8_t> bytes;
};

// 64 bits of a key. A test puts another function in its place to force collisions.
using ConstantHash = uint64_t (*)(const ConstantKey&);
uint64_t HashKey(const ConstantKey& key);

// The helper constants of one basic block. It holds indices into the block's values and compares
// with what those hold, so it owns no tensor and copies no bytes.
//
// A lookup hashes the key and compares exactly. Keys of equal hash are kept ordered, so crafted
// collisions cost a binary search and not a scan.
class ConstantPool {
 public:
  explicit ConstantPool(ConstantHash hash = HashKey) : hash_(hash) {}

  // The value of `block` that holds `key`, if Insert named one.
  std::optional<ValueId> Find(const Block& block, const ConstantKey& key) const;
  // `id` holds its own key from now on. It must not be in the pool yet.
  void Insert(const Block& block, ValueId id);
  size_t size() const { return size_; }

 private:
  // One hash of the table; `id` is the only value with it, or kMany.
  struct Slot {
    uint64_t hash = 0;
    ValueId id = kFree;
  };
  static constexpr ValueId kFree = ~ValueId{0};
  static constexpr ValueId kMany = kFree - 1;

  size_t SlotOf(uint64_t hash) const;  // that holds the hash, or is free for it
  void Grow();

  ConstantHash hash_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use, probed in order
  size_t used_ = 0;
  std::unordered_map<uint64_t, std::vector<ValueId>> collisions_;  // of kMany, sorted by key
  size_t size_ = 0;
};

}  // namespace tosac

#endif  // TOSAC_SRC_TOSA_CONSTANT_POOL_H_
