// SPDX-License-Identifier: Apache-2.0
// ATen operators that return views of their first operand.
#ifndef TOSAC_SRC_PASSES_VIEWS_H_
#define TOSAC_SRC_PASSES_VIEWS_H_

#include "tosac/program.h"

namespace tosac {

// The results share (or may share: reshape, contiguous, to) memory with the first operand.
bool IsView(const fx::Node& node);

// The results share memory with the first operand for certain.
bool CopiesNever(const fx::Node& node);

// `parent` with the part that result `result` of `view` shows replaced by `part`; new nodes go
// before `before`. nullptr where that can not be said (expanded memory, a view that may be a copy).
fx::Value* ScatterBack(fx::Graph& graph, const fx::Node& view, size_t result, fx::Value* parent,
                       fx::Value* part, fx::Node* before);

}  // namespace tosac

#endif  // TOSAC_SRC_PASSES_VIEWS_H_
