#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares tosac's schema and operator table with other descriptions of TOSA.

  check_tables.py [--schema FILE.fbs]... [--tosa-tools] [--operators FILE.tsv]

The schema and the table of this repository are always compared with each other. --schema is
another schema of the file format, such as the one that tosa-tools brings (`tosa.fbs`): what it
says must be a prefix of what ours says, so that older versions pass. --tosa-tools takes the one
of the tosa-tools package that this interpreter has (exit 77 when it has none). --operators is a table of
the specification's operators: lines of an operator's name, "input", "output", "attribute" or
"types", then a name and a type (of "types": a profile and a version), separated by tabs.
Prints each difference; exits with 1 when there is one.
"""
import argparse
import pathlib
import re
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALIASES = {"int": "int32", "uint": "uint32", "ubyte": "uint8", "byte": "int8", "ulong": "uint64",
           "long": "int64", "ushort": "uint16", "short": "int16"}


class Schema:
    """Enumerations, unions and tables of a FlatBuffers schema, in order."""

    def __init__(self, path):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        text = re.sub(r"//[^\n]*", "", text)
        self.identifier = re.search(r'file_identifier\s+"(\w+)"', text).group(1)
        self.root = re.search(r"root_type\s+([\w.]+)", text).group(1)
        self.enums, self.underlying, self.unions, self.tables = {}, {}, {}, {}
        for kind, name, base, body in re.findall(
                r"\b(enum|union|table)\s+(\w+)\s*(?::\s*(\w+))?[^{;]*\{(.*?)\}", text, flags=re.S):
            if kind == "enum":
                self.underlying[name] = ALIASES.get(base, base)
                self.enums[name] = list(self._members(body))
            elif kind == "union":
                self.unions[name] = [part.strip() for part in body.split(",") if part.strip()]
            else:
                self.tables[name] = list(self._fields(body))

    @staticmethod
    def _members(body):
        value = -1
        for part in filter(None, (part.strip() for part in body.split(","))):
            name, _, given = (piece.strip() for piece in part.partition("="))
            value = int(given, 0) if given else value + 1
            yield name, value

    @staticmethod
    def _fields(body):
        pattern = r"(\w+)\s*:\s*(\[?)([\w.]+)\]?\s*(?:=\s*([-\w.]+))?\s*(?:\(([^)]*)\))?\s*;"
        for name, is_list, kind, default, options in re.findall(pattern, body):
            kind = ALIASES.get(kind, kind)
            if default in ("0", "false", "UNKNOWN"):
                default = ""
            marks = sorted(re.sub(r"\s", "", mark) for mark in options.split(",") if mark.strip())
            yield name, f"[{kind}]" if is_list else kind, default, ",".join(marks)


class Report:
    def __init__(self):
        self.differences = 0

    def same(self, what, ours, theirs):
        if ours != theirs:
            self.differences += 1
            print(f"{what}: here {ours}, there {theirs}")


def compare_schemas(ours, theirs, report):
    report.same("file identifier", ours.identifier, theirs.identifier)
    report.same("root type", ours.root, theirs.root)
    for name, members in theirs.enums.items():
        if name not in ours.enums:
            continue  # its fields are compared by what they are stored as
        report.same(f"enum {name}", ours.enums[name][:len(members)], members)
        report.same(f"enum {name} is stored as", ours.underlying[name], theirs.underlying[name])
    for name, members in theirs.unions.items():
        report.same(f"union {name}", ours.unions.get(name, [])[:len(members)], members)
    for name, fields in theirs.tables.items():
        known = [(field, theirs.underlying.get(kind, kind) if kind not in ours.enums else kind,
                  default, marks) for field, kind, default, marks in fields]
        report.same(f"table {name}", ours.tables.get(name, [])[:len(known)], known)


class OperatorTable:
    """The rows of src/tosa/ops.cc: (name, minor, inputs, outputs, attributes) in order."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        lists = {name: re.findall(r"\{([^{}]*)\}", body) for name, body in re.findall(
            r"constexpr (?:OperandInfo|AttrInfo) (k\w+)\[\] =\s*\{(.*?)\};", text, flags=re.S)}
        self.rows = []
        for _, name, minor, *names in re.findall(
                r'\{Op::(\w+),\s*"(\w+)",\s*"\w+",\s*(\d+),\s*(k\w+|\{\}),\s*(k\w+|\{\}),'
                r"\s*(k\w+|\{\})\}", text):
            operands = [self._parts(lists, part) for part in names]
            self.rows.append((name, int(minor), *operands))

    @staticmethod
    def _parts(lists, name):
        rows = [] if name == "{}" else lists[name]
        return [[re.sub(r'"|\w+::', "", part).strip() for part in row.split(",")] for row in rows]


def attribute_type(attribute):
    kinds = {"kI32": "int32", "kBool": "bool", "kI32List": "[int32]", "kBytes": "[uint8]",
             "kString": "string"}
    enums = {"kDType": "DType", "kNanMode": "NanPropagationMode", "kRounding": "RoundingMode",
             "kResizeMode": "ResizeMode", "kBlockSize": "BlockSize"}
    return kinds[attribute[1]] if attribute[1] != "kEnum" else enums[attribute[2]]


def compare_table_with_schema(table, schema, report):
    report.same("operators", [(row[0], i + 1) for i, row in enumerate(table.rows)],
                schema.enums["Op"][1:])
    report.same("attributes", len(table.rows), len(schema.unions["Attribute"]))
    for row, attribute in zip(table.rows, schema.unions["Attribute"]):
        report.same(f"attributes of {row[0]}", [(a[0], attribute_type(a)) for a in row[4]],
                    [(name, kind) for name, kind, _, _ in schema.tables[attribute]])


def operand_kind(row):
    """The kind of an operand by its line of the specification's table."""
    kinds = {"shape_t": "kShape", "tensor_list_t": "kTensorList", "shape_list_t": "kShapeList"}
    if "tensor_list_shape(" in row[-1]:
        return "kTensorList"
    return kinds.get(row[3], "kTensor")


def file_kind(op, operand):
    """The kind in our table. A file may hold a block-scaled tensor as two: values and scales."""
    kind = operand[1] if len(operand) > 1 else "kTensor"
    return "kTensor" if op.endswith("_BLOCK_SCALED") and kind == "kTensorList" else kind


def compare_with_specification(table, path, report):
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            row = line.split("\t")
            rows.setdefault(row[0], []).append(row)
    report.same("operators of the specification", sorted(row[0] for row in table.rows),
                sorted(rows))
    for name, minor, inputs, outputs, attributes in table.rows:
        facts = rows.get(name, [])
        for kind, operands in (("input", inputs), ("output", outputs)):
            here = [(o[0], file_kind(name, o)) for o in operands]
            there = [(row[2], operand_kind(row)) for row in facts if row[1] == kind]
            report.same(f"{kind}s of {name}", here, there)
        known = {row[2] for row in facts if row[1] == "attribute"}
        report.same(f"attributes of {name} that the specification lacks",
                    [a[0] for a in attributes if a[0] not in known], [])
        versions = [row[3] for row in facts if row[1] == "types"]
        if versions:
            report.same(f"version of {name}", f"1.{minor}", min(versions))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schema", action="append", default=[], type=pathlib.Path)
    parser.add_argument("--operators", type=pathlib.Path)
    parser.add_argument("--tosa-tools", action="store_true")
    options = parser.parse_args()
    if options.tosa_tools:
        installed = pathlib.Path(sysconfig.get_path("purelib")) / "bin/tosa.fbs"
        if not installed.is_file():
            print("skipped: tosa-tools, which brings tosa.fbs, is not installed here")
            return 77
        options.schema.append(installed)
    ours = Schema(ROOT / "schema/tosa.fbs")
    table = OperatorTable(ROOT / "src/tosa/ops.cc")
    report = Report()
    compare_table_with_schema(table, ours, report)
    for path in options.schema:
        compare_schemas(ours, Schema(path), report)
    if options.operators:
        compare_with_specification(table, options.operators, report)
    print(f"{len(table.rows)} operators, {len(ours.tables)} tables: "
          f"{report.differences} difference(s)")
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
