// SPDX-License-Identifier: Apache-2.0
// Reading a .tosa flatbuffer. Nothing is believed before it is checked: first every table by the
// FlatBuffers verifier, under budgets that a legal file can not reach; then names, numbers and
// byte counts while the Module is built.
#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "base/mapped_file.h"
#include "tosa_generated.h"
#include "tosac/io.h"

namespace tosac {
namespace {

using flatbuffers::Offset;
using flatbuffers::Table;
using flatbuffers::Vector;
using flatbuffers::Verifier;
using Strings = Vector<Offset<flatbuffers::String>>;

std::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

template <typename T>
uint32_t Size(const Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

std::span<const uint8_t> Bytes(const Vector<uint8_t>* bytes) {
  if (bytes == nullptr) return {};
  return {bytes->data(), bytes->size()};
}

// ---- structure ----

// Checks every table and list of the flatbuffer. Lists may be shared between tables, so that a
// small file can ask for endless work: the elements of all lists together stay under the number
// of bytes in the file (an element of an unshared list takes four), the tables under an eighth.
class StructureCheck {
 public:
  StructureCheck(std::span<const uint8_t> bytes, std::string_view file)
      : file_(file),
        budget_(bytes.size()),
        max_tables_(bytes.size() / 8),
        verifier_(bytes.data(), bytes.size(), Options(bytes)) {}

  Result<void> Run(const fb::TosaGraph* graph) {
    const Table* table = Start(graph);
    const bool ok = table != nullptr &&
                    table->VerifyOffsetRequired(verifier_, fb::TosaGraph::VT_VERSION) &&
                    verifier_.VerifyTable(graph->version()) &&
                    table->VerifyOffset(verifier_, fb::TosaGraph::VT_SOFTWARE_VERSION) &&
                    verifier_.VerifyTable(graph->software_version()) &&
                    table->VerifyOffset(verifier_, fb::TosaGraph::VT_COMPATIBILITY) &&
                    verifier_.VerifyTable(graph->compatibility()) &&
                    List<Offset<fb::TosaRegion>>(table, fb::TosaGraph::VT_REGIONS);
    if (!ok) return Damaged("graph");
    for (uint32_t i = 0; i < Size(graph->regions()); ++i) {
      TOSAC_TRY(Region(graph->regions()->Get(i), "region " + std::to_string(i)));
    }
    return {};
  }

 private:
  static Verifier::Options Options(std::span<const uint8_t> bytes) {
    Verifier::Options options;
    options.max_depth = limits::kMaxFlatBufferDepth;
    options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / 8);
    return options;
  }

  // The table, when its head is sound; the generated class derives from Table privately.
  template <typename T>
  const Table* Start(const T* generated) {
    const auto* table = reinterpret_cast<const Table*>(generated);
    ++tables_;
    if (generated == nullptr || !table->VerifyTableStart(verifier_)) return nullptr;
    return table;
  }

  // The list in `slot` lies in the buffer, and its elements fit the budget. The slot itself is
  // checked before it is read.
  template <typename T>
  bool List(const Table* table, flatbuffers::voffset_t slot) {
    if (!table->VerifyOffset(verifier_, slot)) return false;
    const auto* list = table->GetPointer<const Vector<T>*>(slot);
    if (!verifier_.VerifyVector(list)) return false;
    const uint64_t elements = Size(list);
    over_budget_ = over_budget_ || elements > budget_;
    budget_ -= over_budget_ ? 0 : elements;
    return !over_budget_;
  }

  Result<void> Region(const fb::TosaRegion* region, const std::string& place) {
    const Table* table = Start(region);
    if (table == nullptr || !table->VerifyOffset(verifier_, fb::TosaRegion::VT_NAME) ||
        !verifier_.VerifyString(region->name()) ||
        !List<Offset<fb::TosaBasicBlock>>(table, fb::TosaRegion::VT_BLOCKS)) {
      return Damaged(place);
    }
    for (uint32_t i = 0; i < Size(region->blocks()); ++i) {
      TOSAC_TRY(Block(region->blocks()->Get(i), place + "/block " + std::to_string(i)));
    }
    verifier_.EndTable();
    return {};
  }

  Result<void> Block(const fb::TosaBasicBlock* block, const std::string& place) {
    using B = fb::TosaBasicBlock;
    const Table* table = Start(block);
    if (table == nullptr || !table->VerifyOffset(verifier_, B::VT_NAME) ||
        !verifier_.VerifyString(block->name()) ||
        !List<Offset<fb::TosaOperator>>(table, B::VT_OPERATORS) ||
        !List<Offset<fb::TosaTensor>>(table, B::VT_TENSORS) ||
        !List<Offset<flatbuffers::String>>(table, B::VT_INPUTS) ||
        !verifier_.VerifyVectorOfStrings(block->inputs()) ||
        !List<Offset<flatbuffers::String>>(table, B::VT_OUTPUTS) ||
        !verifier_.VerifyVectorOfStrings(block->outputs()) ||
        !List<Offset<fb::TosaShape>>(table, B::VT_SHAPES)) {
      return Damaged(place);
    }
    for (uint32_t i = 0; i < Size(block->operators()); ++i) {
      TOSAC_TRY(Operator(block->operators()->Get(i), place, i));
    }
    for (uint32_t i = 0; i < Size(block->tensors()); ++i) {
      const fb::TosaTensor* tensor = block->tensors()->Get(i);
      ++tables_;
      if (!Lists(tensor, {fb::TosaTensor::VT_SHAPE}) || !tensor->Verify(verifier_)) {
        return Damaged(place + "/tensor " + std::to_string(i));
      }
    }
    for (uint32_t i = 0; i < Size(block->shapes()); ++i) {
      ++tables_;
      if (!block->shapes()->Get(i)->Verify(verifier_)) {
        return Damaged(place + "/shape " + std::to_string(i));
      }
    }
    verifier_.EndTable();
    return {};
  }

  // Counts lists of four-byte elements in `slots` before the generated Verify walks them.
  template <typename T>
  bool Lists(const T* generated, std::initializer_list<flatbuffers::voffset_t> slots) {
    const Table* table = Start(generated);
    if (table == nullptr) return false;
    for (const flatbuffers::voffset_t slot : slots) {
      if (!List<uint32_t>(table, slot)) return false;
    }
    return verifier_.EndTable();
  }

  Result<void> Operator(const fb::TosaOperator* op, const std::string& block, uint32_t index) {
    using O = fb::TosaOperator;
    const auto place = [&] { return block + "/operator " + std::to_string(index); };
    if (!Lists(op, {O::VT_INPUTS, O::VT_OUTPUTS})) return Damaged(place());
    // The verifier lets an attribute through whose tag it does not know, and reading a table as
    // another kind of table than it is would read out of bounds.
    const Table* table = Start(op);
    if (table == nullptr || !table->VerifyField<uint32_t>(verifier_, O::VT_OP, 4) ||
        !table->VerifyField<uint8_t>(verifier_, O::VT_ATTRIBUTE_TYPE, 1)) {
      return Damaged(place());
    }
    verifier_.EndTable();
    const auto number = static_cast<uint32_t>(op->op());
    const OpInfo* info =
        number < static_cast<uint32_t>(kNumOps) ? FindOp(static_cast<Op>(number)) : nullptr;
    if (info == nullptr) {
      return Error("tosa-operator-number",
                   "operator number " + std::to_string(number) +
                       " is unknown; tosac knows the operators of TOSA 1.0 and 1.1",
                   {std::string(file_), place(), ""});
    }
    const auto tag = static_cast<uint32_t>(op->attribute_type());
    if (tag != number && (tag != 0 || !info->attrs.empty())) {
      return Error("tosa-attribute-tag",
                   std::string(info->name) + " carries the attributes of operator number " +
                       std::to_string(tag) + " instead of its own",
                   {std::string(file_), place(), ""});
    }
    tables_ += 3;  // the operator, its attribute and its location
    if (!op->Verify(verifier_) || (tag != 0 && op->attribute() == nullptr)) return Damaged(place());
    // The Module copies what attribute lists hold, shared or not.
    for (size_t i = 0; i < info->attrs.size(); ++i) Count(op->attribute(), info->attrs[i].kind, i);
    if (over_budget_) return Damaged(place());
    return {};
  }

  // Takes the length of an attribute's list off the budget; the table has been verified.
  void Count(const void* attribute, AttrKind kind, size_t index) {
    if (kind != AttrKind::kI32List && kind != AttrKind::kBytes && kind != AttrKind::kString) return;
    // All three begin with their length.
    const auto* list =
        reinterpret_cast<const Table*>(attribute)->GetPointer<const Vector<uint8_t>*>(
            static_cast<flatbuffers::voffset_t>(4 + 2 * index));
    const uint64_t elements = Size(list);
    over_budget_ = over_budget_ || elements > budget_;
    budget_ -= over_budget_ ? 0 : elements;
  }

  Diag Damaged(const std::string& place) {
    const bool bomb = over_budget_ || tables_ > max_tables_;
    return Error(bomb ? "tosa-bomb" : "tosa-damaged",
                 bomb ? "tables or lists are shared so often that they dwarf the file"
                      : "the flatbuffer is damaged here: an offset, length or nesting is wrong",
                 {std::string(file_), place, ""});
  }

  std::string_view file_;
  uint64_t budget_;
  uint64_t max_tables_;
  uint64_t tables_ = 0;  // that the verifier has counted, or a few more
  bool over_budget_ = false;
  Verifier verifier_;
};

// ---- contents ----

class Reader {
 public:
  Reader(std::span<const uint8_t> file, std::string_view name, Module* module)
      : file_(file),
        name_(name),
        module_(module),
        text_budget_(limits::kTextFloor +
                     limits::kTextFactor *
                         std::min<uint64_t>(file.size(), limits::kMaxFlatBufferBytes)) {}

  Result<void> Run(const fb::TosaGraph* graph) {
    TOSAC_TRY(ReadVersion(graph));
    module_->file_bytes = file_.size();
    module_->regions.resize(Size(graph->regions()));
    for (uint32_t r = 0; r < Size(graph->regions()); ++r) {
      const fb::TosaRegion* from = graph->regions()->Get(r);
      tosac::Region& region = module_->regions[r];
      region.name = View(from->name());
      place_ = std::string(region.name);
      region.blocks.resize(Size(from->blocks()));
      for (uint32_t b = 0; b < Size(from->blocks()); ++b) {
        region.blocks[b].name = View(from->blocks()->Get(b)->name());
        TOSAC_TRY(Spend(region.name.size() + region.blocks[b].name.size(), ""));
        place_ = std::string(region.name) + "/" + std::string(region.blocks[b].name);
        TOSAC_TRY(ReadBlock(from->blocks()->Get(b), &region.blocks[b]));
      }
    }
    return {};
  }

 private:
  Diag Fail(std::string_view rule, const std::string& where, std::string message) const {
    return Error(rule, std::move(message), {std::string(name_), place_ + where, ""});
  }

  // Strings may be shared, too, and overlap; each use of one costs time in its length, or space
  // in what is made of the Module. No legal file comes near the budget.
  Result<void> Spend(uint64_t characters, const std::string& where) {
    if (characters > text_budget_) {
      return Fail("tosa-bomb", where, "names are shared so often that they dwarf the file");
    }
    text_budget_ -= characters;
    return {};
  }

  static SoftwareVersion Read(const fb::SoftwareVersion* from) {
    return {from->_major(), from->_minor(), from->_micro(), std::string(View(from->_modifier()))};
  }

  Result<void> ReadVersion(const fb::TosaGraph* graph) {
    const fb::Version* version = graph->version();
    module_->version = {version->_major(), version->_minor(), version->_patch(), version->_draft()};
    if (version->_major() != 1 || version->_minor() < 0 || version->_minor() > 1) {
      return Error("tosa-version",
                   "the file is TOSA " + std::to_string(version->_major()) + "." +
                       std::to_string(version->_minor()) + "; tosac reads TOSA 1.0 and 1.1",
                   {std::string(name_), "", ""});
    }
    if (graph->software_version() != nullptr) {
      module_->software_version = Read(graph->software_version());
    }
    if (const auto* compatibility = graph->compatibility()) {
      module_->compatibility.emplace();
      module_->compatibility->features = compatibility->features();
      if (compatibility->min_reader_version() != nullptr) {
        module_->compatibility->min_reader_version = Read(compatibility->min_reader_version());
      }
    }
    return {};
  }

  Result<void> ReadBlock(const fb::TosaBasicBlock* from, tosac::Block* block) {
    ids_.clear();
    const size_t tensors = Size(from->tensors());
    const size_t shapes = Size(from->shapes());
    ids_.reserve(tensors + shapes);
    block->values.resize(tensors + shapes);
    for (uint32_t i = 0; i < tensors; ++i) {
      TOSAC_TRY(ReadTensor(from->tensors()->Get(i), &block->values[i]));
      TOSAC_TRY(Define(block->values[i].name, i));
    }
    for (uint32_t i = 0; i < shapes; ++i) {
      const auto id = static_cast<ValueId>(tensors + i);
      TOSAC_TRY(ReadShape(from->shapes()->Get(i), &block->values[id]));
      TOSAC_TRY(Define(block->values[id].name, id));
    }
    block->operators.resize(Size(from->operators()));
    for (uint32_t i = 0; i < Size(from->operators()); ++i) {
      TOSAC_TRY(ReadOperator(from->operators()->Get(i), i, &block->operators[i]));
    }
    TOSAC_TRY(Resolve(from->inputs(), "/inputs", &block->inputs));
    return Resolve(from->outputs(), "/outputs", &block->outputs);
  }

  Result<void> Define(std::string_view name, ValueId id) {
    TOSAC_TRY(Spend(name.size(), ""));
    if (ids_.emplace(name, id).second) return {};
    return Fail("tosa-duplicate-name", "",
                "two tensors of this block are called \"" + std::string(name) + "\"");
  }

  Result<void> Resolve(const Strings* names, const std::string& where, std::vector<ValueId>* ids) {
    ids->reserve(Size(names));
    for (uint32_t i = 0; i < Size(names); ++i) {
      const std::string_view name = View(names->Get(i));
      TOSAC_TRY(Spend(name.size(), where));
      const auto found = ids_.find(name);
      if (found == ids_.end()) {
        return Fail("tosa-unknown-operand", where,
                    "\"" + std::string(name) + "\" is no tensor of this block");
      }
      ids->push_back(found->second);
    }
    return {};
  }

  Result<DType> ReadDType(uint32_t number, std::string_view tensor) const {
    if (number <= static_cast<uint32_t>(DType::kMXINT8)) return static_cast<DType>(number);
    return Fail("tosa-dtype", "/tensor " + std::string(tensor),
                "data type number " + std::to_string(number) + " is unknown");
  }

  // The bytes of a constant inside the flatbuffer, or at `offset` of the file.
  Result<std::span<const uint8_t>> ReadData(const Vector<uint8_t>* data, uint64_t offset,
                                            uint64_t size, std::string_view tensor,
                                            bool* external) const {
    *external = Size(data) == 0 && offset > 1 && size > 0;
    if (!*external) return Bytes(data);
    if (size > file_.size() || offset > file_.size() - size) {
      return Fail("tosa-external-bounds", "/tensor " + std::string(tensor),
                  "its bytes are said to lie at " + std::to_string(offset) + ", " +
                      std::to_string(size) + " long, but the file has " +
                      std::to_string(file_.size()) + " bytes");
    }
    return file_.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
  }

  // What the shape says against the bytes that there are.
  Result<void> CheckBytes(const tosac::Value& value) const {
    bool known = !value.is_unranked;
    for (const int32_t dim : value.shape) known = known && dim >= 0;
    if (!known) return {};
    const std::string where = "/tensor " + std::string(value.name);
    const std::optional<uint64_t> elements = value.NumElements();
    const std::optional<uint64_t> bytes =
        elements
            ? LogicalBytes(value.dtype == DType::kUnknown ? DType::kINT8 : value.dtype, *elements)
            : std::nullopt;
    if (!bytes) return Fail("tosa-shape-overflow", where, "its shape has too many elements");
    if (value.has_data && value.data.size() < *bytes) {
      return Fail("tosa-constant-bytes", where,
                  "its shape and type need " + std::to_string(*bytes) + " bytes, but there are " +
                      std::to_string(value.data.size()));
    }
    return {};
  }

  Result<void> ReadTensor(const fb::TosaTensor* from, tosac::Value* value) {
    value->name = View(from->name());
    TOSAC_ASSIGN(value->dtype, ReadDType(static_cast<uint32_t>(from->type()), value->name));
    value->is_variable = from->variable();
    value->is_unranked = from->is_unranked();
    value->variable_name = View(from->variable_name());
    TOSAC_TRY(Spend(value->variable_name.size(), ""));
    value->shape.resize(Size(from->shape()));
    for (uint32_t i = 0; i < Size(from->shape()); ++i) value->shape[i] = from->shape()->Get(i);
    TOSAC_ASSIGN(value->data, ReadData(from->data(), from->offset(), from->size(), value->name,
                                       &value->external));
    // Some writers give every tensor a list of no bytes; that makes no constant of it.
    value->has_data =
        !value->data.empty() || (from->data() != nullptr && value->NumElements() == 0);
    TOSAC_TRY(CheckBytes(*value));
    const bool scaled = static_cast<uint32_t>(from->scale_type()) != 0 ||
                        static_cast<uint32_t>(from->block_shape()) != 0 ||
                        Size(from->scale_data()) != 0 || from->scale_size() != 0;
    if (!scaled) return {};
    value->scale = std::make_unique<Scale>();
    TOSAC_ASSIGN(value->scale->dtype,
                 ReadDType(static_cast<uint32_t>(from->scale_type()), value->name));
    value->scale->block_shape = static_cast<uint32_t>(from->block_shape());
    TOSAC_ASSIGN(value->scale->data,
                 ReadData(from->scale_data(), from->scale_offset(), from->scale_size(), value->name,
                          &value->scale->external));
    value->scale->has_data = !value->scale->data.empty();
    // A size without an offset says nothing.
    if (!value->scale->has_data && value->scale->dtype == DType::kUnknown &&
        value->scale->block_shape == 0) {
      value->scale.reset();
    }
    return {};
  }

  Result<void> ReadShape(const fb::TosaShape* from, tosac::Value* value) {
    value->name = View(from->name());
    value->dtype = DType::kSHAPE;
    value->is_shape = true;
    if (from->rank() > static_cast<uint32_t>(INT32_MAX)) {
      return Fail("tosa-shape-overflow", "/shape " + std::string(value->name),
                  "its rank is " + std::to_string(from->rank()));
    }
    value->shape = {static_cast<int32_t>(from->rank())};
    value->data = Bytes(from->data());
    value->has_data = !value->data.empty() || (from->data() != nullptr && from->rank() == 0);
    return CheckBytes(*value);
  }

  Result<void> ReadOperator(const fb::TosaOperator* from, uint32_t index, tosac::Operator* op) {
    op->op = static_cast<Op>(from->op());
    const OpInfo* info = FindOp(op->op);
    const std::string where = "/op" + std::to_string(index) + " " + std::string(info->name);
    TOSAC_TRY(Resolve(from->inputs(), where, &op->inputs));
    TOSAC_TRY(Resolve(from->outputs(), where, &op->outputs));
    // The generated classes derive from Table privately; StructureCheck saw that this table is
    // the one of `info`.
    const auto* attributes = reinterpret_cast<const Table*>(from->attribute());
    op->attrs.reserve(info->attrs.size());
    for (size_t i = 0; i < info->attrs.size(); ++i) {
      op->attrs.push_back(ReadAttribute(*attributes, info->attrs[i].kind, i));
    }
    if (from->location() != nullptr) {
      op->has_location = true;
      op->location = View(from->location()->text());
      TOSAC_TRY(Spend(op->location.size(), where));
    }
    return {};
  }

  // Field i of a table sits at vtable slot 4 + 2i.
  static AttrValue ReadAttribute(const Table& table, AttrKind kind, size_t index) {
    const auto slot = static_cast<flatbuffers::voffset_t>(4 + 2 * index);
    switch (kind) {
      case AttrKind::kI32:
        return int64_t{table.GetField<int32_t>(slot, 0)};
      case AttrKind::kBool:
        return int64_t{table.GetField<uint8_t>(slot, 0) != 0};
      case AttrKind::kEnum:
        return int64_t{table.GetField<uint32_t>(slot, 0)};
      case AttrKind::kI32List: {
        const auto* list = table.GetPointer<const Vector<int32_t>*>(slot);
        std::vector<int32_t> values(Size(list));
        for (uint32_t i = 0; i < Size(list); ++i) values[i] = list->Get(i);
        return values;
      }
      case AttrKind::kBytes: {
        const std::span<const uint8_t> bytes =
            Bytes(table.GetPointer<const Vector<uint8_t>*>(slot));
        return std::vector<uint8_t>(bytes.begin(), bytes.end());
      }
      case AttrKind::kString:
        return std::string(View(table.GetPointer<const flatbuffers::String*>(slot)));
    }
    return int64_t{0};
  }

  std::span<const uint8_t> file_;
  std::string_view name_;
  Module* module_;
  std::string place_;
  uint64_t text_budget_;
  std::unordered_map<std::string_view, ValueId> ids_;  // of the block that is being read
};

}  // namespace

Result<Module> ReadTosa(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                        std::string_view file) {
  const Location place = {std::string(file), "", ""};
  constexpr size_t kHead = 8;  // root offset and identifier
  if (bytes.empty()) return Error("tosa-empty", "the file is empty", place);
  if (bytes.size() < kHead || std::memcmp(bytes.data() + 4, "TOSA", 4) != 0) {
    return Error("tosa-identifier", "this is no .tosa file: the identifier TOSA is missing", place);
  }
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0) {
    auto copy = std::make_shared<std::vector<uint8_t>>(bytes.begin(), bytes.end());
    bytes = *copy;
    owner = std::move(copy);
  }
  const std::span<const uint8_t> head =
      bytes.first(std::min<size_t>(bytes.size(), limits::kMaxFlatBufferBytes));
  uint32_t root = 0;
  std::memcpy(&root, head.data(), sizeof(root));
  root = flatbuffers::EndianScalar(root);
  if (root < kHead || root % 4 != 0 || root > head.size() - 4) {
    return Error("tosa-damaged", "the root of the flatbuffer lies outside the file", place);
  }
  const auto* graph = reinterpret_cast<const fb::TosaGraph*>(head.data() + root);
  TOSAC_TRY(StructureCheck(head, file).Run(graph));
  Module module;
  module.Keep(std::move(owner));
  TOSAC_TRY(Reader(bytes, file, &module).Run(graph));
  return module;
}

Result<Module> ReadTosaFile(const std::string& path) {
  TOSAC_ASSIGN(FileBytes file, OpenFile(path));
  return ReadTosa(file.bytes, std::move(file.owner), FileName(path));
}

}  // namespace tosac
