// SPDX-License-Identifier: Apache-2.0
// Glue over simdjson's DOM: parsing under limits, and look-ups that answer with nothing instead of
// throwing.
#ifndef TOSAC_SRC_BASE_JSON_H_
#define TOSAC_SRC_BASE_JSON_H_

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tosac/diag.h"

namespace tosac {

using JsonValue = simdjson::dom::element;
using JsonArray = simdjson::dom::array;
using JsonObject = simdjson::dom::object;

// A parsed document. Values and strings are views of it.
class JsonDocument {
 public:
  // Numbers that JSON lacks (NaN, Infinity, -Infinity as bare words) are read as strings. Errors:
  // rule "archive-json", with simdjson's reason.
  static Result<JsonDocument> Parse(std::span<const uint8_t> text);
  JsonValue root() const { return root_; }

 private:
  std::unique_ptr<simdjson::dom::parser> parser_;
  JsonValue root_;
};

// The member of an object; nullopt when `value` is no object or has no such member.
std::optional<JsonValue> Member(JsonValue value, std::string_view key);
std::optional<JsonArray> AsArray(std::optional<JsonValue> value);
std::optional<JsonObject> AsObject(std::optional<JsonValue> value);
std::optional<std::string_view> AsString(std::optional<JsonValue> value);
std::optional<int64_t> AsInt(std::optional<JsonValue> value);
std::optional<bool> AsBool(std::optional<JsonValue> value);
// A number, or one of the strings "NaN", "Infinity", "-Infinity".
std::optional<double> AsDouble(std::optional<JsonValue> value);

// The key and value of an object with one member, as unions are written.
struct JsonUnion {
  std::string_view key;
  JsonValue value;
};
std::optional<JsonUnion> AsUnion(JsonValue value);

}  // namespace tosac

#endif  // TOSAC_SRC_BASE_JSON_H_
