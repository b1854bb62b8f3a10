#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two .tosa files in tosa_reference_model on the same random inputs and compares the bytes.

    compare_reference.py A.tosa [B.tosa] [--seed N] [--runs N]

Without B, A is compared with what `tosac dedup` makes of it.

The inputs follow A's interface, which `tosac stat --json` tells. Each run has a process of its own,
since the reference model ends its process on a bad file. Needs numpy and tosa_reference_model
(PyPI: tosa-tools).

Exit 0: bit-identical; 1: they differ; 2: one of them does not run; 77: what is needed is missing.
"""

import argparse
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent

try:
    import numpy as np
    import tosa_reference_model
except ImportError as missing:
    print(f"SKIPPED: {missing}", file=sys.stderr)
    sys.exit(SKIP)

INTEGERS = {"INT8": np.int8, "INT16": np.int16, "INT32": np.int32, "INT64": np.int64}


def interface(tosac, path):
    """[(dtype name, shape)] of the inputs of a file."""
    done = subprocess.run([tosac, "stat", "--json", path], capture_output=True, check=True)
    return [(i["dtype"], i["shape"]) for i in json.loads(done.stdout)["inputs"]]


def random_input(rng, dtype, shape):
    if dtype == "BOOL":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype in INTEGERS:
        high = 128 if dtype == "INT8" else 1000
        return rng.integers(-high, high, shape).astype(INTEGERS[dtype])
    values = rng.standard_normal(shape).astype(np.float32)
    if dtype == "FP32":
        return values
    if dtype == "FP16":
        return values.astype(np.float16)
    raise SystemExit(f"inputs of {dtype} are not known here")


def child():
    """In a process of its own: (file, inputs) on stdin, the outputs' bytes on descriptor argv[2]."""
    path, inputs = pickle.load(sys.stdin.buffer)
    outputs, status = tosa_reference_model.run(pathlib.Path(path).read_bytes(), inputs)
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        sys.exit(f"{path}: {status}")
    # The reference model prints, so the answer has a descriptor of its own.
    with os.fdopen(int(sys.argv[2]), "wb") as answer:
        pickle.dump([np.asarray(o).tobytes() for o in outputs], answer)


def run(path, inputs, timeout):
    read_end, write_end = os.pipe()
    command = [sys.executable, __file__, "--child", str(write_end)]
    log = tempfile.TemporaryFile()  # it always says something; shown when it fails
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log,
                               pass_fds=[write_end])
    os.close(write_end)
    try:
        process.stdin.write(pickle.dumps((path, inputs)))
        process.stdin.close()
        with os.fdopen(read_end, "rb") as answer:
            outputs = answer.read()
        code = process.wait(timeout)
    finally:
        process.kill()
    if code != 0:
        log.seek(0)
        sys.stderr.write(log.read().decode(errors="replace"))
        print(f"{path}: the reference model ended with {code}", file=sys.stderr)
        sys.exit(2)
    return pickle.loads(outputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("a")
    parser.add_argument("b", nargs="?")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--tosac", default=os.environ.get("TOSAC", HERE.parent / "build" / "tosac"))
    options = parser.parse_args()
    if options.b is None:
        with tempfile.TemporaryDirectory() as directory:
            options.b = os.path.join(directory, "deduplicated.tosa")
            subprocess.run([options.tosac, "dedup", options.a, "-o", options.b], check=True)
            return compare(options)
    return compare(options)


def compare(options):
    inputs_of_a = interface(options.tosac, options.a)
    rng = np.random.default_rng(options.seed)
    for _ in range(options.runs):
        inputs = [random_input(rng, dtype, shape) for dtype, shape in inputs_of_a]
        a = run(options.a, inputs, options.timeout)
        b = run(options.b, inputs, options.timeout)
        if len(a) != len(b):
            print(f"different: {len(a)} and {len(b)} outputs")
            return 1
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                print(f"different: output {i} of {len(a)}")
                return 1
    print(f"identical: {len(a)} outputs, {sum(map(len, a))} bytes")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child()
    else:
        sys.exit(main())
