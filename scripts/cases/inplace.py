# SPDX-License-Identifier: Apache-2.0
"""In-place operators and writes through views: made functional, aliases respected."""

import torch
import torch.nn.functional as F
from torch import nn

from cases.kit import Module, Table, b8, f16, i32, inf, r


def residual(x, y):
    z = x * 2
    z.add_(y)
    return z


def chained(x):
    return (x + 1).mul_(2).sub_(0.5).div_(3).neg_().clamp_(-1, 1)


def alias_read_after(x):
    y = x + 0.0
    view = y.view(-1)
    y.mul_(2)
    return view, y


def alias_read_before(x):
    y = x + 0.0
    before = y * 1
    y.add_(10)
    return before, y


def write_slice(x):
    y = torch.zeros(3, 4)
    y[:, 1:3] = x
    return y


def write_slice_step(x):
    y = x.clone()
    y[::2].add_(1)
    return y


def write_row(x):
    y = x.clone()
    y[1] = 7.0
    return y


def write_select(x):
    y = x.clone()
    y.select(1, 0).copy_(torch.ones(2))
    return y


def write_transposed(x):
    y = x.clone()
    y.t()[0].fill_(-1)
    return y


def write_view(x):
    y = x.clone()
    y.view(-1)[2:4] = 0.0
    return y


def write_view_of_view(x):
    y = x.clone()
    y[1][1:].mul_(3)
    return y, y.sum()


def write_unsqueezed(x):
    y = x.clone()
    y.unsqueeze(0).add_(1)
    return y


def write_chunk(x):
    y = x.clone()
    a, b = y.chunk(2, 1)
    a.add_(b)
    return y


def masked_fresh(x, m):
    y = torch.zeros_like(x)
    y.masked_fill_(m, -inf)
    return x + y


def masked_view(x, m):
    y = x * 1
    y.view(2, 3).masked_fill_(m, 0.0)
    return y


def copy_promote(x):
    y = torch.zeros(2, 3)
    y.copy_(x)
    return y


def fill_twice(x):
    y = torch.empty(2, 3)
    y.fill_(1)
    z = y + x
    y.zero_()
    return z, y + x


def two_views(x):
    y = x.clone()
    first, whole = y[0], y.view(-1)
    first.add_(1)
    whole.mul_(2)
    return y, first, whole


class Buffer(nn.Module):
    """A buffer that is written before it is read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scratch", torch.zeros(2, 3))

    def forward(self, x):
        y = self.scratch.clone()
        y[0] = x[1]
        return y + self.scratch


def rows():
    t = Table()
    names = {"relu": F.relu_, "leaky_relu": lambda x: F.leaky_relu_(x, 0.2), "elu": F.elu_,
             "hardtanh": F.hardtanh_, "relu6": lambda x: F.relu6(x, inplace=True),
             "silu": lambda x: F.silu(x, inplace=True),
             "hardswish": lambda x: F.hardswish(x, inplace=True),
             "hardsigmoid": lambda x: F.hardsigmoid(x, inplace=True),
             "sigmoid": torch.sigmoid_, "tanh": torch.tanh_, "exp": torch.exp_,
             "sqrt": torch.sqrt_, "abs": torch.abs_, "neg": torch.neg_, "floor": torch.floor_,
             "round": torch.round_, "reciprocal": torch.reciprocal_, "zero": torch.zero_,
             "clamp": lambda x: x.clamp_(-0.5, 0.5), "clamp_min": lambda x: x.clamp_(min=0.1),
             "pow": lambda x: x.pow_(2), "fill": lambda x: x.fill_(3),
             "squeeze": lambda x: x.unsqueeze_(0), "detach": lambda x: x.detach_(),
             "dropout": lambda x: F.dropout(x, 0.5, False, True)}
    for name, function in names.items():
        t.add(name + "_", lambda x, f=function: f(x + 0.25), r(2, 3, low=0.1, high=2.0))
        t.add(name + "_of_used", lambda x, f=function: (lambda y: (f(y), y))(x * 1.5),
              r(2, 3, low=0.1, high=2.0))
    t.add("add_residual", residual, r(2, 3), r(3), modes="both")
    t.add("add_alpha", lambda x, y: (x * 1).add_(y, alpha=0.5), r(2, 3), r(3))
    t.add("chained", chained, r(2, 3), modes="both")
    t.add("iadd_operator", lambda x, y: x * 1 + y.clone().__iadd__(x), r(2, 3), r(2, 3))
    t.add("mul_tensor", lambda x, y: (x + 0).mul_(y), r(2, 3), r(2, 1))
    t.add("logical_not", lambda x: (x > 0).logical_not_(), r(2, 3))
    t.add("bitwise_or", lambda x, m: (x > 0).__ior__(m), r(2, 3), r(2, 3, dtype=b8))
    t.add("add_i32", lambda x: (x + 1).add_(2), r(4, dtype=i32))
    t.add("mul_f16", lambda x: (x + 1).mul_(0.1), r(4, dtype=f16))
    t.add("masked_fill_fresh", masked_fresh, r(2, 3), r(2, 3, dtype=b8), modes="both")
    t.add("masked_fill_view", masked_view, r(6), r(2, 3, dtype=b8), modes="both")
    for function in (alias_read_after, alias_read_before, write_slice_step, write_row,
                     write_select, write_transposed, write_view, write_view_of_view,
                     write_unsqueezed, write_chunk, fill_twice, two_views):
        shape = (2, 4) if function is write_chunk else (2, 3)
        t.add(function.__name__, function, r(*shape), modes="both")
    t.add("write_slice", write_slice, r(3, 2), modes="both")
    t.add("copy_promote", copy_promote, r(3, dtype=f16), modes="both")
    t.add("buffer_cloned", Module(Buffer), r(2, 3), modes="both")
    t.add("sequential", Module(lambda: nn.Sequential(
        nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(inplace=True), nn.Flatten(),
        nn.Linear(12, 4), nn.Hardswish(inplace=True))), r(2, 2, 4, 4), modes="both")
    return t.rows
