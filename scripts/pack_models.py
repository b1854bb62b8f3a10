#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs model directories (model.pt2, inN.npy, outN.npy) into tests/models/archives.

    python scripts/pack_models.py DIRECTORY ...

Entries are deflated, sample inputs and module stacks left out; inputs and outputs go to one .npz.
The pack is rewritten whole. Needs no torch and no numpy.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cases.slim import slim_entries, write_zip  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "models" / "archives"


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.iterdir():
        old.unlink()
    table = []
    for directory in map(pathlib.Path, sys.argv[1:]):
        name = directory.name
        write_zip(OUT / (name + ".pt2"), slim_entries(directory / "model.pt2",
                                                      shorten_traces=False))
        arrays = sorted(directory.glob("in*.npy")) + sorted(directory.glob("out*.npy"))
        write_zip(OUT / (name + ".npz"), [(a.name, a.read_bytes()) for a in arrays])
        table.append({"name": name, "timeout": 300})
        size = (OUT / (name + ".pt2")).stat().st_size + (OUT / (name + ".npz")).stat().st_size
        print(f"{name}: {size} bytes")
    lines = ",\n".join("  " + json.dumps(entry) for entry in table)
    (OUT / "cases.json").write_text('{"cases": [\n' + lines + "\n]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
