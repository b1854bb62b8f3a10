// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_LOWER_LINEAR_H_
#define TOSAC_SRC_LOWER_LINEAR_H_

#include "lower/builder.h"

namespace tosac::lower {

// torch.matmul of operands of rank 2 or more: [..., H, C] x [..., C, W], leading dimensions
// broadcast.
Value* MatMulBroadcast(Builder& b, Value* left, Value* right);

// x W^T + bias: input [..., IC], weight [OC, IC], bias [OC] or nullptr.
Value* Linear(Builder& b, Value* input, Value* weight, Value* bias);

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_LINEAR_H_
