#!/usr/bin/env python3
"""Checks a saved matrix product element by element.

Usage: check-gemm.py A.npy B.npy C.npy [--transpose-a] [--transpose-b]

A and B must hold integers, as `ints:` of tile-run makes them: then every sum is
exact in the accumulator, whatever the order, and C must equal A * B computed in
64-bit integers, rounded once to nearest even where its type is f16 or bf16."""

import argparse
import sys

import numpy as np


def as_integers(path):
    matrix = np.load(path)
    integers = matrix.astype(np.int64)
    if matrix.ndim != 2 or not np.array_equal(matrix, integers):
        sys.exit("check-gemm: %s is no matrix of integers" % path)
    return integers


def rounded(exact, dtype):
    """`exact` as the type of C holds it, as float64; .npy has no bf16."""
    if dtype == "f16":
        return exact.astype(np.float16).astype(np.float64)
    if dtype != "bf16":
        return exact.astype(np.float64)
    bits = exact.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("c")
    parser.add_argument("--transpose-a", action="store_true", help="A is K x M")
    parser.add_argument("--transpose-b", action="store_true", help="B is N x K")
    parser.add_argument("--dtype", default="f32", help="of C: f32, f16 or bf16")
    options = parser.parse_args()

    a, b = as_integers(options.a), as_integers(options.b)
    a = a.T if options.transpose_a else a
    b = b.T if options.transpose_b else b
    c = np.load(options.c)
    if a.shape[1] != b.shape[0] or c.shape != (a.shape[0], b.shape[1]):
        sys.exit("check-gemm: shapes do not fit: %s * %s = %s" %
                 (a.shape, b.shape, c.shape))
    expected = rounded(a @ b, options.dtype)
    wrong = np.argwhere(~(c == expected))  # NaN differs from everything
    if len(wrong):
        i, j = wrong[0]
        print("%d of %d elements are wrong; the first is C[%d, %d] = %g, "
              "expected %g" % (len(wrong), c.size, i, j, c[i, j],
                               expected[i, j]))
        return 1
    if not expected.any():
        sys.exit("check-gemm: the product is all zeros, which proves nothing")
    print("all %d elements equal the exact product" % c.size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
