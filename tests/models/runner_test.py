#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of run_models.py itself: that it fails what it must fail."""

import argparse
import pathlib
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_models  # noqa: E402  (exits 77 where numpy is missing)

import numpy as np  # noqa: E402

nan, inf = np.nan, np.inf
Case, Failure = run_models.Case, run_models.Failure


def f32(*values):
    return np.array(values, np.float32)


def case(**options):
    return Case("c", pathlib.Path("none.pt2"), pathlib.Path("none.npz"), **options)


class Compare(unittest.TestCase):
    def error(self, got, want, **options):
        return run_models.compare(case(**options), [got], [want], [str(want.dtype)])

    def assert_differs(self, got, want, **options):
        with self.assertRaises(Failure):
            self.error(got, want, **options)

    def test_error_is_relative_to_the_largest_output(self):
        self.assertEqual(self.error(f32(1, 100), f32(1, 100)), 0)
        self.assertAlmostEqual(self.error(f32(1.0005, 100), f32(1, 100)), 5e-6, places=8)
        self.assert_differs(f32(1.01, 100), f32(1, 100))
        self.assert_differs(f32(1.0005, 100), f32(1, 100), each=True)

    def test_nan_stands_where_nan_stands(self):
        self.assertEqual(self.error(f32(nan, 1), f32(nan, 1)), 0)
        self.assert_differs(f32(nan, 1), f32(0, 1))
        self.assert_differs(f32(0, 1), f32(nan, 1))

    def test_infinities_have_their_sign(self):
        self.assertEqual(self.error(f32(inf, -inf), f32(inf, -inf)), 0)
        self.assert_differs(f32(inf), f32(-inf))
        self.assert_differs(f32(3.4e38), f32(inf))
        self.assert_differs(f32(inf), f32(3.4e38))

    def test_signs_of_zero_only_where_asked(self):
        self.assertEqual(self.error(f32(0.0), f32(-0.0)), 0)
        self.assert_differs(f32(0.0), f32(-0.0), signs_of_zero=True)

    def test_integers_and_bools_are_exact(self):
        self.error(np.array([7], np.int32), np.array([7], np.int64))
        self.assert_differs(np.array([8], np.int32), np.array([7], np.int64))
        self.assert_differs(np.array([True]), np.array([False]))

    def test_an_output_of_zeros_allows_nothing_else(self):
        self.assert_differs(f32(1e-3, 0), f32(0, 0))

    def test_bfloat16_bits(self):
        bits = run_models.bfloat16_bits(f32(1.0, -2.5))
        self.assertEqual(run_models.bfloat16_values(bits).tolist(), [1.0, -2.5])
        with self.assertRaises(Failure):
            run_models.bfloat16_bits(f32(1.001))

    def test_int64_inputs_are_range_checked(self):
        got = run_models.input_for_tosa(np.array([-5], np.int64), "int64", "TOSA-1.0+FP")
        self.assertEqual((got.dtype, got.tolist()), (np.dtype(np.int32), [-5]))
        with self.assertRaises(Failure):
            run_models.input_for_tosa(np.array([1 << 40], np.int64), "int64", "TOSA-1.0+FP")

    def test_interface(self):
        arrays = [np.zeros((2, 3), np.float32)]
        run_models.check_interface("input", [("float32", [2, 3])], arrays, ["float32"], "x")
        for wrong in ([("float32", [3, 2])], [("float16", [2, 3])], []):
            with self.assertRaises(Failure):
                run_models.check_interface("input", wrong, arrays, ["float32"], "x")


class Compile(unittest.TestCase):
    """With a shell script in the place of tosac."""

    def outcome(self, script, **options):
        with tempfile.TemporaryDirectory() as directory:
            scratch = pathlib.Path(directory)
            fake = scratch / "tosac"
            fake.write_text('#!/bin/sh\nfor last in "$@"; do :; done\n' + script)
            fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
            return run_models.compile_case(
                case(**options), argparse.Namespace(tosac=str(fake), extra=True), scratch)

    def test_a_refusal(self):
        refuse = 'echo "error: no [some-rule]" >&2; exit 1'
        self.assertIsNone(self.outcome(refuse, expect_error="some-rule"))
        for script, rule in ((refuse, "other-rule"), ("exit 0", "some-rule"),
                             ('touch "$last"; ' + refuse, "some-rule"),
                             ("kill -SEGV $$", "some-rule")):
            with self.assertRaises(Failure):
                self.outcome(script, expect_error=rule)

    def test_an_unexpected_error(self):
        with self.assertRaises(Failure):
            self.outcome("exit 1")

    def test_the_same_bytes_twice(self):
        self.assertIsNotNone(self.outcome('case $1 in compile) echo same >"$last";; esac'))
        with self.assertRaises(Failure):
            self.outcome('case $1 in compile) echo $$ >"$last";; esac')

    def test_diff_of_pool_on_and_off(self):
        with self.assertRaises(Failure):
            self.outcome('case $1 in compile) echo same >"$last";; diff) exit 1;; esac')


if __name__ == "__main__":
    unittest.main()
