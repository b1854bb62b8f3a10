// SPDX-License-Identifier: Apache-2.0
// Writing a .tosa flatbuffer. Large constants are holes in the buffer: their pages are never
// touched, and the file is gathered from the buffer and from where the constants lie.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/limits.h"
#include "tosa_generated.h"
#include "tosac/io.h"

namespace tosac {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::uoffset_t;
using Bytes = std::span<const uint8_t>;

constexpr size_t kAlignment = 8;     // of constants (schema: force_align)
constexpr size_t kHoleBytes = 4096;  // constants from this size on are not copied

constexpr uint64_t AlignUp(uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

// A constant of no bytes stays inside: outside it would look like none.
bool IsExternal(bool as_is, std::span<const uint8_t> bytes, ConstantForm form) {
  if (bytes.empty()) return false;
  return form == ConstantForm::kExternal || (form == ConstantForm::kAsIs && as_is);
}

uint64_t AttrBytes(const AttrValue& attr) {
  uint64_t size = 16;
  if (const auto* list = std::get_if<std::vector<int32_t>>(&attr)) size += 4 * list->size();
  if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&attr)) size += bytes->size();
  if (const auto* string = std::get_if<std::string>(&attr)) size += string->size();
  return size;
}

// More than the flatbuffer of `module` can take, so that the buffer never grows.
uint64_t UpperBound(const Module& module, ConstantForm form) {
  constexpr uint64_t kTable = 192;  // a table with its vtable, alignment and its place in a list
  uint64_t size = 1024;
  const auto text = [](size_t length) { return uint64_t{length} + 16; };
  for (const Region& region : module.regions) {
    size += kTable + text(region.name.size());
    for (const Block& block : region.blocks) {
      size += kTable + text(block.name.size()) + 4 * (block.inputs.size() + block.outputs.size());
      for (const Value& value : block.values) {
        size += kTable + text(value.name.size()) + text(value.variable_name.size()) +
                4 * value.shape.size();
        if (!IsExternal(value.external, value.data, form) || value.is_shape)
          size += text(value.data.size());
        const Scale* scale = value.scale.get();
        if (scale != nullptr && !IsExternal(scale->external, scale->data, form)) {
          size += text(scale->data.size());
        }
      }
      for (const Operator& op : block.operators) {
        size += 2 * kTable + text(op.location.size()) + 4 * (op.inputs.size() + op.outputs.size());
        for (const AttrValue& attr : op.attrs) size += AttrBytes(attr);
      }
    }
  }
  return size;
}

// What a built module must hold for the file to be read again.
Result<void> CheckValue(const Value& value, const Location& place) {
  const auto fail = [&](std::string_view rule, const std::string& what) {
    return Error(rule, "\"" + std::string(value.name) + "\" " + what, place);
  };
  if (value.dtype > DType::kMXINT8 || (value.scale && value.scale->dtype > DType::kMXINT8)) {
    return fail("tosa-dtype", "has a data type that no TOSA file can hold");
  }
  if (value.is_shape && (value.shape.size() != 1 || value.shape[0] < 0 || value.external)) {
    return fail("tosa-shape-overflow", "is a shape without a rank");
  }
  if (value.is_unranked || !value.has_data) return {};
  const std::optional<uint64_t> elements = value.NumElements();
  const std::optional<uint64_t> bytes =
      elements ? LogicalBytes(value.dtype, *elements) : std::nullopt;
  if (bytes && value.data.size() < *bytes) {
    return fail("tosa-constant-bytes", "has fewer bytes than its shape and type need");
  }
  return {};
}

Result<void> CheckOperator(const Operator& op, size_t num_values, const Location& place) {
  const OpInfo* info = FindOp(op.op);
  bool ok = info != nullptr && info->attrs.size() == op.attrs.size();
  for (size_t i = 0; ok && i < op.attrs.size(); ++i) {
    const AttrKind kind = info->attrs[i].kind;
    // The alternatives of AttrValue: a number, then the lists in the order of their kinds.
    const size_t alternative = kind < AttrKind::kI32List    ? 0
                               : kind == AttrKind::kI32List ? 1
                               : kind == AttrKind::kBytes   ? 2
                                                            : 3;
    ok = op.attrs[i].index() == alternative;
  }
  if (!ok) {
    return Error("tosa-attribute-tag", "an operator without a row, or without its attributes",
                 place);
  }
  for (const std::vector<ValueId>* ids : {&op.inputs, &op.outputs}) {
    for (const ValueId id : *ids) {
      if (id >= num_values) {
        return Error("tosa-unknown-operand", "an operand is no tensor of this block", place);
      }
    }
  }
  return {};
}

Result<void> CheckBlock(const Region& region, const Block& block) {
  const Location place = {"", std::string(region.name) + "/" + std::string(block.name), ""};
  std::unordered_set<std::string_view> names;
  names.reserve(block.values.size());
  for (const Value& value : block.values) {
    TOSAC_TRY(CheckValue(value, place));
    if (!names.insert(value.name).second) {
      return Error("tosa-duplicate-name",
                   "two tensors of this block are called \"" + std::string(value.name) + "\"",
                   place);
    }
  }
  for (const std::vector<ValueId>* ids : {&block.inputs, &block.outputs}) {
    for (const ValueId id : *ids) {
      if (id >= block.values.size()) {
        return Error("tosa-unknown-operand", "an input or output is no tensor of this block",
                     place);
      }
    }
  }
  for (size_t i = 0; i < block.operators.size(); ++i) {
    TOSAC_TRY(CheckOperator(block.operators[i], block.values.size(),
                            {"", OperatorPath(region, block, i), ""}));
  }
  return {};
}

Result<void> CheckModule(const Module& module) {
  for (const Region& region : module.regions) {
    for (const Block& block : region.blocks) TOSAC_TRY(CheckBlock(region, block));
  }
  return {};
}

class Writer {
 public:
  Writer(const Module& module, ConstantForm form, size_t reserve)
      : module_(module), form_(form), fbb_(reserve) {}

  Encoded Run() {
    std::vector<Offset<fb::TosaRegion>> regions;
    for (const Region& region : module_.regions) regions.push_back(WriteRegion(region));
    const auto region_list = fbb_.CreateVector(regions);
    const Version& v = module_.version;
    const auto version = fb::CreateVersion(fbb_, v.major, v.minor, v.patch, v.draft);
    Offset<fb::SoftwareVersion> software;
    if (module_.software_version) software = WriteSoftware(*module_.software_version);
    Offset<fb::SerializationCompatibility> compatibility;
    if (module_.compatibility) {
      Offset<fb::SoftwareVersion> min_reader;
      if (module_.compatibility->min_reader_version) {
        min_reader = WriteSoftware(*module_.compatibility->min_reader_version);
      }
      compatibility =
          fb::CreateSerializationCompatibility(fbb_, min_reader, module_.compatibility->features);
    }
    fb::FinishTosaGraphBuffer(
        fbb_, fb::CreateTosaGraph(fbb_, version, region_list, software, compatibility));
    return Gather();
  }

 private:
  // A constant in the buffer that is written from elsewhere; `offset` counts from the end.
  struct Hole {
    uoffset_t offset;
    Bytes bytes;
  };
  // A constant behind the flatbuffer: the u64 field at `slot` of the table gets its place.
  struct Outside {
    uoffset_t table;
    flatbuffers::voffset_t slot;
    Bytes bytes;
  };

  Offset<fb::SoftwareVersion> WriteSoftware(const SoftwareVersion& version) {
    return fb::CreateSoftwareVersion(fbb_, version.major, version.minor, version.micro,
                                     fbb_.CreateString(version.modifier));
  }

  Offset<fb::TosaRegion> WriteRegion(const Region& region) {
    std::vector<Offset<fb::TosaBasicBlock>> blocks;
    for (const Block& block : region.blocks) blocks.push_back(WriteBlock(block));
    const auto list = fbb_.CreateVector(blocks);
    return fb::CreateTosaRegion(fbb_, fbb_.CreateString(region.name), list);
  }

  Offset<fb::TosaBasicBlock> WriteBlock(const Block& block) {
    // Tensors, then shapes, as a reader will find them: the bytes are the same the next time.
    names_.resize(block.values.size());
    std::vector<Offset<fb::TosaTensor>> tensors;
    std::vector<Offset<fb::TosaShape>> shapes;
    for (size_t i = 0; i < block.values.size(); ++i) {
      if (!block.values[i].is_shape) tensors.push_back(WriteTensor(block.values[i], &names_[i]));
    }
    for (size_t i = 0; i < block.values.size(); ++i) {
      if (block.values[i].is_shape) shapes.push_back(WriteShape(block.values[i], &names_[i]));
    }
    std::vector<Offset<fb::TosaOperator>> operators;
    operators.reserve(block.operators.size());
    for (const Operator& op : block.operators) {
      operators.push_back(WriteOperator(op, *FindOp(op.op)));
    }
    const auto inputs = WriteNames(block.inputs);
    const auto outputs = WriteNames(block.outputs);
    const auto tensor_list = fbb_.CreateVector(tensors);
    const auto shape_list = fbb_.CreateVector(shapes);
    const auto operator_list = fbb_.CreateVector(operators);
    return fb::CreateTosaBasicBlock(fbb_, fbb_.CreateString(block.name), operator_list, tensor_list,
                                    inputs, outputs, shape_list);
  }

  Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> WriteNames(
      const std::vector<ValueId>& ids) {
    std::vector<Offset<flatbuffers::String>> names;
    names.reserve(ids.size());
    for (const ValueId id : ids) names.push_back(names_[id]);
    return fbb_.CreateVector(names);
  }

  Offset<flatbuffers::Vector<uint8_t>> WriteBytes(Bytes bytes) {
    fbb_.ForceVectorAlignment(bytes.size(), 1, kAlignment);
    if (bytes.size() < kHoleBytes) return fbb_.CreateVector(bytes.data(), bytes.size());
    uint8_t* unused = nullptr;
    const uoffset_t offset = fbb_.CreateUninitializedVector(bytes.size(), 1, &unused);
    holes_.push_back({offset, bytes});
    return offset;
  }

  Offset<fb::TosaTensor> WriteTensor(const Value& value, Offset<flatbuffers::String>* name) {
    *name = fbb_.CreateString(value.name);
    const auto shape = fbb_.CreateVector(value.shape);
    const bool external = value.has_data && IsExternal(value.external, value.data, form_);
    Offset<flatbuffers::Vector<uint8_t>> data;
    if (value.has_data && !external) data = WriteBytes(value.data);
    Offset<flatbuffers::String> variable_name;
    if (!value.variable_name.empty()) variable_name = fbb_.CreateString(value.variable_name);
    const Scale* scale = value.scale.get();
    const bool scale_external =
        scale != nullptr && scale->has_data && IsExternal(scale->external, scale->data, form_);
    Offset<flatbuffers::Vector<uint8_t>> scale_data;
    if (scale != nullptr && scale->has_data && !scale_external)
      scale_data = WriteBytes(scale->data);

    fb::TosaTensorBuilder builder(fbb_);
    if (external) {
      builder.add_offset(kPlaceholder);
      builder.add_size(value.data.size());
    }
    if (scale != nullptr) {
      if (scale_external) {
        builder.add_scale_offset(kPlaceholder);
        builder.add_scale_size(scale->data.size());
      }
      builder.add_scale_type(static_cast<fb::DType>(scale->dtype));
      builder.add_scale_data(scale_data);
      builder.add_block_shape(static_cast<fb::BlockShape>(scale->block_shape));
    }
    builder.add_name(*name);
    builder.add_shape(shape);
    builder.add_type(static_cast<fb::DType>(value.dtype));
    builder.add_data(data);
    builder.add_variable(value.is_variable);
    builder.add_is_unranked(value.is_unranked);
    builder.add_variable_name(variable_name);
    const Offset<fb::TosaTensor> tensor = builder.Finish();
    if (external) outside_.push_back({tensor.o, fb::TosaTensor::VT_OFFSET, value.data});
    if (scale_external) {
      outside_.push_back({tensor.o, fb::TosaTensor::VT_SCALE_OFFSET, scale->data});
    }
    return tensor;
  }

  Offset<fb::TosaShape> WriteShape(const Value& value, Offset<flatbuffers::String>* name) {
    *name = fbb_.CreateString(value.name);
    Offset<flatbuffers::Vector<uint8_t>> data;
    if (value.has_data) data = WriteBytes(value.data);
    const auto rank = static_cast<uint32_t>(value.shape.empty() ? 0 : value.shape[0]);
    return fb::CreateTosaShape(fbb_, *name, rank, data);
  }

  Offset<fb::TosaOperator> WriteOperator(const Operator& op, const OpInfo& info) {
    const uoffset_t attributes = WriteAttributes(op, info);
    const auto inputs = WriteNames(op.inputs);
    const auto outputs = WriteNames(op.outputs);
    Offset<fb::OpLocation> location;
    if (op.has_location) location = fb::CreateOpLocation(fbb_, fbb_.CreateString(op.location));
    return fb::CreateTosaOperator(fbb_, static_cast<fb::Op>(op.op),
                                  static_cast<fb::Attribute>(op.op), Offset<void>(attributes),
                                  inputs, outputs, location);
  }

  // Field i of a table sits at vtable slot 4 + 2i. The values of lists come before the table.
  uoffset_t WriteAttributes(const Operator& op, const OpInfo& info) {
    constexpr size_t kMaxFields = 8;
    uoffset_t lists[kMaxFields] = {};
    for (size_t i = 0; i < info.attrs.size() && i < kMaxFields; ++i) {
      if (const auto* ints = std::get_if<std::vector<int32_t>>(&op.attrs[i])) {
        lists[i] = fbb_.CreateVector(*ints).o;
      } else if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&op.attrs[i])) {
        fbb_.ForceVectorAlignment(bytes->size(), 1, kAlignment);
        lists[i] = fbb_.CreateVector(*bytes).o;
      } else if (const auto* text = std::get_if<std::string>(&op.attrs[i])) {
        lists[i] = fbb_.CreateString(*text).o;
      }
    }
    const uoffset_t start = fbb_.StartTable();
    for (size_t i = 0; i < info.attrs.size() && i < kMaxFields; ++i) {
      const auto slot = static_cast<flatbuffers::voffset_t>(4 + 2 * i);
      const auto* scalar = std::get_if<int64_t>(&op.attrs[i]);
      switch (info.attrs[i].kind) {
        case AttrKind::kI32:
          fbb_.AddElement<int32_t>(slot, scalar ? static_cast<int32_t>(*scalar) : 0, 0);
          break;
        case AttrKind::kBool:
          fbb_.AddElement<uint8_t>(slot, scalar != nullptr && *scalar != 0 ? 1 : 0, 0);
          break;
        case AttrKind::kEnum:
          fbb_.AddElement<uint32_t>(slot, scalar ? static_cast<uint32_t>(*scalar) : 0, 0);
          break;
        case AttrKind::kI32List:
        case AttrKind::kBytes:
        case AttrKind::kString:
          fbb_.AddOffset(slot, Offset<void>(lists[i]));
          break;
      }
    }
    return fbb_.EndTable(start);
  }

  // The finished buffer and the constants, in the order of the file.
  Encoded Gather() {
    const size_t size = fbb_.GetSize();
    uint8_t* begin = fbb_.GetBufferPointer();
    uint64_t end = AlignUp(size);
    std::vector<Bytes> behind;
    for (const Outside& outside : outside_) {
      auto* table = reinterpret_cast<flatbuffers::Table*>(begin + size - outside.table);
      table->SetField<uint64_t>(outside.slot, end, 0);
      end = AlignUp(end + outside.bytes.size());
    }
    Encoded encoded;
    encoded.size = outside_.empty() ? size : end;
    auto owner = std::make_shared<flatbuffers::DetachedBuffer>(fbb_.Release());
    const Bytes buffer(owner->data(), owner->size());
    encoded.owner = std::move(owner);
    size_t done = 0;
    // The builder fills its buffer from the end: what was made last comes first.
    for (auto hole = holes_.rbegin(); hole != holes_.rend(); ++hole) {
      const size_t at = size - hole->offset + sizeof(uoffset_t);
      encoded.pieces.push_back(buffer.subspan(done, at - done));
      encoded.pieces.push_back(hole->bytes);
      done = at + hole->bytes.size();
    }
    encoded.pieces.push_back(buffer.subspan(done));
    if (outside_.empty()) return encoded;
    AppendPadding(size, &encoded);
    for (const Outside& outside : outside_) {
      encoded.pieces.push_back(outside.bytes);
      AppendPadding(outside.bytes.size(), &encoded);
    }
    return encoded;
  }

  static void AppendPadding(uint64_t size, Encoded* encoded) {
    static constexpr uint8_t kZeros[kAlignment] = {};
    const uint64_t padding = AlignUp(size) - size;
    if (padding > 0) encoded->pieces.emplace_back(kZeros, padding);
  }

  static constexpr uint64_t kPlaceholder = ~uint64_t{0};  // not the default, so it is stored

  const Module& module_;
  const ConstantForm form_;
  FlatBufferBuilder fbb_;
  std::vector<Offset<flatbuffers::String>> names_;  // of the values of the block being written
  std::vector<Hole> holes_;
  std::vector<Outside> outside_;
};

}  // namespace

Result<Encoded> EncodeTosa(const Module& module, const WriteOptions& options) {
  TOSAC_TRY(CheckModule(module));
  const uint64_t bound = UpperBound(module, options.constants);
  if (bound >= limits::kMaxFlatBufferBytes) {
    return Error("tosa-too-large",
                 "the flatbuffer would take up to " + std::to_string(bound) +
                     " bytes, and it can not reach 2 GB; store the constants outside of it");
  }
  return Writer(module, options.constants, static_cast<size_t>(bound)).Run();
}

Result<std::vector<uint8_t>> WriteTosa(const Module& module, const WriteOptions& options) {
  TOSAC_ASSIGN(const Encoded encoded, EncodeTosa(module, options));
  std::vector<uint8_t> bytes;
  bytes.reserve(encoded.size);
  for (const Bytes piece : encoded.pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

Result<void> WriteTosaFile(const Module& module, const std::string& path,
                           const WriteOptions& options) {
  TOSAC_ASSIGN(const Encoded encoded, EncodeTosa(module, options));
  return WriteFile(encoded.pieces, path);
}

}  // namespace tosac
