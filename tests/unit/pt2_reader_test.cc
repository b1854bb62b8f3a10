// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/files.h"
#include "support/zip_writer.h"
#include "tosac/program.h"

namespace tosac::fx {
namespace {

using testing::DataPath;
using testing::EntryEndingIn;
using testing::FilesUnder;
using ::testing::HasSubstr;
using testing::ReadBytes;
using testing::ReadZipSpecs;
using testing::WriteZip;
using testing::ZipSpec;

constexpr std::string_view kProgram = "/models/model.json";
constexpr std::string_view kWeights = "/model_weights_config.json";

std::string MlpPath() { return DataPath("../../examples/mlp.pt2"); }
std::vector<ZipSpec> MlpEntries() { return ReadZipSpecs(ReadBytes(MlpPath())); }

Result<Program> Read(std::vector<uint8_t> bytes) {
  const auto owner = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
  return ReadPt2(*owner, owner, "model.pt2");
}

// Replaces the first `from` in `text`.
void Replace(std::string* text, std::string_view from, std::string_view to) {
  const size_t at = text->find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text->replace(at, from.size(), to);
}

// Every constant's bytes: the first error, or "".
std::string ConstantsError(const Program& program) {
  for (const auto& graph : program.graphs()) {
    for (const Node* node : graph->Nodes()) {
      if (node->constant == nullptr) continue;
      const auto bytes = node->constant->Bytes();
      if (!bytes.ok()) return bytes.diag().ToString();
    }
  }
  return "";
}

constexpr std::string_view kMlpText = "%softmax : f32[3,4] = aten.softmax.int(%linear_1, -1)";

TEST(Pt2Reader, ReadsTheMlp) {
  const auto program = ReadPt2File(MlpPath());
  ASSERT_TRUE(program.ok()) << program.diag().ToString();
  EXPECT_TRUE(Verify(*program).ok());
  EXPECT_THAT(ToText(*program), HasSubstr(kMlpText));
  const Graph& graph = program->main();
  ASSERT_EQ(graph.inputs().size(), 1U);
  EXPECT_EQ(graph.inputs()[0]->name, "input");
  EXPECT_EQ(ToString(graph.inputs()[0]->type), "f32[3,16]");
  ASSERT_EQ(graph.outputs().size(), 1U);
  EXPECT_EQ(graph.outputs()[0]->name, "softmax");
  const Node* weight = graph.first();
  EXPECT_TRUE(weight->IsTosa(Op::CONST));
  EXPECT_EQ(weight->name, "p_0_weight");
  EXPECT_EQ(weight->fqn, "0.weight");
  EXPECT_FALSE(weight->pooled) << "the graph owns it";
  const auto bytes = weight->constant->Bytes();
  ASSERT_TRUE(bytes.ok());
  auto entries = MlpEntries();
  const std::string& stored = EntryEndingIn(entries, "weight_0").contents;
  ASSERT_EQ(bytes->bytes.size(), stored.size());
  EXPECT_EQ(std::memcmp(bytes->bytes.data(), stored.data(), stored.size()), 0);
}

TEST(Pt2Reader, AnyWayToZipReadsTheSame) {
  const std::string expected = ToText(*Read(ReadBytes(MlpPath())));
  auto entries = MlpEntries();
  for (const bool deflate : {false, true}) {
    for (const bool zip64 : {false, true}) {
      for (ZipSpec& entry : entries) {
        entry.deflate = deflate;
        Replace(&entry.name, entry.name.substr(0, entry.name.find('/')), "other name");
      }
      const std::vector<uint8_t> archive = WriteZip(entries, zip64);
      const auto program = Read(archive);
      ASSERT_TRUE(program.ok()) << program.diag().ToString();
      EXPECT_EQ(ToText(*program), expected);
      EXPECT_EQ(ConstantsError(*program), "");
    }
  }
}

struct BadText {
  std::string_view entry;
  std::string_view from;
  std::string_view to;
  const char* rule;
  const char* message;
};

constexpr std::string_view kLinear = R"({"name": "input", "arg": {"as_tensor": {"name": "input"}})";

const BadText kBadTexts[] = {
    {kProgram, "{\"graph_module\"", "{\"graph_modul\"", "program-json", "graph_module"},
    {kProgram, "}", "", "archive-json", "can not be parsed"},
    {kProgram, "\"major\": 8", "\"major\": 9", "archive-schema", "major version 9"},
    {kProgram, "schema_version", "schema", "archive-schema", "no schema version"},
    {kProgram, "\"nodes\"", "\"node\"", "program-json", "no nodes"},
    {kProgram, "\"tensor_values\"", "\"t\"", "program-json", "no tensor_values"},
    {kProgram, kLinear, R"({"name": "input", "arg": {"as_tensor": {"name": "relu"}})",
     "program-node", "relu is not defined before this node"},
    {kProgram, kLinear, R"({"name": "input", "arg": {"as_custom_obj": {"name": "q"}})",
     "program-node", "as_custom_obj"},
    {kProgram, kLinear, R"({"name": "input", "arg": {"as_future": {"name": "q"}})", "program-node",
     "as_future"},
    {kProgram, kLinear, R"({"name": "input", "arg": {"as_scalar_type": 77})", "program-node",
     "dtype code"},
    {kProgram, kLinear, R"({"name": "input", "arg": {"as_layout": 2})", "program-node", "strided"},
    {kProgram, kLinear, R"({"name": "input", "arg": {"as_int": "x"})", "program-node", "as_int"},
    {kProgram, kLinear, R"({"name": "input", "arg": 7)", "program-node", "one member"},
    {kProgram, R"("outputs": [{"as_tensor": {"name": "relu"}}])",
     R"("outputs": [{"as_tensor": {"name": "linear"}}])", "program-json",
     "two values of the program are called linear"},
    {kProgram, R"("linear": {"dtype": 7)", R"("linear": {"dtype": 31)", "program-dtype",
     "dtype code 31 of tensor linear"},
    {kProgram, R"("input": {"dtype": 7, "sizes": [{"as_int": 3})",
     R"("input": {"dtype": 7, "sizes": [{"as_int": -3})", "program-json", "input has a size"},
    {kProgram, R"("input": {"dtype": 7, "sizes": [)", R"("input": {"dtype": 7, "size": [)",
     "program-json", "input has no sizes"},
    {kProgram, R"({"user_input": {"arg": {"as_tensor": {"name": "input"}}}})",
     R"({"token": {"arg": {"name": "input"}}})", "program-input", "token"},
    {kProgram, R"({"user_input": {"arg": {"as_tensor": {"name": "input"}}}})",
     R"({"custom_obj": {"arg": {"name": "input", "class_fqn": "Q"}, "custom_obj_name": "q"}})",
     "program-input", "custom_obj"},
    {kProgram, R"({"user_input": {"arg": {"as_tensor": {"name": "input"}}}})",
     R"({"user_input": {"arg": {"as_tensor": {"name": "relu"}}}})", "program-signature",
     "input input has another name"},
    {kProgram, R"({"user_input": {"arg": {"as_tensor": {"name": "input"}}}}])", "]", "archive-json",
     "parsed"},
    {kProgram, R"("inputs": [{"as_tensor": {"name": "p_0_weight"}}, )", R"("inputs": [)",
     "program-signature", "another number of inputs"},
    {kProgram, R"({"user_output": {"arg": {"as_tensor": {"name": "softmax"}}}}])",
     R"({"gradient_to_parameter": {"arg": {"name": "softmax"}, "parameter_name": "p"}}])",
     "program-output", "gradient_to_parameter"},
    {kProgram, R"({"user_output": {"arg": {"as_tensor": {"name": "softmax"}}}}])", "]",
     "program-signature", "another number of outputs"},
    {kProgram, R"("outputs": [{"as_tensor": {"name": "softmax"}}], "nodes")",
     R"("outputs": [{"as_tensor": {"name": "none"}}], "nodes")", "program-output",
     "none is not defined"},
    {kProgram, R"("outputs": [{"as_tensor": {"name": "softmax"}}], "nodes")",
     R"("outputs": [{"as_int": 7}], "nodes")", "program-output", "as_int"},
    {kProgram, R"("parameter_name": "0.weight")", R"("parameter_name": "9.weight")",
     "archive-missing-tensor", "9.weight"},
    {kWeights, R"("use_pickle": false)", R"("use_pickle": true)", "archive-pickle", "0.weight"},
    {kWeights, "weight_2", "weight_7", "archive-missing-entry", "missing"},
    {kWeights, R"("dtype": 7)", R"("dtype": 32)", "archive-dtype", "dtype code 32"},
    {kWeights, R"("dtype": 7)", R"("dtype": 6)", "archive-tensor", "f16[32,16]"},
    {kWeights, R"("sizes": [{"as_int": 32})", R"("sizes": [{"as_int": 31})", "archive-tensor",
     "f32[31,16] in the archive but f32[32,16]"},
    {kWeights, R"("sizes": [{"as_int": 32})", R"("sizes": [{"as_int": 33})",
     "archive-tensor-bounds", "byte 2112 of a storage of 2048"},
    {kWeights, R"("sizes": [{"as_int": 32})", R"("sizes": [{"as_int": -32})",
     "archive-tensor-bounds", "negative"},
    {kWeights, R"("strides": [{"as_int": 16})", R"("strides": [{"as_int": -16})",
     "archive-tensor-bounds", "negative"},
    {kWeights, R"("strides": [{"as_int": 16})", R"("strides": [{"as_int": 9223372036854775807})",
     "archive-tensor-bounds", "overflow"},
    {kWeights, R"("strides": [{"as_int": 16}, )", R"("strides": [)", "archive-tensor-bounds",
     "strides"},
    {kWeights, R"("storage_offset": {"as_int": 0})", R"("storage_offset": {"as_int": 1})",
     "archive-tensor-bounds", "byte 2052 of a storage of 2048"},
    {kWeights, R"("storage_offset": {"as_int": 0})", R"("storage_offset": {"as_int": -1})",
     "archive-tensor-bounds", "offset"},
    {kWeights, R"("layout": 7)", R"("layout": 1)", "archive-tensor", "sparse"},
    {kWeights, R"("tensor_meta")", R"("meta")", "archive-tensor", "incomplete"},
    {kWeights, R"({"config")", R"({"conf")", "archive-json", "config"},
    {kWeights, R"("2.bias")", R"("2.weight")", "archive-json", "listed twice"},
    {"/byteorder", "little", "big", "archive-byteorder", "big-endian"},
};

TEST(Pt2Reader, RefusesBadTextsByName) {
  for (const BadText& bad : kBadTexts) {
    auto entries = MlpEntries();
    Replace(&EntryEndingIn(entries, bad.entry).contents, bad.from, bad.to);
    const std::vector<uint8_t> archive = WriteZip(entries);
    const auto program = Read(archive);
    ASSERT_FALSE(program.ok()) << bad.from << " -> " << bad.to;
    const Diag& diag = program.diag();
    EXPECT_EQ(diag.rule, bad.rule) << bad.to << ": " << diag.ToString();
    EXPECT_THAT(diag.ToString(), HasSubstr(bad.message)) << bad.to;
    EXPECT_EQ(diag.location.file, "model.pt2");
    EXPECT_TRUE(diag.notes.empty()) << "one message";
  }
}

TEST(Pt2Reader, NodeErrorsNameNodeAndSourceLine) {
  auto entries = MlpEntries();
  Replace(&EntryEndingIn(entries, kProgram).contents, R"("arg": {"as_int": -1})",
          R"("arg": {"as_operator": "x"})");
  const auto program = Read(WriteZip(entries));
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.diag().location.path, "%softmax = aten.softmax.int");
  EXPECT_THAT(program.diag().location.source, HasSubstr("functional_export.py:232"));
  EXPECT_THAT(program.diag().message, HasSubstr("as_operator"));
}

TEST(Pt2Reader, ArgumentKinds) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"as_float": "-Infinity"})", "-inf"},
      {R"({"as_float": Infinity})", "inf"},
      {R"({"as_float": "NaN"})", "nan"},
      {R"({"as_none": true})", "None"},
      {R"({"as_bool": true})", "True"},
      {R"({"as_ints": [1, -2]})", "[1, -2]"},
      {R"({"as_sym_int": {"as_int": 5}})", "5"},
      {R"({"as_sym_ints": [{"as_int": 5}, {"as_int": -1}]})", "[5, -1]"},
      {R"({"as_scalar_type": 13})", "bf16"},
      {R"({"as_memory_format": 2})", "torch.channels_last"},
      {R"({"as_device": {"type": "cpu", "index": null}})", "cpu"},
      {R"({"as_optional_tensors": [{"as_none": true}, {"as_tensor": {"name": "relu"}}]})",
       "[None, %relu]"},
      {R"({"as_optional_tensor": {"as_tensor": {"name": "relu"}}})", "%relu"},
  };
  for (const auto& [json, text] : rows) {
    auto entries = MlpEntries();
    Replace(&EntryEndingIn(entries, kProgram).contents, R"({"as_int": -1})", json);
    const std::vector<uint8_t> archive = WriteZip(entries);
    const auto program = Read(archive);
    ASSERT_TRUE(program.ok()) << json << program.diag().ToString();
    EXPECT_TRUE(Verify(*program).ok());
    EXPECT_THAT(ToText(*program), HasSubstr(std::string("aten.softmax.int(%linear_1, ") + text))
        << json;
  }
}

TEST(Pt2Reader, ViewsOfOneStorageAreSharedAndBounded) {
  auto entries = MlpEntries();
  // 2.weight and 0.weight become views of one storage: 0.weight's, which has room for both.
  Replace(&EntryEndingIn(entries, kWeights).contents, "weight_2", "weight_0");
  const std::vector<uint8_t> archive = WriteZip(entries);
  const auto program = Read(archive);
  ASSERT_TRUE(program.ok()) << program.diag().ToString();
  std::vector<ConstantPtr> constants;
  for (const Node* node : program->main().Nodes()) {
    if (node->constant != nullptr) constants.push_back(node->constant);
  }
  ASSERT_EQ(constants.size(), 4U);
  EXPECT_EQ(constants[0]->storage, constants[2]->storage);
  EXPECT_NE(constants[0]->storage, constants[1]->storage);
  EXPECT_EQ(constants[0]->Bytes()->bytes.data(), constants[2]->Bytes()->bytes.data());
}

TEST(Pt2Reader, TransposedWeight) {
  auto entries = MlpEntries();
  Replace(&EntryEndingIn(entries, kWeights).contents,
          R"("strides": [{"as_int": 16}, {"as_int": 1}])",
          R"("strides": [{"as_int": 1}, {"as_int": 32}])");
  const std::vector<uint8_t> archive = WriteZip(entries);
  const auto program = Read(archive);
  ASSERT_TRUE(program.ok()) << program.diag().ToString();
  const auto bytes = program->main().first()->constant->Bytes();
  ASSERT_TRUE(bytes.ok());
  const std::string& stored = EntryEndingIn(entries, "weight_0").contents;
  for (size_t row = 0; row < 32; ++row) {
    for (size_t column = 0; column < 16; ++column) {
      ASSERT_EQ(std::memcmp(bytes->bytes.data() + (row * 16 + column) * 4,
                            stored.data() + (row + column * 32) * 4, 4),
                0);
    }
  }
}

TEST(Pt2Reader, MutatedBufferIsState) {
  auto entries = MlpEntries();
  std::string& json = EntryEndingIn(entries, kProgram).contents;
  Replace(
      &json, R"({"parameter": {"arg": {"name": "p_2_bias"}, "parameter_name": "2.bias"}})",
      R"({"buffer": {"arg": {"name": "p_2_bias"}, "buffer_name": "2.bias", "persistent": true}})");
  Replace(&json, R"("output_specs": [)",
          R"("output_specs": [{"buffer_mutation": {"arg": {"name": "softmax"}, )"
          R"("buffer_name": "2.bias"}}, )");
  Replace(&json, R"("outputs": [)", R"("outputs": [{"as_tensor": {"name": "softmax"}}, )");
  const std::vector<uint8_t> archive = WriteZip(entries);
  const auto program = Read(archive);
  ASSERT_TRUE(program.ok()) << program.diag().ToString();
  const Graph& graph = program->main();
  ASSERT_EQ(graph.inputs().size(), 2U);
  EXPECT_EQ(graph.input_info[0].kind, InputKind::kState);
  EXPECT_EQ(graph.input_info[0].fqn, "2.bias");
  ASSERT_NE(graph.input_info[0].initial, nullptr);
  EXPECT_EQ(graph.inputs()[0]->constant(), nullptr);
  ASSERT_EQ(graph.output_info.size(), 2U);
  EXPECT_EQ(graph.output_info[0].kind, OutputKind::kBufferMutation);
  EXPECT_EQ(graph.output_info[0].fqn, "2.bias");
}

TEST(Pt2Reader, SizesWithOneValueAreConstantsAndOthersSymbols) {
  auto entries = MlpEntries();
  std::string& json = EntryEndingIn(entries, kProgram).contents;
  const auto size = [](const char* expr) {
    return std::string(R"({"as_expr": {"expr_str": ")") + expr + R"(", "hint": {"as_int": 3}}})";
  };
  Replace(
      &json, R"("input": {"dtype": 7, "sizes": [{"as_int": 3})",
      R"("input": {"dtype": 7, "sizes": [)" + size("Add(Symbol('u0', integer=True), Integer(1))"));
  Replace(&json, R"("relu": {"dtype": 7, "sizes": [{"as_int": 3})",
          R"("relu": {"dtype": 7, "sizes": [)" + size("Symbol('s1', integer=True)"));
  Replace(&json, R"("range_constraints": {)",
          R"("range_constraints": {"u0": {"min_val": 2, "max_val": 2}, )"
          R"("s1": {"min_val": 2, "max_val": 9})");
  Replace(
      &json, R"("sym_int_values": {)",
      R"J("sym_int_values": {"item": {"as_expr": {"expr_str": "Symbol('u0')", "hint": null}})J");
  Replace(&json, R"({"as_int": -1})", R"({"as_sym_int": {"as_name": "item"}})");
  const auto program = Read(WriteZip(entries));
  ASSERT_TRUE(program.ok()) << program.diag().ToString();
  const std::string text = ToText(*program);
  EXPECT_THAT(text, HasSubstr("%input : f32[3,16]"));
  EXPECT_THAT(text, HasSubstr("%relu : f32[s0,32]"));
  EXPECT_THAT(text, HasSubstr("aten.softmax.int(%linear_1, 2)"));
  ASSERT_EQ(program->symbols.size(), 1U);
  EXPECT_EQ(program->symbols[0].expr, "s1");
  EXPECT_EQ(program->symbols[0].min, 2);
  EXPECT_EQ(program->symbols[0].max, 9);
  EXPECT_EQ(program->symbols[0].hint, 3);
}

TEST(Pt2Reader, NoGradBlocksAreInlined) {
  auto entries = MlpEntries();
  std::string& json = EntryEndingIn(entries, kProgram).contents;
  const std::string meta = R"("m": {"dtype": 7, "sizes": [{"as_int": 3}, {"as_int": 32}]})";
  const std::string inner =
      R"({"inputs": [{"as_tensor": {"name": "m"}}], "outputs": [{"as_tensor": {"name": "n"}}], )"
      R"("nodes": [{"target": "torch.ops.aten.neg.default", "name": "n", "inputs": [{"name": )"
      R"("self", "arg": {"as_tensor": {"name": "m"}}, "kind": 1}], "outputs": [{"as_tensor": )"
      R"({"name": "n"}}], "metadata": {}}], "tensor_values": {)" +
      meta + R"(, "n": {"dtype": 7, "sizes": [{"as_int": 3}, {"as_int": 32}]}}})";
  Replace(&json, R"({"target": "torch.ops.aten.relu.default", "inputs": [)",
          R"({"target": "torch.ops.higher_order.wrap_with_set_grad_enabled", "inputs": [)"
          R"({"name": "", "arg": {"as_bool": false}, "kind": 1}, )"
          R"({"name": "", "arg": {"as_graph": {"name": "submod_1", "graph": )" +
              inner + R"(}}, "kind": 1}, )");
  const auto program = Read(WriteZip(entries));
  ASSERT_TRUE(program.ok()) << program.diag().ToString();
  EXPECT_TRUE(Verify(*program).ok());
  const std::string text = ToText(*program);
  EXPECT_THAT(text, HasSubstr("%n : f32[3,32] = aten.neg.default(%linear)"));
  EXPECT_THAT(text, HasSubstr("aten.linear.default(%n, %p_2_weight, %p_2_bias)"));
  EXPECT_EQ(text.find("wrap_with"), std::string::npos);
}

TEST(Pt2Reader, SaysWhatTheFileIs) {
  const auto bytes = [](std::string_view text) {
    return std::vector<uint8_t>(text.begin(), text.end());
  };
  using namespace std::string_view_literals;  // NOLINT: magics hold NULs
  const std::vector<uint8_t> safetensors = bytes("\x10\0\0\0\0\0\0\0{\"a\": {}}"sv);
  const std::pair<std::vector<uint8_t>, const char*> rows[] = {
      {{}, "empty"},
      {bytes("\x80\x02}q\0."sv), "pickle"},
      {bytes("\x08\x0a\x12\x07pytorch"sv), "ONNX"},
      {safetensors, "safetensors"},
      {bytes("\x18\0\0\0TOSA\0\0"sv), ".tosa"},
      {bytes("\x7f\x45LF"sv), "ELF"},
      {bytes("\x1f\x8b\x08"sv), "gzip"},
      {bytes("version https://git-lfs.github.com/spec/v1\noid"), "git lfs pull"},
      {bytes("hello"), "no zip archive"},
      {WriteZip(std::vector<ZipSpec>{{"m/constants.pkl", ""}, {"m/code/x.py", ""}}), "TorchScript"},
      {WriteZip(std::vector<ZipSpec>{{"m/data.pkl", ""}}), "torch.save file"},
      {WriteZip(std::vector<ZipSpec>{{"m/data/aotinductor/model/x.so", ""}}), "AOTInductor"},
      {WriteZip(std::vector<ZipSpec>{{"serialized_exported_program.json", "{}"},
                                     {"serialized_state_dict.pt", ""}}),
       "before 2.8"},
      {WriteZip(std::vector<ZipSpec>{{"word/document.xml", ""}}), "no exported program"},
      {WriteZip(std::vector<ZipSpec>{{"m/models/a.json", ""}, {"m/models/b.json", ""}}),
       "several programs (m/models/a.json, m/models/b.json)"},
      {WriteZip(std::vector<ZipSpec>{{"m/models/a.json", "{\"schema_version\": {\"major\": 8}}"}}),
       "a_weights_config.json"},
  };
  for (const auto& [file, message] : rows) {
    const auto program = Read(file);
    ASSERT_FALSE(program.ok()) << message;
    EXPECT_THAT(program.diag().ToString(), HasSubstr(message));
    EXPECT_TRUE(program.diag().rule.starts_with("archive-")) << program.diag().rule;
    EXPECT_EQ(program.diag().location.file, "model.pt2");
  }
  const auto missing = ReadPt2File("/nonexistent.pt2");
  EXPECT_EQ(missing.diag().rule, "io-open");
}

TEST(Pt2Reader, JsonBombs) {
  auto entries = MlpEntries();
  ZipSpec& program = EntryEndingIn(entries, kProgram);
  program.contents = std::string(size_t{8} << 20, ' ') + program.contents;
  EXPECT_TRUE(Read(WriteZip(entries)).ok()) << "stored bytes are paid for";
  program.deflate = true;
  const auto read = Read(WriteZip(entries));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.diag().rule, "archive-json");
  EXPECT_THAT(read.diag().location.path, HasSubstr("model.json"));
}

TEST(Pt2Reader, ExpandedConstantsTakeNoMemory) {
  auto entries = MlpEntries();
  const std::string from = R"("sizes": [{"as_int": 32}, {"as_int": 16}])";
  const std::string to = R"("sizes": [{"as_int": 1048576}, {"as_int": 1048576}])";
  std::string& config = EntryEndingIn(entries, kWeights).contents;
  Replace(&config, from, to);
  Replace(&config, R"("strides": [{"as_int": 16}, {"as_int": 1}])",
          R"("strides": [{"as_int": 0}, {"as_int": 0}])");
  Replace(&EntryEndingIn(entries, kProgram).contents, R"("p_0_weight": {"dtype": 7, )" + from,
          R"("p_0_weight": {"dtype": 7, )" + to);
  const std::vector<uint8_t> archive = WriteZip(entries);
  const auto program = Read(archive);
  ASSERT_TRUE(program.ok()) << program.diag().ToString();
  const ConstantPtr constant = program->main().first()->constant;
  EXPECT_TRUE(constant->IsSplat());
  EXPECT_EQ(constant->Bytes().diag().rule, "constant-size");
}

TEST(Pt2Reader, EveryTruncationIsOneError) {
  const std::vector<uint8_t> archive = ReadBytes(MlpPath());
  for (size_t size = 0; size < archive.size(); size += 64) {
    const auto program =
        Read(std::vector<uint8_t>(archive.begin(), archive.begin() + static_cast<long>(size)));
    ASSERT_FALSE(program.ok()) << size;
    EXPECT_TRUE(program.diag().rule.starts_with("archive-")) << program.diag().ToString();
  }
}

// A flipped byte is an error, or lies where nothing is read: then all is as before.
TEST(Pt2Reader, FlippedBytes) {
  std::vector<uint8_t> archive = ReadBytes(MlpPath());
  const std::string expected = ToText(*Read(archive));
  size_t refused = 0;
  for (size_t i = 0; i < archive.size(); i += 7) {
    const uint8_t flip = static_cast<uint8_t>(1U << (i % 8));
    archive[i] ^= flip;
    const auto program = Read(archive);
    if (!program.ok()) {
      ++refused;
      EXPECT_TRUE(program.diag().rule.starts_with("archive-")) << program.diag().ToString();
    } else if (ConstantsError(*program).empty()) {
      EXPECT_EQ(ToText(*program), expected) << i;
    } else {
      ++refused;
    }
    archive[i] ^= flip;
  }
  EXPECT_GT(refused, archive.size() / 7 / 2);
}

// All archives of the repository, and those that TOSAC_FIXTURES names, are read whole.
void ReadAll(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto program = ReadPt2File(path);
    ASSERT_TRUE(program.ok()) << program.diag().ToString();
    const auto verified = Verify(*program);
    EXPECT_TRUE(verified.ok()) << path << verified.diag().ToString();
    EXPECT_EQ(ConstantsError(*program), "") << path;
    EXPECT_FALSE(ToText(*program).empty());
  }
}

TEST(Pt2Reader, ReadsAllArchivesOfTheRepository) {
  const auto paths = FilesUnder(DataPath("../models"), ".pt2");
  EXPECT_GT(paths.size(), 5U);
  ReadAll(paths);
}

TEST(Pt2Reader, ReadsAllFixtures) {
  const auto fixtures = testing::FixturesDirectory();
  if (!fixtures) GTEST_SKIP() << "TOSAC_FIXTURES names no directory of further archives";
  ReadAll(FilesUnder(*fixtures, ".pt2"));
}

}  // namespace
}  // namespace tosac::fx
