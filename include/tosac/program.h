// SPDX-License-Identifier: Apache-2.0
// Program: the graph that passes rewrite. Its nodes call ATen operators (as torch.export wrote
// them) or TOSA operators; both kinds may stand side by side.
#ifndef TOSAC_PROGRAM_H_
#define TOSAC_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tosac/diag.h"
#include "tosac/module.h"
#include "tosac/ops.h"

namespace tosac::fx {

class Graph;
class Node;
class Program;

// ---- types ----

enum class TypeKind : uint8_t {
  kTensor,  // dtype and dims
  kShape,   // a TOSA shape; dims = {rank}
  kScalar,  // a SymInt, SymFloat or SymBool of FX
  kNone,
};

struct Type {
  TypeKind kind = TypeKind::kTensor;
  DType dtype = DType::kUnknown;
  // Sizes. A negative number -k-1 is Program::symbols[k], a size that is not known.
  std::vector<int64_t> dims;
  bool ranked = true;

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  // dims[axis], a negative axis counted from the end; 1 where there is no such axis, so that
  // damaged input can not read out of bounds.
  int64_t dim(int64_t axis) const;
  bool IsStatic() const;        // no symbolic size
  int64_t NumElements() const;  // product of dims; -1 when symbolic or over 2^62
  friend bool operator==(const Type&, const Type&) = default;
};
Type TensorType(DType dtype, std::vector<int64_t> dims);
Type ShapeType(int64_t rank);
std::string ToString(const Type& type);  // "f32[3,32]"

// A size that torch.export left symbolic.
struct Symbol {
  std::string expr;  // "s77", "s77 + 1"
  int64_t min = 0;   // the range that the archive states
  int64_t max = INT64_MAX;
  int64_t hint = -1;  // the example's value; -1: none
};

// ---- constants ----

// Bytes and what keeps them alive beyond the object that they came from (may be nullptr).
struct ByteView {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
};

// Bytes that constants view: an archive entry (inflated once, on first use), memory, or values that
// are computed anew whenever they are asked for.
class Storage {
 public:
  virtual ~Storage() = default;
  virtual uint64_t size() const = 0;
  // Thread-safe. The bytes live as long as the Storage or, where there is one, the view's owner.
  // Errors: the entry can not be inflated, its CRC differs.
  virtual Result<ByteView> Bytes() const = 0;
};
std::shared_ptr<const Storage> MakeStorage(std::vector<uint8_t> bytes);
// `owner` keeps `bytes` alive.
std::shared_ptr<const Storage> MakeStorage(std::span<const uint8_t> bytes,
                                           std::shared_ptr<const void> owner);

// An immutable tensor: a strided view of a storage. Element (i0, i1, ...) lies at element index
// offset + i0 * strides[0] + i1 * strides[1] + ... An expanded dimension has stride 0, so a splat
// needs one element, and a transposed weight no copy. Bounds were checked when it was made.
// Sub-byte and 48-bit types are contiguous.
struct Constant {
  DType dtype = DType::kUnknown;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements, one per dimension
  int64_t offset = 0;            // in elements
  std::shared_ptr<const Storage> storage;

  int64_t NumElements() const;
  bool IsContiguous() const;  // row-major, dimensions of size 1 apart
  // Every dimension of more than one element has stride 0 (or there is one element).
  bool IsSplat() const;
  // The logical bytes in row-major order: a view of the storage where it is contiguous, else
  // gathered into memory that `owner` of the result holds.
  using View = ByteView;
  Result<View> Bytes() const;
};
using ConstantPtr = std::shared_ptr<const Constant>;

// A contiguous constant that owns its bytes (row-major, LogicalBytes of them).
ConstantPtr MakeConstant(DType dtype, std::vector<int64_t> shape, std::vector<uint8_t> bytes);
// One element, expanded over `shape`.
ConstantPtr MakeSplat(DType dtype, std::vector<int64_t> shape, std::span<const uint8_t> element);
// Views of a constant; each shares its storage.
ConstantPtr Permuted(const ConstantPtr& constant, std::span<const int64_t> perm);
ConstantPtr Expanded(const ConstantPtr& constant, std::span<const int64_t> shape);
// nullptr where the new shape is not a view (then take Bytes()).
ConstantPtr Reshaped(const ConstantPtr& constant, std::span<const int64_t> shape);
// Checks every index against the storage (rule "archive-tensor-bounds").
Result<ConstantPtr> MakeView(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides,
                             int64_t offset, std::shared_ptr<const Storage> storage);
// Element-wise conversion by IEEE rounding (ties to even) between any two byte-sized types;
// integers saturate nowhere: a value that does not fit is a Diag (rule "constant-range").
Result<ConstantPtr> Converted(const ConstantPtr& constant, DType dtype);
// The elements as double or int64 (floats are a Diag for AsInts, 64-bit integers past 2^53 for
// AsDoubles are rounded). A splat is expanded.
Result<std::vector<double>> AsDoubles(const Constant& constant);
Result<std::vector<int64_t>> AsInts(const Constant& constant);

// ---- values and nodes ----

struct Use {
  Node* node = nullptr;
  uint32_t operand = 0;
  friend bool operator==(const Use&, const Use&) = default;
};

// A result of a node, or an input of a graph.
class Value {
 public:
  std::string name;  // unique in its graph
  Type type;

  Node* def() const { return def_; }  // nullptr for a graph input
  uint32_t index() const { return index_; }
  Graph* graph() const { return graph_; }
  std::span<const Use> uses() const { return uses_; }
  bool HasOneUse() const { return uses_.size() == 1; }
  // Rewires every use, those by the graph's output node too.
  void ReplaceAllUsesWith(Value* other);
  // The constant, when a tosa.CONST node defines this value; else nullptr.
  ConstantPtr constant() const;

 private:
  friend class Graph;
  friend class Node;
  Graph* graph_ = nullptr;
  Node* def_ = nullptr;
  uint32_t index_ = 0;
  std::vector<Use> uses_;
};

// Arguments of an ATen call. Tensors and symbolic scalars are operands of the node; an argument
// refers to them by index.
struct NoArg {
  friend bool operator==(const NoArg&, const NoArg&) = default;
};
struct OperandArg {
  uint32_t index = 0;
  friend bool operator==(const OperandArg&, const OperandArg&) = default;
};
struct OperandListArg {
  std::vector<int32_t> indices;  // -1: None
  friend bool operator==(const OperandListArg&, const OperandListArg&) = default;
};
// A list of integers of which some are operands (SymInts).
struct MixedIntsArg {
  struct Element {
    int64_t value = 0;
    int32_t operand = -1;  // when not negative: the operand, and `value` means nothing
    friend bool operator==(const Element&, const Element&) = default;
  };
  std::vector<Element> elements;
  friend bool operator==(const MixedIntsArg&, const MixedIntsArg&) = default;
};
struct DTypeArg {
  DType dtype = DType::kUnknown;
  friend bool operator==(const DTypeArg&, const DTypeArg&) = default;
};
// A memory format, layout or device: its spelling.
struct EnumArg {
  std::string text;
  friend bool operator==(const EnumArg&, const EnumArg&) = default;
};
struct GraphArg {
  uint32_t region = 0;  // index in Node::regions
  friend bool operator==(const GraphArg&, const GraphArg&) = default;
};
struct ComplexArg {
  double real = 0, imag = 0;
  friend bool operator==(const ComplexArg&, const ComplexArg&) = default;
};
using ArgValue = std::variant<NoArg, OperandArg, OperandListArg, MixedIntsArg, int64_t, double,
                              bool, std::string, std::vector<int64_t>, std::vector<double>,
                              std::vector<bool>, DTypeArg, EnumArg, GraphArg, ComplexArg>;
struct Arg {
  std::string name;  // the schema's parameter name; "" where the archive has none
  ArgValue value;
  bool keyword = false;
  friend bool operator==(const Arg&, const Arg&) = default;
};

enum class NodeKind : uint8_t {
  kAten,    // target and args
  kTosa,    // op, attrs; operands are the operator's inputs in order
  kOutput,  // the graph's outputs are its operands; exactly one, the last node
};

class Node {
 public:
  NodeKind kind() const { return kind_; }
  bool IsTosa(Op which) const { return kind_ == NodeKind::kTosa && op == which; }
  bool IsAten(std::string_view which) const { return kind_ == NodeKind::kAten && target == which; }
  Graph* graph() const { return graph_; }
  bool erased() const { return erased_; }
  Node* next() const { return next_; }
  Node* prev() const { return prev_; }

  std::span<Value* const> operands() const { return operands_; }
  Value* operand(size_t i) const { return operands_[i]; }
  void SetOperand(size_t i, Value* value);
  void AppendOperand(Value* value);
  void SetOperands(std::span<Value* const> values);  // replaces all

  size_t num_results() const { return results_.size(); }
  Value* result(size_t i = 0) const { return results_[i].get(); }

  // ATen
  std::string target;  // "aten.linear.default", "higher_order.cond", "_operator.getitem"
  std::vector<Arg> args;
  // The argument of that name; nullptr when it is absent (at its default) or None.
  const Arg* FindArg(std::string_view name) const;

  // TOSA
  Op op = Op::kUnknown;
  std::vector<AttrValue> attrs;  // one per OpInfo::attrs row
  // CONST and CONST_SHAPE: the value.
  ConstantPtr constant;
  // A helper constant of the back end: emitted through AddConst, so the pool may share it, and its
  // name is a wish. Otherwise the graph owns it and it keeps its name.
  bool pooled = false;

  // Bodies of control flow: torch.cond and while_loop, COND_IF and WHILE_LOOP.
  std::vector<Graph*> regions;

  std::string name;         // FX's name of the node; diagnostics and locations show it
  std::string fqn;          // of the parameter or buffer, for a constant that came from an archive
  std::string stack_trace;  // "" or FX's: files, lines and code of the user's model
  std::string location;     // a TOSA operator's location text, kept from the file it came from

 private:
  friend class Graph;
  friend class Value;
  NodeKind kind_ = NodeKind::kAten;
  Graph* graph_ = nullptr;
  bool erased_ = false;
  Node* prev_ = nullptr;
  Node* next_ = nullptr;
  std::vector<Value*> operands_;
  std::vector<std::unique_ptr<Value>> results_;
};

// How a graph input or output relates to the module's state.
enum class InputKind : uint8_t { kUser, kState };
enum class OutputKind : uint8_t { kUser, kBufferMutation, kInputMutation };
struct InputInfo {
  InputKind kind = InputKind::kUser;
  std::string fqn;      // of the buffer, for kState
  ConstantPtr initial;  // the buffer's value in the archive, for kState
};
struct OutputInfo {
  OutputKind kind = OutputKind::kUser;
  std::string fqn;  // of the buffer, or the name of the input
};

// A block: inputs, nodes in execution order, one output node at the end.
class Graph {
 public:
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Program& program() const { return *program_; }
  std::string name;        // the region's name; "main" for the first
  std::string block_name;  // the block's name in it; "main" for the first

  std::span<const std::unique_ptr<Value>> inputs() const { return inputs_; }
  Value* AddInput(std::string_view name, Type type, InputInfo info = {});
  void RemoveInput(size_t index);       // only when it has no use
  std::vector<InputInfo> input_info;    // one per input
  std::vector<OutputInfo> output_info;  // one per operand of the output node

  // Output values, in order.
  std::span<Value* const> outputs() const { return output_->operands(); }
  Node* output() const { return output_; }
  void AddOutput(Value* value, OutputInfo info = {});

  // Nodes in order, without the output node: a snapshot, so that a pass may edit while it walks
  // (skip those that are erased() by then).
  std::vector<Node*> Nodes() const;
  size_t num_nodes() const { return num_nodes_; }
  Node* first() const { return first_; }  // the output node when there is no other

  // Each inserts before `before` (nullptr: at the end, before the output node). Names are made
  // unique in the graph; "" asks for one made from the operator's name.
  Node* AddAten(std::string_view target, std::vector<Arg> args, std::span<Value* const> operands,
                std::vector<Type> results, std::string_view name, Node* before = nullptr);
  Node* AddTosa(Op op, std::span<Value* const> operands, std::vector<Type> results,
                std::vector<AttrValue> attrs, std::string_view name, Node* before = nullptr);
  // A CONST, or a CONST_SHAPE for dtype kSHAPE (INT64 bytes, shape {rank}).
  Node* AddConstant(ConstantPtr constant, std::string_view name, bool pooled,
                    Node* before = nullptr);
  // The node must have no uses. It is unlinked and marked; its memory goes with the graph.
  void Erase(Node* node);
  void MoveBefore(Node* node, Node* before);
  // A name that no value of this graph has: `wish`, or `wish_N`.
  std::string UniqueName(std::string_view wish);
  // Gives `value` the name `wish`, made unique.
  void Rename(Value* value, std::string_view wish);

 private:
  friend class Program;
  explicit Graph(Program* program);
  Node* Insert(std::unique_ptr<Node> node, std::vector<Type> results, std::string_view name,
               Node* before);

  Program* program_;
  std::vector<std::unique_ptr<Value>> inputs_;
  std::deque<std::unique_ptr<Node>> nodes_;             // all ever made, erased ones too
  std::map<std::string, uint32_t, std::less<>> names_;  // taken name -> next suffix to try
  Node* first_ = nullptr;
  Node* output_ = nullptr;
  size_t num_nodes_ = 0;
};

// A whole model. Movable; graphs are owned here and never move in memory.
class Program {
 public:
  Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  Graph& main() const { return *graphs_.front(); }
  std::span<const std::unique_ptr<Graph>> graphs() const { return graphs_; }
  Graph* AddGraph(std::string_view name);

  std::string file;             // that it was read from, for diagnostics
  std::vector<Symbol> symbols;  // what negative dims refer to
  Version version;              // of a Module that was lifted
  std::optional<SoftwareVersion> software_version;
  std::optional<Compatibility> compatibility;

 private:
  std::vector<std::unique_ptr<Graph>> graphs_;
};

// The text form. ATen nodes read like FX's own:
//   %linear : f32[3,32] = aten.linear.default(%input, %p_0_weight, %p_0_bias)
struct TextOptions {
  bool source = false;  // add each node's own source line as a comment
};
std::string ToText(const Program& program, const TextOptions& options = {});

// Structure: operands defined before use in their own graph (or an enclosing one), use lists
// right, one output node, every TOSA node with its row's number of operands and attributes. A
// failure is a bug of the pass that ran last.
Result<void> Verify(const Program& program);

// The user's own line: "file.py:12: code" of the innermost frame of an FX stack trace; "" for "".
std::string SourceLine(std::string_view stack_trace);

// ---- front end and back end ----

// Reads what torch.export.save wrote. Errors: rules "archive-...", "program-...".
Result<Program> ReadPt2File(const std::string& path);
Result<Program> ReadPt2(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                        std::string_view file);

struct EmitOptions {
  bool constant_pool = true;  // emit helper constants through the pool
};
struct EmitReport {
  uint64_t pool_hits = 0;
  uint64_t pool_bytes_saved = 0;
};
// Lowers a Program of TOSA nodes through the serializer. Errors: an ATen node is left.
Result<Module> EmitModule(const Program& program, const Version& version,
                          const EmitOptions& options, EmitReport* report = nullptr);

}  // namespace tosac::fx

#endif  // TOSAC_PROGRAM_H_
