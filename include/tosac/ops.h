// SPDX-License-Identifier: Apache-2.0
// The facts of the TOSA specification that everything else reads: data types, enumerations and
// one row per operator (TOSA 1.0 and 1.1). The rows are in src/tosa/ops.cc.
#ifndef TOSAC_OPS_H_
#define TOSAC_OPS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tosac {

// A TOSA version as files carry it.
struct Version {
  int32_t major = 1;
  int32_t minor = 0;
  int32_t patch = 0;
  bool draft = false;
  friend bool operator==(const Version&, const Version&) = default;
};

// Element types. Up to kMXINT8 the numbers are those of the TOSA schema; from kFirstNonTosa on
// they are PyTorch's further types, which a Program can hold and a .tosa file can not.
enum class DType : uint8_t {
  kUnknown = 0,
  kBOOL,
  kINT4,
  kINT8,
  kINT16,
  kINT32,
  kINT48,
  kFP32,
  kFP16,
  kBF16,
  kSHAPE,
  kFP8E4M3,
  kFP8E5M2,
  kFP6E2M3,
  kFP6E3M2,
  kFP4E2M1,
  kFP8UE8M0,
  kINT64,
  kMXINT8,
  kFirstNonTosa = 64,
  kUINT8 = kFirstNonTosa,
  kUINT16,
  kUINT32,
  kUINT64,
  kFP64,
  kCOMPLEX32,
  kCOMPLEX64,
  kCOMPLEX128,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;   // as TOSA spells it: "FP32"
  std::string_view mlir;   // as MLIR spells it: "f32" ("" where MLIR has none)
  std::string_view torch;  // as FX text spells it: "f32", "i64", "b8" ("" where torch has none)
  uint8_t bits;            // of one element in a file (INT48 48, BOOL 8, SHAPE 64, INT4 4)
  int8_t since_minor;      // TOSA 1.N that has it; -1: not a TOSA type
};
// The row of `dtype`; nullptr for a number that no row has.
const DTypeInfo* FindDType(DType dtype);
std::string_view Name(DType dtype);  // "FP32", or "UNKNOWN"
std::optional<DType> ParseDType(std::string_view name);
bool IsFloat(DType dtype);    // FP64, FP32, FP16, BF16 and the small formats
bool IsInteger(DType dtype);  // signed and unsigned integers; not BOOL, not SHAPE
std::span<const DTypeInfo> DTypes();

// ceil(elements * bits / 8): the logical bytes of a constant (design: "Logical bytes").
// nullopt on overflow or for an unknown dtype.
std::optional<uint64_t> LogicalBytes(DType dtype, uint64_t elements);

// Operators, numbered as in the schema of tosa-tools 2026.8.0. The first 75 are TOSA 1.0.
enum class Op : uint8_t {
  kUnknown = 0,
  ARGMAX,
  AVG_POOL2D,
  CONV2D,
  CONV3D,
  DEPTHWISE_CONV2D,
  FFT2D,
  MATMUL,
  MAX_POOL2D,
  RFFT2D,
  TRANSPOSE_CONV2D,
  CLAMP,
  ERF,
  SIGMOID,
  TANH,
  ADD,
  ARITHMETIC_RIGHT_SHIFT,
  BITWISE_AND,
  BITWISE_OR,
  BITWISE_XOR,
  INTDIV,
  LOGICAL_AND,
  LOGICAL_LEFT_SHIFT,
  LOGICAL_RIGHT_SHIFT,
  LOGICAL_OR,
  LOGICAL_XOR,
  MAXIMUM,
  MINIMUM,
  MUL,
  POW,
  SUB,
  TABLE,
  ABS,
  BITWISE_NOT,
  CEIL,
  CLZ,
  COS,
  EXP,
  FLOOR,
  LOG,
  LOGICAL_NOT,
  NEGATE,
  RECIPROCAL,
  RSQRT,
  SIN,
  SELECT,
  EQUAL,
  GREATER,
  GREATER_EQUAL,
  REDUCE_ALL,
  REDUCE_ANY,
  REDUCE_MAX,
  REDUCE_MIN,
  REDUCE_PRODUCT,
  REDUCE_SUM,
  CONCAT,
  PAD,
  RESHAPE,
  REVERSE,
  SLICE,
  TILE,
  TRANSPOSE,
  GATHER,
  SCATTER,
  RESIZE,
  CAST,
  RESCALE,
  CONST,
  IDENTITY,
  CUSTOM,
  COND_IF,
  WHILE_LOOP,
  VARIABLE,
  VARIABLE_WRITE,
  VARIABLE_READ,
  CONST_SHAPE,
  MATMUL_T_BLOCK_SCALED,
  CAST_FROM_BLOCK_SCALED,
  CAST_TO_BLOCK_SCALED,
  DIM,
  CONCAT_SHAPE,
  ADD_SHAPE,
  SUB_SHAPE,
  MUL_SHAPE,
  SLICE_SHAPE,
  EXP2_SHAPE,
  LOG2_CEIL_SHAPE,
  LOG2_FLOOR_SHAPE,
  MAX_SHAPE,
  MIN_SHAPE,
  MOD_SHAPE,
  DIV_CEIL_SHAPE,
  DIV_FLOOR_SHAPE,
  ASSERT_EQUAL_SHAPE,
  CONV2D_BLOCK_SCALED,
  MAX_POOL2D_ADAPTIVE,
  AVG_POOL2D_ADAPTIVE,
  RESHAPE_BLOCK_SCALED,
  ROW_GATHER_BLOCK_SCALED,
  ROW_GATHER,
  MATMUL_T,
};
inline constexpr int kNumOps = 101;  // with kUnknown

// What a field of an attribute table holds.
enum class AttrKind : uint8_t { kI32, kBool, kEnum, kI32List, kBytes, kString };
// Which enumeration a kEnum field draws from; its rows give the names.
enum class EnumType : uint8_t { kNone, kDType, kNanMode, kRounding, kResizeMode, kBlockSize };

enum class NanMode : uint32_t { kUnknown, kPropagate, kIgnore };
enum class Rounding : uint32_t { kUnknown, kSingleRound, kInexactRound, kDoubleRound };
enum class ResizeMode : uint32_t { kUnknown, kNearest, kBilinear };

struct EnumRow {
  EnumType type;
  uint32_t value;
  std::string_view name;  // as the schema spells it: "PROPAGATE"
};
std::span<const EnumRow> EnumRows();
// The name of `value`, or nullopt where the enumeration has no such row.
std::optional<std::string_view> EnumName(EnumType type, uint32_t value);

struct AttrInfo {
  std::string_view name;  // as schema and MLIR spell it: "acc_type"
  AttrKind kind;
  EnumType enum_type = EnumType::kNone;
};

enum class OperandKind : uint8_t { kTensor, kShape, kTensorList, kShapeList };
struct OperandInfo {
  std::string_view name;  // as the specification spells it: "input_zp"
  OperandKind kind = OperandKind::kTensor;
};

// One operator of the specification.
struct OpInfo {
  Op op;
  std::string_view name;  // "CONV2D"
  std::string_view mlir;  // "conv2d": MLIR's mnemonic after "tosa."
  int8_t since_minor;     // TOSA 1.N that has it
  std::span<const OperandInfo> inputs;
  std::span<const OperandInfo> outputs;
  std::span<const AttrInfo> attrs;  // the attributes that the file holds, in vtable order
};
// The row of `op`; nullptr for kUnknown and numbers past the last.
const OpInfo* FindOp(Op op);
std::string_view Name(Op op);  // "CONV2D"; "UNKNOWN" where there is no row
std::optional<Op> ParseOp(std::string_view name);
std::span<const OpInfo> Ops();

// The value of one attribute: scalars (i32, bool, enum) as int64_t.
using AttrValue = std::variant<int64_t, std::vector<int32_t>, std::vector<uint8_t>, std::string>;

}  // namespace tosac

#endif  // TOSAC_OPS_H_
