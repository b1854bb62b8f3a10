// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_LOWER_SOFTMAX_H_
#define TOSAC_SRC_LOWER_SOFTMAX_H_

#include "lower/builder.h"

namespace tosac::lower {

// exp(x - max) / sum along `axis`, as torch.softmax computes it. `input` has rank 1 or more.
Value* Softmax(Builder& b, Value* input, int64_t axis);

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_SOFTMAX_H_
