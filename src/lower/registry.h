// SPDX-License-Identifier: Apache-2.0
// The operator families: one function each that returns the family's table of rows.
#ifndef TOSAC_SRC_LOWER_REGISTRY_H_
#define TOSAC_SRC_LOWER_REGISTRY_H_

#include <span>

#include "lower/lowering.h"

namespace tosac::lower {

std::span<const LoweringRow> ActivationRows();  // activation.cc: relu, gelu, hardswish, ...
std::span<const LoweringRow> LinearRows();      // linear.cc: linear, addmm, mm, bmm, matmul
std::span<const LoweringRow> SoftmaxRows();     // softmax.cc: softmax, log_softmax

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_REGISTRY_H_
