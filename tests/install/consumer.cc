// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tosac/serializer.h"

int main() {
  tosac::TosaSerializerWithConstantPool serializer;
  const tosac::BlockRef block = serializer.StartBlock(serializer.StartRegion("main"), "main");
  for (int i = 0; i < 2; ++i) {
    const uint8_t zero[1] = {0};
    const int32_t shape[1] = {1};
    if (!serializer.AddConst(block, shape, tosac::DType::kINT8, zero, "zero_point").ok()) return 1;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(serializer.hits()));
}
