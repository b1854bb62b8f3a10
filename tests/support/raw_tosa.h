// SPDX-License-Identifier: Apache-2.0
// .tosa files made table by table, with whatever is wrong with them. The numbers of the fields are
// written down here a second time, so that a slip in schema/tosa.fbs does not pass unseen.
#ifndef TOSAC_TESTS_SUPPORT_RAW_TOSA_H_
#define TOSAC_TESTS_SUPPORT_RAW_TOSA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tosac::testing {

struct RawTensor {
  std::string name;
  std::vector<int32_t> shape;
  uint32_t type = 7;  // FP32
  std::optional<std::vector<uint8_t>> data;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct RawOperator {
  uint32_t op = 0;
  uint8_t tag = 0;        // of the attribute union
  bool attribute = true;  // an empty table of attributes
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::optional<std::string> location;
};

// One region with one block, both called "main". Equal strings are stored once.
struct RawFile {
  int32_t major = 1;
  int32_t minor = 0;
  std::vector<RawTensor> tensors;
  std::vector<RawOperator> operators;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string region_name = "main";
  // How often the one table stands in the list that holds it.
  uint32_t region_copies = 1;
  uint32_t block_copies = 1;
  uint32_t tensor_copies = 1;
  uint32_t operator_copies = 1;
};

std::vector<uint8_t> Build(const RawFile& file);

}  // namespace tosac::testing

#endif  // TOSAC_TESTS_SUPPORT_RAW_TOSA_H_
