// SPDX-License-Identifier: Apache-2.0
#include "passes/merge_constants.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "passes/registry.h"

namespace tosac {
namespace {

using fx::Constant;
using fx::Node;

bool SameView(const Constant& a, const Constant& b) {
  return a.storage == b.storage && a.offset == b.offset && a.strides == b.strides;
}

// dtype and shape are equal. A splat is compared by its element, so that it is never expanded.
Result<bool> SameBytes(const Constant& a, const Constant& b) {
  if (SameView(a, b)) return true;
  Constant x = a;
  Constant y = b;
  if (a.IsSplat() && b.IsSplat()) {
    for (Constant* constant : {&x, &y}) {
      constant->shape.clear();
      constant->strides.clear();
    }
  }
  TOSAC_ASSIGN(const Constant::View left, x.Bytes());
  TOSAC_ASSIGN(const Constant::View right, y.Bytes());
  return std::ranges::equal(left.bytes, right.bytes);  // which may be empty, without an address
}

// What tells most constants apart without reading more than a few of their bytes.
using Key = std::tuple<DType, std::vector<int64_t>, std::vector<uint8_t>>;
Result<Key> KeyOf(const Constant& constant) {
  constexpr int64_t kSample = 64;
  Constant sample = constant;
  // The first run of the last dimension stands for the rest.
  for (size_t i = 0; i < sample.shape.size(); ++i) {
    const bool last = i + 1 == sample.shape.size();
    sample.shape[i] = std::min<int64_t>(sample.shape[i], last ? kSample : 1);
  }
  const DTypeInfo* info = FindDType(constant.dtype);
  if (info == nullptr || info->bits % 8 != 0) return Key{constant.dtype, constant.shape, {}};
  TOSAC_ASSIGN(const Constant::View view, sample.Bytes());
  return Key{constant.dtype, constant.shape,
             std::vector<uint8_t>(view.bytes.begin(), view.bytes.end())};
}

}  // namespace

Result<Changed> MergeConstantNodes(fx::Program& program, Op op) {
  Changed changed = Changed::kNo;
  for (const auto& graph : program.graphs()) {
    std::map<Key, std::vector<Node*>> kept;
    for (Node* node : graph->Nodes()) {
      if (!node->IsTosa(op) || node->constant == nullptr || node->pooled) continue;
      TOSAC_ASSIGN(Key key, KeyOf(*node->constant));
      std::vector<Node*>& same_key = kept[std::move(key)];
      Node* first = nullptr;
      for (Node* candidate : same_key) {
        TOSAC_ASSIGN(const bool same, SameBytes(*candidate->constant, *node->constant));
        if (same) {
          first = candidate;
          break;
        }
      }
      if (first == nullptr) {
        same_key.push_back(node);
        continue;
      }
      node->result()->ReplaceAllUsesWith(first->result());
      graph->Erase(node);
      changed = Changed::kYes;
    }
  }
  return changed;
}

Result<Changed> MergeConstShapes(fx::Program& program, PassContext&) {
  return MergeConstantNodes(program, Op::CONST_SHAPE);
}

Result<Changed> MergeParameters(fx::Program& program, PassContext&) {
  return MergeConstantNodes(program, Op::CONST);
}

}  // namespace tosac
