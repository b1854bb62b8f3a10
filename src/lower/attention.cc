// SPDX-License-Identifier: Apache-2.0
// Scaled dot product attention and einsum.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "lower/linear.h"
#include "lower/math.h"
#include "lower/registry.h"
#include "lower/softmax.h"

namespace tosac::lower {
namespace {

// Query head i uses key head i / repeats: [B, H, S, E] to [B, H * repeats, S, E].
Value* RepeatHeads(Builder& b, Value* value, int64_t repeats) {
  if (repeats == 1) return value;
  const fx::Type type = value->type;
  const int64_t rank = type.rank();
  if (rank < 3) return value;
  Dims dims = type.dims;
  dims.insert(dims.end() - 2, 1);
  Dims multiples(dims.size(), 1);
  multiples[dims.size() - 3] = repeats;
  Value* tiled = b.Tile(b.Reshape(value, dims), multiples);
  Dims merged = type.dims;
  merged[merged.size() - 3] *= repeats;
  return b.Reshape(tiled, merged);
}

// BOOL [L, S], true where key j is not after query i; two ranges and a comparison say it.
Value* CausalMask(Builder& b, int64_t queries, int64_t keys) {
  const auto range = [](int64_t count) {
    std::vector<double> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    return values;
  };
  Value* rows = b.Floats(DType::kFP32, range(queries), {queries, 1});
  Value* columns = b.Floats(DType::kFP32, range(keys), {1, keys});
  return b.Binary(Op::GREATER_EQUAL, rows, columns);
}

// Softmax along the last axis where a row may be -inf throughout: such a row is 0, as torch's
// attention gives. The row's largest element is held at the lowest finite number, so that
// -inf - max stays -inf; and a row with any key has a sum of at least exp(0).
Value* GuardedSoftmax(Builder& b, Value* scores) {
  const int64_t axis = scores->type.rank() - 1;
  Value* largest = b.Reduce(Op::REDUCE_MAX, scores, axis);
  largest =
      b.Binary(Op::MAXIMUM, largest, b.ScalarLike(largest, std::numeric_limits<float>::lowest()));
  Value* exp = b.Unary(Op::EXP, b.Binary(Op::SUB, scores, largest));
  Value* sum = b.Reduce(Op::REDUCE_SUM, exp, axis);
  return b.Div(exp, b.Binary(Op::MAXIMUM, sum, b.ScalarLike(sum, 1.0)));
}

void LowerAttention(Lowering& lower) {
  Builder& b = lower.b();
  if (lower.Float("dropout_p", 0) != 0) return lower.Unsupported("attention with dropout");
  Value* query = lower.ToCompute(lower.In("query"));
  Value* key = lower.ToCompute(lower.In("key"));
  Value* value = lower.ToCompute(lower.In("value"));
  const int64_t rank = query->type.rank();
  if (rank < 2 || key->type.rank() < 2 || value->type.rank() < 2) {
    return lower.Fail("lower-argument", "attention needs matrices");
  }
  if (lower.Bool("enable_gqa", false) && rank >= 3 && key->type.dim(-3) > 0 &&
      value->type.dim(-3) > 0) {
    key = RepeatHeads(b, key, query->type.dim(-3) / key->type.dim(-3));
    value = RepeatHeads(b, value, query->type.dim(-3) / value->type.dim(-3));
  }
  const double width = static_cast<double>(query->type.dim(-1));
  const double scale = lower.Has("scale") ? lower.Float("scale", 1) : 1 / std::sqrt(width);
  Value* scaled = scale == 1 ? query : b.Mul(query, b.ScalarLike(query, scale));
  Dims perm;
  for (int64_t i = 0; i < key->type.rank(); ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  Value* scores = MatMulBroadcast(b, scaled, b.Transpose(key, perm));
  Value* lowest = b.ScalarLike(scores, -std::numeric_limits<double>::infinity());
  bool masked = false;
  if (lower.Bool("is_causal", false)) {
    Value* mask = CausalMask(b, scores->type.dim(-2), scores->type.dim(-1));
    scores = b.Select(mask, scores, lowest);
  }
  if (lower.Has("attn_mask")) {
    Value* mask = lower.In("attn_mask");
    masked = true;
    scores = mask->type.dtype == DType::kBOOL ? b.Select(mask, scores, lowest)
                                              : b.Binary(Op::ADD, scores, lower.ToCompute(mask));
  }
  Value* weights = masked ? GuardedSoftmax(b, scores) : Softmax(b, scores, rank - 1);
  lower.ReturnAs(MatMulBroadcast(b, weights, value));
}

// ---- einsum ----

// One operand and its letters, one per dimension.
struct Term {
  Value* value = nullptr;
  std::string letters;

  int64_t SizeOf(char letter) const {
    const size_t at = letters.find(letter);
    return at == std::string::npos ? 1 : value->type.dim(static_cast<int64_t>(at));
  }
};

bool Contains(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

// The dimensions of `term` in the order of `letters`, which are its own.
Value* Arrange(Builder& b, const Term& term, const std::string& letters) {
  Dims perm;
  for (const char letter : letters) {
    perm.push_back(static_cast<int64_t>(term.letters.find(letter)));
  }
  return b.Transpose(term.value, perm);
}

// Sums the dimensions out that nothing else asks for.
Term SumOut(Builder& b, Term term, const std::string& wanted) {
  Dims axes;
  Dims dims;
  std::string letters;
  for (size_t i = 0; i < term.letters.size(); ++i) {
    if (Contains(wanted, term.letters[i])) {
      letters += term.letters[i];
      dims.push_back(term.value->type.dim(static_cast<int64_t>(i)));
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return term;
  return {b.Reshape(Sum(b, term.value, axes), dims), letters};
}

// Two terms as one batched matrix product: letters in both and in the result are the batch,
// letters in both alone are contracted.
Term Contract(Builder& b, Term left, Term right, const std::string& result) {
  left = SumOut(b, left, right.letters + result);
  right = SumOut(b, right, left.letters + result);
  std::string batch;
  std::string contracted;
  std::string rows;
  std::string columns;
  for (const char letter : left.letters) {
    if (!Contains(right.letters, letter)) {
      rows += letter;
    } else {
      (Contains(result, letter) ? batch : contracted) += letter;
    }
  }
  for (const char letter : right.letters) {
    if (!Contains(left.letters, letter)) columns += letter;
  }
  const auto size = [&](const std::string& letters) {
    int64_t product = 1;
    for (const char letter : letters) {
      product *= std::max(left.SizeOf(letter), right.SizeOf(letter));
    }
    return product;
  };
  Value* a = b.Reshape(Arrange(b, left, batch + rows + contracted),
                       {size(batch), size(rows), size(contracted)});
  Value* c = b.Reshape(Arrange(b, right, batch + contracted + columns),
                       {size(batch), size(contracted), size(columns)});
  const std::string letters = batch + rows + columns;
  Dims dims;
  for (const char letter : letters) {
    dims.push_back(std::max(left.SizeOf(letter), right.SizeOf(letter)));
  }
  return {b.Reshape(b.MatMul(a, c), dims), letters};
}

// "bij,bjk->bik" as terms and a result; false for ellipses, repeats and other rarities.
bool ParseEquation(const std::string& equation, std::vector<std::string>* terms,
                   std::string* result) {
  std::string text;
  for (const char c : equation) {
    if (c != ' ') text += c;
  }
  const size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  terms->assign(1, "");
  std::map<char, int> counts;
  for (const char c : left) {
    if (c == ',') {
      terms->emplace_back();
      continue;
    }
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter || Contains(terms->back(), c)) return false;
    terms->back() += c;
    ++counts[c];
  }
  if (arrow != std::string::npos) {
    *result = text.substr(arrow + 2);
  } else {
    for (const auto& [letter, count] : counts) {
      if (count == 1) *result += letter;
    }
  }
  for (size_t i = 0; i < result->size(); ++i) {
    if (!counts.contains((*result)[i]) || result->find((*result)[i]) != i) return false;
  }
  return true;
}

// "...ij,...jk->...ik" with letters for the dimensions that each ellipsis stands for, the last one
// the same in every term. Letters of the equation are lower case here; upper case ones are free.
std::string ExpandEllipses(const std::string& equation, std::span<Value* const> values) {
  constexpr std::string_view kDots = "...";
  if (equation.find(kDots) == std::string::npos) return equation;
  std::string text;
  for (const char c : equation) {
    if (c != ' ') text += c;
    if (c >= 'A' && c <= 'Z') return equation;
  }
  std::string expanded;
  size_t term = 0;
  size_t longest = 0;
  size_t start = 0;
  while (start <= text.size()) {
    const size_t end = std::min(text.find_first_of(",-", start), text.size());
    std::string letters = text.substr(start, end - start);
    if (!letters.empty() && letters[0] == '>') letters.erase(0, 1);
    const size_t dots = letters.find(kDots);
    if (dots != std::string::npos) {
      const size_t named = letters.size() - kDots.size();
      const size_t rank = term < values.size() && values[term] != nullptr
                              ? values[term]->type.dims.size()
                              : named + longest;
      const size_t count = rank > named ? rank - named : 0;
      if (count > 20) return equation;
      longest = std::max(longest, count);
      std::string stand_ins;
      for (size_t i = 0; i < count; ++i) stand_ins += static_cast<char>('Z' - (count - 1 - i));
      letters.replace(dots, kDots.size(), stand_ins);
    }
    expanded += letters;
    ++term;
    if (end == text.size()) break;
    expanded += text[end] == '-' ? "->" : ",";
    start = end + 1;
  }
  return expanded;
}

void LowerEinsum(Lowering& lower) {
  Builder& b = lower.b();
  std::vector<std::string> letters;
  std::string result;
  const std::vector<Value*> values = lower.Ins("tensors");
  const std::string equation = ExpandEllipses(lower.Str("equation", ""), values);
  if (!ParseEquation(equation, &letters, &result) || letters.size() != values.size()) {
    return lower.Unsupported("the equation " + equation);
  }
  std::vector<Term> terms;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == nullptr || letters[i].size() != values[i]->type.dims.size()) {
      return lower.Fail("lower-argument",
                        "the equation " + equation + " does not fit its operands");
    }
    terms.push_back({values[i], letters[i]});
  }
  Term all = terms[0];
  for (size_t i = 1; i < terms.size() && !b.failed(); ++i) {
    // What later terms or the result still need stays.
    std::string needed = result;
    for (size_t j = i + 1; j < terms.size(); ++j) needed += terms[j].letters;
    all = Contract(b, all, terms[i], needed);
  }
  all = SumOut(b, all, result);
  if (all.letters.size() != result.size()) return lower.Unsupported("the equation " + equation);
  lower.Return(Arrange(b, all, result));
}

constexpr LoweringRow kRows[] = {
    {"aten.einsum.default", LowerEinsum},
    {"aten.scaled_dot_product_attention.default", LowerAttention},
};

}  // namespace

std::span<const LoweringRow> AttentionRows() { return kRows; }

}  // namespace tosac::lower
