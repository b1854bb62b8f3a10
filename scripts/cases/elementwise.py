# SPDX-License-Identifier: Apache-2.0
"""Elementwise arithmetic, comparisons, logic."""

import torch

from cases.kit import (BF16, FP, HARD, INT_FP, Table, b8, bf16, f16, f32, hard, i32, i64, inf, nan, r, v)

INTS = [0, 1, -1, 2, -2, 3, -3, 7, -7, 100, -100, 2147483647, -2147483647]
NUMERATORS = [7.0, -7.0, 7.0, -7.0, 0.0, -0.0, 6.0, -6.0, 5.5, -5.5, 1.0, 0.3, 0.9, 33.0, 15.0]
DENOMINATORS = [2.0, 2.0, -2.0, -2.0, 3.0, 3.0, 3.0, 3.0, 0.5, 0.5, 0.1, 0.1, 0.3, 11.0, 49.0]


def unary(t):
    signed = {"neg": torch.neg, "abs": torch.abs, "floor": torch.floor, "ceil": torch.ceil,
              "round": torch.round, "trunc": torch.trunc, "sqrt": torch.sqrt,
              "reciprocal": torch.reciprocal, "rsqrt": torch.rsqrt, "sin": torch.sin,
              "tanh": torch.tanh, "erf": torch.erf}
    plain = {"exp": torch.exp, "log": torch.log, "cos": torch.cos, "sigmoid": torch.sigmoid,
             "sign": torch.sign}
    for name, function in {**signed, **plain}.items():
        x = hard()
        if name in ("sin", "cos"):
            x = v([a for a in HARD if abs(a) < 1e4 or a != a] + [3.14159, 31.4159, inf, -inf])
        t.add(name + "_hard", function, x, signs_of_zero=name in signed)
        t.add(name, function, r(2, 3, 5), each=name not in ("sin", "cos", "erf"))
        t.add(name + "_f16", function, r(7, 5, dtype=f16))
    for name in ("neg", "exp", "rsqrt", "tanh", "erf", "floor"):
        function = {**signed, **plain}[name]
        t.add(name + "_bf16", function, r(4, 5, dtype=bf16))
    for name in ("neg", "abs", "sign"):
        t.add(name + "_i32", {**signed, **plain}[name], v(INTS, i32))
        t.add(name + "_i64", {**signed, **plain}[name], v(INTS, i64))
    for name in ("neg", "exp", "sqrt"):
        t.add(name + "_rank0", {**signed, **plain}[name], v(0.7))
        t.add(name + "_rank6", {**signed, **plain}[name], r(1, 2, 1, 3, 2, 2))
    t.add("round_ties", torch.round, v([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 8388609.0,
                                         0.49999997, -0.49999997]), signs_of_zero=True)
    t.add("round_decimals", lambda x: torch.round(x, decimals=1), v([0.25, -0.34, 1.46, 2.71]))
    t.add("exp_wide", torch.exp, r(64, low=-80, high=80), each=True)
    t.add("log_wide", torch.log, r(64, low=1e-6, high=1e6), each=True)
    t.add("erf_wide", torch.erf, r(128, low=-6, high=6))
    t.add("sin_wide", torch.sin, r(64, low=-100, high=100))
    t.add("rsqrt_edge", torch.rsqrt, v([0.0, -0.0, 1.0, 4.0, -1.0, inf, nan, 1e-30, 1e30]))
    t.add("sqrt_wide", torch.sqrt, v([0.0, 1e-30, 1e30, 2.0, 3.0, inf, -1.0]), each=True)
    for name, function in (("square", torch.square), ("expm1", torch.expm1),
                           ("log1p", torch.log1p), ("log2", torch.log2), ("log10", torch.log10),
                           ("exp2", torch.exp2), ("isnan", torch.isnan), ("isinf", torch.isinf),
                           ("frac", torch.frac)):
        low = 0.1 if name.startswith("log") else -3.0
        t.add(name, function, r(3, 5, low=low, high=4.0))
        if name in ("isnan", "isinf", "square"):
            t.add(name + "_hard", function, hard())
    t.add("isfinite", torch.isfinite, hard(), modes="both")


def binary(t):
    for name, function in (("add", torch.add), ("sub", torch.sub), ("mul", torch.mul),
                           ("div", torch.div), ("maximum", torch.maximum),
                           ("minimum", torch.minimum), ("pow_tensor", torch.pow)):
        x = r(2, 3, 4, low=0.2, high=3.0) if name == "pow_tensor" else r(2, 3, 4)
        y = r(2, 3, 4, low=0.5, high=2.0)
        t.add(name, function, x, y)
        t.add(name + "_left", function, r(4, low=0.5, high=2.0), y)
        t.add(name + "_right", function, x, r(3, 1, low=0.5, high=2.0))
        t.add(name + "_both", function, r(2, 1, 4, low=0.2, high=3.0), r(3, 1, low=0.5, high=2.0))
        t.add(name + "_f16", function, r(3, 4, dtype=f16, low=0.5, high=2.0),
              r(4, dtype=f16, low=0.5, high=2.0))
        t.add(name + "_bf16", function, r(3, 4, dtype=bf16, low=0.5, high=2.0),
              r(4, dtype=bf16, low=0.5, high=2.0))
        t.add(name + "_rank0", function, r(3, low=0.5, high=2.0), v(0.75))
    grid = [0.0, -0.0, 1.0, -1.5, inf, -inf, nan]
    left = v([a for a in grid for _ in grid])
    right = v([b for _ in grid for b in grid])
    for name, function in (("add", torch.add), ("sub", torch.sub), ("mul", torch.mul),
                           ("div", torch.div)):
        t.add(name + "_hard", function, left, right, signs_of_zero=True)
    for name, function in (("maximum", torch.maximum), ("minimum", torch.minimum)):
        t.add(name + "_hard", function, left, right)
    ints = v([a for a in INTS[:9] for _ in range(8)], i32)
    others = v([1, -1, 2, -2, 3, -3, 5, -7] * 9, i32)
    for name, function in (("add", torch.add), ("sub", torch.sub), ("mul", torch.mul),
                           ("maximum", torch.maximum), ("minimum", torch.minimum),
                           ("div", torch.div)):
        t.add(name + "_i32", function, ints, others)
        t.add(name + "_i64", function, ints.to(i64), others.to(i64))
    t.add("add_alpha", lambda x, y: torch.add(x, y, alpha=2.5), r(2, 3), r(3))
    t.add("add_alpha_int", lambda x, y: torch.add(x, y, alpha=-3), r(4, dtype=i32), r(4, dtype=i32))
    t.add("sub_alpha", lambda x, y: torch.sub(x, y, alpha=0.5), r(2, 3), r(2, 3))
    t.add("rsub", lambda x: 1.0 - x, r(2, 3))
    t.add("rsub_op", lambda x: torch.rsub(x, 2.0, alpha=3), r(2, 3), modes="both")
    t.add("rsub_tensor", lambda x, y: torch.rsub(x, y), r(2, 3), r(3), modes="both")
    t.add("add_scalar", lambda x: x + 2, r(2, 3))
    t.add("add_scalar_f16", lambda x: x + 0.1, r(2, 3, dtype=f16))
    t.add("add_scalar_int_float", lambda x: x + 1.5, r(5, dtype=i32))
    t.add("mul_scalar", lambda x: x * -0.5, r(2, 3))
    t.add("mul_scalar_bf16", lambda x: x * 1.1, r(2, 3, dtype=bf16))
    t.add("div_scalar", lambda x: x / 3, r(2, 3))
    t.add("mul_int_float", torch.mul, r(4, dtype=i32), r(4))
    t.add("mul_bool_float", torch.mul, r(4, dtype=b8), r(4))
    t.add("add_f16_f32", torch.add, r(2, 3, dtype=f16), r(3))
    t.add("add_i32_i64", torch.add, r(2, 3, dtype=i32), r(3, dtype=i64))
    t.add("add_rank6", torch.add, r(1, 2, 1, 3, 2, 2), r(3, 1, 2))
    t.add("addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.5), r(2, 3), r(2, 3), r(3),
          modes="both")
    t.add("addcdiv", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), r(2, 3), r(2, 3),
          r(3, low=0.5, high=2.0), modes="both")
    t.add("lerp", lambda x, y: torch.lerp(x, y, 0.3), r(2, 3), r(2, 3), modes="both")
    t.add("atan2_free_div_zero", lambda x, y: x / y, v([1.0, -1.0, 0.0]), v([0.0, 0.0, 0.0]))


def division(t):
    x, y = v(NUMERATORS), v(DENOMINATORS)
    floor = dict(signs_of_zero=False)
    t.add("floor_divide", torch.floor_divide, x, y, **floor)
    t.add("div_floor", lambda a, b: torch.div(a, b, rounding_mode="floor"), x, y)
    t.add("div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc"), x, y)
    t.add("remainder", torch.remainder, x, y)
    t.add("fmod", torch.fmod, x, y)
    k = torch.arange(1, 61, dtype=f32)
    multiples = (k[:, None] * k[None, :30]).reshape(-1)
    divisors = k[None, :30].expand(60, 30).reshape(-1)
    for name, function in (("floor_divide", torch.floor_divide), ("remainder", torch.remainder),
                           ("fmod", torch.fmod),
                           ("div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc"))):
        t.add(name + "_exact", function, multiples, divisors)
        t.add(name + "_exact_neg", function, -multiples, divisors)
        t.add(name + "_scalar", lambda a, f=function: f(a, torch.tensor(3.0)), x)
        grid = [7, -7, 6, -6, 0, 1, -1, 100, -2147483647]
        ints = v([a for a in grid for _ in range(6)], i32)
        by = v([2, -2, 3, -3, 7, 1] * 9, i32)
        t.add(name + "_i32", function, ints, by)
        t.add(name + "_i64", function, ints.to(i64), by.to(i64))
    t.add("floor_divide_zero", torch.floor_divide, v([1.0, -1.0, 0.0]), v([0.0, 0.0, 0.0]))
    t.add("remainder_scalar_op", lambda a: a % 3, x)
    t.add("remainder_scalar_neg", lambda a: a % -2.5, x)
    t.add("remainder_scalar_i64", lambda a: a % 4, v([-9, -8, -1, 0, 1, 8, 9], i64))
    t.add("fmod_scalar_op", lambda a: torch.fmod(a, 3), x)
    t.add("floor_divide_scalar_op", lambda a: a // 2, x)
    t.add("floor_divide_scalar_i64", lambda a: a // 2, v([-9, -8, -1, 0, 1, 8, 9], i64))
    t.add("div_scalar_floor", lambda a: torch.div(a, 0.1, rounding_mode="floor"), x)
    t.add("remainder_f16", torch.remainder, x.to(f16), v([2.0] * len(NUMERATORS), f16))
    t.add("remainder_wide", torch.remainder, r(200, low=-1000, high=1000), r(200, low=1, high=9))
    t.add("fmod_wide", torch.fmod, r(200, low=-1000, high=1000), r(200, low=1, high=9))
    t.add("floor_divide_wide", torch.floor_divide, r(200, low=-1000, high=1000),
          r(200, low=1, high=9))


def power(t):
    for exponent in (0, 1, 2, 3, 4, 5, -1, -2, -3, 0.5, -0.5, 1.5, 2.0, 3.0, 0.0):
        label = str(exponent).replace("-", "m").replace(".", "p")
        t.add("pow_" + label, lambda x, e=exponent: torch.pow(x, e), r(3, 4, low=0.3, high=2.5))
        t.add("pow_" + label + "_hard", lambda x, e=exponent: torch.pow(x, e),
              v([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, -0.5, inf, -inf, nan]), signs_of_zero=True)
    bases = [-2.0, -1.0, -0.5, 0.0, -0.0, 0.5, 1.0, 2.0]
    exponents = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 0.5, -0.5]
    t.add("pow_tensor_grid", torch.pow, v([b for b in bases for _ in exponents]),
          v([e for _ in bases for e in exponents]))
    odd = [inf, -inf, nan, 1.0, 0.5, 2.0, -1.0, 0.0]
    t.add("pow_tensor_odd", torch.pow, v([b for b in odd for _ in odd]),
          v([e for _ in odd for e in odd]))
    t.add("pow_scalar_base", lambda x: torch.pow(2.0, x), r(3, 4))
    t.add("pow_scalar_base_half", lambda x: torch.pow(0.5, x), v([-2.0, 0.0, 3.0, inf, -inf]))
    t.add("pow_i32", lambda x: x ** 2, v([0, 1, -3, 7], i32))
    t.add("pow_i32_cube", lambda x: x ** 3, v([0, 1, -3, 7], i32))
    t.add("pow_f16", lambda x: x ** 2, r(3, 4, dtype=f16))
    t.add("pow_bf16_half", lambda x: x ** 0.5, r(3, 4, dtype=bf16, low=0.1, high=4.0))


def compare(t):
    grid = [0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 1.0000001]
    left = v([a for a in grid for _ in grid])
    right = v([b for _ in grid for b in grid])
    ints = r(4, 5, dtype=i32, low=-2, high=3)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(torch, name)
        t.add(name + "_hard", function, left, right)
        t.add(name + "_scalar", lambda x, f=function: f(x, 1.0), left)
        t.add(name + "_broadcast", function, r(2, 1, 3), r(2, 1))
        t.add(name + "_f16", function, left.to(f16), right.to(f16))
        t.add(name + "_bf16", function, left.to(bf16), right.to(bf16))
        t.add(name + "_i32", function, ints, r(5, dtype=i32, low=-2, high=3))
        t.add(name + "_i64", function, v([3, 2, 1], i64), v([1, 2, 3], i64))
        t.add(name + "_i64_scalar", lambda x, f=function: f(x, 1), v([0, 1, 2], i64))
        t.add(name + "_int_float", function, r(5, dtype=i32, low=-2, high=3), r(5))
    t.add("lt_int_half", lambda x: x < 0.5, v([-1, 0, 1, 2], i32))
    t.add("eq_bool", torch.eq, r(6, dtype=b8), r(6, dtype=b8))
    t.add("ne_bool", torch.ne, r(6, dtype=b8), r(6, dtype=b8))


def logic(t):
    p, q = v([True, True, False, False], b8), v([True, False, True, False], b8)
    for name in ("logical_and", "logical_or", "logical_xor"):
        function = getattr(torch, name)
        t.add(name, function, p, q)
        t.add(name + "_broadcast", function, r(2, 3, dtype=b8), r(3, dtype=b8))
        t.add(name + "_float", function, hard(), v([0.0, 1.0, nan] * 7 + [0.0, 1.0]))
        t.add(name + "_i32", function, r(6, dtype=i32, low=-1, high=2),
              r(6, dtype=i32, low=-1, high=2))
    t.add("logical_not", torch.logical_not, p)
    t.add("logical_not_float", torch.logical_not, hard())
    t.add("logical_not_i32", torch.logical_not, r(6, dtype=i32, low=-1, high=2))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        function = getattr(torch, name)
        t.add(name + "_bool", function, p, q)
        t.add(name + "_i32", function, r(9, dtype=i32, low=-99, high=99),
              r(9, dtype=i32, low=-99, high=99))
        t.add(name + "_i64", function, r(9, dtype=i64, low=-99, high=99),
              r(9, dtype=i64, low=-99, high=99))
        t.add(name + "_scalar", lambda x, f=function: f(x, 12), r(9, dtype=i32, low=-99, high=99))
    t.add("bitwise_not_bool", torch.bitwise_not, p)
    t.add("bitwise_not_i32", torch.bitwise_not, r(9, dtype=i32, low=-99, high=99))
    t.add("operators", lambda a, b: (a & b) | (~a ^ b), p, q)


def clamp(t):
    t.add("clamp", lambda x: torch.clamp(x, -1.0, 2.0), hard())
    t.add("clamp_min", lambda x: torch.clamp(x, min=-1.0), hard())
    t.add("clamp_max", lambda x: torch.clamp(x, max=2.0), hard())
    t.add("clamp_min_op", lambda x: torch.clamp_min(x, 0.5), hard(), modes="both")
    t.add("clamp_max_op", lambda x: torch.clamp_max(x, 0.5), hard(), modes="both")
    t.add("clamp_crossed", lambda x: torch.clamp(x, 2.0, 1.0), hard())
    t.add("clamp_inf", lambda x: torch.clamp(x, -inf, inf), hard())
    t.add("clamp_int_bounds", lambda x: torch.clamp(x, 0, 6), hard())
    t.add("clamp_f16", lambda x: torch.clamp(x, -0.3, 0.7), r(5, 5, dtype=f16))
    t.add("clamp_bf16", lambda x: torch.clamp(x, min=0.1), r(5, 5, dtype=bf16))
    t.add("clamp_i32", lambda x: torch.clamp(x, -3, 2), v(INTS, i32))
    t.add("clamp_i32_crossed", lambda x: torch.clamp(x, 4, -4), v(INTS, i32))
    t.add("clamp_i64_min", lambda x: torch.clamp(x, min=1), v(INTS, i64))
    t.add("clamp_tensor", torch.clamp, r(2, 5), v([-1.0, -0.5, 0.0, 0.2, 0.4]),
          v([1.0, 0.5, 0.1, 0.3, 0.3]))
    t.add("clamp_tensor_min", lambda x, lo: torch.clamp(x, min=lo), r(2, 5), r(5))


def choose(t):
    mask = r(2, 3, dtype=b8)
    t.add("where", torch.where, mask, r(2, 3), r(2, 3))
    t.add("where_broadcast", torch.where, r(2, 1, dtype=b8), r(3), r(4, 1, 1))
    t.add("where_rank0", torch.where, mask, r(2, 3), v(-inf))
    t.add("where_scalar_self", lambda m, x: torch.where(m, 1.0, x), mask, r(2, 3))
    t.add("where_scalar_other", lambda m, x: torch.where(m, x, 0.0), mask, r(2, 3))
    t.add("where_scalars", lambda m: torch.where(m, 1.0, -inf), mask)
    t.add("where_f16", torch.where, mask, r(2, 3, dtype=f16), r(3, dtype=f16))
    t.add("where_i32", torch.where, mask, r(2, 3, dtype=i32), r(2, 3, dtype=i32))
    t.add("where_promote", torch.where, mask, r(2, 3, dtype=f16), r(2, 3))
    t.add("where_bool", torch.where, mask, r(2, 3, dtype=b8), r(2, 3, dtype=b8), target=INT_FP)
    t.add("where_nan", lambda x: torch.where(torch.isnan(x), torch.zeros_like(x), x), hard())
    t.add("masked_fill", lambda x, m: x.masked_fill(m, -inf), r(2, 3), mask)
    t.add("masked_fill_broadcast", lambda x, m: x.masked_fill(m, 0.0), r(2, 2, 3), r(3, dtype=b8))
    t.add("masked_fill_tensor", lambda x, m, y: x.masked_fill(m, y), r(2, 3), mask, v(7.0))
    t.add("masked_fill_f16", lambda x, m: x.masked_fill(m, -65504.0), r(2, 3, dtype=f16), mask)
    t.add("masked_fill_i32", lambda x, m: x.masked_fill(m, -1), r(2, 3, dtype=i32), mask)
    t.add("masked_fill_bf16", lambda x, m: x.masked_fill(m, 0.1), r(2, 3, dtype=bf16), mask,
          target=BF16)


def spellings(t):
    """Overloads that torch's own functions seldom leave in a graph."""
    aten = torch.ops.aten
    mask, ints = r(2, 3, dtype=b8), r(2, 3, dtype=i32)
    for name in ("and", "or", "xor"):
        call = getattr(aten, f"__{name}__").Scalar
        t.add(f"dunder_{name}_scalar", lambda x, f=call: f(x, 5), ints)
        t.add(f"dunder_{name}_bool", lambda x, f=call: f(x, True), mask)
    t.add("prelu_kernel", lambda x, w: aten._prelu_kernel(x, w), r(2, 3), r(1, 3))
    t.add("log_sigmoid_forward", lambda x: aten.log_sigmoid_forward(x)[0], r(2, 3))
    low, high = r(3, low=-0.5, high=0.0), r(3, low=0.1, high=0.5)
    t.add("clamp_min_tensor", lambda x, m: aten.clamp_min.Tensor(x, m), r(2, 3), low)
    t.add("clamp_max_tensor", lambda x, m: aten.clamp_max.Tensor(x, m), r(2, 3), high)
    t.add("clip", lambda x: aten.clip.default(x, -0.5, 0.5), r(2, 3))
    t.add("div_scalar_op", lambda x: aten.div.Scalar(x, 3.0), r(2, 3))
    t.add("div_scalar_mode", lambda x: aten.div.Scalar_mode(x, 0.3, rounding_mode="floor"),
          r(2, 3, low=-5, high=5))
    t.add("divide", lambda x, y: aten.divide.Tensor(x, y), r(2, 3), r(3, low=0.5, high=2.0))
    t.add("true_divide", lambda x, y: aten.true_divide.Tensor(x, y), r(2, 3),
          r(3, low=0.5, high=2.0))
    t.add("floor_divide_scalar_overload", lambda x: aten.floor_divide.Scalar(x, 3.0),
          r(2, 3, low=-9, high=9))
    t.add("lerp_tensor", lambda x, y, w: torch.lerp(x, y, w), r(2, 3), r(2, 3),
          r(3, low=0.0, high=1.0))
    t.add("multiply", lambda x, y: aten.multiply.Tensor(x, y), r(2, 3), r(3))
    t.add("multiply_scalar", lambda x: aten.multiply.Scalar(x, 1.5), r(2, 3))
    t.add("subtract", lambda x, y: aten.subtract.Tensor(x, y), r(2, 3), r(3))
    t.add("sub_scalar_op", lambda x: aten.sub.Scalar(x, 1.5, 2), r(2, 3))
    t.add("tan", torch.tan, r(2, 3, low=-1.4, high=1.4))
    t.add("nan_to_num", torch.nan_to_num, hard(), modes="both")
    t.add("nan_to_num_values", lambda x: torch.nan_to_num(x, 1.5, 7.0, -7.0), hard())
    t.add("nan_to_num_f16", torch.nan_to_num, v([inf, -inf, nan, 2.0], f16))


def half_scalars(t):
    """Scalars that FP16 does not hold: rounded to it by all but mul and div."""
    x = r(40, dtype=f16, low=-8, high=8)
    table = {"add": lambda x: x + 0.1, "rsub": lambda x: 0.1 - x, "mul": lambda x: x * 0.1,
             "div": lambda x: x / 0.3, "remainder": lambda x: x % 0.1,
             "fmod": lambda x: torch.fmod(x, 0.1), "floor_divide": lambda x: x // 0.1,
             "div_trunc": lambda x: torch.div(x, 0.1, rounding_mode="trunc"),
             "alpha": lambda x: torch.add(x, x * x, alpha=0.3), "lt": lambda x: x < 0.1,
             "pow": lambda x: x.abs() ** 2.2, "pow_base": lambda x: 0.1 ** x.clamp(-3, 3)}
    for name, function in table.items():
        t.add(f"scalar_{name}_f16", function, x)


def casts(t):
    fractions = v([0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.99, -3.99, 1e6, -1e6])
    t.add("cast_float_int", lambda x: x.to(i32), fractions)
    t.add("cast_float_long", lambda x: x.long(), fractions)
    t.add("cast_f16_int", lambda x: x.int(), v([0.5, -0.5, 1.5, -1.5, 2000.0, -3.75], f16))
    t.add("cast_floor_int", lambda x: x.floor().int(), fractions)
    t.add("cast_float_bool", lambda x: x.bool(), hard())
    t.add("cast_int_bool", lambda x: x.bool(), v([0, 1, -1, 2147483647], i32))
    t.add("cast_bool_float", lambda x: x.float(), r(2, 3, dtype=b8))
    t.add("cast_bool_half", lambda x: x.half(), r(2, 3, dtype=b8))
    t.add("cast_bool_int", lambda x: x.int(), r(2, 3, dtype=b8))
    t.add("cast_int_float", lambda x: x.float(), v([0, 1, -3, 16777217, -2147483647], i32))
    t.add("cast_int_half", lambda x: x.half(), v([0, 1, -3, 2049, 65519], i32))
    t.add("cast_float_half", lambda x: x.half(), hard())
    t.add("cast_float_bf16", lambda x: x.bfloat16(), hard(), target=BF16)
    t.add("cast_half_float", lambda x: x.float(), hard(f16))
    t.add("cast_int_narrow", lambda x: x.to(torch.int16).to(i32), v([0, 1, -1, 70000], i32))
    t.add("cast_to_other", lambda x, y: torch.ops.aten.to.other(x, y) + y, r(3, dtype=f16), r(3))


def without_int(t):
    """Integers under a target that has not the profile INT."""
    big = v([0, 1, -1, 5, 16777217, -16777217, 2147483647, -2147483647], i32)
    small = torch.arange(8, dtype=i32)
    on = dict(target=FP)
    wants_int = dict(target=FP, expect_error="lower-integer-profile")
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(torch, name)
        t.add(f"fp_{name}_scalar", lambda x, f=function: f(x, 5), big, **on)
        t.add(f"fp_{name}_far", lambda x, f=function: f(x, 16777215), big, **on)
        t.add(f"fp_{name}_arange", lambda x, f=function: f(torch.arange(8)[:, None], x[None]), big,
              **on)
    t.add("fp_compare_unknown", torch.lt, big, big, **wants_int)
    t.add("fp_compare_limit", lambda x: x >= 16777216, big, **wants_int)
    t.add("fp_arithmetic", lambda x, y: ((x + 3) * y - x, -y, ~y), v([1, -2, 3], i32),
          v([7, -8, 9], i32), **on)
    t.add("fp_floor_divide", lambda x, y: (x // y, x % y, torch.fmod(x, y), x // 3, x % -3),
          v([7, -7, 7, -7, 6, -6, 2147483647], i32), v([2, 2, -2, -2, 3, 3, 10], i32), **on)
    t.add("fp_lengths_mask", lambda n, x: x.masked_fill(
        torch.arange(6)[None] >= n.unsqueeze(1), 0.0), v([3, 6, 0], i64), r(3, 6), **on)
    t.add("fp_timesteps", lambda n: n[:, None].float() * torch.tensor([0.5, 0.25]),
          v([3, 999], i64), **on)
    t.add("fp_bool_sum", lambda x: (x > 0).sum(1), r(3, 50), **on)
    t.add("fp_bool_int", lambda x: (x > 0).int() + 1, r(3, 5), **on)
    t.add("fp_where_range", lambda x: torch.where(x > 0, torch.arange(5), 7), r(3, 5), **on)
    t.add("fp_where_unknown", lambda m, x: torch.where(m, x, 0), r(8, dtype=b8), big, **wants_int)
    t.add("fp_sign", torch.sign, big, **on)
    t.add("fp_clamp_range", lambda x: torch.clamp((x > 0).int() * 9 - 4, -2, 3), r(9), **on)
    t.add("fp_clamp_unknown", lambda x: torch.clamp(x, -2, 3), big, **wants_int)
    t.add("fp_maximum_range", lambda x: torch.maximum((x > 0).int() * 4, torch.arange(3)), r(3),
          **on)
    t.add("fp_overflow_range", lambda x: ((x > 0).int() * 16777216 + 1) > torch.arange(4) * 8388608,
          r(4), **wants_int)
    t.add("fp_reshape_returned", lambda x: x.reshape(2, 4), big, **wants_int)
    t.add("fp_bits", lambda x: x & 3, big, **wants_int)
    t.add("fp_logical", lambda x: torch.logical_not(x), small, **on)
    t.add("fp_to_bool", lambda x: x.bool(), big, **on)


def rows():
    t = Table()
    for part in (unary, binary, division, power, compare, logic, clamp, choose, spellings, half_scalars,
                 casts, without_int):
        part(t)
    return t.rows
