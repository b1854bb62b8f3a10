// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_TOOLS_DUPLICATES_H_
#define TOSAC_SRC_TOOLS_DUPLICATES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tosac/module.h"

namespace tosac {

// CONST or CONST_SHAPE.
bool IsConstantOp(Op op);

// The value that a CONST or CONST_SHAPE operator makes, when it has bytes; nullopt for other
// operators.
std::optional<ValueId> ConstantOf(const Block& block, const Operator& op);

// Constants of one block with equal dtype, shape, scales and logical bytes.
struct DuplicateGroup {
  size_t first_op = 0;          // operator index of the first of them
  size_t kept_op = 0;           // the one that stays; where it is not the first, it moves there
  std::vector<size_t> removed;  // operator indices of the others, ascending
};
// Every group with something to remove, by first operator. Constants that are alone with their
// dtype and shape are not read.
std::vector<DuplicateGroup> FindDuplicates(const Block& block);

}  // namespace tosac

#endif  // TOSAC_SRC_TOOLS_DUPLICATES_H_
