// SPDX-License-Identifier: Apache-2.0
// Small modules for the tests of stat, diff and dedup.
#ifndef TOSAC_TESTS_UNIT_SMALL_GRAPH_H_
#define TOSAC_TESTS_UNIT_SMALL_GRAPH_H_

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tosac/serializer.h"

namespace tosac {

// A serializer whose tensors are FP32 [2] unless it is told otherwise. It starts with the region
// and block "main".
class SmallGraph {
 public:
  explicit SmallGraph(Version version = {}) : serializer_(version), block_(Region("main")) {}

  // Starts a region with one block of the same name, and builds there from now on.
  BlockRef Region(std::string_view name) {
    block_ = serializer_.StartBlock(serializer_.StartRegion(name), name);
    return block_;
  }
  BlockRef Block(RegionRef region, std::string_view name) {
    block_ = serializer_.StartBlock(region, name);
    return block_;
  }

  TensorRef Input(std::string_view name, std::vector<int32_t> shape = {2},
                  DType dtype = DType::kFP32) {
    return serializer_.AddInputTensor(block_, shape, dtype, name);
  }
  TensorRef Const(const std::vector<uint8_t>& bytes, std::vector<int32_t> shape, DType dtype,
                  std::string_view name = "constant", std::string_view location = {}) {
    Result<TensorRef> tensor =
        serializer_.AddUnpooledConst(block_, shape, dtype, bytes, name, nullptr, location);
    EXPECT_TRUE(tensor.ok());
    return *tensor;
  }
  // Two floats.
  TensorRef Floats(float a, float b, std::string_view name = "constant",
                   std::string_view location = {}) {
    std::vector<uint8_t> bytes(8);
    std::memcpy(bytes.data(), &a, 4);
    std::memcpy(bytes.data() + 4, &b, 4);
    return Const(bytes, {2}, DType::kFP32, name, location);
  }
  TensorRef ConstShape(const std::vector<int64_t>& dims, std::string_view name = "shape") {
    std::vector<uint8_t> bytes(dims.size() * 8);
    if (!dims.empty()) std::memcpy(bytes.data(), dims.data(), bytes.size());
    return Const(bytes, {static_cast<int32_t>(dims.size())}, DType::kSHAPE, name);
  }

  TensorRef Tensor(std::string_view name, std::vector<int32_t> shape = {2},
                   DType dtype = DType::kFP32) {
    return serializer_.AddTensor(block_, shape, dtype, name);
  }
  // An operator with one result.
  TensorRef Op1(Op op, std::vector<TensorRef> inputs, std::string_view name,
                std::vector<AttrValue> attrs = {}, std::vector<int32_t> shape = {2},
                DType dtype = DType::kFP32) {
    const TensorRef result = Tensor(name, std::move(shape), dtype);
    Emit(op, std::move(inputs), {result}, std::move(attrs));
    return result;
  }
  void Emit(Op op, std::vector<TensorRef> inputs, std::vector<TensorRef> outputs,
            std::vector<AttrValue> attrs = {}, std::string_view location = {}) {
    const Result<void> added =
        serializer_.AddOperator(block_, op, inputs, outputs, std::move(attrs), location);
    EXPECT_TRUE(added.ok()) << (added.ok() ? "" : added.diag().ToString());
  }
  void Output(TensorRef tensor) { serializer_.AddOutput(tensor); }

  Module Finish() {
    Result<Module> module = serializer_.Serialize();
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.diag().ToString());
    return std::move(*module);
  }

  TosaSerializer& serializer() { return serializer_; }
  BlockRef block() const { return block_; }

 private:
  TosaSerializer serializer_;
  BlockRef block_;
};

// "CONST a, CONST_SHAPE b, ADD sum": operators with the names of their first results.
inline std::string Operators(const Block& block) {
  std::string text;
  for (const Operator& op : block.operators) {
    text += (text.empty() ? "" : ", ") + std::string(Name(op.op));
    if (!op.outputs.empty()) text += " " + std::string(block.values[op.outputs[0]].name);
  }
  return text;
}

inline std::vector<std::string> Names(const Block& block, const std::vector<ValueId>& ids) {
  std::vector<std::string> names;
  for (const ValueId id : ids) names.emplace_back(block.values[id].name);
  return names;
}

inline const Block& Main(const Module& module) { return module.regions[0].blocks[0]; }

}  // namespace tosac

#endif  // TOSAC_TESTS_UNIT_SMALL_GRAPH_H_
