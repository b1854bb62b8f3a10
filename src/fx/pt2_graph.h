// SPDX-License-Identifier: Apache-2.0
// One graph of a program's JSON: its tensors' types, its nodes and their arguments.
#ifndef TOSAC_SRC_FX_PT2_GRAPH_H_
#define TOSAC_SRC_FX_PT2_GRAPH_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "fx/pt2_symbols.h"
#include "tosac/program.h"

namespace tosac::fx {

// Ranges of symbols, shared by the readers of nested graphs.
struct SymbolTable {
  SymbolRanges ranges;
  std::map<std::string, int64_t, std::less<>> dims;  // expression -> number in Type::dims
};

// Reads nodes into `graph`. Names are views of the JSON document, which must outlive the reader.
// Errors: rules "program-json", "program-node", "program-dtype", "program-output".
class Pt2GraphReader {
 public:
  Pt2GraphReader(Program* program, Graph* graph);

  // The program's range_constraints: {"s0": {"min_val": 2, "max_val": 16}}.
  Result<void> ReadRanges(std::optional<JsonValue> ranges);
  // The graph's tensor_values; TypeOf answers from them.
  Result<void> ReadTypes(JsonValue graph);
  Result<void> ReadNodes(JsonValue graph);

  Result<Type> TypeOf(std::string_view name);
  // Nodes that come later may use `value` by this name.
  Result<void> Define(std::string_view name, Value* value);
  // Adds the value that an entry of the graph's outputs names. Output None is dropped.
  Result<void> AddOutput(JsonValue argument, const OutputInfo& info);

 private:
  Pt2GraphReader(Program* program, Graph* graph, std::shared_ptr<SymbolTable> symbols, int depth);

  Result<Type> ReadType(std::string_view name, JsonValue meta);
  // A SymInt: an integer, or a symbolic size of which `range` may still be one value.
  struct Dim {
    int64_t value = 0;
    bool known = false;
    SymbolicSize symbolic;
    int64_t hint = -1;
  };
  std::optional<Dim> ReadDim(JsonValue dim) const;
  // The number of a symbolic size in Type::dims.
  int64_t SymbolNumber(const Dim& dim);
  Result<void> ReadNode(JsonValue node);
  // A node that only runs a graph: that graph's nodes take its place.
  Result<void> InlineGraph(JsonArray inputs, JsonArray outputs);
  Result<void> ReadResult(JsonValue output, std::vector<Type>* types,
                          std::vector<std::string_view>* names);
  // Appends operands as it meets tensors.
  Result<ArgValue> ReadArg(JsonValue arg);
  Result<ArgValue> ReadTensors(JsonValue list, bool optional);
  Result<ArgValue> ReadSymInts(JsonValue list);
  Result<ArgValue> ReadSymScalar(const JsonUnion& arg);
  Result<ArgValue> ReadGraph(JsonValue value);
  Result<int32_t> Operand(std::optional<std::string_view> name);
  Diag Fail(std::string message) const;

  Program* program_;
  Graph* graph_;
  std::shared_ptr<SymbolTable> symbols_;
  int depth_ = 0;
  std::unordered_map<std::string_view, JsonValue> metas_;
  std::unordered_map<std::string_view, Value*> values_;
  std::unordered_map<std::string_view, int64_t> known_ints_;  // SymInts with one possible value
  // Of the node that is being read.
  std::string_view node_name_;
  std::string_view node_target_;
  std::string_view stack_trace_;
  std::vector<Value*> operands_;
  std::vector<Graph*> regions_;
};

}  // namespace tosac::fx

#endif  // TOSAC_SRC_FX_PT2_GRAPH_H_
