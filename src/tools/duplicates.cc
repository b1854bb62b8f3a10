// SPDX-License-Identifier: Apache-2.0
#include "tools/duplicates.h"

#include <algorithm>

namespace tosac {
namespace {

struct Candidate {
  size_t op = 0;
  ValueId value = 0;
  Hash128 hash;
};

// The scales of block-scaled constants are far fewer than their elements.
bool ScaleLess(const Scale* a, const Scale* b) {
  if (a == nullptr || b == nullptr) return a == nullptr && b != nullptr;
  if (a->dtype != b->dtype) return a->dtype < b->dtype;
  if (a->block_shape != b->block_shape) return a->block_shape < b->block_shape;
  if (a->has_data != b->has_data) return b->has_data;
  return std::ranges::lexicographical_compare(a->data, b->data);
}

// dtype and shape first: most constants differ there, and no byte was read.
bool TypeLess(const Value& a, const Value& b) {
  if (a.dtype != b.dtype) return a.dtype < b.dtype;
  if (a.is_shape != b.is_shape) return b.is_shape;
  if (a.shape != b.shape) return a.shape < b.shape;
  return ScaleLess(a.scale.get(), b.scale.get());
}

// `equal` are the operators of one value, ascending. An output keeps its name, so it is kept; of
// two outputs neither can stand for the other.
void AddGroup(std::span<const Candidate> equal, const std::vector<bool>& is_output,
              std::vector<DuplicateGroup>* groups) {
  DuplicateGroup group;
  group.first_op = equal.front().op;
  const auto output = std::find_if(equal.begin(), equal.end(), [&](const Candidate& candidate) {
    return is_output[candidate.value];
  });
  group.kept_op = output == equal.end() ? group.first_op : output->op;
  for (const Candidate& candidate : equal) {
    if (candidate.op != group.kept_op && !is_output[candidate.value]) {
      group.removed.push_back(candidate.op);
    }
  }
  if (!group.removed.empty()) groups->push_back(std::move(group));
}

// Splits candidates of one type into runs of equal bytes.
void GroupByBytes(const Block& block, std::span<Candidate> same_type,
                  const std::vector<bool>& is_output, std::vector<DuplicateGroup>* groups) {
  for (Candidate& candidate : same_type) {
    candidate.hash = HashConstant(block.values[candidate.value]);
  }
  std::sort(same_type.begin(), same_type.end(), [](const Candidate& a, const Candidate& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.op < b.op;
  });
  for (size_t i = 0; i < same_type.size();) {
    size_t end = i + 1;
    const Value& first = block.values[same_type[i].value];
    // The hash is 128 bits; the comparison makes it a proof. Of a collision one part is left as it
    // is, which is right, if not smallest.
    while (end < same_type.size() && same_type[end].hash == same_type[i].hash &&
           EqualBytes(first, block.values[same_type[end].value])) {
      ++end;
    }
    AddGroup(same_type.subspan(i, end - i), is_output, groups);
    i = end;
  }
}

}  // namespace

bool IsConstantOp(Op op) { return op == Op::CONST || op == Op::CONST_SHAPE; }

std::optional<ValueId> ConstantOf(const Block& block, const Operator& op) {
  if (!IsConstantOp(op.op) || op.outputs.size() != 1 || !op.inputs.empty()) return std::nullopt;
  const Value& value = block.values[op.outputs[0]];
  if (!value.has_data || value.is_variable || !value.variable_name.empty() || value.is_unranked) {
    return std::nullopt;
  }
  return op.outputs[0];
}

std::vector<DuplicateGroup> FindDuplicates(const Block& block) {
  std::vector<bool> is_output(block.values.size(), false);
  for (const ValueId id : block.outputs) is_output[id] = true;
  // A damaged file may make one tensor twice, or make an input: those are left as they are.
  std::vector<uint8_t> makers(block.values.size(), 0);
  const auto count = [&](ValueId id) { makers[id] = std::min(makers[id] + 1, 2); };
  for (const ValueId id : block.inputs) count(id);
  for (const Operator& op : block.operators) {
    for (const ValueId id : op.outputs) count(id);
  }
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < block.operators.size(); ++i) {
    const std::optional<ValueId> value = ConstantOf(block, block.operators[i]);
    if (value && makers[*value] == 1) candidates.push_back({i, *value, {}});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     return TypeLess(block.values[a.value], block.values[b.value]);
                   });
  std::vector<DuplicateGroup> groups;
  for (size_t i = 0; i < candidates.size();) {
    size_t end = i + 1;
    while (end < candidates.size() &&
           !TypeLess(block.values[candidates[i].value], block.values[candidates[end].value])) {
      ++end;
    }
    if (end - i > 1) {
      GroupByBytes(block, std::span(candidates).subspan(i, end - i), is_output, &groups);
    }
    i = end;
  }
  std::sort(groups.begin(), groups.end(), [](const DuplicateGroup& a, const DuplicateGroup& b) {
    return a.first_op < b.first_op;
  });
  return groups;
}

}  // namespace tosac
