// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_TOOLS_DATAFLOW_H_
#define TOSAC_SRC_TOOLS_DATAFLOW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tosac/module.h"

namespace tosac {

// An operator whose order among its like counts: state and control flow.
bool HasEffect(Op op);
// Does attribute `index` of the operator name a region?
bool NamesRegion(Op op, size_t index);

inline constexpr uint32_t kNoProducer = ~uint32_t{0};

// What is known of one block.
struct BlockHashes {
  // By value: everything that it is computed from. A value that depends on itself has a hash that
  // does not say how.
  std::vector<Hash128> values;
  std::vector<Hash128> operators;
  // By value: the operator that makes it (the first, if a damaged file has several); kNoProducer
  // for inputs and for what no operator makes.
  std::vector<uint32_t> producer;
  std::vector<size_t> effects;  // operators with effects, in order
  // Of the interface, the effects in their order, and in any order the variables and all operators
  // but constants.
  Hash128 digest;
};

// 128-bit hashes of a module's dataflow. Linear time, no recursion. `module` must outlive it.
class ModuleHashes {
 public:
  explicit ModuleHashes(const Module& module);

  const BlockHashes& block(size_t region, size_t index) const { return hashes_[region][index]; }
  // The region that an attribute names.
  std::optional<size_t> FindRegion(const AttrValue& attr) const;
  // The regions that correspond by their place in two files: the first, and those that no operator
  // names. All of them, where regions name each other in a circle.
  std::vector<size_t> TopRegions() const;

 private:
  std::vector<size_t> RegionsNamedBy(size_t region) const;
  std::vector<size_t> RegionOrder();
  BlockHashes HashBlock(const Block& block) const;
  void HashOperators(const Block& block, const std::vector<uint64_t>& ordinal,
                     BlockHashes* hashes) const;
  Hash128 HashOperator(const Block& block, size_t index, uint64_t ordinal,
                       const BlockHashes& hashes) const;

  const Module& module_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::vector<std::vector<BlockHashes>> hashes_;  // by region and block
  std::vector<bool> referenced_;                  // an operator names the region
  bool circular_ = false;                         // regions name each other in a circle
};

}  // namespace tosac

#endif  // TOSAC_SRC_TOOLS_DATAFLOW_H_
