#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails for every ATen operator on stdin that no committed case calls.

    tosac compile --list-operators | check_coverage.py [PACK ...]

stdin has one operator a line ("aten.relu.default"); what follows the first blank is ignored. Exit
0: each is called by a case; 1: some are not; 2: nothing on stdin.
"""

import json
import pathlib
import re
import sys
import zipfile


def calls_of(archive):
    """The operators that an archive's program calls, submodules of control flow included."""
    calls = set()
    with zipfile.ZipFile(archive) as pack:
        for name in pack.namelist():
            if re.fullmatch(r"[^/]+/models/[^/]+\.json", name):
                visit(json.loads(pack.read(name)), calls)
    return calls


def visit(value, calls):
    if isinstance(value, list):
        for part in value:
            visit(part, calls)
    elif isinstance(value, dict):
        for node in value.get("nodes", []):
            calls.add(node["target"].removeprefix("torch.ops."))
        for part in value.values():
            visit(part, calls)


def main():
    here = pathlib.Path(__file__).resolve().parent
    roots = [pathlib.Path(a) for a in sys.argv[1:]] or [here / "cases", here / "archives"]
    rows = {line.split()[0] for line in sys.stdin if line.strip()}
    if not rows:
        print("no operator on stdin", file=sys.stderr)
        return 2
    count = dict.fromkeys(rows, 0)
    archives = [a for root in roots for a in sorted(root.rglob("*.pt2"))]
    for archive in archives:
        for call in calls_of(archive) & rows:
            count[call] += 1
    without = sorted(row for row, n in count.items() if n == 0)
    for row in without:
        print(f"no case calls {row}")
    print(f"{len(rows)} operators, {len(without)} without a case; {len(archives)} archives")
    return 1 if without else 0


if __name__ == "__main__":
    sys.exit(main())
