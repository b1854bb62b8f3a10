# SPDX-License-Identifier: Apache-2.0
"""Normalisations and softmax."""

import torch
import torch.nn.functional as F
from torch import nn

from cases.kit import Module, Table, bf16, f16, inf, nan, r, v


def rows():
    t = Table()
    t.add("layer_norm", Module(lambda: nn.LayerNorm(8)), r(3, 8), modes="both")
    t.add("layer_norm_2d", Module(lambda: nn.LayerNorm((4, 6))), r(2, 3, 4, 6), modes="both")
    t.add("layer_norm_no_affine", Module(lambda: nn.LayerNorm(8, elementwise_affine=False)),
          r(2, 3, 8), modes="both")
    t.add("layer_norm_no_bias", Module(lambda: nn.LayerNorm(8, bias=False)), r(2, 3, 8),
          modes="both")
    t.add("layer_norm_eps", Module(lambda: nn.LayerNorm(8, eps=0.1)), r(2, 8))
    t.add("layer_norm_rank1", Module(lambda: nn.LayerNorm(8)), r(8))
    t.add("layer_norm_offset", Module(lambda: nn.LayerNorm(16)), r(4, 16, low=99.0, high=101.0),
          tolerance=1e-4)
    t.add("layer_norm_constant", Module(lambda: nn.LayerNorm(4)), v([[3.0] * 4, [0.0] * 4]))
    t.add("group_norm", Module(lambda: nn.GroupNorm(2, 6)), r(2, 6, 4, 5), modes="both")
    t.add("group_norm_rank3", Module(lambda: nn.GroupNorm(3, 6)), r(2, 6, 5), modes="both")
    t.add("group_norm_rank2", Module(lambda: nn.GroupNorm(3, 6)), r(2, 6))
    t.add("group_norm_one", Module(lambda: nn.GroupNorm(1, 4)), r(2, 4, 3, 3), modes="both")
    t.add("group_norm_each", Module(lambda: nn.GroupNorm(4, 4)), r(2, 4, 3, 3))
    t.add("group_norm_no_affine", Module(lambda: nn.GroupNorm(2, 4, affine=False)), r(2, 4, 3, 3),
          modes="both")
    t.add("rms_norm", Module(lambda: nn.RMSNorm(8)), r(2, 3, 8), modes="both")
    t.add("rms_norm_eps", Module(lambda: nn.RMSNorm(8, eps=1e-3)), r(2, 3, 8), modes="both")
    t.add("rms_norm_2d", Module(lambda: nn.RMSNorm((3, 4))), r(2, 3, 4))
    t.add("rms_norm_no_affine", Module(lambda: nn.RMSNorm(8, elementwise_affine=False)), r(2, 8))
    for rank, make in ((1, nn.BatchNorm1d), (2, nn.BatchNorm2d), (3, nn.BatchNorm3d)):
        t.add(f"batch_norm{rank}d", Module(lambda m=make: m(3)), r(2, 3, *([4] * rank)),
              modes="both")
        t.add(f"batch_norm{rank}d_no_affine", Module(lambda m=make: m(3, affine=False)),
              r(2, 3, *([4] * rank)), modes="both")
    t.add("batch_norm_rank2", Module(lambda: nn.BatchNorm1d(3)), r(4, 3), modes="both")
    t.add("batch_norm_eps", Module(lambda: nn.BatchNorm2d(3, eps=0.5)), r(2, 3, 4, 4))
    t.add("batch_norm_inputs", lambda x, m, s, w, b: F.batch_norm(x, m, s, w, b, False, 0.1, 1e-5),
          r(2, 3, 4, 4), r(3), r(3, low=0.5, high=2.0), r(3), r(3), modes="both")
    t.add("conv_batch_norm", Module(lambda: nn.Sequential(
        nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU())), r(1, 2, 5, 6), modes="both")
    for rank, make in ((1, nn.InstanceNorm1d), (2, nn.InstanceNorm2d)):
        t.add(f"instance_norm{rank}d", Module(lambda m=make: m(3, affine=True)),
              r(2, 3, *([5] * rank)), modes="both")
        t.add(f"instance_norm{rank}d_no_affine", Module(lambda m=make: m(3)),
              r(2, 3, *([5] * rank)), modes="both")
        t.add(f"instance_norm{rank}d_running",
              Module(lambda m=make: m(3, affine=True, track_running_stats=True)),
              r(2, 3, *([5] * rank)), modes="both")
    for dtype, label in ((f16, "f16"), (bf16, "bf16")):
        t.add("layer_norm_" + label, Module(lambda: nn.LayerNorm(16)), r(3, 16, dtype=dtype),
              dtype=dtype, modes="both")
        t.add("group_norm_" + label, Module(lambda: nn.GroupNorm(2, 4)),
              r(2, 4, 3, 3, dtype=dtype), dtype=dtype)
        t.add("rms_norm_" + label, Module(lambda: nn.RMSNorm(16)), r(3, 16, dtype=dtype),
              dtype=dtype)
        t.add("batch_norm_" + label, Module(lambda: nn.BatchNorm2d(3)),
              r(2, 3, 3, 3, dtype=dtype), dtype=dtype)
        t.add("softmax_" + label, lambda x: F.softmax(x, -1), r(3, 16, dtype=dtype), modes="both")
        t.add("log_softmax_" + label, lambda x: F.log_softmax(x, -1), r(3, 16, dtype=dtype))
    t.add("layer_norm_f16_large", Module(lambda: nn.LayerNorm(16)),
          r(2, 16, dtype=f16, low=-900.0, high=900.0), dtype=f16)
    for name, function in (("softmax", F.softmax), ("log_softmax", F.log_softmax)):
        t.add(name, lambda x, f=function: f(x, -1), r(3, 7), modes="both")
        t.add(name + "_dim0", lambda x, f=function: f(x, 0), r(3, 7), modes="both")
        t.add(name + "_dim1", lambda x, f=function: f(x, 1), r(2, 5, 3))
        t.add(name + "_rank1", lambda x, f=function: f(x, 0), r(9))
        t.add(name + "_rank0", lambda x, f=function: f(x, 0), v(3.0))
        t.add(name + "_rank5", lambda x, f=function: f(x, 2), r(2, 1, 3, 2, 2))
        t.add(name + "_large", lambda x, f=function: f(x, -1), r(3, 9, low=-1e4, high=1e4))
        t.add(name + "_wide", lambda x, f=function: f(x, -1), r(2, 300))
        t.add(name + "_masked", lambda x, f=function: f(x, -1),
              v([[0.0, -inf, 1.0], [-inf, -inf, 2.0]]))
        t.add(name + "_odd", lambda x, f=function: f(x, -1),
              v([[-inf, -inf, -inf], [nan, 0.0, 1.0], [inf, 0.0, 1.0]]))
        t.add(name + "_to_f32", lambda x, f=function: f(x, -1, dtype=torch.float32),
              r(2, 5, dtype=f16))
    t.add("softmin", lambda x: F.softmin(x, -1), r(2, 5), modes="both")
    t.add("normalize", lambda x: F.normalize(x, dim=1), r(2, 5), modes="both")
    t.add("logsumexp", lambda x: torch.logsumexp(x, 1), r(2, 5), modes="both")
    t.add("cosine_similarity", lambda x, y: F.cosine_similarity(x, y), r(2, 5), r(2, 5),
          modes="core")
    return t.rows
