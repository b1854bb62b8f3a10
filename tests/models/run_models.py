#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles PyTorch archives with tosac and compares the results with eager PyTorch's numbers.

A case is an archive, its inputs and the outputs that eager PyTorch gave. Each is compiled, checked
against its interface, validated, and run in tosa_reference_model (in a process of its own, since
it may die). Needs numpy and tosa_reference_model (PyPI: tosa-tools); torch is not needed.

A path argument is one of
  a pack:      a directory with cases.json, NAME.pt2 and NAME.npz (in0, in1, ..., out0, ...);
  a case:      a directory with model.pt2, inN.npy, outN.npy (and perhaps case.json);
  a directory  of packs or cases.
Without paths: the cases beside this script and, where TOSAC_FIXTURES is set, its pt2/ and cases/.

Exit 0: all pass; 1: some fail; 2: usage; 77: what is needed to run is missing.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent

try:
    import numpy as np
except ImportError:
    print("SKIPPED: numpy is not importable by " + sys.executable)
    sys.exit(SKIP)

# The archive's ScalarType numbers that cases use.
SCALAR_TYPES = {2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32",
                8: "float64", 12: "bool", 13: "bfloat16"}
# TOSA's DType numbers (schema of 1.0).
TOSA_TYPES = {1: "bool", 2: "int4", 3: "int8", 4: "int16", 5: "int32", 6: "int48", 7: "float32",
              8: "float16", 9: "bfloat16", 10: "shape", 11: "fp8e4m3", 12: "fp8e5m2",
              17: "int64"}
TOLERANCES = {"float32": 1e-5, "float16": 1e-3, "bfloat16": 1e-2}
EXTENSIONS = {"bf16": "bf16", "fp8e4m3": "fp8e4m3", "fp8e5m2": "fp8e5m2", "int16": "int16",
              "int4": "int4", "fft": "fft", "var": "variable", "cf": "controlflow",
              "shape": "shape", "int64": "int64", "mxfp": "mxfp"}


@dataclasses.dataclass
class Case:
    name: str
    archive: pathlib.Path
    arrays: pathlib.Path  # an .npz, or the directory of .npy files
    target: str = "TOSA-1.0+FP"
    tolerance: float | None = None  # None: by dtype
    each: bool = False  # the error of each element is relative to that element
    signs_of_zero: bool = False
    expect_error: str | None = None  # the rule of the diagnostic
    timeout: float = 120.0


@dataclasses.dataclass
class Outcome:
    name: str
    status: str  # passed, failed, skipped
    detail: str = ""
    operators: int = 0
    error: float = 0.0
    seconds: float = 0.0


class Failure(Exception):
    pass


# ---- cases ----

def cases_of_pack(pack):
    table = json.loads((pack / "cases.json").read_text())
    fields = {f.name for f in dataclasses.fields(Case)}
    for row in table["cases"]:
        known = {k: v for k, v in row.items() if k in fields - {"name", "arrays"}}
        yield Case(name=f"{pack.name}/{row['name']}", archive=pack / (row["name"] + ".pt2"),
                   arrays=pack / row.get("arrays", row["name"] + ".npz"), **known)


def cases_of(path, overrides):
    if (path / "cases.json").is_file():
        yield from cases_of_pack(path)
    elif (path / "model.pt2").is_file():
        row = dict(overrides.get(path.name, {}))
        if (path / "case.json").is_file():
            row.update(json.loads((path / "case.json").read_text()))
        row.pop("why", None)
        yield Case(name=path.name, archive=path / "model.pt2", arrays=path, **row)
    else:
        found = False
        for child in sorted(path.iterdir()):
            if (child / "cases.json").is_file() or (child / "model.pt2").is_file():
                found = True
                yield from cases_of(child, overrides)
        if not found:
            raise SystemExit(f"{path}: neither a pack, nor a case, nor a directory of them")


def default_paths():
    paths = [HERE / "cases", HERE / "archives"]
    fixtures = os.environ.get("TOSAC_FIXTURES")
    if fixtures:
        paths += [pathlib.Path(fixtures) / "pt2", pathlib.Path(fixtures) / "cases"]
    return [p for p in paths if p.is_dir()]


def load_arrays(case):
    """(inputs, outputs) as the case's files have them."""
    found = {}
    if case.arrays.is_dir():
        for file in case.arrays.glob("*.npy"):
            found[file.stem] = np.load(file)
    elif case.arrays.is_file():
        with np.load(case.arrays) as pack:
            found = {key: pack[key] for key in pack.files}
    def take(prefix):
        count = 0
        while f"{prefix}{count}" in found:
            count += 1
        return [found[f"{prefix}{i}"] for i in range(count)]
    return take("in"), take("out")


def read_interface(archive):
    """dtypes of the tensors that the user passes and gets, in order, from the archive's JSON."""
    with zipfile.ZipFile(archive) as pack:
        entry = [n for n in pack.namelist() if re.fullmatch(r"[^/]+/models/[^/]+\.json", n)][0]
        program = json.loads(pack.read(entry), parse_constant=float)
    module = program["graph_module"]
    values = module["graph"]["tensor_values"]

    def dtypes(specs, kind):
        result = []
        for spec in specs:
            arg = spec.get(kind, {}).get("arg", {})
            if "as_tensor" in arg:
                result.append(SCALAR_TYPES[values[arg["as_tensor"]["name"]]["dtype"]])
        return result

    signature = module["signature"]
    return (dtypes(signature["input_specs"], "user_input"),
            dtypes(signature["output_specs"], "user_output"))


def bfloat16_bits(array):
    """The bits of an array that holds bfloat16 values as FP32, or already as 16-bit words."""
    if array.dtype.itemsize == 2:
        return array.view(np.uint16)
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32).reshape(array.shape)
    if (bits & 0xFFFF).any():
        raise Failure("the case holds a value that bfloat16 can not")
    return (bits >> 16).astype(np.uint16)


def bfloat16_values(array):
    if array.dtype == np.float32:
        return array
    bits = np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << 16
    return bits.view(np.float32).reshape(array.shape)


def interface_type(dtype, target):
    if dtype == "int64" and "int64" not in target.split("+"):
        return "int32"
    return "float32" if dtype == "float64" else dtype


def input_for_tosa(array, dtype, target):
    """The array that the reference model takes for an input of ATen's `dtype`."""
    if dtype == "bfloat16":
        return bfloat16_bits(array)
    want = interface_type(dtype, target)
    if want == "int32" and array.dtype == np.int64:
        info = np.iinfo(np.int32)
        if array.size and (array.min() < info.min or array.max() > info.max):
            raise Failure("an int64 input does not fit int32")
    return np.ascontiguousarray(array.astype(want)).reshape(array.shape)


# ---- the child: everything that may die ----

def child(arguments):
    """--child FILE.tosa IN.npz OUT.npz LEVEL RUN: the interface, and the outputs when RUN is 1."""
    tosa_path, in_path, out_path, level, run = arguments
    data = pathlib.Path(tosa_path).read_bytes()
    from tosa.TosaGraph import TosaGraph  # of tosa-tools
    graph = TosaGraph.GetRootAs(data, 0)
    block = graph.Regions(0).Blocks(0)
    tensors = {}
    for i in range(block.TensorsLength()):
        tensor = block.Tensors(i)
        tensors[tensor.Name()] = (TOSA_TYPES.get(tensor.Type(), str(tensor.Type())),
                                  [tensor.Shape(j) for j in range(tensor.ShapeLength())])
    operators = 0
    for r in range(graph.RegionsLength()):
        region = graph.Regions(r)
        for b in range(region.BlocksLength()):
            operators += region.Blocks(b).OperatorsLength()
    report = {
        "operators": operators,
        "inputs": [tensors[block.Inputs(i)] for i in range(block.InputsLength())],
        "outputs": [tensors[block.Outputs(i)] for i in range(block.OutputsLength())],
    }
    arrays = {}
    np.savez(out_path, report=np.array(json.dumps(report)))  # stays if the model dies below
    if run == "1":
        import tosa_reference_model
        with np.load(in_path) as pack:
            inputs = [pack[f"in{i}"] for i in range(len(pack.files))]
        outputs, status = tosa_reference_model.run(data, inputs, tosa_level=level)
        report["status"] = status.name
        for i, output in enumerate(outputs):
            arrays[f"out{i}"] = output.view(np.uint16) if output.dtype.kind == "V" else output
    np.savez(out_path, report=np.array(json.dumps(report)), **arrays)


# ---- comparing ----

def check_interface(what, got, arrays, dtypes, target):
    if len(got) != len(arrays):
        raise Failure(f"{len(got)} {what}s in the file, {len(arrays)} in the case")
    for i, ((dtype, shape), array, aten) in enumerate(zip(got, arrays, dtypes)):
        want = interface_type(aten, target)
        if dtype != want:
            raise Failure(f"{what} {i} is {dtype}, eager {aten}: {want} expected")
        if tuple(shape) != array.shape:
            raise Failure(f"{what} {i} is {tuple(shape)}, eager {array.shape}")


def compare_float(case, i, got, want, tolerance):
    nan_got, nan_want = np.isnan(got), np.isnan(want)
    if (nan_got != nan_want).any():
        at = np.argwhere(nan_got != nan_want)[0].tolist()
        raise Failure(f"output {i}{at}: {got[tuple(at)]}, eager {want[tuple(at)]}")
    inf = (np.isinf(got) | np.isinf(want)) & (got != want)
    if inf.any():
        at = np.argwhere(inf)[0].tolist()
        raise Failure(f"output {i}{at}: {got[tuple(at)]}, eager {want[tuple(at)]}")
    if case.signs_of_zero:
        zeros = (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
        if zeros.any():
            at = np.argwhere(zeros)[0].tolist()
            raise Failure(f"output {i}{at}: zero of the other sign, eager {want[tuple(at)]}")
    finite = np.isfinite(want)
    if not finite.any():
        return 0.0
    wide_got, wide_want = got[finite].astype(np.float64), want[finite].astype(np.float64)
    difference = np.abs(wide_got - wide_want)
    if case.each:
        scale = np.maximum(np.abs(wide_want), 1e-37)
        difference = np.where(difference == 0, 0, difference / scale)
        scale = 1.0
    else:
        scale = np.abs(wide_want).max() or 1.0
    error = float(difference.max() / scale)
    if not error <= tolerance:
        worst = int(difference.argmax())
        raise Failure(f"output {i}: error {error:.2g} > {tolerance:g} "
                      f"({wide_got[worst]:.9g}, eager {wide_want[worst]:.9g})")
    return error


def compare(case, got, want, dtypes):
    worst = 0.0
    for i, (g, w, dtype) in enumerate(zip(got, want, dtypes)):
        if dtype == "bfloat16":
            g, w = bfloat16_values(g), bfloat16_values(w)
        if g.shape != w.shape:
            raise Failure(f"output {i}: shape {g.shape}, eager {w.shape}")
        if dtype in ("float16", "float32", "float64", "bfloat16"):
            tolerance = case.tolerance
            if tolerance is None:
                tolerance = TOLERANCES.get(dtype, 1e-5)
            worst = max(worst, compare_float(case, i, g, w, tolerance))
        elif not np.array_equal(g.astype(np.int64), w.astype(np.int64)):
            at = tuple(np.argwhere(g.astype(np.int64) != w.astype(np.int64))[0].tolist())
            raise Failure(f"output {i}{list(at)}: {g[at]}, eager {w[at]}")
    return worst


# ---- one case ----

def run(command, timeout):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=timeout, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Failure(f"timeout after {timeout:g} s: {' '.join(map(str, command[:2]))}")


def last_lines(text, count=3):
    lines = [line for line in text.strip().splitlines()
             if "Different TOSA spec" not in line and "backward compatible" not in line]
    return " | ".join(lines[-count:])[:400]


def target_pipeline(target):
    """tosa-opt's options for a target as tosac spells it."""
    version, *parts = target.split("+")
    profiles = [{"FP": "pro_fp", "INT": "pro_int"}[p] for p in parts if p in ("FP", "INT")]
    extensions = [EXTENSIONS[p] for p in parts if p in EXTENSIONS]
    if target.startswith("TOSA-1.1"):
        spec = "1.1.draft"
    else:
        spec = "1.0"
    level = "none" if "nolevel" in parts else "8k"
    attach = f"specification_version={spec} level={level} profiles={','.join(profiles)}"
    if extensions:
        attach += f" extensions={','.join(extensions)}"
    return ["--tosa-attach-target=" + attach, "--tosa-validate=strict-op-spec-alignment"]


def validate(tosa_opt, tosa_path, target, scratch):
    empty, out = scratch / "empty.mlir", scratch / "out.mlir"
    empty.write_text("module {}\n")
    result = run([tosa_opt, f"--tosa-deserialize=tosa-flatbuffer-filename={tosa_path}",
                  *target_pipeline(target), str(empty), "-o", str(out)], 300)
    if result.returncode != 0:
        errors = [line for line in result.stderr.splitlines() if "error" in line]
        raise Failure("tosa-opt --tosa-validate: " + last_lines("\n".join(errors) or result.stderr))


def check_refusal(case, result, output):
    if result.returncode not in (1, 2):
        raise Failure(f"exit {result.returncode}, a refusal with {case.expect_error} expected")
    if case.expect_error not in result.stderr:
        raise Failure(f"{case.expect_error} expected: {last_lines(result.stderr)}")
    if output.exists():
        raise Failure("an output file is left after a refusal")


def compile_case(case, options, scratch):
    """The file that was compiled, or None where a refusal was expected and came."""
    output = scratch / "model.tosa"
    command = [options.tosac, "compile", str(case.archive), "--target", case.target]
    result = run([*command, "-o", str(output)], case.timeout)
    if case.expect_error:
        check_refusal(case, result, output)
        return None
    if result.returncode != 0:
        if output.exists():
            raise Failure("an output file is left after an error")
        raise Failure(f"compile: exit {result.returncode}: {last_lines(result.stderr)}")
    again, plain = scratch / "again.tosa", scratch / "plain.tosa"
    if options.extra:
        run([*command, "-o", str(again)], case.timeout)
        if not again.exists() or again.read_bytes() != output.read_bytes():
            raise Failure("compiling twice does not give the same bytes")
        result = run([*command, "--no-constant-pool", "-o", str(plain)], case.timeout)
        if result.returncode != 0:
            raise Failure(f"--no-constant-pool: {last_lines(result.stderr)}")
        result = run([options.tosac, "diff", str(output), str(plain)], case.timeout)
        if result.returncode != 0:
            raise Failure(f"diff of pool on and off: exit {result.returncode}: "
                          f"{last_lines(result.stdout + result.stderr)}")
    return output


def measure(case, tosa_path, options, scratch):
    """Runs the file and compares; (operators, error)."""
    inputs, outputs = load_arrays(case)
    in_types, out_types = read_interface(case.archive)
    if len(in_types) != len(inputs) or len(out_types) != len(outputs):
        raise Failure(f"the case has {len(inputs)} inputs and {len(outputs)} outputs, "
                      f"its archive {len(in_types)} and {len(out_types)}")
    in_path, out_path = scratch / "in.npz", scratch / "out.npz"
    np.savez(in_path, **{f"in{i}": input_for_tosa(a, t, case.target)
                         for i, (a, t) in enumerate(zip(inputs, in_types))})
    level = "NONE" if "nolevel" in case.target else "EIGHTK"
    result = run([sys.executable, __file__, "--child", str(tosa_path), str(in_path), str(out_path),
                  level, "0" if options.no_run else "1"], case.timeout * 5)
    said = last_lines(result.stdout + result.stderr)
    if not out_path.exists():
        raise Failure(f"the file can not be read: exit {result.returncode}: {said}")
    with np.load(out_path) as pack:
        report = json.loads(str(pack["report"]))
        got = [pack[f"out{i}"] for i in range(len(pack.files) - 1)]
    check_interface("input", report["inputs"], inputs, in_types, case.target)
    check_interface("output", report["outputs"], outputs, out_types, case.target)
    if result.returncode != 0:
        raise Failure(f"the reference model died: exit {result.returncode}: {said}")
    if options.no_run:
        return report["operators"], 0.0
    if report["status"] != "TOSA_VALID":
        raise Failure(f"{report['status']}: {said}")
    if len(got) != len(outputs):
        raise Failure(f"the reference model gave {len(got)} outputs, eager {len(outputs)}")
    return report["operators"], compare(case, got, outputs, out_types)


def run_case(case, options):
    start = time.monotonic()
    outcome = Outcome(case.name, "passed")
    try:
        with tempfile.TemporaryDirectory(prefix="tosac_models_") as directory:
            scratch = pathlib.Path(directory)
            if options.tosa:
                tosa_path = pathlib.Path(options.tosa)
            else:
                tosa_path = compile_case(case, options, scratch)
            if tosa_path is None:
                outcome.detail = "refused: " + case.expect_error
            else:
                outcome.operators, outcome.error = measure(case, tosa_path, options, scratch)
                if options.tosa_opt:
                    validate(options.tosa_opt, tosa_path, case.target, scratch)
    except Failure as failure:
        outcome.status, outcome.detail = "failed", str(failure)
    except Exception as failure:  # a damaged case is a failure of that case
        outcome.status, outcome.detail = "failed", f"{type(failure).__name__}: {failure}"
    outcome.seconds = time.monotonic() - start
    return outcome


# ---- command line ----

def find_tosa_opt():
    beside = pathlib.Path(sys.executable).parent / "tosa-opt"
    return str(beside) if beside.exists() else shutil.which("tosa-opt")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    parser.add_argument("--tosac", default="tosac", help="the tosac to test")
    parser.add_argument("--tosa", help="run this .tosa for the one case, instead of compiling")
    parser.add_argument("--target", help="instead of each case's own target")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--filter", "-k", default="", help="a regular expression on names")
    parser.add_argument("--exclude", default="", help="a regular expression on names")
    parser.add_argument("--json", action="store_true", help="results as JSON on stdout")
    parser.add_argument("--failed", action="store_true", help="list only what failed")
    parser.add_argument("--no-run", action="store_true", help="compile, check and validate only")
    parser.add_argument("--no-validate", action="store_true", help="leave tosa-opt out")
    parser.add_argument("--no-extra", dest="extra", action="store_false",
                        help="leave out compiling twice and the diff without the constant pool")
    parser.add_argument("--fixtures", metavar="KIND",
                        help="run TOSAC_FIXTURES/KIND (pt2 or cases); skipped where that is unset")
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    return parser.parse_args()


def missing(options):
    """Why nothing can be run, or None."""
    if options.fixtures:
        root = os.environ.get("TOSAC_FIXTURES")
        if not root or not (pathlib.Path(root) / options.fixtures).is_dir():
            return f"TOSAC_FIXTURES is not set, or has no {options.fixtures}/"
        options.paths.append(pathlib.Path(root) / options.fixtures)
    probe = subprocess.run([sys.executable, "-c", "import tosa_reference_model, tosa.TosaGraph"],
                           capture_output=True)
    if probe.returncode != 0 and not options.list:
        return (f"tosa_reference_model is not importable by {sys.executable} "
                "(pip install tosa-tools; cmake -DTOSAC_TEST_PYTHON=...)")
    return None


def print_table(outcomes, only_failed):
    shown = [o for o in outcomes if o.status != "passed"] if only_failed else outcomes
    width = max((len(o.name) for o in shown), default=4)
    print(f"{'case':<{width}}  {'ops':>6}  {'error':>8}  {'seconds':>7}  result")
    for o in shown:
        detail = f": {o.detail}" if o.detail else ""
        print(f"{o.name:<{width}}  {o.operators:>6}  {o.error:>8.1e}  {o.seconds:>7.2f}  "
              f"{o.status}{detail}")


def main():
    options = parse_options()
    why = missing(options)
    if why:
        print("SKIPPED: " + why)
        return SKIP
    overrides_file = HERE / "fixtures.json"
    overrides = json.loads(overrides_file.read_text()) if overrides_file.is_file() else {}
    cases = []
    for path in options.paths or default_paths():
        cases += [c for c in cases_of(path, overrides)
                  if re.search(options.filter, c.name)
                  and not (options.exclude and re.search(options.exclude, c.name))]
    if options.target:
        cases = [dataclasses.replace(c, target=options.target) for c in cases]
    if options.list:
        print("\n".join(c.name for c in cases))
        return 0
    if not cases or (options.tosa and len(cases) != 1):
        print(f"{len(cases)} cases match", file=sys.stderr)
        return 2
    if not options.tosa and shutil.which(options.tosac) is None:
        print(f"{options.tosac}: no such program (--tosac)", file=sys.stderr)
        return 2
    options.tosa_opt = None if options.no_validate else find_tosa_opt()
    if not options.no_validate and options.tosa_opt is None:
        print("note: no tosa-opt found: results are not validated", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        outcomes = list(pool.map(lambda c: run_case(c, options), cases))
    if options.json:
        print(json.dumps([dataclasses.asdict(o) for o in outcomes], indent=1))
    else:
        print_table(outcomes, options.failed)
    count = {s: sum(o.status == s for o in outcomes) for s in ("passed", "failed", "skipped")}
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped",
          file=sys.stderr if options.json else sys.stdout)
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    if len(sys.argv) == 7 and sys.argv[1] == "--child":
        child(sys.argv[2:])
        sys.exit(0)
    sys.exit(main())
