// SPDX-License-Identifier: Apache-2.0
// Builder: makes TOSA nodes with their result types computed and their operands checked.
#ifndef TOSAC_SRC_LOWER_BUILDER_H_
#define TOSAC_SRC_LOWER_BUILDER_H_

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lower/integer.h"
#include "tosac/diag.h"
#include "tosac/program.h"
#include "tosac/target.h"

namespace tosac::lower {

using fx::Value;
using Dims = std::vector<int64_t>;

// Windows of CONV2D, DEPTHWISE_CONV2D and pools, [y, x]; pad is [top, bottom, left, right].
struct Window2d {
  std::array<int64_t, 2> kernel = {1, 1};
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> dilation = {1, 1};
  std::array<int64_t, 4> pad = {0, 0, 0, 0};
};
// The same for CONV3D, [d, y, x]; pad is [d0, d1, top, bottom, left, right].
struct Window3d {
  std::array<int64_t, 3> stride = {1, 1, 1};
  std::array<int64_t, 3> dilation = {1, 1, 1};
  std::array<int64_t, 6> pad = {0, 0, 0, 0, 0, 0};
};

// Appends TOSA nodes to a graph. The first error sticks: from then on every call returns a value of
// a sensible type and emits nothing that matters, and the caller reports error() once at the end.
// So lowerings need no error handling of their own, and damaged input can not crash them.
//
// Every call computes its result type from its operands (TOSA specification, each operator's
// shape rules) and makes an error (rule "lower-type") of operands that do not fit. Binary calls
// broadcast: the operand of lower rank is RESHAPEd to the higher rank first.
class Builder {
 public:
  Builder(fx::Graph& graph, const Target& target) : graph_(graph), target_(target) {}

  fx::Graph& graph() const { return graph_; }
  const Target& target() const { return target_; }

  bool failed() const { return error_.has_value(); }
  const std::optional<Diag>& error() const { return error_; }
  void Fail(Diag diag);
  void Fail(std::string_view rule, std::string message) { Fail(Error(rule, std::move(message))); }
  void ClearError() { error_.reset(); }

  // FX's name and source of the ATen node that is being lowered; new nodes carry them.
  void SetOrigin(std::string_view name, std::string_view stack_trace);

  // ---- the two kinds of constants ----
  // A helper constant of the back end (pooled when emitted).
  Value* Helper(fx::ConstantPtr constant, std::string_view name = "");
  // A constant that the graph owns: it keeps its name.
  Value* Owned(fx::ConstantPtr constant, std::string_view name);

  // Helper constants: `value` converted to `dtype` (IEEE rounding; a Diag when an integer does
  // not fit). Rank 0, [1], or [1, ..., 1] of `rank`.
  Value* Scalar(DType dtype, double value, int64_t rank);
  Value* ScalarLike(const Value* like, double value);  // dtype and rank of `like`
  Value* ScalarInt(DType dtype, int64_t value, int64_t rank);
  Value* ZeroPoint(DType dtype);                              // shape [1], zero
  Value* Ints(DType dtype, std::span<const int64_t> values);  // shape [n]
  Value* Floats(DType dtype, std::span<const double> values, const Dims& shape);
  // A CONST_SHAPE node. The graph owns it; equal ones are merged by a pass.
  Value* Shape(std::span<const int64_t> values);

  // ---- elementwise ----
  // Any unary operator without attributes or further operands: ABS CEIL FLOOR EXP LOG SIN COS
  // RECIPROCAL RSQRT TANH SIGMOID ERF BITWISE_NOT LOGICAL_NOT CLZ IDENTITY.
  Value* Unary(Op op, Value* input);
  Value* Negate(Value* input);
  // Any binary operator: ADD SUB MAXIMUM MINIMUM POW INTDIV BITWISE_* LOGICAL_* EQUAL GREATER
  // GREATER_EQUAL (result BOOL), shifts. MAXIMUM and MINIMUM propagate NaN.
  Value* Binary(Op op, Value* a, Value* b);
  Value* Mul(Value* a, Value* b);  // with its shift operand
  // a / b for floats: MUL by RECIPROCAL.
  Value* Div(Value* a, Value* b);
  Value* Select(Value* condition, Value* on_true, Value* on_false);
  // CLAMP with bounds in the input's dtype, NaN propagated. Floats: bounds may be infinite.
  // Integers other than int8/int16 use MAXIMUM and MINIMUM; there an infinite bound is none.
  Value* Clamp(Value* input, double min, double max);
  // CAST; the input itself when the type is already right. BOOL to float is SELECT where the
  // target has no such CAST, and from there to integers where it has not the INT profile. Not for
  // float to integer: see Lowering::Truncate.
  Value* Cast(Value* input, DType dtype);

  // ---- layout ----
  Value* Reshape(Value* input, Dims dims);                        // the input itself when equal
  Value* Transpose(Value* input, std::span<const int64_t> perm);  // the input itself for identity
  Value* BroadcastTo(Value* input, Dims dims);                    // RESHAPE to the rank, then TILE
  Value* Slice(Value* input, Dims start, Dims size);              // the input itself when whole
  Value* Concat(std::span<Value* const> inputs, int64_t axis);
  // `pads` is [low0, high0, low1, high1, ...], not negative; the value is converted to the dtype.
  Value* Pad(Value* input, std::span<const int64_t> pads, double value);
  Value* Tile(Value* input, Dims multiples);
  Value* Reverse(Value* input, int64_t axis);
  // values [N,K,C], indices [N,W] (INT32) -> [N,W,C].
  Value* Gather(Value* values, Value* indices);
  // values_in [N,K,C], indices [N,W], input [N,W,C] -> [N,K,C].
  Value* Scatter(Value* values_in, Value* indices, Value* input);

  // ---- reductions: the axis stays with size 1 ----
  // REDUCE_SUM REDUCE_PRODUCT REDUCE_ANY REDUCE_ALL REDUCE_MAX REDUCE_MIN (NaN propagated).
  Value* Reduce(Op op, Value* input, int64_t axis);
  Value* Argmax(Value* input, int64_t axis);  // INT32, without the axis

  // ---- tensor operators; layouts as in the specification (NHWC, OHWI, HWCM, ODHWI) ----
  // The window must tile the padded input exactly (TOSA's rule); rule "lower-window" otherwise.
  Value* Conv2d(Value* input, Value* weight, Value* bias, const Window2d& window);
  Value* DepthwiseConv2d(Value* input, Value* weight, Value* bias, const Window2d& window);
  Value* Conv3d(Value* input, Value* weight, Value* bias, const Window3d& window);
  // out_pad is [top, bottom, left, right], may be negative.
  Value* TransposeConv2d(Value* input, Value* weight, Value* bias, std::array<int64_t, 2> stride,
                         std::array<int64_t, 4> out_pad);
  Value* MaxPool2d(Value* input, const Window2d& window);
  Value* AvgPool2d(Value* input, const Window2d& window);
  Value* MatMul(Value* a, Value* b);  // [N,H,C] x [N,C,W] -> [N,H,W]
  Value* Resize(Value* input, ResizeMode mode, std::array<int64_t, 4> scale,
                std::array<int64_t, 2> offset, std::array<int64_t, 2> border);

  // ---- integers ----
  // Under a target without the INT profile most operators take no integers. They are then computed
  // in FP32 and come back as integers by CAST, where the values are provably exact in FP32 (see
  // lower/integer.h); else it is an error (rule "lower-integer-profile"). Callers need not care.
  // States that the elements of `value` lie in [min, max], which the caller knows (an index, whose
  // other values are errors in PyTorch too).
  void AssumeRange(const Value* value, double min, double max) { ints_.Assume(value, {min, max}); }
  // What is known of the values of a tensor.
  std::optional<ValueRange> RangeOf(const Value* value) { return ints_.RangeOf(value); }

  // An error when `value` is an integer that exists only rounded, in FP32 (see Integers): for those
  // that read a value otherwise than through a node that this class makes.
  void RequireExact(const Value* value);

  // The one primitive behind all of these: a node of `op` with one result.
  Value* Emit(Op op, std::span<Value* const> operands, fx::Type result,
              std::vector<AttrValue> attrs = {});

 private:
  // Both at the rank of the higher, shapes broadcastable; the common shape.
  Dims BroadcastOperands(Op op, Value** a, Value** b);
  Value* EmitNode(Op op, std::span<Value* const> operands, fx::Type result,
                  std::vector<AttrValue> attrs);
  // Whether this node has integers that only the INT profile allows.
  bool NeedsFloat(Op op, std::span<Value* const> operands, const fx::Type& result) const;
  Value* EmitThroughFloat(Op op, std::span<Value* const> operands, fx::Type result,
                          std::vector<AttrValue> attrs);
  // The FP32 tensor that holds the same integers, or BOOL as 0 and 1.
  Value* ToFloat(Value* integer);
  Value* CastWithoutIntProfile(Value* input, DType dtype);
  std::string NeedsIntProfile(Op op, const Value* value, std::string_view why) const;

  fx::Graph& graph_;
  const Target& target_;
  std::optional<Diag> error_;
  std::string origin_;
  std::string stack_trace_;
  Integers ints_;
};

// [a, b] broadcast by NumPy's rule; nullopt when they do not fit.
std::optional<Dims> BroadcastDims(std::span<const int64_t> a, std::span<const int64_t> b);
// axis + rank when negative.
inline int64_t NormalizeAxis(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_BUILDER_H_
