// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_SRC_LOWER_SLICE_H_
#define TOSAC_SRC_LOWER_SLICE_H_

#include "lower/builder.h"

namespace tosac::lower {

// Elements [start, start + size) of `axis`.
Value* SliceAxis(Builder& b, Value* input, int64_t axis, int64_t start, int64_t size);

// Every `step`-th element of `axis`, from the first on: PAD to whole steps, RESHAPE, SLICE.
Value* StrideAxis(Builder& b, Value* input, int64_t axis, int64_t step);

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_SLICE_H_
