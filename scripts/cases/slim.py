# SPDX-License-Identifier: Apache-2.0
"""Archives without what no reader needs, as bytes that depend on nothing but their content."""

import json
import re
import zipfile
import zlib

# Sample inputs (a pickle) and the writer's own notes are left out.
KEPT = re.compile(r"[^/]+/(archive_format|archive_version|byteorder|\.data/version|models/.*"
                  r"|data/weights/.*|data/constants/.*)$")


def shorten(trace):
    """A stack trace without the machine's directories and the tables' line numbers."""
    trace = re.sub(r'File "(?:[^"]*/)?([^"/]+)", line \d+', r'File "\1", line 1', trace)
    frames = re.split(r"(?=File \")", trace)
    own = [f for f in frames if f.startswith('File "') and 'File "kit.py"' not in f]
    return ("".join(own) or 'File "case.py", line 1, in forward').rstrip()


def slim_program(text, shorten_traces=True):
    program = json.loads(text)
    for node in program["graph_module"]["graph"]["nodes"]:
        metadata = node.get("metadata", {})
        kept = {k: v for k, v in metadata.items() if k == "stack_trace"}
        if kept and shorten_traces:
            kept["stack_trace"] = shorten(kept["stack_trace"])
        node["metadata"] = kept
    program["torch_version"] = "2.13.0"
    return json.dumps(program, separators=(",", ":")).encode()


def slim_entries(file, samples=False, shorten_traces=True):
    """The entries of an archive that are kept; `samples` adds the one that torch's loader wants."""
    entries = []
    with zipfile.ZipFile(file) as pack:
        for name in pack.namelist():
            if KEPT.match(name) or (samples and "/data/sample_inputs/" in name):
                data = pack.read(name)
                if "/models/" in name:
                    data = slim_program(data, shorten_traces)
                entries.append(("m/" + name.split("/", 1)[1], data))
    return entries


def write_zip(path, entries):
    """A zip whose bytes depend on nothing but `entries`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as pack:
        for name, data in entries:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            deflated = len(zlib.compress(data, 9)) - 6 < len(data)
            info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
            pack.writestr(info, data, compresslevel=9)
