// SPDX-License-Identifier: Apache-2.0
// What can be done with a Module without rewriting its graph: dedup, stat and diff.
#ifndef TOSAC_TOOLS_H_
#define TOSAC_TOOLS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tosac/diag.h"
#include "tosac/module.h"

namespace tosac {

// ---- dedup ----

struct DedupReport {
  uint64_t operators_before = 0, operators_after = 0;
  uint64_t constants_before = 0, constants_after = 0;
  uint64_t constant_bytes_before = 0, constant_bytes_after = 0;
  // The name that each removed constant is now known by: (removed, kept), in file order.
  std::vector<std::pair<std::string, std::string>> renamed;
};
// Emits every constant once per block: CONST and CONST_SHAPE with equal dtype, shape and logical
// bytes are merged, operands rewritten. Interface, variables, version, locations, names and the
// order of all other operators stay. The kept constant stands where the first of its duplicates
// stood; a constant that is a block output keeps its name and is the one kept, and two equal ones
// that are both outputs stay two.
Result<DedupReport> Dedup(Module& module);

// ---- stat ----

struct InterfaceEntry {
  std::string name;
  DType dtype = DType::kUnknown;
  std::vector<int32_t> shape;
};
struct ConstantEntry {
  std::string name;
  DType dtype = DType::kUnknown;
  std::vector<int32_t> shape;
  uint64_t bytes = 0;
  bool splat = false;
};
struct Stat {
  Version version;
  uint64_t file_bytes = 0;
  uint64_t regions = 0, blocks = 0, operators = 0, tensors = 0, shapes = 0;
  std::map<std::string, uint64_t> by_op;        // operator name -> count
  std::map<std::string, uint64_t> by_dtype;     // dtype name -> tensors
  std::vector<InterfaceEntry> inputs, outputs;  // of the first block of the first region
  uint64_t constants = 0;                       // CONST and CONST_SHAPE operators
  uint64_t constant_bytes = 0;                  // their stored bytes
  uint64_t duplicate_constants = 0;             // those that dedup would remove
  uint64_t duplicate_bytes = 0;                 // and their stored bytes
  uint64_t splat_constants = 0;                 // of more than one element, all equal
  uint64_t splat_bytes = 0;                     // what one element each would save
  uint64_t macs = 0;                            // multiply-accumulates of convs and matmuls
  std::vector<ConstantEntry> largest;           // up to 10, by bytes
};
Stat ComputeStat(const Module& module);
std::string StatText(const Stat& stat);
// One JSON object with the keys operators, by_op, constants, constant_bytes, duplicate_constants,
// duplicate_bytes, splat_bytes, blocks, file_bytes and more.
std::string StatJson(const Stat& stat);

// ---- diff ----

struct Difference {
  std::string message;  // what differs
  std::string a, b;     // the place and value on either side
};
// nullopt when the modules are equal up to names of temporaries and constants, order of independent
// operators, sharing of constants, constants that nobody uses, locations, and names of bodies and
// blocks. Otherwise the first difference. The version, the names of regions that no operator refers
// to, and names, types and order of their inputs and outputs count; so do the order among state and
// control-flow operators, and operators whose results nobody uses. Constants are compared by
// logical bytes. Linear time, for damaged modules too.
std::optional<Difference> Diff(const Module& a, const Module& b);

}  // namespace tosac

#endif  // TOSAC_TOOLS_H_
