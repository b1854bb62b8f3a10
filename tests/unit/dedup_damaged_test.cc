// SPDX-License-Identifier: Apache-2.0
// What dedup leaves alone in files that no honest writer makes. Each was found by fuzzing.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tosac/serializer.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

// Two equal constants and their sum.
Module TwoZeros() {
  TosaSerializer serializer;
  const BlockRef block = serializer.StartBlock(serializer.StartRegion("main"), "main");
  const std::vector<int32_t> shape = {1};
  const std::vector<uint8_t> bytes(4, 0);
  Result<TensorRef> a = serializer.AddConst(block, shape, DType::kINT32, bytes, "a");
  Result<TensorRef> b = serializer.AddConst(block, shape, DType::kINT32, bytes, "b");
  EXPECT_TRUE(a.ok() && b.ok());
  const TensorRef sum = serializer.AddTensor(block, shape, DType::kINT32, "sum");
  const TensorRef operands[] = {*a, *b};
  EXPECT_TRUE(serializer.AddOperator(block, Op::ADD, operands, std::span(&sum, 1)).ok());
  serializer.AddOutput(sum);
  Result<Module> module = serializer.Serialize();
  EXPECT_TRUE(module.ok());
  return std::move(*module);
}

uint64_t Removed(Module module) {
  const bool none = ComputeStat(module).duplicate_constants == 0;
  EXPECT_EQ(none, Dedup(module)->renamed.empty());
  const Result<DedupReport> again = Dedup(module);
  EXPECT_TRUE(again.ok() && again->renamed.empty());
  return 3 - module.regions[0].blocks[0].operators.size();
}

TEST(DedupDamaged, AnUndamagedFileIsMerged) { EXPECT_EQ(Removed(TwoZeros()), 1u); }

TEST(DedupDamaged, ATensorThatTwoOperatorsMake) {
  Module module = TwoZeros();
  Block& block = module.regions[0].blocks[0];
  const Operator& sum = block.operators.back();
  Operator& second = block.operators[1];
  second.outputs = {sum.outputs[0]};  // now the constant and the sum make the same tensor
  block.values[sum.outputs[0]].has_data = true;
  block.values[sum.outputs[0]].data = block.values[0].data;
  EXPECT_EQ(Removed(std::move(module)), 0u);
}

TEST(DedupDamaged, AnInputThatAConstantMakes) {
  Module module = TwoZeros();
  Block& block = module.regions[0].blocks[0];
  block.inputs = {block.operators[1].outputs[0]};
  EXPECT_EQ(Removed(std::move(module)), 0u);
}

TEST(DedupDamaged, AConstantWithTheNameOfAVariable) {
  Module module = TwoZeros();
  Block& block = module.regions[0].blocks[0];
  block.values[block.operators[1].outputs[0]].variable_name = "state";
  EXPECT_EQ(Removed(std::move(module)), 0u);
}

}  // namespace
}  // namespace tosac
