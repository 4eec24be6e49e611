#!/usr/bin/env python3
"""Times the kernels of two compilers against each other.

    compare.py OLD NEW 'gemm(bf16:4096x4096, bf16:4096x4096, bf16:4096x4096)' …

OLD and NEW are folders that tile-compile wrote, with the same host functions. An
argument is TYPE:SHAPE, a tensor of random numbers, pairs:SHAPE, metadata of a 2:4
sparse factor, or a number; several inputs in rotation. Both run in turns, each turn
timed by events. The table gives medians, quartiles, old / new (above 1: the new one
is faster), and how many elements of the last tensor differ. Needs a GPU and PyTorch;
the script is not part of any test."""

import argparse
import os
import re
import statistics
import sys

import torch

import tilerun

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32,
         "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
         "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2}
PAIRS = (4, 8, 9, 12, 13, 14)  # two places of each four


def make_argument(text):
    if ":" not in text:
        return float(text) if re.search(r"[.e]", text) else int(text)
    kind, shape = text.split(":")
    shape = [int(n) for n in shape.split("x")]
    if kind == "pairs":
        nibbles = torch.tensor(PAIRS, device="cuda")[
            torch.randint(6, (*shape, 4), device="cuda")]
        words = (nibbles << torch.tensor((0, 4, 8, 12), device="cuda")).sum(-1)
        return words.to(torch.int16)
    if kind.startswith("i"):
        return torch.randint(-8, 8, shape, device="cuda").to(TYPES[kind])
    return torch.randn(shape, device="cuda").to(TYPES[kind])


def make_inputs(text, count):
    return [[make_argument(a.strip()) for a in text.split(",")] for _ in range(count)]


def result_of(arguments):
    """The last tensor."""
    return next(a for a in reversed(arguments) if isinstance(a, torch.Tensor))


def differences(old, new):
    """Elements of which one is NaN or which differ by more than rounding."""
    a, b = old.float(), new.float()
    return int(((a - b).abs() > 1e-2 * (a.abs() + 1)).logical_or(a.isnan() != b.isnan()).sum())


def time_turn(run, count):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for i in range(count):
        run(i)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / count


def quartiles(times):
    q = statistics.quantiles(times, n=4)
    return q[1], q[0], q[2]


def compare(spec, device, options):
    name, arguments = re.fullmatch(r"(\w+)\((.*)\)", spec).groups()
    torch.manual_seed(1)
    inputs = make_inputs(arguments, options.inputs)
    sides, results = [], []
    for folder in (options.old, options.new):
        module = tilerun.Module(device, os.path.join(folder, name))
        kernels = [module.bind(i) for i in inputs]
        result_of(inputs[0]).zero_()
        kernels[0]()
        torch.cuda.synchronize()
        results.append(result_of(inputs[0]).clone())
        sides.append(lambda i, k=kernels: k[i % len(k)]())
    for side in sides:
        time_turn(side, 10)
    times = [[time_turn(side, options.launches) for side in sides]
             for _ in range(options.turns)]
    old, new = (quartiles([t[s] for t in times]) for s in (0, 1))
    ratio = quartiles([t[0] / t[1] for t in times])
    print("%-64s %8.4f ms [%.4f %.4f] -> %8.4f ms [%.4f %.4f]  %.3f [%.3f %.3f]  %d differ"
          % ((spec[:64],) + old + new + ratio + (differences(*results),)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("functions", nargs="+", metavar="FUNCTION(ARGUMENTS)")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--launches", type=int, default=20)
    parser.add_argument("--inputs", type=int, default=3)
    options = parser.parse_args()
    device = tilerun.Device()
    for spec in options.functions:
        try:
            compare(spec, device, options)
        except (RuntimeError, OSError, tilerun.Error) as error:
            print("%-64s FAILED: %r" % (spec[:64], error), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
