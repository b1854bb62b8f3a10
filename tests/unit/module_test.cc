// SPDX-License-Identifier: Apache-2.0
#include "tosac/module.h"

#include <gtest/gtest.h>

#include <memory>

#include "support/modules.h"

namespace tosac {
namespace {

using ::tosac::testing::MakeValue;
using Bytes = std::vector<uint8_t>;

// Both ways, and the hash with it.
bool Equal(const Value& a, const Value& b) {
  const bool equal = EqualBytes(a, b);
  EXPECT_EQ(EqualBytes(b, a), equal);
  if (equal && a.dtype == b.dtype && a.shape == b.shape) {
    EXPECT_EQ(HashConstant(a), HashConstant(b));
  } else {
    EXPECT_NE(HashConstant(a), HashConstant(b));
  }
  return equal;
}

TEST(Value, NumElements) {
  EXPECT_EQ(MakeValue(DType::kINT8, {}, {}).NumElements(), 1u);
  EXPECT_EQ(MakeValue(DType::kINT8, {2, 3}, {}).NumElements(), 6u);
  EXPECT_EQ(MakeValue(DType::kINT8, {2, 0}, {}).NumElements(), 0u);
  EXPECT_EQ(MakeValue(DType::kINT8, {2, -1}, {}).NumElements(), std::nullopt);
  const int32_t max = INT32_MAX;
  EXPECT_EQ(MakeValue(DType::kINT8, {max, max, max}, {}).NumElements(), std::nullopt);
}

TEST(Value, LogicalDataLeavesPaddingOut) {
  const Bytes bytes(8, 1);
  EXPECT_EQ(MakeValue(DType::kINT4, {5}, bytes).LogicalData().size(), 3u);
  EXPECT_EQ(MakeValue(DType::kFP6E2M3, {5}, bytes).LogicalData().size(), 4u);
  EXPECT_EQ(MakeValue(DType::kINT48, {1}, bytes).LogicalData().size(), 6u);
  EXPECT_EQ(MakeValue(DType::kFP32, {2}, bytes).LogicalData().size(), 8u);
  EXPECT_EQ(MakeValue(DType::kFP32, {3}, bytes).LogicalData().size(), 8u);   // too short: all
  EXPECT_EQ(MakeValue(DType::kFP32, {-1}, bytes).LogicalData().size(), 8u);  // unknown: all
  Value unranked = MakeValue(DType::kINT8, {}, bytes);
  unranked.is_unranked = true;
  EXPECT_EQ(unranked.LogicalData().size(), 8u);
}

TEST(Value, EqualBytesLooksAtLogicalBytesOnly) {
  const Bytes a = {1, 2, 3, 4, 0, 0, 0, 0};
  const Bytes b = {1, 2, 3, 4, 9, 9, 9, 9};
  const Bytes c = {1, 2, 3, 5};
  EXPECT_TRUE(Equal(MakeValue(DType::kFP32, {1}, a), MakeValue(DType::kFP32, {1}, b)));
  EXPECT_FALSE(Equal(MakeValue(DType::kFP32, {1}, a), MakeValue(DType::kFP32, {1}, c)));
  EXPECT_FALSE(Equal(MakeValue(DType::kFP32, {1}, a), MakeValue(DType::kFP32, {2}, b)));
  EXPECT_TRUE(Equal(MakeValue(DType::kFP32, {1}, a), MakeValue(DType::kINT32, {1}, b)));
  EXPECT_TRUE(Equal(MakeValue(DType::kFP32, {1}, a), MakeValue(DType::kFP32, {}, a)));
}

TEST(Value, EqualBytesMasksSpareBits) {
  const Bytes a = {0x21, 0x43, 0x05};
  const Bytes b = {0x21, 0x43, 0xf5};
  const Bytes c = {0x21, 0x43, 0x06};
  for (const DType dtype : {DType::kINT4, DType::kFP4E2M1}) {
    EXPECT_TRUE(Equal(MakeValue(dtype, {5}, a), MakeValue(dtype, {5}, b)));
    EXPECT_FALSE(Equal(MakeValue(dtype, {5}, a), MakeValue(dtype, {5}, c)));
    EXPECT_FALSE(Equal(MakeValue(dtype, {6}, a), MakeValue(dtype, {6}, b)));
  }
  // Three elements of six bits: 18 bits, so that two bits of the third byte count.
  const Bytes d = {0x21, 0x43, 0x01};
  EXPECT_TRUE(Equal(MakeValue(DType::kFP6E2M3, {3}, a), MakeValue(DType::kFP6E2M3, {3}, d)));
  EXPECT_FALSE(Equal(MakeValue(DType::kFP6E3M2, {3}, a), MakeValue(DType::kFP6E3M2, {3}, c)));
  EXPECT_TRUE(Equal(MakeValue(DType::kINT4, {1}, {a}), MakeValue(DType::kINT4, {1}, Bytes{0xf1})));
}

TEST(Value, SignedZerosAndNanPayloadsDiffer) {
  const Bytes zero = {0, 0, 0, 0};
  const Bytes minus_zero = {0, 0, 0, 0x80};
  const Bytes nan = {0, 0, 0xc0, 0x7f};
  const Bytes other_nan = {1, 0, 0xc0, 0x7f};
  EXPECT_FALSE(Equal(MakeValue(DType::kFP32, {1}, zero), MakeValue(DType::kFP32, {1}, minus_zero)));
  EXPECT_FALSE(Equal(MakeValue(DType::kFP32, {1}, nan), MakeValue(DType::kFP32, {1}, other_nan)));
}

TEST(Value, EmptyConstants) {
  const Bytes some = {1, 2, 3, 4};
  EXPECT_TRUE(Equal(MakeValue(DType::kFP32, {0}, {}), MakeValue(DType::kFP32, {0}, some)));
  EXPECT_FALSE(Equal(MakeValue(DType::kFP32, {0}, {}), MakeValue(DType::kFP32, {1}, some)));
}

TEST(Module, OwnedTextAndBytesSurviveMoves) {
  Module module;
  const std::string_view name = module.Own(std::string("x"));
  const std::span<const uint8_t> bytes = module.Own(Bytes{1, 2});
  auto owner = std::make_shared<int>(1);
  module.Keep(owner);
  module.Keep(owner);
  EXPECT_EQ(owner.use_count(), 2);
  module.Keep(nullptr);
  Module moved = std::move(module);
  for (int i = 0; i < 100; ++i) moved.Own("text " + std::to_string(i));
  EXPECT_EQ(name, "x");
  EXPECT_EQ(bytes[1], 2);
  moved = Module();
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(Module, OperatorPathNamesThePlace) {
  Region region;
  region.name = "main";
  region.blocks.resize(1);
  region.blocks[0].name = "entry";
  region.blocks[0].operators.resize(1);
  region.blocks[0].operators[0].op = Op::CONV2D;
  EXPECT_EQ(OperatorPath(region, region.blocks[0], 0), "main/entry/op0 CONV2D");
}

}  // namespace
}  // namespace tosac
