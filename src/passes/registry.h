// SPDX-License-Identifier: Apache-2.0
// The passes, one per file; the table that lists them is in registry.cc.
#ifndef TOSAC_SRC_PASSES_REGISTRY_H_
#define TOSAC_SRC_PASSES_REGISTRY_H_

#include "tosac/passes.h"

namespace tosac {

// Drops runtime assertions, with one note.
Result<Changed> DropAssertions(fx::Program& program, PassContext& context);
// Rewires the users of copies (clone, contiguous, detach, ...) to what is copied. Only right after
// Functionalize.
Result<Changed> DropCopies(fx::Program& program, PassContext& context);
// Makes in-place ATen operators functional, aliases respected; refuses by name what can not be.
Result<Changed> Functionalize(fx::Program& program, PassContext& context);
// Folds inference batch norms into the convolutions before them.
Result<Changed> FoldBatchNorm(fx::Program& program, PassContext& context);
// Erases nodes whose results nobody uses and that have no effect of their own.
Result<Changed> EliminateDeadCode(fx::Program& program, PassContext& context);
// Lays RESHAPEs and TRANSPOSEs of constants out at compile time, unless that would put a weight
// into the file twice.
Result<Changed> FoldLayout(fx::Program& program, PassContext& context);
// Rewrites later uses of a static CONST_SHAPE to the first equal one of its graph.
Result<Changed> MergeConstShapes(fx::Program& program, PassContext& context);
// Rewrites later uses of a graph-owned CONST to the first equal one of its graph.
Result<Changed> MergeParameters(fx::Program& program, PassContext& context);
// Drops RESHAPEs that change nothing, merges RESHAPEs of RESHAPEs, and moves them down past
// elementwise operators.
Result<Changed> SimplifyReshapes(fx::Program& program, PassContext& context);

// Keeps one of equal operators on equal operands.
Result<Changed> MergeEqualNodes(fx::Program& program, PassContext& context);
// Merges TRANSPOSEs and moves them down past what can run in the other layout.
Result<Changed> SimplifyTransposes(fx::Program& program, PassContext& context);
// Lets elementwise operators broadcast what a TILE spelled out.
Result<Changed> DropBroadcasts(fx::Program& program, PassContext& context);
// Gives constants of equal elements that only broadcast one element.
Result<Changed> ShrinkSplats(fx::Program& program, PassContext& context);

}  // namespace tosac

#endif  // TOSAC_SRC_PASSES_REGISTRY_H_
