// SPDX-License-Identifier: Apache-2.0
// Questions about TOSA nodes that passes ask, and small edits that they share.
#ifndef TOSAC_SRC_PASSES_TOSA_NODES_H_
#define TOSAC_SRC_PASSES_TOSA_NODES_H_

#include <span>
#include <string_view>

#include "tosac/program.h"

namespace tosac {

// Each element of the result depends on the elements of the operands at the same place (with
// broadcasting): the activation, unary, binary, ternary and comparison operators, CAST, IDENTITY.
bool IsElementwise(Op op);

// Operand `index` of the elementwise `node` takes part element by element; false for the shift of
// MUL and the zero points of NEGATE, which have their own shape.
bool IsElementOperand(const fx::Node& node, size_t index);

// No node but `node` uses the value.
bool UsedOnlyBy(const fx::Value& value, const fx::Node& node);

// Rewires all uses of `old_value` to `new_value`. Where the old one is an output of its graph and
// the new one is not, the new one takes over its name, so that the interface keeps its names; where
// it can not be an output, the output stays. False when nothing was rewired.
bool ReplaceValue(fx::Value* old_value, fx::Value* new_value);

// Gives `node`, an operator of one result, the result type `inside`, and its users `after`'s result
// instead, which is made of it. `after` keeps reading the node itself.
void MoveUsersTo(fx::Node* node, const fx::Type& inside, fx::Node* after);

// A CONST_SHAPE that the graph owns, before `before`.
fx::Value* AddShapeConstant(fx::Graph& graph, std::span<const int64_t> values,
                            std::string_view name, fx::Node* before);

}  // namespace tosac

#endif  // TOSAC_SRC_PASSES_TOSA_NODES_H_
