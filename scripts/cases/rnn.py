# SPDX-License-Identifier: Apache-2.0
"""LSTM and GRU."""

import torch
from torch import nn

from cases.kit import Module, Table, f16, r


class Result(nn.Module):
    """Only the sequence, not the last state."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


class Stateful(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, h, c=None):
        return self.inner(x, h if c is None else (h, c))


def rows():
    t = Table()
    variants = (("", {}), ("_batch_first", dict(batch_first=True)),
                ("_layers", dict(num_layers=2)), ("_both_ways", dict(bidirectional=True)),
                ("_no_bias", dict(bias=False)),
                ("_all", dict(num_layers=2, bidirectional=True, batch_first=True)))
    for name, make in (("lstm", nn.LSTM), ("gru", nn.GRU)):
        for label, options in variants:
            t.add(name + label, Module(lambda m=make, o=options: m(3, 4, **o)), r(3, 2, 3),
                  modes="both" if label in ("", "_both_ways") else "training")
        t.add(name + "_sequence", Module(lambda m=make: Result(m(3, 4))), r(4, 2, 3))
        t.add(name + "_one_step", Module(lambda m=make: m(3, 4)), r(1, 2, 3))
        t.add(name + "_unbatched", Module(lambda m=make: m(3, 4)), r(3, 3))
        t.add(name + "_f16", Module(lambda m=make: m(3, 4)), r(2, 2, 3, dtype=f16), dtype=f16)
    t.add("lstm_state", Module(lambda: Stateful(nn.LSTM(3, 4))), r(3, 2, 3), r(1, 2, 4), r(1, 2, 4),
          modes="both")
    t.add("gru_state", Module(lambda: Stateful(nn.GRU(3, 4))), r(3, 2, 3), r(1, 2, 4),
          modes="both")
    t.add("lstm_cell", Module(lambda: nn.LSTMCell(3, 4)), r(2, 3), modes="core")
    t.add("gru_cell", Module(lambda: nn.GRUCell(3, 4)), r(2, 3), modes="core")
    t.add("lstm_projection", Module(lambda: nn.LSTM(3, 4, proj_size=2)), r(3, 2, 3))
    return t.rows
