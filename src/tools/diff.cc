// SPDX-License-Identifier: Apache-2.0
// Two modules are compared by 128-bit hashes of their dataflow: equal hashes prove equal graphs,
// whatever the names, the order of independent operators and the sharing of constants. Where they
// differ, the two graphs are walked from the results to where they part.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "tools/dataflow.h"
#include "tools/duplicates.h"
#include "tosac/tools.h"

namespace tosac {
namespace {

std::string ListText(const std::vector<int32_t>& list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(list[i]);
  return text + "]";
}

std::string BytesText(std::span<const uint8_t> bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr size_t kShown = 16;
  std::string text = "0x";
  for (const uint8_t byte : bytes.first(std::min(bytes.size(), kShown))) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text + (bytes.size() > kShown ? "..." : "");
}

std::string ValueText(const Value& value) {
  return "\"" + std::string(value.name) + "\" " + std::string(Name(value.dtype)) +
         (value.is_unranked ? "[*]" : ListText(value.shape));
}

std::string AttrText(const AttrInfo& info, const AttrValue& value) {
  std::string text = std::string(info.name) + " = ";
  if (const auto* scalar = std::get_if<int64_t>(&value)) {
    if (info.kind == AttrKind::kBool) return text + (*scalar != 0 ? "true" : "false");
    const auto name = EnumName(info.enum_type, static_cast<uint32_t>(*scalar));
    return text +
           (info.kind == AttrKind::kEnum && name ? std::string(*name) : std::to_string(*scalar));
  }
  if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) return text + ListText(*list);
  if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&value)) {
    return text + BytesText(*bytes);
  }
  return text + "\"" + std::get<std::string>(value) + "\"";
}

std::string VersionText(const Version& version) {
  return "TOSA " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch) + (version.draft ? " draft" : "");
}

std::string Count(size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

bool SameScale(const Value& a, const Value& b) {
  if (a.scale == nullptr || b.scale == nullptr) return a.scale == b.scale;
  return a.scale->dtype == b.scale->dtype && a.scale->block_shape == b.scale->block_shape &&
         std::ranges::equal(a.scale->data, b.scale->data);
}

// What two values differ in, names and bytes apart: "type"; empty where they do not.
std::string_view TypeDifference(const Value& a, const Value& b) {
  if (a.dtype != b.dtype || a.shape != b.shape || a.is_shape != b.is_shape ||
      a.is_unranked != b.is_unranked) {
    return "type";
  }
  if (a.is_variable != b.is_variable || a.variable_name != b.variable_name) return "variable";
  return SameScale(a, b) ? "" : "scale";
}

// The bytes of a value from `at` on.
std::string BytesFrom(const Value& value, size_t at) {
  const std::span<const uint8_t> data = value.LogicalData();
  if (!value.has_data) return "no bytes";
  return std::to_string(data.size()) + " bytes, from byte " + std::to_string(at) + " on " +
         BytesText(data.subspan(std::min(at, data.size())));
}

size_t FirstUnequalByte(const Value& a, const Value& b) {
  const std::span<const uint8_t> x = a.LogicalData();
  const std::span<const uint8_t> y = b.LogicalData();
  return static_cast<size_t>(std::ranges::mismatch(x, y).in1 - x.begin());
}

// One side of the comparison, at one block.
struct Side {
  const Module* module;
  const ModuleHashes* module_hashes;
  size_t region_index = 0;
  size_t block_index = 0;

  const Region& region() const { return module->regions[region_index]; }
  const Block& block() const { return region().blocks[block_index]; }
  const BlockHashes& hashes() const { return module_hashes->block(region_index, block_index); }
  const Operator& op(size_t index) const { return block().operators[index]; }
  std::string Place(size_t index) const { return OperatorPath(region(), block(), index); }
  std::string BlockPlace() const {
    return std::string(region().name) + "/" + std::string(block().name);
  }
  // Where a value comes from.
  std::string Source(ValueId id) const {
    const std::string value = ValueText(block().values[id]);
    const uint32_t producer = hashes().producer[id];
    if (producer != kNoProducer) return Place(producer) + " " + value;
    const auto found = std::ranges::find(block().inputs, id);
    if (found == block().inputs.end()) return BlockPlace() + ": no operator makes " + value;
    return BlockPlace() + ": input " + std::to_string(found - block().inputs.begin()) + " " + value;
  }
};

// A pair of corresponding operators whose bodies differ.
struct DifferentBodies {
  size_t op_a;
  size_t op_b;
};
using Found = std::variant<Difference, DifferentBodies>;

class Comparer {
 public:
  Comparer(const Side& a, const Side& b) : a_(a), b_(b) {}

  // The blocks that the sides stand at have unequal digests: why?
  Difference Explain() {
    // Each body is entered once; regions that name each other in a circle have no end.
    for (size_t entered = 0; entered <= a_.module->regions.size(); ++entered) {
      if (auto difference = CompareInterface(false)) return *difference;
      const Found found = FindDifference();
      if (const auto* difference = std::get_if<Difference>(&found)) return *difference;
      const auto& [op_a, op_b] = std::get<DifferentBodies>(found);
      if (auto difference = Enter(op_a, op_b)) return *difference;
    }
    return {"regions that name each other differ", a_.BlockPlace(), b_.BlockPlace()};
  }

  // Numbers and types of inputs and outputs; their names where `names` says so.
  std::optional<Difference> CompareInterface(bool names) const {
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
        std::string_view kind = TypeDifference(u, v);
        if (kind.empty() && names && u.name != v.name) kind = "name";
        if (kind.empty()) continue;
        return Difference{
            std::string(what) + " " + std::to_string(i) + " has another " + std::string(kind),
            a_.BlockPlace() + ": " + ValueText(u), b_.BlockPlace() + ": " + ValueText(v)};
      }
    }
    return std::nullopt;
  }

 private:
  Found FindDifference() const {
    const BlockHashes& x = a_.hashes();
    const BlockHashes& y = b_.hashes();
    const size_t common = std::min(x.effects.size(), y.effects.size());
    for (size_t i = 0; i < common; ++i) {
      if (x.operators[x.effects[i]] != y.operators[y.effects[i]]) {
        return Walk(x.effects[i], y.effects[i]);
      }
    }
    if (x.effects.size() != y.effects.size()) {
      const auto place = [&](const Side& side, const std::vector<size_t>& effects) {
        return common < effects.size() ? side.Place(effects[common])
                                       : side.BlockPlace() + ": no further one";
      };
      return Difference{"different numbers of state and control-flow operators",
                        place(a_, x.effects), place(b_, y.effects)};
    }
    for (size_t i = 0; i < a_.block().outputs.size(); ++i) {
      const ValueId u = a_.block().outputs[i];
      const ValueId v = b_.block().outputs[i];
      if (x.values[u] == y.values[v]) continue;
      const std::string what = "output " + std::to_string(i);
      if (auto difference = CompareSources(u, v, what)) return *difference;
      return Walk(x.producer[u], y.producer[v]);
    }
    if (const auto op = FirstExtra(a_, b_)) {
      return Difference{"an operator that the other has not, or not as often", Described(a_, *op),
                        b_.BlockPlace()};
    }
    if (const auto op = FirstExtra(b_, a_)) {
      return Difference{"an operator that the other has not, or not as often", a_.BlockPlace(),
                        Described(b_, *op)};
    }
    return CompareVariables();
  }

  // All else of the blocks is equal.
  Difference CompareVariables() const {
    const auto by_name = [](const Side& side) {
      std::multimap<std::string_view, const Value*> variables;
      for (const Value& value : side.block().values) {
        if (value.is_variable || !value.variable_name.empty()) {
          variables.emplace(value.variable_name, &value);
        }
      }
      return variables;
    };
    const auto x = by_name(a_);
    const auto y = by_name(b_);
    if (x.size() != y.size()) {
      return {"the blocks have different numbers of variables",
              a_.BlockPlace() + ": " + Count(x.size(), "variable"),
              b_.BlockPlace() + ": " + Count(y.size(), "variable")};
    }
    for (auto u = x.begin(), v = y.begin(); u != x.end(); ++u, ++v) {
      const size_t at = FirstUnequalByte(*u->second, *v->second);
      const auto text = [&](const Side& side, const Value& value) {
        return side.BlockPlace() + ": \"" + std::string(value.variable_name) + "\" of " +
               ValueText(value) + ": " + BytesFrom(value, at);
      };
      if (u->first != v->first || !TypeDifference(*u->second, *v->second).empty() ||
          u->second->has_data != v->second->has_data || !EqualBytes(*u->second, *v->second)) {
        return {"a variable differs", text(a_, *u->second), text(b_, *v->second)};
      }
    }
    return {"the inputs of the blocks differ", a_.BlockPlace(), b_.BlockPlace()};
  }

  // An operator with its first result.
  static std::string Described(const Side& side, size_t op) {
    const std::vector<ValueId>& outputs = side.op(op).outputs;
    return side.Place(op) +
           (outputs.empty() ? "" : " " + ValueText(side.block().values[outputs[0]]));
  }

  // The first operator of `side` that `other` has less often: one whose result nobody uses, or
  // that computes what another computes too.
  static std::optional<size_t> FirstExtra(const Side& side, const Side& other) {
    std::map<Hash128, size_t> left;
    for (size_t i = 0; i < other.block().operators.size(); ++i) {
      if (!IsConstantOp(other.op(i).op)) ++left[other.hashes().operators[i]];
    }
    for (size_t i = 0; i < side.block().operators.size(); ++i) {
      if (IsConstantOp(side.op(i).op)) continue;
      const auto found = left.find(side.hashes().operators[i]);
      if (found == left.end() || found->second == 0) return i;
      --found->second;
    }
    return std::nullopt;
  }

  // Two values with unequal hashes. nullopt where operators of one kind make them, and the
  // difference lies in these.
  std::optional<Difference> CompareSources(ValueId u, ValueId v, const std::string& what) const {
    const Value& x = a_.block().values[u];
    const Value& y = b_.block().values[v];
    const uint32_t p = a_.hashes().producer[u];
    const uint32_t q = b_.hashes().producer[v];
    const auto differ = [&](const std::string& message) {
      return Difference{what + " " + message, a_.Source(u), b_.Source(v)};
    };
    const auto bytes = [&](const std::string& message) {
      const size_t at = FirstUnequalByte(x, y);
      return Difference{what + " " + message, a_.Source(u) + ": " + BytesFrom(x, at),
                        b_.Source(v) + ": " + BytesFrom(y, at)};
    };
    const std::string_view type = TypeDifference(x, y);
    if (p == kNoProducer || q == kNoProducer) {
      if (p != q) return differ("comes from elsewhere");
      if (!type.empty()) return differ("has another " + std::string(type));
      if (x.has_data != y.has_data || !EqualBytes(x, y)) return bytes("has other bytes");
      return differ("is another value");
    }
    if (a_.op(p).op != b_.op(q).op) return differ("is made by another operator");
    if (!type.empty()) return differ("has another " + std::string(type));
    if (a_.hashes().operators[p] == b_.hashes().operators[q]) {
      return differ("is another result of the same operator");
    }
    if (IsConstantOp(a_.op(p).op) && (x.has_data != y.has_data || !EqualBytes(x, y))) {
      return bytes("is a constant of other bytes");
    }
    return std::nullopt;
  }

  // From two operators with unequal hashes up through the first operand that differs.
  Found Walk(size_t p, size_t q) const {
    // Each step goes to an operand, so a walk longer than the operators there are is a circle.
    for (size_t steps = 0; steps <= a_.block().operators.size(); ++steps) {
      if (auto difference = CompareHeads(p, q)) return *difference;
      const Operator& x = a_.op(p);
      const Operator& y = b_.op(q);
      size_t i = 0;
      while (i < x.inputs.size() &&
             a_.hashes().values[x.inputs[i]] == b_.hashes().values[y.inputs[i]]) {
        ++i;
      }
      if (i == x.inputs.size()) return CompareRest(p, q);
      const OpInfo* info = FindOp(x.op);
      const std::string name = info != nullptr && i < info->inputs.size()
                                   ? " (" + std::string(info->inputs[i].name) + ")"
                                   : "";
      const std::string what = "operand " + std::to_string(i) + name + " of " + a_.Place(p) +
                               (p == q && a_.Place(p) == b_.Place(q) ? "" : " and " + b_.Place(q));
      if (auto difference = CompareSources(x.inputs[i], y.inputs[i], what)) return *difference;
      p = a_.hashes().producer[x.inputs[i]];
      q = b_.hashes().producer[y.inputs[i]];
    }
    return Difference{"operators that depend on themselves differ", a_.Place(p), b_.Place(q)};
  }

  // Everything of two operators but their operands.
  std::optional<Difference> CompareHeads(size_t p, size_t q) const {
    const Operator& x = a_.op(p);
    const Operator& y = b_.op(q);
    const auto differ = [&](std::string message, const std::string& u = "",
                            const std::string& v = "") {
      return Difference{std::move(message), a_.Place(p) + (u.empty() ? "" : ": " + u),
                        b_.Place(q) + (v.empty() ? "" : ": " + v)};
    };
    if (x.op != y.op) return differ("different operators");
    if (x.inputs.size() != y.inputs.size()) {
      return differ("different numbers of operands", Count(x.inputs.size(), "operand"),
                    Count(y.inputs.size(), "operand"));
    }
    if (x.outputs.size() != y.outputs.size()) {
      return differ("different numbers of results", Count(x.outputs.size(), "result"),
                    Count(y.outputs.size(), "result"));
    }
    if (x.attrs.size() != y.attrs.size()) return differ("different numbers of attributes");
    const OpInfo* info = FindOp(x.op);
    for (size_t i = 0; i < x.attrs.size() && info != nullptr && i < info->attrs.size(); ++i) {
      if (NamesRegion(x.op, i)) {
        const bool known_a = a_.module_hashes->FindRegion(x.attrs[i]).has_value();
        const bool known_b = b_.module_hashes->FindRegion(y.attrs[i]).has_value();
        if (known_a && known_b) continue;
        if (known_a != known_b) {
          return differ("only one of the regions is in the file",
                        AttrText(info->attrs[i], x.attrs[i]), AttrText(info->attrs[i], y.attrs[i]));
        }
      }
      if (x.attrs[i] == y.attrs[i]) continue;
      return differ("an attribute differs", AttrText(info->attrs[i], x.attrs[i]),
                    AttrText(info->attrs[i], y.attrs[i]));
    }
    for (size_t i = 0; i < x.outputs.size(); ++i) {
      const Value& u = a_.block().values[x.outputs[i]];
      const Value& v = b_.block().values[y.outputs[i]];
      const std::string_view type = TypeDifference(u, v);
      if (!type.empty()) {
        return differ("a result has another " + std::string(type), ValueText(u), ValueText(v));
      }
      if (u.has_data != v.has_data || !EqualBytes(u, v)) {
        const size_t at = FirstUnequalByte(u, v);
        return differ("a result has other bytes", ValueText(u) + ": " + BytesFrom(u, at),
                      ValueText(v) + ": " + BytesFrom(v, at));
      }
    }
    return std::nullopt;
  }

  // Two operators with unequal hashes whose heads and operands are equal.
  Found CompareRest(size_t p, size_t q) const {
    const Operator& x = a_.op(p);
    const auto ordinal = [](const Side& side, size_t op) {
      const std::vector<size_t>& effects = side.hashes().effects;
      return static_cast<size_t>(std::ranges::find(effects, op) - effects.begin());
    };
    if (HasEffect(x.op) && ordinal(a_, p) != ordinal(b_, q)) {
      return Difference{"state and control-flow operators come in another order", a_.Place(p),
                        b_.Place(q)};
    }
    for (size_t i = 0; i < x.attrs.size(); ++i) {
      if (NamesRegion(x.op, i)) return DifferentBodies{p, q};
    }
    return Difference{"on one side an operand is made after its use", a_.Place(p), b_.Place(q)};
  }

  // Moves both sides into the first bodies of the two operators that differ.
  std::optional<Difference> Enter(size_t p, size_t q) {
    const Operator& x = a_.op(p);
    const Operator& y = b_.op(q);
    for (size_t i = 0; i < x.attrs.size(); ++i) {
      if (!NamesRegion(x.op, i)) continue;
      const auto r = a_.module_hashes->FindRegion(x.attrs[i]);
      const auto s = b_.module_hashes->FindRegion(y.attrs[i]);
      if (!r || !s) continue;
      const size_t blocks_a = a_.module->regions[*r].blocks.size();
      const size_t blocks_b = b_.module->regions[*s].blocks.size();
      for (size_t block = 0; block < std::min(blocks_a, blocks_b); ++block) {
        if (a_.module_hashes->block(*r, block).digest == b_.module_hashes->block(*s, block).digest)
          continue;
        a_ = {a_.module, a_.module_hashes, *r, block};
        b_ = {b_.module, b_.module_hashes, *s, block};
        return std::nullopt;
      }
      if (blocks_a != blocks_b) {
        return Difference{"bodies have different numbers of blocks",
                          a_.Place(p) + ": " + Count(blocks_a, "block"),
                          b_.Place(q) + ": " + Count(blocks_b, "block")};
      }
    }
    return Difference{"operators with bodies differ", a_.Place(p), b_.Place(q)};
  }

  Side a_;
  Side b_;
};

}  // namespace

std::optional<Difference> Diff(const Module& a, const Module& b) {
  if (a.version != b.version) {
    return Difference{"the files have different versions", VersionText(a.version),
                      VersionText(b.version)};
  }
  const ModuleHashes hashes_a(a);
  const ModuleHashes hashes_b(b);
  const std::vector<size_t> top_a = hashes_a.TopRegions();
  const std::vector<size_t> top_b = hashes_b.TopRegions();
  if (top_a.size() != top_b.size()) {
    return Difference{"the files have different numbers of regions", Count(top_a.size(), "region"),
                      Count(top_b.size(), "region")};
  }
  for (size_t r = 0; r < top_a.size(); ++r) {
    const Region& x = a.regions[top_a[r]];
    const Region& y = b.regions[top_b[r]];
    if (x.name != y.name) {
      return Difference{"region " + std::to_string(r) + " has another name",
                        "\"" + std::string(x.name) + "\"", "\"" + std::string(y.name) + "\""};
    }
    if (x.blocks.size() != y.blocks.size()) {
      return Difference{"a region has different numbers of blocks",
                        std::string(x.name) + ": " + Count(x.blocks.size(), "block"),
                        std::string(y.name) + ": " + Count(y.blocks.size(), "block")};
    }
    for (size_t i = 0; i < x.blocks.size(); ++i) {
      const Side side_a{&a, &hashes_a, top_a[r], i};
      const Side side_b{&b, &hashes_b, top_b[r], i};
      Comparer comparer(side_a, side_b);
      if (auto difference = comparer.CompareInterface(/*names=*/true)) return difference;
      if (side_a.hashes().digest != side_b.hashes().digest) return comparer.Explain();
    }
  }
  return std::nullopt;
}

}  // namespace tosac
