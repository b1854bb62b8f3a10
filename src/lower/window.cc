// SPDX-License-Identifier: Apache-2.0
#include "lower/window.h"

#include <algorithm>

namespace tosac::lower {

bool WindowAxis::IsSane() const {
  constexpr int64_t kMax = INT32_MAX;
  const auto positive = [](int64_t value) { return value > 0 && value <= kMax; };
  return positive(size) && positive(kernel) && positive(stride) && positive(dilation) &&
         pad_before >= 0 && pad_before <= kMax && pad_after >= 0 && pad_after <= kMax &&
         size + pad_before + pad_after >= Reach();
}

int64_t MakeExact(WindowAxis* axis) {
  if (!axis->IsSane()) return 0;
  const int64_t span = axis->size + axis->pad_before + axis->pad_after - axis->Reach();
  const int64_t rest = span % axis->stride;
  const int64_t from_pad = std::min(rest, axis->pad_after);
  axis->pad_after -= from_pad;
  axis->size -= rest - from_pad;
  return rest - from_pad;
}

Dims PerAxis(Dims values, size_t axes) {
  if (values.size() == 1) values.resize(axes, values[0]);
  return values;
}

Value* CutEnds(Builder& b, Value* input, const Dims& cut) {
  if (std::all_of(cut.begin(), cut.end(), [](int64_t c) { return c == 0; })) return input;
  Dims size = input->type.dims;
  for (size_t i = 0; i < cut.size() && i + 1 < size.size(); ++i) size[i + 1] -= cut[i];
  return b.Slice(input, Dims(size.size(), 0), size);
}

Value* ToChannelsLast(Builder& b, Value* input) {
  Dims perm = {0};
  for (int64_t i = 2; i < input->type.rank(); ++i) perm.push_back(i);
  perm.push_back(1);
  return b.Transpose(input, perm);
}

Value* ToChannelsFirst(Builder& b, Value* input) {
  const int64_t rank = input->type.rank();
  Dims perm = {0, rank - 1};
  for (int64_t i = 1; i < rank - 1; ++i) perm.push_back(i);
  return b.Transpose(input, perm);
}

}  // namespace tosac::lower
