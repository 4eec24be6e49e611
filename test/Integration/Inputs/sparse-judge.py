#!/usr/bin/env python3
"""Judges what tile-run left in the folder of `sparse.py --export`: each NAME.out.npy
must hold the numbers of NAME.expected.npy beside it. Needs no numpy. Prints a line
per kernel and size that is wrong; exit status 1 then, and when a file is missing."""

import array
import ast
import os
import sys


def load(path):
    """Type, shape and numbers of a file of 4-byte numbers."""
    with open(path, "rb") as file:
        magic = file.read(8)
        length = int.from_bytes(file.read(2 if magic[6] == 1 else 4), "little")
        header = ast.literal_eval(file.read(length).decode("latin-1"))
        numbers = array.array(header["descr"][1])
        numbers.frombytes(file.read())
    return header["descr"], header["shape"], numbers


def judge(expected_path):
    """None, or what is wrong."""
    out_path = expected_path.replace(".expected.npy", ".out.npy")
    if not os.path.exists(out_path):
        return "did not run"
    expected, out = load(expected_path), load(out_path)
    if expected[:2] != out[:2]:
        return "is %s of %s, expected %s of %s" % (*out[:2], *expected[:2])
    wrong = sum(a != b for a, b in zip(expected[2], out[2]))
    return "%d of %d elements are wrong" % (wrong, len(out[2])) if wrong else None


def main(folder):
    num_good = num_bad = 0
    for base, _, names in sorted(os.walk(folder)):
        for name in sorted(n for n in names if n.endswith(".expected.npy")):
            problem = judge(os.path.join(base, name))
            num_good += problem is None
            num_bad += problem is not None
            if problem:
                print("%s: %s" % (os.path.join(base, name), problem))
    print("%d good, %d bad" % (num_good, num_bad))
    return 1 if num_bad or not num_good else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
