// SPDX-License-Identifier: Apache-2.0
// Named limits on untrusted input. Each is far above what real files need.
#ifndef TOSAC_SRC_BASE_LIMITS_H_
#define TOSAC_SRC_BASE_LIMITS_H_

#include <cstdint>

namespace tosac::limits {

// FlatBuffers verifies 32-bit buffers, and its verifier aborts from 2^31 - 1 bytes on; larger
// files hold their constants behind the flatbuffer.
inline constexpr uint64_t kMaxFlatBufferBytes = (uint64_t{1} << 31) - 2;

// Characters of names and locations in a .tosa file, each use counted (a file may share one string
// between many uses): this many for each byte of the flatbuffer, and a floor for small files.
inline constexpr uint64_t kTextFactor = 16;
inline constexpr uint64_t kTextFloor = uint64_t{64} << 20;

// The nesting of tables in a .tosa file is 7 by its schema.
inline constexpr uint32_t kMaxFlatBufferDepth = 16;

// DEFLATE can not expand a byte to more than 1,032; an entry that claims more is lying.
inline constexpr uint64_t kMaxInflateRatio = 1032;

// Entries of an archive, and bytes of one JSON entry (SD3's program takes 1 MB).
inline constexpr uint64_t kMaxArchiveEntries = 1'000'000;
inline constexpr uint64_t kMaxJsonBytes = uint64_t{1} << 30;

// Nesting of JSON; programs use about 20 levels, and 9 more for each nested graph.
inline constexpr uint32_t kMaxJsonDepth = 256;

// Graphs nested in graphs (bodies of control flow).
inline constexpr int kMaxGraphDepth = 16;

}  // namespace tosac::limits

#endif  // TOSAC_SRC_BASE_LIMITS_H_
