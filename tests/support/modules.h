// SPDX-License-Identifier: Apache-2.0
// Modules made by hand.
#ifndef TOSAC_TESTS_SUPPORT_MODULES_H_
#define TOSAC_TESTS_SUPPORT_MODULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tosac/module.h"

namespace tosac::testing {

// Adds a tensor without bytes, or with them.
ValueId AddValue(Block* block, std::string_view name, DType dtype, std::vector<int32_t> shape);
ValueId AddConstant(Module* module, Block* block, std::string_view name, DType dtype,
                    std::vector<int32_t> shape, std::vector<uint8_t> bytes);

// A value apart from any module; `bytes` must outlive it.
Value MakeValue(DType dtype, std::vector<int32_t> shape, const std::vector<uint8_t>& bytes);

// One of everything that a file can hold: every operator with attributes that differ from their
// defaults, a constant of every data type (odd counts, with and without padding, large, empty,
// external), variables, an unranked tensor, unknown dimensions, scales, locations, two regions of
// two blocks, the marks of schema 1.1.
Module EverythingModule();

}  // namespace tosac::testing

#endif  // TOSAC_TESTS_SUPPORT_MODULES_H_
