// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, and choice by a condition.
#include "lower/elementwise.h"
#include "lower/registry.h"

namespace tosac::lower {
namespace {

// ---- comparisons ----

enum class Relation { kEq, kNe, kLt, kLe, kGt, kGe };

// false < true.
Value* CompareBools(Builder& b, Relation relation, Value* x, Value* y) {
  switch (relation) {
    case Relation::kEq:
      return Not(b, b.Binary(Op::LOGICAL_XOR, x, y));
    case Relation::kNe:
      return b.Binary(Op::LOGICAL_XOR, x, y);
    case Relation::kLt:
      return b.Binary(Op::LOGICAL_AND, Not(b, x), y);
    case Relation::kLe:
      return b.Binary(Op::LOGICAL_OR, Not(b, x), y);
    case Relation::kGt:
      return b.Binary(Op::LOGICAL_AND, x, Not(b, y));
    case Relation::kGe:
      return b.Binary(Op::LOGICAL_OR, x, Not(b, y));
  }
  return x;
}

// lt and le swap the operands: the negation of ge and gt would be true for NaN.
Value* Compare(Builder& b, Relation relation, Value* x, Value* y) {
  switch (relation) {
    case Relation::kEq:
      return b.Binary(Op::EQUAL, x, y);
    case Relation::kNe:
      return Not(b, b.Binary(Op::EQUAL, x, y));
    case Relation::kLt:
      return b.Binary(Op::GREATER, y, x);
    case Relation::kLe:
      return b.Binary(Op::GREATER_EQUAL, y, x);
    case Relation::kGt:
      return b.Binary(Op::GREATER, x, y);
    case Relation::kGe:
      return b.Binary(Op::GREATER_EQUAL, x, y);
  }
  return x;
}

template <Relation kRelation>
void LowerCompare(Lowering& lower) {
  const Operands in = BinaryOperands(lower, "self", "other");
  Builder& b = lower.b();
  if (in.dtype == DType::kBOOL) {
    return lower.Return(CompareBools(b, kRelation, in.a, in.b));
  }
  lower.Return(Compare(b, kRelation, in.a, in.b));
}

// ---- logic ----

template <Op kOp>
void LowerLogical(Lowering& lower) {
  Value* self = lower.Convert(lower.In("self"), DType::kBOOL);
  lower.Return(lower.b().Binary(kOp, self, lower.Convert(lower.In("other"), DType::kBOOL)));
}

template <Op kBits, Op kBool>
void LowerBitwise(Lowering& lower) {
  const Operands in = BinaryOperands(lower, "self", "other");
  if (in.dtype == DType::kBOOL) return lower.Return(lower.b().Binary(kBool, in.a, in.b));
  lower.ReturnAs(lower.b().Binary(kBits, in.a, in.b));
}

// ---- choice ----

// Scalars and rank-0 tensors take the dtype of the result.
void LowerWhere(Lowering& lower) {
  Builder& b = lower.b();
  const fx::Type result = lower.ResultType();
  Value* condition = lower.Convert(lower.In("condition"), DType::kBOOL);
  Value* self = Operand(lower, "self", result.dtype);
  Value* other = Operand(lower, "other", result.dtype);
  lower.Return(b.Select(condition, self, other));
}

void LowerMaskedFill(Lowering& lower) {
  Builder& b = lower.b();
  const fx::Type result = lower.ResultType();
  Value* self = lower.Convert(lower.In("self"), result.dtype);
  Value* mask = lower.Convert(lower.In("mask"), DType::kBOOL);
  lower.Return(b.Select(mask, Operand(lower, "value", result.dtype), self));
}

constexpr LoweringRow kRows[] = {
    {"aten.__and__.Scalar", LowerBitwise<Op::BITWISE_AND, Op::LOGICAL_AND>},
    {"aten.__and__.Tensor", LowerBitwise<Op::BITWISE_AND, Op::LOGICAL_AND>},
    {"aten.__or__.Scalar", LowerBitwise<Op::BITWISE_OR, Op::LOGICAL_OR>},
    {"aten.__or__.Tensor", LowerBitwise<Op::BITWISE_OR, Op::LOGICAL_OR>},
    {"aten.__xor__.Scalar", LowerBitwise<Op::BITWISE_XOR, Op::LOGICAL_XOR>},
    {"aten.__xor__.Tensor", LowerBitwise<Op::BITWISE_XOR, Op::LOGICAL_XOR>},
    {"aten.bitwise_and.Scalar", LowerBitwise<Op::BITWISE_AND, Op::LOGICAL_AND>},
    {"aten.bitwise_and.Tensor", LowerBitwise<Op::BITWISE_AND, Op::LOGICAL_AND>},
    {"aten.bitwise_or.Scalar", LowerBitwise<Op::BITWISE_OR, Op::LOGICAL_OR>},
    {"aten.bitwise_or.Tensor", LowerBitwise<Op::BITWISE_OR, Op::LOGICAL_OR>},
    {"aten.bitwise_xor.Scalar", LowerBitwise<Op::BITWISE_XOR, Op::LOGICAL_XOR>},
    {"aten.bitwise_xor.Tensor", LowerBitwise<Op::BITWISE_XOR, Op::LOGICAL_XOR>},
    {"aten.eq.Scalar", LowerCompare<Relation::kEq>},
    {"aten.eq.Tensor", LowerCompare<Relation::kEq>},
    {"aten.ge.Scalar", LowerCompare<Relation::kGe>},
    {"aten.ge.Tensor", LowerCompare<Relation::kGe>},
    {"aten.gt.Scalar", LowerCompare<Relation::kGt>},
    {"aten.gt.Tensor", LowerCompare<Relation::kGt>},
    {"aten.le.Scalar", LowerCompare<Relation::kLe>},
    {"aten.le.Tensor", LowerCompare<Relation::kLe>},
    {"aten.logical_and.default", LowerLogical<Op::LOGICAL_AND>},
    {"aten.logical_or.default", LowerLogical<Op::LOGICAL_OR>},
    {"aten.logical_xor.default", LowerLogical<Op::LOGICAL_XOR>},
    {"aten.lt.Scalar", LowerCompare<Relation::kLt>},
    {"aten.lt.Tensor", LowerCompare<Relation::kLt>},
    {"aten.masked_fill.Scalar", LowerMaskedFill},
    {"aten.masked_fill.Tensor", LowerMaskedFill},
    {"aten.ne.Scalar", LowerCompare<Relation::kNe>},
    {"aten.ne.Tensor", LowerCompare<Relation::kNe>},
    {"aten.where.Scalar", LowerWhere},
    {"aten.where.ScalarOther", LowerWhere},
    {"aten.where.ScalarSelf", LowerWhere},
    {"aten.where.self", LowerWhere},
};

}  // namespace

std::span<const LoweringRow> CompareRows() { return kRows; }

}  // namespace tosac::lower
