#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the operator cases of tests/models/cases: archives, inputs, and eager PyTorch's outputs.

    python scripts/make_cases.py [--check] [FAMILY ...]

Needs torch==2.13.0. The tables are in scripts/cases/FAMILY.py; each makes one pack, a directory of
NAME.pt2, NAME.npz and cases.json (the format is told in tests/models/run_models.py). The files are
a function of the tables: run twice, nothing changes. A family's directory is rewritten whole.
"""

import os

# Before torch is imported: the same sums on every machine.
os.environ["ATEN_CPU_CAPABILITY"] = "default"
os.environ["MKL_CBWR"] = "COMPATIBLE"

import argparse
import importlib
import io
import json
import pathlib
import shutil
import sys
import warnings
import zlib

import numpy as np
import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cases.kit import Call, FAMILIES, Module, Rand  # noqa: E402
from cases.slim import slim_entries, write_zip  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "models" / "cases"


def entries_of(exported, samples=False):
    raw = io.BytesIO()
    torch.export.save(exported, raw)
    return slim_entries(raw, samples)


def to_numpy(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    return tensor.numpy()


def write_arrays(path, inputs, outputs):
    entries = []
    for prefix, tensors in (("in", inputs), ("out", outputs)):
        for i, tensor in enumerate(tensors):
            data = io.BytesIO()
            np.lib.format.write_array(data, to_numpy(tensor), allow_pickle=False)
            entries.append((f"{prefix}{i}.npy", data.getvalue()))
    write_zip(path, entries)


def liven(module, generator):
    """Norms as they are after training: weights not 1, biases not 0, running statistics too."""
    for part in module.modules():
        if "Norm" not in type(part).__name__:
            continue
        for name, tensor in [*part.named_parameters(recurse=False),
                             *part.named_buffers(recurse=False)]:
            if tensor.is_floating_point():
                positive = "weight" in name or "var" in name
                value = torch.rand(tensor.shape, generator=generator) + 0.5 if positive else \
                    torch.randn(tensor.shape, generator=generator) * 0.3
                tensor.data.copy_(value)


def build(row):
    seed = zlib.crc32(row.name.encode())
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    if isinstance(row.function, Module):
        module = row.function.make()
        liven(module, generator)
        if row.dtype is not None:
            module = module.to(row.dtype)
    else:
        module = Call(row.function)
    inputs = tuple(x.make(generator) if isinstance(x, Rand) else x for x in row.inputs)
    return module.eval(), inputs


def clone(inputs):
    return tuple(x.clone() for x in inputs)


def tensors_of(result):
    return [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]


def same(a, b):
    return len(a) == len(b) and all(
        x.dtype == y.dtype and torch.allclose(x, y, rtol=1e-3, atol=1e-3, equal_nan=True)
        for x, y in zip(a, b))


def check(program, inputs, outputs):
    """That PyTorch itself takes the slimmed archive and computes the same from it."""
    slim = io.BytesIO()
    write_zip(slim, entries_of(program, samples=True))
    loaded = torch.export.load(io.BytesIO(slim.getvalue()))
    if not same(tensors_of(loaded.module()(*clone(inputs))), outputs):
        raise ValueError("the archive does not compute what eager PyTorch does")


def make_row(directory, row, checking):
    module, inputs = build(row)
    with torch.no_grad():
        outputs = [t.clone() for t in tensors_of(module(*clone(inputs)))]
    table = []
    exported = None
    for mode in row.modes:
        name = row.name if mode == "training" else row.name + "__core"
        if exported is None:
            with torch.no_grad():
                exported = torch.export.export(module, clone(inputs), strict=False)
        program = exported.run_decompositions() if mode == "core" else exported
        write_zip(directory / (name + ".pt2"), entries_of(program))
        if checking:
            check(program, inputs, outputs)
        entry = {"name": name, "mode": mode, **row.options}
        if name != row.name:
            entry["arrays"] = row.name + ".npz"
        table.append(entry)
    write_arrays(directory / (row.name + ".npz"), inputs, outputs)
    return table


def make_family(family, checking):
    rows = importlib.import_module("cases." + family).rows()
    names = [row.name for row in rows]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise SystemExit(f"{family}: names given twice: {sorted(twice)}")
    directory = OUT / family
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    table = []
    for row in rows:
        try:
            table += make_row(directory, row, checking)
        except Exception as failure:
            raise SystemExit(f"{family}/{row.name}: {type(failure).__name__}: {failure}")
    lines = ",\n".join("  " + json.dumps(entry) for entry in table)
    (directory / "cases.json").write_text('{"cases": [\n' + lines + "\n]}\n")
    size = sum(f.stat().st_size for f in directory.iterdir())
    print(f"{family}: {len(table)} cases, {size} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--check", action="store_true",
                        help="load each archive with torch again and compare")
    options = parser.parse_args()
    if not torch.__version__.startswith("2.13.0"):
        raise SystemExit(f"torch 2.13.0 is needed, this is {torch.__version__}")
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    torch.backends.mha.set_fastpath_enabled(False)
    for family in options.families or FAMILIES:
        make_family(family, options.check)


if __name__ == "__main__":
    main()
