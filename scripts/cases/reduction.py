# SPDX-License-Identifier: Apache-2.0
"""Reductions, argmax and argmin, cumulative sums."""

import torch

from cases.kit import INT_FP, Table, b8, bf16, f16, f32, i32, i64, inf, nan, r, v

ODD = [[1.0, nan, 2.0, -1.0], [inf, 1.0, 2.0, 0.0], [-inf, 1.0, -2.0, 0.0], [inf, -inf, 0.0, 1.0],
       [-inf, -inf, -inf, -inf], [-3.0, -1.0, -2.0, -5.0]]


def sums(t):
    for name, function in (("sum", torch.sum), ("mean", torch.mean), ("amax", torch.amax),
                           ("amin", torch.amin), ("std", torch.std), ("var", torch.var)):
        whole = function if name not in ("amax", "amin") else lambda x, f=function: f(x, (0, 1, 2))
        t.add(name + "_all", whole, r(2, 3, 4), modes="both")
        for label, dim in (("dim0", 0), ("dim1", 1), ("last", -1), ("two", (0, 2)),
                           ("adjacent", (1, 2)), ("list", (-1, 0, 1))):
            t.add(f"{name}_{label}", lambda x, f=function, d=dim: f(x, dim=d), r(2, 3, 4))
            t.add(f"{name}_{label}_keep",
                  lambda x, f=function, d=dim: f(x, dim=d, keepdim=True), r(2, 3, 4),
                  modes="both" if label == "two" else "training")
        t.add(name + "_f16", lambda x, f=function: f(x, dim=1), r(3, 40, dtype=f16))
        t.add(name + "_bf16", lambda x, f=function: f(x, dim=1), r(3, 40, dtype=bf16))
        t.add(name + "_odd", lambda x, f=function: f(x, dim=1), v(ODD))
        t.add(name + "_rank6", lambda x, f=function: f(x, dim=(1, 3)), r(1, 2, 2, 3, 2, 2))
    for name in ("sum", "mean", "amax", "amin"):
        t.add(name + "_rank0", lambda x, f=getattr(torch, name): f(x, dim=0), v(2.5))
    t.add("sum_f16_large", lambda x: x.sum(1), r(2, 300, dtype=f16, low=50.0, high=100.0))
    t.add("mean_f16_large", lambda x: x.mean(1), r(2, 2000, dtype=f16, low=50.0, high=100.0))
    t.add("sum_staged", torch.sum, r(1, 70000, low=0.0, high=1.0).make(
        torch.Generator().manual_seed(1)).mul(4).round().div(4).repeat(1, 2))
    t.add("sum_dtype", lambda x: x.sum(1, dtype=f32), r(2, 9, dtype=f16))
    t.add("sum_bool", torch.sum, r(3, 5, dtype=b8), target=INT_FP)
    t.add("sum_bool_dim", lambda x: x.sum(1), r(3, 5, dtype=b8), target=INT_FP)
    t.add("sum_i32", lambda x: x.sum(1), r(3, 5, dtype=i32))
    t.add("sum_i64", torch.sum, r(3, 5, dtype=i64))
    t.add("amax_i32", lambda x: x.amax(1), r(3, 5, dtype=i32))
    t.add("amin_i64", lambda x: x.amin(1), r(3, 5, dtype=i64))
    t.add("mean_of_sum", lambda x: x.mean((2, 3), keepdim=True), r(2, 3, 4, 5))
    for correction in (0, 1, 2):
        t.add(f"var_correction{correction}",
              lambda x, c=correction: torch.var(x, dim=1, correction=c), r(3, 7), modes="both")
        t.add(f"std_correction{correction}",
              lambda x, c=correction: torch.std(x, dim=(0, 2), correction=c, keepdim=True),
              r(3, 7, 2), modes="both")
    t.add("var_unbiased", lambda x: torch.var(x, dim=1, unbiased=False), r(3, 7), modes="both")
    t.add("std_unbiased", lambda x: torch.std(x, unbiased=False), r(3, 7), modes="both")
    t.add("var_offset", lambda x: torch.var(x, dim=1), r(3, 16, low=99.0, high=101.0),
          tolerance=1e-4)
    t.add("var_mean", lambda x: torch.var_mean(x, dim=1), r(3, 7), modes="both")
    t.add("std_mean", lambda x: torch.std_mean(x, dim=1), r(3, 7), modes="core")
    t.add("var_single", lambda x: torch.var(x, dim=1, correction=0), r(3, 1))
    t.add("norm", lambda x: torch.linalg.vector_norm(x, dim=1), r(3, 5), modes="both")
    t.add("norm_one", lambda x: torch.linalg.vector_norm(x, 1, dim=1, keepdim=True), r(3, 5),
          modes="both")


def extremes(t):
    for name in ("max", "min"):
        function = getattr(torch, name)
        t.add(name + "_all", function, r(2, 3, 4), modes="both")
        t.add(name + "_dim", lambda x, f=function: f(x, 1), r(2, 5, 4), modes="both")
        t.add(name + "_dim_keep", lambda x, f=function: f(x, -1, keepdim=True), r(2, 5))
        t.add(name + "_dim_values", lambda x, f=function: f(x, 0).values, r(4, 5))
        t.add(name + "_dim_ties", lambda x, f=function: f(x, 1),
              v([[1.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0], [0.0, 1.0, 0.0, 1.0]]))
        t.add(name + "_odd", function, v(ODD[1:]))
        t.add(name + "_nan", function, v(ODD))
        t.add(name + "_other", function, r(2, 3), r(3), modes="both")
    for name in ("argmax", "argmin"):
        function = getattr(torch, name)
        t.add(name + "_dim", lambda x, f=function: f(x, dim=1), r(2, 5, 4))
        t.add(name + "_keep", lambda x, f=function: f(x, dim=-1, keepdim=True), r(2, 5))
        t.add(name + "_all", function, r(2, 3, 4))
        t.add(name + "_rank1", lambda x, f=function: f(x, dim=0), r(9))
        t.add(name + "_ties", lambda x, f=function: f(x, dim=1),
              v([[1.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0], [-0.0, 0.0, 0.0, -0.0]]))
        t.add(name + "_odd", lambda x, f=function: f(x, dim=1), v(ODD[1:]))
        t.add(name + "_nan", lambda x, f=function: f(x, dim=1), v(ODD))
        t.add(name + "_f16", lambda x, f=function: f(x, dim=1), r(3, 9, dtype=f16))
        t.add(name + "_bf16", lambda x, f=function: f(x, dim=1), r(3, 9, dtype=bf16))


def others(t):
    t.add("prod_all", torch.prod, r(2, 3, low=0.5, high=1.5))
    t.add("prod_dim", lambda x: torch.prod(x, 1), r(2, 5, low=-2.0, high=2.0))
    t.add("prod_keep", lambda x: torch.prod(x, 0, keepdim=True), r(2, 5))
    t.add("prod_zero", lambda x: torch.prod(x, 1), v([[0.0, 2.0, 3.0], [1.0, -2.0, 3.0]]))
    t.add("prod_f16", lambda x: torch.prod(x, 1), r(2, 5, dtype=f16, low=0.5, high=1.5))
    for name in ("any", "all"):
        function = getattr(torch, name)
        t.add(name, function, r(3, 4, dtype=b8))
        t.add(name + "_dim", lambda x, f=function: f(x, 1),
              v([[True, True], [True, False], [False, False]], b8))
        t.add(name + "_dims", lambda x, f=function: f(x, (0, 2)), r(2, 3, 2, dtype=b8))
        t.add(name + "_keep", lambda x, f=function: f(x, -1, keepdim=True), r(3, 2, dtype=b8))
        t.add(name + "_float", lambda x, f=function: f(x, 1),
              v([[0.0, -0.0, 0.0], [nan, 1.0, 2.0], [0.0, nan, 1.0]]))
        t.add(name + "_i32", lambda x, f=function: f(x, 1), r(4, 3, dtype=i32, low=0, high=2))
    for n in (1, 2, 3, 7, 8, 17, 100):
        t.add(f"cumsum_{n}", lambda x: torch.cumsum(x, 1), r(2, n))
    t.add("cumsum_dim0", lambda x: torch.cumsum(x, 0), r(5, 3))
    t.add("cumsum_middle", lambda x: torch.cumsum(x, -2), r(2, 5, 3), modes="both")
    t.add("cumsum_rank0", lambda x: torch.cumsum(x, 0), v(3.0))
    t.add("cumsum_rank6", lambda x: torch.cumsum(x, 3), r(1, 2, 1, 5, 2, 1))
    t.add("cumsum_f16", lambda x: torch.cumsum(x, 1), r(2, 33, dtype=f16))
    t.add("cumsum_bf16", lambda x: torch.cumsum(x, 1), r(2, 12, dtype=bf16))
    t.add("cumsum_dtype", lambda x: torch.cumsum(x, 1, dtype=f32), r(2, 9, dtype=f16))
    t.add("cumsum_i32", lambda x: torch.cumsum(x, 1), r(2, 9, dtype=i32))
    t.add("cumsum_i64", lambda x: torch.cumsum(x, 1), r(2, 9, dtype=i64))
    t.add("cumsum_bool", lambda x: torch.cumsum(x, 1), r(2, 9, dtype=b8), target=INT_FP)


def rows():
    t = Table()
    for part in (sums, extremes, others):
        part(t)
    return t.rows
