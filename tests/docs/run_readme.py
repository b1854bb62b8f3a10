#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command that README.md and docs/*.md show, so that they stay true.

    run_readme.py TOSAC

Each page's ```sh blocks are run in order, by bash -e, in one temporary directory that sees the
repository's files and has tosac on PATH. A ```text block right after one is its standard output,
exactly, but for a line "..." which stands for any lines. Blocks marked ```sh setup are not run:
they hold the scripts that call this test; here it is checked that such a script exists.
Exit 0: all as shown; 1: something is not.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```(\w*) *(.*)\n((?:(?!```).*\n)*)```$", re.M)


def as_pattern(text):
    """A regular expression for what a text block shows."""
    parts = [r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line)
             for line in text.splitlines(keepends=True)]
    return re.compile("".join(parts))


def check_setup(page, script):
    wrong = []
    for line in filter(None, map(str.strip, script.splitlines())):
        command = line.split()[0]
        if not command.startswith("scripts/") or not os.access(ROOT / command, os.X_OK):
            wrong.append(f"{page}: a setup block may only call a script of scripts/: {line}")
    return wrong


def run_page(page, environment):
    """Problems found, and the number of blocks run."""
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    problems, runs = [], 0
    with tempfile.TemporaryDirectory() as work:
        for entry in ROOT.iterdir():
            if not entry.name.startswith((".", "build")):
                (pathlib.Path(work) / entry.name).symlink_to(entry)
        for block, following in zip(blocks, blocks[1:] + [None]):
            language, mark, script = block.groups()
            if language != "sh":
                continue
            place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, block.start()) + 1}"
            if mark == "setup":
                problems += check_setup(place, script)
                continue
            runs += 1
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=work,
                                  env=environment, stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, timeout=300)
            if done.returncode != 0:
                problems.append(f"{place}: exit {done.returncode}\n{script}{done.stderr}")
            elif (following and following[1] == "text"
                  and not text[block.end():following.start()].strip()
                  and not as_pattern(following[3]).fullmatch(done.stdout)):
                problems.append(f"{place}: shown:\n{following[3]}but it prints:\n{done.stdout}")
    return problems, runs


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    tosac = pathlib.Path(sys.argv[1]).resolve()
    environment = dict(os.environ, PATH=f"{tosac.parent}:{os.environ['PATH']}")
    problems, runs = [], 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        more, count = run_page(page, environment)
        problems += more
        runs += count
    print("\n".join(problems))
    print(f"{runs} blocks run, {len(problems)} problems")
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
