#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden tests of the command line.

    run.py TOSAC [--bless] [NAME...]

A case is a file cases/NAME.txt:

    $ tosac dedup $DATA/mlp_fp.tosa -o out.tosa
    $ cmp out.tosa $DATA/small.tosa
    --- exit 0
    --- stdout
    operators                 22 -> 19
    --- stderr
    tosac: ...

Each "$ " line is a line of a shell script that runs in an empty directory of its own. $ROOT is the
repository, $DATA its tests/data, $CORPUS its fuzz/corpus/tosa; in the output the repository reads
"$ROOT". Sections that are missing are empty; "exit" is that of the last line. Lines of the expected
output that end in "..." match any end of the line; a line "..." alone matches any number of lines.
--bless writes what was found (and keeps an output that matches as it is).

Exit 0: all as expected; 1: not.
"""

import argparse
import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIMEOUT = 120


@dataclasses.dataclass
class Case:
    head: list  # comments and commands, as they stand in the file
    exit: int = 0
    stdout: str = ""
    stderr: str = ""

    def commands(self):
        return "\n".join(line[2:] for line in self.head if line.startswith("$ "))

    def text(self):
        parts = [*self.head, f"--- exit {self.exit}"]
        for name in ("stdout", "stderr"):
            content = getattr(self, name)
            if content:
                parts += [f"--- {name}", content.removesuffix("\n")]
        return "\n".join(parts) + "\n"


def parse(path):
    case = Case([])
    section = None
    lines = {"stdout": [], "stderr": []}
    for line in path.read_text().splitlines():
        if line.startswith("--- exit "):
            case.exit = int(line.removeprefix("--- exit "))
            section = ""
        elif line in ("--- stdout", "--- stderr"):
            section = line[4:]
        elif section is None:
            case.head.append(line)
        elif section:
            lines[section].append(line)
        else:
            raise SystemExit(f"{path}: \"{line}\" stands in no section")
    if not case.commands():
        raise SystemExit(f"{path}: no command")
    case.stdout, case.stderr = ("".join(l + "\n" for l in lines[k]) for k in ("stdout", "stderr"))
    return case


def matches(want, got):
    """Do the lines of `got` match those of `want`?"""
    if not want:
        return not got
    if want[0] == "...":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    if not got:
        return False
    first = (got[0].startswith(want[0][:-3]) if want[0].endswith("...") else want[0] == got[0])
    return first and matches(want[1:], got[1:])


def run(case, tosac):
    with tempfile.TemporaryDirectory() as directory:
        env = dict(os.environ, PATH=f"{pathlib.Path(tosac).parent}:{os.environ['PATH']}",
                   DATA=str(ROOT / "tests" / "data"),
                   CORPUS=str(ROOT / "fuzz" / "corpus" / "tosa"), ROOT=str(ROOT), LC_ALL="C")
        done = subprocess.run(["bash", "-c", case.commands()], cwd=directory, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)

    def clean(raw):
        text = raw.decode(errors="backslashreplace").replace(str(ROOT), "$ROOT")
        return text if not text or text.endswith("\n") else text + "\n"
    return Case(case.head, done.returncode, clean(done.stdout), clean(done.stderr))


def check(path, tosac, bless):
    """What is wrong, in words; empty when all is well."""
    case = parse(path)
    try:
        got = run(case, tosac)
    except subprocess.TimeoutExpired:
        return f"took more than {TIMEOUT} s"
    wrong = []
    for name in ("stdout", "stderr"):
        want, have = (getattr(c, name).splitlines() for c in (case, got))
        if matches(want, have):
            setattr(got, name, getattr(case, name))  # a pattern that holds is kept
        else:
            wrong += difflib.unified_diff(want, have, f"expected {name}", name, lineterm="")
    if case.exit != got.exit:
        wrong.append(f"exit {got.exit}, expected {case.exit}")
    if wrong and bless:
        path.write_text(got.text())
        return ""
    return "\n".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tosac", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--bless", action="store_true")
    options = parser.parse_args()
    tosac = options.tosac.resolve()
    if not tosac.is_file():
        raise SystemExit(f"{tosac}: no such file")
    paths = [p for p in sorted((HERE / "cases").glob("*.txt"))
             if not options.names or p.stem in options.names]
    if not paths:
        raise SystemExit("no such case")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for path, wrong in zip(paths, pool.map(lambda p: check(p, tosac, options.bless), paths)):
            if wrong:
                failed += 1
                print(f"FAILED {path.stem}\n{wrong}\n")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
