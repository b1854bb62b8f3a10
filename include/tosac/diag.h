// SPDX-License-Identifier: Apache-2.0
// Diagnostics and Result<T>: how every tosac function reports failure.
#ifndef TOSAC_DIAG_H_
#define TOSAC_DIAG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tosac {

enum class Severity : uint8_t { kError, kWarning, kNote };

// Where a diagnostic points. Every part may be empty.
struct Location {
  std::string file;    // the file that was read, as the user named it
  std::string path;    // the place in it: "main/main/op17 CONV2D", or a graph node's name
  std::string source;  // the user's own line, where an archive carries a stack trace
};

// One message for the user. `rule` is a stable kebab-case identifier, for grep and for tests.
// `message` says what is wrong and, where it helps, what to do.
struct Diag {
  Severity severity = Severity::kError;
  std::string rule;
  std::string message;
  Location location;
  std::vector<Diag> notes;

  // "file: path: error: message [rule]", then each note on a line of its own. No final newline.
  std::string ToString() const;
};

// Builds an error. The place is added by the layer that knows it.
Diag Error(std::string_view rule, std::string message);
Diag Error(std::string_view rule, std::string message, Location location);

// Fills the parts of `diag.location` that are still empty from `location`.
Diag At(Diag diag, const Location& location);

// A value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}   // NOLINT: implicit
  Result(Diag diag) : state_(std::in_place_index<1>, std::move(diag)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // Only when ok().
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  // Only when !ok().
  Diag& diag() { return std::get<1>(state_); }
  const Diag& diag() const { return std::get<1>(state_); }

 private:
  std::variant<T, Diag> state_;
};

// Success (`Result<void>{}`) or the reason of the failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Diag diag) : diag_(std::in_place_index<1>, std::move(diag)) {}  // NOLINT: implicit

  bool ok() const { return diag_.index() == 0; }
  explicit operator bool() const { return ok(); }
  Diag& diag() { return std::get<1>(diag_); }
  const Diag& diag() const { return std::get<1>(diag_); }

 private:
  std::variant<std::monostate, Diag> diag_;
};

}  // namespace tosac

#define TOSAC_CONCAT_INNER(a, b) a##b
#define TOSAC_CONCAT(a, b) TOSAC_CONCAT_INNER(a, b)

// TOSAC_TRY(expr): returns the diagnostic from the enclosing function when `expr` failed.
#define TOSAC_TRY(expr)                             \
  do {                                              \
    if (auto tosac_try = (expr); !tosac_try.ok()) { \
      return std::move(tosac_try.diag());           \
    }                                               \
  } while (false)

// NOLINTBEGIN(bugprone-macro-parentheses): `decl` declares
// TOSAC_ASSIGN(auto x, expr): the same, and declares or assigns `x` from the value.
#define TOSAC_ASSIGN(decl, expr) \
  TOSAC_ASSIGN_IMPL(TOSAC_CONCAT(tosac_result_, __LINE__), decl, expr)
#define TOSAC_ASSIGN_IMPL(tmp, decl, expr)     \
  auto tmp = (expr);                           \
  if (!tmp.ok()) return std::move(tmp.diag()); \
  decl = std::move(*tmp)
// NOLINTEND(bugprone-macro-parentheses)

#endif  // TOSAC_DIAG_H_
