#!/usr/bin/env python3
"""Random kernels of products under random control flow, with and without roles.

A kernel multiplies blocks of K of two matrices and adds rows to the sums, in loops
of statements.py: counted ones, of 32 and 64 bits, and while loops; guards with else
branches; loops in loops and one after the other. A block of a factor comes to its
product by TMA, cp.async or plain copies, converted, computed by an element loop,
transposed, by way of registers, or compressed with its metadata. One to three warpgroups compute. Integers, so
that sums are exact; an interpreter says what they are."""

import argparse
import os
import random
import sys

import numpy as np

import kernels
import sparse
from statements import (BOOLEANS, ROWS, TABLE, Run, Text, early, flat, loop, move,
                        tick, walk, when)

BLOCKS = 64  # of K, as the index tables of statements.py have them
SMEM = "#gpu.address_space<workgroup>"

#===-- Statements --------------------------------------------------------===#

HOW_A = [None, None, None, "cp_async", "simt", "convert", "elements", "transposed",
         "registers", "no_shared", "sparse", "sparse"]
HOW_B = [None, None, None, "cp_async", "simt", "convert", "elements", "transposed"]


def step(index, how_a=None, how_b=None, tiles=0):
    """Adds the product of block `index` of A and of B."""
    return ("step", index, how_a, how_b, tiles)


def bias(index, instr=None):
    """Adds row `index` of D to every row of the sums."""
    return ("bias", index, instr)


class ProductRun(Run):
    def __init__(self, shape, body, inputs):
        self.shape = shape
        self.sums = np.zeros((shape.m, shape.n))
        super().__init__(body, inputs)

    def do_step(self, index, how_a, how_b, _):
        k = self.index(index) % BLOCKS * self.shape.k
        a = self.inputs["S" if how_a == "sparse" else "A"]
        a = a[:, k:k + self.shape.k].astype(np.float64)
        b = self.inputs["B"][k:k + self.shape.k].astype(np.float64)
        sign = (-1 if how_a == "elements" else 1) * (-1 if how_b == "elements" else 1)
        self.sums += sign * (a @ b)

    def do_bias(self, index, _):
        self.sums += self.inputs["D"][self.index(index) % BLOCKS]


class Shape:
    """Extents of the tiles, threads that compute, warps that copy (0: any)."""

    def __init__(self, groups, n, k, warps):
        self.m, self.n, self.k = 64 * groups, n, k
        self.groups, self.warps = groups, warps

    def __str__(self):
        return "%dx%dx%d, %d threads" % (self.m, self.n, self.k, 128 * self.groups)


class ProductText(Text):
    def __init__(self, name, shape, body, config):
        super().__init__(name, body, config)
        self.shape = shape
        s, full = shape, shape.k * BLOCKS
        self.tensors = {
            "A": "memref<%dx%dxbf16>" % (s.m, full), "B": "memref<%dx%dxbf16>" % (full, s.n),
            "Af": "memref<%dx%dxf32>" % (s.m, full), "Bf": "memref<%dx%dxf32>" % (full, s.n),
            "At": "memref<%dx%dxbf16>" % (full, s.m), "Bt": "memref<%dx%dxbf16>" % (s.n, full),
            "Ah": "memref<%dx%dxbf16>" % (s.m, full // 2),
            "E": "memref<%dx%dxi16>" % (s.m, full // 16),
            "D": "memref<%dx%dxf32>" % (BLOCKS, s.n), "C": "memref<%dx%dxf32>" % (s.m, s.n)}

    def changed(self, body):
        return ["o"] if any(s[0] == "move" for s in walk(body)) else []

    def copy(self, tensor, dtype, offsets, sizes, tile, kind, instr=None, align=16):
        align = " {align = %d : i64}" % align if instr != "simt" else ""
        window = self.value("tile.region %%%s[%s] [%s]%s : %s" % (
            tensor, ", ".join(offsets), ", ".join(map(str, sizes)), align,
            self.tensors[tensor]))
        attrs = " {instr = #tile.instr<%s>}" % instr if instr else ""
        self.add("tile.copy %s to %%%s%s : !tile.region<%sx%s>, %s" % (
            window, tile, attrs, "x".join(map(str, sizes)), dtype, kind))

    def tile(self, factor, extents, tiles, dtype="bf16"):
        """The shared tile of a factor, made before everything."""
        name = "%s%d_%s" % (factor, tiles, "x".join(map(str, extents)))
        kind = "memref<%sx%s, %s>" % ("x".join(map(str, extents)), dtype, SMEM)
        self.tiles[name] = kind
        return name, kind

    def factor(self, factor, how, k, tiles):
        """Copies a block of A or B; returns its tile, its type, how it lies."""
        s = self.shape
        rows, columns = (s.m, s.k) if factor == "A" else (s.k, s.n)
        offsets = ["0", k] if factor == "A" else [k, "0"]
        if how == "transposed":
            name, kind = self.tile(factor, (columns, rows), tiles)
            self.copy(factor + "t", "bf16", offsets[::-1], (columns, rows), name, kind)
            return name, kind, "transpose_" + factor.lower()
        if how == "sparse":
            sizes = (rows, columns // 2)
            name, kind = self.tile("Ah", sizes, tiles)
            self.copy("Ah", "bf16", ["0", self.part(k, 2)], sizes, name, kind)
            return name, kind, None
        if how == "no_shared":
            kind = "memref<%dx%dxbf16, #tile.fragment>" % (rows, columns)
            self.copy(factor, "bf16", offsets, (rows, columns), "Ar", kind, "simt")
            return "Ar", kind, None
        name, kind = self.tile(factor, (rows, columns), tiles)
        if how == "elements":
            self.elements(factor, k, rows, columns, name, kind)
        elif how == "convert":
            self.copy(factor + "f", "f32", offsets, (rows, columns), name, kind)
        else:
            instr = how if how in ("cp_async", "simt") else None
            self.copy(factor, "bf16", offsets, (rows, columns), name, kind, instr)
        if how == "registers":
            fragment = "memref<%dx%dxbf16, #tile.fragment>" % (rows, columns)
            self.add("tile.copy %%%s to %%Ar : %s, %s" % (name, kind, fragment))
            return "Ar", fragment, None
        return name, kind, None

    def elements(self, factor, k, rows, columns, name, kind):
        self.add("tile.parallel (%%r, %%c) in [%d, %d] {" % (rows, columns))
        self.add("  %%at = arith.addi %s, %s : index" % (k, "%c" if factor == "A" else "%r"))
        at = "%r, %at" if factor == "A" else "%at, %c"
        self.add("  %%x = memref.load %%%s[%s] : %s" % (factor, at, self.tensors[factor]))
        self.add("  %y = arith.negf %x : bf16")
        self.add("  memref.store %%y, %%%s[%%r, %%c] : %s" % (name, kind))
        self.add("}")

    def do_step(self, index, how_a, how_b, tiles):
        k = self.value("arith.muli %s, %s : index" % (
            self.index(("%", index, BLOCKS)), self.constant(self.shape.k)))
        a, kind_a, lies_a = self.factor("A", how_a, k, tiles)
        b, kind_b, lies_b = self.factor("B", how_b, k, tiles)
        if how_a == "sparse":
            e, kind_e = self.metadata(k, tiles)
            a, kind_a = "%s, %%%s" % (a, e), "%s, %s" % (kind_a, kind_e)
        flags = "".join(f + ", " for f in (lies_a, lies_b) if f)
        self.add("tile.gemm%s %%%s, %%%s, %%acc {%spolicy = #tile.warp_policy<full_row>} : "
                 "(%s, %s, %s)" % ("_sp" if how_a == "sparse" else "", a, b, flags, kind_a,
                                   kind_b, self.sums()))

    def part(self, k, divisor):
        return self.value("arith.divui %s, %s : index" % (k, self.constant(divisor)))

    def metadata(self, k, tiles):
        sizes = (self.shape.m, self.shape.k // 16)
        name, kind = self.tile("E", sizes, tiles, "i16")
        self.copy("E", "i16", ["0", self.part(k, 16)], sizes, name, kind, None, sizes[1] * 2)
        return name, kind

    def do_bias(self, index, instr):
        row = self.index(("%", index, BLOCKS))
        window = self.value("tile.region %%D[%s, 0] [1, %d] drop [0] {align = 16 : i64} : %s"
                            % (row, self.shape.n, self.tensors["D"]))
        attrs = " {instr = #tile.instr<%s>}" % instr if instr else ""
        kind = "memref<%dxf32, %s>" % (self.shape.n, SMEM)
        self.tiles["Ds"] = kind
        self.add("tile.copy %s to %%Ds%s : !tile.region<%dxf32>, %s"
                 % (window, attrs, self.shape.n, kind))
        self.add("tile.parallel (%%r, %%c) in [%d, %d] {" % (self.shape.m, self.shape.n))
        self.add("  %%x = memref.load %%acc[%%r, %%c] : %s" % self.sums())
        self.add("  %%y = memref.load %%Ds[%%c] : %s" % kind)
        self.add("  %z = arith.addf %x, %y : f32")
        self.add("  memref.store %%z, %%acc[%%r, %%c] : %s" % self.sums())
        self.add("}")

    def sums(self):
        return "memref<%dx%dxf32, #tile.fragment>" % (self.shape.m, self.shape.n)

    def function(self):
        s = self.shape
        arguments = ["%%%s: %s" % pair for pair in self.tensors.items()]
        arguments[-1:-1] = ["%I: " + TABLE, "%M: " + TABLE, "%N: " + BOOLEANS]
        head = ["func.func @%s(%s, %%R: memref<1xi32>, %%n: index) {"
                % (self.name, ", ".join(arguments)),
                "  %one = arith.constant 1 : index",
                "  %%threads = arith.constant %d : index" % (128 * s.groups),
                "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)",
                "             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {"]
        config = ["producer_warps = %d : i64" % s.warps] if s.warps else []
        config += ["specialize = #tile.specialize<%s>" % self.config] if self.config else []
        if config:
            head.append("    tile.kernel_config {%s}" % ", ".join(config))
        self.tiles, self.depth = {}, 2
        self.add("%%acc = tile.alloc : %s" % self.sums())
        self.add("%%Ar = tile.alloc : memref<%dx%dxbf16, #tile.fragment>" % (s.m, s.k))
        self.add("%zero = arith.constant 0.0 : f32")
        self.add("tile.fill %%acc, %%zero : %s, f32" % self.sums())
        self.env = {"n": "%n", "o": self.constant(0)}
        self.depth = 1
        self.block(self.body)
        self.depth = 2
        self.add("%%out = tile.region %%C[0, 0] [%d, %d] : %s" % (s.m, s.n, self.tensors["C"]))
        self.add("tile.copy %%acc to %%out : %s, !tile.region<%dx%dxf32>"
                 % (self.sums(), s.m, s.n))
        allocs = ["    %%%s = tile.alloc : %s" % pair for pair in self.tiles.items()]
        return "\n".join(head + allocs + self.lines + ["    gpu.terminator", "  }", "  return", "}"])


#===-- Random kernels ----------------------------------------------------===#


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        r = self.random
        self.shape = Shape(r.choice([1, 1, 2, 3]), r.choice([32, 64]),
                           r.choice([16, 32]), r.choice([0, 0, 1, 4]))

    def index(self, names):
        r = self.random
        name = r.choice(names + ["o"])
        return r.choice([name, name, ("at", name), ("+", name, r.randrange(1, 9)),
                         ("%", name, r.choice([2, 3]))])

    def condition(self, names):
        name = self.random.choice(names)
        return self.random.choice([("flag", name), ("any", name), ("even", name),
                                   ("less", name, 2), ("flag", "o"), ("any", ("at", name))])

    def statement(self, names, depth):
        r = self.random
        kind = r.choice(["step"] * 5 + ["bias", "when", "when", "loop", "move", "tick"])
        if kind == "bias":
            return [bias(self.index(names), r.choice([None, None, "simt", "cp_async"]))]
        if kind == "move":
            return [move(self.index(names))]
        if kind == "tick":
            return [tick()]
        if kind == "when" and depth < 4:
            then = self.body(names, depth + 1)
            other = self.body(names, depth + 1) if r.random() < 0.5 else []
            return [when(self.condition(names), then, other)]
        if kind == "loop" and depth < 2:
            return [self.loop(names, depth)]
        how_a = r.choice(HOW_A if self.shape.k == 32 else HOW_A[:-2])
        return [step(self.index(names), how_a, r.choice(HOW_B), r.randrange(2))]

    def body(self, names, depth):
        return [s for _ in range(self.random.choice([1, 1, 2, 3]))
                for s in self.statement(names, depth)]

    def loop(self, names, depth):
        r = self.random
        i = "ijk"[depth]
        body = self.body(names + [i], depth + 1)
        if depth == 0:
            body.append(step(self.index([i]), None, None, 0))
        stages = r.choice([None, 1, 2, 3, 4]) if depth else r.choice([1, 2, 2, 3, 4])
        if r.random() < 0.25:
            return early(stages, *body, i=i, wide=r.random() < 0.3)
        return loop(stages, *body, i=i, start=r.choice([0, 0, 1, 3]),
                    stop=r.choice(["n", "n", ("+", "n", 3)]) if depth == 0 else r.choice([2, 3]),
                    step=r.choice([1, 1, 2]), wide=r.random() < 0.2)

    def kernel(self):
        return flat([self.loop([], 0) for _ in range(self.random.choice([1, 1, 2]))])


#===-- Running -----------------------------------------------------------===#


def make_inputs(shape, n, seed):
    rng = np.random.default_rng(seed)
    full = shape.k * BLOCKS
    a, b = rng.integers(-2, 3, (shape.m, full)), rng.integers(-2, 3, (full, shape.n))
    dense = sparse.random_sparse(shape.m, full, 4, "bf16", seed)
    half, metadata = sparse.compress(dense, 4)
    ones = rng.integers(0, ROWS, BLOCKS)[:, None] == np.arange(ROWS)
    values = {"A": (a, "bf16"), "B": (b, "bf16"), "Af": (a, "f32"), "Bf": (b, "f32"),
              "At": (a.T, "bf16"), "Bt": (b.T, "bf16"),
              "Ah": (half, "bf16"), "E": (metadata, "i16"),
              "D": (rng.integers(-2, 3, (BLOCKS, shape.n)), "f32"),
              "I": (rng.integers(0, 6, BLOCKS), "i32"),
              "M": (rng.integers(0, 4, BLOCKS) > seed % 3, "i32"),
              "N": (ones & (rng.integers(0, 2, (BLOCKS, 1)) > 0), "i1"),
              "C": (np.full((shape.m, shape.n), kernels.GUARD), "f32"),
              "R": (np.zeros(1), "i32")}
    arguments = []
    for name, (value, dtype) in values.items():
        text = "x".join(str(e) for e in value.shape)
        tensor = kernels.Tensor(name, "zeros:%s:%s" % (text, dtype))
        tensor.values = kernels.round_to(value, dtype)
        arguments.append(tensor)
    inputs = {tensor.name: tensor.values for tensor in arguments}
    return dict(inputs, n=n, S=dense), arguments + [kernels.Scalar("n", str(n))]


def check(name, shape, body, out, seeds):
    depth = max([s[1] or 1 for s in walk(body) if s[0] in ("loop", "early")], default=1)
    for number, n in enumerate(sorted({0, 1, depth, 2 * depth + 1})):
        inputs, arguments = make_inputs(shape, n, number)
        run = ProductRun(shape, body, inputs)
        for seed in range(1, seeds + 1):
            try:
                results, _ = kernels.run_function(os.path.join(out, name + ".json"),
                                                  arguments, seed)
                kernels.compare("C", "f32", results["C"], run.sums)
                kernels.compare("R", "i32", results["R"], [run.ticks])
            except kernels.Failure as failure:
                raise kernels.Failure("n = %d, seed %d: %s" % (n, seed, failure)) from None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", required=True, help="FIRST:COUNT")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--roles", default="on", choices=("on", "off", "required"))
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seeds", type=int, default=1, help="of the emulator")
    options = parser.parse_args()
    first, count = (int(x) for x in options.random.split(":"))
    config = {"on": None, "off": "off", "required": "required"}[options.roles]
    out = os.path.join(options.out, "%s-%s" % (options.target, options.roles))
    os.makedirs(out, exist_ok=True)
    num_failed = 0
    for number in kernels.some(first, count):
        maker, name = Maker(number), "random%d" % number
        body = maker.kernel()
        path = os.path.join(out, name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ProductText(name, maker.shape, body, config).function() + "\n")
        try:
            kernels.compile_file(path, options.target, out, ["--ptxas=off"])
            check(name, maker.shape, body, out, options.seeds)
            print("ok %s roles %s: %s (%s)" % (options.target, options.roles, name,
                                               maker.shape), flush=True)
        except kernels.Failure as failure:
            num_failed += 1
            print("FAILED %s roles %s: %s (%s): %s" % (
                options.target, options.roles, name, maker.shape, failure), flush=True)
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
