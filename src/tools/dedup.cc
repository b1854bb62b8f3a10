// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include "tools/duplicates.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

constexpr ValueId kRemoved = std::numeric_limits<ValueId>::max();

struct Count {
  uint64_t operators = 0;
  uint64_t constants = 0;
  uint64_t bytes = 0;
};

Count CountConstants(const Module& module) {
  Count count;
  for (const Region& region : module.regions) {
    for (const Block& block : region.blocks) {
      count.operators += block.operators.size();
      for (const Operator& op : block.operators) {
        if (!IsConstantOp(op.op)) continue;
        ++count.constants;
        for (const ValueId id : op.outputs) count.bytes += block.values[id].data.size();
      }
    }
  }
  return count;
}

// Takes the marked values out and renumbers the rest; `target` says what stands for each.
void DropValues(Block* block, const std::vector<ValueId>& target) {
  std::vector<ValueId> number(block->values.size(), kRemoved);
  std::vector<Value> kept;
  kept.reserve(block->values.size());
  for (ValueId id = 0; id < block->values.size(); ++id) {
    if (target[id] != id) continue;
    number[id] = static_cast<ValueId>(kept.size());
    kept.push_back(std::move(block->values[id]));
  }
  block->values = std::move(kept);
  const auto renumber = [&](std::vector<ValueId>* ids) {
    for (ValueId& id : *ids) id = number[target[id]];
  };
  renumber(&block->inputs);
  renumber(&block->outputs);
  for (Operator& op : block->operators) {
    renumber(&op.inputs);
    renumber(&op.outputs);
  }
}

void DedupBlock(Block* block, DedupReport* report) {
  const std::vector<DuplicateGroup> groups = FindDuplicates(*block);
  if (groups.empty()) return;
  std::vector<ValueId> target(block->values.size());
  for (ValueId id = 0; id < target.size(); ++id) target[id] = id;
  std::vector<bool> drop_op(block->operators.size(), false);
  std::vector<std::pair<ValueId, ValueId>> renamed;
  // A kept operator that is not the first moves to the first's place: constants have no inputs.
  std::vector<std::pair<size_t, size_t>> moves;
  for (const DuplicateGroup& group : groups) {
    const ValueId kept = block->operators[group.kept_op].outputs[0];
    for (const size_t op : group.removed) {
      const ValueId removed = block->operators[op].outputs[0];
      target[removed] = kept;
      drop_op[op] = true;
      renamed.emplace_back(removed, kept);
    }
    if (group.kept_op != group.first_op && drop_op[group.first_op]) {
      moves.emplace_back(group.kept_op, group.first_op);
    }
  }
  std::sort(renamed.begin(), renamed.end());
  for (const auto& [removed, kept] : renamed) {
    report->renamed.emplace_back(block->values[removed].name, block->values[kept].name);
  }
  for (const auto& [from, to] : moves) {
    std::swap(block->operators[from], block->operators[to]);
    drop_op[to] = false;
    drop_op[from] = true;
  }
  std::vector<Operator> operators;
  operators.reserve(block->operators.size());
  for (size_t i = 0; i < block->operators.size(); ++i) {
    if (!drop_op[i]) operators.push_back(std::move(block->operators[i]));
  }
  block->operators = std::move(operators);
  DropValues(block, target);
}

}  // namespace

Result<DedupReport> Dedup(Module& module) {
  DedupReport report;
  const Count before = CountConstants(module);
  for (Region& region : module.regions) {
    for (Block& block : region.blocks) DedupBlock(&block, &report);
  }
  const Count after = CountConstants(module);
  report.operators_before = before.operators;
  report.operators_after = after.operators;
  report.constants_before = before.constants;
  report.constants_after = after.constants;
  report.constant_bytes_before = before.bytes;
  report.constant_bytes_after = after.bytes;
  return report;
}

}  // namespace tosac
