// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/json.h"
#include "base/limits.h"

namespace tosac {
namespace {

Result<JsonDocument> Parse(const std::string& text) {
  return JsonDocument::Parse({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

double Number(const std::string& text) {
  const auto document = Parse("{\"x\": " + text + "}");
  if (!document.ok()) return 0.125;
  return AsDouble(Member(document->root(), "x")).value_or(0.25);
}

TEST(Json, NumbersThatJsonLacks) {
  for (const std::string quote : {"", "\""}) {
    EXPECT_TRUE(std::isnan(Number(quote + "NaN" + quote)));
    EXPECT_EQ(Number(quote + "Infinity" + quote), HUGE_VAL);
    EXPECT_EQ(Number(quote + "-Infinity" + quote), -HUGE_VAL);
  }
  EXPECT_EQ(Number("[NaN]"), 0.25) << "not a number";
  EXPECT_EQ(Number("1e400"), 0.125) << "an error";
  EXPECT_EQ(Number("3"), 3.0);
}

TEST(Json, WordsInsideStringsStay) {
  const auto document = Parse(R"({"a \" NaN": "NaN, Infinity \\", "b": [NaN, -Infinity]})");
  ASSERT_TRUE(document.ok()) << document.diag().ToString();
  EXPECT_EQ(AsString(Member(document->root(), "a \" NaN")), "NaN, Infinity \\");
  EXPECT_EQ(AsArray(Member(document->root(), "b"))->size(), 2U);
}

TEST(Json, Refusals) {
  const std::string deep(limits::kMaxJsonDepth + 1, '[');
  const std::string closing(limits::kMaxJsonDepth + 1, ']');
  for (const std::string& text :
       {std::string(), deep + closing, std::string(1 << 20, '['), std::string("{\"a\": }"),
        std::string("{\"a\": 99999999999999999999999}"), std::string("{\"a\": \"\xff\"}"),
        std::string("NaN NaN"), std::string("{\"a\": Infinit}")}) {
    const auto document = Parse(text);
    ASSERT_FALSE(document.ok()) << text.substr(0, 40);
    EXPECT_EQ(document.diag().rule, "archive-json");
  }
}

TEST(Json, LookUpsAnswerWithNothing) {
  const auto document =
      Parse(R"({"n": 18446744073709551615, "o": {"k": 1}, "two": {"a":1,"b":2}})");
  ASSERT_TRUE(document.ok());
  const JsonValue root = document->root();
  EXPECT_FALSE(AsInt(Member(root, "n")));
  EXPECT_FALSE(Member(root, "absent"));
  EXPECT_FALSE(AsUnion(*Member(root, "two")));
  EXPECT_FALSE(AsUnion(*Member(root, "n")));
  EXPECT_EQ(AsUnion(*Member(root, "o"))->key, "k");
}

}  // namespace
}  // namespace tosac
