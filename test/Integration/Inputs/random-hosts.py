#!/usr/bin/env python3
"""Random host functions: workspaces, views of them, copies, fills, launches, loops
that carry buffers, branches that choose one, workspaces that are freed or not.
Each is run on the emulator and compared with what Python computes; a workspace
that ends too early, or is used again too early, is a finding there."""

import argparse
import os
import random
import sys

import numpy as np

import kernels

HEAD = """!v = memref<?xf32, strided<[?], offset: ?>>
func.func private @scale(%A: !v, %s: f32, %O: !v) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %O, %c0 : !v
  %gx = arith.ceildivui %n, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %f = arith.muli %bx, %c32 : index
    %i = arith.addi %f, %tx : index
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %a = memref.load %A[%i] : !v
      %o = arith.mulf %a, %s : f32
      memref.store %o, %O[%i] : !v
    }
    gpu.terminator
  }
  return
}
"""
CALL = "func.call @scale(%{}, %{}, %{}) : (!v, f32, !v) -> ()"
MEMREF, SPAN = "memref<?xf32>", "memref<?xf32, strided<[{}], offset: {}>>"
ANY = "any"  # a buffer that a loop or a branch has chosen


class Program:
    """Statements as text, and as Python that does the same with numpy."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.python, self.count = [], [], 0
        self.depth = 0

    def name(self):
        self.count += 1
        return "v%d" % self.count

    def say(self, text, python=None):
        self.lines.append("  " * (self.depth + 1) + text)
        if python:
            self.python.append("  " * self.depth + python)

    def alloc(self, roots):
        """A workspace with values: whole, or a half of one of twice the size, as
        neighbours or every second element."""
        new, memory = self.name(), self.name()
        kind = self.random.choice(["whole", "low", "high", "even", "odd"])
        size = "n" if kind == "whole" else "n2"
        self.say("%%%s = memref.alloc(%%%s) : %s" % (memory, size, MEMREF),
                 "%s = np.full(%s, np.nan, np.float32)" % (memory, size))
        first, step, part = {"whole": ("0", 1, "[:]"), "low": ("0", 1, "[:n]"),
                             "high": ("%n", 1, "[n:]"), "even": ("0", 2, "[::2]"),
                             "odd": ("1", 2, "[1::2]")}[kind]
        offset = {"0": "0", "1": "1"}.get(first, "?")
        strided = SPAN.format(step, offset) if offset != "0" else \
            "memref<?xf32, strided<[%d]>>" % step
        self.say("%%%s_s = memref.subview %%%s[%s] [%%n] [%d] : %s to %s" %
                 (new, memory, first, step, MEMREF, strided))
        self.say("%%%s = memref.cast %%%s_s : %s to !v" % (new, new, strided),
                 "%s = %s%s" % (new, memory, part))
        if self.random.random() < 0.5:
            self.say("gpu.memset %%%s, %%two : !v, f32" % new, "%s[:] = 2" % new)
        else:
            source = self.random.choice(sorted(roots))
            self.say("memref.copy %%%s, %%%s : !v to !v" % (source, new),
                     "%s[:] = %s" % (new, source))
        return new, memory

    def move(self, roots):
        source, target = (self.random.choice(sorted(roots)) for _ in range(2))
        apart = roots[source] != roots[target] and ANY not in (
            roots[source], roots[target])
        if target == "A" or not (apart or source == target):
            return
        factor = self.random.choice(["half", "two", "one"])
        number = {"half": 0.5, "two": 2, "one": 1}[factor]
        self.say(CALL.format(source, factor, target),
                 "%s[:] = %s * %s" % (target, source, number))

    def loop(self, roots, budget):
        width = self.random.randint(1, 2)
        starts = [self.random.choice(sorted(roots)) for _ in range(width)]
        results, args = ([self.name() for _ in starts] for _ in range(2))
        bound, index = self.random.choice(["k", "one_i", "zero_i"]), self.name()
        self.say("%%%s:%d = scf.for %%%s = %%zero_i to %%%s step %%one_i iter_args(%s) -> (%s) {" % (
            results[0], width, index, bound,
            ", ".join("%%%s = %%%s" % pair for pair in zip(args, starts)),
            ", ".join(["!v"] * width)))
        self.python.append("  " * self.depth + "%s, = %s," % (
            ", ".join(args), ", ".join(starts)))
        self.python.append("  " * self.depth + "for _ in range(%s):" % bound)
        inner = dict(roots, **{a: ANY for a in args})
        self.depth += 1
        self.python.append("  " * self.depth + "pass")
        made = self.block(inner, budget - 1)
        ends = [self.random.choice(args + sorted(made)) for _ in args]
        self.say("scf.yield %s : %s" % (", ".join("%" + e for e in ends),
                                        ", ".join(["!v"] * width)),
                 "%s, = %s," % (", ".join(args), ", ".join(ends)))
        self.depth -= 1
        self.say("}")
        for i, (result, arg) in enumerate(zip(results, args)):
            self.say("%%%s_r = memref.cast %%%s#%d : !v to !v" %
                     (result, results[0], i), "%s_r = %s" % (result, arg))
        return {result + "_r": ANY for result in results}

    def branch(self, roots, budget):
        result = self.name()
        self.say("%%%s = scf.if %%flag -> (!v) {" % result)
        for key, tail in (("if flag:", "} else {"), ("else:", "}")):
            self.python.append("  " * self.depth + key)
            self.depth += 1
            made = self.block(dict(roots), budget - 1)
            chosen = self.random.choice(sorted(roots) + sorted(made))
            self.say("scf.yield %%%s : !v" % chosen, "%s = %s" % (result, chosen))
            self.depth -= 1
            self.say(tail)
        return {result: ANY}

    def block(self, roots, budget):
        """Fills a block; returns what it made, which may leave it."""
        made, freed = {}, []
        for _ in range(self.random.randint(1, 4)):
            visible = {**roots, **made}
            kind = self.random.random()
            if kind < 0.4:
                new, memory = self.alloc(visible)
                if self.random.random() < 0.3:  # used in this block only
                    self.say(CALL.format(self.random.choice(sorted(visible)),
                                         "half", new),)
                    freed.append(memory)
                else:
                    made[new] = memory
            elif kind < 0.7 or budget <= 0:
                self.move(visible)
            elif kind < 0.85:
                made.update(self.loop(visible, budget))
            else:
                made.update(self.branch(visible, budget))
        for memory in freed:
            self.say("memref.dealloc %%%s : %s" % (memory, MEMREF))
        return made

    def text(self):
        made = self.block({"A": "A"}, 2)
        results = [self.random.choice(sorted(made) or ["A"]) for _ in range(2)]
        head = ["func.func @f(%A0: memref<?xf32>, %k: index, %flag: i1) -> (!v, !v) {",
                "  %A = memref.cast %A0 : memref<?xf32> to !v"]
        for name, number, kind in (("zero_i", "0", "index"), ("one_i", "1", "index"),
                                   ("half", "0.5", "f32"), ("one", "1.0", "f32"),
                                   ("two", "2.0", "f32")):
            head.append("  %%%s = arith.constant %s : %s" % (name, number, kind))
        head += ["  %n = memref.dim %A0, %zero_i : memref<?xf32>",
                 "  %n2 = arith.addi %n, %n : index",
                 "  " + CALL.format("A", "one", "A")]
        end = ["  return %s : !v, !v" % ", ".join("%" + r for r in results), "}"]
        return HEAD + "\n".join(head + self.lines + end) + "\n", results


def run_seed(seed, out, target):
    program = Program(seed)
    text, results = program.text()
    path = os.path.join(out, "f.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    kernels.compile_file(path, target, out)
    for shape, k, flag in (("37", 3, 1), ("1", 1, 0), ("0", 2, 1)):
        arguments = [kernels.make_argument("A0", "ints:%s:f32" % shape),
                     kernels.make_argument("k", str(k)),
                     kernels.make_argument("flag", str(flag))]
        names = {"A": np.array(arguments[0].values), "n": int(shape),
                 "n2": 2 * int(shape), "k": k, "flag": flag, "np": np,
                 "one_i": 1, "zero_i": 0}
        exec("\n".join(program.python), names)  # the text of this file
        got, _ = kernels.run_function(os.path.join(out, "f.json"), arguments, 1)
        kernels.compare("A0", "f32", got["A0"], names["A"])
        for i, result in enumerate(results):
            kernels.compare("result%d" % i, "f32", got["result%d" % i],
                            names[result])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    num_failed = 0
    for seed in range(options.first, options.first + options.seeds):
        try:
            run_seed(seed, options.out, options.target)
            print("ok seed %d" % seed)
        except kernels.Failure as failure:
            print("FAILED seed %d: %s" % (seed, failure))
            num_failed += 1
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
