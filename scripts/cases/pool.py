# SPDX-License-Identifier: Apache-2.0
"""Pools, resizing, pixel shuffles."""

import torch
import torch.nn.functional as F

from cases.kit import INT_FP, Table, bf16, f16, inf, nan, r, v


def pools(t):
    variants = (("", dict(kernel_size=2)), ("_stride", dict(kernel_size=3, stride=2)),
                ("_pad", dict(kernel_size=3, stride=2, padding=1)),
                ("_ceil", dict(kernel_size=3, stride=2, ceil_mode=True)),
                ("_ceil_pad", dict(kernel_size=3, stride=2, padding=1, ceil_mode=True)),
                ("_ceil_drop", dict(kernel_size=2, stride=3, padding=1, ceil_mode=True)),
                ("_sparse", dict(kernel_size=2, stride=4)), ("_one", dict(kernel_size=1, stride=2)))
    average = (("_exclude", dict(kernel_size=3, padding=1, count_include_pad=False)),
               ("_exclude_ceil", dict(kernel_size=3, stride=2, padding=1, ceil_mode=True,
                                      count_include_pad=False)),)
    divisor = (("_divisor", dict(kernel_size=3, stride=2, divisor_override=5)),
               ("_divisor_pad", dict(kernel_size=3, stride=2, padding=1, divisor_override=2,
                                     ceil_mode=True)))
    dilated = (("_dilation", dict(kernel_size=3, dilation=2)),
               ("_dilation_ceil", dict(kernel_size=2, stride=3, padding=1, dilation=3,
                                       ceil_mode=True)))
    for rank, size in ((1, (11,)), (2, (9, 12))):
        largest, mean = getattr(F, f"max_pool{rank}d"), getattr(F, f"avg_pool{rank}d")
        for label, options in (*variants, *dilated):
            t.add(f"max_pool{rank}d{label}", lambda x, f=largest, o=options: f(x, **o),
                  r(2, 3, *size, low=-5.0, high=-1.0),
                  modes="both" if label in ("", "_ceil_pad", "_dilation") else "training")
        for label, options in (*variants, *average, *(divisor if rank == 2 else ())):
            t.add(f"avg_pool{rank}d{label}", lambda x, f=mean, o=options: f(x, **o),
                  r(2, 3, *size), modes="both" if label in ("", "_ceil_pad") else "training")
        for output in (1, 2, 3, 4, 5):
            # Windows of unequal size where the output does not divide the input.
            adaptive = getattr(F, f"adaptive_avg_pool{rank}d")
            t.add(f"adaptive_avg_pool{rank}d_{output}", lambda x, f=adaptive, n=output: f(x, n),
                  r(2, 3, *size), modes="both" if output in (1, 3) else "training")
    t.add("adaptive_avg_pool2d_rect", lambda x: F.adaptive_avg_pool2d(x, (3, 4)), r(1, 2, 9, 12),
          modes="both")
    t.add("adaptive_avg_pool2d_none", lambda x: F.adaptive_avg_pool2d(x, (None, 4)), r(1, 2, 3, 8))
    t.add("adaptive_avg_pool2d_up", lambda x: F.adaptive_avg_pool2d(x, (5, 7)), r(1, 2, 3, 4))
    t.add("adaptive_avg_pool2d_unbatched", lambda x: F.adaptive_avg_pool2d(x, 1), r(2, 4, 5))
    t.add("adaptive_max_pool2d_divides", lambda x: F.adaptive_max_pool2d(x, 2), r(1, 2, 4, 6))
    t.add("max_pool2d_rect", lambda x: F.max_pool2d(x, (2, 3), (1, 2), (1, 0)), r(1, 2, 5, 8))
    t.add("avg_pool2d_rect", lambda x: F.avg_pool2d(x, (2, 3), (1, 2), (1, 0)), r(1, 2, 5, 8))
    t.add("max_pool2d_unbatched", lambda x: F.max_pool2d(x, 2), r(2, 4, 6))
    t.add("avg_pool2d_unbatched", lambda x: F.avg_pool2d(x, 2), r(2, 4, 6))
    t.add("max_pool2d_odd", lambda x: F.max_pool2d(x, 2, 2, 1),
          v([[[[nan, -inf, -inf, -inf], [1.0, -inf, -inf, inf], [0.0, -1.0, -inf, 2.0],
               [-3e38, -2.0, -inf, -inf]]]]))
    t.add("max_pool2d_lowest", lambda x: F.max_pool2d(x, 3, 1, 1), v([[[[-inf] * 3] * 3]]))
    t.add("avg_pool2d_inf", lambda x: F.avg_pool2d(x, 2), v([[[[inf, 1.0], [2.0, 3.0]]]]))
    for dtype, label in ((f16, "f16"), (bf16, "bf16")):
        t.add("max_pool2d_" + label, lambda x: F.max_pool2d(x, 3, 2, 1), r(1, 2, 7, 7, dtype=dtype))
        t.add("avg_pool2d_" + label, lambda x: F.avg_pool2d(x, 3, 2, 1), r(1, 2, 7, 7, dtype=dtype))
        t.add("adaptive_avg_pool2d_" + label, lambda x: F.adaptive_avg_pool2d(x, 1),
              r(1, 2, 7, 7, dtype=dtype))


def resizes(t):
    for scale in (2, 3, 1.6, 0.5, 0.3, 2.5):
        label = str(scale).replace(".", "p")
        t.add("nearest_scale_" + label,
              lambda x, s=scale: F.interpolate(x, scale_factor=s, mode="nearest"), r(1, 2, 4, 6),
              modes="both")
        for corners in (False, True):
            t.add(f"bilinear_scale_{label}_{'corners' if corners else 'half'}",
                  lambda x, s=scale, c=corners: F.interpolate(
                      x, scale_factor=s, mode="bilinear", align_corners=c), r(1, 2, 4, 6),
                  modes="both" if scale in (2, 0.5) else "training")
    for size in ((8, 12), (7, 5), (1, 1), (4, 6), (9, 3), (2, 2)):
        label = "x".join(map(str, size))
        t.add("nearest_size_" + label, lambda x, s=size: F.interpolate(x, size=s, mode="nearest"),
              r(1, 2, 4, 6))
        for corners in (False, True):
            t.add(f"bilinear_size_{label}_{'corners' if corners else 'half'}",
                  lambda x, s=size, c=corners: F.interpolate(
                      x, size=s, mode="bilinear", align_corners=c), r(1, 2, 4, 6))
    for mode in ("nearest", "bilinear"):
        t.add(mode + "_from_1x1", lambda x, m=mode: F.interpolate(x, size=(3, 4), mode=m),
              r(2, 2, 1, 1))
        t.add(mode + "_f16", lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m),
              r(1, 2, 3, 4, dtype=f16))
        t.add(mode + "_bf16", lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m),
              r(1, 2, 3, 4, dtype=bf16))
    t.add("bilinear_odd", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
          v([[[[1.0, -3.0], [0.5, 2.0]]]]))
    t.add("bilinear_down16", lambda x: F.interpolate(x, size=(2, 2), mode="bilinear"),
          r(1, 1, 32, 32))
    t.add("nearest1d", lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), r(1, 2, 5),
          modes="both")
    t.add("linear1d", lambda x: F.interpolate(x, scale_factor=2, mode="linear"), r(1, 2, 5),
          modes="core", target=INT_FP)
    for factor in (2, 3):
        t.add(f"pixel_shuffle{factor}", lambda x, n=factor: F.pixel_shuffle(x, n),
              r(2, 2 * factor * factor, 3, 4), modes="both")
        t.add(f"pixel_unshuffle{factor}", lambda x, n=factor: F.pixel_unshuffle(x, n),
              r(2, 2, 3 * factor, 2 * factor), modes="both")
    t.add("pixel_shuffle_rank3", lambda x: F.pixel_shuffle(x, 2), r(8, 3, 4))
    t.add("pixel_shuffle_rank5", lambda x: F.pixel_shuffle(x, 2), r(2, 2, 4, 3, 2))
    t.add("channel_shuffle", lambda x: F.channel_shuffle(x, 2), r(1, 6, 2, 3), modes="both")


def rows():
    t = Table()
    pools(t)
    resizes(t)
    return t.rows
