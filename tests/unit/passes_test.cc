// SPDX-License-Identifier: Apache-2.0
// Each pass on a small program: the text before and after, and "changed" against the text.
#include "tosac/passes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tosac/program.h"

namespace tosac {
namespace {

using fx::Graph;
using fx::Program;
using fx::TensorType;

class PassTest : public testing::Test {
 protected:
  Graph& graph() { return program_.main(); }

  fx::Value* Input(std::string_view name, std::vector<int64_t> dims) {
    return graph().AddInput(name, TensorType(DType::kFP32, std::move(dims)));
  }
  fx::Value* Floats(std::string_view name, std::vector<int64_t> dims, std::vector<float> values,
                    bool pooled = false) {
    std::vector<uint8_t> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return graph()
        .AddConstant(fx::MakeConstant(DType::kFP32, std::move(dims), std::move(bytes)), name,
                     pooled)
        ->result();
  }
  fx::Value* Shape(std::string_view name, std::vector<int64_t> values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(int64_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
    return graph()
        .AddConstant(fx::MakeConstant(DType::kSHAPE, dims, std::move(bytes)), name, false)
        ->result();
  }
  fx::Value* Tosa(Op op, std::vector<fx::Value*> operands, std::vector<int64_t> dims,
                  std::string_view name, std::vector<AttrValue> attrs = {}) {
    return graph()
        .AddTosa(op, operands, {TensorType(DType::kFP32, std::move(dims))}, std::move(attrs), name)
        ->result();
  }
  fx::Value* Aten(std::string_view target, std::vector<fx::Value*> operands,
                  std::vector<int64_t> dims, std::string_view name,
                  std::vector<fx::Arg> more = {}) {
    std::vector<fx::Arg> args;
    constexpr std::string_view kNames[] = {"self", "other"};
    for (uint32_t i = 0; i < operands.size(); ++i) {
      args.push_back({std::string(kNames[i]), fx::OperandArg{i}, false});
    }
    args.insert(args.end(), more.begin(), more.end());
    return graph()
        .AddAten(target, std::move(args), operands, {TensorType(DType::kFP32, std::move(dims))},
                 name)
        ->result();
  }

  // Runs the pass, checks that "changed" says what the text says, and returns the body.
  std::string Run(std::string_view pass) {
    const PassRow* row = FindPass(pass);
    if (row == nullptr) return "no such pass";
    const std::string before = fx::ToText(program_);
    PassContext context;
    const Result<Changed> changed = RunPipeline(program_, std::array{row}, context, {});
    if (!changed.ok()) return changed.diag().ToString();
    const std::string after = fx::ToText(program_);
    EXPECT_EQ(*changed == Changed::kYes, before != after) << before << after;
    notes_ = context.notes;
    const size_t start = after.find('\n') + 1;
    return after.substr(start, after.rfind('}') - start);
  }

  Program program_;
  std::vector<Diag> notes_;
};

TEST_F(PassTest, EliminateDeadCode) {
  fx::Value* x = Input("x", {2});
  Tosa(Op::EXP, {Tosa(Op::ABS, {x}, {2}, "dead")}, {2}, "dead_too");
  graph().AddOutput(Tosa(Op::NEGATE, {x, Floats("a", {1}, {0}), Floats("b", {1}, {0})}, {2}, "y"));
  EXPECT_EQ(Run("eliminate-dead-code"),
            "  %a : f32[1] = tosa.CONST([0.0], owned)\n"
            "  %b : f32[1] = tosa.CONST([0.0], owned)\n"
            "  %y : f32[2] = tosa.NEGATE(%x, %a, %b)\n"
            "  return (%y)\n");
  Run("eliminate-dead-code");
}

TEST_F(PassTest, MergeConstShapes) {
  fx::Value* x = Input("x", {6});
  fx::Value* first = Tosa(Op::RESHAPE, {x, Shape("s", {2, 3})}, {2, 3}, "first");
  fx::Value* second = Tosa(Op::RESHAPE, {x, Shape("t", {2, 3})}, {2, 3}, "second");
  graph().AddOutput(Tosa(Op::ADD, {first, second}, {2, 3}, "y"));
  EXPECT_EQ(Run("merge-const-shapes"),
            "  %s : shape[2] = tosa.CONST_SHAPE([2, 3], owned)\n"
            "  %first : f32[2,3] = tosa.RESHAPE(%x, %s)\n"
            "  %second : f32[2,3] = tosa.RESHAPE(%x, %s)\n"
            "  %y : f32[2,3] = tosa.ADD(%first, %second)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, MergeParametersTellsSignsOfZeroApart) {
  fx::Value* x = Input("x", {2});
  fx::Value* a = Tosa(Op::ADD, {x, Floats("w", {2}, {1, 0})}, {2}, "a");
  fx::Value* b = Tosa(Op::ADD, {a, Floats("v", {2}, {1, 0})}, {2}, "b");
  graph().AddOutput(Tosa(Op::ADD, {b, Floats("u", {2}, {1, -0.0F})}, {2}, "y"));
  EXPECT_EQ(Run("merge-parameters"),
            "  %w : f32[2] = tosa.CONST([1.0, 0.0], owned)\n"
            "  %a : f32[2] = tosa.ADD(%x, %w)\n"
            "  %b : f32[2] = tosa.ADD(%a, %w)\n"
            "  %u : f32[2] = tosa.CONST([1.0, -0.0], owned)\n"
            "  %y : f32[2] = tosa.ADD(%b, %u)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, SimplifyReshapesMovesThemPastElementwise) {
  fx::Value* x = Input("x", {6});
  fx::Value* wide = Tosa(Op::RESHAPE, {x, Shape("s", {2, 3})}, {2, 3}, "wide");
  fx::Value* exp = Tosa(Op::EXP, {wide}, {2, 3}, "exp");
  graph().AddOutput(Tosa(Op::RESHAPE, {exp, Shape("t", {3, 2})}, {3, 2}, "y"));
  EXPECT_EQ(Run("simplify-reshapes"),
            "  %s : shape[2] = tosa.CONST_SHAPE([2, 3], owned)\n"
            "  %wide : f32[2,3] = tosa.RESHAPE(%x, %s)\n"
            "  %exp_inner : f32[6] = tosa.EXP(%x)\n"
            "  %exp_shape : shape[2] = tosa.CONST_SHAPE([2, 3], owned)\n"
            "  %exp : f32[2,3] = tosa.RESHAPE(%exp_inner, %exp_shape)\n"
            "  %t : shape[2] = tosa.CONST_SHAPE([3, 2], owned)\n"
            "  %y : f32[3,2] = tosa.RESHAPE(%exp_inner, %t)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, SimplifyTransposesMeetAndCancel) {
  fx::Value* x = Input("x", {1, 2, 3});
  const std::vector<int32_t> there = {0, 2, 1};
  fx::Value* last = Tosa(Op::TRANSPOSE, {x}, {1, 3, 2}, "last", {there});
  fx::Value* exp = Tosa(Op::EXP, {last}, {1, 3, 2}, "exp");
  graph().AddOutput(Tosa(Op::TRANSPOSE, {exp}, {1, 2, 3}, "y", {there}));
  Run("simplify-transposes");
  EXPECT_EQ(Run("eliminate-dead-code"),
            "  %y : f32[1,2,3] = tosa.EXP(%x)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, SimplifyTransposesKeepsAPermutedBroadcastRight) {
  fx::Value* x = Input("x", {1, 2, 3});
  const std::vector<int32_t> perm = {0, 2, 1};
  fx::Value* last = Tosa(Op::TRANSPOSE, {x}, {1, 3, 2}, "last", {perm});
  fx::Value* row = Floats("row", {1, 1, 2}, {1, 2});
  graph().AddOutput(Tosa(Op::ADD, {last, row}, {1, 3, 2}, "y"));
  Run("simplify-transposes");
  EXPECT_EQ(Run("eliminate-dead-code"),
            "  %row_1 : f32[1,2,1] = tosa.CONST([1.0, 2.0], owned)\n"
            "  %y_inner : f32[1,2,3] = tosa.ADD(%x, %row_1)\n"
            "  %y : f32[1,3,2] = tosa.TRANSPOSE(%y_inner, perms=[0, 2, 1])\n"
            "  return (%y)\n");
}

TEST_F(PassTest, FoldLayoutKeepsTheName) {
  fx::Value* x = Input("x", {2, 3});
  fx::Value* w = Floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  fx::Value* turned = Tosa(Op::TRANSPOSE, {w}, {2, 3}, "turned", {std::vector<int32_t>{1, 0}});
  graph().AddOutput(Tosa(Op::ADD, {x, turned}, {2, 3}, "y"));
  EXPECT_EQ(Run("fold-layout"),
            "  %w : f32[2,3] = tosa.CONST([1.0, 3.0, 5.0, 2.0, 4.0, 6.0], owned)\n"
            "  %y : f32[2,3] = tosa.ADD(%x, %w)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, ShrinkSplatsOnlyWhereOthersGiveTheShape) {
  fx::Value* x = Input("x", {2, 2});
  const float one = 1;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&one);
  fx::Value* ones =
      graph()
          .AddConstant(fx::MakeSplat(DType::kFP32, {2, 2}, std::span(bytes, sizeof(one))), "ones",
                       false)
          ->result();
  graph().AddOutput(Tosa(Op::ADD, {x, ones}, {2, 2}, "y"));
  graph().AddOutput(Tosa(Op::EXP, {ones}, {2, 2}, "z"));
  EXPECT_EQ(Run("shrink-splats"),
            "  %ones_1 : f32[1,1] = tosa.CONST([1.0], owned)\n"
            "  %ones : f32[2,2] = tosa.CONST(splat 1.0, owned)\n"
            "  %y : f32[2,2] = tosa.ADD(%x, %ones_1)\n"
            "  %z : f32[2,2] = tosa.EXP(%ones)\n"
            "  return (%y, %z)\n");
}

TEST_F(PassTest, DropBroadcasts) {
  fx::Value* x = Input("x", {2, 3});
  fx::Value* row = Input("row", {1, 3});
  fx::Value* tiled = Tosa(Op::TILE, {row, Shape("m", {2, 1})}, {2, 3}, "tiled");
  graph().AddOutput(Tosa(Op::ADD, {x, tiled}, {2, 3}, "y"));
  Run("drop-broadcasts");
  EXPECT_EQ(Run("eliminate-dead-code"),
            "  %y : f32[2,3] = tosa.ADD(%x, %row)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, ShareEqualNodesSeesThroughEqualConstants) {
  fx::Value* x = Input("x", {2});
  fx::Value* a = Tosa(Op::ADD, {x, Floats("one", {1}, {1}, true)}, {2}, "a");
  fx::Value* b = Tosa(Op::ADD, {x, Floats("uno", {1}, {1}, true)}, {2}, "b");
  fx::Value* c = Tosa(Op::ADD, {x, Floats("two", {1}, {2}, true)}, {2}, "c");
  fx::Value* sum = Tosa(Op::MAXIMUM, {a, b}, {2}, "sum", {int64_t{1}});
  graph().AddOutput(Tosa(Op::MAXIMUM, {sum, c}, {2}, "y", {int64_t{1}}));
  Run("share-equal-nodes");
  EXPECT_EQ(Run("eliminate-dead-code"),
            "  %one : f32[1] = tosa.CONST([1.0])\n"
            "  %a : f32[2] = tosa.ADD(%x, %one)\n"
            "  %two : f32[1] = tosa.CONST([2.0])\n"
            "  %c : f32[2] = tosa.ADD(%x, %two)\n"
            "  %sum : f32[2] = tosa.MAXIMUM(%a, %a, nan_mode=PROPAGATE)\n"
            "  %y : f32[2] = tosa.MAXIMUM(%sum, %c, nan_mode=PROPAGATE)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, DropAssertionsSaysSoOnce) {
  fx::Value* x = Input("x", {2});
  graph().AddAten("aten._assert_tensor_metadata.default", {}, {}, {}, "check");
  graph().AddAten("aten._assert_scalar.default", {}, {}, {}, "check_too");
  graph().AddOutput(Aten("aten.relu.default", {x}, {2}, "y"));
  EXPECT_EQ(Run("drop-assertions"),
            "  %y : f32[2] = aten.relu.default(%x)\n"
            "  return (%y)\n");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_EQ(notes_[0].rule, "dropped-assertions");
}

TEST_F(PassTest, FunctionalizeCarriesAWriteThroughAView) {
  fx::Value* x = Input("x", {2, 3});
  fx::Value* y = Aten("aten.clone.default", {x}, {2, 3}, "y");
  fx::Value* row = Aten("aten.select.int", {y}, {3}, "row",
                        {{"dim", int64_t{0}, false}, {"index", int64_t{1}, false}});
  Aten("aten.relu_.default", {row}, {3}, "written");
  graph().AddOutput(Aten("aten.add.Tensor", {y, x}, {2, 3}, "z"));
  EXPECT_EQ(Run("functionalize"),
            "  %y : f32[2,3] = aten.clone.default(%x)\n"
            "  %row : f32[3] = aten.select.int(%y, 0, 1)\n"
            "  %written : f32[3] = aten.relu.default(%row)\n"
            "  %row_1 : f32[2,3] = aten.select_scatter.default(%y, %written, 0, 1)\n"
            "  %z : f32[2,3] = aten.add.Tensor(%row_1, %x)\n"
            "  return (%z)\n");
}

TEST_F(PassTest, FunctionalizeMakesViewsOfTheOldStateAgain) {
  fx::Value* x = Input("x", {2, 3});
  fx::Value* y = Aten("aten.clone.default", {x}, {2, 3}, "y");
  fx::Value* turned = Aten("aten.t.default", {y}, {3, 2}, "turned");
  Aten("aten.relu_.default", {y}, {2, 3}, "written");
  graph().AddOutput(Aten("aten.exp.default", {turned}, {3, 2}, "z"));
  EXPECT_EQ(Run("functionalize"),
            "  %y : f32[2,3] = aten.clone.default(%x)\n"
            "  %turned : f32[3,2] = aten.t.default(%y)\n"
            "  %written : f32[2,3] = aten.relu.default(%y)\n"
            "  %turned_1 : f32[3,2] = aten.t.default(%written)\n"
            "  %z : f32[3,2] = aten.exp.default(%turned_1)\n"
            "  return (%z)\n");
}

TEST_F(PassTest, FunctionalizeRefusesToWriteABuffer) {
  fx::Value* buffer = Floats("buffer", {2}, {1, 2});
  graph().AddOutput(Aten("aten.relu_.default", {buffer}, {2}, "written"));
  EXPECT_NE(Run("functionalize").find("[lower-in-place]"), std::string::npos);
}

TEST_F(PassTest, DropCopies) {
  fx::Value* x = Input("x", {2});
  fx::Value* copy = Aten("aten.clone.default", {x}, {2}, "copy");
  graph().AddOutput(Aten("aten.relu.default", {copy}, {2}, "y"));
  EXPECT_EQ(Run("drop-copies"),
            "  %y : f32[2] = aten.relu.default(%x)\n"
            "  return (%y)\n");
}

TEST_F(PassTest, FoldBatchNormScalesWeightsAndMakesABias) {
  fx::Value* x = Input("x", {1, 1, 2, 2});
  fx::Value* w = Floats("w", {1, 1, 1, 1}, {3});
  fx::Node* conv =
      graph().AddAten("aten.conv2d.default",
                      {{"input", fx::OperandArg{0}, false}, {"weight", fx::OperandArg{1}, false}},
                      std::array{x, w}, {TensorType(DType::kFP32, {1, 1, 2, 2})}, "conv");
  const std::array<fx::Value*, 5> operands = {conv->result(), Floats("gamma", {1}, {2}),
                                              Floats("beta", {1}, {5}), Floats("mean", {1}, {1}),
                                              Floats("var", {1}, {4})};
  fx::Node* norm = graph().AddAten("aten.batch_norm.default",
                                   {{"input", fx::OperandArg{0}, false},
                                    {"weight", fx::OperandArg{1}, false},
                                    {"bias", fx::OperandArg{2}, false},
                                    {"running_mean", fx::OperandArg{3}, false},
                                    {"running_var", fx::OperandArg{4}, false},
                                    {"training", false, false},
                                    {"eps", 0.0, false}},
                                   operands, {TensorType(DType::kFP32, {1, 1, 2, 2})}, "norm");
  graph().AddOutput(norm->result());
  Run("fold-batch-norm");
  EXPECT_EQ(Run("eliminate-dead-code"),
            "  %w : f32[1,1,1,1] = tosa.CONST([3.0], owned)\n"
            "  %norm_bias : f32[1] = tosa.CONST([4.0], owned)\n"
            "  %norm : f32[1,1,2,2] = aten.conv2d.default(%x, %w, bias=%norm_bias)\n"
            "  return (%norm)\n");
}

TEST(PassTableTest, EveryRowIsWhole) {
  for (const PassRow& row : PassRows()) {
    EXPECT_EQ(FindPass(row.name), &row);
    EXPECT_NE(row.function, nullptr);
    EXPECT_FALSE(row.summary.empty());
  }
  EXPECT_EQ(FindPass("no-such-pass"), nullptr);
}

}  // namespace
}  // namespace tosac
