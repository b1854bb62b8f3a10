// SPDX-License-Identifier: Apache-2.0
// The operator families: one function each that returns the family's table of rows.
#ifndef TOSAC_SRC_LOWER_REGISTRY_H_
#define TOSAC_SRC_LOWER_REGISTRY_H_

#include <span>

#include "lower/lowering.h"

namespace tosac::lower {

std::span<const LoweringRow> ActivationRows();  // gelu, silu, hardswish, ...
std::span<const LoweringRow> AttentionRows();   // scaled_dot_product_attention, einsum
std::span<const LoweringRow> BinaryRows();      // add, sub, mul, maximum, lerp
std::span<const LoweringRow> CastRows();        // to, _to_copy, type_as
std::span<const LoweringRow> ClampRows();       // clamp, relu, hardtanh
std::span<const LoweringRow> CompareRows();  // eq, lt, logical_and, bitwise_and, where, masked_fill
std::span<const LoweringRow> ConvRows();     // convolutions
std::span<const LoweringRow> CreateRows();   // full, arange, *_like, new_*
std::span<const LoweringRow> DivideRows();   // div, floor_divide, remainder, fmod
std::span<const LoweringRow> IndexRows();    // gather, index, embedding, tril, diagonal
std::span<const LoweringRow> LinearRows();   // linear, addmm, mm, bmm, matmul
std::span<const LoweringRow> NormRows();     // layer, group, instance, batch and RMS norm
std::span<const LoweringRow> PoolRows();     // max, average and adaptive pools
std::span<const LoweringRow> PowerRows();    // pow
std::span<const LoweringRow> ReduceRows();   // sum, mean, var, amax, any, argmax, cumsum
std::span<const LoweringRow> RnnRows();      // lstm, gru
std::span<const LoweringRow> SliceRows();    // slice, split, cat, stack, pad, flip, roll
std::span<const LoweringRow> SoftmaxRows();  // softmax, log_softmax
std::span<const LoweringRow> UnaryRows();    // neg, exp, sqrt, round, isnan
std::span<const LoweringRow> UpsampleRows();  // upsample_nearest, upsample_bilinear
std::span<const LoweringRow> ViewRows();      // view, permute, expand, repeat, pixel_shuffle

}  // namespace tosac::lower

#endif  // TOSAC_SRC_LOWER_REGISTRY_H_
