// SPDX-License-Identifier: Apache-2.0
// Activation functions.
#include <limits>

#include "lower/registry.h"

namespace tosac::lower {
namespace {

void LowerRelu(Lowering& lower) {
  lower.Return(lower.b().Clamp(lower.In("self"), 0, std::numeric_limits<double>::infinity()));
}

constexpr LoweringRow kRows[] = {
    {"aten.relu.default", LowerRelu},
};

}  // namespace

std::span<const LoweringRow> ActivationRows() { return kRows; }

}  // namespace tosac::lower
