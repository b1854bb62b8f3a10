// SPDX-License-Identifier: Apache-2.0
#include "support/raw_tosa.h"

#include <flatbuffers/flatbuffers.h>

namespace tosac::testing {
namespace {

using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Table;
using flatbuffers::uoffset_t;

// Field i of a table.
constexpr flatbuffers::voffset_t Slot(int i) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * i);
}

class Builder {
 public:
  std::vector<uint8_t> Run(const RawFile& file) {
    std::vector<Offset<Table>> tensors;
    for (const RawTensor& tensor : file.tensors) tensors.push_back(Tensor(tensor));
    std::vector<Offset<Table>> operators;
    for (const RawOperator& op : file.operators) operators.push_back(Operator(op));
    const auto operator_list = Repeat(operators, file.operator_copies);
    const auto tensor_list = Repeat(tensors, file.tensor_copies);
    const auto inputs = Names(file.inputs);
    const auto outputs = Names(file.outputs);
    const auto name = fbb_.CreateSharedString(file.region_name);
    uoffset_t start = fbb_.StartTable();
    fbb_.AddOffset(Slot(0), name);
    fbb_.AddOffset(Slot(1), operator_list);
    fbb_.AddOffset(Slot(2), tensor_list);
    fbb_.AddOffset(Slot(3), inputs);
    fbb_.AddOffset(Slot(4), outputs);
    const auto blocks = Repeat({Offset<Table>(fbb_.EndTable(start))}, file.block_copies);
    start = fbb_.StartTable();
    fbb_.AddOffset(Slot(0), name);
    fbb_.AddOffset(Slot(1), blocks);
    const auto regions = Repeat({Offset<Table>(fbb_.EndTable(start))}, file.region_copies);
    start = fbb_.StartTable();
    fbb_.AddElement<int32_t>(Slot(0), file.major, -1);
    fbb_.AddElement<int32_t>(Slot(1), file.minor, -1);
    fbb_.AddElement<int32_t>(Slot(2), 0, -1);
    fbb_.AddElement<uint8_t>(Slot(3), 0, 1);
    const Offset<Table> version(fbb_.EndTable(start));
    start = fbb_.StartTable();
    fbb_.AddOffset(Slot(0), version);
    fbb_.AddOffset(Slot(1), regions);
    fbb_.Finish(Offset<Table>(fbb_.EndTable(start)), "TOSA");
    return {fbb_.GetBufferPointer(), fbb_.GetBufferPointer() + fbb_.GetSize()};
  }

 private:
  Offset<flatbuffers::Vector<Offset<Table>>> Repeat(const std::vector<Offset<Table>>& tables,
                                                    uint32_t copies) {
    std::vector<Offset<Table>> all;
    for (uint32_t i = 0; i < copies; ++i) all.insert(all.end(), tables.begin(), tables.end());
    return fbb_.CreateVector(all);
  }

  Offset<flatbuffers::Vector<Offset<String>>> Names(const std::vector<std::string>& names) {
    std::vector<Offset<String>> offsets;
    offsets.reserve(names.size());
    // A long list of one name is looked up once.
    for (size_t i = 0; i < names.size(); ++i) {
      offsets.push_back(i > 0 && names[i] == names[i - 1] ? offsets.back()
                                                          : fbb_.CreateSharedString(names[i]));
    }
    return fbb_.CreateVector(offsets);
  }

  Offset<Table> Tensor(const RawTensor& tensor) {
    const auto name = fbb_.CreateSharedString(tensor.name);
    const auto shape = fbb_.CreateVector(tensor.shape);
    Offset<flatbuffers::Vector<uint8_t>> data;
    if (tensor.data) data = fbb_.CreateVector(*tensor.data);
    const uoffset_t start = fbb_.StartTable();
    fbb_.AddElement<uint64_t>(Slot(7), tensor.offset, 0);
    fbb_.AddElement<uint64_t>(Slot(8), tensor.size, 0);
    fbb_.AddOffset(Slot(0), name);
    fbb_.AddOffset(Slot(1), shape);
    fbb_.AddElement<uint32_t>(Slot(2), tensor.type, 0);
    fbb_.AddOffset(Slot(3), data);
    return Offset<Table>(fbb_.EndTable(start));
  }

  Offset<Table> Operator(const RawOperator& op) {
    Offset<Table> attribute;
    if (op.attribute) attribute = Offset<Table>(fbb_.EndTable(fbb_.StartTable()));
    const auto inputs = Names(op.inputs);
    const auto outputs = Names(op.outputs);
    Offset<Table> location;
    if (op.location) {
      const auto text = fbb_.CreateSharedString(*op.location);
      const uoffset_t start = fbb_.StartTable();
      fbb_.AddOffset(Slot(0), text);
      location = Offset<Table>(fbb_.EndTable(start));
    }
    const uoffset_t start = fbb_.StartTable();
    fbb_.AddElement<uint32_t>(Slot(0), op.op, 0);
    fbb_.AddElement<uint8_t>(Slot(1), op.tag, 0);
    fbb_.AddOffset(Slot(2), attribute);
    fbb_.AddOffset(Slot(3), inputs);
    fbb_.AddOffset(Slot(4), outputs);
    fbb_.AddOffset(Slot(5), location);
    return Offset<Table>(fbb_.EndTable(start));
  }

  flatbuffers::FlatBufferBuilder fbb_;
};

}  // namespace

std::vector<uint8_t> Build(const RawFile& file) { return Builder().Run(file); }

}  // namespace tosac::testing
