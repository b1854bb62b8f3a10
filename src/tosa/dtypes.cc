// SPDX-License-Identifier: Apache-2.0
// One row per data type and per enumeration value.
#include <algorithm>
#include <array>

#include "tosac/ops.h"

namespace tosac {
namespace {

constexpr DTypeInfo kDTypes[] = {
    {DType::kBOOL, "BOOL", "i1", "b8", 8, 0},
    {DType::kINT4, "INT4", "i4", "", 4, 0},
    {DType::kINT8, "INT8", "i8", "i8", 8, 0},
    {DType::kINT16, "INT16", "i16", "i16", 16, 0},
    {DType::kINT32, "INT32", "i32", "i32", 32, 0},
    {DType::kINT48, "INT48", "i48", "", 48, 0},
    {DType::kFP32, "FP32", "f32", "f32", 32, 0},
    {DType::kFP16, "FP16", "f16", "f16", 16, 0},
    {DType::kBF16, "BF16", "bf16", "bf16", 16, 0},
    {DType::kSHAPE, "SHAPE", "index", "", 64, 0},
    {DType::kFP8E4M3, "FP8E4M3", "f8E4M3FN", "f8e4m3fn", 8, 0},
    {DType::kFP8E5M2, "FP8E5M2", "f8E5M2", "f8e5m2", 8, 0},
    {DType::kFP6E2M3, "FP6E2M3", "f6E2M3FN", "", 6, 1},
    {DType::kFP6E3M2, "FP6E3M2", "f6E3M2FN", "", 6, 1},
    {DType::kFP4E2M1, "FP4E2M1", "f4E2M1FN", "", 4, 1},
    {DType::kFP8UE8M0, "FP8UE8M0", "f8E8M0FNU", "f8e8m0fnu", 8, 1},
    {DType::kINT64, "INT64", "i64", "i64", 64, 1},
    {DType::kMXINT8, "MXINT8", "!tosa.mxint8", "", 8, 1},
    {DType::kUINT8, "UINT8", "ui8", "u8", 8, -1},
    {DType::kUINT16, "UINT16", "ui16", "u16", 16, -1},
    {DType::kUINT32, "UINT32", "ui32", "u32", 32, -1},
    {DType::kUINT64, "UINT64", "ui64", "u64", 64, -1},
    {DType::kFP64, "FP64", "f64", "f64", 64, -1},
    {DType::kCOMPLEX32, "COMPLEX32", "complex<f16>", "c32", 32, -1},
    {DType::kCOMPLEX64, "COMPLEX64", "complex<f32>", "c64", 64, -1},
    {DType::kCOMPLEX128, "COMPLEX128", "complex<f64>", "c128", 128, -1},
};

constexpr EnumRow kEnumRows[] = {
    {EnumType::kNanMode, 0, "UNKNOWN"},          {EnumType::kNanMode, 1, "PROPAGATE"},
    {EnumType::kNanMode, 2, "IGNORE"},           {EnumType::kRounding, 0, "UNKNOWN"},
    {EnumType::kRounding, 1, "SINGLE_ROUND"},    {EnumType::kRounding, 2, "INEXACT_ROUND"},
    {EnumType::kRounding, 3, "DOUBLE_ROUND"},    {EnumType::kResizeMode, 0, "UNKNOWN"},
    {EnumType::kResizeMode, 1, "NEAREST"},       {EnumType::kResizeMode, 2, "BILINEAR"},
    {EnumType::kBlockSize, 0, "UNKNOWN"},        {EnumType::kBlockSize, 1, "BLOCK_SIZE_1"},
    {EnumType::kBlockSize, 32, "BLOCK_SIZE_32"},
};

}  // namespace

std::span<const DTypeInfo> DTypes() { return kDTypes; }

const DTypeInfo* FindDType(DType dtype) {
  // The TOSA types come first and without gaps from number 1; PyTorch's follow.
  constexpr size_t kTosaTypes = static_cast<size_t>(DType::kMXINT8);
  const auto number = static_cast<size_t>(dtype);
  size_t index = number - 1;
  if (number > kTosaTypes) {
    if (dtype < DType::kFirstNonTosa) return nullptr;
    index = number - static_cast<size_t>(DType::kFirstNonTosa) + kTosaTypes;
  }
  return number == 0 || index >= std::size(kDTypes) ? nullptr : &kDTypes[index];
}

std::string_view Name(DType dtype) {
  const DTypeInfo* info = FindDType(dtype);
  return info == nullptr ? "UNKNOWN" : info->name;
}

std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeInfo& row : kDTypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

bool IsFloat(DType dtype) {
  switch (dtype) {
    case DType::kFP64:
    case DType::kFP32:
    case DType::kFP16:
    case DType::kBF16:
    case DType::kFP8E4M3:
    case DType::kFP8E5M2:
    case DType::kFP6E2M3:
    case DType::kFP6E3M2:
    case DType::kFP4E2M1:
    case DType::kFP8UE8M0:
      return true;
    default:
      return false;
  }
}

bool IsInteger(DType dtype) {
  switch (dtype) {
    case DType::kINT4:
    case DType::kINT8:
    case DType::kINT16:
    case DType::kINT32:
    case DType::kINT48:
    case DType::kINT64:
    case DType::kUINT8:
    case DType::kUINT16:
    case DType::kUINT32:
    case DType::kUINT64:
      return true;
    default:
      return false;
  }
}

std::optional<uint64_t> LogicalBytes(DType dtype, uint64_t elements) {
  const DTypeInfo* info = FindDType(dtype);
  uint64_t bits = 0;
  if (info == nullptr || __builtin_mul_overflow(elements, uint64_t{info->bits}, &bits)) {
    return std::nullopt;
  }
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

std::span<const EnumRow> EnumRows() { return kEnumRows; }

std::optional<std::string_view> EnumName(EnumType type, uint32_t value) {
  if (type == EnumType::kDType) {
    if (value == 0) return "UNKNOWN";
    if (value > static_cast<uint32_t>(DType::kMXINT8)) return std::nullopt;
    return Name(static_cast<DType>(value));
  }
  for (const EnumRow& row : kEnumRows) {
    if (row.type == type && row.value == value) return row.name;
  }
  return std::nullopt;
}

}  // namespace tosac
