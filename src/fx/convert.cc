// SPDX-License-Identifier: Apache-2.0
// Conversion of constants between element types, by IEEE 754 rounding.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "tosac/program.h"

namespace tosac::fx {
namespace {

// A binary floating-point format narrower than FP32.
struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  // else the all-ones pattern alone is NaN, and overflow gives NaN
};
constexpr SmallFloat kFp16 = {5, 10, true};
constexpr SmallFloat kBf16 = {8, 7, true};
constexpr SmallFloat kFp8e4m3 = {4, 3, false};
constexpr SmallFloat kFp8e5m2 = {5, 2, true};

// Rounds to nearest, ties to even. `value` is exact in double for every FP32.
uint32_t Encode(double value, const SmallFloat& format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const uint32_t sign =
      std::signbit(value) ? 1u << (format.exponent_bits + format.mantissa_bits) : 0;
  const uint32_t ones = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
  const uint32_t infinity = ones >> format.mantissa_bits << format.mantissa_bits;
  if (std::isnan(value)) {
    return sign | (format.has_infinity ? infinity | 1u << (format.mantissa_bits - 1) : ones);
  }
  const double magnitude = std::fabs(value);
  const uint32_t overflow = format.has_infinity ? infinity : ones;
  if (std::isinf(magnitude)) return sign | overflow;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  exponent = std::max(exponent, 1 - bias);  // subnormals share the lowest exponent
  // In units of the last place; nearbyint rounds ties to even. The carry of a mantissa that
  // rounds up to a power of two runs into the exponent field by itself.
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const auto mantissa = static_cast<uint32_t>(units);
  const uint32_t hidden = 1u << format.mantissa_bits;
  const auto biased = static_cast<uint32_t>(exponent + bias);
  const uint32_t bits =
      mantissa >= hidden ? (biased << format.mantissa_bits) + (mantissa - hidden) : mantissa;
  const uint32_t largest = format.has_infinity ? infinity - 1 : ones - 1;
  return sign | (bits > largest ? overflow : bits);
}

double Decode(uint32_t bits, const SmallFloat& format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const uint32_t ones = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
  const uint32_t magnitude = bits & ones;
  const uint32_t exponent = magnitude >> format.mantissa_bits;
  const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  const bool top = exponent == (1u << format.exponent_bits) - 1;
  double value = 0;
  if (format.has_infinity ? top : magnitude == ones) {
    value = format.has_infinity && mantissa == 0 ? std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - bias - format.mantissa_bits);
  } else {
    value = std::ldexp(mantissa | (1u << format.mantissa_bits),
                       static_cast<int>(exponent) - bias - format.mantissa_bits);
  }
  return (bits & ~ones) != 0 ? -value : value;
}

const SmallFloat* FindSmallFloat(DType dtype) {
  switch (dtype) {
    case DType::kFP16:
      return &kFp16;
    case DType::kBF16:
      return &kBf16;
    case DType::kFP8E4M3:
      return &kFp8e4m3;
    case DType::kFP8E5M2:
      return &kFp8e5m2;
    default:
      return nullptr;
  }
}

template <typename T>
T Load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

bool IsSigned(DType dtype) {
  return dtype == DType::kINT8 || dtype == DType::kINT16 || dtype == DType::kINT32 ||
         dtype == DType::kINT64 || dtype == DType::kSHAPE;
}

// One element as int64. Only for BOOL and the integers of whole power-of-two bytes.
int64_t LoadInt(DType dtype, const uint8_t* from) {
  switch (FindDType(dtype)->bits) {
    case 8:
      if (dtype == DType::kBOOL) return *from != 0 ? 1 : 0;
      return IsSigned(dtype) ? Load<int8_t>(from) : int64_t{Load<uint8_t>(from)};
    case 16:
      return IsSigned(dtype) ? Load<int16_t>(from) : int64_t{Load<uint16_t>(from)};
    case 32:
      return IsSigned(dtype) ? Load<int32_t>(from) : int64_t{Load<uint32_t>(from)};
    default:
      return Load<int64_t>(from);
  }
}

double LoadFloat(DType dtype, const uint8_t* from) {
  if (dtype == DType::kFP64) return Load<double>(from);
  if (dtype == DType::kFP32) return double{Load<float>(from)};
  const SmallFloat& format = *FindSmallFloat(dtype);
  const bool one_byte = FindDType(dtype)->bits == 8;
  return Decode(one_byte ? Load<uint8_t>(from) : Load<uint16_t>(from), format);
}

bool IsPlainInt(DType dtype) {
  return dtype == DType::kBOOL || dtype == DType::kSHAPE ||
         (IsInteger(dtype) && dtype != DType::kINT4 && dtype != DType::kINT48);
}

bool IsPlainFloat(DType dtype) {
  return dtype == DType::kFP64 || dtype == DType::kFP32 || FindSmallFloat(dtype) != nullptr;
}

void StoreFloat(DType dtype, double value, uint8_t* to) {
  if (dtype == DType::kFP64) {
    std::memcpy(to, &value, sizeof(value));
  } else if (dtype == DType::kFP32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(to, &narrow, sizeof(narrow));
  } else {
    const uint32_t bits = Encode(value, *FindSmallFloat(dtype));
    std::memcpy(to, &bits, FindDType(dtype)->bits / 8u);  // little-endian
  }
}

bool StoreInt(DType dtype, int64_t value, uint8_t* to) {
  const int bits = FindDType(dtype)->bits;
  if (dtype == DType::kBOOL) {
    *to = value != 0 ? 1 : 0;
    return true;
  }
  if (bits < 64) {
    const int64_t max = (int64_t{1} << (IsSigned(dtype) ? bits - 1 : bits)) - 1;
    const int64_t min = IsSigned(dtype) ? -max - 1 : 0;
    if (value < min || value > max) return false;
  }
  std::memcpy(to, &value, static_cast<size_t>(bits) / 8);
  return true;
}

Diag RangeError(const std::string& value, DType dtype) {
  return Error("constant-range",
               "the value " + value + " does not fit " + std::string(Name(dtype)));
}

Diag TypeError(DType from, DType to) {
  return Error("constant-dtype", "constants of type " + std::string(Name(from)) +
                                     " can not be converted to " + std::string(Name(to)));
}

Result<void> ConvertElement(DType from, const uint8_t* in, DType to, uint8_t* out) {
  if (IsPlainFloat(from)) {
    const double value = LoadFloat(from, in);
    if (IsPlainFloat(to)) {
      StoreFloat(to, value, out);
      return {};
    }
    if (to == DType::kBOOL) {
      *out = value != 0 ? 1 : 0;
      return {};
    }
    constexpr double kLimit = 9223372036854775808.0;  // 2^63
    const double whole = std::trunc(value);           // as torch converts
    if (!(whole >= -kLimit && whole < kLimit) || !StoreInt(to, static_cast<int64_t>(whole), out)) {
      return RangeError(std::to_string(value), to);
    }
    return {};
  }
  const int64_t value = LoadInt(from, in);
  if (IsPlainFloat(to)) {
    StoreFloat(to, static_cast<double>(value), out);
    return {};
  }
  if (!StoreInt(to, value, out)) return RangeError(std::to_string(value), to);
  return {};
}

}  // namespace

Result<ConstantPtr> Converted(const ConstantPtr& constant, DType dtype) {
  const DType from = constant->dtype;
  if (from == dtype) return constant;
  const bool known =
      (IsPlainInt(from) || IsPlainFloat(from)) && (IsPlainInt(dtype) || IsPlainFloat(dtype));
  if (!known) return TypeError(from, dtype);
  // A splat stays one.
  Constant source = *constant;
  const bool splat = source.IsSplat();
  if (splat) {
    source.shape.clear();
    source.strides.clear();
  }
  TOSAC_ASSIGN(const Constant::View view, source.Bytes());
  const auto count = static_cast<size_t>(source.NumElements());
  const size_t width_in = FindDType(from)->bits / 8u;
  const size_t width_out = FindDType(dtype)->bits / 8u;
  std::vector<uint8_t> bytes(count * width_out);
  for (size_t i = 0; i < count; ++i) {
    TOSAC_TRY(ConvertElement(from, view.bytes.data() + i * width_in, dtype,
                             bytes.data() + i * width_out));
  }
  if (splat) return MakeSplat(dtype, constant->shape, bytes);
  return MakeConstant(dtype, constant->shape, std::move(bytes));
}

Result<std::vector<double>> AsDoubles(const Constant& constant) {
  if (!IsPlainFloat(constant.dtype) && !IsPlainInt(constant.dtype)) {
    return TypeError(constant.dtype, DType::kFP64);
  }
  TOSAC_ASSIGN(const Constant::View view, constant.Bytes());
  const size_t width = FindDType(constant.dtype)->bits / 8u;
  std::vector<double> values(static_cast<size_t>(constant.NumElements()));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint8_t* element = view.bytes.data() + i * width;
    values[i] = IsPlainFloat(constant.dtype)
                    ? LoadFloat(constant.dtype, element)
                    : static_cast<double>(LoadInt(constant.dtype, element));
  }
  return values;
}

Result<std::vector<int64_t>> AsInts(const Constant& constant) {
  if (!IsPlainInt(constant.dtype)) return TypeError(constant.dtype, DType::kINT64);
  TOSAC_ASSIGN(const Constant::View view, constant.Bytes());
  const size_t width = FindDType(constant.dtype)->bits / 8u;
  std::vector<int64_t> values(static_cast<size_t>(constant.NumElements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = LoadInt(constant.dtype, view.bytes.data() + i * width);
  }
  return values;
}

}  // namespace tosac::fx
