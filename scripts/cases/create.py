# SPDX-License-Identifier: Apache-2.0
"""Tensors from nothing, conversions, copies, tensors that the graph owns."""

import math

import torch
from torch import nn

from cases.kit import BF16, INT_FP, Module, Table, b8, bf16, f16, f32, hard, i32, i64, inf, nan, r, v

FRACTIONS = [0.0, -0.0, 0.5, -0.5, 0.99, -0.99, 1.5, -1.5, 2.5, -2.5, 1e6 + 0.5, -7.9, 8388607.5]


def made(t):
    t.add("full", lambda x: x + torch.full((2, 3), 1.5), r(2, 3))
    t.add("full_inf", lambda x: torch.maximum(x, torch.full((3,), -inf)), r(2, 3))
    t.add("full_bool", lambda x: torch.logical_and(x, torch.full((3,), True)), r(3, dtype=b8))
    t.add("full_i64", lambda x: x + torch.full((3,), 7), r(3, dtype=i64))
    t.add("full_result", lambda x: (x, torch.full((2, 2), 2.0)), r(2))
    t.add("full_like", lambda x: x * torch.full_like(x, 3.0), r(2, 3))
    t.add("full_like_dtype", lambda x: x + torch.full_like(x, 3, dtype=f32), r(2, dtype=f16))
    for name in ("zeros", "ones"):
        function, like = getattr(torch, name), getattr(torch, name + "_like")
        t.add(name, lambda x, f=function: x + f(3), r(2, 3), modes="both")
        t.add(name + "_like", lambda x, f=like: x + f(x), r(2, 3), modes="both")
        t.add(name + "_f16", lambda x, f=function: x + f(3, dtype=f16), r(2, 3, dtype=f16))
        t.add(name + "_like_i32", lambda x, f=like: x + f(x), r(3, dtype=i32))
        t.add("new_" + name, lambda x, n=name: x + getattr(x, "new_" + n)(2, 3), r(3), modes="both")
    t.add("new_full", lambda x: x + x.new_full((2, 1), 0.25), r(3), modes="both")
    t.add("empty_fill", lambda x: x + torch.empty(3).fill_(2.0), r(2, 3), modes="both")
    t.add("new_empty_fill", lambda x: x + x.new_empty((3,)).fill_(2.0), r(2, 3))
    t.add("empty_like_zero", lambda x: x + torch.empty_like(x).zero_(), r(2, 3))
    t.add("scalar_tensor", lambda x: x + torch.scalar_tensor(0.1), r(2, 3), modes="both")
    t.add("arange", lambda x: x * torch.arange(4), r(2, 4))
    t.add("arange_start", lambda x: x * torch.arange(1, 5), r(2, 4))
    t.add("arange_step", lambda x: x + torch.arange(0, 1, 0.25), r(2, 4))
    t.add("arange_down", lambda x: x + torch.arange(3, -1, -1), r(2, 4))
    t.add("arange_float", lambda x: x + torch.arange(0.5, 4.5), r(2, 4))
    t.add("arange_result", lambda x: (x, torch.arange(5, dtype=f32)), r(2))
    t.add("arange_compare", lambda n: torch.arange(5) < n, r(2, 1, dtype=i64, low=0, high=6))
    t.add("linspace", lambda x: x + torch.linspace(-1, 1, 5), r(2, 5), modes="core")
    t.add("sinusoid", lambda x: x * torch.exp(torch.arange(0, 4).float() * (-math.log(10000.0) / 8)),
          r(2, 4), modes="both")
    t.add("literal", lambda x: x + torch.tensor([1.0, -0.0, inf]), r(2, 3))
    t.add("literal_rank0", lambda x: x * torch.tensor(0.5), r(2, 3))
    t.add("literal_float64", lambda x: x + torch.tensor([0.1, 0.2], dtype=torch.float64).float(),
          r(2))


def converted(t):
    t.add("to_i32", lambda x: x.to(i32), v(FRACTIONS), target=INT_FP)
    t.add("to_i64", lambda x: x.to(i64), v(FRACTIONS), target=INT_FP)
    t.add("to_i32_f16", lambda x: x.to(i32), v([0.5, -0.5, 1.7, -1.7, 1000.0], f16), target=INT_FP)
    t.add("to_bool", lambda x: x.to(b8), hard(), modes="both")
    t.add("to_bool_i32", lambda x: x.to(b8), v([0, 1, -1, 7], i32))
    t.add("to_f16", lambda x: x.to(f16), v([0.1, 65504.0, 65519.0, 65520.0, -1e9, 1e-8, inf, nan]))
    t.add("to_bf16", lambda x: x.to(bf16), v([0.1, 1.00390625, 1.01171875, 3e38, inf, nan]),
          target=BF16)
    t.add("to_f32", lambda x: x.to(f32), r(2, 3, dtype=f16), modes="both")
    t.add("to_f32_bf16", lambda x: x.float(), r(2, 3, dtype=bf16))
    t.add("to_f32_bool", lambda x: x.float(), r(2, 3, dtype=b8))
    t.add("to_f32_i32", lambda x: x.float(), v([0, 1, -1, 16777216, 16777217, 2147483647], i32))
    t.add("to_f32_i64", lambda x: x.float(), v([0, 1, -1, 1000], i64))
    t.add("to_i32_bool", lambda x: x.to(i32), r(2, 3, dtype=b8), target=INT_FP)
    t.add("to_i64_i32", lambda x: x.to(i64) + 1, v([0, -1, 5], i32))
    t.add("to_i32_i64", lambda x: x.to(i32) + 1, v([0, -1, 5], i64))
    t.add("to_same", lambda x: x.to(f32), r(2, 3))
    t.add("to_other", lambda x, y: x.to(y), r(2, 3, dtype=f16), r(1))
    t.add("type_as", lambda x, y: x.type_as(y), r(2, 3, dtype=f16), r(1), modes="both")
    t.add("to_device", lambda x: x.to("cpu"), r(2, 3))
    t.add("half_float", lambda x: x.half().float(), r(4))


def copied(t):
    t.add("clone", torch.clone, r(2, 3))
    t.add("contiguous", lambda x: x.contiguous(), r(2, 3), modes="both")
    t.add("clone_transposed", lambda x: x.t().clone(), r(2, 3))
    t.add("detach", lambda x: x.detach() + 1, r(2, 3), modes="both")
    t.add("alias", torch.ops.aten.alias.default, r(2, 3))
    t.add("lift_fresh", lambda x: x + torch.tensor([1.0, 2.0, 3.0]), r(2, 3), modes="both")
    t.add("identity", Module(nn.Identity), r(2, 3))
    t.add("input_returned", lambda x: (x, x + 1), r(2, 3))
    t.add("returned_twice", lambda x: (lambda y: (y, y))(x + 1), r(2, 3))
    t.add("input_unused", lambda x, y: x + 1, r(2, 3), r(4))
    t.add("dropout", Module(lambda: nn.Dropout(0.5)), r(2, 3), modes="both")
    t.add("feature_dropout", Module(lambda: nn.Dropout2d(0.5)), r(1, 2, 3, 3), modes="both")
    t.add("alpha_dropout", Module(lambda: nn.AlphaDropout(0.5)), r(2, 3), modes="both")
    t.add("parameter_views", Module(Views), r(2, 3), modes="both")
    t.add("parameter_returned", Module(Returned), r(2, 3))


class Views(nn.Module):
    """Tied, transposed, sliced and expanded tensors on shared storages."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4))
        self.tied = self.weight
        base = torch.randn(24)
        self.register_buffer("strided", base[::2].view(4, 3).t())
        self.register_buffer("tail", base[20:])
        self.register_buffer("spread", torch.tensor([2.0]).expand(4))
        self.register_buffer("scalar", torch.tensor(0.5))

    def forward(self, x):
        y = x @ self.weight + x @ self.strided + self.tail * self.spread
        return y * self.scalar + x @ self.tied


class Returned(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3))

    def forward(self, x):
        return x + self.weight, self.weight


def rows():
    t = Table()
    for part in (made, converted, copied):
        part(t)
    return t.rows
