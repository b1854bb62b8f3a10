#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `tosac dedup` of a file against `cp --reflink=never`, and against model-converter.

    dedup_vs_cp.py TOSAC [FILE.tosa] [--pairs N] [--at-most RATIO]

Whole commands, in pairs, one after the other, with the file in the page cache; medians. Without
FILE a file of 100 MB is made (--megabytes), of weights that differ and small constants that repeat.
model-converter (PyPI: ai-ml-sdk-model-converter) is found on PATH or named with --model-converter.

Exit 0; 1 where --at-most is given and dedup took longer than that many times cp.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from synthetic_tosa import synthetic


def seconds(command):
    start = time.perf_counter()
    done = subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    took = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {done.returncode}")
    return took


def paired(a, b, count):
    """Medians of both and of the ratio, after one pair that does not count. The order alternates."""
    times = []
    for i in range(count + 1):
        if i % 2 == 0:
            first = seconds(a)
            pair = first, seconds(b)
        else:
            second = seconds(b)
            pair = seconds(a), second
        if i > 0:
            times.append(pair)
    return [statistics.median(column) for column in
            ([x for x, _ in times], [y for _, y in times], [x / y for x, y in times])]


def anonymous_memory(command):
    """The most anonymous memory that the command has whenever it is looked at, in bytes."""
    most = 0
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    most = max(most, int(line.split()[1]) * 1024)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return most


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tosac", type=pathlib.Path)
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--at-most", type=float)
    parser.add_argument("--model-converter", default=shutil.which("model-converter"))
    options = parser.parse_args()
    tosac = options.tosac.resolve()
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        file = options.file
        if file is None:
            file = scratch / "synthetic.tosa"
            file.write_bytes(synthetic(options.megabytes))
        stat = json.loads(subprocess.run([tosac, "stat", "--json", file], check=True,
                                         capture_output=True).stdout)
        dedup = [tosac, "dedup", file, "-o", scratch / "out.tosa"]
        copy = ["cp", "--reflink=never", file, scratch / "copy.tosa"]
        print(f"{file.name}: {stat['file_bytes'] / 1e6:.1f} MB, {stat['constants']} constants, "
              f"{stat['duplicate_constants']} of them duplicates; {options.pairs} pairs")
        ours, theirs, ratio = paired(dedup, copy, options.pairs)
        print(f"dedup {ours * 1e3:8.1f} ms   cp {theirs * 1e3:8.1f} ms   ratio {ratio:.2f}")
        if options.model_converter:
            convert = [options.model_converter, "--tosa-flatbuffer", "-i", file, "-o",
                       scratch / "converted.tosa"]
            ours, theirs, other = paired(dedup, convert, options.pairs)
            print(f"dedup {ours * 1e3:8.1f} ms   model-converter {theirs * 1e3:8.1f} ms   "
                  f"{1 / other:.0f} times faster")
        else:
            print("model-converter is not on PATH: not compared")
        for name, command in (("dedup", dedup), ("stat", [tosac, "stat", file])):
            most = max(anonymous_memory(command) for _ in range(5))
            print(f"{name}: {most / 1e6:.1f} MB of anonymous memory")
    if options.at_most is not None and ratio > options.at_most:
        print(f"slower than {options.at_most} times cp")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
