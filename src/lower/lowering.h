// SPDX-License-Identifier: Apache-2.0
// What a lowering of one ATen operator sees, and the table that all of them are rows of.
#ifndef TOSAC_SRC_LOWER_LOWERING_H_
#define TOSAC_SRC_LOWER_LOWERING_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lower/builder.h"
#include "tosac/diag.h"
#include "tosac/program.h"
#include "tosac/target.h"

namespace tosac::lower {

class Lowering;
using LowerFunction = void (*)(Lowering&);

// "aten.max_pool2d.default" and the function that lowers it.
struct LoweringRow {
  std::string_view target;
  LowerFunction function;
};
// One table per operator family; src/lower/registry.cc lists the families.
LowerFunction FindLowering(std::string_view target);
std::vector<std::string_view> LoweredTargets();  // sorted

// The ATen node that is being lowered: its arguments on one side, a Builder on the other. A
// lowering reads arguments, emits nodes through b(), and ends with one Return per result. Errors
// stick (see Builder): accessors then return defaults, so a lowering must only never index past
// what it checked (Type::dim() is safe everywhere).
class Lowering {
 public:
  Lowering(Builder& builder, std::vector<Diag>& notes) : b_(builder), notes_(notes) {}

  Builder& b() { return b_; }
  const Target& target() const { return b_.target(); }
  const fx::Node& node() const { return *node_; }

  // ---- arguments, by the schema's parameter name ----
  bool Has(std::string_view name) const;  // present and not None
  // The lowered tensor of a tensor argument, or a rank-0 helper constant for a Python scalar where
  // a tensor is expected (then in the dtype of result 0). Its rank and dims are torch's; int64 is
  // the target's IndexType, bool is BOOL, float64 constants are FP32.
  Value* In(std::string_view name);
  std::vector<Value*> Ins(std::string_view name);  // a list of tensors
  // The TOSA value that stands for an ATen value.
  Value* Lowered(const Value* value);
  // A tensor argument that is a constant of the graph: its value (ATen's dtype); else nullptr.
  fx::ConstantPtr ConstantIn(std::string_view name) const;
  // The ATen type of a tensor argument, before lowering (dtype kINT64 stays kINT64).
  fx::Type AtenType(std::string_view name) const;

  int64_t Int(std::string_view name, int64_t fallback);
  double Float(std::string_view name, double fallback);  // int and bool arguments too
  bool Bool(std::string_view name, bool fallback);
  std::string Str(std::string_view name, std::string_view fallback);
  // A list of integers; a single integer gives a list of one.
  Dims IntList(std::string_view name, Dims fallback);
  std::optional<DType> DTypeOf(std::string_view name);
  bool IsFloatArg(std::string_view name) const;  // the scalar argument is a float, not int or bool
  bool IsTensorArg(std::string_view name) const;
  // `dim` made non-negative for `rank` (rank 0 counts as 1); an error when out of range.
  int64_t Axis(std::string_view name, int64_t fallback, int64_t rank);
  // A list of dims, non-negative, sorted, unique; absent, None or empty: every axis.
  Dims Axes(std::string_view name, int64_t rank);

  // ---- results ----
  size_t num_results() const { return node_->num_results(); }
  // ATen's type of a result with the dtype that TOSA will hold (int64 -> IndexType()).
  fx::Type ResultType(size_t i = 0) const;
  // Binds result i. The value must have ResultType(i), else an error (rule "lower-result-type").
  void Return(Value* value, size_t i = 0);
  // Binds result i after a CAST to its dtype and a RESHAPE to its dims where those differ.
  void ReturnAs(Value* value, size_t i = 0);

  void Fail(std::string_view rule, std::string message) { b_.Fail(rule, std::move(message)); }
  // "this operator with these arguments can not be expressed": counted and listed with the others.
  void Unsupported(std::string why);
  void Note(std::string_view rule, std::string message);

  // ---- shared pieces that need both sides (src/lower/convert.cc) ----
  // The dtype that torch computes a two-operand call in: the promoted dtype of its tensor and
  // scalar arguments, narrowed. Comparisons need it (their result is bool).
  DType Promoted(std::string_view a, std::string_view b);
  // Float to integer as torch does it: toward zero, then CAST.
  Value* Truncate(Value* input, DType dtype);
  // Any torch conversion (`to`): bool by != 0, float to int by Truncate, the rest by CAST.
  Value* Convert(Value* input, DType dtype);
  // FP16 and BF16 up to FP32 for computing; the input itself otherwise. Back with ReturnAs.
  Value* ToCompute(Value* input);
  // The TOSA dtype that holds an ATen dtype under this target; an error where there is none.
  DType Narrow(DType dtype);

 private:
  friend class Driver;
  DType NarrowConstant(std::string_view name, DType dtype);

  Builder& b_;
  std::vector<Diag>& notes_;
  const fx::Node* node_ = nullptr;
  std::unordered_map<const Value*, Value*> values_;  // ATen value -> TOSA value
  std::optional<std::string> unsupported_;
};

// Lowers every ATen node of `program` to TOSA nodes, into a new Program (names kept). Nodes that
// call TOSA operators are copied. Errors: rule "unsupported-operators", one note per target with
// its count and one source line; or the first "lower-..." error with its node.
Result<fx::Program> LowerProgram(const fx::Program& program, const Target& target,
                                 std::vector<Diag>& notes);

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_LOWERING_H_
