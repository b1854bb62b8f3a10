// SPDX-License-Identifier: Apache-2.0
// Arithmetic of two operands without division and powers.
#include <cmath>

#include "lower/elementwise.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

// a op alpha * b. FP16 and BF16 with an alpha (rounded to their dtype) are computed in FP32, as in
// torch, which rounds the result once.
Value* AddOrSub(Lowering& lower, Op op, std::string_view a, std::string_view b) {
  const double alpha = lower.Float("alpha", 1);
  const Operands in = BinaryOperands(lower, a, b, alpha != 1);
  if (in.dtype == DType::kBOOL) {
    // torch has only the sum of BOOLs, and it is a BOOL.
    if (op == Op::SUB || alpha != 1) lower.Unsupported("arithmetic of BOOLs");
    return lower.b().Binary(Op::LOGICAL_OR, in.a, in.b);
  }
  const double factor = RoundedTo(lower.Promoted(a, b), alpha);
  return lower.b().Binary(op, in.a, MulScalar(lower.b(), in.b, factor));
}

void LowerAdd(Lowering& lower) { lower.ReturnAs(AddOrSub(lower, Op::ADD, "self", "other")); }
void LowerSub(Lowering& lower) { lower.ReturnAs(AddOrSub(lower, Op::SUB, "self", "other")); }
void LowerRsub(Lowering& lower) { lower.ReturnAs(AddOrSub(lower, Op::SUB, "other", "self")); }

void LowerMul(Lowering& lower) {
  const Operands in = BinaryOperands(lower, "self", "other", false, Scalars::kKept);
  Builder& b = lower.b();
  lower.ReturnAs(in.dtype == DType::kBOOL ? b.Binary(Op::LOGICAL_AND, in.a, in.b)
                                          : b.Mul(in.a, in.b));
}

void LowerExtreme(Lowering& lower, Op op, Op of_bools) {
  const Operands in = BinaryOperands(lower, "self", "other");
  lower.ReturnAs(lower.b().Binary(in.dtype == DType::kBOOL ? of_bools : op, in.a, in.b));
}

void LowerMaximum(Lowering& lower) { LowerExtreme(lower, Op::MAXIMUM, Op::LOGICAL_OR); }
void LowerMinimum(Lowering& lower) { LowerExtreme(lower, Op::MINIMUM, Op::LOGICAL_AND); }

// self + value * tensor1 * tensor2, or tensor1 / tensor2.
void LowerAddc(Lowering& lower, bool divides) {
  Builder& b = lower.b();
  const DType dtype = WideDType(lower.ResultType().dtype);
  Value* self = Operand(lower, "self", dtype);
  Value* first = Operand(lower, "tensor1", dtype);
  Value* second = Operand(lower, "tensor2", dtype);
  if (divides && !IsFloat(dtype)) return lower.Unsupported("a quotient of integers");
  Value* term = divides ? b.Div(first, second) : b.Mul(first, second);
  lower.ReturnAs(b.Binary(Op::ADD, self, MulScalar(b, term, lower.Float("value", 1))));
}

void LowerAddcmul(Lowering& lower) { LowerAddc(lower, false); }
void LowerAddcdiv(Lowering& lower) { LowerAddc(lower, true); }

// From the nearer end: a + w (b - a) for w < 1/2, else b - (1 - w) (b - a).
void LowerLerpScalar(Lowering& lower) {
  Builder& b = lower.b();
  const DType dtype = WideDType(lower.ResultType().dtype);
  Value* start = Operand(lower, "self", dtype);
  Value* end = Operand(lower, "end", dtype);
  Value* span = b.Binary(Op::SUB, end, start);
  const double weight = lower.Float("weight", 0);
  lower.ReturnAs(std::abs(weight) < 0.5 ? b.Binary(Op::ADD, start, MulScalar(b, span, weight))
                                        : b.Binary(Op::SUB, end, MulScalar(b, span, 1 - weight)));
}

void LowerLerpTensor(Lowering& lower) {
  Builder& b = lower.b();
  const DType dtype = WideDType(lower.ResultType().dtype);
  Value* start = Operand(lower, "self", dtype);
  Value* end = Operand(lower, "end", dtype);
  Value* weight = Operand(lower, "weight", dtype);
  Value* span = b.Binary(Op::SUB, end, start);
  Value* from_start = b.Binary(Op::ADD, start, b.Mul(span, weight));
  Value* rest = b.Binary(Op::SUB, b.ScalarLike(weight, 1), weight);
  Value* from_end = b.Binary(Op::SUB, end, b.Mul(span, rest));
  lower.ReturnAs(b.Select(Less(b, b.Unary(Op::ABS, weight), 0.5), from_start, from_end));
}

constexpr LoweringRow kRows[] = {
    {"aten.add.Scalar", LowerAdd},          {"aten.add.Tensor", LowerAdd},
    {"aten.addcdiv.default", LowerAddcdiv}, {"aten.addcmul.default", LowerAddcmul},
    {"aten.lerp.Scalar", LowerLerpScalar},  {"aten.lerp.Tensor", LowerLerpTensor},
    {"aten.max.other", LowerMaximum},       {"aten.maximum.default", LowerMaximum},
    {"aten.min.other", LowerMinimum},       {"aten.minimum.default", LowerMinimum},
    {"aten.mul.Scalar", LowerMul},          {"aten.mul.Tensor", LowerMul},
    {"aten.multiply.Scalar", LowerMul},     {"aten.multiply.Tensor", LowerMul},
    {"aten.rsub.Scalar", LowerRsub},        {"aten.rsub.Tensor", LowerRsub},
    {"aten.sub.Scalar", LowerSub},          {"aten.sub.Tensor", LowerSub},
    {"aten.subtract.Tensor", LowerSub},
};

}  // namespace

std::span<const LoweringRow> BinaryRows() { return kRows; }

}  // namespace tosac::lower
