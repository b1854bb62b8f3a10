// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "small_graph.h"
#include "tosac/json.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

using testing::HasSubstr;

TEST(Stat, CountsEverything) {
  SmallGraph graph;
  const TensorRef x = graph.Input("x");
  const TensorRef y = graph.Op1(Op::ADD, {x, graph.Floats(3, 3, "a")}, "y");
  const TensorRef z = graph.Op1(Op::ADD, {y, graph.Floats(3, 3, "b")}, "z");
  const TensorRef shape = graph.ConstShape({2, 1}, "s");
  graph.Output(graph.Op1(Op::RESHAPE, {z, shape}, "w", {}, {2, 1}));
  graph.Region("other");
  graph.Floats(3, 3, "c");
  const Stat stat = ComputeStat(graph.Finish());
  EXPECT_EQ(stat.regions, 2u);
  EXPECT_EQ(stat.blocks, 2u);
  EXPECT_EQ(stat.operators, 7u);
  EXPECT_EQ(stat.by_op, (std::map<std::string, uint64_t>{
                            {"ADD", 2}, {"CONST", 3}, {"CONST_SHAPE", 1}, {"RESHAPE", 1}}));
  EXPECT_EQ(stat.tensors, 7u);
  EXPECT_EQ(stat.shapes, 1u);
  EXPECT_EQ(stat.by_dtype, (std::map<std::string, uint64_t>{{"FP32", 7}}));
  EXPECT_EQ(stat.constants, 4u);
  EXPECT_EQ(stat.constant_bytes, 40u);
  EXPECT_EQ(stat.duplicate_constants, 1u);
  EXPECT_EQ(stat.duplicate_bytes, 8u);
  EXPECT_EQ(stat.splat_constants, 3u);
  EXPECT_EQ(stat.splat_bytes, 12u);
  ASSERT_EQ(stat.inputs.size(), 1u);
  EXPECT_EQ(stat.inputs[0].name, "x");
  ASSERT_EQ(stat.outputs.size(), 1u);
  EXPECT_EQ(stat.outputs[0].shape, (std::vector<int32_t>{2, 1}));
  ASSERT_EQ(stat.largest.size(), 4u);
  EXPECT_EQ(stat.largest[0].name, "s");
  EXPECT_EQ(stat.largest[1].name, "a");  // of equal ones the first in the file
  EXPECT_TRUE(stat.largest[1].splat);
}

// Is a constant of these bytes a splat?
bool Splat(std::vector<uint8_t> bytes, std::vector<int32_t> shape, DType dtype) {
  SmallGraph graph;
  graph.Const(bytes, shape, dtype);
  return ComputeStat(graph.Finish()).splat_constants == 1;
}

TEST(Stat, Splats) {
  EXPECT_TRUE(Splat({1, 2, 1, 2}, {2}, DType::kINT16));
  EXPECT_FALSE(Splat({1, 2, 2, 1}, {2}, DType::kINT16));
  EXPECT_FALSE(Splat({1, 2}, {1}, DType::kINT16)) << "one element is no splat";
  EXPECT_FALSE(Splat({}, {0}, DType::kINT16));
  EXPECT_TRUE(Splat({1, 1, 7, 7}, {2}, DType::kINT8)) << "padding does not count";
  EXPECT_TRUE(Splat({1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, {2}, DType::kINT48));
  // Nibbles: 3, 3, 3 and a spare one.
  EXPECT_TRUE(Splat({0x33, 0xf3}, {3}, DType::kINT4));
  EXPECT_FALSE(Splat({0x33, 0x32}, {3}, DType::kINT4));
  EXPECT_FALSE(Splat({0x34, 0x34}, {4}, DType::kINT4));
  // Four elements of 6 bits in three bytes: 1, 1, 1, 1.
  EXPECT_TRUE(Splat({0x41, 0x10, 0x04}, {4}, DType::kFP6E2M3));
  EXPECT_FALSE(Splat({0x41, 0x10, 0x08}, {4}, DType::kFP6E2M3));
}

uint64_t Macs(Op op, std::vector<std::vector<int32_t>> inputs, std::vector<int32_t> output,
              std::vector<AttrValue> attrs) {
  SmallGraph graph;
  std::vector<TensorRef> operands;
  for (const std::vector<int32_t>& shape : inputs) operands.push_back(graph.Input("x", shape));
  graph.Op1(op, operands, "y", std::move(attrs), output);
  return ComputeStat(graph.Finish()).macs;
}

TEST(Stat, MultiplyAccumulates) {
  const std::vector<int32_t> list;
  const int64_t zero = 0;
  const std::vector<AttrValue> conv = {list, list, list, zero, zero};
  const std::vector<int32_t> one = {1};
  EXPECT_EQ(Macs(Op::CONV2D, {{1, 8, 8, 3}, {4, 3, 3, 3}, {4}, one, one}, {1, 6, 6, 4}, conv),
            1u * 6 * 6 * 4 * 3 * 3 * 3);
  EXPECT_EQ(
      Macs(Op::CONV3D, {{1, 4, 8, 8, 3}, {4, 2, 3, 3, 3}, {4}, one, one}, {1, 3, 6, 6, 4}, conv),
      3u * 6 * 6 * 4 * 2 * 3 * 3 * 3);
  EXPECT_EQ(
      Macs(Op::DEPTHWISE_CONV2D, {{1, 8, 8, 3}, {3, 3, 3, 2}, {6}, one, one}, {1, 6, 6, 6}, conv),
      6u * 6 * 6 * 3 * 3);
  EXPECT_EQ(Macs(Op::TRANSPOSE_CONV2D, {{1, 4, 4, 3}, {5, 2, 2, 3}, {5}, one, one}, {1, 5, 5, 5},
                 {list, list, zero, zero}),
            4u * 4 * 3 * 5 * 2 * 2);
  EXPECT_EQ(Macs(Op::MATMUL, {{2, 3, 4}, {2, 4, 5}, one, one}, {2, 3, 5}, {}), 2u * 3 * 4 * 5);
  EXPECT_EQ(Macs(Op::MATMUL_T, {{2, 3, 4}, {2, 5, 4}, one, one}, {2, 3, 5}, {}), 2u * 3 * 4 * 5);
  EXPECT_EQ(Macs(Op::ADD, {{2}, {2}}, {2}, {}), 0u);
}

TEST(Stat, MultiplyAccumulatesOfDamagedShapes) {
  const int32_t huge = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(Macs(Op::MATMUL, {{huge, huge, huge}, {huge}, {1}, {1}}, {huge, huge, huge}, {}),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Macs(Op::MATMUL, {{-1, 3, 4}, {}, {1}, {1}}, {-1, 3, 5}, {}), 0u);
}

TEST(Stat, KeepsTheTenLargest) {
  SmallGraph graph;
  for (int32_t i = 1; i <= 12; ++i) {
    graph.Const(std::vector<uint8_t>(static_cast<size_t>(i)), {i}, DType::kINT8,
                "c" + std::to_string(i));
  }
  const Stat stat = ComputeStat(graph.Finish());
  ASSERT_EQ(stat.largest.size(), 10u);
  EXPECT_EQ(stat.largest.front().name, "c12");
  EXPECT_EQ(stat.largest.back().name, "c3");
}

TEST(Stat, TextSaysWhatDedupWouldSave) {
  SmallGraph graph;
  graph.Floats(1, 2);
  graph.Floats(1, 2);
  const std::string text = StatText(ComputeStat(graph.Finish()));
  EXPECT_THAT(text, HasSubstr("           1  of them duplicates, wasting 8 bytes: "
                              "tosac dedup removes them\n"));
}

TEST(Stat, AnEmptyModule) {
  const Stat stat = ComputeStat(Module());
  EXPECT_EQ(stat.operators, 0u);
  EXPECT_THAT(StatText(stat), HasSubstr("0 regions, 0 blocks"));
  EXPECT_THAT(StatJson(stat), HasSubstr("\"by_op\": {}"));
}

TEST(Json, StringsAreEscaped) {
  EXPECT_EQ(JsonString("plain"), "\"plain\"");
  EXPECT_EQ(JsonString("a\"b\\c\n\t"), "\"a\\\"b\\\\c\\n\\u0009\"");
  EXPECT_EQ(JsonString(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\\u007f\"");
  EXPECT_EQ(JsonString("\xc3\xa4\xf0\x9f\x98\x80"), "\"\xc3\xa4\xf0\x9f\x98\x80\"");
}

TEST(Json, WhatIsNoUtf8IsReplaced) {
  EXPECT_EQ(JsonString("\xff"), "\"\\ufffd\"");
  EXPECT_EQ(JsonString("\xc3"), "\"\\ufffd\"");                        // cut off
  EXPECT_EQ(JsonString("\xc0\xaf"), "\"\\ufffd\\ufffd\"");             // overlong
  EXPECT_EQ(JsonString("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
}

}  // namespace
}  // namespace tosac
