// SPDX-License-Identifier: Apache-2.0
// The rules of the serializer and its constant pool, one test each.
#include "tosac/serializer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tosa/constant_pool.h"
#include "tosac/io.h"

namespace tosac {
namespace {

using Shape = std::vector<int32_t>;
using Bytes = std::vector<uint8_t>;

Bytes Floats(const std::vector<uint32_t>& bits) {
  Bytes bytes(bits.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), bits.data(), bytes.size());
  return bytes;
}

Bytes Longs(const std::vector<int64_t>& values) {
  Bytes bytes(values.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class PoolTest : public testing::Test {
 protected:
  PoolTest() : block_(serializer_.StartBlock(serializer_.StartRegion("main"), "main")) {}

  TensorRef Add(const Shape& shape, DType dtype, const Bytes& bytes, std::string_view name = "c") {
    return Add(block_, shape, dtype, bytes, name);
  }
  TensorRef Add(BlockRef block, const Shape& shape, DType dtype, const Bytes& bytes,
                std::string_view name = "c") {
    const Result<TensorRef> ref = serializer_.AddConst(block, shape, dtype, bytes, name);
    EXPECT_TRUE(ref.ok()) << ref.diag().ToString();
    return *ref;
  }
  TensorRef AddOwned(const Shape& shape, DType dtype, const Bytes& bytes, std::string_view name) {
    const Result<TensorRef> ref = serializer_.AddUnpooledConst(block_, shape, dtype, bytes, name);
    EXPECT_TRUE(ref.ok()) << ref.diag().ToString();
    return *ref;
  }
  Module Finish() {
    Result<Module> module = serializer_.Serialize();
    EXPECT_TRUE(module.ok()) << module.diag().ToString();
    return std::move(*module);
  }

  TosaSerializerWithConstantPool serializer_;
  BlockRef block_;
};

TEST_F(PoolTest, AnswersWithTheTensorThatTheBlockHas) {
  const TensorRef first = Add({1}, DType::kFP32, Floats({0x3f800000}));
  EXPECT_EQ(Add({1}, DType::kFP32, Floats({0x3f800000}), "other"), first);
  EXPECT_EQ(serializer_.hits(), 1u);
  EXPECT_EQ(serializer_.bytes_saved(), 4u);
  EXPECT_EQ(Finish().regions[0].blocks[0].operators.size(), 1u);
}

TEST_F(PoolTest, AnotherDtypeIsAnotherConstant) {
  const TensorRef zero = Add({1}, DType::kFP32, Floats({0}));
  EXPECT_NE(Add({1}, DType::kINT32, Floats({0})), zero);
}

TEST_F(PoolTest, AnotherShapeIsAnotherConstant) {
  const TensorRef row = Add({1, 4}, DType::kINT8, {1, 2, 3, 4});
  EXPECT_NE(Add({2, 2}, DType::kINT8, {1, 2, 3, 4}), row);
  EXPECT_NE(Add({4, 1}, DType::kINT8, {1, 2, 3, 4}), row);
}

TEST_F(PoolTest, ScalarIsNotAListOfOne) {
  const TensorRef scalar = Add({}, DType::kFP32, Floats({0x3f800000}));
  EXPECT_NE(Add({1}, DType::kFP32, Floats({0x3f800000})), scalar);
}

TEST_F(PoolTest, SignedZerosDiffer) {
  const TensorRef zero = Add({1}, DType::kFP32, Floats({0}));
  EXPECT_NE(Add({1}, DType::kFP32, Floats({0x80000000})), zero);
}

TEST_F(PoolTest, NansDifferByPayloadAndEqualThemselves) {
  const TensorRef quiet = Add({1}, DType::kFP32, Floats({0x7fc00000}));
  EXPECT_NE(Add({1}, DType::kFP32, Floats({0x7fc00001})), quiet);
  EXPECT_EQ(Add({1}, DType::kFP32, Floats({0x7fc00000})), quiet);
}

TEST_F(PoolTest, BlocksAndRegionsDoNotShare) {
  const BlockRef second = serializer_.StartBlock({block_.region}, "second");
  const BlockRef body = serializer_.StartBlock(serializer_.StartRegion("body"), "main");
  const TensorRef here = Add({1}, DType::kINT8, {7});
  EXPECT_NE(Add(second, {1}, DType::kINT8, {7}), here);
  EXPECT_NE(Add(body, {1}, DType::kINT8, {7}), here);
  EXPECT_EQ(serializer_.hits(), 0u);
  const Module module = Finish();
  EXPECT_EQ(module.regions[0].blocks[1].operators.size(), 1u);
  EXPECT_EQ(module.regions[1].blocks[0].operators.size(), 1u);
}

TEST_F(PoolTest, NeverAnswersWithWhatTheGraphOwns) {
  const TensorRef owned = AddOwned({1}, DType::kINT8, {7}, "weight");
  const TensorRef pooled = Add({1}, DType::kINT8, {7});
  EXPECT_NE(pooled, owned);
  // And in the other order: what the graph owns is a tensor of its own.
  const TensorRef later = AddOwned({1}, DType::kINT8, {7}, "bias");
  EXPECT_NE(later, pooled);
  EXPECT_NE(later, owned);
  EXPECT_EQ(Add({1}, DType::kINT8, {7}), pooled);
}

TEST_F(PoolTest, GraphNamesWinWhoeverComesFirst) {
  const TensorRef pooled = Add({1}, DType::kINT8, {7}, "scale");
  const TensorRef owned = AddOwned({2}, DType::kINT8, {1, 2}, "scale");
  const TensorRef output = serializer_.AddTensor(block_, Shape{1}, DType::kINT8, "y");
  const TensorRef inputs[] = {pooled};
  ASSERT_TRUE(serializer_.AddOperator(block_, Op::IDENTITY, inputs, std::span(&output, 1)).ok());
  const Module module = Finish();
  const Block& block = module.regions[0].blocks[0];
  EXPECT_EQ(block.values[owned.id].name, "scale");
  EXPECT_EQ(block.values[pooled.id].name, "scale_1");
  // The operator took a handle, so it still reads the constant that it was given.
  EXPECT_EQ(block.values[block.operators.back().inputs[0]].shape, Shape{1});
}

TEST_F(PoolTest, NoTwoTensorsOfAFileShareAName) {
  const BlockRef body = serializer_.StartBlock(serializer_.StartRegion("body"), "main");
  for (const BlockRef block : {block_, body}) {
    serializer_.AddInputTensor(block, Shape{1}, DType::kFP32, "x");
    Add(block, {1}, DType::kINT8, {1}, "");
    Add(block, {1}, DType::kINT8, {2}, "x");
  }
  const Module module = Finish();
  std::set<std::string_view> names;
  for (const Region& region : module.regions) {
    for (const Value& value : region.blocks[0].values) {
      EXPECT_FALSE(value.name.empty());
      EXPECT_TRUE(names.insert(value.name).second) << value.name;
    }
  }
  EXPECT_EQ(module.regions[0].blocks[0].values[0].name, "x");
}

TEST_F(PoolTest, PackedFp4GoesThroughUnchanged) {
  const TensorRef packed = Add({3}, DType::kFP4E2M1, {0x21, 0x03});
  EXPECT_EQ(Add({3}, DType::kFP4E2M1, {0x21, 0x03}), packed);
  EXPECT_NE(Add({3}, DType::kFP4E2M1, {0x21, 0x04}), packed);
}

TEST_F(PoolTest, OddInt4ComparesWhatIsWritten) {
  // The spare bits of the last byte are written too, so they are part of the key.
  const TensorRef three = Add({3}, DType::kINT4, {0x21, 0x03});
  EXPECT_NE(Add({3}, DType::kINT4, {0x21, 0xf3}), three);
  EXPECT_FALSE(serializer_.AddConst(block_, Shape{3}, DType::kINT4, Bytes{0x21}, "short").ok());
}

TEST_F(PoolTest, PaddedBytesAreAnotherConstant) {
  const TensorRef plain = Add({1}, DType::kINT8, {5});
  EXPECT_NE(Add({1}, DType::kINT8, {5, 0, 0, 0, 0, 0, 0, 0}), plain);
}

TEST_F(PoolTest, HelperShapesArePooled) {
  const TensorRef shape = Add({2}, DType::kSHAPE, Longs({3, 4}), "shape");
  EXPECT_EQ(Add({2}, DType::kSHAPE, Longs({3, 4})), shape);
  EXPECT_NE(Add({2}, DType::kSHAPE, Longs({4, 3})), shape);
  EXPECT_NE(AddOwned({2}, DType::kSHAPE, Longs({3, 4}), "node"), shape);
  const Module module = Finish();
  const Block& block = module.regions[0].blocks[0];
  EXPECT_EQ(block.operators[0].op, Op::CONST_SHAPE);
  EXPECT_TRUE(block.values[shape.id].is_shape);
}

TEST_F(PoolTest, IsEmptyAfterSerialize) {
  Add({1}, DType::kINT8, {7});
  Finish();
  const BlockRef again = serializer_.StartBlock(serializer_.StartRegion("main"), "main");
  Add(again, {1}, DType::kINT8, {7});
  const Module module = Finish();
  EXPECT_EQ(module.regions[0].blocks[0].operators.size(), 1u);
}

TEST_F(PoolTest, AMillionCalls) {
  constexpr int kCalls = 1'000'000;
  constexpr int kDistinct = 1000;
  for (int i = 0; i < kCalls; ++i) {
    const auto bits = static_cast<uint32_t>(i % kDistinct);
    ASSERT_EQ(Add({1}, DType::kFP32, Floats({bits})).id, bits);
  }
  EXPECT_EQ(serializer_.hits(), static_cast<uint64_t>(kCalls - kDistinct));
}

TEST_F(PoolTest, WhatIsBuiltReadsBack) {
  const TensorRef x = serializer_.AddInputTensor(block_, Shape{4}, DType::kFP32, "x");
  const TensorRef one = Add({1}, DType::kFP32, Floats({0x3f800000}), "one");
  const TensorRef y = serializer_.AddTensor(block_, Shape{4}, DType::kFP32, "y");
  const TensorRef inputs[] = {x, one};
  ASSERT_TRUE(serializer_.AddOperator(block_, Op::ADD, inputs, std::span(&y, 1)).ok());
  serializer_.AddOutput(y);
  const Module module = Finish();
  const Result<std::vector<uint8_t>> bytes = WriteTosa(module);
  ASSERT_TRUE(bytes.ok());
  const Result<Module> read = ReadTosa(*bytes, nullptr, "built");
  ASSERT_TRUE(read.ok()) << read.diag().ToString();
  EXPECT_EQ(read->regions[0].blocks[0].operators.size(), 2u);
}

TEST(SerializerTest, WithoutThePoolEveryConstantIsEmitted) {
  TosaSerializer serializer;
  const BlockRef block = serializer.StartBlock(serializer.StartRegion("main"), "main");
  const Bytes bytes = {7};
  ASSERT_TRUE(serializer.AddConst(block, Shape{1}, DType::kINT8, bytes, "c").ok());
  ASSERT_TRUE(serializer.AddConst(block, Shape{1}, DType::kINT8, bytes, "c").ok());
  const Result<Module> module = serializer.Serialize();
  ASSERT_TRUE(module.ok());
  const Block& built = module->regions[0].blocks[0];
  EXPECT_EQ(built.operators.size(), 2u);
  EXPECT_EQ(built.values[0].name, "c");
  EXPECT_EQ(built.values[1].name, "c_1");
}

TEST(SerializerTest, MisuseIsADiagnostic) {
  TosaSerializer serializer;
  const BlockRef block = serializer.StartBlock(serializer.StartRegion("main"), "main");
  const BlockRef other = serializer.StartBlock({block.region}, "other");
  const TensorRef here = serializer.AddTensor(block, Shape{1}, DType::kFP32, "x");
  const TensorRef there = serializer.AddTensor(other, Shape{1}, DType::kFP32, "z");
  const auto add = [&](Op op, TensorRef in, std::vector<AttrValue> attrs) {
    return serializer.AddOperator(block, op, std::span(&in, 1), std::span(&here, 1),
                                  std::move(attrs));
  };
  EXPECT_FALSE(add(Op::IDENTITY, there, {}).ok());
  EXPECT_FALSE(add(Op::REVERSE, here, {}).ok());
  EXPECT_FALSE(add(Op::REVERSE, here, {std::string("axis")}).ok());
  EXPECT_FALSE(add(static_cast<Op>(200), here, {}).ok());
  EXPECT_TRUE(add(Op::REVERSE, here, {int64_t{0}}).ok());
  serializer.AddTensor({9, 9}, Shape{1}, DType::kFP32, "lost");
  const Result<Module> module = serializer.Serialize();
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.diag().rule, "serializer-misuse");
}

// ---- the pool itself, where every hash is the same ----

uint64_t Collide(const ConstantKey&) { return 42; }

TEST(ConstantPoolTest, CollisionsAreOrderedAndCompareExactly) {
  constexpr uint32_t kCount = 20'000;
  Block block;
  ConstantPool pool(Collide);
  std::vector<Bytes> stored;
  stored.reserve(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    // From the middle outwards, so that insertion meets every position.
    const uint32_t bits = i % 2 == 0 ? kCount + i : kCount - i;
    stored.push_back(Floats({bits}));
    Value value;
    value.dtype = DType::kFP32;
    value.shape = {1};
    value.data = stored.back();
    block.values.push_back(std::move(value));
    const ConstantKey key = {DType::kFP32, block.values[i].shape, stored[i]};
    ASSERT_FALSE(pool.Find(block, key).has_value());
    pool.Insert(block, i);
  }
  EXPECT_EQ(pool.size(), kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const ConstantKey key = {DType::kFP32, block.values[i].shape, stored[i]};
    ASSERT_EQ(pool.Find(block, key), i);
  }
  const Bytes absent = Floats({0xffffffff});
  EXPECT_FALSE(pool.Find(block, {DType::kFP32, block.values[0].shape, absent}).has_value());
}

}  // namespace
}  // namespace tosac
