# SPDX-License-Identifier: Apache-2.0
"""Shapes: views, transposes, slices, concatenation, padding."""

import torch
import torch.nn.functional as F

from cases.kit import INT_FP, Table, b8, bf16, f16, i32, i64, inf, r, v


def views(t):
    t.add("view", lambda x: x.view(2, 12), r(2, 3, 4), modes="both")
    t.add("view_minus1", lambda x: x.view(-1, 6), r(2, 3, 4))
    t.add("view_rank6", lambda x: x.view(1, 2, 1, 3, 2, 2), r(2, 3, 4))
    t.add("view_rank0", lambda x: x.view(()), r(1, 1))
    t.add("view_from_rank0", lambda x: x.view(1, 1), v(2.0))
    t.add("reshape", lambda x: x.reshape(4, 6), r(2, 3, 4), modes="both")
    t.add("reshape_after_transpose", lambda x: x.transpose(0, 2).reshape(4, 6), r(2, 3, 4),
          modes="both")
    t.add("view_as", lambda x, y: x.view_as(y), r(2, 6), r(3, 4), modes="both")
    t.add("reshape_as", lambda x, y: x.reshape_as(y), r(2, 6), r(3, 4), modes="both")
    t.add("view_dtype_same", lambda x: x.view(torch.float32), r(2, 6))
    t.add("permute", lambda x: x.permute(2, 0, 1), r(2, 3, 4))
    t.add("permute_negative", lambda x: x.permute(0, -1, 1, 2), r(2, 3, 4, 5))
    t.add("permute_rank6", lambda x: x.permute(5, 0, 3, 2, 1, 4), r(1, 2, 3, 2, 2, 3))
    t.add("permute_identity", lambda x: x.permute(0, 1), r(2, 3))
    t.add("transpose", lambda x: x.transpose(0, 1), r(2, 3, 4), modes="both")
    t.add("transpose_negative", lambda x: x.transpose(-1, -2), r(2, 3, 4))
    t.add("transpose_same", lambda x: x.transpose(1, 1), r(2, 3))
    t.add("t", torch.t, r(2, 3), modes="both")
    t.add("t_rank1", torch.t, r(3))
    t.add("mT", lambda x: x.mT, r(2, 3, 4), modes="both")
    t.add("T", lambda x: x.T, r(2, 3), modes="both")
    t.add("movedim", lambda x: torch.movedim(x, 0, 2), r(2, 3, 4), modes="both")
    t.add("swapaxes", lambda x: torch.swapaxes(x, 0, 2), r(2, 3, 4), modes="both")
    t.add("squeeze", torch.squeeze, r(1, 3, 1, 2))
    t.add("squeeze_dim", lambda x: x.squeeze(2), r(1, 3, 1, 2), modes="both")
    t.add("squeeze_dim_not_one", lambda x: x.squeeze(1), r(1, 3, 1))
    t.add("squeeze_dims", lambda x: x.squeeze((0, -2)), r(1, 3, 1, 2))
    t.add("unsqueeze", lambda x: x.unsqueeze(1), r(2, 3))
    t.add("unsqueeze_last", lambda x: x.unsqueeze(-1), r(2, 3))
    t.add("unsqueeze_rank0", lambda x: x.unsqueeze(0), v(1.5))
    t.add("flatten", torch.flatten, r(2, 3, 4), modes="both")
    t.add("flatten_from", lambda x: torch.flatten(x, 1), r(2, 3, 4, 2), modes="both")
    t.add("flatten_rank0", torch.flatten, v(1.0))
    t.add("unflatten", lambda x: x.unflatten(1, (2, -1)), r(2, 6), modes="both")
    t.add("expand", lambda x: x.expand(4, 2, 3), r(2, 1))
    t.add("expand_minus1", lambda x: x.expand(-1, -1, 5), r(2, 3, 1))
    t.add("expand_rank0", lambda x: x.expand(2, 2), v(1.0))
    t.add("expand_bool", lambda x: x.expand(3, 2), r(2, dtype=b8))
    t.add("expand_i64", lambda x: x.expand(3, 2), r(2, dtype=i64))
    t.add("expand_as", lambda x, y: x.expand_as(y) + y, r(1, 3), r(2, 3), modes="both")
    t.add("broadcast_to", lambda x: torch.broadcast_to(x, (2, 3)), r(3), modes="both")
    t.add("repeat", lambda x: x.repeat(2, 3), r(2, 3))
    t.add("repeat_more_dims", lambda x: x.repeat(2, 1, 3), r(2, 3))
    t.add("repeat_interleave", lambda x: x.repeat_interleave(3, 1), r(2, 2), modes="core")
    t.add("tile", lambda x: torch.tile(x, (2, 2)), r(3, 2), modes="both")
    t.add("contiguous", lambda x: x.transpose(0, 1).contiguous(), r(2, 3))
    t.add("ravel", lambda x: x.t().ravel(), r(2, 3), modes="both")


def joins(t):
    for dim in (0, 1, -1):
        label = str(dim).replace("-", "m")
        t.add(f"cat_{label}", lambda x, y, d=dim: torch.cat([x, y], d), r(2, 3, 4), r(2, 3, 4))
        t.add(f"stack_{label}", lambda x, y, d=dim: torch.stack([x, y], d), r(2, 3), r(2, 3),
              modes="both")
    t.add("cat_sizes", lambda x, y, z: torch.cat([x, y, z], 1), r(2, 1), r(2, 3), r(2, 2))
    t.add("cat_one", lambda x: torch.cat([x]), r(2, 3))
    t.add("cat_same", lambda x: torch.cat([x, x, x], 1), r(2, 3))
    t.add("cat_empty", lambda x: torch.cat([torch.zeros(0), x]), r(3))
    t.add("cat_promote", lambda x, y: torch.cat([x, y]), r(2, dtype=f16), r(3))
    t.add("cat_i32", lambda x, y: torch.cat([x, y]), r(2, dtype=i32), r(3, dtype=i32))
    t.add("cat_bool", lambda x, y: torch.cat([x, y]), r(2, dtype=b8), r(3, dtype=b8))
    t.add("cat_many", lambda x: torch.cat([x[:, i:i + 1] for i in range(9, -1, -1)], 1), r(2, 10))
    t.add("cat_bf16", lambda x, y: torch.cat([x, y]), r(2, dtype=bf16), r(3, dtype=bf16))
    t.add("stack_rank0", lambda x, y: torch.stack([x, y]), v(1.0), v(2.0))
    t.add("hstack", lambda x, y: torch.hstack([x, y]), r(2, 3), r(2, 1), modes="both")
    t.add("select_scatter", lambda x, y: torch.select_scatter(x, y, 1, -1), r(2, 3), r(2))
    t.add("split", lambda x: torch.split(x, 2, 1), r(2, 5), modes="both")
    t.add("split_sizes", lambda x: torch.split(x, [1, 3, 1], 1), r(2, 5), modes="both")
    t.add("split_one_used", lambda x: torch.split(x, 2, 0)[1], r(5, 2))
    t.add("chunk", lambda x: torch.chunk(x, 3, -1), r(2, 7), modes="both")
    t.add("chunk_fewer", lambda x: torch.chunk(x, 4, 0), r(5, 2))
    t.add("tensor_split", lambda x: torch.tensor_split(x, 3, 0), r(7, 2), modes="both")
    t.add("unbind", lambda x: torch.unbind(x, 1), r(2, 3, 2), modes="both")
    t.add("unbind_rank1", torch.unbind, r(3))
    t.add("select", lambda x: x.select(1, 2), r(2, 3, 4), modes="both")
    t.add("select_negative", lambda x: x.select(-1, -1), r(2, 3, 4))
    t.add("select_to_rank0", lambda x: x[1], r(3))
    t.add("slice", lambda x: x[:, 1:3], r(2, 5, 3))
    t.add("slice_step", lambda x: x[:, 1::2], r(2, 6))
    t.add("slice_step_uneven", lambda x: x[::3, ::2], r(8, 5))
    t.add("slice_step_end", lambda x: x[:, 1:6:4], r(2, 7))
    t.add("slice_negative", lambda x: x[-3:-1], r(5, 2))
    t.add("slice_beyond", lambda x: x[1:100], r(5, 2))
    t.add("slice_whole", lambda x: x[:] + 1, r(5, 2))
    t.add("slice_i64", lambda x: x[1:], r(5, dtype=i64))
    t.add("slice_bool", lambda x: x[1:], r(5, dtype=b8))
    t.add("slice_mixed", lambda x: x[1, ..., None, ::2], r(2, 3, 5))
    t.add("narrow", lambda x: torch.narrow(x, 1, 1, 2), r(2, 5), modes="both")


def moves(t):
    for shift, dim in ((1, 0), (-1, 1), (2, 1), (7, 1), (0, 0)):
        label = f"{shift}_{dim}".replace("-", "m")
        t.add(f"roll_{label}", lambda x, s=shift, d=dim: torch.roll(x, s, d), r(3, 5),
              modes="both" if shift == 1 else "training")
    t.add("roll_dims", lambda x: torch.roll(x, (1, -2), (0, 2)), r(3, 2, 5), modes="both")
    t.add("roll_flat", lambda x: torch.roll(x, 2), r(3, 5), modes="both")
    t.add("flip", lambda x: torch.flip(x, [1]), r(2, 3))
    t.add("flip_dims", lambda x: torch.flip(x, [0, -1]), r(2, 3, 4))
    t.add("flip_i32", lambda x: torch.flip(x, [0]), r(5, dtype=i32))
    t.add("fliplr", torch.fliplr, r(2, 3), modes="both")
    t.add("rot90", lambda x: torch.rot90(x, 1, (0, 1)), r(2, 3), modes="core")
    for diagonal in (0, 1, -1, 3, -9):
        label = str(diagonal).replace("-", "m")
        for name, function in (("tril", torch.tril), ("triu", torch.triu)):
            t.add(f"{name}_{label}", lambda x, f=function, k=diagonal: f(x, k), r(3, 4))
    t.add("tril_batch", torch.tril, r(2, 3, 3))
    t.add("triu_odd", torch.triu, v([[1.0, 2.0], [inf, -inf]]))
    t.add("triu_bool", torch.triu, r(3, 3, dtype=b8))
    t.add("tril_i32", torch.tril, r(3, 3, dtype=i32))
    t.add("tril_f16", torch.tril, r(3, 3, dtype=f16))
    t.add("causal_mask", lambda x: x + torch.full((4, 4), -inf).triu(1), r(2, 4, 4))
    t.add("diagonal", lambda x: torch.diagonal(x), r(3, 3), modes="core")
    t.add("unfold", lambda x: x.unfold(1, 2, 2), r(2, 6), modes="core")


def pads(t):
    for label, pad in (("1d", (1, 2)), ("2d", (1, 2, 3, 0)), ("negative", (-1, -1)),
                       ("mixed", (-1, 2, 1, -1)), ("zero", (0, 0)), ("3d", (1, 0, 0, 1, 2, 1))):
        t.add(f"pad_{label}", lambda x, p=pad: F.pad(x, p), r(2, 3, 4, 5),
              modes="both" if label in ("2d", "mixed") else "training")
        t.add(f"pad_value_{label}", lambda x, p=pad: F.pad(x, p, value=-1.5), r(2, 3, 4, 5))
    t.add("pad_minus_inf", lambda x: F.pad(x, (1, 1), value=-inf), r(2, 3))
    t.add("pad_f16", lambda x: F.pad(x, (1, 1), value=0.1), r(2, 3, dtype=f16))
    t.add("pad_bf16", lambda x: F.pad(x, (1, 1), value=0.1), r(2, 3, dtype=bf16))
    t.add("pad_i32", lambda x: F.pad(x, (1, 1), value=7), r(2, 3, dtype=i32))
    t.add("pad_bool", lambda x: F.pad(x, (1, 1), value=True), r(2, 3, dtype=b8), target=INT_FP)
    t.add("constant_pad_nd", lambda x: torch.constant_pad_nd(x, (1, -1, 2, 0), 3.0), r(2, 3, 4))
    for mode in ("reflect", "replicate", "circular"):
        t.add(f"pad_{mode}_1d", lambda x, m=mode: F.pad(x, (2, 1), mode=m), r(2, 3, 5),
              modes="both")
        t.add(f"pad_{mode}_2d", lambda x, m=mode: F.pad(x, (1, 2, 2, 1), mode=m), r(1, 2, 4, 5),
              modes="both")
        t.add(f"pad_{mode}_one_side", lambda x, m=mode: F.pad(x, (0, 3), mode=m), r(2, 3, 5))
    t.add("pad_replicate_negative", lambda x: F.pad(x, (-1, 2), mode="replicate"), r(2, 3, 5))
    t.add("pad_replicate_3d", lambda x: F.pad(x, (1, 1, 0, 1, 1, 0), mode="replicate"),
          r(1, 2, 2, 3, 3))
    t.add("pad_reflect_rank2", lambda x: F.pad(x, (1, 2), mode="reflect"), r(3, 5))


def rows():
    t = Table()
    for part in (views, joins, moves, pads):
        part(t)
    return t.rows
