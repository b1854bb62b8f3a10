// SPDX-License-Identifier: Apache-2.0
// Reading and writing back gives an equal module, in every form of constants.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/module_equal.h"
#include "support/modules.h"
#include "tosac/io.h"

namespace tosac {
namespace {

using ::tosac::testing::CompareOptions;
using ::tosac::testing::ModuleDifference;
using Bytes = std::vector<uint8_t>;

// Writes `module`, reads it again, compares; then once more, and the bytes must be the same.
void RoundTrip(const Module& module, ConstantForm form, const std::string& what) {
  const WriteOptions options = {.constants = form};
  Result<Bytes> written = WriteTosa(module, options);
  ASSERT_TRUE(written.ok()) << what << ": " << written.diag().ToString();
  Result<Module> again = ReadTosa(*written, nullptr, what);
  ASSERT_TRUE(again.ok()) << what << ": " << again.diag().ToString();
  const CompareOptions compare = {.external = form == ConstantForm::kAsIs};
  EXPECT_EQ(ModuleDifference(module, *again, compare), "") << what;
  EXPECT_EQ(again->file_bytes, written->size()) << what;
  Result<Bytes> twice = WriteTosa(*again, options);
  ASSERT_TRUE(twice.ok()) << what << ": " << twice.diag().ToString();
  EXPECT_TRUE(*written == *twice) << what << ": other bytes the second time";
  for (const Region& region : again->regions) {
    for (const Block& block : region.blocks) {
      for (const Value& value : block.values) {
        if (value.data.empty()) continue;
        EXPECT_EQ((value.data.data() - written->data()) % 8, 0) << what << " " << value.name;
        if (value.is_shape || form == ConstantForm::kAsIs) continue;
        EXPECT_EQ(value.external, form == ConstantForm::kExternal) << what << " " << value.name;
      }
    }
  }
}

void RoundTripEachForm(const Module& module, const std::string& what) {
  RoundTrip(module, ConstantForm::kAsIs, what + " as it is");
  RoundTrip(module, ConstantForm::kInline, what + " inside");
  RoundTrip(module, ConstantForm::kExternal, what + " outside");
}

void RoundTripFile(const std::string& path) {
  Result<Module> module = ReadTosaFile(path);
  ASSERT_TRUE(module.ok()) << module.diag().ToString();
  EXPECT_FALSE(module->regions.empty());
  RoundTripEachForm(*module, path);
}

TEST(RoundTrip, SmallFiles) {
  const std::vector<std::string> files = testing::SmallTosaFiles();
  EXPECT_GE(files.size(), 15u);
  for (const std::string& path : files) RoundTripFile(path);
}

TEST(RoundTrip, Fixtures) {
  const std::optional<std::string> fixtures = testing::FixturesDirectory();
  if (!fixtures) GTEST_SKIP() << "TOSAC_FIXTURES is not set: no further files to read";
  const std::vector<std::string> files = testing::FilesUnder(*fixtures + "/tosa", ".tosa");
  EXPECT_FALSE(files.empty());
  for (const std::string& path : files) RoundTripFile(path);
}

TEST(RoundTrip, EverythingAFileCanHold) {
  RoundTripEachForm(testing::EverythingModule(), "everything");
}

TEST(RoundTrip, EmptyModule) { RoundTripEachForm(Module(), "empty"); }

TEST(Reader, UnalignedBytesAreCopied) {
  const Bytes file = testing::ReadBytes(testing::DataPath("mlp_fp.tosa"));
  Bytes shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  Result<Module> aligned = ReadTosa(file, nullptr, "aligned");
  Result<Module> unaligned = ReadTosa(std::span(shifted).subspan(1), nullptr, "unaligned");
  ASSERT_TRUE(aligned.ok() && unaligned.ok());
  shifted.assign(shifted.size(), 0);
  EXPECT_EQ(ModuleDifference(*aligned, *unaligned), "");
}

TEST(Reader, KeepsTheOwnerOfItsBytes) {
  auto bytes = std::make_shared<const Bytes>(testing::ReadBytes(testing::DataPath("mlp_fp.tosa")));
  const std::weak_ptr<const Bytes> watch = bytes;
  {
    const std::span<const uint8_t> view = *bytes;
    Result<Module> module = ReadTosa(view, std::move(bytes), "owned");
    ASSERT_TRUE(module.ok());
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Writer, EmptyConstantStaysAConstantOutside) {
  Module module;
  module.regions.resize(1);
  module.regions[0].blocks.resize(1);
  testing::AddConstant(&module, &module.regions[0].blocks[0], "none", DType::kFP32, {0}, {});
  RoundTripEachForm(module, "no bytes");
}

// A built module of one block, with what is wrong with it; the writer must name `rule`.
void ExpectRefused(const Module& module, std::string_view rule) {
  Result<Encoded> encoded = EncodeTosa(module);
  ASSERT_FALSE(encoded.ok()) << rule;
  EXPECT_EQ(encoded.diag().rule, rule) << encoded.diag().ToString();
  EXPECT_FALSE(encoded.diag().location.path.empty()) << rule;
}

class WriterRefuses : public ::testing::Test {
 protected:
  WriterRefuses() {
    module_.regions.resize(1);
    module_.regions[0].name = "main";
    module_.regions[0].blocks.resize(1);
    block_ = module_.regions[0].blocks.data();
    block_->name = "main";
    testing::AddValue(block_, "x", DType::kFP32, {1});
  }
  void AddOperator(Op op, std::vector<ValueId> inputs, std::vector<AttrValue> attrs) {
    Operator& added = block_->operators.emplace_back();
    added.op = op;
    added.inputs = std::move(inputs);
    added.attrs = std::move(attrs);
  }
  Module module_;
  Block* block_;
};

TEST_F(WriterRefuses, TypesOfPyTorch) {
  testing::AddValue(block_, "y", DType::kFP64, {1});
  ExpectRefused(module_, "tosa-dtype");
}

TEST_F(WriterRefuses, TwoTensorsOfOneName) {
  testing::AddValue(block_, "x", DType::kFP32, {1});
  ExpectRefused(module_, "tosa-duplicate-name");
}

TEST_F(WriterRefuses, TooFewBytes) {
  testing::AddConstant(&module_, block_, "c", DType::kFP32, {2}, {1, 2, 3, 4});
  ExpectRefused(module_, "tosa-constant-bytes");
}

TEST_F(WriterRefuses, OperandsOutOfRange) {
  AddOperator(Op::ABS, {1}, {});
  ExpectRefused(module_, "tosa-unknown-operand");
}

TEST_F(WriterRefuses, BlockOutputsOutOfRange) {
  block_->outputs = {7};
  ExpectRefused(module_, "tosa-unknown-operand");
}

TEST_F(WriterRefuses, MissingAttributes) {
  AddOperator(Op::CONCAT, {0}, {});
  ExpectRefused(module_, "tosa-attribute-tag");
}

TEST_F(WriterRefuses, AttributesOfAnotherKind) {
  AddOperator(Op::CONCAT, {0}, {AttrValue(std::string("axis"))});
  ExpectRefused(module_, "tosa-attribute-tag");
}

TEST_F(WriterRefuses, OperatorsWithoutARow) {
  AddOperator(Op::kUnknown, {0}, {});
  ExpectRefused(module_, "tosa-attribute-tag");
}

TEST_F(WriterRefuses, ShapesWithoutARank) {
  block_->values[testing::AddValue(block_, "s", DType::kSHAPE, {})].is_shape = true;
  ExpectRefused(module_, "tosa-shape-overflow");
}

}  // namespace
}  // namespace tosac
