// SPDX-License-Identifier: Apache-2.0
// Comparing modules field by field.
#ifndef TOSAC_TESTS_SUPPORT_MODULE_EQUAL_H_
#define TOSAC_TESTS_SUPPORT_MODULE_EQUAL_H_

#include <string>

#include "tosac/module.h"

namespace tosac::testing {

struct CompareOptions {
  bool external = true;  // whether constants must lie inside or outside the flatbuffer alike
};

// The first difference between two modules in words, or "" when every field is the same: versions,
// names, order, shapes, stored bytes (padding included), attributes, locations, scales. Tensors and
// shapes may be interleaved differently; operands are compared by name.
std::string ModuleDifference(const Module& a, const Module& b, const CompareOptions& options = {});

}  // namespace tosac::testing

#endif  // TOSAC_TESTS_SUPPORT_MODULE_EQUAL_H_
