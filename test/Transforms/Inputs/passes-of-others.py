#!/usr/bin/env python3
"""Runs passes of others between every two of ours and checks that the program
still computes the same.

Usage: passes-of-others.py KERNEL.mlir --target=CHIP --out=DIR

KERNEL is a matrix product of bf16 with arguments A, B and C. Its pipeline is
the one that `tile-compile --print-pipeline` prints. The product is computed on
the emulator for a size whose rows are multiples of 16 bytes and for one where
nothing is, and compared element by element with numpy."""

import argparse
import os
import subprocess
import sys

import numpy as np

OTHERS = ["canonicalize", "cse", "loop-invariant-code-motion", "sccp",
          "int-range-optimizations", "sroa", "mem2reg", "inline",
          "control-flow-sink"]
SIZES = [(136, 72, 144), (129, 67, 65)]  # M, K, N


def output_of(command):
    """Standard output of a command that must succeed."""
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit("%s\n%s" % (" ".join(command)[:2000], run.stderr[-4000:]))
    return run.stdout


def steps_of(pipeline):
    """The passes of "builtin.module(a,b{c},d(e))", and what must not be parted:
    constants that sinking has moved into a launch are moved out of it by other
    passes, and outlining would make parameters of them."""
    steps, depth, start = [], 0, len("builtin.module(")
    text = pipeline.strip()[:-1]
    for i in range(start, len(text)):
        depth += (text[i] in "({") - (text[i] in ")}")
        if text[i] == "," and depth == 0:
            steps.append(text[start:i])
            start = i + 1
    steps.append(text[start:])
    sink = steps.index("gpu-launch-sink-index-computations")
    steps[sink:sink + 2] = [",".join(steps[sink:sink + 2])]
    return steps


def check(arguments, others, product_dir):
    """Compiles with `others` between every two passes of ours, and runs. What
    follows the last one of ours is code of others: int-range-optimizations of
    LLVM 22.1 folds an arith.select there whose condition is not constant."""
    pipeline = output_of(["tile-compile", arguments.kernel, "--print-pipeline",
                          "--target=" + arguments.target])
    steps = steps_of(pipeline)
    last = max(i for i, step in enumerate(steps) if "tile-" in step)
    parts = [",".join([step] + others) for step in steps[:last]] + steps[last:]
    lowered = os.path.join(product_dir, "lowered.mlir")
    output_of(os.environ["TILE_OPT"].split() +
              ["--pass-pipeline=builtin.module(%s)" % ",".join(parts),
               arguments.kernel, "-o", lowered])
    output_of(["tile-compile", lowered, "--target=" + arguments.target,
               "--no-remarks", "-o", product_dir])
    generator = np.random.default_rng(1)
    for m, k, n in SIZES:
        a = generator.integers(-2, 3, (m, k)).astype(np.float32)
        b = generator.integers(-2, 3, (k, n)).astype(np.float32)
        names = [os.path.join(product_dir, x + ".npy") for x in "abc"]
        np.save(names[0], a)
        np.save(names[1], b)
        output_of(["tile-run", os.path.join(product_dir, "gemm.json"),
                   names[0] + ":bf16", names[1] + ":bf16",
                   "zeros:%dx%d:f32" % (m, n), "--save", "2=" + names[2],
                   "--emulate", "--seed=1"])
        if not np.array_equal(np.load(names[2]), a @ b):
            sys.exit("wrong product of %dx%d and %dx%d with %s on %s" %
                     (m, k, k, n, ",".join(others), arguments.target))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel")
    parser.add_argument("--target", required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    choices = [[other] for other in OTHERS] + [OTHERS, OTHERS[::-1]]
    for number, others in enumerate(choices):
        product_dir = os.path.join(arguments.out, str(number))
        os.makedirs(product_dir, exist_ok=True)
        check(arguments, others, product_dir)
        print("ok: " + ",".join(others))


if __name__ == "__main__":
    main()
