#!/usr/bin/env python3
"""Generates chains of two products, O = cast(Q · transpose(K)) · V, where the
accumulator of the first is the left factor of the second, compiles and runs them
on the emulator, and checks every element exactly. Prints one line per case.

A case is a list of words (defaults in brackets):

    in=bf16|f16|f32|i8    type of Q, K, V and of the cast accumulator [bf16]
    tile=MxNxKxD          rows, keys, depth of the first product, columns of V
                          [64x64x32x64]
    threads=N             [128]
    instr=wgmma|mma       required of both products
    vt                    V is stored D x N
    direct                the accumulator itself is the factor, nothing is cast
    sizes=MxNxKxD,…       of the tensors [those of --sizes]
    error=TEXT            compiling fails with this message; `_` also stands for
                          a blank

Keys are walked in a loop, so sums of several blocks are kept in registers. With
--no-exchange no compiled kernel may move elements through shared memory."""

import argparse
import itertools
import os
import re
import sys

import numpy as np

import kernels

TEXT = """\
func.func @chain(%Q: memref<?x?x{t}>, %K: memref<?x?x{t}>, %V: memref<?x?x{t}>, %O: memref<?x?x{acc}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant {m} : index
  %bn = arith.constant {n} : index
  %bd = arith.constant {d} : index
  %threads = arith.constant {threads} : index
  %zero = arith.constant {zero} : {acc}
  %M = memref.dim %O, %c0 : memref<?x?x{acc}>
  %D = memref.dim %O, %c1 : memref<?x?x{acc}>
  %N = memref.dim %K, %c0 : memref<?x?x{t}>
  %gx = arith.ceildivui %M, %bm : index
  %gy = arith.ceildivui %D, %bd : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
    %i = arith.muli %bx, %bm : index
    %j = arith.muli %by, %bd : index
    %Qs = tile.alloc : {Qs}
    %Ks = tile.alloc : {Ks}
    %Vs = tile.alloc : {Vs}
    %S = tile.alloc : {S}
    {alloc}
    %acc = tile.alloc : {Of}
    %q = tile.region %Q[%i, 0] [{m}, {k}] : memref<?x?x{t}>
    tile.copy %q to %Qs : !tile.region<{m}x{k}x{t}>, {Qs}
    tile.fill %acc, %zero : {Of}, {acc}
    scf.for %x = %c0 to %N step %bn {{
      %kw = tile.region %K[%x, 0] [{n}, {k}] : memref<?x?x{t}>
      %v = tile.region %V[{v_at}] [{v}] : memref<?x?x{t}>
      tile.copy %kw to %Ks : !tile.region<{n}x{k}x{t}>, {Ks}
      tile.copy %v to %Vs : !tile.region<{v_tile}x{t}>, {Vs}
      tile.fill %S, %zero : {S}, {acc}
      tile.gemm %Qs, %Ks, %S {{transpose_b{attributes}}} : ({Qs}, {Ks}, {S})
      {cast}
      tile.gemm {p}, %Vs, %acc {{{transpose_v}{more}}} : ({P}, {Vs}, {Of})
    }}
    %o = tile.region %O[%i, %j] [{m}, {d}] : memref<?x?x{acc}>
    tile.copy %acc to %o : {Of}, !tile.region<{m}x{d}x{acc}>
    gpu.terminator
  }}
  return
}}
"""


class Chain:
    KEYS = {"in": "bf16", "tile": "64x64x32x64", "threads": "128",
            "instr": None, "sizes": None, "error": None}
    FLAGS = ("vt", "direct")

    def __init__(self, text, default_sizes):
        values = kernels.read_words(text, self.KEYS, self.FLAGS)
        self.__dict__.update(values)
        self.dtype = values["in"]
        self.acc = "i32" if self.dtype == "i8" else "f32"
        self.extents = [int(n) for n in self.tile.split("x")]
        self.sizes = [tuple(int(n) for n in s.split("x"))
                      for s in (self.sizes or default_sizes).split(",")]
        self.error = self.error and re.escape(self.error).replace("_", "[_ ]")


def mlir(chain):
    m, n, k, d = chain.extents
    v = (d, n) if chain.vt else (n, d)

    def shared(rows, columns):
        return "memref<%dx%dx%s, #gpu.address_space<workgroup>>" % (
            rows, columns, chain.dtype)

    def fragment(rows, columns, dtype):
        return "memref<%dx%dx%s, #tile.fragment>" % (rows, columns, dtype)

    attributes = []
    if chain.dtype == "f32":
        attributes.append('precision = "tf32"')
    if chain.instr:
        attributes.append("instr = #tile.instr<%s>" % chain.instr)
    fields = {"t": chain.dtype, "acc": chain.acc, "m": m, "n": n, "k": k, "d": d,
              "threads": chain.threads,
              "zero": "0" if chain.acc == "i32" else "0.0",
              "Qs": shared(m, k), "Ks": shared(n, k), "Vs": shared(*v),
              "S": fragment(m, n, chain.acc), "Of": fragment(m, d, chain.acc),
              "v": "%d, %d" % v, "v_tile": "%dx%d" % v,
              "v_at": "%j, %x" if chain.vt else "%x, %j",
              "attributes": "".join(", " + a for a in attributes),
              "more": ", ".join(["transpose_b"] * chain.vt + attributes),
              "transpose_v": "", "alloc": "", "cast": "", "p": "%S"}
    fields["P"] = fields["S"]
    if not chain.direct:
        fields["P"] = fragment(m, n, chain.dtype)
        fields["p"] = "%P"
        fields["alloc"] = "%%P = tile.alloc : %s" % fields["P"]
        fields["cast"] = "tile.copy %%S to %%P : %s, %s" % (fields["S"],
                                                           fields["P"])
    return TEXT.format(**fields)


def check_size(chain, json_path, size, seed):
    m, n, k, d = size
    k = min(k, chain.extents[2])  # the depth of the tile is all that is read
    shapes = {"Q": (m, k), "K": (n, k), "V": (d, n) if chain.vt else (n, d)}
    arguments = [kernels.Tensor(name, "ints:%dx%d:%s" % (*shape, chain.dtype))
                 for name, shape in shapes.items()]
    arguments.append(kernels.Tensor("O", "junk:%dx%d:%s" % (m, d, chain.acc)))
    results, _ = kernels.run_function(json_path, arguments, seed)
    q, key, v = (a.values.astype(np.float64) for a in arguments[:3])
    p = kernels.round_to(q @ key.T, chain.dtype).astype(np.float64)
    expected = p @ (v.T if chain.vt else v)
    kernels.compare("O", chain.acc, results["O"], expected)


def count_exchanges(path, target, out):
    """Remarks of conversions that pass through shared memory."""
    result = kernels.subprocess.run(
        ["tile-compile", path, "--target=" + target, "-o", out], check=True,
        capture_output=True, text=True)
    return result.stderr.count("tile-layout/exchange")


def check(chain, target, options):
    out = os.path.join(options.out, target)
    os.makedirs(out, exist_ok=True)
    source = os.path.join(out, "chain.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(mlir(chain))
    try:
        kernels.compile_file(source, target, out)
    except kernels.Failure as failure:
        if chain.error and failure.status == 1 and re.search(
                r"chain\.mlir:\d+:\d+: error: .*" + chain.error, str(failure)):
            return "rejected"
        raise
    if chain.error:
        raise kernels.Failure("compiles, expected an error")
    if options.no_exchange and count_exchanges(source, target, out):
        raise kernels.Failure("moves elements through shared memory")
    for size, seed in itertools.product(chain.sizes,
                                        range(1, options.seeds + 1)):
        check_size(chain, os.path.join(out, "chain.json"), size, seed)
    return "%d sizes" % len(chain.sizes)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="CASE")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--sizes", default="64x128x32x64,67x131x29x50,1x1x1x1")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--no-exchange", action="store_true")
    options = parser.parse_args()

    return kernels.run_cases(
        options.cases, options.target,
        lambda text, target: check(Chain(text, options.sizes), target, options))


if __name__ == "__main__":
    sys.exit(main())
