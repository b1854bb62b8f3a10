// SPDX-License-Identifier: Apache-2.0
// Named limits on untrusted input. Each is far above what real files need.
#ifndef TOSAC_SRC_BASE_LIMITS_H_
#define TOSAC_SRC_BASE_LIMITS_H_

#include <cstdint>

namespace tosac::limits {

// FlatBuffers verifies 32-bit buffers, and its verifier aborts at 2 GB; larger files hold their
// constants behind the flatbuffer.
inline constexpr uint64_t kMaxFlatBufferBytes = (uint64_t{1} << 31) - 1;

// The nesting of tables in a .tosa file is 7 by its schema.
inline constexpr uint32_t kMaxFlatBufferDepth = 16;

}  // namespace tosac::limits

#endif  // TOSAC_SRC_BASE_LIMITS_H_
