# SPDX-License-Identifier: Apache-2.0
"""Activation functions, as functions and as modules."""

import torch
import torch.nn.functional as F

from cases.kit import HARD, Table, bf16, f16, hard, i32, inf, nan, r, v


def rows():
    t = Table()
    table = {
        "relu": F.relu, "relu6": F.relu6, "leaky_relu": F.leaky_relu,
        "leaky_relu_slope": lambda x: F.leaky_relu(x, 0.3),
        "leaky_relu_negative": lambda x: F.leaky_relu(x, -0.5),
        "elu": F.elu, "elu_alpha": lambda x: F.elu(x, alpha=0.5), "selu": F.selu,
        "celu": lambda x: F.celu(x, 1.5),
        "silu": F.silu, "mish": F.mish, "gelu": F.gelu,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "softplus": F.softplus,
        "softplus_beta": lambda x: F.softplus(x, beta=2.0, threshold=5.0),
        "hardtanh": F.hardtanh, "hardtanh_range": lambda x: F.hardtanh(x, -0.25, 2.0),
        "hardsigmoid": F.hardsigmoid, "hardswish": F.hardswish,
        "sigmoid": torch.sigmoid, "tanh": torch.tanh, "logsigmoid": F.logsigmoid,
        "softsign": F.softsign, "tanhshrink": F.tanhshrink,
        "threshold": lambda x: F.threshold(x, 0.1, 20.0),
        "hardshrink": F.hardshrink, "softshrink": F.softshrink,
    }
    finite = v([a for a in HARD if abs(a) < 1e9])
    for name, function in table.items():
        composite = name in ("softplus", "gelu", "silu", "mish", "hardswish", "elu", "relu6",
                             "hardsigmoid", "leaky_relu", "selu", "celu", "logsigmoid",
                             "hardtanh", "threshold")
        t.add(name, function, r(2, 3, 7, low=-8.0, high=8.0),
              modes="both" if composite else "training")
        t.add(name + "_hard", function, finite)
        t.add(name + "_f16", function, r(5, 7, dtype=f16, low=-5.0, high=5.0))
        t.add(name + "_bf16", function, r(5, 7, dtype=bf16, low=-5.0, high=5.0))
    for name in ("relu", "hardtanh", "sigmoid", "tanh", "silu", "gelu", "leaky_relu", "elu",
                 "softplus", "hardswish", "hardsigmoid"):
        t.add(name + "_odd", table[name], v([inf, -inf, nan, 0.0, -0.0]))
    t.add("relu_i32", F.relu, r(7, dtype=i32))
    t.add("relu_zero_sign", F.relu, v([0.0, 1.0, 2.0]), signs_of_zero=True)
    t.add("gelu_wide", F.gelu, r(256, low=-12.0, high=12.0))
    t.add("gelu_far_left", F.gelu, v([-8.0, -10.0, -20.0, -100.0, -1e4, -3e38]))
    t.add("gelu_left", F.gelu, r(64, low=-4.0, high=-0.5), tolerance=1e-5)
    t.add("softplus_wide", F.softplus, r(128, low=-30.0, high=40.0))
    t.add("silu_wide", F.silu, r(128, low=-100.0, high=100.0))
    t.add("sigmoid_wide", torch.sigmoid, r(128, low=-30.0, high=30.0))
    t.add("glu", F.glu, r(2, 3, 8), modes="both")
    t.add("glu_dim1", lambda x: F.glu(x, dim=1), r(2, 4, 3), modes="both")
    t.add("prelu", lambda x, w: F.prelu(x, w), r(2, 3, 4), r(3), modes="both")
    t.add("prelu_one", lambda x, w: F.prelu(x, w), r(2, 3, 4), r(1), modes="both")
    t.add("dropout_eval", lambda x: F.dropout(x, 0.5, training=False), r(2, 3))
    t.add("gelu_hard_left_f16", F.gelu, v([-8.0, -5.5, -3.0, -1.0], f16))
    return t.rows
