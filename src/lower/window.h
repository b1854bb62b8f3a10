// SPDX-License-Identifier: Apache-2.0
// Windows as torch describes them, made to tile exactly as TOSA demands.
#ifndef TOSAC_SRC_LOWER_WINDOW_H_
#define TOSAC_SRC_LOWER_WINDOW_H_

#include "lower/lowering.h"

namespace tosac::lower {

// One axis of a window over `size` elements.
struct WindowAxis {
  int64_t size = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;

  // The reach of one window.
  int64_t Reach() const { return (kernel - 1) * dilation + 1; }
  bool IsSane() const;
};

// TOSA wants windows that tile the padded input exactly; torch leaves out what does not fill one
// more window. Shrinks the padding after the data first; returns how many elements at the end of
// the data have to be cut besides.
int64_t MakeExact(WindowAxis* axis);

// `values` repeated when torch gave one number for all axes.
Dims PerAxis(Dims values, size_t axes);

// The spatial input with `cut` elements taken off the end of each of its axes, of which the first
// is axis 1 (layout N, spatial, C).
Value* CutEnds(Builder& b, Value* input, const Dims& cut);

// Channels first to channels last and back: [N, C, ...] and [N, ..., C].
Value* ToChannelsLast(Builder& b, Value* input);
Value* ToChannelsFirst(Builder& b, Value* input);

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_WINDOW_H_
