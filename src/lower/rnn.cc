// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU layers, unrolled over time.
#include <algorithm>

#include "lower/linear.h"
#include "lower/registry.h"
#include "lower/slice.h"

namespace tosac::lower {
namespace {

// One direction of one layer: weights [gates * H, ...] and biases, or nullptr.
struct Cell {
  Value* weight_ih = nullptr;
  Value* weight_hh = nullptr;
  Value* bias_ih = nullptr;
  Value* bias_hh = nullptr;
  Value* projection = nullptr;  // of an LSTM's hidden state, [P, H]
};

// Gate `index` of `gates`: columns [index * H, (index + 1) * H).
Value* Gate(Builder& b, Value* gates, int64_t index, int64_t hidden) {
  return SliceAxis(b, gates, 1, index * hidden, hidden);
}

// i, f, g, o; c = f * c + i * g; h = o * tanh(c).
void LstmStep(Builder& b, Value* input_gates, const Cell& cell, Value** h, Value** c) {
  const int64_t hidden = (*c)->type.dim(1);
  Value* gates = b.Binary(Op::ADD, input_gates, Linear(b, *h, cell.weight_hh, cell.bias_hh));
  Value* in = b.Unary(Op::SIGMOID, Gate(b, gates, 0, hidden));
  Value* forget = b.Unary(Op::SIGMOID, Gate(b, gates, 1, hidden));
  Value* candidate = b.Unary(Op::TANH, Gate(b, gates, 2, hidden));
  Value* out = b.Unary(Op::SIGMOID, Gate(b, gates, 3, hidden));
  *c = b.Binary(Op::ADD, b.Mul(forget, *c), b.Mul(in, candidate));
  *h = b.Mul(out, b.Unary(Op::TANH, *c));
  if (cell.projection != nullptr) *h = Linear(b, *h, cell.projection, nullptr);
}

// r, z, n; n = tanh(x_n + r * h_n); h = (h - n) * z + n.
void GruStep(Builder& b, Value* input_gates, const Cell& cell, Value** h) {
  const int64_t hidden = (*h)->type.dim(1);
  Value* hidden_gates = Linear(b, *h, cell.weight_hh, cell.bias_hh);
  const auto both = [&](int64_t index) {
    return b.Unary(Op::SIGMOID, b.Binary(Op::ADD, Gate(b, input_gates, index, hidden),
                                         Gate(b, hidden_gates, index, hidden)));
  };
  Value* reset = both(0);
  Value* update = both(1);
  Value* fresh = b.Unary(Op::TANH, b.Binary(Op::ADD, Gate(b, input_gates, 2, hidden),
                                            b.Mul(reset, Gate(b, hidden_gates, 2, hidden))));
  *h = b.Binary(Op::ADD, b.Mul(b.Binary(Op::SUB, *h, fresh), update), fresh);
}

// `input` [T, B, I]; returns [T, B, H] and leaves the last states in *h and *c.
Value* RunDirection(Builder& b, Value* input, const Cell& cell, bool is_lstm, bool reverse,
                    Value** h, Value** c) {
  const int64_t steps = input->type.dim(0);
  const int64_t batch = input->type.dim(1);
  const int64_t hidden = (*h)->type.dim(1);
  const int64_t gates = cell.weight_ih->type.dim(0);
  // The input's share of the gates for all steps at once.
  Value* projected = Linear(b, input, cell.weight_ih, cell.bias_ih);
  std::vector<Value*> outputs(static_cast<size_t>(std::max<int64_t>(steps, 0)));
  for (int64_t i = 0; i < steps && !b.failed(); ++i) {
    const int64_t t = reverse ? steps - 1 - i : i;
    Value* input_gates = b.Reshape(SliceAxis(b, projected, 0, t, 1), {batch, gates});
    if (is_lstm) {
      LstmStep(b, input_gates, cell, h, c);
    } else {
      GruStep(b, input_gates, cell, h);
    }
    outputs[static_cast<size_t>(t)] = b.Reshape(*h, {1, batch, hidden});
  }
  if (b.failed()) return input;
  return b.Concat(outputs, 0);
}

struct Options {
  int64_t layers = 1;
  int64_t directions = 1;
  bool has_biases = true;
  bool is_lstm = false;
};

bool ReadCells(Lowering& lower, const Options& options, std::vector<Cell>* cells) {
  std::vector<Value*> params = lower.Ins("params");
  const auto count = static_cast<size_t>(options.layers * options.directions);
  const size_t plain = options.has_biases ? 4 : 2;
  const bool projects = options.is_lstm && params.size() == count * (plain + 1);
  const size_t per_cell = plain + (projects ? 1 : 0);
  if (params.size() != count * per_cell ||
      std::find(params.begin(), params.end(), nullptr) != params.end()) {
    lower.Unsupported("weights that are not four (two without biases) a layer and direction");
    return false;
  }
  for (Value*& param : params) param = lower.ToCompute(param);
  for (size_t i = 0; i < count; ++i) {
    Cell cell{params[i * per_cell], params[i * per_cell + 1], nullptr, nullptr};
    if (options.has_biases) {
      cell.bias_ih = params[i * per_cell + 2];
      cell.bias_hh = params[i * per_cell + 3];
    }
    if (projects) cell.projection = params[i * per_cell + plain];
    cells->push_back(cell);
  }
  return true;
}

// One state [layers * directions, B, H] (or without B): entry `index` as [B, H].
Value* StateOf(Builder& b, Value* states, int64_t index, int64_t batch) {
  Value* one = SliceAxis(b, states, 0, index, 1);
  return b.Reshape(one, {batch, states->type.dim(-1)});
}

Value* JoinStates(Builder& b, std::vector<Value*> states) {
  for (Value*& state : states) {
    state = b.Reshape(state, {1, state->type.dim(0), state->type.dim(1)});
  }
  return b.Concat(states, 0);
}

void LowerRecurrent(Lowering& lower, bool is_lstm) {
  Builder& b = lower.b();
  Options options;
  options.is_lstm = is_lstm;
  options.layers = lower.Int("num_layers", 1);
  options.directions = lower.Bool("bidirectional", false) ? 2 : 1;
  options.has_biases = lower.Bool("has_biases", true);
  if (lower.Bool("train", false) && lower.Float("dropout", 0) != 0) {
    return lower.Unsupported("dropout in training mode; call model.eval() before the export");
  }
  constexpr int64_t kMaxSteps = 4096;
  std::vector<Cell> cells;
  if (options.layers < 1 || options.layers > 64 || !ReadCells(lower, options, &cells)) return;
  Value* input = lower.ToCompute(lower.In("input"));
  const bool batched = input->type.rank() == 3;
  const bool batch_first = lower.Bool("batch_first", false) && batched;
  if (!batched) input = b.Reshape(input, {input->type.dim(0), 1, input->type.dim(1)});
  if (batch_first) input = b.Transpose(input, Dims{1, 0, 2});
  if (input->type.dim(0) > kMaxSteps) return lower.Unsupported("a sequence that long");
  const int64_t batch = input->type.dim(1);
  std::vector<Value*> initial = is_lstm ? lower.Ins("hx") : std::vector<Value*>{lower.In("hx")};
  if (initial.size() != (is_lstm ? 2u : 1u) ||
      std::find(initial.begin(), initial.end(), nullptr) != initial.end()) {
    return lower.Fail("lower-argument", "the initial states are missing");
  }
  for (Value*& state : initial) state = lower.ToCompute(state);
  std::vector<Value*> last_h;
  std::vector<Value*> last_c;
  for (int64_t layer = 0; layer < options.layers && !b.failed(); ++layer) {
    std::vector<Value*> outputs;
    for (int64_t direction = 0; direction < options.directions; ++direction) {
      const int64_t index = layer * options.directions + direction;
      Value* h = StateOf(b, initial[0], index, batch);
      Value* c = is_lstm ? StateOf(b, initial[1], index, batch) : nullptr;
      outputs.push_back(RunDirection(b, input, cells[static_cast<size_t>(index)], is_lstm,
                                     direction == 1, &h, &c));
      last_h.push_back(h);
      last_c.push_back(c);
    }
    input = b.Concat(outputs, 2);
  }
  if (b.failed()) return;
  Value* output = batch_first ? b.Transpose(input, Dims{1, 0, 2}) : input;
  const auto give = [&](Value* value, size_t result) {
    if (result >= lower.num_results() || lower.node().result(result)->uses().empty()) return;
    lower.ReturnAs(value, result);
  };
  give(output, 0);
  give(JoinStates(b, last_h), 1);
  if (is_lstm) give(JoinStates(b, last_c), 2);
}

void LowerLstm(Lowering& lower) { LowerRecurrent(lower, true); }
void LowerGru(Lowering& lower) { LowerRecurrent(lower, false); }

constexpr LoweringRow kRows[] = {
    {"aten.gru.input", LowerGru},
    {"aten.lstm.input", LowerLstm},
};

}  // namespace

std::span<const LoweringRow> RnnRows() { return kRows; }

}  // namespace tosac::lower
