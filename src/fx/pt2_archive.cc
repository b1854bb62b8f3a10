// SPDX-License-Identifier: Apache-2.0
#include "fx/pt2_archive.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/limits.h"

namespace tosac::fx {
namespace {

// A Storage over an entry of the archive.
class EntryStorage final : public Storage {
 public:
  EntryStorage(const ZipEntry& entry, std::shared_ptr<const void> owner)
      : contents_(entry, std::move(owner)) {}
  uint64_t size() const override { return contents_.size(); }
  Result<ByteView> Bytes() const override {
    TOSAC_ASSIGN(const std::span<const uint8_t> bytes, contents_.Bytes());
    return ByteView{bytes, nullptr};
  }

 private:
  ZipContents contents_;
};

struct ScalarTypeRow {
  int64_t number;
  DType dtype;
};
constexpr ScalarTypeRow kScalarTypes[] = {
    {1, DType::kUINT8},      {2, DType::kINT8},        {3, DType::kINT16},
    {4, DType::kINT32},      {5, DType::kINT64},       {6, DType::kFP16},
    {7, DType::kFP32},       {8, DType::kFP64},        {9, DType::kCOMPLEX32},
    {10, DType::kCOMPLEX64}, {11, DType::kCOMPLEX128}, {12, DType::kBOOL},
    {13, DType::kBF16},      {28, DType::kUINT16},     {29, DType::kFP8E4M3},
    {30, DType::kFP8E5M2},   {33, DType::kFP8UE8M0},   {34, DType::kUINT32},
    {35, DType::kUINT64},
};

constexpr std::string_view kSaveAgain =
    "save the model again with torch.export.save of PyTorch 2.8 or later";

// Other files that people hand over by mistake, told by bytes at a fixed place.
struct FileKind {
  size_t offset;
  std::string_view magic;
  std::string_view what;
};
constexpr FileKind kFileKinds[] = {
    {0, "\x80\x02", "a pickle (an old torch.save file?)"},
    {0, "\x80\x03", "a pickle"},
    {0, "\x80\x04", "a pickle"},
    {0, "\x80\x05", "a pickle"},
    {4, "TOSA", "a .tosa file already"},
    {4, "TFL3", "a TensorFlow Lite file"},
    {4, "ET12", "an ExecuTorch program"},
    {0, "\x7f\x45LF", "an ELF binary"},
    {0, "\x89HDF", "an HDF5 file (Keras?)"},
    {0, "GGUF", "a GGUF file"},
    {0, "\x1f\x8b", "a gzip file"},
    {0, "version https://git-lfs", "a Git LFS pointer (run git lfs pull)"},
    {8, "{\"", "a safetensors file: weights without a program"},
};

std::optional<std::string> OtherFile(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return "the file is empty";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const FileKind& kind : kFileKinds) {
    if (text.size() < kind.offset || !text.substr(kind.offset).starts_with(kind.magic)) continue;
    return "this is " + std::string(kind.what) + ", not a .pt2 archive";
  }
  // An ONNX file is a protobuf message that begins with its ir_version (field 1, a small varint).
  if (bytes.size() > 2 && bytes[0] == 0x08 && bytes[1] < 0x20) {
    return "this looks like an ONNX file, not a .pt2 archive";
  }
  return std::nullopt;
}

// Other zip archives of PyTorch's, told by their entries.
std::optional<std::string> OtherArchive(std::span<const ZipEntry> entries) {
  for (const ZipEntry& entry : entries) {
    const std::string_view name = entry.name;
    if (name == "serialized_exported_program.json" ||
        name.ends_with("/serialized_exported_program.json")) {
      return "this archive was saved by PyTorch before 2.8; " + std::string(kSaveAgain);
    }
    if (name.ends_with("/constants.pkl") || name == "constants.pkl") {
      return "this is a TorchScript archive (torch.jit.save), not a .pt2; export the model with "
             "torch.export and save it with torch.export.save";
    }
    if (name.find("/data/aotinductor/") != std::string_view::npos) {
      return "this is an AOTInductor package of compiled code, not an exported program";
    }
    if (name.ends_with("/data.pkl") || name == "data.pkl") {
      return "this is a torch.save file of pickled objects, not a .pt2; export the model with "
             "torch.export and save it with torch.export.save";
    }
  }
  return std::nullopt;
}

Diag ArchiveError(std::string_view rule, std::string message, std::string entry = "") {
  return Error(rule, std::move(message), {"", std::move(entry), ""});
}

// PyTorch raises the major version when older readers would misunderstand.
Result<void> CheckSchema(JsonValue root) {
  constexpr int64_t kMajor = 8;
  const auto version = Member(root, "schema_version");
  const auto major = version ? AsInt(Member(*version, "major")) : std::nullopt;
  if (!major) return ArchiveError("archive-schema", "the program's JSON states no schema version");
  if (*major == kMajor) return {};
  return ArchiveError("archive-schema", "the program's schema has major version " +
                                            std::to_string(*major) + "; this tosac reads " +
                                            std::to_string(kMajor) + " (PyTorch 2.8 to 2.13)");
}

}  // namespace

std::optional<DType> ScalarTypeFromNumber(int64_t number) {
  for (const ScalarTypeRow& row : kScalarTypes) {
    if (row.number == number) return row.dtype;
  }
  return std::nullopt;
}

Result<Pt2Archive> Pt2Archive::Open(std::span<const uint8_t> bytes,
                                    std::shared_ptr<const void> owner) {
  if (const auto other = OtherFile(bytes)) return ArchiveError("archive-kind", *other);
  TOSAC_ASSIGN(std::vector<ZipEntry> entries, ReadZip(bytes));
  Pt2Archive archive(std::move(entries), std::move(owner));
  TOSAC_TRY(archive.FindProgram());
  TOSAC_TRY(archive.ReadConfigs());
  return archive;
}

Result<JsonDocument> Pt2Archive::ParseEntry(const ZipEntry& entry) const {
  const bool bomb = entry.deflated && entry.size > limits::kMaxJsonInflatedBase &&
                    entry.size / limits::kMaxJsonInflatedRatio > entry.payload.size();
  if (bomb || entry.size > limits::kMaxJsonBytes) {
    return ArchiveError(
        "archive-json",
        "the JSON text claims " + std::to_string(entry.size) + " bytes, more than a program has",
        entry.name);
  }
  const ZipContents contents(entry, owner_);
  TOSAC_ASSIGN(const std::span<const uint8_t> text, contents.Bytes());
  Result<JsonDocument> document = JsonDocument::Parse(text);
  if (!document.ok()) return At(document.diag(), {"", entry.name, ""});
  return document;
}

Result<void> Pt2Archive::FindProgram() {
  constexpr std::string_view kFolder = "models/";
  const ZipEntry* program = nullptr;
  for (const ZipEntry& entry : entries_) {
    const size_t slash = entry.name.find('/');
    if (slash == std::string::npos || !entry.name.ends_with(".json")) continue;
    std::string_view rest = entry.name;
    rest.remove_prefix(slash + 1);
    if (!rest.starts_with(kFolder)) continue;
    if (program != nullptr) {
      return ArchiveError("archive-models", "the archive holds several programs (" + program->name +
                                                ", " + entry.name + "); save one at a time");
    }
    program = &entry;
    root_ = entry.name.substr(0, slash + 1);
    model_ = std::string(rest.substr(kFolder.size(), rest.size() - kFolder.size() - 5));
  }
  if (program == nullptr) {
    if (const auto other = OtherArchive(entries_)) return ArchiveError("archive-kind", *other);
    return ArchiveError("archive-missing-entry",
                        "this zip archive holds no exported program (no models/*.json); " +
                            std::string(kSaveAgain));
  }
  if (const ZipEntry* order = FindEntry(entries_, root_ + "byteorder")) {
    const ZipContents contents(*order, owner_);
    TOSAC_ASSIGN(const std::span<const uint8_t> text, contents.Bytes());
    if (std::string_view(reinterpret_cast<const char*>(text.data()), text.size()) != "little") {
      return ArchiveError("archive-byteorder", "the archive was saved on a big-endian machine",
                          order->name);
    }
  }
  TOSAC_ASSIGN(JsonDocument document, ParseEntry(*program));
  program_ = std::make_unique<JsonDocument>(std::move(document));
  Result<void> checked = CheckSchema(program_->root());
  if (!checked.ok()) return At(checked.diag(), {"", program->name, ""});
  return {};
}

Result<void> Pt2Archive::ReadConfigs() {
  struct Kind {
    std::string_view folder;
    std::string_view suffix;
  };
  constexpr Kind kKinds[] = {{"data/weights/", "_weights_config.json"},
                             {"data/constants/", "_constants_config.json"}};
  for (const Kind& kind : kKinds) {
    const std::string name = root_ + std::string(kind.folder) + model_ + std::string(kind.suffix);
    const ZipEntry* entry = FindEntry(entries_, name);
    if (entry == nullptr) {
      return ArchiveError("archive-missing-entry", "the entry is missing from the archive", name);
    }
    TOSAC_ASSIGN(JsonDocument document, ParseEntry(*entry));
    const auto config = AsObject(Member(document.root(), "config"));
    if (!config) return ArchiveError("archive-json", "there is no \"config\" object", name);
    for (const auto field : *config) {
      if (!tensors_.try_emplace(std::string(field.key), TensorEntry{kind.folder, field.value})
               .second) {
        return ArchiveError("archive-json", "tensor " + std::string(field.key) + " is listed twice",
                            name);
      }
    }
    configs_.push_back(std::move(document));
  }
  return {};
}

Result<std::shared_ptr<const Storage>> Pt2Archive::FindStorage(const std::string& path) {
  std::shared_ptr<const Storage>& storage = storages_[path];
  if (storage == nullptr) {
    const ZipEntry* entry = FindEntry(entries_, path);
    if (entry == nullptr) {
      return ArchiveError("archive-missing-entry", "the entry is missing from the archive", path);
    }
    storage = std::make_shared<EntryStorage>(*entry, owner_);
  }
  return storage;
}

Result<ConstantPtr> Pt2Archive::Tensor(std::string_view fqn) {
  const auto found = tensors_.find(fqn);
  const std::string name(fqn);
  if (found == tensors_.end()) {
    return ArchiveError("archive-missing-tensor",
                        "tensor " + name + " is in neither the weights nor the constants");
  }
  const JsonValue config = found->second.config;
  if (AsBool(Member(config, "use_pickle")).value_or(false)) {
    return ArchiveError("archive-pickle",
                        "tensor " + name +
                            " is stored as a pickle, which tosac does not run (a tensor subclass "
                            "or a custom object?); make it a plain tensor before the export");
  }
  const auto path = AsString(Member(config, "path_name"));
  const auto meta = Member(config, "tensor_meta");
  const auto fail = [&](const std::string& why) {
    return ArchiveError("archive-tensor", "tensor " + name + ": " + why);
  };
  if (!path || !meta) return fail("its entry in the config is incomplete");
  const auto number = AsInt(Member(*meta, "dtype"));
  const std::optional<DType> dtype = number ? ScalarTypeFromNumber(*number) : std::nullopt;
  if (!dtype) {
    return ArchiveError("archive-dtype", "dtype code " +
                                             (number ? std::to_string(*number) : "(none)") +
                                             " of tensor " + name + " is not supported");
  }
  constexpr int64_t kStrided = 7;
  if (AsInt(Member(*meta, "layout")).value_or(kStrided) != kStrided) {
    return fail("it is sparse; only strided tensors are supported");
  }
  std::vector<int64_t> lists[2];
  constexpr std::string_view kKeys[2] = {"sizes", "strides"};
  for (int i = 0; i < 2; ++i) {
    const auto list = AsArray(Member(*meta, kKeys[i]));
    if (!list) return fail("it has no " + std::string(kKeys[i]));
    for (const JsonValue element : *list) {
      const auto value = AsInt(Member(element, "as_int"));
      if (!value) return fail("its " + std::string(kKeys[i]) + " are no integers");
      lists[i].push_back(*value);
    }
  }
  const auto offset_field = Member(*meta, "storage_offset");
  const auto offset = offset_field ? AsInt(Member(*offset_field, "as_int")) : std::nullopt;
  if (!offset) return fail("it has no storage offset");
  TOSAC_ASSIGN(std::shared_ptr<const Storage> storage,
               FindStorage(root_ + std::string(found->second.folder) + std::string(*path)));
  Result<ConstantPtr> view =
      MakeView(*dtype, std::move(lists[0]), std::move(lists[1]), *offset, std::move(storage));
  if (!view.ok()) view.diag().message = "tensor " + name + ": " + view.diag().message;
  return view;
}

}  // namespace tosac::fx
