// SPDX-License-Identifier: Apache-2.0
#include "passes/registry.h"

#include <algorithm>

namespace tosac {
namespace {

constexpr PassRow kPasses[] = {
    {"drop-assertions", DropAssertions, Exactness::kExact,
     "drops runtime assertions, which TOSA can not express"},
    {"functionalize", Functionalize, Exactness::kExact,
     "makes in-place operators functional, aliases respected"},
    {"drop-copies", DropCopies, Exactness::kExact, "rewires users of copies to what is copied"},
    {"fold-batch-norm", FoldBatchNorm, Exactness::kRounding,
     "folds batch norms into the convolutions before them"},
    {"eliminate-dead-code", EliminateDeadCode, Exactness::kExact,
     "erases what nobody uses and what has no effect"},
    {"fold-layout", FoldLayout, Exactness::kExact,
     "lays out RESHAPEs, TRANSPOSEs and SLICEs of constants at compile time"},
    {"merge-const-shapes", MergeConstShapes, Exactness::kExact,
     "keeps one of equal static CONST_SHAPEs"},
    {"merge-parameters", MergeParameters, Exactness::kExact,
     "keeps one of equal constants that the graph owns"},
    {"simplify-reshapes", SimplifyReshapes, Exactness::kExact,
     "merges RESHAPEs and moves them past elementwise operators"},
    {"share-equal-nodes", MergeEqualNodes, Exactness::kExact,
     "keeps one of equal operators on equal operands"},
    {"simplify-transposes", SimplifyTransposes, Exactness::kExact,
     "merges TRANSPOSEs and moves them to where they cancel out"},
    {"drop-broadcasts", DropBroadcasts, Exactness::kExact,
     "lets elementwise operators broadcast what a TILE spelled out"},
    {"shrink-splats", ShrinkSplats, Exactness::kExact,
     "gives constants of equal elements that only broadcast one element"},
};

}  // namespace

std::span<const PassRow> PassRows() { return kPasses; }

const PassRow* FindPass(std::string_view name) {
  const auto* row = std::find_if(std::begin(kPasses), std::end(kPasses),
                                 [&](const PassRow& r) { return r.name == name; });
  return row == std::end(kPasses) ? nullptr : row;
}

}  // namespace tosac
