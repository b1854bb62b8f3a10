// SPDX-License-Identifier: Apache-2.0
#include "support/modules.h"

#include <numeric>

namespace tosac::testing {
namespace {

std::vector<uint8_t> Counting(size_t size) {
  std::vector<uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  return bytes;
}

// A value for an attribute of `kind` that is no default, and differs with `salt`.
AttrValue AttributeValue(const AttrInfo& info, int salt) {
  switch (info.kind) {
    case AttrKind::kI32:
      return int64_t{-3 - salt};
    case AttrKind::kBool:
      return int64_t{1};
    case AttrKind::kEnum:
      return int64_t{info.enum_type == EnumType::kDType ? 7 : 1};
    case AttrKind::kI32List:
      return std::vector<int32_t>{salt, -1, 2};
    case AttrKind::kBytes:
      return std::vector<uint8_t>{1, static_cast<uint8_t>(salt), 0xff};
    case AttrKind::kString:
      return "graph " + std::to_string(salt);
  }
  return int64_t{0};
}

void AddEveryOperator(Module* module, Block* block) {
  const ValueId in = AddValue(block, "in", DType::kFP32, {1, -1, 3});
  const ValueId out = AddValue(block, "out", DType::kFP32, {});
  int salt = 0;
  for (const OpInfo& info : Ops()) {
    Operator op;
    op.op = info.op;
    op.inputs.assign(info.inputs.size(), in);
    op.outputs.assign(info.outputs.size(), out);
    for (const AttrInfo& attr : info.attrs) op.attrs.push_back(AttributeValue(attr, ++salt));
    op.has_location = salt % 2 == 1;
    if (op.has_location) op.location = module->Own("model.py:" + std::to_string(salt));
    block->operators.push_back(std::move(op));
  }
  block->inputs = {in};
  block->outputs = {out, in};
}

void AddEveryConstant(Module* module, Block* block) {
  for (const DTypeInfo& info : DTypes()) {
    if (info.since_minor < 0 || info.dtype == DType::kSHAPE) continue;
    const size_t bytes = *LogicalBytes(info.dtype, 5);
    const std::string name(info.name);
    AddConstant(module, block, module->Own("exact " + name), info.dtype, {5}, Counting(bytes));
    AddConstant(module, block, module->Own("padded " + name), info.dtype, {5, 1},
                Counting((bytes + 7) / 8 * 8));
    const ValueId external = AddConstant(module, block, module->Own("external " + name), info.dtype,
                                         {1, 5}, Counting(bytes));
    block->values[external].external = true;
  }
  const ValueId shape = AddConstant(module, block, "shape", DType::kSHAPE, {3}, Counting(24));
  block->values[shape].is_shape = true;
  const ValueId no_rank = AddConstant(module, block, "rank 0", DType::kSHAPE, {0}, {});
  block->values[no_rank].is_shape = true;
  const ValueId unknown = AddValue(block, "shape of an operator", DType::kSHAPE, {2});
  block->values[unknown].is_shape = true;
  AddConstant(module, block, "large", DType::kINT8, {100, 101}, Counting(10100));
  AddConstant(module, block, "larger", DType::kINT8, {70000}, Counting(70000));
  AddConstant(module, block, "empty", DType::kFP32, {2, 0}, {});
  const ValueId outside =
      AddConstant(module, block, "large outside", DType::kINT8, {9001}, Counting(9001));
  block->values[outside].external = true;
  AddConstant(module, block, "many bytes for one", DType::kINT8, {1}, Counting(16));
  const ValueId variable = AddConstant(module, block, "v", DType::kFP32, {2}, Counting(8));
  block->values[variable].is_variable = true;
  block->values[variable].variable_name = "the variable";
  const ValueId bare = AddValue(block, "w", DType::kFP32, {2});
  block->values[bare].is_variable = true;
  const ValueId unranked = AddValue(block, "u", DType::kFP32, {});
  block->values[unranked].is_unranked = true;
  for (const bool external : {false, true}) {
    const ValueId scaled = AddConstant(module, block, external ? "scaled outside" : "scaled",
                                       DType::kFP4E2M1, {32}, Counting(16));
    Value& value = block->values[scaled];
    value.external = external;
    value.scale = std::make_unique<Scale>();
    value.scale->dtype = DType::kFP8UE8M0;
    value.scale->block_shape = 32;
    value.scale->has_data = true;
    value.scale->external = external;
    value.scale->data = module->Own(Counting(external ? 5000 : 1));
  }
}

}  // namespace

ValueId AddValue(Block* block, std::string_view name, DType dtype, std::vector<int32_t> shape) {
  Value value;
  value.name = name;
  value.dtype = dtype;
  value.shape = std::move(shape);
  block->values.push_back(std::move(value));
  return static_cast<ValueId>(block->values.size() - 1);
}

ValueId AddConstant(Module* module, Block* block, std::string_view name, DType dtype,
                    std::vector<int32_t> shape, std::vector<uint8_t> bytes) {
  const ValueId id = AddValue(block, name, dtype, std::move(shape));
  block->values[id].has_data = true;
  block->values[id].data = module->Own(std::move(bytes));
  return id;
}

Value MakeValue(DType dtype, std::vector<int32_t> shape, const std::vector<uint8_t>& bytes) {
  Value value;
  value.dtype = dtype;
  value.shape = std::move(shape);
  value.has_data = true;
  value.data = bytes;
  return value;
}

Module EverythingModule() {
  Module module;
  module.version = {1, 1, 7, true};
  module.software_version = SoftwareVersion{2026, 8, 3, "rc"};
  module.compatibility = Compatibility{SoftwareVersion{2026, 5, 0, ""}, uint64_t{1} << 40};
  module.regions.resize(2);
  int next = 0;
  for (Region& region : module.regions) {
    region.name = module.Own("region " + std::to_string(next++));
    region.blocks.resize(2);
    for (Block& block : region.blocks) block.name = module.Own("block " + std::to_string(next++));
  }
  AddEveryOperator(&module, &module.regions[0].blocks[0]);
  AddEveryConstant(&module, &module.regions[0].blocks[1]);
  AddEveryConstant(&module, &module.regions[1].blocks[0]);  // the same names in another block
  return module;
}

}  // namespace tosac::testing
