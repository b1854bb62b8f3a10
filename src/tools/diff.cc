// SPDX-License-Identifier: Apache-2.0
// Two modules are compared by 128-bit hashes of their dataflow: the hash of a value covers
// everything that it is computed from, so equal hashes of the outputs prove equal graphs, whatever
// the names, the order of independent operators and the sharing of constants.
#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tools/duplicates.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

// Collects what a hash covers.
class Hasher {
 public:
  void Add(uint64_t value) { Append(&value, sizeof(value)); }
  void Add(const Hash128& hash) { Append(&hash, sizeof(hash)); }
  void Add(std::string_view text) {
    Add(text.size());
    Append(text.data(), text.size());
  }
  void Add(const std::vector<int32_t>& list) {
    Add(list.size());
    Append(list.data(), list.size() * sizeof(int32_t));
  }
  Hash128 Finish() const {
    const XXH128_hash_t hash = XXH3_128bits(buffer_.data(), buffer_.size());
    return {hash.low64, hash.high64};
  }

 private:
  void Append(const void* data, size_t size) {
    if (size > 0) buffer_.append(static_cast<const char*>(data), size);
  }
  std::string buffer_;
};

// Operators whose order counts and that count though nobody uses their results.
bool HasEffect(Op op) {
  switch (op) {
    case Op::CUSTOM:
    case Op::COND_IF:
    case Op::WHILE_LOOP:
    case Op::VARIABLE:
    case Op::VARIABLE_WRITE:
    case Op::VARIABLE_READ:
    case Op::ASSERT_EQUAL_SHAPE:
      return true;
    default:
      return false;
  }
}

// Does attribute `index` of the operator name a region?
bool NamesRegion(Op op, size_t index) {
  return (op == Op::COND_IF || op == Op::WHILE_LOOP) && index < 2;
}

constexpr uint32_t kNone = ~uint32_t{0};

// What is known of one block.
struct BlockHashes {
  std::vector<Hash128> values;
  std::vector<uint32_t> producer;  // operator of each value; kNone for inputs and the undefined
  std::vector<size_t> effects;     // operators with effects, in order
  Hash128 digest;
};

class ModuleHasher {
 public:
  explicit ModuleHasher(const Module& module) : module_(module) {
    for (size_t i = 0; i < module.regions.size(); ++i) by_name_.emplace(module.regions[i].name, i);
    hashes_.resize(module.regions.size());
    referenced_.resize(module.regions.size(), false);
    for (const size_t region : RegionOrder()) HashRegion(region);
  }

  const BlockHashes& block(size_t region, size_t index) const { return hashes_[region][index]; }
  // An operator of another region names it.
  bool referenced(size_t region) const { return referenced_[region]; }
  std::optional<size_t> FindRegion(const AttrValue& attr) const {
    const auto* name = std::get_if<std::string>(&attr);
    const auto found = name == nullptr ? by_name_.end() : by_name_.find(*name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::vector<size_t> RegionsNamedBy(size_t region) const {
    std::vector<size_t> named;
    for (const Block& block : module_.regions[region].blocks) {
      for (const Operator& op : block.operators) {
        for (size_t i = 0; i < op.attrs.size(); ++i) {
          if (!NamesRegion(op.op, i)) continue;
          if (const auto found = FindRegion(op.attrs[i])) named.push_back(*found);
        }
      }
    }
    return named;
  }

  // A region after those that it names. Regions that name each other in a circle come in the order
  // of the file, and see each other unhashed.
  std::vector<size_t> RegionOrder() {
    std::vector<size_t> order;
    enum class Mark : uint8_t { kNew, kOpen, kDone };
    std::vector<Mark> marks(module_.regions.size(), Mark::kNew);
    std::vector<std::pair<size_t, std::vector<size_t>>> stack;
    for (size_t root = 0; root < marks.size(); ++root) {
      if (marks[root] != Mark::kNew) continue;
      marks[root] = Mark::kOpen;
      stack.emplace_back(root, RegionsNamedBy(root));
      while (!stack.empty()) {
        auto& [region, named] = stack.back();
        if (named.empty()) {
          marks[region] = Mark::kDone;
          order.push_back(region);
          stack.pop_back();
          continue;
        }
        const size_t next = named.back();
        named.pop_back();
        referenced_[next] = true;
        if (marks[next] != Mark::kNew) continue;
        marks[next] = Mark::kOpen;
        stack.emplace_back(next, RegionsNamedBy(next));
      }
    }
    return order;
  }

  void HashRegion(size_t region) {
    for (const Block& block : module_.regions[region].blocks) {
      hashes_[region].push_back(HashBlock(block));
    }
  }

  BlockHashes HashBlock(const Block& block) {
    BlockHashes hashes;
    hashes.values.resize(block.values.size());
    hashes.producer.assign(block.values.size(), kNone);
    std::vector<uint64_t> ordinal(block.operators.size(), 0);
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const Operator& op = block.operators[i];
      for (const ValueId id : op.outputs) {
        if (hashes.producer[id] == kNone) hashes.producer[id] = static_cast<uint32_t>(i);
      }
      if (HasEffect(op.op)) {
        hashes.effects.push_back(i);
        ordinal[i] = hashes.effects.size();
      }
    }
    for (size_t i = 0; i < block.inputs.size(); ++i) {
      hashes.producer[block.inputs[i]] = kNone;
      hashes.values[block.inputs[i]] = HashInput(block.values[block.inputs[i]], i);
    }
    HashOperators(block, ordinal, &hashes);
    Hasher digest;
    for (const ValueId id : block.inputs) digest.Add(hashes.values[id]);
    for (const size_t op : hashes.effects) digest.Add(HashOperator(block, op, ordinal[op], hashes));
    for (const ValueId id : block.outputs) digest.Add(hashes.values[id]);
    hashes.digest = digest.Finish();
    return hashes;
  }

  static Hash128 HashInput(const Value& value, size_t index) {
    Hasher hasher;
    hasher.Add("input");
    hasher.Add(index);
    AddType(value, &hasher);
    return hasher.Finish();
  }

  static void AddType(const Value& value, Hasher* hasher) {
    hasher->Add(static_cast<uint64_t>(value.dtype) | uint64_t{value.is_shape} << 8 |
                uint64_t{value.is_unranked} << 9 | uint64_t{value.is_variable} << 10);
    hasher->Add(value.shape);
    hasher->Add(value.variable_name);
    if (value.has_data) hasher->Add(HashConstant(value));
    if (value.scale == nullptr) return;
    hasher->Add(static_cast<uint64_t>(value.scale->dtype) << 32 | value.scale->block_shape);
    hasher->Add(std::string_view(reinterpret_cast<const char*>(value.scale->data.data()),
                                 value.scale->data.size()));
  }

  // Producers before users, without recursion. A value on a circle keeps the zero hash.
  void HashOperators(const Block& block, const std::vector<uint64_t>& ordinal,
                     BlockHashes* hashes) {
    enum class Mark : uint8_t { kNew, kOpen, kDone };
    std::vector<Mark> marks(block.operators.size(), Mark::kNew);
    std::vector<std::pair<size_t, size_t>> stack;  // operator, next input to look at
    for (size_t root = 0; root < marks.size(); ++root) {
      if (marks[root] != Mark::kNew) continue;
      marks[root] = Mark::kOpen;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        auto& [index, next] = stack.back();
        const Operator& op = block.operators[index];
        if (next < op.inputs.size()) {
          const uint32_t producer = hashes->producer[op.inputs[next++]];
          if (producer == kNone || marks[producer] != Mark::kNew) continue;
          marks[producer] = Mark::kOpen;
          stack.emplace_back(producer, 0);
          continue;
        }
        const Hash128 hash = HashOperator(block, index, ordinal[index], *hashes);
        for (size_t i = 0; i < op.outputs.size(); ++i) {
          const ValueId id = op.outputs[i];
          if (hashes->producer[id] != index) continue;
          Hasher hasher;
          hasher.Add(hash);
          hasher.Add(i);
          AddType(block.values[id], &hasher);
          hashes->values[id] = hasher.Finish();
        }
        marks[index] = Mark::kDone;
        stack.pop_back();
      }
    }
  }

  Hash128 HashOperator(const Block& block, size_t index, uint64_t ordinal,
                       const BlockHashes& hashes) const {
    const Operator& op = block.operators[index];
    Hasher hasher;
    hasher.Add(static_cast<uint64_t>(op.op));
    hasher.Add(ordinal);
    for (const ValueId id : op.inputs) hasher.Add(hashes.values[id]);
    hasher.Add(op.outputs.size());
    for (size_t i = 0; i < op.attrs.size(); ++i) {
      const auto region = NamesRegion(op.op, i) ? FindRegion(op.attrs[i]) : std::nullopt;
      if (region) {
        for (const BlockHashes& inner : hashes_[*region]) hasher.Add(inner.digest);
      } else {
        AddAttr(op.attrs[i], &hasher);
      }
    }
    return hasher.Finish();
  }

  static void AddAttr(const AttrValue& attr, Hasher* hasher) {
    if (const auto* scalar = std::get_if<int64_t>(&attr)) {
      hasher->Add(static_cast<uint64_t>(*scalar));
    } else if (const auto* list = std::get_if<std::vector<int32_t>>(&attr)) {
      hasher->Add(*list);
    } else if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&attr)) {
      hasher->Add(std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    } else {
      hasher->Add(std::get<std::string>(attr));
    }
  }

  const Module& module_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::vector<std::vector<BlockHashes>> hashes_;  // by region and block
  std::vector<bool> referenced_;
};

// ---- the first difference ----

std::string TypeText(const Value& value) {
  std::string text = std::string(Name(value.dtype)) + "[";
  for (size_t i = 0; i < value.shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(value.shape[i]);
  }
  return text + "]";
}

std::string ValueText(const Value& value) {
  return "\"" + std::string(value.name) + "\" " + TypeText(value);
}

std::string AttrText(const AttrInfo& info, const AttrValue& value) {
  std::string text = std::string(info.name) + " = ";
  if (const auto* scalar = std::get_if<int64_t>(&value)) {
    const auto name = EnumName(info.enum_type, static_cast<uint32_t>(*scalar));
    return text +
           (info.kind == AttrKind::kEnum && name ? std::string(*name) : std::to_string(*scalar));
  }
  if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) {
    text += "[";
    for (size_t i = 0; i < list->size(); ++i) {
      text += (i == 0 ? "" : ",") + std::to_string((*list)[i]);
    }
    return text + "]";
  }
  if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&value)) {
    text += "0x";
    constexpr char kHex[] = "0123456789abcdef";
    constexpr size_t kShown = 16;
    for (size_t i = 0; i < std::min(bytes->size(), kShown); ++i) {
      text += kHex[(*bytes)[i] >> 4];
      text += kHex[(*bytes)[i] & 15];
    }
    return text + (bytes->size() > kShown ? "..." : "");
  }
  return text + "\"" + std::get<std::string>(value) + "\"";
}

// One side of the comparison.
struct Side {
  const Module& module;
  const ModuleHasher& hasher;
  size_t region = 0;
  size_t block_index = 0;

  const Region& region_ref() const { return module.regions[region]; }
  const Block& block() const { return region_ref().blocks[block_index]; }
  const BlockHashes& hashes() const { return hasher.block(region, block_index); }
  std::string Place(size_t op) const { return OperatorPath(region_ref(), block(), op); }
  std::string BlockPlace() const {
    return std::string(region_ref().name) + "/" + std::string(block().name);
  }
};

std::string Count(size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

class Comparer {
 public:
  Comparer(Side a, Side b) : a_(a), b_(b) {}

  // The blocks that the sides stand at have unequal digests: why?
  Difference Explain() {
    while (true) {
      if (const auto difference = CompareInterface()) return *difference;
      const auto step = ExplainBlock();
      if (step.difference) return *step.difference;
      // Control flow of the same shape whose bodies differ: go into the bodies.
      if (!Enter(step.op_a, step.op_b)) {
        return {"operators with bodies differ", a_.Place(step.op_a), b_.Place(step.op_b)};
      }
    }
  }

 private:
  struct Step {
    std::optional<Difference> difference;
    size_t op_a = 0;
    size_t op_b = 0;
  };

  std::optional<Difference> CompareInterface() const {
    for (const auto& [list, what] :
         {std::pair{&Block::inputs, "input"}, {&Block::outputs, "output"}}) {
      const std::vector<ValueId>& x = a_.block().*list;
      const std::vector<ValueId>& y = b_.block().*list;
      if (x.size() != y.size()) {
        return Difference{"the blocks have different numbers of " + std::string(what) + "s",
                          a_.BlockPlace() + ": " + Count(x.size(), what),
                          b_.BlockPlace() + ": " + Count(y.size(), what)};
      }
      for (size_t i = 0; i < x.size(); ++i) {
        const Value& u = a_.block().values[x[i]];
        const Value& v = b_.block().values[y[i]];
        if (u.dtype != v.dtype || u.shape != v.shape) {
          return Difference{std::string(what) + " " + std::to_string(i) + " has another type",
                            a_.BlockPlace() + ": " + ValueText(u),
                            b_.BlockPlace() + ": " + ValueText(v)};
        }
      }
    }
    return std::nullopt;
  }

  Step ExplainBlock() {
    const BlockHashes& x = a_.hashes();
    const BlockHashes& y = b_.hashes();
    for (size_t i = 0; i < std::min(x.effects.size(), y.effects.size()); ++i) {
      Step step = CompareOperators(x.effects[i], y.effects[i]);
      if (step.difference || step.op_a != kSame) return step;
    }
    if (x.effects.size() != y.effects.size()) {
      const size_t common = std::min(x.effects.size(), y.effects.size());
      const auto place = [&](const Side& side, const BlockHashes& h) {
        return common < h.effects.size() ? side.Place(h.effects[common])
                                         : side.BlockPlace() + ": no further one";
      };
      return {Difference{"different numbers of state and control-flow operators", place(a_, x),
                         place(b_, y)}};
    }
    for (size_t i = 0; i < a_.block().outputs.size(); ++i) {
      const ValueId u = a_.block().outputs[i];
      const ValueId v = b_.block().outputs[i];
      if (x.values[u] == y.values[v]) continue;
      Step step = CompareValues(u, v, "output " + std::to_string(i));
      if (step.difference || step.op_a != kSame) return step;
    }
    return {Difference{"the blocks differ", a_.BlockPlace(), b_.BlockPlace()}};
  }

  // Follows two values with unequal hashes up to where they part.
  Step CompareValues(ValueId u, ValueId v, const std::string& what) {
    const Value& x = a_.block().values[u];
    const Value& y = b_.block().values[v];
    const uint32_t p = a_.hashes().producer[u];
    const uint32_t q = b_.hashes().producer[v];
    if (p == kNone || q == kNone) {
      return {Difference{what + " comes from elsewhere", Source(a_, u), Source(b_, v)}};
    }
    const Op op_a = a_.block().operators[p].op;
    const Op op_b = b_.block().operators[q].op;
    if (op_a != op_b || x.dtype != y.dtype || x.shape != y.shape) {
      return {Difference{
          op_a != op_b ? what + " is made by another operator" : what + " has another type",
          a_.Place(p) + " " + ValueText(x), b_.Place(q) + " " + ValueText(y)}};
    }
    if (IsConstantOp(op_a)) {
      return {Difference{what + " is a constant of other bytes", a_.Place(p) + " " + ValueText(x),
                         b_.Place(q) + " " + ValueText(y)}};
    }
    return CompareOperators(p, q);
  }

  static std::string Source(const Side& side, ValueId id) {
    const std::string value = ValueText(side.block().values[id]);
    const uint32_t producer = side.hashes().producer[id];
    if (producer != kNone) return side.Place(producer) + " " + value;
    const auto& inputs = side.block().inputs;
    const auto found = std::find(inputs.begin(), inputs.end(), id);
    if (found == inputs.end()) return side.BlockPlace() + ": no operator makes " + value;
    return side.BlockPlace() + ": input " + std::to_string(found - inputs.begin()) + " " + value;
  }

  // Two operators in corresponding places; walks up through the first operand that differs. op_a
  // is kSame in the answer when nothing differs.
  Step CompareOperators(size_t p, size_t q) {
    // Each step goes to an operand, so a walk longer than the operators there are is a circle.
    const size_t limit = a_.block().operators.size() + 1;
    for (size_t steps = 0; steps < limit; ++steps) {
      const Operator& x = a_.block().operators[p];
      const Operator& y = b_.block().operators[q];
      const auto differ = [&](std::string message, const std::string& u = "",
                              const std::string& v = "") {
        return Step{Difference{std::move(message), a_.Place(p) + (u.empty() ? "" : ": " + u),
                               b_.Place(q) + (v.empty() ? "" : ": " + v)}};
      };
      if (x.op != y.op) return differ("different operators");
      if (x.inputs.size() != y.inputs.size() || x.outputs.size() != y.outputs.size()) {
        return differ("different numbers of operands or results");
      }
      const OpInfo* info = FindOp(x.op);
      for (size_t i = 0; i < std::min(x.attrs.size(), y.attrs.size()); ++i) {
        const bool both_known = NamesRegion(x.op, i) && a_.hasher.FindRegion(x.attrs[i]) &&
                                b_.hasher.FindRegion(y.attrs[i]);
        if (x.attrs[i] == y.attrs[i] || both_known) continue;
        return differ("an attribute differs", AttrText(info->attrs[i], x.attrs[i]),
                      AttrText(info->attrs[i], y.attrs[i]));
      }
      for (size_t i = 0; i < x.outputs.size(); ++i) {
        const Value& u = a_.block().values[x.outputs[i]];
        const Value& v = b_.block().values[y.outputs[i]];
        if (u.dtype != v.dtype || u.shape != v.shape || u.variable_name != v.variable_name) {
          return differ("a result has another type", ValueText(u), ValueText(v));
        }
      }
      size_t i = 0;
      while (i < x.inputs.size() &&
             a_.hashes().values[x.inputs[i]] == b_.hashes().values[y.inputs[i]]) {
        ++i;
      }
      if (i == x.inputs.size()) {
        if (BodiesDiffer(x, y)) return {std::nullopt, p, q};
        return {std::nullopt, kSame, kSame};
      }
      const uint32_t next_p = a_.hashes().producer[x.inputs[i]];
      const uint32_t next_q = b_.hashes().producer[y.inputs[i]];
      const bool both_operators =
          next_p != kNone && next_q != kNone &&
          a_.block().operators[next_p].op == b_.block().operators[next_q].op &&
          !IsConstantOp(a_.block().operators[next_p].op);
      if (!both_operators) {
        Step step = CompareValues(x.inputs[i], y.inputs[i], "an operand");
        if (step.difference)
          step.difference->message = "operand " + std::to_string(i) + " of " + a_.Place(p) +
                                     " and " + b_.Place(q) + ": " + step.difference->message;
        return step;
      }
      p = next_p;
      q = next_q;
    }
    return {Difference{"operators depend on themselves", a_.Place(p), b_.Place(q)}};
  }

  bool BodiesDiffer(const Operator& x, const Operator& y) const {
    for (size_t i = 0; i < x.attrs.size(); ++i) {
      if (NamesRegion(x.op, i) && FirstUnequalBlock(x.attrs[i], y.attrs[i])) return true;
    }
    return false;
  }

  struct Bodies {
    size_t region_a;
    size_t region_b;
    size_t block;
  };
  std::optional<Bodies> FirstUnequalBlock(const AttrValue& x, const AttrValue& y) const {
    const auto r = a_.hasher.FindRegion(x);
    const auto s = b_.hasher.FindRegion(y);
    if (!r || !s) return std::nullopt;
    const size_t count =
        std::min(a_.module.regions[*r].blocks.size(), b_.module.regions[*s].blocks.size());
    for (size_t i = 0; i < count; ++i) {
      if (a_.hasher.block(*r, i).digest != b_.hasher.block(*s, i).digest) return Bodies{*r, *s, i};
    }
    return std::nullopt;
  }

  // Moves both sides into the bodies of the operators that differ. Bodies that name each other in
  // a circle are entered once.
  bool Enter(size_t op_a, size_t op_b) {
    const Operator& x = a_.block().operators[op_a];
    const Operator& y = b_.block().operators[op_b];
    if (++entered_ > a_.module.regions.size()) return false;
    for (size_t i = 0; i < x.attrs.size(); ++i) {
      if (!NamesRegion(x.op, i)) continue;
      const auto bodies = FirstUnequalBlock(x.attrs[i], y.attrs[i]);
      if (!bodies) continue;
      a_.Move(bodies->region_a, bodies->block);
      b_.Move(bodies->region_b, bodies->block);
      return true;
    }
    return false;
  }

  static constexpr size_t kSame = ~size_t{0};

  // A Side that can move.
  struct MovingSide : Side {
    explicit MovingSide(const Side& side) : Side(side) {}
    void Move(size_t new_region, size_t new_block) {
      region = new_region;
      block_index = new_block;
    }
  };
  MovingSide a_;
  MovingSide b_;
  size_t entered_ = 0;
};

// Names of inputs and outputs belong to the interface of the file.
std::optional<Difference> CompareNames(const Block& a, const Block& b) {
  for (const auto& [list, what] :
       {std::pair{&Block::inputs, "input"}, {&Block::outputs, "output"}}) {
    const std::vector<ValueId>& x = a.*list;
    const std::vector<ValueId>& y = b.*list;
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (a.values[x[i]].name != b.values[y[i]].name) {
        return Difference{std::string(what) + " " + std::to_string(i) + " has another name",
                          ValueText(a.values[x[i]]), ValueText(b.values[y[i]])};
      }
    }
  }
  return std::nullopt;
}

std::string VersionText(const Version& version) {
  return "TOSA " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch) + (version.draft ? " draft" : "");
}

// The regions that no operator names, in order: these correspond by place.
std::vector<size_t> TopRegions(const Module& module, const ModuleHasher& hasher) {
  std::vector<size_t> top;
  for (size_t i = 0; i < module.regions.size(); ++i) {
    if (!hasher.referenced(i)) top.push_back(i);
  }
  // A file whose first region is named by itself still has that one as its entry.
  if (top.empty() && !module.regions.empty()) top.push_back(0);
  return top;
}

}  // namespace

std::optional<Difference> Diff(const Module& a, const Module& b) {
  if (a.version != b.version) {
    return Difference{"the files have different versions", VersionText(a.version),
                      VersionText(b.version)};
  }
  const ModuleHasher hash_a(a);
  const ModuleHasher hash_b(b);
  const std::vector<size_t> top_a = TopRegions(a, hash_a);
  const std::vector<size_t> top_b = TopRegions(b, hash_b);
  if (top_a.size() != top_b.size()) {
    return Difference{"the files have different numbers of regions", Count(top_a.size(), "region"),
                      Count(top_b.size(), "region")};
  }
  for (size_t r = 0; r < top_a.size(); ++r) {
    const Region& x = a.regions[top_a[r]];
    const Region& y = b.regions[top_b[r]];
    if (x.blocks.size() != y.blocks.size()) {
      return Difference{"a region has different numbers of blocks",
                        std::string(x.name) + ": " + Count(x.blocks.size(), "block"),
                        std::string(y.name) + ": " + Count(y.blocks.size(), "block")};
    }
    for (size_t i = 0; i < x.blocks.size(); ++i) {
      const Side side_a{a, hash_a, top_a[r], i};
      const Side side_b{b, hash_b, top_b[r], i};
      if (side_a.hashes().digest != side_b.hashes().digest) {
        return Comparer(side_a, side_b).Explain();
      }
      if (auto difference = CompareNames(x.blocks[i], y.blocks[i])) return difference;
    }
  }
  return std::nullopt;
}

}  // namespace tosac
