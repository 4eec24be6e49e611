#!/usr/bin/env python3
"""Generates matrix products whose roles and channels are written by hand, runs
them on the emulator and checks every element exactly. Prints one line per case.

A case is a list of words (defaults in brackets):

    tile=MxNxK      [64x64x32]
    depth=D         slots of the rings [2]
    consumer=W      warps that multiply [4]
    producer=W      warps that load [1]
    a=tma|cp_async|simt   who loads A [tma]
    b=tma|cp_async|simt   who loads B [a]
    regs=C,P        budgets of registers
    form=plain      one tile per block
        |tiles      two blocks loop over all tiles, positions are carried
        |guard      every third step is skipped by both roles
        |else       every third step loads and multiplies by another way
        |while      the loop is a scf.while
        |two        two loops, one behind the other, with one channel
        |late       a slot is given back one step later [plain]
    in=bf16|i8      type of A and B [bf16]
    steps=N,…       trip counts [0,1,D-1,D,D+1,2D+1]
    sizes=MxN,…     [tile size + 16 in each direction]
    instr=wgmma|mma   required of the product
    error=TEXT      compiling fails with this message; `_` also stands for blank
"""

import argparse
import os
import re
import sys

import numpy as np

import kernels

class Case:
    KEYS = {"tile": "64x64x32", "depth": "2", "consumer": "4", "producer": "1",
            "a": "tma", "b": None, "regs": None, "form": "plain", "in": "bf16",
            "steps": None, "sizes": None, "error": None,
            "instr": None}

    def __init__(self, text):
        values = dict(self.KEYS)
        for word in text.split():
            key, _, value = word.partition("=")
            if key not in values:
                raise kernels.Failure("unknown word '%s'" % word)
            values[key] = value
        self.text, self.words = text, values
        self.m, self.n, self.k = map(int, values["tile"].split("x"))
        self.depth = int(values["depth"])
        self.consumer, self.producer = int(values["consumer"]), int(values["producer"])
        self.a, self.b = values["a"], values["b"] or values["a"]
        self.form, self.type = values["form"], values["in"]
        self.acc = "i32" if self.type == "i8" else "f32"
        d = self.depth
        steps = values["steps"]
        self.steps = ([int(s) for s in steps.split(",")] if steps else
                      sorted({0, 1, max(d - 1, 0), d, d + 1, 2 * d + 1}))
        sizes = values["sizes"] or "%dx%d" % (self.m + 16, self.n + 16)
        self.sizes = [tuple(map(int, s.split("x"))) for s in sizes.split(",")]

    def used_steps(self, steps):
        """The K steps that count."""
        if self.form == "guard":
            return [s for s in range(steps) if s % 3 != 1]
        return list(range(steps))


class Program:
    """The text of one kernel."""

    def __init__(self, case):
        self.case, self.lines = case, []

    def emit(self, text):
        self.lines.append(text)

    def types(self):
        c = self.case
        ws = "#gpu.address_space<workgroup>"
        return {
            "ta": c.type, "tc": c.acc, "m": c.m, "n": c.n, "k": c.k, "d": c.depth,
            "ringa": "memref<%dx%dx%dx%s, %s>" % (c.depth, c.m, c.k, c.type, ws),
            "ringb": "memref<%dx%dx%dx%s, %s>" % (c.depth, c.k, c.n, c.type, ws),
            "slota": "!tile.region<%dx%dx%s, %s>" % (c.m, c.k, c.type, ws),
            "slotb": "!tile.region<%dx%dx%s, %s>" % (c.k, c.n, c.type, ws),
            "acc": "memref<%dx%dx%s, #tile.fragment>" % (c.m, c.n, c.acc),
            "wc": c.consumer, "wp": c.producer,
        }

    def agents(self):
        c, words = self.case, []
        kinds = {c.a, c.b}
        if "tma" in kinds:
            words.append("tma")
        if "cp_async" in kinds:
            words.append("cp_async_threads = %d" % (32 * c.producer))
        if "simt" in kinds:
            words.append("simt_threads = %d" % (32 * c.producer))
        words.append("consumer_warps = %d" % c.consumer)
        return "{" + ", ".join(words) + "}"

    def slots(self, s):
        self.emit("%%i = arith.index_cast %s : i32 to index" % s)
        t, c = self.types(), self.case
        for x, rows, columns in (("a", c.m, c.k), ("b", c.k, c.n)):
            self.emit("%%s%s = tile.region %%R%s[%%i, 0, 0] [1, %d, %d] drop [0] : %s"
                      % (x, x, rows, columns, t["ring" + x]))

    def fill_slot(self, step, s, p):
        c, t = self.case, self.types()
        self.emit("tile.acquire %%ch[%s, %s]" % (s, p))
        self.emit("%%kk = arith.muli %s, %%bk : index" % step)
        self.slots(s)
        for x, at, sizes, kind in (("a", "%mm, %kk", "%(m)d, %(k)d", c.a),
                                   ("b", "%kk, %nn", "%(k)d, %(n)d", c.b)):
            size = sizes % t
            self.emit("%%g%s = tile.region %%%s[%s] [%s] {align = 16 : i64} : memref<?x?x%s>"
                      % (x, x.upper(), at, size, c.type))
            self.emit("tile.copy %%g%s to %%s%s signal %%ch[%%i] of !tile.channel "
                      "{instr = #tile.instr<%s>} : !tile.region<%sx%s>, %s"
                      % (x, x, kind, size.replace(", ", "x"), c.type, t["slot" + x]))
        self.emit("tile.commit %%ch[%s, %s]" % (s, p))

    def use_slot(self, s, p):
        t = self.types()
        self.emit("tile.wait %%ch[%s, %s]" % (s, p))
        self.slots(s)
        instr = self.case.words["instr"]
        self.emit("tile.gemm %%sa, %%sb, %%acc %s: (%s, %s, %s)"
                  % ("{instr = #tile.instr<%s>} " % instr if instr else "",
                     t["slota"], t["slotb"], t["acc"]))
        if self.case.form != "late":
            self.emit("tile.release %%ch[%s, %s]" % (s, p))

    def body(self, is_fill, step, s, p):
        """One round, and the position after it: %t, %q."""
        c = self.case
        one = lambda: (self.fill_slot(step, s, p) if is_fill else self.use_slot(s, p))
        if c.form not in ("guard", "else"):
            one()
            self.emit("%%t, %%q = tile.advance %s, %s depth %d" % (s, p, c.depth))
            return
        self.emit("%%r = arith.remui %s, %%c3 : index" % step)
        self.emit("%take = arith.cmpi ne, %r, %c1 : index")
        self.emit("%t, %q = scf.if %take -> (i32, i32) {")
        one()
        self.emit("%%x, %%y = tile.advance %s, %s depth %d" % (s, p, c.depth))
        self.emit("scf.yield %x, %y : i32, i32")
        self.emit("} else {")
        if c.form == "else":
            one()
            self.emit("%%x, %%y = tile.advance %s, %s depth %d" % (s, p, c.depth))
            self.emit("scf.yield %x, %y : i32, i32")
        else:
            self.emit("scf.yield %s, %s : i32, i32" % (s, p))
        self.emit("}")

    def loop(self, is_fill, name, s, p, begin="%c0", end="%steps"):
        """A loop over K steps; %name#0, %name#1 is the position after it."""
        c = self.case
        if c.form == "while":
            self.emit("%%%s:3 = scf.while (%%st = %s, %%s = %s, %%p = %s) : (index, i32, i32)"
                      " -> (index, i32, i32) {" % (name, begin, s, p))
            self.emit("%%more = arith.cmpi ult, %%st, %s : index" % end)
            self.emit("scf.condition(%more) %st, %s, %p : index, i32, i32")
            self.emit("} do {")
            self.emit("^bb0(%st: index, %s: i32, %p: i32):")
            self.body(is_fill, "%st", "%s", "%p")
            self.emit("%after = arith.addi %st, %c1 : index")
            self.emit("scf.yield %after, %t, %q : index, i32, i32")
            self.emit("}")
            return "%%%s#1" % name, "%%%s#2" % name
        late = c.form == "late" and not is_fill
        if late:
            self.emit("%%%s:4 = scf.for %%st = %s to %s step %%c1 iter_args(%%s = %s, %%p = %s, "
                      "%%os = %s, %%op = %s) -> (i32, i32, i32, i32) {"
                      % (name, begin, end, s, p, s, p))
        else:
            self.emit("%%%s:2 = scf.for %%st = %s to %s step %%c1 iter_args(%%s = %s, %%p = %s)"
                      " -> (i32, i32) {" % (name, begin, end, s, p))
        self.body(is_fill, "%st", "%s", "%p")
        if late:
            self.emit("%is_late = arith.cmpi ne, %st, %c0 : index")
            self.emit("scf.if %is_late {")
            self.emit("tile.release %ch[%os, %op]")
            self.emit("}")
            self.emit("scf.yield %t, %q, %s, %p : i32, i32, i32, i32")
            self.emit("}")
            self.emit("%%was = arith.cmpi ne, %s, %s : index" % (begin, end))
            self.emit("scf.if %was {")
            self.emit("tile.release %%ch[%%%s#2, %%%s#3]" % (name, name))
            self.emit("}")
        else:
            self.emit("scf.yield %t, %q : i32, i32")
            self.emit("}")
        return "%%%s#0" % name, "%%%s#1" % name

    def tile_program(self, is_fill, s, p):
        t = self.types()
        if not is_fill:
            self.emit("tile.fill %%acc, %%zero : %s, %s" % (t["acc"], t["tc"]))
        if self.case.form == "two":
            self.emit("%half = arith.divui %steps, %c2 : index")
            s, p = self.loop(is_fill, "e", s, p, end="%half")
            s, p = self.loop(is_fill, "f", s, p, begin="%half")
        else:
            s, p = self.loop(is_fill, "e", s, p)
        if not is_fill:
            self.emit("%%gc = tile.region %%C[%%mm, %%nn] [%d, %d] : memref<?x?x%s, strided<[?, 1], offset: ?>>"
                      % (t["m"], t["n"], t["tc"]))
            self.emit("tile.copy %%acc to %%gc : %s, !tile.region<%dx%dx%s>"
                      % (t["acc"], t["m"], t["n"], t["tc"]))
        return s, p

    def role(self, is_fill):
        if self.case.form != "tiles":
            self.emit("%mm = arith.muli %by, %bm : index")
            self.emit("%nn = arith.muli %bx, %bn : index")
            self.tile_program(is_fill, "%z", "%z")
            return
        self.emit("%out:2 = scf.for %tile = %bx to %tiles step %sx iter_args(%s0 = %z, %p0 = %z)"
                  " -> (i32, i32) {")
        self.emit("%ty0 = arith.divui %tile, %gx : index")
        self.emit("%tx0 = arith.remui %tile, %gx : index")
        self.emit("%mm = arith.muli %ty0, %bm : index")
        self.emit("%nn = arith.muli %tx0, %bn : index")
        s, p = self.tile_program(is_fill, "%s0", "%p0")
        self.emit("scf.yield %s, %s : i32, i32" % (s, p))
        self.emit("}")

    def text(self):
        c, t = self.case, self.types()
        zero = "0 : i32" if c.acc == "i32" else "0.0 : f32"
        tiles = c.form == "tiles"
        e = self.emit
        e("func.func @gemm(%%A: memref<?x?x%s>, %%B: memref<?x?x%s>, %%C: memref<?x?x%s, strided<[?, 1], offset: ?>>, %%steps: index) {"
          % (c.type, c.type, c.acc))
        for name, value in (("c0", 0), ("c1", 1), ("c2", 2), ("c3", 3), ("bm", c.m), ("bn", c.n),
                            ("bk", c.k), ("threads", 32 * (c.consumer + c.producer))):
            e("%%%s = arith.constant %d : index" % (name, value))
        e("%z = arith.constant 0 : i32")
        e("%%zero = arith.constant %s" % zero)
        e("%%M = memref.dim %%C, %%c0 : memref<?x?x%s, strided<[?, 1], offset: ?>>" % c.acc)
        e("%%N = memref.dim %%C, %%c1 : memref<?x?x%s, strided<[?, 1], offset: ?>>" % c.acc)
        e("%gx = arith.ceildivui %N, %bn : index")
        e("%gy = arith.ceildivui %M, %bm : index")
        e("%tiles = arith.muli %gx, %gy : index")
        e("gpu.launch blocks(%%bx, %%by, %%bz) in (%%sx = %s, %%sy = %s, %%sz = %%c1) "
          "threads(%%tx, %%ty, %%tz) in (%%nx = %%threads, %%ny = %%c1, %%nz = %%c1) {"
          % (("%c2", "%c1") if tiles else ("%gx", "%gy")))
        e("%%Ra = tile.alloc : %s" % t["ringa"])
        e("%%Rb = tile.alloc : %s" % t["ringb"])
        e("%%acc = tile.alloc : %s" % t["acc"])
        e("%%ch = tile.channel(%%Ra, %%Rb) depth %d %s : %s, %s"
          % (c.depth, self.agents(), t["ringa"], t["ringb"]))
        regs = (c.words["regs"] or ",").split(",")
        e("tile.specialize {")
        for name, warps, budget, is_fill in (("consumer", c.consumer, regs[0], False),
                                             ("producer", c.producer, regs[1], True)):
            e('tile.role "%s" warps %d %s{' % (name, warps, "registers %s " % budget if budget else ""))
            self.role(is_fill)
            e("}")
        e("}")
        e("gpu.terminator")
        e("}")
        e("return")
        e("}")
        return "\n".join(self.lines) + "\n"


def run(case, json_path, steps, size, seed, options=()):
    m, n = size
    k = max(steps, 1) * case.k
    a = kernels.make_argument("A", "ints:%dx%d:%s" % (m, k, case.type))
    b = kernels.make_argument("B", "ints:%dx%d:%s" % (k, n, case.type))
    c = kernels.make_argument("C", "junk:%dx%d:%s" % (m, n, case.acc))
    s = kernels.make_argument("steps", str(steps))
    results, _ = kernels.run_function(json_path, [a, b, c, s], seed, options)
    x, y = (np.array(v.values, dtype=np.float64) for v in (a, b))
    expected = np.zeros((m, n))
    for step in case.used_steps(steps):
        at = slice(step * case.k, (step + 1) * case.k)
        expected += x[:, at] @ y[at, :]
    kernels.compare("C", c.dtype, results["C"], expected)


def check(case, target, out, seeds):
    source = os.path.join(out, "gemm.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(Program(case).text())
    if case.words["error"]:
        failed = kernels.run_program(["tile-compile", source, "--target=" + target, "-o", out],
                                     expect_status=1).stderr
        if re.sub("[ _]", " ", case.words["error"]) not in failed.replace("_", " "):
            raise kernels.Failure("other message: " + failed)
        return "error"
    kernels.compile_file(source, target, out)
    for number, steps in enumerate(case.steps):
        for size in case.sizes:
            for seed in kernels.schedules(seeds, number):
                run(case, os.path.join(out, "gemm.json"), steps, size, seed)
    return "%d trip counts" % len(case.steps)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="CASE")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--print", action="store_true",
                        help="only write OUT, the program of the one case")
    options = parser.parse_args()
    if options.print:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(Program(Case(options.cases[0])).text())
        return 0
    os.makedirs(options.out, exist_ok=True)
    num_failed = 0
    for text in options.cases:
        try:
            print("ok %s: %s" % (text, check(Case(text), options.target, options.out,
                                             options.seeds)))
        except kernels.Failure as failure:
            print("FAILED %s: %s" % (text, failure))
            num_failed += 1
        sys.stdout.flush()
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
