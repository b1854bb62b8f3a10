# SPDX-License-Identifier: Apache-2.0
"""Gathering by index, embeddings."""

import torch
import torch.nn.functional as F
from torch import nn

from cases.kit import INT_FP, Module, Table, b8, bf16, f16, i32, i64, r, v


def indices(*shape, high):
    return r(*shape, dtype=i64, low=0, high=high)


def rows():
    t = Table()
    t.add("gather_dim0", lambda x, i: torch.gather(x, 0, i), r(4, 3), indices(2, 3, high=4))
    t.add("gather_dim1", lambda x, i: torch.gather(x, 1, i), r(3, 5), indices(3, 2, high=5))
    t.add("gather_dim1_rank3", lambda x, i: torch.gather(x, 1, i), r(2, 4, 3),
          indices(2, 6, 3, high=4))
    t.add("gather_smaller", lambda x, i: torch.gather(x, 1, i), r(4, 5), indices(2, 3, high=5))
    t.add("gather_last", lambda x, i: torch.gather(x, -1, i), r(2, 2, 5), indices(2, 2, 1, high=5))
    t.add("gather_rank1", lambda x, i: torch.gather(x, 0, i), r(5), indices(7, high=5))
    t.add("gather_i32", lambda x, i: torch.gather(x, 1, i), r(3, 5, dtype=i32),
          indices(3, 2, high=5))
    t.add("gather_f16", lambda x, i: torch.gather(x, 1, i), r(3, 5, dtype=f16),
          indices(3, 2, high=5))
    t.add("gather_bool", lambda x, i: torch.gather(x, 1, i), r(3, 5, dtype=b8),
          indices(3, 2, high=5))
    t.add("take_along_dim", lambda x, i: torch.take_along_dim(x, i, 1), r(3, 5),
          indices(3, 2, high=5), modes="both")
    for dim, shape in ((0, (5, 3)), (1, (2, 5)), (2, (2, 2, 5)), (-2, (2, 5, 3))):
        label = str(dim).replace("-", "m")
        t.add(f"index_select_{label}", lambda x, i, d=dim: torch.index_select(x, d, i), r(*shape),
              indices(4, high=5))
    t.add("index_select_i32", lambda x, i: torch.index_select(x, 0, i), r(5, 3),
          r(4, dtype=i32, low=0, high=5))
    t.add("index_select_constant", lambda x: torch.index_select(x, 1, torch.tensor([2, 0, 2])),
          r(2, 3))
    t.add("index_select_bool", lambda x, i: torch.index_select(x, 0, i), r(5, 2, dtype=b8),
          indices(3, high=5))
    t.add("index_one", lambda x, i: x[i], r(5, 3), indices(4, high=5))
    t.add("index_matrix", lambda x, i: x[i], r(5, 3), indices(2, 3, high=5))
    t.add("index_rank0", lambda x, i: torch.ops.aten.index.Tensor(x, [i]), r(5, 3), v(3, i64))
    t.add("index_second", lambda x, i: x[:, i], r(2, 5, 3), indices(4, high=5))
    t.add("index_last", lambda x, i: x[..., i], r(2, 3, 5), indices(2, 2, high=5))
    t.add("index_two", lambda x, i, j: x[i, j], r(4, 5, 2), indices(3, high=4), indices(3, high=5))
    t.add("index_two_broadcast", lambda x, i, j: x[i, j], r(4, 5), indices(3, 1, high=4),
          indices(2, high=5))
    t.add("index_two_apart", lambda x, i, j: x[i, :, j], r(4, 3, 5), indices(2, high=4),
          indices(2, high=5))
    t.add("index_two_late", lambda x, i, j: x[:, i, j], r(2, 4, 5), indices(3, high=4),
          indices(3, high=5))
    t.add("index_negative_constant", lambda x: x[torch.tensor([-1, 0, -2])], r(5, 3))
    t.add("index_negative", lambda x, i: x[i], r(5, 3), v([-1, 0, -5, 4], i64))
    t.add("index_list", lambda x: x[[2, 0, 1, 1]], r(3, 2))
    t.add("index_arange", lambda x: x[torch.arange(3), torch.tensor([1, 0, 1])], r(3, 2))
    t.add("index_i64_values", lambda x, i: x[i], r(5, dtype=i64), indices(3, high=5))
    t.add("index_i32_index", lambda x, i: x[i], r(5, 3), r(4, dtype=i32, low=0, high=5))
    t.add("index_f16", lambda x, i: x[i], r(5, 3, dtype=f16), indices(3, high=5))
    t.add("index_flat_table", lambda x: x[torch.tensor([[0, 1], [2, 3]])].sum(1), r(4, 3))
    t.add("embedding", Module(lambda: nn.Embedding(7, 4)), indices(2, 3, high=7), modes="both")
    t.add("embedding_rank1", Module(lambda: nn.Embedding(7, 4)), indices(5, high=7))
    t.add("embedding_rank0", Module(lambda: nn.Embedding(7, 4)), v(3, i64))
    t.add("embedding_rank3", Module(lambda: nn.Embedding(7, 4)), indices(2, 1, 3, high=7))
    t.add("embedding_i32", Module(lambda: nn.Embedding(7, 4)), r(5, dtype=i32, low=0, high=7))
    t.add("embedding_padding", Module(lambda: nn.Embedding(7, 4, padding_idx=0)),
          indices(5, high=7))
    t.add("embedding_weight_input", lambda i, w: F.embedding(i, w), indices(3, high=6), r(6, 2))
    t.add("embedding_f16", Module(lambda: nn.Embedding(7, 4)), indices(5, high=7), dtype=f16)
    t.add("embedding_bf16", Module(lambda: nn.Embedding(7, 4)), indices(5, high=7), dtype=bf16,
          target="TOSA-1.0+INT+FP+bf16")
    t.add("embedding_positions", Module(Positions), indices(2, 5, high=7), modes="both")
    t.add("embedding_fp_only", Module(lambda: nn.Embedding(7, 4)), indices(5, high=7),
          target="TOSA-1.0+FP")
    t.add("one_hot_like", lambda i: (i.unsqueeze(-1) == torch.arange(4)).float(),
          indices(3, high=4), target=INT_FP)
    t.add("masked_select_where", lambda x, m: torch.where(m, x, x.new_zeros(())), r(2, 3),
          r(2, 3, dtype=b8))
    t.add("triangle_lookup", lambda x: x[torch.tril_indices(3, 3)[0], torch.tril_indices(3, 3)[1]],
          r(3, 3))
    t.add("slice_by_index", lambda x: x[1, torch.tensor([0, 2])], r(2, 3))
    return t.rows


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(7, 4)
        self.positions = nn.Embedding(9, 4)
        self.register_buffer("ids", torch.arange(9).unsqueeze(0))

    def forward(self, x):
        return self.words(x) + self.positions(self.ids[:, :x.shape[1]])
