// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_PASSES_MERGE_CONSTANTS_H_
#define TOSAC_SRC_PASSES_MERGE_CONSTANTS_H_

#include "tosac/passes.h"

namespace tosac {

// In each graph: of the unpooled nodes of `op` with equal dtype, shape and bytes, later uses are
// rewritten to the first, and the others are erased. A node without a value (a shape with a
// symbolic dimension) is left alone.
Result<Changed> MergeConstantNodes(fx::Program& program, Op op);

}  // namespace tosac

#endif  // TOSAC_SRC_PASSES_MERGE_CONSTANTS_H_
