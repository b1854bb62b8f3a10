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
#include "tosac/program.h"

namespace tosac::fx {

// Ranges of symbols, shared by the readers of nested graphs.
struct SymbolTable {
  struct Range {
    int64_t min = INT64_MIN;
    int64_t max = INT64_MAX;
  };
  std::map<std::string, Range, std::less<>> ranges;
  std::map<std::string, int64_t, std::less<>> dims;  // expression -> number in Type::dims
};

// Reads nodes into `graph`. Errors: rules "program-json", "program-node", "program-dtype".
class Pt2GraphReader {
 public:
  Pt2GraphReader(Program* program, Graph* graph);

  // The program's range_constraints: {"s0": {"min_val": 2, "max_val": 16}}.
  Result<void> ReadRanges(std::optional<JsonValue> ranges);
  // The graph's tensor_values; TypeOf answers from them.
  Result<void> ReadTypes(JsonValue graph);
  Result<void> ReadNodes(JsonValue graph);

  Result<Type> TypeOf(std::string_view name) const;
  // Nodes that come later may use `value` by this name.
  Result<void> Define(std::string_view name, Value* value);
  // Adds the value that an entry of the graph's outputs names. Output None is dropped.
  Result<void> AddOutput(JsonValue argument, const OutputInfo& info);

 private:
  Pt2GraphReader(Program* program, Graph* graph, std::shared_ptr<SymbolTable> symbols, int depth);

  Result<Type> ReadType(std::string_view name, JsonValue meta);
  // An integer or a symbol's number; nullopt for neither.
  std::optional<int64_t> ReadDim(JsonValue dim);
  Result<void> ReadNode(JsonValue node);
  Result<void> ReadResult(JsonValue output, std::vector<Type>* types,
                          std::vector<std::string>* names);
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
  std::unordered_map<std::string, Value*> values_;
  std::unordered_map<std::string, int64_t> known_ints_;  // SymInts with one possible value
  // Of the node that is being read.
  std::string node_name_;
  std::string node_target_;
  std::string stack_trace_;
  std::vector<Value*> operands_;
  std::vector<Graph*> regions_;
};

}  // namespace tosac::fx

#endif  // TOSAC_SRC_FX_PT2_GRAPH_H_
