// SPDX-License-Identifier: Apache-2.0
// What diff sees through, what it does not, and how it names a difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "small_graph.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

using testing::HasSubstr;

using Build = std::function<void(SmallGraph&)>;

std::optional<Difference> Compare(const Build& build_a, const Build& build_b) {
  SmallGraph a;
  SmallGraph b;
  build_a(a);
  build_b(b);
  const Module x = a.Finish();
  const Module y = b.Finish();
  EXPECT_FALSE(Diff(x, x));
  EXPECT_FALSE(Diff(y, y));
  const std::optional<Difference> there = Diff(x, y);
  const std::optional<Difference> back = Diff(y, x);
  EXPECT_EQ(there.has_value(), back.has_value()) << "not symmetric";
  return there;
}

void ExpectEqual(const Build& a, const Build& b) {
  const std::optional<Difference> difference = Compare(a, b);
  if (difference) FAIL() << difference->message << "\n" << difference->a << "\n" << difference->b;
}

void ExpectDifferent(const Build& build_a, const Build& build_b, const std::string& message,
                     const std::string& a, const std::string& b) {
  const std::optional<Difference> difference = Compare(build_a, build_b);
  ASSERT_TRUE(difference);
  EXPECT_THAT(difference->message, HasSubstr(message));
  EXPECT_THAT(difference->a, HasSubstr(a));
  EXPECT_THAT(difference->b, HasSubstr(b));
}

// y = op(x, constant); names of the temporaries as given.
Build Simple(Op op = Op::ADD, float value = 1, std::string constant = "c", std::string x = "x") {
  return [=](SmallGraph& g) {
    const TensorRef input = g.Input(x);
    g.Output(g.Op1(op, {input, g.Floats(value, 2, constant)}, "y"));
  };
}

// ---- seen through ----

TEST(Diff, NamesOfConstantsAndTemporaries) {
  const auto build = [](std::string t, std::string c) {
    return [=](SmallGraph& g) {
      const TensorRef sum = g.Op1(Op::ADD, {g.Input("x"), g.Floats(1, 2, c)}, t);
      g.Output(g.Op1(Op::ABS, {sum}, "y"));
    };
  };
  ExpectEqual(build("t", "c"), build("u", "d"));
}

TEST(Diff, OrderOfIndependentOperators) {
  ExpectEqual(
      [](SmallGraph& g) {
        const TensorRef x = g.Input("x");
        const TensorRef a = g.Op1(Op::ABS, {x}, "a");
        const TensorRef b = g.Op1(Op::EXP, {x}, "b");
        g.Output(g.Op1(Op::ADD, {a, b}, "y"));
      },
      [](SmallGraph& g) {
        const TensorRef x = g.Input("x");
        const TensorRef b = g.Op1(Op::EXP, {x}, "b");
        const TensorRef a = g.Op1(Op::ABS, {x}, "a");
        g.Output(g.Op1(Op::ADD, {a, b}, "y"));
      });
}

TEST(Diff, SharingOfConstantsAndDeadOnes) {
  ExpectEqual(
      [](SmallGraph& g) {
        const TensorRef c = g.Floats(1, 2);
        g.Output(g.Op1(Op::ADD, {g.Op1(Op::ADD, {g.Input("x"), c}, "t"), c}, "y"));
      },
      [](SmallGraph& g) {
        const TensorRef t = g.Op1(Op::ADD, {g.Input("x"), g.Floats(1, 2)}, "t");
        g.Output(g.Op1(Op::ADD, {t, g.Floats(1, 2)}, "y"));
        g.Floats(7, 7, "dead");
      });
}

TEST(Diff, PaddingAndLocations) {
  const auto build = [](std::vector<uint8_t> bytes, std::string location) {
    return [=](SmallGraph& g) {
      const TensorRef y = g.Tensor("y");
      g.Emit(Op::ADD, {g.Input("x"), g.Const(bytes, {1}, DType::kFP32, "c", location)}, {y}, {},
             location);
      g.Output(y);
    };
  };
  ExpectEqual(build({1, 2, 3, 4}, ""), build({1, 2, 3, 4, 5, 6, 7, 8}, "model.py:3"));
}

// ---- not seen through ----

TEST(Diff, Version) {
  SmallGraph a(Version{1, 0, 0, false});
  SmallGraph b(Version{1, 1, 0, true});
  const auto difference = Diff(a.Finish(), b.Finish());
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->a, "TOSA 1.0.0");
  EXPECT_EQ(difference->b, "TOSA 1.1.0 draft");
}

TEST(Diff, NamesOfTheInterface) {
  ExpectDifferent(Simple(), Simple(Op::ADD, 1, "c", "z"), "input 0 has another name",
                  "\"x\" FP32[2]", "\"z\" FP32[2]");
}

TEST(Diff, NameOfTheRegion) {
  SmallGraph a;
  a.Region("more");
  SmallGraph b;
  b.Region("other");
  const auto difference = Diff(a.Finish(), b.Finish());
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->message, "region 1 has another name");
}

TEST(Diff, TypesOfTheInterface) {
  const auto build = [](std::vector<int32_t> shape, DType dtype) {
    return [=](SmallGraph& g) { g.Output(g.Input("x", shape, dtype)); };
  };
  ExpectDifferent(build({2}, DType::kFP32), build({2}, DType::kFP16), "input 0 has another type",
                  "FP32[2]", "FP16[2]");
  ExpectDifferent(build({2}, DType::kFP32), build({2, 1}, DType::kFP32), "input 0 has another type",
                  "FP32[2]", "FP32[2,1]");
}

TEST(Diff, NumberAndOrderOfInputs) {
  const auto build = [](std::string first, std::string second, int used) {
    return [=](SmallGraph& g) {
      const TensorRef inputs[] = {g.Input(first), g.Input(second)};
      g.Output(g.Op1(Op::ABS, {inputs[used]}, "y"));
    };
  };
  ExpectDifferent(build("a", "b", 0), build("a", "b", 1), "operand 0 (input1) of main/main/op0 ABS",
                  "input 0 \"a\"", "input 1 \"b\"");
  ExpectDifferent(build("a", "b", 0), build("b", "a", 1), "input 0 has another name", "a", "b");
  ExpectDifferent(
      build("a", "b", 0), [](SmallGraph& g) { g.Output(g.Op1(Op::ABS, {g.Input("a")}, "y")); },
      "different numbers of inputs", "2 inputs", "1 input");
}

TEST(Diff, Operator) {
  ExpectDifferent(Simple(Op::ADD), Simple(Op::SUB), "output 0 is made by another operator",
                  "main/main/op1 ADD \"y\"", "main/main/op1 SUB \"y\"");
}

TEST(Diff, BytesOfAConstant) {
  ExpectDifferent(Simple(Op::ADD, 1, "c"), Simple(Op::ADD, 3, "d"),
                  "operand 1 (input2) of main/main/op1 ADD is a constant of other bytes",
                  "main/main/op0 CONST \"c\" FP32[2]: 8 bytes, from byte 2 on 0x803f00000040",
                  "main/main/op0 CONST \"d\" FP32[2]: 8 bytes, from byte 2 on 0x404000000040");
}

TEST(Diff, SignOfZero) {
  ExpectDifferent(Simple(Op::ADD, 0.0f), Simple(Op::ADD, -0.0f), "is a constant of other bytes", "",
                  "");
}

TEST(Diff, Attribute) {
  const auto build = [](int32_t axis, int64_t nan_mode) {
    return [=](SmallGraph& g) {
      g.Output(g.Op1(Op::REDUCE_MAX, {g.Input("x", {2, 2})}, "y",
                     {int64_t{axis}, int64_t{nan_mode}}, {2, 2}));
    };
  };
  ExpectDifferent(build(0, 1), build(1, 1), "an attribute differs", "axis = 0", "axis = 1");
  ExpectDifferent(build(0, 1), build(0, 2), "an attribute differs", "nan_mode = PROPAGATE",
                  "nan_mode = IGNORE");
}

TEST(Diff, OrderOfOperands) {
  const auto build = [](bool swapped) {
    return [=](SmallGraph& g) {
      const TensorRef x = g.Input("x");
      const TensorRef a = g.Op1(Op::ABS, {x}, "a");
      const TensorRef b = g.Op1(Op::EXP, {x}, "b");
      g.Output(g.Op1(Op::SUB, {swapped ? b : a, swapped ? a : b}, "y"));
    };
  };
  ExpectDifferent(build(false), build(true), "operand 0 (input1)", "ABS \"a\"", "EXP \"b\"");
}

TEST(Diff, WhichResultOfAnOperator) {
  const auto build = [](int first) {
    return [=](SmallGraph& g) {
      const TensorRef x = g.Input("x", {1, 2, 2});
      const TensorRef results[] = {g.Tensor("re", {1, 2, 2}), g.Tensor("im", {1, 2, 2})};
      g.Emit(Op::FFT2D, {x, x}, {results[0], results[1]}, {int64_t{0}, int64_t{0}});
      g.Output(g.Op1(Op::ABS, {results[first]}, "y", {}, {1, 2, 2}));
    };
  };
  ExpectDifferent(build(0), build(1), "is another result of the same operator", "\"re\"", "\"im\"");
}

TEST(Diff, AnOperatorThatNobodyUses) {
  ExpectDifferent(
      [](SmallGraph& g) {
        Simple()(g);
        g.Op1(Op::EXP, {g.Floats(1, 2)}, "dead");
      },
      Simple(), "an operator that the other has not", "main/main/op3 EXP \"dead\" FP32[2]",
      "main/main");
}

TEST(Diff, SharingOfComputation) {
  const auto build = [](bool shared) {
    return [=](SmallGraph& g) {
      const TensorRef x = g.Input("x");
      const TensorRef a = g.Op1(Op::ABS, {x}, "a");
      const TensorRef b = shared ? a : g.Op1(Op::ABS, {x}, "b");
      g.Output(g.Op1(Op::ADD, {a, b}, "y"));
    };
  };
  ExpectDifferent(build(false), build(true), "not as often", "op1 ABS \"b\"", "main/main");
}

std::vector<AttrValue> CustomAttrs(const std::string& name) {
  return {name, std::string("domain"), std::vector<uint8_t>{1, 2}};
}

TEST(Diff, OrderOfState) {
  const auto build = [](std::string first, std::string second) {
    return [=](SmallGraph& g) {
      const TensorRef x = g.Input("x");
      g.Emit(Op::CUSTOM, {x}, {}, CustomAttrs(first));
      g.Emit(Op::CUSTOM, {x}, {}, CustomAttrs(second));
      g.Output(g.Op1(Op::ABS, {x}, "y"));
    };
  };
  ExpectEqual(build("a", "b"), build("a", "b"));
  ExpectDifferent(build("a", "b"), build("b", "a"), "an attribute differs", "operator_name = \"a\"",
                  "operator_name = \"b\"");
}

TEST(Diff, WhichOfTwoEqualStateOperators) {
  const auto build = [](int used) {
    return [=](SmallGraph& g) {
      const TensorRef x = g.Input("x");
      TensorRef results[] = {g.Tensor("r"), g.Tensor("s")};
      for (const TensorRef result : results) g.Emit(Op::CUSTOM, {x}, {result}, CustomAttrs("a"));
      g.Output(g.Op1(Op::ABS, {results[used]}, "y"));
    };
  };
  ExpectDifferent(build(0), build(1), "come in another order", "op0 CUSTOM", "op1 CUSTOM");
}

TEST(Diff, NumberOfStateOperators) {
  const auto build = [](int count) {
    return [=](SmallGraph& g) {
      const TensorRef x = g.Input("x");
      for (int i = 0; i < count; ++i) g.Emit(Op::CUSTOM, {x}, {}, CustomAttrs("a"));
      g.Output(g.Op1(Op::ABS, {x}, "y"));
    };
  };
  ExpectDifferent(build(1), build(2), "different numbers of state and control-flow operators",
                  "no further one", "main/main/op1 CUSTOM");
}

TEST(Diff, InitialValueOfAVariable) {
  const auto build = [](uint8_t byte) {
    SmallGraph g;
    const TensorRef v =
        g.serializer().AddTensor(g.block(), std::vector<int32_t>{1}, DType::kINT8, "v",
                                 {.is_variable = true, .variable_name = "state"});
    g.Emit(Op::VARIABLE, {}, {});
    Module module = g.Finish();
    Value& value = module.regions[0].blocks[0].values[v.id];
    value.has_data = true;
    value.data = module.Own(std::vector<uint8_t>{byte});
    return module;
  };
  EXPECT_FALSE(Diff(build(1), build(1)));
  const auto difference = Diff(build(1), build(2));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->message, "a variable differs");
  EXPECT_THAT(difference->a, HasSubstr("\"state\" of \"v\" INT8[1]: 1 bytes, from byte 0 on 0x01"));
}

// ---- control flow ----

// y = COND_IF(c, x) with bodies of two operators.
Build Conditional(std::string then_name, std::string else_name, Op then_op, Op else_op,
                  bool else_first = false) {
  return [=](SmallGraph& g) {
    const TensorRef c = g.Input("c", {1}, DType::kBOOL);
    const TensorRef x = g.Input("x");
    const TensorRef y = g.Tensor("y");
    g.Emit(Op::COND_IF, {c, x}, {y}, {then_name, else_name});
    g.Output(y);
    const auto body = [&](const std::string& name, Op op) {
      g.Region(name);
      const TensorRef input = g.Input(name + "_in");
      g.Output(g.Op1(op, {input, g.Floats(1, 2)}, name + "_out"));
    };
    if (else_first) body(else_name, else_op);
    body(then_name, then_op);
    if (!else_first) body(else_name, else_op);
  };
}

TEST(Diff, BodiesAreComparedByContent) {
  ExpectEqual(Conditional("t", "e", Op::ADD, Op::SUB), Conditional("u", "f", Op::ADD, Op::SUB));
  ExpectEqual(Conditional("t", "e", Op::ADD, Op::SUB),
              Conditional("t", "e", Op::ADD, Op::SUB, /*else_first=*/true));
}

TEST(Diff, DifferentBodies) {
  ExpectDifferent(Conditional("t", "e", Op::ADD, Op::SUB), Conditional("t", "e", Op::ADD, Op::ADD),
                  "output 0 is made by another operator", "e/e/op1 SUB", "e/e/op1 ADD");
  ExpectDifferent(Conditional("t", "e", Op::ADD, Op::SUB), Conditional("t", "e", Op::SUB, Op::ADD),
                  "output 0 is made by another operator", "t/t/op1 ADD", "t/t/op1 SUB");
}

TEST(Diff, ABodyThatIsNotThere) {
  ExpectDifferent(
      Conditional("t", "e", Op::ADD, Op::SUB),
      [](SmallGraph& g) {
        const TensorRef c = g.Input("c", {1}, DType::kBOOL);
        const TensorRef x = g.Input("x");
        const TensorRef y = g.Tensor("y");
        g.Emit(Op::COND_IF, {c, x}, {y}, {std::string("t"), std::string("e")});
        g.Output(y);
      },
      "only one of the regions is in the file", "then_graph = \"t\"", "then_graph = \"t\"");
}

// Regions r0, r1, ... of which each calls the next; the last calls `last`, or computes `op`.
Build Nested(int depth, Op op, std::optional<std::string> last = std::nullopt) {
  return [=](SmallGraph& g) {
    for (int i = 0; i < depth; ++i) {
      if (i > 0) g.Region("r" + std::to_string(i));
      const std::string tag = std::to_string(i);
      const TensorRef c = g.Input("c" + tag, {1}, DType::kBOOL);
      const TensorRef x = g.Input("x" + tag);
      const TensorRef y = g.Tensor("y" + tag);
      if (i + 1 == depth && !last) {
        g.Emit(op, {x}, {y});
      } else {
        const std::string next = i + 1 == depth ? *last : "r" + std::to_string(i + 1);
        g.Emit(Op::COND_IF, {c, x}, {y}, {next, next});
      }
      g.Output(y);
    }
  };
}

TEST(Diff, DeepNestingNeedsNoStack) {
  constexpr int kDepth = 20000;
  ExpectEqual(Nested(kDepth, Op::ABS), Nested(kDepth, Op::ABS));
  ExpectDifferent(Nested(kDepth, Op::ABS), Nested(kDepth, Op::EXP), "made by another operator",
                  "r19999/r19999/op0 ABS", "r19999/r19999/op0 EXP");
}

TEST(Diff, RegionsThatNameEachOther) {
  ExpectEqual(Nested(3, Op::ABS, "main"), Nested(3, Op::ABS, "main"));
  ExpectDifferent(Nested(3, Op::ABS, "main"), Nested(3, Op::ABS, "r1"), "", "r", "r");
}

// ---- damaged modules ----

TEST(Diff, LongChains) {
  const auto build = [](int length, float value) {
    return [=](SmallGraph& g) {
      TensorRef x = g.Input("x");
      x = g.Op1(Op::ADD, {x, g.Floats(value, 0)}, "first");
      for (int i = 0; i < length; ++i) x = g.Op1(Op::ABS, {x}, "t");
      g.Output(x);
    };
  };
  ExpectDifferent(build(100000, 1), build(100000, 2), "is a constant of other bytes", "op0 CONST",
                  "op0 CONST");
}

TEST(Diff, ACircle) {
  const auto build = [](Op op) {
    return [=](SmallGraph& g) {
      const TensorRef a = g.Tensor("a");
      const TensorRef b = g.Tensor("b");
      g.Emit(Op::ABS, {a}, {b});
      g.Emit(op, {b}, {a});
      g.Output(a);
    };
  };
  ExpectEqual(build(Op::EXP), build(Op::EXP));
  ExpectDifferent(build(Op::EXP), build(Op::LOG), "output 0 is made by another operator", "EXP",
                  "LOG");
}

TEST(Diff, UseBeforeDefinition) {
  const auto build = [](bool late) {
    return [=](SmallGraph& g) {
      const TensorRef x = g.Input("x");
      const TensorRef t = g.Tensor("t");
      const TensorRef y = g.Tensor("y");
      if (!late) g.Emit(Op::EXP, {x}, {t});
      g.Emit(Op::ABS, {t}, {y});
      if (late) g.Emit(Op::EXP, {x}, {t});
      g.Output(y);
    };
  };
  ExpectDifferent(build(false), build(true), "an operand is made after its use", "op1 ABS",
                  "op0 ABS");
}

TEST(Diff, AValueThatNothingMakes) {
  const auto build = [](std::string name, int32_t size) {
    return [=](SmallGraph& g) { g.Output(g.Op1(Op::ABS, {g.Tensor(name, {size})}, "y")); };
  };
  ExpectEqual(build("u", 2), build("u", 2));
  ExpectDifferent(build("u", 2), build("v", 2), "is another value", "no operator makes \"u\"",
                  "no operator makes \"v\"");
  ExpectDifferent(build("u", 2), build("u", 3), "has another type", "FP32[2]", "FP32[3]");
}

}  // namespace
}  // namespace tosac
