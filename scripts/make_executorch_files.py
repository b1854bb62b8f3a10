#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the .tosa files that ExecuTorch's Arm backend makes from a PyTorch archive.

    make_executorch_files.py MODEL.pt2 OUT.tosa [--target TOSA-1.0+FP]

A model that the backend splits into several delegates gives OUT_0.tosa, OUT_1.tosa and so on.
Needs torch and executorch (PyPI). Exit 77 where they are missing.
"""

import argparse
import pathlib
import sys
import tempfile


def lower(archive, target):
    """The .tosa files' contents, in the order of the delegates."""
    import torch
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = torch.export.load(archive)
    with tempfile.TemporaryDirectory() as directory:
        spec = TosaCompileSpec(target).dump_intermediate_artifacts_to(directory)
        to_edge_transform_and_lower(program, partitioner=[TOSAPartitioner(spec)])
        files = sorted(pathlib.Path(directory).rglob("*.tosa"))
        return [file.read_bytes() for file in files]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--target", default="TOSA-1.0+FP")
    options = parser.parse_args()
    try:
        import executorch  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: {error}", file=sys.stderr)
        return 77
    contents = lower(options.archive, options.target)
    if not contents:
        print(f"{options.archive}: the backend took no part of the model", file=sys.stderr)
        return 1
    for i, content in enumerate(contents):
        path = options.output
        if len(contents) > 1:
            path = path.with_name(f"{path.stem}_{i}{path.suffix}")
        path.write_bytes(content)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
