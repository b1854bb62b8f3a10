// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "base/limits.h"
#include "tosac/program.h"

namespace tosac::fx {
namespace {

class MemoryStorage final : public Storage {
 public:
  MemoryStorage(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}
  uint64_t size() const override { return bytes_.size(); }
  Result<ByteView> Bytes() const override { return ByteView{bytes_, nullptr}; }

 private:
  std::span<const uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
};

int64_t Product(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

std::vector<int64_t> RowMajorStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

// Dimensions of size 1 dropped, neighbours that are one run merged: the shortest loop nest.
struct Loops {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};
Loops Collapse(const Constant& constant) {
  Loops loops;
  for (size_t i = 0; i < constant.shape.size(); ++i) {
    const int64_t size = constant.shape[i];
    const int64_t stride = constant.strides[i];
    if (size == 1) continue;
    if (!loops.sizes.empty() && loops.strides.back() == stride * size) {
      loops.sizes.back() *= size;
      loops.strides.back() = stride;
    } else {
      loops.sizes.push_back(size);
      loops.strides.push_back(stride);
    }
  }
  if (loops.sizes.empty()) {
    loops.sizes.push_back(1);
    loops.strides.push_back(1);
  }
  return loops;
}

template <size_t kWidth>
void CopyRow(const uint8_t* from, int64_t stride, int64_t count, uint8_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * static_cast<int64_t>(kWidth), from + i * stride, kWidth);
  }
}

// Copies rows of `count` elements, `stride` bytes apart.
void CopyStrided(const uint8_t* from, int64_t stride, int64_t count, size_t width, uint8_t* to) {
  if (stride == static_cast<int64_t>(width)) {
    std::memcpy(to, from, static_cast<size_t>(count) * width);
    return;
  }
  switch (width) {
    case 1:
      return CopyRow<1>(from, stride, count, to);
    case 2:
      return CopyRow<2>(from, stride, count, to);
    case 4:
      return CopyRow<4>(from, stride, count, to);
    case 8:
      return CopyRow<8>(from, stride, count, to);
    default:
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * static_cast<int64_t>(width), from + i * stride, width);
      }
  }
}

// A matrix whose columns are what lies together in the source: copied in blocks, so that both
// sides stay in the cache.
template <size_t kWidth>
void TransposeBlocked(const uint8_t* from, const Loops& loops, uint8_t* to) {
  constexpr int64_t kBlock = 32;
  const size_t n = loops.sizes.size();
  const int64_t rows = loops.sizes[n - 2];
  const int64_t columns = loops.sizes[n - 1];
  const int64_t row_stride = loops.strides[n - 2] * static_cast<int64_t>(kWidth);
  const int64_t column_stride = loops.strides[n - 1] * static_cast<int64_t>(kWidth);
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const int64_t r1 = std::min(rows, r0 + kBlock);
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      const int64_t c1 = std::min(columns, c0 + kBlock);
      for (int64_t r = r0; r < r1; ++r) {
        CopyRow<kWidth>(from + r * row_stride + c0 * column_stride, column_stride, c1 - c0,
                        to + (r * columns + c0) * static_cast<int64_t>(kWidth));
      }
    }
  }
}

void CopyMatrix(const uint8_t* from, const Loops& loops, size_t width, uint8_t* to) {
  const size_t n = loops.sizes.size();
  if (loops.strides[n - 2] == 1 && width == 4) return TransposeBlocked<4>(from, loops, to);
  if (loops.strides[n - 2] == 1 && width == 2) return TransposeBlocked<2>(from, loops, to);
  const auto bytes = static_cast<int64_t>(width);
  for (int64_t r = 0; r < loops.sizes[n - 2]; ++r) {
    CopyStrided(from + r * loops.strides[n - 2] * bytes, loops.strides[n - 1] * bytes,
                loops.sizes[n - 1], width, to + r * loops.sizes[n - 1] * bytes);
  }
}

// Row-major copy of the view; `from` is its first element.
void Gather(const uint8_t* from, const Loops& loops, size_t width, uint8_t* to) {
  const size_t n = loops.sizes.size();
  const auto bytes = static_cast<int64_t>(width);
  if (n == 1) return CopyStrided(from, loops.strides[0] * bytes, loops.sizes[0], width, to);
  const int64_t matrix = loops.sizes[n - 1] * loops.sizes[n - 2] * bytes;
  std::vector<int64_t> index(n - 2, 0);
  while (true) {
    int64_t offset = 0;
    for (size_t i = 0; i + 2 < n; ++i) offset += index[i] * loops.strides[i];
    CopyMatrix(from + offset * bytes, loops, width, to);
    to += matrix;
    size_t axis = n - 2;
    while (axis > 0 && ++index[axis - 1] == loops.sizes[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

std::shared_ptr<const Storage> MakeStorage(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
  const std::span<const uint8_t> view(*owner);
  return std::make_shared<MemoryStorage>(view, std::move(owner));
}

std::shared_ptr<const Storage> MakeStorage(std::span<const uint8_t> bytes,
                                           std::shared_ptr<const void> owner) {
  return std::make_shared<MemoryStorage>(bytes, std::move(owner));
}

int64_t Constant::NumElements() const { return Product(shape); }

bool Constant::IsContiguous() const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

bool Constant::IsSplat() const {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && strides[i] != 0) return false;
  }
  return NumElements() > 0;
}

Result<Constant::View> Constant::Bytes() const {
  TOSAC_ASSIGN(const ByteView view, storage->Bytes());
  const std::span<const uint8_t> all = view.bytes;
  const int64_t count = NumElements();
  const std::optional<uint64_t> size = LogicalBytes(dtype, static_cast<uint64_t>(count));
  const DTypeInfo* info = FindDType(dtype);
  if (!size || info == nullptr) return Error("constant-dtype", "a constant of an unknown type");
  if (*size == 0) return View{{}, storage};
  const uint64_t start = static_cast<uint64_t>(offset) * info->bits / 8;
  if (IsContiguous()) {
    if (start > all.size() || *size > all.size() - start) {
      return Error("archive-tensor-bounds", "a constant reaches past the end of its storage");
    }
    const std::shared_ptr<const void> kept = view.owner != nullptr ? view.owner : storage;
    return View{all.subspan(start, *size), kept};
  }
  const size_t width = info->bits / 8u;
  uint64_t last = static_cast<uint64_t>(offset);
  for (size_t i = 0; i < shape.size(); ++i) {
    last += static_cast<uint64_t>(shape[i] - 1) * static_cast<uint64_t>(strides[i]);
  }
  if ((last + 1) * width > all.size()) {
    return Error("archive-tensor-bounds", "a constant reaches past the end of its storage");
  }
  // A hostile archive expands one element to any size; the memory must not follow.
  std::shared_ptr<uint8_t[]> owner;
  if (*size <= limits::kMaxGatheredBytes) owner.reset(new (std::nothrow) uint8_t[*size]);
  if (owner == nullptr) {
    return Error("constant-size", "a constant of " + std::to_string(*size) +
                                      " bytes is too large to be copied out of its storage");
  }
  Gather(all.data() + start, Collapse(*this), width, owner.get());
  return View{{owner.get(), static_cast<size_t>(*size)}, owner};
}

ConstantPtr MakeConstant(DType dtype, std::vector<int64_t> shape, std::vector<uint8_t> bytes) {
  auto constant = std::make_shared<Constant>();
  constant->dtype = dtype;
  constant->strides = RowMajorStrides(shape);
  constant->shape = std::move(shape);
  constant->storage = MakeStorage(std::move(bytes));
  return constant;
}

ConstantPtr MakeSplat(DType dtype, std::vector<int64_t> shape, std::span<const uint8_t> element) {
  auto constant = std::make_shared<Constant>();
  constant->dtype = dtype;
  constant->strides.assign(shape.size(), 0);
  constant->shape = std::move(shape);
  constant->storage = MakeStorage(std::vector<uint8_t>(element.begin(), element.end()));
  return constant;
}

ConstantPtr Permuted(const ConstantPtr& constant, std::span<const int64_t> perm) {
  auto result = std::make_shared<Constant>(*constant);
  for (size_t i = 0; i < perm.size(); ++i) {
    result->shape[i] = constant->shape[static_cast<size_t>(perm[i])];
    result->strides[i] = constant->strides[static_cast<size_t>(perm[i])];
  }
  return result;
}

ConstantPtr Expanded(const ConstantPtr& constant, std::span<const int64_t> shape) {
  auto result = std::make_shared<Constant>(*constant);
  result->shape.assign(shape.begin(), shape.end());
  result->strides.assign(shape.size(), 0);
  const size_t added = shape.size() - constant->shape.size();
  for (size_t i = added; i < shape.size(); ++i) {
    if (constant->shape[i - added] == shape[i]) result->strides[i] = constant->strides[i - added];
  }
  return result;
}

ConstantPtr Reshaped(const ConstantPtr& constant, std::span<const int64_t> shape) {
  if (constant->IsSplat() || constant->IsContiguous()) {
    auto result = std::make_shared<Constant>(*constant);
    result->shape.assign(shape.begin(), shape.end());
    result->strides =
        constant->IsSplat() ? std::vector<int64_t>(shape.size(), 0) : RowMajorStrides(shape);
    return result;
  }
  return nullptr;
}

Result<ConstantPtr> MakeView(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides,
                             int64_t offset, std::shared_ptr<const Storage> storage) {
  const DTypeInfo* info = FindDType(dtype);
  const auto fail = [](std::string why) { return Error("archive-tensor-bounds", std::move(why)); };
  if (info == nullptr || info->bits % 8 != 0 || shape.size() != strides.size() || offset < 0) {
    return fail("its type, strides or storage offset make no sense");
  }
  int64_t count = 1;
  int64_t last = offset;
  bool empty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach = 0;
    empty = empty || shape[i] == 0;
    if (shape[i] < 0 || strides[i] < 0 ||
        __builtin_mul_overflow(count, std::max<int64_t>(shape[i], 1), &count) ||
        __builtin_mul_overflow(std::max<int64_t>(shape[i] - 1, 0), strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return fail("its sizes or strides are negative or overflow");
    }
  }
  // Row-major bytes of the whole view must be addressable, even for an expanded one.
  constexpr int64_t kMaxBytes = int64_t{1} << 46;
  int64_t end = 0;
  if (count > kMaxBytes / info->bits || __builtin_add_overflow(last, 1, &end) ||
      __builtin_mul_overflow(end, int64_t{info->bits / 8}, &end)) {
    return fail("it is too large");
  }
  if (!empty && static_cast<uint64_t>(end) > storage->size()) {
    return fail("its view reaches byte " + std::to_string(end) + " of a storage of " +
                std::to_string(storage->size()) + " bytes");
  }
  auto constant = std::make_shared<Constant>();
  constant->dtype = dtype;
  constant->shape = std::move(shape);
  constant->strides = std::move(strides);
  constant->offset = offset;
  constant->storage = std::move(storage);
  return ConstantPtr(constant);
}

}  // namespace tosac::fx
