// SPDX-License-Identifier: Apache-2.0
#include "fx/pt2_symbols.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace tosac::fx {
namespace {

// Deeper expressions are shown as they are written.
constexpr int kMaxDepth = 64;

struct Term {
  std::string text;
  SymbolRange range;
  bool is_sum = false;  // needs parentheses as a factor
};

int64_t Saturated(__int128 value) {
  return static_cast<int64_t>(std::clamp<__int128>(value, INT64_MIN, INT64_MAX));
}

bool IsBounded(const SymbolRange& range) {
  return range.min != INT64_MIN && range.max != INT64_MAX;
}

SymbolRange Sum(const SymbolRange& a, const SymbolRange& b) {
  SymbolRange sum;
  if (a.min != INT64_MIN && b.min != INT64_MIN) sum.min = Saturated(__int128{a.min} + b.min);
  if (a.max != INT64_MAX && b.max != INT64_MAX) sum.max = Saturated(__int128{a.max} + b.max);
  return sum;
}

SymbolRange Product(const SymbolRange& a, const SymbolRange& b) {
  if (IsBounded(a) && IsBounded(b)) {
    const auto corners = {__int128{a.min} * b.min, __int128{a.min} * b.max, __int128{a.max} * b.min,
                          __int128{a.max} * b.max};
    return {Saturated(std::min(corners)), Saturated(std::max(corners))};
  }
  SymbolRange product;  // sizes without an upper end are the common case
  if (a.min >= 0 && b.min >= 0) product.min = Saturated(__int128{a.min} * b.min);
  return product;
}

int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

SymbolRange Quotient(const SymbolRange& a, const SymbolRange& b) {
  if (!b.IsConstant() || b.min <= 0) return {};
  SymbolRange quotient;
  if (a.min != INT64_MIN) quotient.min = FloorDivide(a.min, b.min);
  if (a.max != INT64_MAX) quotient.max = FloorDivide(a.max, b.min);
  return quotient;
}

SymbolRange Remainder(const SymbolRange& a, const SymbolRange& b) {
  if (!b.IsConstant() || b.min <= 0) return {};
  if (!a.IsConstant()) return {0, b.min - 1};
  const auto value =
      static_cast<int64_t>(__int128{a.min} - __int128{FloorDivide(a.min, b.min)} * b.min);
  return {value, value};
}

std::string AsFactor(const Term& term) { return term.is_sum ? "(" + term.text + ")" : term.text; }

Term Call(std::string_view name, const std::vector<Term>& terms) {
  Term result;
  const auto join = [&](std::string_view separator, bool factors) {
    for (size_t i = 0; i < terms.size(); ++i) {
      if (i > 0) result.text += separator;
      result.text += factors ? AsFactor(terms[i]) : terms[i].text;
    }
  };
  const auto fold = [&](auto combine) {
    result.range = terms[0].range;
    for (size_t i = 1; i < terms.size(); ++i) result.range = combine(result.range, terms[i].range);
  };
  if (name == "Add" && !terms.empty()) {
    for (const Term& term : terms) {
      const bool minus = !result.text.empty() && term.text.starts_with('-');
      if (!result.text.empty()) result.text += minus ? " - " : " + ";
      result.text += minus ? term.text.substr(1) : term.text;
    }
    fold(Sum);
    result.is_sum = true;
  } else if (name == "Mul" && !terms.empty()) {
    join("*", true);
    fold(Product);
  } else if ((name == "FloorDiv" || name == "CleanDiv") && terms.size() == 2) {
    join("//", true);
    fold(Quotient);
    result.is_sum = true;
  } else if ((name == "Mod" || name == "PythonMod") && terms.size() == 2) {
    join(" % ", true);
    fold(Remainder);
    result.is_sum = true;
  } else if ((name == "Max" || name == "Min") && !terms.empty()) {
    result.text = name == "Max" ? "max(" : "min(";
    join(", ", false);
    result.text += ")";
    if (name == "Max") {
      fold([](const SymbolRange& a, const SymbolRange& b) {
        return SymbolRange{std::max(a.min, b.min), std::max(a.max, b.max)};
      });
    } else {
      fold([](const SymbolRange& a, const SymbolRange& b) {
        return SymbolRange{std::min(a.min, b.min), std::min(a.max, b.max)};
      });
    }
  } else {
    result.text = std::string(name) + "(";
    join(", ", false);
    result.text += ")";
  }
  return result;
}

class Parser {
 public:
  Parser(std::string_view text, const SymbolRanges& ranges) : text_(text), ranges_(ranges) {}

  std::optional<Term> ParseAll() {
    std::optional<Term> term = Parse(0);
    if (!text_.empty()) return std::nullopt;
    return term;
  }

 private:
  bool Take(char c) {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string_view TakeWhile(auto accept) {
    size_t size = 0;
    while (size < text_.size() && accept(static_cast<unsigned char>(text_[size]))) ++size;
    const std::string_view taken = text_.substr(0, size);
    text_.remove_prefix(size);
    return taken;
  }

  std::optional<Term> Parse(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    const std::string_view word =
        TakeWhile([](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
    if (!text_.starts_with('(')) return Leaf(word);
    text_.remove_prefix(1);
    if (word == "Symbol") return ParseSymbol();
    std::vector<Term> terms;
    while (!Take(')')) {
      if (!terms.empty() && !Take(',')) return std::nullopt;
      std::optional<Term> term = Parse(depth + 1);
      if (!term) return std::nullopt;
      terms.push_back(std::move(*term));
    }
    if (word == "Integer" && terms.size() == 1) return terms[0];
    return Call(word, terms);
  }

  // After "Symbol(": 's77', positive=True, integer=True)
  std::optional<Term> ParseSymbol() {
    if (!Take('\'')) return std::nullopt;
    const std::string_view name = TakeWhile([](unsigned char c) { return c != '\''; });
    TakeWhile([](unsigned char c) { return c != ')'; });
    if (!Take(')')) return std::nullopt;
    return Leaf(name);
  }

  std::optional<Term> Leaf(std::string_view word) const {
    if (word.empty()) return std::nullopt;
    Term term;
    term.text = word;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc{} && end == word.data() + word.size()) {
      term.range = {value, value};
    } else if (const auto range = ranges_.find(word); range != ranges_.end()) {
      term.range = range->second;
    }
    return term;
  }

  std::string_view text_;
  const SymbolRanges& ranges_;
};

}  // namespace

SymbolicSize ReadSymbolicSize(std::string_view srepr, const SymbolRanges& ranges) {
  std::optional<Term> term = Parser(srepr, ranges).ParseAll();
  if (!term) return {std::string(srepr), {}};
  return {std::move(term->text), term->range};
}

}  // namespace tosac::fx
