"""What the runners of random kernels share: each kernel is made by its seed, compiled,
run on the emulator and compared, on every target. A program has `name` (no other of
its target has it), `mlir()`, `describe()` and `check(folder, seeds of the emulator)`."""

import argparse
import os
import sys

import kernels


def judge(program, target, options):
    out = os.path.join(options.out, target)
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, program.name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.mlir())
    try:
        kernels.compile_file(path, target, out,
                             [] if options.ptxas else ["--ptxas=off"])
        program.check(out, range(1, options.seeds + 1))
    except kernels.Failure as failure:
        raise kernels.Failure("%s: %s" % (program.describe(), failure)) from None
    return program.describe()


def main(doc, make):
    """`make(seed, target)` makes a program."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seed", type=int, default=1, help="of the first kernel")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1, help="of the emulator")
    parser.add_argument("--ptxas", action="store_true", help="assemble as well")
    options = parser.parse_args()
    seeds = kernels.some(options.seed, options.count)
    sys.exit(kernels.run_cases(
        ["seed=%d" % seed for seed in seeds], options.target,
        lambda text, target: judge(make(int(text[5:]), target), target, options),
        are_apart=True))
