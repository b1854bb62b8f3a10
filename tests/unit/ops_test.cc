// SPDX-License-Identifier: Apache-2.0
// Facts about the operator, data type and enumeration tables, written down a second time.
#include "tosac/ops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace tosac {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

TEST(Ops, CountsByVersion) {
  const auto of = [](int minor) {
    return std::count_if(Ops().begin(), Ops().end(),
                         [&](const OpInfo& info) { return info.since_minor == minor; });
  };
  EXPECT_EQ(Ops().size(), 100u);
  EXPECT_EQ(of(0), 75);
  EXPECT_EQ(of(1), 25);
}

TEST(Ops, TosaOneZeroComesFirst) {
  for (size_t i = 0; i < Ops().size(); ++i) {
    EXPECT_EQ(Ops()[i].since_minor, i < 75 ? 0 : 1) << Ops()[i].name;
  }
}

TEST(Ops, NumbersOfTheSchema) {
  EXPECT_EQ(static_cast<int>(*ParseOp("ARGMAX")), 1);
  EXPECT_EQ(static_cast<int>(*ParseOp("CONV2D")), 3);
  EXPECT_EQ(static_cast<int>(*ParseOp("CLAMP")), 11);
  EXPECT_EQ(static_cast<int>(*ParseOp("ADD")), 15);
  EXPECT_EQ(static_cast<int>(*ParseOp("MUL")), 28);
  EXPECT_EQ(static_cast<int>(*ParseOp("RESCALE")), 66);
  EXPECT_EQ(static_cast<int>(*ParseOp("CONST")), 67);
  EXPECT_EQ(static_cast<int>(*ParseOp("COND_IF")), 70);
  EXPECT_EQ(static_cast<int>(*ParseOp("CONST_SHAPE")), 75);
  EXPECT_EQ(static_cast<int>(*ParseOp("ROW_GATHER")), 99);
  EXPECT_EQ(static_cast<int>(*ParseOp("MATMUL_T")), 100);
}

TEST(Ops, EachRowIsFoundByNumberAndName) {
  std::set<std::string> names;
  for (const OpInfo& info : Ops()) {
    EXPECT_EQ(FindOp(info.op), &info);
    EXPECT_EQ(ParseOp(info.name), info.op);
    EXPECT_EQ(Name(info.op), info.name);
    EXPECT_EQ(info.mlir, Lower(info.name));
    EXPECT_TRUE(names.insert(std::string(info.name)).second) << info.name;
  }
}

TEST(Ops, UnknownNumbersAndNames) {
  EXPECT_EQ(FindOp(Op::kUnknown), nullptr);
  for (int number = kNumOps; number < 256; ++number) {
    EXPECT_EQ(FindOp(static_cast<Op>(number)), nullptr);
  }
  EXPECT_EQ(Name(static_cast<Op>(200)), "UNKNOWN");
  EXPECT_FALSE(ParseOp("UNKNOWN").has_value());
  EXPECT_FALSE(ParseOp("argmax").has_value());
  EXPECT_FALSE(ParseOp("").has_value());
}

TEST(Ops, RowsAreWellFormed) {
  for (const OpInfo& info : Ops()) {
    EXPECT_LE(info.attrs.size(), 5u) << info.name;
    std::set<std::string> operands;
    for (const OperandInfo& operand : info.inputs) {
      EXPECT_TRUE(operands.insert(std::string(operand.name)).second) << info.name;
    }
    std::set<std::string> attributes;
    for (const AttrInfo& attr : info.attrs) {
      EXPECT_TRUE(attributes.insert(std::string(attr.name)).second) << info.name;
      EXPECT_EQ(attr.kind == AttrKind::kEnum, attr.enum_type != EnumType::kNone) << info.name;
    }
  }
}

TEST(DTypes, BitsAndVersions) {
  struct Fact {
    const char* name;
    int number;
    int bits;
    int since_minor;
  };
  constexpr Fact kFacts[] = {
      {"BOOL", 1, 8, 0},     {"INT4", 2, 4, 0},     {"INT8", 3, 8, 0},     {"INT16", 4, 16, 0},
      {"INT32", 5, 32, 0},   {"INT48", 6, 48, 0},   {"FP32", 7, 32, 0},    {"FP16", 8, 16, 0},
      {"BF16", 9, 16, 0},    {"SHAPE", 10, 64, 0},  {"FP8E4M3", 11, 8, 0}, {"FP8E5M2", 12, 8, 0},
      {"FP6E2M3", 13, 6, 1}, {"FP6E3M2", 14, 6, 1}, {"FP4E2M1", 15, 4, 1}, {"FP8UE8M0", 16, 8, 1},
      {"INT64", 17, 64, 1},  {"MXINT8", 18, 8, 1},
  };
  size_t tosa_types = 0;
  for (const DTypeInfo& info : DTypes()) tosa_types += info.since_minor >= 0 ? 1 : 0;
  EXPECT_EQ(tosa_types, std::size(kFacts));
  for (const Fact& fact : kFacts) {
    const auto dtype = ParseDType(fact.name);
    ASSERT_TRUE(dtype.has_value()) << fact.name;
    EXPECT_EQ(static_cast<int>(*dtype), fact.number) << fact.name;
    EXPECT_EQ(FindDType(*dtype)->bits, fact.bits) << fact.name;
    EXPECT_EQ(FindDType(*dtype)->since_minor, fact.since_minor) << fact.name;
  }
}

TEST(DTypes, EachNumberFindsItsRowOrNone) {
  size_t found = 0;
  for (int number = 0; number < 256; ++number) {
    const DTypeInfo* info = FindDType(static_cast<DType>(number));
    if (info == nullptr) continue;
    EXPECT_EQ(static_cast<int>(info->dtype), number);
    EXPECT_EQ(ParseDType(info->name), info->dtype);
    ++found;
  }
  EXPECT_EQ(found, DTypes().size());
  EXPECT_EQ(Name(DType::kUnknown), "UNKNOWN");
}

TEST(DTypes, LogicalBytesRoundUpAndRefuseOverflow) {
  EXPECT_EQ(LogicalBytes(DType::kINT4, 5), 3u);
  EXPECT_EQ(LogicalBytes(DType::kFP4E2M1, 4), 2u);
  EXPECT_EQ(LogicalBytes(DType::kFP6E2M3, 4), 3u);
  EXPECT_EQ(LogicalBytes(DType::kFP6E3M2, 5), 4u);
  EXPECT_EQ(LogicalBytes(DType::kINT48, 3), 18u);
  EXPECT_EQ(LogicalBytes(DType::kSHAPE, 2), 16u);
  EXPECT_EQ(LogicalBytes(DType::kFP32, 0), 0u);
  EXPECT_EQ(LogicalBytes(DType::kUnknown, 1), std::nullopt);
  EXPECT_EQ(LogicalBytes(DType::kFP32, uint64_t{1} << 59), std::nullopt);
}

TEST(Enums, NamesByNumber) {
  EXPECT_EQ(EnumName(EnumType::kNanMode, 1), "PROPAGATE");
  EXPECT_EQ(EnumName(EnumType::kNanMode, 2), "IGNORE");
  EXPECT_EQ(EnumName(EnumType::kRounding, 1), "SINGLE_ROUND");
  EXPECT_EQ(EnumName(EnumType::kRounding, 3), "DOUBLE_ROUND");
  EXPECT_EQ(EnumName(EnumType::kResizeMode, 2), "BILINEAR");
  EXPECT_EQ(EnumName(EnumType::kBlockSize, 32), "BLOCK_SIZE_32");
  EXPECT_EQ(EnumName(EnumType::kDType, 7), "FP32");
  EXPECT_EQ(EnumName(EnumType::kDType, 19), std::nullopt);
  EXPECT_EQ(EnumName(EnumType::kNanMode, 3), std::nullopt);
  EXPECT_EQ(EnumName(EnumType::kBlockSize, 2), std::nullopt);
}

}  // namespace
}  // namespace tosac
