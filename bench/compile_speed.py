#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `tosac compile` of an archive against `cp` of it, and against ExecuTorch.

    compile_speed.py TOSAC MODEL.pt2 [--pairs N] [--stored] [--executorch]

Whole commands, in pairs, with the archive in the page cache; medians, and the most memory that the
compiler held. --stored first copies the archive with its entries stored, as torch.export.save
writes them. --executorch also times ExecuTorch's to_edge_transform_and_lower for the same archive
once, in a process of its own (PyPI: torch, executorch; the interpreter that runs this script).
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import zipfile

from dedup_vs_cp import paired

EXECUTORCH = """
import sys, time
import torch
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.exir import to_edge_transform_and_lower
program = torch.export.load(sys.argv[1])
start = time.perf_counter()
to_edge_transform_and_lower(program, partitioner=[TOSAPartitioner(TosaCompileSpec("TOSA-1.0+FP"))])
print("seconds", time.perf_counter() - start)
"""


def store(archive, copy):
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(copy, "w") as target:
        for info in source.infolist():
            target.writestr(zipfile.ZipInfo(info.filename), source.read(info))


def executorch_seconds(archive):
    run = subprocess.run([sys.executable, "-c", EXECUTORCH, str(archive)], capture_output=True,
                         text=True, check=False)
    lines = [line for line in run.stdout.splitlines() if line.startswith("seconds ")]
    if not lines:
        raise SystemExit(f"ExecuTorch could not lower {archive}:\n{run.stderr[-2000:]}")
    return float(lines[-1].split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tosac", type=pathlib.Path)
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("--executorch", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = options.archive
        if options.stored:
            archive = pathlib.Path(folder) / "stored.pt2"
            store(options.archive, archive)
        compile_command = [options.tosac, "compile", archive, "-o", f"{folder}/out.tosa"]
        copy_command = ["cp", "--reflink=never", archive, f"{folder}/copy.pt2"]
        ours, copy, ratio = paired(compile_command, copy_command, options.pairs)
        print(f"{archive.stat().st_size:,} bytes of archive,"
              f" {pathlib.Path(folder, 'out.tosa').stat().st_size:,} of .tosa")
        print(f"compile {ours * 1e3:9.2f} ms   cp {copy * 1e3:9.2f} ms   ratio {ratio:.2f}")
        # The largest child so far; cp is far smaller.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(f"peak memory {peak / 1e6:.1f} MB, mapping included")
        if options.executorch:
            theirs = executorch_seconds(options.archive)
            print(f"ExecuTorch {theirs:.1f} s: {theirs / ours:,.0f} times as long")


if __name__ == "__main__":
    main()
