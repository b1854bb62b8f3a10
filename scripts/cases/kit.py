# SPDX-License-Identifier: Apache-2.0
"""What the tables of cases are written with."""

import dataclasses

import torch

FAMILIES = ["elementwise", "activation", "reduction", "norm", "linear", "conv", "pool", "layout",
            "index", "create", "inplace", "rnn", "refusal"]

FP = "TOSA-1.0+FP"
INT_FP = "TOSA-1.0+INT+FP"
BF16 = "TOSA-1.0+FP+bf16"

f16, f32, bf16 = torch.float16, torch.float32, torch.bfloat16
i32, i64, b8 = torch.int32, torch.int64, torch.bool
nan, inf = float("nan"), float("inf")

# Signs of zero, ties, integers, subnormal-free small and large values, infinities, NaN.
HARD = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5, 3.7, -3.7, 1e-3, -1e-3, 10.0, -10.0,
        88.0, -88.0, 1e4, -1e4, inf, -inf, nan]


class Call(torch.nn.Module):
    """A function as a module, which is what torch.export takes."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        result = self.function(*inputs)
        return tuple(result) if isinstance(result, tuple) else result


@dataclasses.dataclass
class Module:
    """A module that is built after the row's seed is set."""
    make: object


@dataclasses.dataclass
class Rand:
    """A random input, drawn from the row's own generator."""
    shape: tuple
    dtype: torch.dtype = f32
    low: float | None = None  # None: normal; integers: -9
    high: float | None = None

    def make(self, generator):
        if self.dtype == b8:
            return torch.randint(0, 2, self.shape, generator=generator).bool()
        if not self.dtype.is_floating_point:
            low = -9 if self.low is None else self.low
            high = 10 if self.high is None else self.high
            return torch.randint(low, high, self.shape, generator=generator, dtype=self.dtype)
        if self.low is None:
            return torch.randn(self.shape, generator=generator).to(self.dtype)
        value = torch.rand(self.shape, generator=generator) * (self.high - self.low) + self.low
        return value.to(self.dtype)


@dataclasses.dataclass
class Row:
    name: str
    function: object
    inputs: tuple
    modes: tuple
    dtype: torch.dtype | None
    options: dict


def r(*shape, dtype=f32, low=None, high=None):
    return Rand(shape, dtype, low, high)


def v(values, dtype=f32):
    return torch.tensor(values, dtype=dtype)


def hard(dtype=f32):
    return v(HARD, dtype)


class Table:
    """Collects a family's rows."""

    def __init__(self):
        self.rows = []

    def add(self, name, function, *inputs, modes="training", dtype=None, **options):
        """`modes`: "training", "core" (after run_decompositions) or "both". `dtype`: of a module's
        parameters. Options are those of tests/models/run_models.py: target, tolerance, each,
        signs_of_zero, expect_error."""
        chosen = ("training", "core") if modes == "both" else (modes,)
        dtypes = {x.dtype for x in inputs}
        if "target" not in options:
            if dtypes & {i32, i64}:
                options["target"] = INT_FP
            elif bf16 in dtypes:
                options["target"] = BF16
        self.rows.append(Row(name, function, inputs, chosen, dtype, options))
