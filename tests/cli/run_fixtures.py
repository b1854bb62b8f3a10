#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stat, dedup and diff on real files: those in $TOSAC_FIXTURES/tosa, with stat.json's counts.

    run_fixtures.py TOSAC

Exit 0: all as expected; 1: not; 77: there are no fixtures.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    expect(done.returncode == 0, f"{command[1]} ended with {done.returncode}: "
           f"{done.stdout}{done.stderr}")
    return done.stdout


def check_stat(stat, counts, stay):
    pairs = {"file_bytes": "bytes", "blocks": "blocks", "operators": "ops", "tensors": "tensors",
             "by_op": "by_op"}
    for ours, theirs in pairs.items():
        expect(stat[ours] == counts[theirs],
               f"{ours} is {stat[ours]}, expected {counts[theirs]}")
    # stat.json compares stored bytes with their padding; logical bytes can only be equal more often.
    expect(stat["duplicate_constants"] >= counts["dup_consts"] - stay,
           f"{stat['duplicate_constants']} duplicates, at least {counts['dup_consts']} - {stay} "
           "expected")


def check(tosac, path, counts, at_most, stay, scratch):
    stat = json.loads(run(tosac, "stat", "--json", path))
    check_stat(stat, counts, stay)
    once, twice = scratch / "once.tosa", scratch / "twice.tosa"
    report = json.loads(run(tosac, "dedup", "--json", path, "-o", once))
    after = report["operators"]["after"]
    expect(report["operators"]["before"] - after == stat["duplicate_constants"],
           "dedup does not remove what stat counts")
    expect(len(report["renamed"]) == stat["duplicate_constants"], "not every removal is reported")
    if at_most is not None:
        expect(after <= at_most, f"{after} operators, at most {at_most} expected")
    expect(run(tosac, "diff", path, once) == "equal\n", "diff says different")
    run(tosac, "dedup", once, "-o", twice)
    expect(once.read_bytes() == twice.read_bytes(), "not idempotent")
    smaller = json.loads(run(tosac, "stat", "--json", once))
    for key in ("version", "inputs", "outputs", "macs", "blocks"):
        expect(smaller[key] == stat[key], f"{key} changed")
    constants = ("CONST", "CONST_SHAPE")
    others = [{k: v for k, v in s["by_op"].items() if k not in constants} for s in (stat, smaller)]
    expect(others[0] == others[1], "other operators changed")
    return f"{stat['operators']} -> {after} operators"


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    fixtures = os.environ.get("TOSAC_FIXTURES")
    directory = pathlib.Path(fixtures or "") / "tosa"
    if not fixtures or not (directory / "stat.json").is_file():
        print("SKIPPED: TOSAC_FIXTURES names no directory with tosa/stat.json")
        return SKIP
    counts = json.loads((directory / "stat.json").read_text())
    counts.pop("note", None)
    table = json.loads((HERE / "fixtures.json").read_text())
    at_most = table["operators after dedup, at most"]
    stay = table["equal constants that stay, being outputs"]
    failed = 0
    missing = at_most.keys() - counts.keys()
    for name in sorted(missing):
        failed += 1
        print(f"FAILED {name}: stat.json does not know it")
    for name in sorted(counts):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                print(name, check(sys.argv[1], directory / name, counts[name], at_most.get(name),
                                  stay.get(name, 0), pathlib.Path(scratch)))
            except Failure as failure:
                failed += 1
                print(f"FAILED {name}: {failure}")
    print(f"{len(counts) + len(missing) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
