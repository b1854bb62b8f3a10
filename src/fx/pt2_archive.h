// SPDX-License-Identifier: Apache-2.0
// The container of a .pt2: entries, the program's JSON, weights and constants by name.
#ifndef TOSAC_SRC_FX_PT2_ARCHIVE_H_
#define TOSAC_SRC_FX_PT2_ARCHIVE_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/zip.h"
#include "tosac/program.h"

namespace tosac::fx {

// torch._export.serde's number of a ScalarType (not c10's).
std::optional<DType> ScalarTypeFromNumber(int64_t number);

// An opened archive. Storages outlive it.
class Pt2Archive {
 public:
  // Refuses what is no .pt2 of torch 2.8 or later, and says what it is where that can be told.
  // Errors: those of ReadZip and ZipContents, rules "archive-kind", "archive-models",
  // "archive-missing-entry", "archive-byteorder", "archive-json", "archive-schema".
  static Result<Pt2Archive> Open(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner);

  const JsonDocument& program() const { return *program_; }
  // The tensor of that fully qualified name, from the weights or the constants. Errors: rules
  // "archive-missing-tensor", "archive-missing-entry", "archive-pickle", "archive-tensor",
  // "archive-tensor-bounds", "archive-dtype".
  Result<ConstantPtr> Tensor(std::string_view fqn);

 private:
  Pt2Archive(std::vector<ZipEntry> entries, std::shared_ptr<const void> owner)
      : entries_(std::move(entries)), owner_(std::move(owner)) {}

  Result<void> FindProgram();
  Result<void> ReadConfigs();
  Result<JsonDocument> ParseEntry(const ZipEntry& entry) const;
  Result<std::shared_ptr<const Storage>> FindStorage(const std::string& path);

  std::vector<ZipEntry> entries_;
  std::shared_ptr<const void> owner_;
  std::string root_;   // the top folder, with its slash
  std::string model_;  // the program's name
  std::unique_ptr<JsonDocument> program_;
  std::vector<JsonDocument> configs_;
  struct TensorEntry {
    std::string_view folder;  // "data/weights/" or "data/constants/"
    JsonValue config;
  };
  std::map<std::string, TensorEntry, std::less<>> tensors_;
  std::map<std::string, std::shared_ptr<const Storage>> storages_;  // by entry name
};

}  // namespace tosac::fx

#endif  // TOSAC_SRC_FX_PT2_ARCHIVE_H_
