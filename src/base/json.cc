// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/limits.h"

namespace tosac {
namespace {

// Puts bare NaN, Infinity and -Infinity in quotes; text inside strings stays.
std::string QuoteBareWords(std::string_view text) {
  constexpr std::string_view kWords[] = {"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size() + 64);
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    bool quoted = false;
    for (const std::string_view word : kWords) {
      if (!text.substr(i).starts_with(word)) continue;
      out.append("\"").append(word).append("\"");
      i += word.size() - 1;
      quoted = true;
      break;
    }
    if (!quoted) out += c;
  }
  return out;
}

}  // namespace

Result<JsonDocument> JsonDocument::Parse(std::span<const uint8_t> text) {
  if (text.size() > limits::kMaxJsonBytes) {
    return Error("archive-json", "the JSON text is too large");
  }
  JsonDocument document;
  document.parser_ = std::make_unique<simdjson::dom::parser>();
  simdjson::error_code error = document.parser_->allocate(text.size(), limits::kMaxJsonDepth);
  const auto parse = [&](const char* data, size_t size) {
    // simdjson reads past the end; `true` lets it copy into a padded buffer of its own.
    return document.parser_->parse(reinterpret_cast<const uint8_t*>(data), size, true)
        .get(document.root_);
  };
  const auto* data = reinterpret_cast<const char*>(text.data());
  if (error == simdjson::SUCCESS) error = parse(data, text.size());
  if (error == simdjson::NUMBER_ERROR || error == simdjson::TAPE_ERROR ||
      error == simdjson::N_ATOM_ERROR) {
    const std::string quoted = QuoteBareWords({data, text.size()});
    error = document.parser_->allocate(quoted.size(), limits::kMaxJsonDepth);
    if (error == simdjson::SUCCESS) error = parse(quoted.data(), quoted.size());
  }
  if (error != simdjson::SUCCESS) {
    return Error("archive-json",
                 "the JSON text can not be parsed: " + std::string(simdjson::error_message(error)));
  }
  return document;
}

std::optional<JsonValue> Member(JsonValue value, std::string_view key) {
  JsonValue member;
  if (!value.is_object() || value[key].get(member) != simdjson::SUCCESS) return std::nullopt;
  return member;
}

namespace {

template <typename T>
std::optional<T> Get(std::optional<JsonValue> value) {
  T result;
  if (!value || value->get(result) != simdjson::SUCCESS) return std::nullopt;
  return result;
}

}  // namespace

std::optional<JsonArray> AsArray(std::optional<JsonValue> value) { return Get<JsonArray>(value); }
std::optional<JsonObject> AsObject(std::optional<JsonValue> value) {
  return Get<JsonObject>(value);
}
std::optional<std::string_view> AsString(std::optional<JsonValue> value) {
  return Get<std::string_view>(value);
}
std::optional<int64_t> AsInt(std::optional<JsonValue> value) { return Get<int64_t>(value); }
std::optional<bool> AsBool(std::optional<JsonValue> value) { return Get<bool>(value); }

std::optional<double> AsDouble(std::optional<JsonValue> value) {
  if (const auto number = Get<double>(value)) return number;
  const auto text = AsString(value);
  if (!text) return std::nullopt;
  if (*text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (*text == "Infinity") return std::numeric_limits<double>::infinity();
  if (*text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<JsonUnion> AsUnion(JsonValue value) {
  const auto object = AsObject(value);
  if (!object || object->size() != 1) return std::nullopt;
  const auto field = *object->begin();
  return JsonUnion{field.key, field.value};
}

}  // namespace tosac
