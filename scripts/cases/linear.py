# SPDX-License-Identifier: Apache-2.0
"""Linear layers, matrix products, einsum, attention."""

import itertools

import torch
import torch.nn.functional as F
from torch import nn

from cases.kit import Module, Table, b8, bf16, f16, inf, nan, r, v


def products(t):
    for name, shape in (("", (3, 5)), ("_rank1", (5,)), ("_rank3", (2, 3, 5)),
                        ("_rank4", (2, 2, 3, 5)), ("_rank5", (1, 2, 1, 3, 5)), ("_one", (1, 5))):
        t.add("linear" + name, Module(lambda: nn.Linear(5, 4)), r(*shape), modes="both")
        t.add("linear_no_bias" + name, Module(lambda: nn.Linear(5, 4, bias=False)), r(*shape),
              modes="both")
    for dtype, label in ((f16, "f16"), (bf16, "bf16")):
        t.add("linear_" + label, Module(lambda: nn.Linear(5, 4)), r(3, 5, dtype=dtype),
              dtype=dtype, modes="both")
        t.add("mm_" + label, torch.mm, r(3, 4, dtype=dtype), r(4, 2, dtype=dtype))
        t.add("bmm_" + label, torch.bmm, r(2, 3, 4, dtype=dtype), r(2, 4, 2, dtype=dtype))
        t.add("matmul_" + label, torch.matmul, r(2, 3, 4, dtype=dtype), r(4, 2, dtype=dtype))
    t.add("linear_inputs", F.linear, r(2, 5), r(4, 5), r(4))
    t.add("linear_inputs_rank3", F.linear, r(2, 3, 5), r(4, 5), modes="both")
    t.add("linear_wide", Module(lambda: nn.Linear(96, 8)), r(2, 96))
    t.add("addmm", torch.addmm, r(3, 2), r(3, 4), r(4, 2))
    t.add("addmm_bias", torch.addmm, r(2), r(3, 4), r(4, 2))
    t.add("addmm_alpha_beta", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), r(1, 2),
          r(3, 4), r(4, 2))
    t.add("addmm_beta0", lambda c, a, b: torch.addmm(c, a, b, beta=0), v([[nan, inf]]), r(3, 4),
          r(4, 2))
    t.add("baddbmm", torch.baddbmm, r(2, 3, 2), r(2, 3, 4), r(2, 4, 2), modes="both")
    t.add("baddbmm_scaled", lambda c, a, b: torch.baddbmm(c, a, b, beta=0.5, alpha=0.3),
          r(3, 2), r(2, 3, 4), r(2, 4, 2), modes="both")
    t.add("mm", torch.mm, r(3, 4), r(4, 2))
    t.add("mm_transposed", lambda a, b: torch.mm(a.t(), b.t()), r(4, 3), r(2, 4))
    t.add("bmm", torch.bmm, r(2, 3, 4), r(2, 4, 5))
    t.add("mv", torch.mv, r(3, 4), r(4), modes="both")
    t.add("dot", torch.dot, r(5), r(5), modes="both")
    t.add("outer", torch.outer, r(5), r(3), modes="both")
    shapes = [(4,), (3, 4), (2, 3, 4), (1, 3, 4), (5, 2, 3, 4), (1, 2, 3, 4)]
    others = [(4,), (4, 2), (2, 4, 2), (1, 4, 2), (5, 2, 4, 2), (5, 1, 4, 2)]
    for a, b in itertools.product(shapes, others):
        label = "x".join(map(str, a)) + "_by_" + "x".join(map(str, b))
        t.add("matmul_" + label, torch.matmul, r(*a), r(*b))
        if len(a) != len(b):
            t.rows[-1].modes = ("training", "core")
    for equation, *shapes in (
            ("ij,jk->ik", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
            ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
            ("bhqk,bhkd->bhqd", (2, 2, 3, 5), (2, 2, 5, 4)),
            ("bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 5, 2, 4)), ("ij,kj->ki", (2, 3), (4, 3)),
            ("i,j->ij", (3,), (4,)), ("bi,bi->b", (2, 5), (2, 5)), ("ij->ji", (2, 3)),
            ("ij->i", (2, 3)), ("nchpwq->nhwpqc", (1, 2, 2, 3, 2, 2)),
            ("bij,jk->bik", (2, 3, 4), (4, 2)), ("...ij,...jk->...ik", (2, 2, 3, 4), (2, 2, 4, 2))):
        label = "".join(c if c.isalpha() else "_" for c in equation).strip("_")
        t.add("einsum_" + label, lambda *x, e=equation: torch.einsum(e, *x),
              *(r(*s) for s in shapes), modes="both")


def attention(t):
    def sdpa(**options):
        return lambda *x: F.scaled_dot_product_attention(*x, **options)

    q, k = (2, 3, 4, 8), (2, 3, 5, 8)
    t.add("sdpa", sdpa(), r(*q), r(*k), r(*k), modes="both")
    t.add("sdpa_rank3", sdpa(), r(3, 4, 8), r(3, 5, 8), r(3, 5, 6), modes="both")
    t.add("sdpa_rank5", sdpa(), r(2, 1, 3, 4, 8), r(2, 1, 3, 5, 8), r(2, 1, 3, 5, 8))
    t.add("sdpa_value_dim", sdpa(), r(*q), r(*k), r(2, 3, 5, 6))
    t.add("sdpa_scale", sdpa(scale=0.7), r(*q), r(*k), r(*k), modes="both")
    t.add("sdpa_causal", sdpa(is_causal=True), r(*q), r(2, 3, 4, 8), r(2, 3, 4, 8), modes="both")
    t.add("sdpa_causal_wide", sdpa(is_causal=True), r(*q), r(*k), r(*k))
    t.add("sdpa_causal_tall", sdpa(is_causal=True), r(2, 3, 6, 8), r(*k), r(*k))
    t.add("sdpa_broadcast", sdpa(), r(2, 3, 4, 8), r(1, 3, 5, 8), r(1, 3, 5, 8))
    t.add("sdpa_gqa", sdpa(enable_gqa=True), r(2, 4, 3, 8), r(2, 2, 5, 8), r(2, 2, 5, 8))
    masked = v([[True, False, True, True, False], [False] * 5, [True] * 5, [False] * 4 + [True]],
               b8)
    t.add("sdpa_bool_mask", lambda a, b, c, m: F.scaled_dot_product_attention(a, b, c, m),
          r(*q), r(*k), r(*k), masked, modes="both")
    t.add("sdpa_bool_mask_rank4", lambda a, b, c, m: F.scaled_dot_product_attention(a, b, c, m),
          r(*q), r(*k), r(*k), r(2, 1, 4, 5, dtype=b8), modes="both")
    t.add("sdpa_float_mask", lambda a, b, c, m: F.scaled_dot_product_attention(a, b, c, m),
          r(*q), r(*k), r(*k), r(4, 5), modes="both")
    t.add("sdpa_float_mask_inf", lambda a, b, c, m: F.scaled_dot_product_attention(a, b, c, m),
          r(*q), r(*k), r(*k), v([[0.0, -inf, 0.0, 1.0, -inf]] * 4), modes="both")
    t.add("sdpa_big_scores", sdpa(), r(1, 1, 4, 8, low=-30, high=30),
          r(1, 1, 5, 8, low=-30, high=30), r(1, 1, 5, 8))
    for dtype, label in ((f16, "f16"), (bf16, "bf16")):
        t.add("sdpa_" + label, sdpa(), r(*q, dtype=dtype), r(*k, dtype=dtype), r(*k, dtype=dtype))
        t.add("sdpa_causal_" + label, sdpa(is_causal=True), r(*q, dtype=dtype),
              r(2, 3, 4, 8, dtype=dtype), r(2, 3, 4, 8, dtype=dtype))

    class SelfAttention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x):
            return self.attention(x, x, x, need_weights=False)[0]

    class Weights(SelfAttention):
        def forward(self, x):
            return self.attention(x, x, x)

    t.add("multihead", Module(SelfAttention), r(2, 5, 8), modes="both")
    t.add("multihead_weights", Module(Weights), r(2, 5, 8), modes="both")
    t.add("encoder_layer", Module(lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)),
          r(2, 5, 8), modes="both")


def rows():
    t = Table()
    products(t)
    attention(t)
    return t.rows
