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

// Contents of the deflated entries of an archive together: a gigabyte and so many times the bytes
// of the file. Weights hardly deflate; a zip bomb claims up to 1,032 times its size.
inline constexpr uint64_t kMaxInflatedBase = uint64_t{1} << 30;
inline constexpr uint64_t kMaxInflatedRatio = 100;

// Entries of an archive.
inline constexpr uint64_t kMaxArchiveEntries = 1'000'000;

// Bytes of one JSON entry (SD3's program takes 1.1 MB), and times that a deflated one may grow
// once it is larger than the base (programs deflate 20 to 40 times): the parser takes some ten
// times the memory of its text.
inline constexpr uint64_t kMaxJsonBytes = uint64_t{1} << 28;
inline constexpr uint64_t kMaxJsonInflatedBase = uint64_t{1} << 20;
inline constexpr uint64_t kMaxJsonInflatedRatio = 200;

// Bytes of a constant that must be gathered into memory because its view is no run of bytes.
inline constexpr uint64_t kMaxGatheredBytes = uint64_t{1} << 32;

// Elements of a tensor of a program; a size of zero counts as one. Products of the sizes of two
// tensors stay within 64 bits as far as real programs take them.
inline constexpr int64_t kMaxTensorElements = int64_t{1} << 40;

// Nesting of JSON; programs use about 20 levels, and 9 more for each nested graph.
inline constexpr uint32_t kMaxJsonDepth = 256;

// Graphs nested in graphs (bodies of control flow).
inline constexpr int kMaxGraphDepth = 16;

}  // namespace tosac::limits

#endif  // TOSAC_SRC_BASE_LIMITS_H_
