// SPDX-License-Identifier: Apache-2.0
// Conversions between dtypes.
#include "lower/registry.h"

namespace tosac::lower {
namespace {

// Each overload differs in how it names the dtype; the result's type says it.
void LowerTo(Lowering& lower) {
  lower.Return(lower.Convert(lower.In("self"), lower.ResultType().dtype));
}

constexpr LoweringRow kRows[] = {
    {"aten._to_copy.default", LowerTo}, {"aten.to.device", LowerTo},
    {"aten.to.dtype", LowerTo},         {"aten.to.dtype_layout", LowerTo},
    {"aten.to.other", LowerTo},         {"aten.type_as.default", LowerTo},
};

}  // namespace

std::span<const LoweringRow> CastRows() { return kRows; }

}  // namespace tosac::lower
