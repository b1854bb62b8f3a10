// SPDX-License-Identifier: Apache-2.0
// Each way in which a .tosa file can be wrong gives one diagnostic, with its rule and its place.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/raw_tosa.h"
#include "tosac/io.h"

namespace tosac {
namespace {

using ::tosac::testing::RawFile;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kAbs = 32;
constexpr uint32_t kClamp = 11;

// x -> ABS -> y, with nothing wrong.
RawFile Good() {
  RawFile file;
  file.tensors = {{.name = "x", .shape = {2}, .data = {}}, {.name = "y", .shape = {2}, .data = {}}};
  file.operators = {{.op = kAbs, .tag = kAbs, .inputs = {"x"}, .outputs = {"y"}, .location = {}}};
  file.inputs = {"x"};
  file.outputs = {"y"};
  return file;
}

void ExpectBad(const Bytes& bytes, std::string_view rule, const std::string& path) {
  Result<Module> module = ReadTosa(bytes, nullptr, "bad.tosa");
  ASSERT_FALSE(module.ok()) << rule;
  EXPECT_EQ(module.diag().rule, rule) << module.diag().ToString();
  EXPECT_EQ(module.diag().location.file, "bad.tosa");
  EXPECT_EQ(module.diag().location.path, path);
  EXPECT_FALSE(module.diag().message.empty());
}

void ExpectBad(const RawFile& file, std::string_view rule, const std::string& path) {
  ExpectBad(Build(file), rule, path);
}

TEST(BadTosa, TheGoodOneIsRead) {
  const Bytes bytes = Build(Good());
  Result<Module> module = ReadTosa(bytes, nullptr, "good");
  ASSERT_TRUE(module.ok()) << module.diag().ToString();
  const Block& block = module->regions.at(0).blocks.at(0);
  EXPECT_EQ(block.operators.at(0).op, Op::ABS);
  EXPECT_EQ(block.values.at(block.operators[0].outputs.at(0)).name, "y");
}

TEST(BadTosa, Empty) { ExpectBad(Bytes(), "tosa-empty", ""); }

TEST(BadTosa, WrongIdentifier) {
  Bytes bytes = Build(Good());
  bytes[4] = 'X';
  ExpectBad(bytes, "tosa-identifier", "");
  ExpectBad(Bytes(7, 'T'), "tosa-identifier", "");
}

TEST(BadTosa, Random) {
  std::mt19937 random(1);
  Bytes bytes(4096);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  ExpectBad(bytes, "tosa-identifier", "");
  for (int i = 0; i < 200; ++i) {  // with a head that looks right
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    std::copy_n("\x08\0\0\0TOSA", 8, bytes.begin());
    Result<Module> module = ReadTosa(bytes, nullptr, "random");
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.diag().rule, "tosa-damaged");
  }
}

TEST(BadTosa, Truncated) {
  const Bytes good = testing::ReadBytes(testing::DataPath("mlp_fp.tosa"));
  for (size_t size = 8; size < good.size(); size += 97) {
    const Bytes bad(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    Result<Module> module = ReadTosa(bad, nullptr, "cut");
    ASSERT_FALSE(module.ok()) << size;
    EXPECT_EQ(module.diag().rule, "tosa-damaged") << size;
  }
}

TEST(BadTosa, Version) {
  RawFile file = Good();
  file.major = 2;
  ExpectBad(file, "tosa-version", "");
  file.major = 0;
  file.minor = 80;
  ExpectBad(file, "tosa-version", "");
  file.major = 1;
  file.minor = 2;
  ExpectBad(file, "tosa-version", "");
  file.minor = -1;
  ExpectBad(file, "tosa-version", "");
}

TEST(BadTosa, RootOutOfRange) {
  for (const uint32_t root : {0u, 4u, 9u, 0x7fffffffu, 0xffffffffu}) {
    Bytes bytes = Build(Good());
    std::copy_n(reinterpret_cast<const uint8_t*>(&root), 4, bytes.begin());
    ExpectBad(bytes, "tosa-damaged", "");
  }
}

TEST(BadTosa, OffsetsOutOfRange) {
  const Bytes good = Build(Good());
  size_t refused = 0;
  for (size_t at = 8; at + 4 <= good.size(); at += 4) {
    Bytes bytes = good;
    const uint32_t far = 0x40000000;
    std::copy_n(reinterpret_cast<const uint8_t*>(&far), 4,
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
    Result<Module> module = ReadTosa(bytes, nullptr, "far");
    refused += module.ok() ? 0 : 1;
  }
  EXPECT_GT(refused, good.size() / 8);
}

TEST(BadTosa, AttributeTag) {
  RawFile file = Good();
  file.operators[0].tag = kClamp;
  ExpectBad(file, "tosa-attribute-tag", "region 0/block 0/operator 0");
  file.operators[0].tag = 255;
  ExpectBad(file, "tosa-attribute-tag", "region 0/block 0/operator 0");
  // An operator that has attributes, but no table of them.
  file.operators[0] = {.op = kClamp,
                       .tag = 0,
                       .attribute = false,
                       .inputs = {"x"},
                       .outputs = {"y"},
                       .location = {}};
  ExpectBad(file, "tosa-attribute-tag", "region 0/block 0/operator 0");
  file.operators[0].tag = kClamp;
  ExpectBad(file, "tosa-damaged", "region 0/block 0/operator 0");
}

TEST(BadTosa, NoAttributeTableIsNeededWhereThereAreNoAttributes) {
  RawFile file = Good();
  file.operators[0].tag = 0;
  file.operators[0].attribute = false;
  const Bytes bytes = Build(file);
  EXPECT_TRUE(ReadTosa(bytes, nullptr, "plain").ok());
}

TEST(BadTosa, UnknownOperand) {
  RawFile file = Good();
  file.operators[0].inputs = {"z"};
  ExpectBad(file, "tosa-unknown-operand", "main/main/op0 ABS");
  file = Good();
  file.outputs = {"z"};
  ExpectBad(file, "tosa-unknown-operand", "main/main/outputs");
  file = Good();
  file.inputs = {"z"};
  ExpectBad(file, "tosa-unknown-operand", "main/main/inputs");
}

TEST(BadTosa, DuplicateName) {
  RawFile file = Good();
  file.tensors.push_back({.name = "x", .shape = {3}, .data = {}});
  ExpectBad(file, "tosa-duplicate-name", "main/main");
}

TEST(BadTosa, OperatorNumber) {
  for (const uint32_t number : {0u, 101u, 255u, 256u + kAbs, 0xffffffffu}) {
    RawFile file = Good();
    file.operators[0].op = number;
    ExpectBad(file, "tosa-operator-number", "region 0/block 0/operator 0");
  }
}

TEST(BadTosa, DataTypeNumber) {
  for (const uint32_t number : {19u, 64u, 256u + 7u, 0xffffffffu}) {
    RawFile file = Good();
    file.tensors[1].type = number;
    ExpectBad(file, "tosa-dtype", "main/main/tensor y");
  }
}

TEST(BadTosa, ShapeOverflow) {
  RawFile file = Good();
  file.tensors[0].shape = {INT32_MAX, INT32_MAX, INT32_MAX};
  ExpectBad(file, "tosa-shape-overflow", "main/main/tensor x");
  file.tensors[0].shape = {INT32_MAX, INT32_MAX, 4};  // fits 64 bits; its bytes do not
  ExpectBad(file, "tosa-shape-overflow", "main/main/tensor x");
}

TEST(BadTosa, ConstantBytes) {
  RawFile file = Good();
  file.tensors[0].data = Bytes(7);
  ExpectBad(file, "tosa-constant-bytes", "main/main/tensor x");
  file.tensors[0].data = Bytes(8);
  const Bytes enough = Build(file);
  EXPECT_TRUE(ReadTosa(enough, nullptr, "enough").ok());
  file.tensors[0].shape = {INT32_MAX};
  ExpectBad(file, "tosa-constant-bytes", "main/main/tensor x");
}

TEST(BadTosa, ExternalBounds) {
  const uint64_t size = Build(Good()).size();
  RawFile file = Good();
  const auto expect_bad = [&](uint64_t offset, uint64_t bytes) {
    file.tensors[0].offset = offset;
    file.tensors[0].size = bytes;
    ExpectBad(file, "tosa-external-bounds", "main/main/tensor x");
  };
  expect_bad(size + 1000, 8);     // past the end
  expect_bad(16, size + 1000);    // longer than the file
  expect_bad(UINT64_MAX - 3, 8);  // the sum wraps
  expect_bad(16, UINT64_MAX - 3);
  expect_bad(UINT64_MAX, UINT64_MAX);
  file.tensors[0].offset = 16;
  file.tensors[0].size = 4;
  ExpectBad(file, "tosa-constant-bytes", "main/main/tensor x");
}

TEST(BadTosa, SharedTables) {
  RawFile file = Good();
  file.region_copies = 2000;
  file.block_copies = 2000;
  file.operator_copies = 2000;
  const Bytes bytes = Build(file);
  EXPECT_LT(bytes.size(), 30'000u);
  ExpectBad(bytes, "tosa-bomb", "region 0/block 0/operator 758");
}

TEST(BadTosa, SharedTensors) {
  RawFile file = Good();
  file.block_copies = 3000;
  file.tensor_copies = 3000;
  Result<Module> module = ReadTosa(Build(file), nullptr, "bomb");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.diag().rule, "tosa-bomb");
}

TEST(BadTosa, SharedNames) {
  RawFile file = Good();
  const std::string name(1'000'000, 'n');
  file.tensors[0].name = name;
  file.inputs = {};
  file.operators[0].inputs = {name};
  file.operator_copies = 5000;
  ExpectBad(file, "tosa-bomb", "main/main/op82 ABS");
}

TEST(BadTosa, SharedLocations) {
  RawFile file = Good();
  file.operators[0].location = std::string(1'000'000, 'l');
  file.operator_copies = 5000;
  Result<Module> module = ReadTosa(Build(file), nullptr, "bomb");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.diag().rule, "tosa-bomb");
}

TEST(BadTosa, SharedRegionName) {
  RawFile file;
  file.region_name = std::string(1'000'000, 'r');
  file.block_copies = 50'000;
  Result<Module> module = ReadTosa(Build(file), nullptr, "bomb");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.diag().rule, "tosa-bomb");
}

TEST(BadTosa, FilesThatCanNotBeOpened) {
  Result<Module> missing = ReadTosaFile(testing::DataPath("no such file.tosa"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.diag().rule, "io-open");
  Result<Module> directory = ReadTosaFile(testing::DataPath("."));
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.diag().rule, "io-open");
}

}  // namespace
}  // namespace tosac
