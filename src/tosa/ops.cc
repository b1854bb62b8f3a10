// SPDX-License-Identifier: Apache-2.0
// One row per operator. The order of a row's attributes is the order of the fields in the file's
// attribute table. Source: TOSA specification 1.0 and 1.1 (draft), and the schema's field order.
#include "tosac/ops.h"

#include <array>

namespace tosac {
namespace {

// ---- operand and attribute lists ----

constexpr OperandInfo kInput[] = {{"input"}};
constexpr OperandInfo kOutput[] = {{"output"}};
constexpr AttrInfo kAxisNan[] = {{"axis", AttrKind::kI32},
                                 {"nan_mode", AttrKind::kEnum, EnumType::kNanMode}};
constexpr OperandInfo kZeroPointsIn[] = {{"input"}, {"input_zp"}, {"output_zp"}};
constexpr AttrInfo kAvgPool2dAttrs[] = {{"kernel", AttrKind::kI32List},
                                        {"stride", AttrKind::kI32List},
                                        {"pad", AttrKind::kI32List},
                                        {"acc_type", AttrKind::kEnum, EnumType::kDType}};
constexpr OperandInfo kConvIn[] = {{"input"}, {"weight"}, {"bias"}, {"input_zp"}, {"weight_zp"}};
constexpr AttrInfo kConvAttrs[] = {{"pad", AttrKind::kI32List},
                                   {"stride", AttrKind::kI32List},
                                   {"dilation", AttrKind::kI32List},
                                   {"local_bound", AttrKind::kBool},
                                   {"acc_type", AttrKind::kEnum, EnumType::kDType}};
constexpr OperandInfo kFft2dIn[] = {{"input_real"}, {"input_imag"}};
constexpr OperandInfo kFft2dOut[] = {{"output_real"}, {"output_imag"}};
constexpr AttrInfo kFft2dAttrs[] = {{"inverse", AttrKind::kBool}, {"local_bound", AttrKind::kBool}};
constexpr OperandInfo kMatmulIn[] = {{"A"}, {"B"}, {"A_zp"}, {"B_zp"}};
constexpr AttrInfo kMaxPool2dAttrs[] = {{"kernel", AttrKind::kI32List},
                                        {"stride", AttrKind::kI32List},
                                        {"pad", AttrKind::kI32List},
                                        {"nan_mode", AttrKind::kEnum, EnumType::kNanMode}};
constexpr OperandInfo kRfft2dIn[] = {{"input_real"}};
constexpr AttrInfo kRfft2dAttrs[] = {{"local_bound", AttrKind::kBool}};
constexpr AttrInfo kTransposeConv2dAttrs[] = {{"out_pad", AttrKind::kI32List},
                                              {"stride", AttrKind::kI32List},
                                              {"local_bound", AttrKind::kBool},
                                              {"acc_type", AttrKind::kEnum, EnumType::kDType}};
constexpr AttrInfo kClampAttrs[] = {{"min_val", AttrKind::kBytes},
                                    {"max_val", AttrKind::kBytes},
                                    {"nan_mode", AttrKind::kEnum, EnumType::kNanMode}};
constexpr OperandInfo kInput12[] = {{"input1"}, {"input2"}};
constexpr AttrInfo kArithmeticRightShiftAttrs[] = {{"round", AttrKind::kBool}};
constexpr AttrInfo kNan[] = {{"nan_mode", AttrKind::kEnum, EnumType::kNanMode}};
constexpr OperandInfo kMulIn[] = {{"input1"}, {"input2"}, {"shift"}};
constexpr OperandInfo kTableIn[] = {{"input1"}, {"table"}};
constexpr OperandInfo kInput1[] = {{"input1"}};
constexpr OperandInfo kNegateIn[] = {{"input1"}, {"input1_zp"}, {"output_zp"}};
constexpr OperandInfo kSelectIn[] = {{"input1"}, {"input2"}, {"input3"}};
constexpr AttrInfo kAxis[] = {{"axis", AttrKind::kI32}};
constexpr OperandInfo kConcatIn[] = {{"input1", OperandKind::kTensorList}};
constexpr OperandInfo kPadIn[] = {{"input1"}, {"padding", OperandKind::kShape}, {"pad_const"}};
constexpr OperandInfo kReshapeIn[] = {{"input1"}, {"shape", OperandKind::kShape}};
constexpr OperandInfo kSliceIn[] = {
    {"input1"}, {"start", OperandKind::kShape}, {"size", OperandKind::kShape}};
constexpr OperandInfo kTileIn[] = {{"input1"}, {"multiples", OperandKind::kShape}};
constexpr AttrInfo kTransposeAttrs[] = {{"perms", AttrKind::kI32List}};
constexpr OperandInfo kGatherIn[] = {{"values"}, {"indices"}};
constexpr OperandInfo kScatterIn[] = {{"values_in"}, {"indices"}, {"input"}};
constexpr OperandInfo kScatterOut[] = {{"values_out"}};
constexpr OperandInfo kResizeIn[] = {{"input"},
                                     {"scale", OperandKind::kShape},
                                     {"offset", OperandKind::kShape},
                                     {"border", OperandKind::kShape}};
constexpr AttrInfo kResizeAttrs[] = {{"mode", AttrKind::kEnum, EnumType::kResizeMode}};
constexpr OperandInfo kRescaleIn[] = {
    {"input"}, {"multiplier"}, {"shift"}, {"input_zp"}, {"output_zp"}};
constexpr AttrInfo kRescaleAttrs[] = {{"scale32", AttrKind::kBool},
                                      {"rounding_mode", AttrKind::kEnum, EnumType::kRounding},
                                      {"per_channel", AttrKind::kBool},
                                      {"input_unsigned", AttrKind::kBool},
                                      {"output_unsigned", AttrKind::kBool}};
constexpr OperandInfo kCustomIn[] = {{"input_list", OperandKind::kTensorList}};
constexpr OperandInfo kCustomOut[] = {{"output_list", OperandKind::kTensorList}};
constexpr AttrInfo kCustomAttrs[] = {{"operator_name", AttrKind::kString},
                                     {"domain_name", AttrKind::kString},
                                     {"implementation_attrs", AttrKind::kBytes}};
constexpr OperandInfo kCondIfIn[] = {{"condition"}, {"input_list", OperandKind::kTensorList}};
constexpr AttrInfo kCondIfAttrs[] = {{"then_graph", AttrKind::kString},
                                     {"else_graph", AttrKind::kString}};
constexpr AttrInfo kWhileLoopAttrs[] = {{"cond_graph", AttrKind::kString},
                                        {"body_graph", AttrKind::kString}};
constexpr OperandInfo kVariableReadOut[] = {{"output1"}};
constexpr OperandInfo kShapeOut[] = {{"output", OperandKind::kShape}};
constexpr OperandInfo kMatmulTBlockScaledIn[] = {{"A_data"}, {"A_scale"}, {"B_data"}, {"B_scale"}};
constexpr OperandInfo kMatmulTBlockScaledOut[] = {{"output_data"}};
constexpr AttrInfo kBlockSize[] = {{"block_size", AttrKind::kEnum, EnumType::kBlockSize}};
constexpr OperandInfo kCastFromBlockScaledIn[] = {{"input_data"}, {"input_scale"}};
constexpr OperandInfo kCastToBlockScaledIn[] = {{"input_data"}};
constexpr OperandInfo kCastToBlockScaledOut[] = {{"output_data"}, {"output_scale"}};
constexpr OperandInfo kConcatShapeIn[] = {{"input", OperandKind::kShapeList}};
constexpr OperandInfo kShapes12[] = {{"input1", OperandKind::kShape},
                                     {"input2", OperandKind::kShape}};
constexpr OperandInfo kSliceShapeIn[] = {{"input", OperandKind::kShape}, {"start"}, {"size"}};
constexpr OperandInfo kShapeIn[] = {{"input", OperandKind::kShape}};
constexpr AttrInfo kAssertEqualShapeAttrs[] = {{"allow_broadcast", AttrKind::kBool}};
constexpr OperandInfo kConv2dBlockScaledIn[] = {{"input_data"},
                                                {"input_scale"},
                                                {"weight_data"},
                                                {"weight_scale"},
                                                {"bias"},
                                                {"pad", OperandKind::kShape},
                                                {"stride", OperandKind::kShape},
                                                {"dilation", OperandKind::kShape}};
constexpr OperandInfo kMaxPool2dAdaptiveIn[] = {{"input"},
                                                {"kernel", OperandKind::kShape},
                                                {"stride", OperandKind::kShape},
                                                {"pad", OperandKind::kShape}};
constexpr OperandInfo kAvgPool2dAdaptiveIn[] = {{"input"},
                                                {"input_zp"},
                                                {"output_zp"},
                                                {"kernel", OperandKind::kShape},
                                                {"stride", OperandKind::kShape},
                                                {"pad", OperandKind::kShape}};
constexpr AttrInfo kAvgPool2dAdaptiveAttrs[] = {{"acc_type", AttrKind::kEnum, EnumType::kDType}};
constexpr OperandInfo kReshapeBlockScaledIn[] = {{"input", OperandKind::kTensorList},
                                                 {"new_value_shape", OperandKind::kShape}};
constexpr OperandInfo kReshapeBlockScaledOut[] = {{"output", OperandKind::kTensorList}};
constexpr OperandInfo kRowGatherBlockScaledIn[] = {
    {"values", OperandKind::kTensorList}, {"indices"}, {"row_count"}};
constexpr OperandInfo kRowGatherIn[] = {{"values"}, {"indices"}, {"row_count"}};

// ---- rows, by number ----

constexpr OpInfo kOps[] = {
    // Tensor operators
    {Op::ARGMAX, "ARGMAX", "argmax", 0, kInput, kOutput, kAxisNan},
    {Op::AVG_POOL2D, "AVG_POOL2D", "avg_pool2d", 0, kZeroPointsIn, kOutput, kAvgPool2dAttrs},
    {Op::CONV2D, "CONV2D", "conv2d", 0, kConvIn, kOutput, kConvAttrs},
    {Op::CONV3D, "CONV3D", "conv3d", 0, kConvIn, kOutput, kConvAttrs},
    {Op::DEPTHWISE_CONV2D, "DEPTHWISE_CONV2D", "depthwise_conv2d", 0, kConvIn, kOutput, kConvAttrs},
    {Op::FFT2D, "FFT2D", "fft2d", 0, kFft2dIn, kFft2dOut, kFft2dAttrs},
    {Op::MATMUL, "MATMUL", "matmul", 0, kMatmulIn, kOutput, {}},
    {Op::MAX_POOL2D, "MAX_POOL2D", "max_pool2d", 0, kInput, kOutput, kMaxPool2dAttrs},
    {Op::RFFT2D, "RFFT2D", "rfft2d", 0, kRfft2dIn, kFft2dOut, kRfft2dAttrs},
    {Op::TRANSPOSE_CONV2D, "TRANSPOSE_CONV2D", "transpose_conv2d", 0, kConvIn, kOutput,
     kTransposeConv2dAttrs},
    // Activation functions
    {Op::CLAMP, "CLAMP", "clamp", 0, kInput, kOutput, kClampAttrs},
    {Op::ERF, "ERF", "erf", 0, kInput, kOutput, {}},
    {Op::SIGMOID, "SIGMOID", "sigmoid", 0, kInput, kOutput, {}},
    {Op::TANH, "TANH", "tanh", 0, kInput, kOutput, {}},
    // Elementwise operators and comparisons
    {Op::ADD, "ADD", "add", 0, kInput12, kOutput, {}},
    {Op::ARITHMETIC_RIGHT_SHIFT, "ARITHMETIC_RIGHT_SHIFT", "arithmetic_right_shift", 0, kInput12,
     kOutput, kArithmeticRightShiftAttrs},
    {Op::BITWISE_AND, "BITWISE_AND", "bitwise_and", 0, kInput12, kOutput, {}},
    {Op::BITWISE_OR, "BITWISE_OR", "bitwise_or", 0, kInput12, kOutput, {}},
    {Op::BITWISE_XOR, "BITWISE_XOR", "bitwise_xor", 0, kInput12, kOutput, {}},
    {Op::INTDIV, "INTDIV", "intdiv", 0, kInput12, kOutput, {}},
    {Op::LOGICAL_AND, "LOGICAL_AND", "logical_and", 0, kInput12, kOutput, {}},
    {Op::LOGICAL_LEFT_SHIFT, "LOGICAL_LEFT_SHIFT", "logical_left_shift", 0, kInput12, kOutput, {}},
    {Op::LOGICAL_RIGHT_SHIFT,
     "LOGICAL_RIGHT_SHIFT",
     "logical_right_shift",
     0,
     kInput12,
     kOutput,
     {}},
    {Op::LOGICAL_OR, "LOGICAL_OR", "logical_or", 0, kInput12, kOutput, {}},
    {Op::LOGICAL_XOR, "LOGICAL_XOR", "logical_xor", 0, kInput12, kOutput, {}},
    {Op::MAXIMUM, "MAXIMUM", "maximum", 0, kInput12, kOutput, kNan},
    {Op::MINIMUM, "MINIMUM", "minimum", 0, kInput12, kOutput, kNan},
    {Op::MUL, "MUL", "mul", 0, kMulIn, kOutput, {}},
    {Op::POW, "POW", "pow", 0, kInput12, kOutput, {}},
    {Op::SUB, "SUB", "sub", 0, kInput12, kOutput, {}},
    {Op::TABLE, "TABLE", "table", 0, kTableIn, kOutput, {}},
    {Op::ABS, "ABS", "abs", 0, kInput1, kOutput, {}},
    {Op::BITWISE_NOT, "BITWISE_NOT", "bitwise_not", 0, kInput1, kOutput, {}},
    {Op::CEIL, "CEIL", "ceil", 0, kInput1, kOutput, {}},
    {Op::CLZ, "CLZ", "clz", 0, kInput1, kOutput, {}},
    {Op::COS, "COS", "cos", 0, kInput1, kOutput, {}},
    {Op::EXP, "EXP", "exp", 0, kInput1, kOutput, {}},
    {Op::FLOOR, "FLOOR", "floor", 0, kInput1, kOutput, {}},
    {Op::LOG, "LOG", "log", 0, kInput1, kOutput, {}},
    {Op::LOGICAL_NOT, "LOGICAL_NOT", "logical_not", 0, kInput1, kOutput, {}},
    {Op::NEGATE, "NEGATE", "negate", 0, kNegateIn, kOutput, {}},
    {Op::RECIPROCAL, "RECIPROCAL", "reciprocal", 0, kInput1, kOutput, {}},
    {Op::RSQRT, "RSQRT", "rsqrt", 0, kInput1, kOutput, {}},
    {Op::SIN, "SIN", "sin", 0, kInput1, kOutput, {}},
    {Op::SELECT, "SELECT", "select", 0, kSelectIn, kOutput, {}},
    {Op::EQUAL, "EQUAL", "equal", 0, kInput12, kOutput, {}},
    {Op::GREATER, "GREATER", "greater", 0, kInput12, kOutput, {}},
    {Op::GREATER_EQUAL, "GREATER_EQUAL", "greater_equal", 0, kInput12, kOutput, {}},
    // Reductions, data layout, gather and scatter, image and type conversion
    {Op::REDUCE_ALL, "REDUCE_ALL", "reduce_all", 0, kInput, kOutput, kAxis},
    {Op::REDUCE_ANY, "REDUCE_ANY", "reduce_any", 0, kInput, kOutput, kAxis},
    {Op::REDUCE_MAX, "REDUCE_MAX", "reduce_max", 0, kInput, kOutput, kAxisNan},
    {Op::REDUCE_MIN, "REDUCE_MIN", "reduce_min", 0, kInput, kOutput, kAxisNan},
    {Op::REDUCE_PRODUCT, "REDUCE_PRODUCT", "reduce_product", 0, kInput, kOutput, kAxis},
    {Op::REDUCE_SUM, "REDUCE_SUM", "reduce_sum", 0, kInput, kOutput, kAxis},
    {Op::CONCAT, "CONCAT", "concat", 0, kConcatIn, kOutput, kAxis},
    {Op::PAD, "PAD", "pad", 0, kPadIn, kOutput, {}},
    {Op::RESHAPE, "RESHAPE", "reshape", 0, kReshapeIn, kOutput, {}},
    {Op::REVERSE, "REVERSE", "reverse", 0, kInput1, kOutput, kAxis},
    {Op::SLICE, "SLICE", "slice", 0, kSliceIn, kOutput, {}},
    {Op::TILE, "TILE", "tile", 0, kTileIn, kOutput, {}},
    {Op::TRANSPOSE, "TRANSPOSE", "transpose", 0, kInput1, kOutput, kTransposeAttrs},
    {Op::GATHER, "GATHER", "gather", 0, kGatherIn, kOutput, {}},
    {Op::SCATTER, "SCATTER", "scatter", 0, kScatterIn, kScatterOut, {}},
    {Op::RESIZE, "RESIZE", "resize", 0, kResizeIn, kOutput, kResizeAttrs},
    {Op::CAST, "CAST", "cast", 0, kInput, kOutput, {}},
    {Op::RESCALE, "RESCALE", "rescale", 0, kRescaleIn, kOutput, kRescaleAttrs},
    // Data nodes, custom operators, control flow, variables, CONST_SHAPE
    {Op::CONST, "CONST", "const", 0, {}, kOutput, {}},
    {Op::IDENTITY, "IDENTITY", "identity", 0, kInput1, kOutput, {}},
    {Op::CUSTOM, "CUSTOM", "custom", 0, kCustomIn, kCustomOut, kCustomAttrs},
    {Op::COND_IF, "COND_IF", "cond_if", 0, kCondIfIn, kCustomOut, kCondIfAttrs},
    {Op::WHILE_LOOP, "WHILE_LOOP", "while_loop", 0, kCustomIn, kCustomOut, kWhileLoopAttrs},
    {Op::VARIABLE, "VARIABLE", "variable", 0, {}, {}, {}},
    {Op::VARIABLE_WRITE, "VARIABLE_WRITE", "variable_write", 0, kInput1, {}, {}},
    {Op::VARIABLE_READ, "VARIABLE_READ", "variable_read", 0, {}, kVariableReadOut, {}},
    {Op::CONST_SHAPE, "CONST_SHAPE", "const_shape", 0, {}, kShapeOut, {}},
    // Operators that came with TOSA 1.1
    {Op::MATMUL_T_BLOCK_SCALED, "MATMUL_T_BLOCK_SCALED", "matmul_t_block_scaled", 1,
     kMatmulTBlockScaledIn, kMatmulTBlockScaledOut, kBlockSize},
    {Op::CAST_FROM_BLOCK_SCALED, "CAST_FROM_BLOCK_SCALED", "cast_from_block_scaled", 1,
     kCastFromBlockScaledIn, kMatmulTBlockScaledOut, kBlockSize},
    {Op::CAST_TO_BLOCK_SCALED, "CAST_TO_BLOCK_SCALED", "cast_to_block_scaled", 1,
     kCastToBlockScaledIn, kCastToBlockScaledOut, kBlockSize},
    {Op::DIM, "DIM", "dim", 1, kInput1, kShapeOut, kAxis},
    {Op::CONCAT_SHAPE, "CONCAT_SHAPE", "concat_shape", 1, kConcatShapeIn, kShapeOut, {}},
    {Op::ADD_SHAPE, "ADD_SHAPE", "add_shape", 1, kShapes12, kShapeOut, {}},
    {Op::SUB_SHAPE, "SUB_SHAPE", "sub_shape", 1, kShapes12, kShapeOut, {}},
    {Op::MUL_SHAPE, "MUL_SHAPE", "mul_shape", 1, kShapes12, kShapeOut, {}},
    {Op::SLICE_SHAPE, "SLICE_SHAPE", "slice_shape", 1, kSliceShapeIn, kShapeOut, {}},
    {Op::EXP2_SHAPE, "EXP2_SHAPE", "exp2_shape", 1, kShapeIn, kShapeOut, {}},
    {Op::LOG2_CEIL_SHAPE, "LOG2_CEIL_SHAPE", "log2_ceil_shape", 1, kShapeIn, kShapeOut, {}},
    {Op::LOG2_FLOOR_SHAPE, "LOG2_FLOOR_SHAPE", "log2_floor_shape", 1, kShapeIn, kShapeOut, {}},
    {Op::MAX_SHAPE, "MAX_SHAPE", "max_shape", 1, kShapes12, kShapeOut, {}},
    {Op::MIN_SHAPE, "MIN_SHAPE", "min_shape", 1, kShapes12, kShapeOut, {}},
    {Op::MOD_SHAPE, "MOD_SHAPE", "mod_shape", 1, kShapes12, kShapeOut, {}},
    {Op::DIV_CEIL_SHAPE, "DIV_CEIL_SHAPE", "div_ceil_shape", 1, kShapes12, kShapeOut, {}},
    {Op::DIV_FLOOR_SHAPE, "DIV_FLOOR_SHAPE", "div_floor_shape", 1, kShapes12, kShapeOut, {}},
    {Op::ASSERT_EQUAL_SHAPE,
     "ASSERT_EQUAL_SHAPE",
     "assert_equal_shape",
     1,
     kShapes12,
     {},
     kAssertEqualShapeAttrs},
    {Op::CONV2D_BLOCK_SCALED, "CONV2D_BLOCK_SCALED", "conv2d_block_scaled", 1, kConv2dBlockScaledIn,
     kOutput, kBlockSize},
    {Op::MAX_POOL2D_ADAPTIVE, "MAX_POOL2D_ADAPTIVE", "max_pool2d_adaptive", 1, kMaxPool2dAdaptiveIn,
     kOutput, kNan},
    {Op::AVG_POOL2D_ADAPTIVE, "AVG_POOL2D_ADAPTIVE", "avg_pool2d_adaptive", 1, kAvgPool2dAdaptiveIn,
     kOutput, kAvgPool2dAdaptiveAttrs},
    {Op::RESHAPE_BLOCK_SCALED, "RESHAPE_BLOCK_SCALED", "reshape_block_scaled", 1,
     kReshapeBlockScaledIn, kReshapeBlockScaledOut, kBlockSize},
    {Op::ROW_GATHER_BLOCK_SCALED, "ROW_GATHER_BLOCK_SCALED", "row_gather_block_scaled", 1,
     kRowGatherBlockScaledIn, kReshapeBlockScaledOut, kBlockSize},
    {Op::ROW_GATHER, "ROW_GATHER", "row_gather", 1, kRowGatherIn, kOutput, {}},
    {Op::MATMUL_T, "MATMUL_T", "matmul_t", 1, kMatmulIn, kOutput, {}},
};

// Row i describes operator number i + 1.
constexpr bool InOrder() {
  int number = 1;
  for (const OpInfo& row : kOps) {
    if (static_cast<int>(row.op) != number++) return false;
  }
  return number == kNumOps;
}
static_assert(InOrder(), "a row is missing or out of place");

}  // namespace

const OpInfo* FindOp(Op op) {
  const int number = static_cast<int>(op);
  return number >= 1 && number < kNumOps ? &kOps[number - 1] : nullptr;
}

std::string_view Name(Op op) {
  const OpInfo* info = FindOp(op);
  return info == nullptr ? "UNKNOWN" : info->name;
}

std::optional<Op> ParseOp(std::string_view name) {
  for (const OpInfo& row : kOps) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

std::span<const OpInfo> Ops() { return kOps; }

}  // namespace tosac
