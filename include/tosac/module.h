// SPDX-License-Identifier: Apache-2.0
// Module: a faithful image of a .tosa file.
#ifndef TOSAC_MODULE_H_
#define TOSAC_MODULE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tosac/ops.h"

namespace tosac {

// Index of a value in its block's `values`.
using ValueId = uint32_t;

// What the file says of the software that wrote it (schema 1.1).
struct SoftwareVersion {
  int32_t major = -1;
  int32_t minor = -1;
  int32_t micro = -1;
  std::string modifier;
  friend bool operator==(const SoftwareVersion&, const SoftwareVersion&) = default;
};

// Forward-compatibility marks of the file (schema of tosa-tools 2026.8).
struct Compatibility {
  std::optional<SoftwareVersion> min_reader_version;
  uint64_t features = 0;
  friend bool operator==(const Compatibility&, const Compatibility&) = default;
};

// The scales that a block-scaled tensor carries (schema of tosa-tools 2026.8).
struct Scale {
  DType dtype = DType::kUnknown;
  uint32_t block_shape = 0;
  bool has_data = false;
  bool external = false;  // outside the flatbuffer, through scale_offset and scale_size
  std::span<const uint8_t> data;
};

// A tensor or a shape of a block. Views point into the mapped file or into memory that the Module
// owns: they live as long as the Module.
struct Value {
  std::string_view name;
  DType dtype = DType::kUnknown;  // kSHAPE for an entry of the file's `shapes`
  bool is_shape = false;          // an entry of `shapes` (then `shape` is {rank})
  bool is_variable = false;
  bool is_unranked = false;
  bool has_data = false;  // the file holds bytes for it, perhaps none
  bool external = false;  // its bytes lie outside the flatbuffer (offset, size)
  std::vector<int32_t> shape;
  std::string_view variable_name;
  std::span<const uint8_t> data;  // as stored, padding included; not aligned
  std::unique_ptr<Scale> scale;   // null for nearly all

  // The product of `shape`; nullopt on overflow or a negative dimension.
  std::optional<uint64_t> NumElements() const;
  // The bytes that make the value (design: "Logical bytes"): a prefix of `data`, all of it where
  // the size cannot be known or `data` is shorter. The spare bits of the last byte of packed
  // 4-bit and 6-bit types are not cleared here; EqualBytes and HashBytes do that.
  std::span<const uint8_t> LogicalData() const;
};
// Same logical bytes, spare bits apart. dtype and shape are not compared.
bool EqualBytes(const Value& a, const Value& b);
// 128-bit hash of dtype, shape and logical bytes.
struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;  // NOLINT: no null pointer
};
Hash128 HashConstant(const Value& value);

struct Operator {
  Op op = Op::kUnknown;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  // One per row of OpInfo::attrs; empty where the file has no attribute table for this operator.
  std::vector<AttrValue> attrs;
  bool has_location = false;
  std::string_view location;
};

struct Block {
  std::string_view name;
  std::vector<Value> values;  // tensors in file order, then shapes; a builder may interleave
  std::vector<Operator> operators;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

struct Region {
  std::string_view name;
  std::vector<Block> blocks;
};

// Movable, not copyable: views point into what it owns.
class Module {
 public:
  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Version version;
  std::optional<SoftwareVersion> software_version;
  std::optional<Compatibility> compatibility;
  std::vector<Region> regions;
  uint64_t file_bytes = 0;  // of the file it was read from; 0 for a module that was built

  // A copy of `text` that lives as long as the Module.
  std::string_view Own(std::string text);
  // The same for bytes.
  std::span<const uint8_t> Own(std::vector<uint8_t> bytes);
  // Keeps `owner` (a mapped file, a storage) alive as long as the Module.
  void Keep(std::shared_ptr<const void> owner);

 private:
  std::deque<std::string> strings_;
  std::deque<std::vector<uint8_t>> bytes_;
  std::vector<std::shared_ptr<const void>> owners_;
};

// "main/main/op17 CONV2D": region, block, and an operator's index and name.
std::string OperatorPath(const Region& region, const Block& block, size_t op_index);

}  // namespace tosac

#endif  // TOSAC_MODULE_H_
