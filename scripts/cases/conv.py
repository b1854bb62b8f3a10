# SPDX-License-Identifier: Apache-2.0
"""Convolutions and transposed convolutions."""

import torch
import torch.nn.functional as F
from torch import nn

from cases.kit import Module, Table, bf16, f16, r


def rows():
    t = Table()
    one = (
        ("", (3, 4, 3), {}), ("_stride", (3, 4, 3), dict(stride=2)),
        ("_uneven", (3, 4, 4), dict(stride=3, padding=1)),
        ("_pad", (3, 4, 5), dict(padding=2)), ("_dilation", (3, 4, 3), dict(dilation=2, padding=1)),
        ("_groups", (4, 6, 3), dict(groups=2)), ("_depthwise", (4, 4, 3), dict(groups=4, padding=1)),
        ("_depthwise_times", (3, 6, 3), dict(groups=3)), ("_no_bias", (3, 4, 3), dict(bias=False)),
        ("_pointwise", (3, 4, 1), {}), ("_same", (3, 4, 4), dict(padding="same")),
        ("_same_dilated", (3, 4, 3), dict(padding="same", dilation=3)),
        ("_valid", (3, 4, 3), dict(padding="valid")),
        ("_circular", (3, 4, 3), dict(padding=2, padding_mode="circular")),
        ("_reflect", (3, 4, 3), dict(padding=2, padding_mode="reflect")),
        ("_replicate", (3, 4, 3), dict(padding=1, padding_mode="replicate")))
    for rank, make, size in ((1, nn.Conv1d, (11,)), (2, nn.Conv2d, (9, 10)),
                             (3, nn.Conv3d, (6, 7, 5))):
        for label, arguments, options in one:
            if rank == 3 and label in ("_depthwise_times", "_circular", "_reflect", "_replicate"):
                continue
            common = label in ("", "_groups", "_uneven", "_depthwise", "_no_bias", "_same")
            t.add(f"conv{rank}d{label}", Module(lambda m=make, a=arguments, o=options: m(*a, **o)),
                  r(2, arguments[0], *size), modes="both" if common else "training")
    t.add("conv2d_rect", Module(lambda: nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=(0, 1),
                                                  dilation=(1, 2))), r(1, 2, 8, 9))
    t.add("conv2d_uneven_axes", Module(lambda: nn.Conv2d(2, 3, 3, stride=(2, 3), padding=(2, 1))),
          r(1, 2, 10, 12))
    t.add("conv2d_uneven_no_pad", Module(lambda: nn.Conv2d(2, 3, 3, stride=4)), r(1, 2, 10, 13))
    t.add("conv2d_stride_over_kernel", Module(lambda: nn.Conv2d(2, 3, 1, stride=2)), r(1, 2, 6, 7))
    t.add("conv2d_stride_over_kernel_pad", Module(lambda: nn.Conv2d(2, 3, 1, stride=3, padding=1)),
          r(1, 2, 6, 7))
    t.add("conv2d_unbatched", Module(lambda: nn.Conv2d(2, 3, 3)), r(2, 6, 7), modes="both")
    t.add("conv1d_unbatched", Module(lambda: nn.Conv1d(2, 3, 3)), r(2, 6))
    t.add("conv2d_inputs", lambda x, w, b: F.conv2d(x, w, b, padding=1), r(1, 2, 5, 5),
          r(3, 2, 3, 3), r(3))
    t.add("conv2d_inputs_depthwise", lambda x, w: F.conv2d(x, w, groups=3), r(1, 3, 5, 5),
          r(3, 1, 3, 3))
    t.add("conv2d_wide", Module(lambda: nn.Conv2d(16, 8, 3, padding=1)), r(1, 16, 6, 6))
    t.add("conv2d_channels_last", Module(lambda: nn.Conv2d(3, 4, 3).to(
        memory_format=torch.channels_last)), r(1, 3, 6, 7))
    t.add("conv2d_chain", Module(lambda: nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1, groups=4),
        nn.ReLU6(), nn.MaxPool2d(2), nn.Conv2d(4, 3, 1))), r(1, 2, 8, 8), modes="both")
    t.add("conv2d_residual", Module(Residual), r(1, 4, 6, 6), modes="both")
    two = (
        ("", (3, 4, 3), {}), ("_stride", (3, 4, 3), dict(stride=2)),
        ("_stride3", (3, 4, 4), dict(stride=3, padding=1)),
        ("_pad", (3, 4, 5), dict(padding=2)), ("_output_padding", (3, 4, 3),
                                              dict(stride=2, padding=1, output_padding=1)),
        ("_large_padding", (3, 4, 3), dict(stride=2, padding=2)),
        ("_groups", (4, 6, 3), dict(groups=2, stride=2)),
        ("_depthwise", (4, 4, 3), dict(groups=4, stride=2)),
        ("_dilation", (3, 4, 3), dict(dilation=2)),
        ("_dilation_stride", (3, 4, 3), dict(dilation=2, stride=2, padding=1, output_padding=1)),
        ("_no_bias", (3, 4, 3), dict(bias=False)), ("_pointwise", (3, 4, 1), dict(stride=2)))
    for rank, make, size in ((1, nn.ConvTranspose1d, (6,)), (2, nn.ConvTranspose2d, (4, 5))):
        for label, arguments, options in two:
            common = label in ("", "_stride", "_groups", "_output_padding")
            t.add(f"conv_transpose{rank}d{label}",
                  Module(lambda m=make, a=arguments, o=options: m(*a, **o)),
                  r(2, arguments[0], *size), modes="both" if common else "training")
    t.add("conv_transpose2d_rect", Module(lambda: nn.ConvTranspose2d(
        2, 3, (2, 3), stride=(3, 1), padding=(1, 0), output_padding=(2, 0))), r(1, 2, 4, 5))
    t.add("conv_transpose2d_inputs", lambda x, w: F.conv_transpose2d(x, w, stride=2),
          r(1, 2, 4, 4), r(2, 3, 3, 3))
    for dtype, label in ((f16, "f16"), (bf16, "bf16")):
        for name, make in (("conv2d", lambda: nn.Conv2d(3, 4, 3, padding=1)),
                           ("conv2d_depthwise", lambda: nn.Conv2d(4, 4, 3, groups=4)),
                           ("conv1d", lambda: nn.Conv1d(3, 4, 3)),
                           ("conv_transpose2d", lambda: nn.ConvTranspose2d(3, 4, 3, stride=2))):
            size = (7,) if "1d" in name else (6, 7)
            channels = 4 if "depthwise" in name else 3
            t.add(f"{name}_{label}", Module(make), r(1, channels, *size, dtype=dtype), dtype=dtype)
    return t.rows


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.second(torch.relu(self.norm(self.first(x)))))
