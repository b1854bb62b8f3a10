// SPDX-License-Identifier: Apache-2.0
// Sizes of a program's tensors that no memory could hold are refused where they are read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "archive_writer.h"
#include "tosac/program.h"

namespace tosac::fx {
namespace {

// A program of one input of `sizes`, which it returns.
Result<Program> Read(const std::string& sizes) {
  const std::string tensor =
      R"({"dtype":7,"sizes":[)" + sizes +
      R"(],"requires_grad":false,"device":{"type":"cpu","index":null},"strides":[],)"
      R"("storage_offset":{"as_int":0},"layout":7})";
  const std::string program =
      R"({"graph_module":{"graph":{"inputs":[{"as_tensor":{"name":"x"}}],)"
      R"("outputs":[{"as_tensor":{"name":"x"}}],"nodes":[],"tensor_values":{"x":)" +
      tensor +
      R"(},"sym_int_values":{},"sym_bool_values":{},"is_single_tensor_return":false},)"
      R"("signature":{"input_specs":[{"user_input":{"arg":{"as_tensor":{"name":"x"}}}}],)"
      R"("output_specs":[{"user_output":{"arg":{"as_tensor":{"name":"x"}}}}]},)"
      R"("module_call_graph":[]},"opset_version":{"aten":10},"range_constraints":{},)"
      R"("schema_version":{"major":8,"minor":8}})";
  const std::vector<fuzz::Entry> entries = {
      {"m/archive_format", "pt2"},
      {"m/byteorder", "little"},
      {"m/data/weights/model_weights_config.json", R"({"config":{}})"},
      {"m/data/constants/model_constants_config.json", R"({"config":{}})"},
      {"m/models/model.json", program},
  };
  const std::string archive = fuzz::WriteArchive(entries);
  return ReadPt2({reinterpret_cast<const uint8_t*>(archive.data()), archive.size()}, nullptr, "m");
}

TEST(ProgramSize, ALargeTensorIsRead) {
  const Result<Program> program = Read(R"({"as_int":1048576},{"as_int":1048576})");
  EXPECT_TRUE(program.ok()) << program.diag().ToString();
}

TEST(ProgramSize, AnAbsurdOneIsRefused) {
  for (const char* sizes :
       {R"({"as_int":1048576},{"as_int":1048577})", R"({"as_int":9223372036854775807})",
        R"({"as_int":0},{"as_int":9223372036854775807},{"as_int":4})"}) {
    Result<Program> program = Read(sizes);
    ASSERT_FALSE(program.ok()) << sizes;
    EXPECT_EQ(program.diag().rule, "program-size");
  }
}

}  // namespace
}  // namespace tosac::fx
