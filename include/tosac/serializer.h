// SPDX-License-Identifier: Apache-2.0
// Building a Module operator by operator, with and without a pool of constants.
#ifndef TOSAC_SERIALIZER_H_
#define TOSAC_SERIALIZER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tosac/diag.h"
#include "tosac/module.h"

namespace tosac {

class ConstantPool;

// A region of the serializer that made it.
struct RegionRef {
  uint32_t region = 0;
};
// A basic block.
struct BlockRef {
  uint32_t region = 0;
  uint32_t block = 0;
  friend bool operator==(const BlockRef&, const BlockRef&) = default;
};
// A tensor or shape of one block. Operators take these, never names: what AddConst returns may be
// another tensor than the one that was asked for.
struct TensorRef {
  BlockRef block;
  ValueId id = 0;
  friend bool operator==(const TensorRef&, const TensorRef&) = default;
};

// Options of a tensor that AddTensor declares.
struct TensorOptions {
  bool is_variable = false;
  bool is_unranked = false;
  std::string variable_name;
};

// Builds one module. Names are wishes until Serialize settles them: names of graph tensors
// (AddInputTensor, AddTensor, AddUnpooledConst) win over those of helper constants (AddConst), and
// of two graph tensors the first keeps its name. No two tensors of a file share a name.
class TosaSerializer {
 public:
  explicit TosaSerializer(Version version = {});
  virtual ~TosaSerializer() = default;
  TosaSerializer(const TosaSerializer&) = delete;
  TosaSerializer& operator=(const TosaSerializer&) = delete;

  RegionRef StartRegion(std::string_view name);
  BlockRef StartBlock(RegionRef region, std::string_view name);

  TensorRef AddInputTensor(BlockRef block, std::span<const int32_t> shape, DType dtype,
                           std::string_view name);
  void AddOutput(TensorRef tensor);  // marks a tensor as the next output of its block
  TensorRef AddTensor(BlockRef block, std::span<const int32_t> shape, DType dtype,
                      std::string_view name, const TensorOptions& options = {});
  // A SHAPE of `rank` elements that an operator will produce.
  TensorRef AddShape(BlockRef block, uint32_t rank, std::string_view name);

  // `attrs` has one value per row of the operator's OpInfo::attrs. Every TensorRef must belong to
  // `block`; another block's is an error of the caller, and an unknown operator or a wrong number
  // or kind of attributes is a Diag.
  Result<void> AddOperator(BlockRef block, Op op, std::span<const TensorRef> inputs,
                           std::span<const TensorRef> outputs, std::vector<AttrValue> attrs = {},
                           std::string_view location = {});

  // A constant that the back end makes to feed an operator (a zero point, a MUL shift, a helper
  // shape). Returns the tensor to use as operand. dtype kSHAPE makes a CONST_SHAPE (shape {rank}),
  // any other a CONST; `bytes` are what is written (at least LogicalBytes), copied here.
  virtual Result<TensorRef> AddConst(BlockRef block, std::span<const int32_t> shape, DType dtype,
                                     std::span<const uint8_t> bytes, std::string_view name);

  // A constant that the graph owns (a parameter, a buffer, a lifted constant, a CONST_SHAPE node):
  // it keeps `name`, and the pool never answers with it. `owner`, when given, keeps `bytes` alive
  // and they are not copied.
  Result<TensorRef> AddUnpooledConst(BlockRef block, std::span<const int32_t> shape, DType dtype,
                                     std::span<const uint8_t> bytes, std::string_view name,
                                     std::shared_ptr<const void> owner = nullptr,
                                     std::string_view location = {});

  // Settles names and returns the module. The serializer is empty afterwards.
  virtual Result<Module> Serialize();

 protected:
  // The block, or nullptr when no such block was started.
  const Block* FindBlock(BlockRef ref) const;

 private:
  Block* MutableBlock(BlockRef ref);
  bool Owns(TensorRef ref) const;
  // Remembers the first misuse; Serialize reports it.
  void Fail(std::string message);
  TensorRef AddValue(BlockRef block, Value value, std::string_view name, bool graph_owned);
  Result<TensorRef> MakeConst(BlockRef block, std::span<const int32_t> shape, DType dtype,
                              std::span<const uint8_t> bytes, std::string_view name,
                              bool graph_owned, std::shared_ptr<const void> owner,
                              std::string_view location);
  void SettleNames();

  Module module_;
  // By region and block, one flag per value: does its name belong to the graph?
  std::vector<std::vector<std::vector<bool>>> graph_owned_;
  std::optional<Diag> error_;
};

// Emits a helper constant once per basic block: AddConst answers with the tensor that the block
// already has when dtype, shape and exact bytes are the same.
class TosaSerializerWithConstantPool : public TosaSerializer {
 public:
  explicit TosaSerializerWithConstantPool(Version version = {});
  ~TosaSerializerWithConstantPool() override;
  Result<TensorRef> AddConst(BlockRef block, std::span<const int32_t> shape, DType dtype,
                             std::span<const uint8_t> bytes, std::string_view name) override;

  Result<Module> Serialize() override;

  // How often AddConst was answered from the pool, and the constant bytes that this saved.
  uint64_t hits() const { return hits_; }
  uint64_t bytes_saved() const { return bytes_saved_; }

 private:
  // Of one basic block, made when the block gets its first constant.
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<ConstantPool>> pools_;
  uint64_t hits_ = 0;
  uint64_t bytes_saved_ = 0;
};

}  // namespace tosac

#endif  // TOSAC_SERIALIZER_H_
