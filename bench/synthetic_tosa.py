# SPDX-License-Identifier: Apache-2.0
"""Makes .tosa files of a given size, of weights that differ and small constants that repeat."""

import os
import struct

CONST, ADD, FP32 = 67, 15, 7  # numbers of the schema


class Tables:
    """The few pieces of a FlatBuffer that a .tosa file needs, written front to back: an offset is
    put as zero, and set by point() once its target is there."""

    def __init__(self):
        self.data = bytearray()

    def align(self, size):
        self.data += bytes(-len(self.data) % size)

    def put(self, fmt, *values):
        self.data += struct.pack("<" + fmt, *values)

    def point(self, at, target):
        struct.pack_into("<I", self.data, at, target - at)

    def vector(self, content, count, align=4):
        """A vector of scalars; its place."""
        while len(self.data) % 4 or (len(self.data) + 4) % align:
            self.data += b"\0"
        at = len(self.data)
        self.put("I", count)
        self.data += content
        return at

    def string(self, text):
        at = self.vector(text.encode(), len(text))
        self.data += b"\0"
        return at

    def offsets(self, count):
        """A vector of offsets: its place, and those of its elements."""
        at = self.vector(bytes(4 * count), count)
        return at, [at + 4 + 4 * i for i in range(count)]

    def table(self, numbers):
        """A table with a field of four bytes for each number: its place, and those of the fields."""
        self.align(4)
        slots = [0] * (max(numbers, default=-1) + 1)
        for i, number in enumerate(numbers):
            slots[number] = 4 + 4 * i
        vtable = len(self.data)
        self.put(f"HH{len(slots)}H", 4 + 2 * len(slots), 4 + 4 * len(numbers), *slots)
        self.align(4)
        table = len(self.data)
        self.put("i", table - vtable)
        self.data += bytes(4 * len(numbers))
        return table, {number: table + 4 + 4 * i for i, number in enumerate(numbers)}

    def names(self, at, names):
        where, places = self.offsets(len(names))
        self.point(at, where)
        for place, name in zip(places, names):
            self.point(place, self.string(name))

    def operator(self, place, op, inputs, output):
        table, f = self.table([0, 1, 2, 3, 4])
        self.point(place, table)
        struct.pack_into("<I", self.data, f[0], op)
        self.data[f[1]] = op  # the union's tag
        self.point(f[2], self.table([])[0])
        self.names(f[3], inputs)
        self.names(f[4], [output])

    def tensor(self, place, name, shape, content):
        table, f = self.table([0, 1, 2] + ([3] if content else []))
        self.point(place, table)
        self.point(f[0], self.string(name))
        self.point(f[1], self.vector(struct.pack(f"<{len(shape)}i", *shape), len(shape)))
        struct.pack_into("<I", self.data, f[2], FP32)
        if content:
            self.point(f[3], self.vector(content, len(content), align=8))


def synthetic(megabytes, elements=250_000):
    """x + w0 + s0 + w1 + s1 + ..., with w of `elements` and s of one of seven values."""
    t = Tables()
    t.put("I4s", 0, b"TOSA")
    graph, at = t.table([0, 1])
    t.point(0, graph)
    version, v = t.table([0, 1, 2, 3])  # 1.0.0, no draft
    t.point(at[0], version)
    struct.pack_into("<i", t.data, v[0], 1)
    region_list, (region_at,) = t.offsets(1)
    t.point(at[1], region_list)
    region, r = t.table([0, 1])
    t.point(region_at, region)
    t.point(r[0], t.string("main"))
    block_list, (block_at,) = t.offsets(1)
    t.point(r[1], block_list)
    block, b = t.table([0, 1, 2, 3, 4])
    t.point(block_at, block)
    t.point(b[0], t.string("main"))

    rounds = max(1, megabytes * 1_000_000 // (4 * elements))
    where, places = t.offsets(4 * rounds)
    t.point(b[1], where)
    current = "x"
    for i in range(rounds):
        at = places[4 * i:]
        t.operator(at[0], CONST, [], f"w{i}")
        t.operator(at[1], CONST, [], f"s{i}")
        t.operator(at[2], ADD, [current, f"w{i}"], f"t{i}")
        current = f"y{i}"
        t.operator(at[3], ADD, [f"t{i}", f"s{i}"], current)

    where, places = t.offsets(1 + 4 * rounds)
    t.point(b[2], where)
    t.names(b[3], ["x"])
    t.names(b[4], [current])
    noise = os.urandom(4 * (elements - 1))
    t.tensor(places[0], "x", [elements], None)
    for i in range(rounds):
        at = places[1 + 4 * i:]
        t.tensor(at[0], f"w{i}", [elements], struct.pack("<I", i) + noise)
        t.tensor(at[1], f"s{i}", [1], struct.pack("<f", i % 7))
        t.tensor(at[2], f"t{i}", [elements], None)
        t.tensor(at[3], f"y{i}", [elements], None)
    t.align(8)
    return bytes(t.data)
