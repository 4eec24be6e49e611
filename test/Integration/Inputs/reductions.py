#!/usr/bin/env python3
"""Generates kernels that reduce or scan a tile along one dimension, compiles
them and checks every element on the emulator.

A case is

    reduce KIND SHAPE dim=D SPACE.TYPE > SPACE.TYPE [words]
    scan KIND SHAPE dim=D SPACE.TYPE > SPACE.TYPE [words]

such as `reduce max 7x100 dim=1 fragment.f16 > shared.f32 fold`. Words:

    fold         the old destination takes part
    keep         the destination keeps the dimension with extent 1
    reverse      the scan runs from the end
    in_place     the scan writes its source
    threads=N    [128]
    values=KIND  of the source (kernels.py) [ints]; `nans`: normal, some NaN
    layout=TEXT  given layout of the source

All cases of a run are functions of one file. Prints one line per case."""

import argparse
import os
import sys

import numpy as np

import kernels

SPACES = {"shared": "#gpu.address_space<workgroup>", "fragment": "#tile.fragment"}

KERNEL = """\
func.func @{name}(%A: {A}, %B: {B}) {{
  %c1 = arith.constant 1 : index
  %threads = arith.constant {threads} : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
    %src = tile.alloc {layout}: {src}
    tile.copy %A to %src : {A}, {src}
    {alloc_dst}
    {op}
    tile.copy {dst_name} to %B : {dst}, {B}
    gpu.terminator
  }}
  return
}}
"""


def tensor_text(shape, dtype, kind=None):
    text = "x".join(str(n) for n in shape)
    return "%s:%s:%s" % (kind, text, dtype) if kind else "%sx%s" % (text, dtype)


class Case:
    def __init__(self, text, number):
        words = text.split()
        self.text, self.name = text, "case%d" % number
        self.op, self.kind = words[0], words[1]
        self.shape = tuple(int(n) for n in words[2].split("x"))
        self.dim = int(words[3].split("=")[1])
        self.src_space, self.src = words[4].split(".")
        self.dst_space, self.dst = words[6].split(".")
        options = dict(w.split("=", 1) if "=" in w else (w, True)
                       for w in words[7:])
        self.fold = "fold" in options
        self.keep = "keep" in options or len(self.shape) == 1
        self.reverse = "reverse" in options
        self.in_place = "in_place" in options
        self.threads = int(options.get("threads", 128))
        self.values = options.get("values", "ints")
        self.layout = options.get("layout")

    def result_shape(self):
        if self.op == "scan":
            return self.shape
        kept = (1,) if self.keep else ()
        return self.shape[:self.dim] + kept + self.shape[self.dim + 1:]

    def mlir(self):
        shape = self.result_shape()
        src = "memref<%s, %s>" % (tensor_text(self.shape, self.src),
                                  SPACES[self.src_space])
        dst = "memref<%s, %s>" % (tensor_text(shape, self.dst),
                                  SPACES[self.dst_space])
        result = "memref<%s>" % tensor_text(shape, self.dst)
        dst_name = "%src" if self.in_place else "%dst"
        alloc = "" if self.in_place else "%%dst = tile.alloc : %s" % dst
        if self.fold:
            alloc += "\n    tile.copy %%B to %%dst : %s, %s" % (result, dst)
        words = []
        if self.op == "reduce" and not self.fold:
            words = ["clear"]
        if self.reverse:
            words = ["reverse"]
        op = "tile.%s %s %%src to %s dim %d %s: %s, %s" % (
            self.op, self.kind, dst_name, self.dim,
            "{%s} " % ", ".join(words) if words else "", src, dst)
        layout = '{layout = #tile.layout<"%s">} ' % self.layout if self.layout else ""
        return KERNEL.format(name=self.name, threads=self.threads, src=src,
                             dst=dst, op=op, alloc_dst=alloc, layout=layout,
                             dst_name=dst_name, B=result,
                             A="memref<%s>" % tensor_text(self.shape, self.src))

    def expected(self, a, b):
        is_float = self.src in kernels.FLOAT_BITS
        wide = a.astype(np.float64 if is_float else np.int64)
        if self.kind.startswith("abs"):
            wide = abs(wide)
        if self.op == "scan":
            return self.scanned(wide)
        ufunc = {"sum": np.add, "abssum": np.add, "max": np.maximum,
                 "absmax": np.maximum, "min": np.minimum,
                 "and": np.bitwise_and, "or": np.bitwise_or,
                 "xor": np.bitwise_xor}[self.kind]
        result = ufunc.reduce(wide, axis=self.dim, keepdims=self.keep)
        return ufunc(result, b.astype(wide.dtype)) if self.fold else result

    def scanned(self, wide):
        ufunc = {"sum": np.add, "max": np.maximum, "min": np.minimum}[self.kind]
        flip = (lambda x: np.flip(x, self.dim)) if self.reverse else lambda x: x
        return flip(ufunc.accumulate(flip(wide), axis=self.dim))


def source_values(case):
    kind = "normal" if case.values == "nans" else case.values
    a = kernels.Tensor("A", tensor_text(case.shape, case.src, kind))
    if case.values == "nans":
        a.values = a.values.copy()
        a.values.reshape(-1)[::17] = np.nan
    return a


def check(case, out):
    a = source_values(case)
    kind = "ints" if case.fold else "junk"
    b = kernels.Tensor("B", tensor_text(case.result_shape(), case.dst, kind))
    with np.errstate(invalid="ignore"):
        expected = case.expected(a.values, b.values)
    for seed in (1, 2):
        results, _ = kernels.run_function(
            os.path.join(out, case.name + ".json"), [a, b], seed)
        kernels.compare("B", case.dst, results["B"], expected)


def read_cases(options):
    lines = list(options.cases)
    for path in options.file:
        with open(path, encoding="utf-8") as file:
            lines += [line.split("//", 1)[0].strip() for line in file]
    return [Case(line, i) for i, line in enumerate(filter(None, lines))]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--file", action="append", default=[],
                        help="cases, one per line; // begins a comment")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    options = parser.parse_args()

    cases = read_cases(options)
    num_failed = 0
    for target in options.target:
        out = os.path.join(options.out, target)
        os.makedirs(out, exist_ok=True)
        source = os.path.join(out, "reductions.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(case.mlir() for case in cases))
        kernels.compile_file(source, target, out)
        for case in cases:
            try:
                check(case, out)
                print("ok %s %s" % (target, case.text))
            except kernels.Failure as failure:
                print("FAILED %s %s: %s" % (target, case.text, failure))
                num_failed += 1
    return 1 if num_failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
