// SPDX-License-Identifier: Apache-2.0
// A .tosa file with any one byte changed, or cut anywhere, is read or refused with a diagnostic.
// Runs under the sanitizers too, where a read out of bounds ends it.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tosac/io.h"
#include "tosac/serializer.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

// Two equal constants, an operator with attributes, a shape: something of each.
std::vector<uint8_t> SmallFile() {
  TosaSerializer serializer;
  const BlockRef block = serializer.StartBlock(serializer.StartRegion("main"), "main");
  const std::vector<int32_t> shape = {2, 2};
  const std::vector<int32_t> two = {2};
  const std::vector<uint8_t> bytes(16, 7);
  const TensorRef input = serializer.AddInputTensor(block, shape, DType::kFP32, "in");
  const TensorRef sum = serializer.AddTensor(block, shape, DType::kFP32, "sum");
  const TensorRef out = serializer.AddTensor(block, shape, DType::kFP32, "out");
  TensorRef constants[2];
  for (TensorRef& constant : constants) {
    Result<TensorRef> added = serializer.AddConst(block, shape, DType::kFP32, bytes, "c");
    EXPECT_TRUE(added.ok());
    constant = *added;
  }
  Result<TensorRef> to = serializer.AddConst(block, two, DType::kSHAPE, bytes, "to");
  EXPECT_TRUE(to.ok());
  const TensorRef sum_operands[] = {input, constants[0]};
  const TensorRef out_operands[] = {sum, constants[1]};
  EXPECT_TRUE(serializer.AddOperator(block, Op::ADD, sum_operands, std::span(&sum, 1)).ok());
  EXPECT_TRUE(serializer.AddOperator(block, Op::ADD, out_operands, std::span(&out, 1)).ok());
  serializer.AddOutput(out);
  Result<Module> module = serializer.Serialize();
  EXPECT_TRUE(module.ok());
  Result<std::vector<uint8_t>> written = WriteTosa(*module);
  EXPECT_TRUE(written.ok());
  return *written;
}

// Reads `bytes`, which lie in a block of memory of just their size, and uses what was read.
void Use(const std::vector<uint8_t>& bytes, const std::string& what) {
  Result<Module> module = ReadTosa(bytes, nullptr, "damaged");
  if (!module.ok()) {
    EXPECT_FALSE(module.diag().rule.empty()) << what;
    EXPECT_FALSE(module.diag().message.empty()) << what;
    EXPECT_EQ(module.diag().location.file, "damaged") << what;
    return;
  }
  EXPECT_FALSE(Diff(*module, *module).has_value()) << what;
  EXPECT_FALSE(StatText(ComputeStat(*module)).empty()) << what;
  EXPECT_TRUE(Dedup(*module).ok()) << what;
}

TEST(DamagedFile, AnyByteChanged) {
  const std::vector<uint8_t> good = SmallFile();
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int value : {0, 1, 4, 0x7f, 0x80, 0xfc, 0xff, good[i] + 1, good[i] + 4}) {
      std::vector<uint8_t> bad = good;
      bad[i] = static_cast<uint8_t>(value);
      Use(bad, "byte " + std::to_string(i) + " = " + std::to_string(value));
    }
  }
}

TEST(DamagedFile, CutAnywhere) {
  const std::vector<uint8_t> good = SmallFile();
  for (size_t size = 0; size < good.size(); ++size) {
    std::vector<uint8_t> bad(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    Use(bad, "cut to " + std::to_string(size));
  }
}

}  // namespace
}  // namespace tosac
