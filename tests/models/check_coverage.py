#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails for every ATen operator that tosac lowers and no committed case calls.

    check_coverage.py --tosac PATH        (asks it: tosac compile --list-operators)
    ... | check_coverage.py               (the list on stdin)

The list has one operator a line ("aten.relu.default"); what follows the first blank is ignored.
Cases of which a refusal is expected do not count. Exit 0: each is called by a case; 1: some are
not; 2: there is no list.
"""

import argparse
import json
import pathlib
import re
import subprocess
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


def archives_of(root):
    """The archives under `root`, without those that must be refused."""
    refused = set()
    for table in root.rglob("cases.json"):
        for row in json.loads(table.read_text())["cases"]:
            if "expect_error" in row:
                refused.add(table.parent / (row["name"] + ".pt2"))
    return [a for a in sorted(root.rglob("*.pt2")) if a not in refused]


def listed(tosac):
    if tosac is None:
        return sys.stdin.read()
    result = subprocess.run([tosac, "compile", "--list-operators"], capture_output=True, text=True)
    if result.returncode != 0:
        print(result.stderr, file=sys.stderr)
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tosac", help="ask this tosac; without: the list is on stdin")
    options = parser.parse_args()
    rows = {line.split()[0] for line in listed(options.tosac).splitlines() if line.strip()}
    if not rows:
        print("no list of operators", file=sys.stderr)
        return 2
    here = pathlib.Path(__file__).resolve().parent
    count = dict.fromkeys(rows, 0)
    archives = archives_of(here / "cases") + archives_of(here / "archives")
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
