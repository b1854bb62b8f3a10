// SPDX-License-Identifier: Apache-2.0
// Each rule of dedup.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "small_graph.h"
#include "tosac/io.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

using Renamed = std::vector<std::pair<std::string, std::string>>;

DedupReport Deduplicate(Module* module) {
  Result<DedupReport> report = Dedup(*module);
  EXPECT_TRUE(report.ok());
  return std::move(*report);
}

// How many of the constants of one block dedup removes.
uint64_t Removed(SmallGraph* graph) {
  Module module = graph->Finish();
  const uint64_t promised = ComputeStat(module).duplicate_constants;
  const DedupReport report = Deduplicate(&module);
  EXPECT_EQ(report.constants_before - report.constants_after, promised);
  EXPECT_EQ(report.operators_before - report.operators_after, promised);
  EXPECT_EQ(report.renamed.size(), promised);
  EXPECT_TRUE(Deduplicate(&module).renamed.empty()) << "not idempotent";
  return promised;
}

TEST(Dedup, MergesAndRewritesOperands) {
  SmallGraph graph;
  const TensorRef x = graph.Input("x");
  const TensorRef a = graph.Floats(1, 2, "a");
  const TensorRef y = graph.Op1(Op::ADD, {x, a}, "y");
  const TensorRef b = graph.Floats(1, 2, "b");
  const TensorRef c = graph.Floats(1, 3, "c");
  const TensorRef z = graph.Op1(Op::SUB, {y, b}, "z");
  graph.Output(graph.Op1(Op::POW, {z, c}, "w"));
  Module module = graph.Finish();
  const DedupReport report = Deduplicate(&module);
  EXPECT_EQ(report.renamed, (Renamed{{"b", "a"}}));
  EXPECT_EQ(report.operators_before, 6u);
  EXPECT_EQ(report.operators_after, 5u);
  EXPECT_EQ(report.constants_before, 3u);
  EXPECT_EQ(report.constants_after, 2u);
  EXPECT_EQ(report.constant_bytes_before, 24u);
  EXPECT_EQ(report.constant_bytes_after, 16u);
  const Block& block = Main(module);
  EXPECT_EQ(Operators(block), "CONST a, ADD y, CONST c, SUB z, POW w");
  EXPECT_EQ(Names(block, block.operators[3].inputs), (std::vector<std::string>{"y", "a"}));
  EXPECT_EQ(Names(block, block.operators[4].inputs), (std::vector<std::string>{"z", "c"}));
  EXPECT_EQ(Names(block, block.inputs), std::vector<std::string>{"x"});
  EXPECT_EQ(Names(block, block.outputs), std::vector<std::string>{"w"});
  EXPECT_EQ(block.values.size(), 6u);
}

TEST(Dedup, OtherBytesStay) {
  SmallGraph graph;
  graph.Floats(1, 2);
  graph.Floats(2, 1);
  EXPECT_EQ(Removed(&graph), 0u);
}

TEST(Dedup, OtherDTypeStays) {
  SmallGraph graph;
  graph.Const({0, 0, 0, 0}, {1}, DType::kFP32);
  graph.Const({0, 0, 0, 0}, {1}, DType::kINT32);
  graph.Const({0, 0, 0, 0, 0, 0, 0, 0}, {1}, DType::kINT64);
  graph.ConstShape({0});
  EXPECT_EQ(Removed(&graph), 0u);
}

TEST(Dedup, OtherShapeStays) {
  SmallGraph graph;
  graph.Const({1, 2, 3, 4}, {4}, DType::kINT8);
  graph.Const({1, 2, 3, 4}, {2, 2}, DType::kINT8);
  graph.Const({1, 2, 3, 4}, {4, 1}, DType::kINT8);
  graph.Const({1}, {1}, DType::kINT8);
  graph.Const({1}, {}, DType::kINT8);
  EXPECT_EQ(Removed(&graph), 0u);
}

TEST(Dedup, SignsOfZeroAndPayloadsOfNaNStay) {
  SmallGraph graph;
  graph.Floats(0.0f, 1);
  graph.Floats(-0.0f, 1);
  graph.Const({0, 0, 0xc0, 0x7f}, {1}, DType::kFP32);
  graph.Const({1, 0, 0xc0, 0x7f}, {1}, DType::kFP32);
  graph.Const({0, 0, 0xc0, 0xff}, {1}, DType::kFP32);
  EXPECT_EQ(Removed(&graph), 0u);
}

TEST(Dedup, EqualNaNsAreMerged) {
  SmallGraph graph;
  graph.Const({1, 0, 0xc0, 0x7f}, {1}, DType::kFP32);
  graph.Const({1, 0, 0xc0, 0x7f}, {1}, DType::kFP32);
  EXPECT_EQ(Removed(&graph), 1u);
}

TEST(Dedup, PaddingDoesNotCount) {
  SmallGraph graph;
  graph.Const({5}, {1}, DType::kINT8);
  graph.Const({5, 0, 0, 0, 0, 0, 0, 0}, {1}, DType::kINT8);
  graph.Const({5, 9, 9, 9}, {1}, DType::kINT8);
  EXPECT_EQ(Removed(&graph), 2u);
}

TEST(Dedup, TheKeptConstantIsAsItWas) {
  SmallGraph graph;
  graph.Const({5, 9, 9, 9}, {1}, DType::kINT8, "first", "there");
  graph.Const({5}, {1}, DType::kINT8, "second", "here");
  Module module = graph.Finish();
  Deduplicate(&module);
  const Block& block = Main(module);
  ASSERT_EQ(block.values.size(), 1u);
  EXPECT_EQ(block.values[0].name, "first");
  EXPECT_EQ(block.values[0].data.size(), 4u);
  EXPECT_EQ(block.values[0].data[1], 9);
  EXPECT_EQ(block.operators[0].location, "there");
}

TEST(Dedup, SpareBitsOfPackedTypesDoNotCount) {
  SmallGraph graph;
  graph.Const({0x21, 0x03}, {3}, DType::kINT4);
  graph.Const({0x21, 0xf3}, {3}, DType::kINT4);  // the fourth nibble is nobody's
  graph.Const({0x21, 0x04}, {3}, DType::kINT4);
  graph.Const({0x21, 0x03}, {4}, DType::kINT4);
  EXPECT_EQ(Removed(&graph), 1u);
}

TEST(Dedup, ShapesAreMergedAmongThemselves) {
  SmallGraph graph;
  graph.ConstShape({1, 2}, "s");
  graph.ConstShape({1, 2}, "t");
  graph.ConstShape({2, 1}, "u");
  graph.ConstShape({1, 2, 1}, "v");
  graph.ConstShape({}, "w");
  graph.ConstShape({}, "x");
  Module module = graph.Finish();
  EXPECT_EQ(Deduplicate(&module).renamed, (Renamed{{"t", "s"}, {"x", "w"}}));
}

TEST(Dedup, NothingCrossesABlock) {
  SmallGraph graph;
  graph.Floats(1, 2, "a");
  graph.Region("other");
  graph.Floats(1, 2, "b");
  const RegionRef third = graph.serializer().StartRegion("third");
  graph.Block(third, "one");
  graph.Floats(1, 2, "c");
  graph.Block(third, "two");
  graph.Floats(1, 2, "d");
  graph.Floats(1, 2, "e");
  EXPECT_EQ(Removed(&graph), 1u);
}

TEST(Dedup, AnOutputIsKeptAndMovesUp) {
  SmallGraph graph;
  const TensorRef x = graph.Input("x");
  const TensorRef a = graph.Floats(1, 2, "a");
  graph.Output(graph.Op1(Op::ADD, {x, a}, "y"));
  graph.Output(graph.Floats(1, 2, "result"));
  Module module = graph.Finish();
  EXPECT_EQ(Deduplicate(&module).renamed, (Renamed{{"a", "result"}}));
  const Block& block = Main(module);
  EXPECT_EQ(Operators(block), "CONST result, ADD y");
  EXPECT_EQ(Names(block, block.operators[1].inputs), (std::vector<std::string>{"x", "result"}));
  EXPECT_EQ(Names(block, block.outputs), (std::vector<std::string>{"y", "result"}));
}

TEST(Dedup, TwoOutputsStayTwo) {
  SmallGraph graph;
  graph.Floats(1, 2, "a");
  graph.Output(graph.Floats(1, 2, "first"));
  graph.Output(graph.Floats(1, 2, "second"));
  graph.Floats(1, 2, "b");
  Module module = graph.Finish();
  EXPECT_EQ(Deduplicate(&module).renamed, (Renamed{{"a", "first"}, {"b", "first"}}));
  EXPECT_EQ(Operators(Main(module)), "CONST first, CONST second");
  EXPECT_TRUE(Deduplicate(&module).renamed.empty());
}

TEST(Dedup, VariablesAndInputsAreNoConstants) {
  SmallGraph graph;
  graph.Input("x");
  graph.Floats(1, 2, "a");
  const TensorRef v =
      graph.serializer().AddTensor(graph.block(), std::vector<int32_t>{2}, DType::kFP32, "v",
                                   {.is_variable = true, .variable_name = "state"});
  graph.Emit(Op::VARIABLE, {}, {v});
  Module module = graph.Finish();
  Value& variable = module.regions[0].blocks[0].values[2];
  variable.has_data = true;
  variable.data = module.regions[0].blocks[0].values[1].data;
  EXPECT_TRUE(Deduplicate(&module).renamed.empty());
}

TEST(Dedup, ScalesBelongToTheConstant) {
  SmallGraph graph;
  for (int i = 0; i < 4; ++i) graph.Const({1, 2}, {2}, DType::kFP8E4M3);
  Module module = graph.Finish();
  const std::vector<uint8_t> scales[] = {{1}, {1}, {2}};
  for (size_t i = 0; i < 3; ++i) {
    auto scale = std::make_unique<Scale>();
    scale->dtype = DType::kFP8UE8M0;
    scale->has_data = true;
    scale->data = scales[i];
    module.regions[0].blocks[0].values[i].scale = std::move(scale);
  }
  EXPECT_EQ(Deduplicate(&module).renamed.size(),
            1u);  // of four: two with scale 1, one with 2, one without
}

TEST(Dedup, EmptyConstantsAreMerged) {
  SmallGraph graph;
  graph.Const({}, {0}, DType::kFP32, "a");
  graph.Const({}, {0}, DType::kFP32, "b");
  graph.Const({}, {0, 2}, DType::kFP32, "c");
  EXPECT_EQ(Removed(&graph), 1u);
}

TEST(Dedup, VersionAndInterfaceStayThroughTheFile) {
  SmallGraph graph(Version{1, 1, 0, true});
  const TensorRef x = graph.Input("x");
  const TensorRef y = graph.Op1(Op::ADD, {x, graph.Floats(1, 2, "a")}, "y");
  graph.Output(graph.Op1(Op::ADD, {y, graph.Floats(1, 2, "b")}, "z"));
  Module module = graph.Finish();
  Deduplicate(&module);
  const Result<std::vector<uint8_t>> once = WriteTosa(module);
  ASSERT_TRUE(once.ok());
  Result<Module> again = ReadTosa(*once, nullptr, "once");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->version, (Version{1, 1, 0, true}));
  EXPECT_EQ(Operators(Main(*again)), "CONST a, ADD y, ADD z");
  Deduplicate(&*again);
  EXPECT_EQ(*WriteTosa(*again), *once) << "not deterministic";
}

}  // namespace
}  // namespace tosac
