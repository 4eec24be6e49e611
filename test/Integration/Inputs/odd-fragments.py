#!/usr/bin/env python3
"""Kernels on fragments of any size: generates, compiles and runs them on the
emulator, and compares every element with numpy.

    odd-fragments.py --target=T --out=DIR "WHAT SHAPE.TYPE threads=N" …

Tensors are larger than their tiles, and hold junk after them: what a surplus
register stores is seen. WHAT is

    copy       through a fragment, by two blocks, the second one ragged
    stage      tensor, fragment, shared tile, fragment, tensor
    loop       sum of a fragment, a row, a column; in place and to a tensor
    reduce     sums, or the maximum, along every dimension
    lines      the same into shared tiles, on top of old values
    scan       sums along every dimension, the last one from the end
    predicate  any_of and all_of of a mask with one element that differs
    transpose  of a fragment, by a loop and by the op; rank 2
    atomic     add to a tensor and to a shared tile
    window     fill and copy of a part of the fragment
    view:SHAPE of the fragment in that shape: summed in place, reduced, scanned,
               a row of it filled; further shapes, each after a colon, are read
    product    of matrices; its accumulator is scaled by rows, summed, cut; the
               shape is that of the part that is left, rank 2

All cases of a run are functions of one file."""

import argparse
import itertools
import os
import sys

import numpy as np

import kernels

HEAD = """\
func.func @{name}({params}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %blocks = arith.constant {blocks} : index
  %threads = arith.constant {threads} : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
"""
TAIL = "    gpu.terminator\n  }\n  return\n}\n"
SPACES = {"F": ", #tile.fragment", "S": ", #gpu.address_space<workgroup>", "": ""}


def text_of(shape):
    return "x".join(str(n) for n in shape)


def memref(shape, dtype, space=""):
    return "memref<%sx%s%s>" % (text_of(shape), dtype, SPACES[space])


def names(prefix, count):
    return ", ".join("%%%s%d" % (prefix, d) for d in range(count))


class Case:
    """Collects the body of a kernel, its tensors, and what they shall hold."""

    def __init__(self, text, number):
        words = text.split()
        self.text, self.name = text, "case%d" % number
        self.what, *views = words[0].split(":")
        self.views = [tuple(int(n) for n in v.split("x")) for v in views]
        shape, self.dtype = words[1].split(".")
        self.shape = tuple(int(n) for n in shape.split("x"))
        self.threads = int(words[2].split("=")[1])
        self.rank, self.blocks = len(self.shape), 1
        self.body, self.tensors, self.expected = [], [], {}
        getattr(self, "make_" + self.what)()

    #===-- Pieces ---------------------------------------------------------===#

    def emit(self, line, *args):
        self.body.append("    " + (line % args if args else line))

    def tensor(self, name, shape, dtype, kind="ints"):
        tensor = kernels.Tensor(name, "%s:%s:%s" % (kind, text_of(shape), dtype))
        self.tensors.append(tensor)
        return tensor.values

    def result(self, name, values, dtype, room=3):
        """A tensor with `room` more columns than values, filled with junk."""
        shape = values.shape[:-1] + (values.shape[-1] + room,)
        whole = np.array(self.tensor(name, shape, dtype, "junk"))
        whole[..., :values.shape[-1]] = kernels.round_to(values, dtype)
        self.expected[name] = whole
        self.emit("%%w%s = tile.region %%%s[%s] [%s] : %s", name, name,
                  ", ".join(["0"] * len(shape)),
                  ", ".join(str(n) for n in values.shape), memref(shape, dtype))
        return "%w" + name, "!tile.region<%sx%s>" % (text_of(values.shape), dtype)

    def alloc(self, name, shape, dtype, space="F"):
        self.emit("%%%s = tile.alloc : %s", name, memref(shape, dtype, space))
        return memref(shape, dtype, space)

    def copy(self, src, src_type, dst, dst_type):
        self.emit("tile.copy %s to %s : %s, %s", src, dst, src_type, dst_type)

    def source(self, name="A", shape=None, dtype=None, space="F"):
        """A tensor in a tile of lower case."""
        shape, dtype = shape or self.shape, dtype or self.dtype
        values = self.tensor(name, shape, dtype)
        tile = self.alloc(name.lower(), shape, dtype, space)
        self.copy("%" + name, memref(shape, dtype), "%" + name.lower(), tile)
        return np.array(values), tile

    def store(self, tile, tile_type, name, values, dtype=None):
        self.copy("%" + tile, tile_type,
                  *self.result(name, values, dtype or self.dtype))

    def add(self, x, y, out):
        if self.dtype == "i1":
            self.emit("  %%%s = arith.xori %%%s, %%%s : i1", out, x, y)
        elif self.dtype.startswith("i"):
            self.emit("  %%%s = arith.addi %%%s, %%%s : %s", out, x, y, self.dtype)
        elif self.dtype.startswith("f8"):
            for v in (x, y):
                self.emit("  %%%s%sw = arith.extf %%%s : %s to f32", out, v, v,
                          self.dtype)
            self.emit("  %%%ss = arith.addf %%%s%sw, %%%s%sw : f32", out, out, x,
                      out, y)
            self.emit("  %%%s = arith.truncf %%%ss : f32 to %s", out, out,
                      self.dtype)
        else:
            self.emit("  %%%s = arith.addf %%%s, %%%s : %s", out, x, y, self.dtype)

    def sum(self, *values):
        """In the type, as `add` does."""
        total = values[0]
        for value in values[1:]:
            if self.dtype == "i1":
                total = total ^ value
            else:
                total = kernels.round_to(total.astype(np.float64) + value,
                                         self.dtype)
        return total

    #===-- Kernels --------------------------------------------------------===#

    def make_copy(self):
        self.blocks = 2
        shape = (2 * self.shape[0] - self.shape[0] // 3,) + self.shape[1:-1]
        shape += (self.shape[-1] + 5,) if self.rank > 1 else ()
        values = self.tensor("A", shape, self.dtype)
        whole = np.array(self.tensor("B", shape, self.dtype, "junk"))
        inside = tuple(slice(n) for n in
                       ((shape[0],) + self.shape[1:] if self.rank > 1 else shape))
        whole[inside] = values[inside]
        self.expected["B"] = whole
        tile = self.alloc("a", self.shape, self.dtype)
        self.emit("%%m = arith.constant %d : index", self.shape[0])
        self.emit("%o = arith.muli %bx, %m : index")
        region = "!tile.region<%sx%s>" % (text_of(self.shape), self.dtype)
        for name in "AB":
            self.emit("%%w%s = tile.region %%%s[%s] [%s] : %s", name, name,
                      ", ".join(["%o"] + ["0"] * (self.rank - 1)),
                      ", ".join(str(n) for n in self.shape),
                      memref(shape, self.dtype))
        self.copy("%wA", region, "%a", tile)
        self.copy("%a", tile, "%wB", region)

    def make_stage(self):
        values, tile = self.source()
        shared = self.alloc("s", self.shape, self.dtype, "S")
        back = self.alloc("f", self.shape, self.dtype)
        self.copy("%a", tile, "%s", shared)
        self.copy("%s", shared, "%f", back)
        self.store("f", back, "B", values)

    def make_loop(self):
        values, tile = self.source()
        last = self.rank - 1
        row, row_tile = self.source("R", (self.shape[0],))
        column, column_tile = self.source("C", (self.shape[last],))
        where = names("i", self.rank)
        row = row.reshape((-1,) + (1,) * last)
        total = self.sum(self.sum(values, row), column)
        self.result("Z", values, self.dtype)
        self.emit("tile.parallel (%s) in [%s] {", where,
                  ", ".join(str(n) for n in self.shape))
        self.emit("  %%x = memref.load %%a[%s] : %s", where, tile)
        self.emit("  %%y = memref.load %%r[%%i0] : %s", row_tile)
        self.emit("  %%z = memref.load %%c[%%i%d] : %s", last, column_tile)
        self.add("x", "y", "xy")
        self.add("xy", "z", "xyz")
        self.emit("  memref.store %%xyz, %%a[%s] : %s", where, tile)
        wide = self.shape[:-1] + (self.shape[-1] + 3,)
        self.emit("  memref.store %%x, %%Z[%s] : %s", where,
                  memref(wide, self.dtype))
        self.emit("}")
        self.store("a", tile, "B", total)

    def make_reduce(self):
        values, tile = self.source()
        wide = {"f": "f32", "b": "f32", "i": "i32"}[self.dtype[0]]
        numbers = values.astype(np.int64 if wide == "i32" else np.float64)
        for d in range(self.rank):
            keep = self.rank == 1
            shape = self.shape[:d] + ((1,) if keep else ()) + self.shape[d + 1:]
            out = self.alloc("f%d" % d, shape, wide)
            kind = ("sum", "max", "min")[d % 3]
            ufunc = (np.add, np.maximum, np.minimum)[d % 3]
            self.emit("tile.reduce %s %%a to %%f%d dim %d {clear} : %s, %s", kind,
                      d, d, tile, out)
            self.store("f%d" % d, out, "B%d" % d,
                       ufunc.reduce(numbers, axis=d, keepdims=keep), wide)

    def make_lines(self):
        values, tile = self.source()
        wide = {"f": "f32", "b": "f32", "i": "i32"}[self.dtype[0]]
        numbers = values.astype(np.int64 if wide == "i32" else np.float64)
        for d in range(self.rank):
            shape = self.shape[:d] + (1,) + self.shape[d + 1:]
            old, out = self.source("O%d" % d, shape, wide, "S")
            self.emit("tile.reduce max %%a to %%o%d dim %d : %s, %s", d, d, tile,
                      out)
            self.store("o%d" % d, out, "B%d" % d, np.maximum(
                numbers.max(axis=d, keepdims=True), old), wide)

    def make_scan(self):
        values, tile = self.source()
        numbers = values.astype(np.float64)
        for d in range(self.rank):
            out = self.alloc("f%d" % d, self.shape, self.dtype)
            is_last = d == self.rank - 1
            self.emit("tile.scan %s %%a to %%f%d dim %d %s: %s, %s",
                      "sum" if d == 0 else "max", d, d,
                      "{reverse} " if is_last else "", tile, out)
            flip = (lambda x, d=d: np.flip(x, d)) if is_last else lambda x: x
            ufunc = np.add if d == 0 else np.maximum
            self.store("f%d" % d, out, "B%d" % d,
                       flip(ufunc.accumulate(flip(numbers), axis=d)))

    def make_predicate(self):
        size = int(np.prod(self.shape))
        results = []
        for name, at in (("A", size - 1), ("C", None)):
            values, tile = self.source(name, self.shape, "i1")
            values[...] = False
            if at is not None:
                values.reshape(-1)[at] = True
            self.tensors[-1].values = values
            neg = self.alloc("n" + name, self.shape, "i1")
            where = names("i", self.rank)
            self.emit("tile.parallel (%s) in [%s] {", where,
                      ", ".join(str(n) for n in self.shape))
            self.emit("  %%x = memref.load %%%s[%s] : %s", name.lower(), where, tile)
            self.emit("  %t = arith.constant true")
            self.emit("  %y = arith.xori %x, %t : i1")
            self.emit("  memref.store %%y, %%n%s[%s] : %s", name, where, neg)
            self.emit("}")
            for kind, mask, answer in (
                    ("any_of", "%" + name.lower(), values.any()),
                    ("all_of", "%n" + name, not values.any())):
                n = len(results)
                self.emit("%%p%d = tile.%s %s : %s", n, kind, mask, tile)
                results.append(answer)
        n = len(results)
        bits = self.alloc("v", (n,), "i32")
        self.emit("tile.parallel (%%k) in [%d] {", n)
        self.emit("  %v0 = arith.constant 0 : i32")
        for i in range(n):
            self.emit("  %%k%d = arith.constant %d : index", i, i)
            self.emit("  %%q%d = arith.cmpi eq, %%k, %%k%d : index", i, i)
            self.emit("  %%e%d = arith.andi %%q%d, %%p%d : i1", i, i, i)
            self.emit("  %%x%d = arith.extui %%e%d : i1 to i32", i, i)
            self.emit("  %%v%d = arith.addi %%v%d, %%x%d : i32", i + 1, i, i)
        self.emit("  memref.store %%v%d, %%v[%%k] : %s", n, bits)
        self.emit("}")
        self.store("v", bits, "B", np.array(results), "i32")

    def make_transpose(self):
        values, tile = self.source()
        turned = self.shape[::-1]
        loop, op = (self.alloc(n, turned, self.dtype) for n in ("l", "t"))
        self.emit("tile.parallel (%%i, %%j) in [%d, %d] {", *turned)
        self.emit("  %%x = memref.load %%a[%%j, %%i] : %s", tile)
        self.emit("  memref.store %%x, %%l[%%i, %%j] : %s", loop)
        self.emit("}")
        self.emit("tile.transpose %%a to %%t : %s, %s", tile, op)
        self.store("l", loop, "B", values.T)
        self.store("t", op, "D", values.T)

    def make_atomic(self):
        values, tile = self.source()
        shape = self.shape[:-1] + (self.shape[-1] + 2,)
        old = np.array(self.tensor("B", shape, self.dtype))
        old[..., :self.shape[-1]] += values
        self.expected["B"] = old
        self.emit("%%wB = tile.region %%B[%s] [%s] : %s",
                  ", ".join(["0"] * self.rank),
                  ", ".join(str(n) for n in self.shape), memref(shape, self.dtype))
        self.emit("tile.atomic add %%a to %%wB : %s, !tile.region<%sx%s>", tile,
                  text_of(self.shape), self.dtype)
        start, shared = self.source("S", space="S")
        self.emit("tile.atomic add %%a to %%s : %s, %s", tile, shared)
        self.store("s", shared, "D", start + values)

    def make_window(self):
        values, tile = self.source()
        size = tuple(max(1, n - n // 3) for n in self.shape)
        at = tuple(n - m for n, m in zip(self.shape, size))
        region = "!tile.region<%sx%s%s>" % (text_of(size), self.dtype, SPACES["F"])
        self.emit("%%w = tile.region %%a[%s] [%s] : %s",
                  ", ".join(str(n) for n in at), ", ".join(str(n) for n in size),
                  tile)
        inside = tuple(slice(a, a + n) for a, n in zip(at, size))
        self.copy("%w", region, *self.result("D", values[inside], self.dtype))
        zero = "%%z = arith.constant %s : %s" % (
            {"i1": "true"}.get(self.dtype, "3" if self.dtype[0] == "i" else "3.0"),
            self.dtype)
        self.emit(zero.replace("true : i1", "true"))
        self.emit("tile.fill %%w, %%z : %s, %s", region, self.dtype)
        values = np.array(values)
        values[inside] = kernels.round_to(3, self.dtype)
        self.store("a", tile, "B", values)

    def make_view(self):
        values, tile = self.source()
        tiles = [self.view(tile, "v%d" % i, v) for i, v in enumerate(self.views)]
        shape, seen = self.views[0], tiles[0]
        last, values = len(shape) - 1, values.reshape(shape)
        row, row_tile = self.source("R", (shape[last],))
        where = names("i", last + 1)
        self.emit("tile.parallel (%s) in [%s] {", where,
                  ", ".join(str(n) for n in shape))
        self.emit("  %%x = memref.load %%v0[%s] : %s", where, seen)
        self.emit("  %%y = memref.load %%r[%%i%d] : %s", last, row_tile)
        self.add("x", "y", "z")
        self.emit("  memref.store %%z, %%v0[%s] : %s", where, seen)
        self.emit("}")
        values = self.sum(values, row)
        for d in sorted({0, last} if last else ()):
            rest = shape[:d] + shape[d + 1:]
            out = self.alloc("f%d" % d, rest, self.dtype)
            self.emit("tile.reduce max %%v0 to %%f%d dim %d {clear} : %s, %s", d, d,
                      seen, out)
            self.store("f%d" % d, out, "D%d" % d, values.max(axis=d))
        scanned = self.alloc("scanned", shape, self.dtype)
        self.emit("tile.scan max %%v0 to %%scanned dim %d : %s, %s", last, seen,
                  scanned)
        self.store("scanned", scanned, "S",
                   np.maximum.accumulate(values, axis=last))
        first = (1,) + shape[1:]
        region = "!tile.region<%sx%s%s>" % (text_of(first), self.dtype, SPACES["F"])
        self.emit("%%w = tile.region %%v0[%s] [%s] : %s",
                  ", ".join(["0"] * len(shape)), ", ".join(str(n) for n in first),
                  seen)
        self.emit("%%five = arith.constant %s : %s",
                  "5" if self.dtype[0] == "i" else "5.0", self.dtype)
        self.emit("tile.fill %%w, %%five : %s, %s", region, self.dtype)
        values = np.array(values)
        values[0] = 5
        self.store("a", tile, "B", values.reshape(self.shape))
        for i, view in enumerate(self.views):
            self.store("v%d" % i, tiles[i], "V%d" % i, values.reshape(view))

    def view(self, tile, name, shape):
        result = memref(shape, self.dtype, "F")
        self.emit("%%%s = tile.view %%a : %s to %s", name, tile, result)
        return result

    def make_product(self):
        m, n = (-(-size // unit) * unit for size, unit in zip(self.shape, (64, 16)))
        k = 32
        a, a_tile = self.source("A", (m, k), self.dtype, "S")
        b, b_tile = self.source("C", (k, n), self.dtype, "S")
        scale, scale_tile = self.source("R", (m,), "f32")
        acc = self.alloc("acc", (m, n), "f32")
        self.emit("%zero = arith.constant 0.0 : f32")
        self.emit("tile.fill %%acc, %%zero : %s, f32", acc)
        self.emit("tile.gemm %%a, %%c, %%acc : (%s, %s, %s)", a_tile, b_tile, acc)
        self.emit("tile.parallel (%%i, %%j) in [%d, %d] {", m, n)
        self.emit("  %%x = memref.load %%acc[%%i, %%j] : %s", acc)
        self.emit("  %%y = memref.load %%r[%%i] : %s", scale_tile)
        self.emit("  %z = arith.mulf %x, %y : f32")
        self.emit("  memref.store %%z, %%acc[%%i, %%j] : %s", acc)
        self.emit("}")
        whole = (a.astype(np.float64) @ b.astype(np.float64)) * scale[:, None]
        sums = self.alloc("sums", (m,), "f32")
        self.emit("tile.reduce sum %%acc to %%sums dim 1 {clear} : %s, %s", acc, sums)
        self.store("sums", sums, "B0", whole.sum(axis=1), "f32")
        self.emit("%%w = tile.region %%acc[0, 0] [%d, %d] : %s", *self.shape, acc)
        part = self.alloc("part", self.shape, "f32")
        self.copy("%w", "!tile.region<%sxf32%s>" % (text_of(self.shape), SPACES["F"]),
                  "%part", part)
        kept = whole[:self.shape[0], :self.shape[1]]
        columns = self.alloc("columns", (self.shape[1],), "f32")
        self.emit("tile.reduce max %%part to %%columns dim 0 {clear} : %s, %s", part,
                  columns)
        self.store("columns", columns, "B1", kept.max(axis=0), "f32")
        self.store("part", part, "B2", kept, "f32")

    #===-- Whole kernels --------------------------------------------------===#

    def mlir(self):
        params = ", ".join("%%%s: %s" % (t.name, memref(t.shape, t.dtype))
                           for t in self.tensors)
        head = HEAD.format(name=self.name, params=params, blocks=self.blocks,
                           threads=self.threads)
        return head + "\n".join(self.body) + "\n" + TAIL

    def check(self, out):
        results, _ = kernels.run_function(
            os.path.join(out, self.name + ".json"), self.tensors, 1)
        for tensor in self.tensors:
            kernels.compare(tensor.name, tensor.dtype, results[tensor.name],
                            self.expected.get(tensor.name, tensor.values))


def expand(text):
    """`copy,loop 3x5,7.f32,i8 threads=32,64` is every combination."""
    whats, tiles, threads = text.split()
    shapes, types = tiles.split(".")
    for what, shape, dtype, count in itertools.product(
            whats.split(","), shapes.split(","), types.split(","),
            threads.split("=")[1].split(",")):
        yield "%s %s.%s threads=%s" % (what, shape, dtype, count)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="CASE")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    options = parser.parse_args()
    texts = list(itertools.chain.from_iterable(map(expand, options.cases)))
    cases = {text: Case(text, i) for i, text in enumerate(texts)}
    for target in options.target:
        out = os.path.join(options.out, target)
        os.makedirs(out, exist_ok=True)
        source = os.path.join(out, "odd-fragments.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(case.mlir() for case in cases.values()))
        kernels.compile_file(source, target, out)

    def judge(text, target):
        cases[text].check(os.path.join(options.out, target))
        return "equal"

    return kernels.run_cases(texts, options.target, judge)


if __name__ == "__main__":
    sys.exit(main())
