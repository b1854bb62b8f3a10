// SPDX-License-Identifier: Apache-2.0
// Integers under targets without the INT profile: which operators take them there, what range
// their values provably have, and how the rest is computed in FP32.
#ifndef TOSAC_SRC_LOWER_INTEGER_H_
#define TOSAC_SRC_LOWER_INTEGER_H_

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "tosac/program.h"
#include "tosac/target.h"

namespace tosac::lower {

// Bounds of the values of a tensor, both included.
struct ValueRange {
  double min = 0;
  double max = 0;
  // FP32 holds every integer up to 2^24, and below it no other integer is rounded to one.
  bool Exact() const { return min >= -kExact && max <= kExact; }
  bool BelowExact() const { return min > -kExact && max < kExact; }
  static constexpr double kExact = 16777216;
};

// Whether the profile FP alone has `op` for 8 to 32-bit integers (TOSA specification, the
// "Supported Data Types" tables): ADD SUB MUL INTDIV, the logical shifts, CAST to and from floats,
// CONST, IDENTITY, and what only takes them as indices.
bool IntegerIsInFpProfile(Op op);

// Whether `op` only moves elements, so that it may be done before or after any conversion.
bool OnlyMoves(Op op);

// What is known of the integer tensors of one graph. Values are judged when they are made, so
// nothing here recurses.
class Integers {
 public:
  // Nothing is known of floats that did not come from integers.
  std::optional<ValueRange> RangeOf(const fx::Value* value);
  // Remembers that `value` is known to lie in `range` (an index, whose other values are errors in
  // PyTorch too).
  void Assume(const fx::Value* value, ValueRange range);
  // Remembers the range of the result of a node that was just made, where its operands tell it.
  void Derive(const fx::Node& node);

  // An FP32 tensor with the same values, each rounded as CAST rounds it, when there is one; nullptr
  // otherwise.
  fx::Value* FloatOf(const fx::Value* integer) const;
  void SetFloatOf(const fx::Value* integer, fx::Value* value) { floats_[integer] = value; }

  // Integers that exist only rounded: they may be moved about, converted to a float and compared
  // with what FP32 has exactly, but nothing may read the integer tensor.
  void MarkRounded(const fx::Value* integer, std::string why) {
    rounded_.emplace(integer, std::move(why));
  }
  // Why, for such a tensor; else nullptr.
  const std::string* Rounded(const fx::Value* integer) const;

 private:
  std::unordered_map<const fx::Value*, ValueRange> ranges_;
  std::unordered_map<const fx::Value*, fx::Value*> floats_;
  std::unordered_map<const fx::Value*, std::string> rounded_;
};

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_INTEGER_H_
