// SPDX-License-Identifier: Apache-2.0
// What the compiled file may use: a TOSA version, profiles, extensions and a level.
#ifndef TOSAC_TARGET_H_
#define TOSAC_TARGET_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tosac/diag.h"
#include "tosac/ops.h"

namespace tosac {

// Profiles and extensions (TOSA specification, "Profiles" and "Extensions"). The numbers are bits.
enum class Feature : uint32_t {
  kInt = 1u << 0,
  kFp = 1u << 1,
  kInt16 = 1u << 2,
  kInt4 = 1u << 3,
  kInt64 = 1u << 4,
  kBf16 = 1u << 5,
  kFp8e4m3 = 1u << 6,
  kFp8e5m2 = 1u << 7,
  kFft = 1u << 8,
  kVariable = 1u << 9,
  kControlFlow = 1u << 10,
  kShape = 1u << 11,
  kMxfp = 1u << 12,
};

struct FeatureRow {
  Feature feature;
  std::string_view name;  // as a target spells it: "FP", "bf16", "cf"
  std::string_view spec;  // as the specification spells it: "PRO-FP", "EXT-BF16"
  int8_t since_minor;     // TOSA 1.N that has it
};
std::span<const FeatureRow> FeatureRows();

// Limits of a level (TOSA specification, "Levels").
struct LevelLimits {
  int64_t max_rank;
  int64_t max_kernel;
  int64_t max_stride;
  int64_t max_scale;
  int64_t max_tensor_list_size;
  int64_t max_shape_len;
};

// One parsed target, spelled as ExecuTorch spells them: "TOSA-1.0+FP",
// "TOSA-1.0+INT+FP+bf16+cf", "TOSA-1.1+FP+shape+int64", level 8k unless "nolevel" is given.
class Target {
 public:
  // "TOSA-1.0+FP", level 8k.
  Target();
  // Errors (rule "target-..."): an unknown, repeated or contradictory part; lists what exists.
  static Result<Target> Parse(std::string_view text);

  bool Has(Feature feature) const { return (features_ & static_cast<uint32_t>(feature)) != 0; }
  Version version() const { return version_; }
  bool level_8k() const { return level_8k_; }
  const LevelLimits& limits() const;
  std::string ToString() const;  // Parse(ToString()) is the same target

  // The integer type that int64 values have under this target: INT64 or INT32.
  DType IndexType() const { return Has(Feature::kInt64) ? DType::kINT64 : DType::kINT32; }

 private:
  Version version_;
  uint32_t features_ = static_cast<uint32_t>(Feature::kFp);
  bool level_8k_ = true;
};

}  // namespace tosac

#endif  // TOSAC_TARGET_H_
