#!/usr/bin/env python3
"""Random pipelines that a block without roles writes itself: groups of cp.async with
counted waits, or TMA copies on mbarriers, of one to three tensors of any types, some
rounds ahead; what has come is stored, reduced, scanned or transposed, by way of
registers or not. Numpy says what every element must be. The same --seed gives the
same kernels."""

import os
import random

import numpy as np

import kernels
import randomkernels

SMEM = "#gpu.address_space<workgroup>"
BYTES = {"bf16": 2, "f16": 2, "f32": 4, "i8": 1, "i16": 2, "i32": 4}
FAMILY = {t: ("bf16", "f16", "f32") if "f" in t else ("i8", "i16", "i32") for t in BYTES}


class Source:
    """A tensor that is copied block of rows by block, its ring, and its result."""

    def __init__(self, r, number, use):
        self.number, self.use = number, use
        self.dtype = r.choice(list(BYTES))
        unit = 16 // BYTES[self.dtype]
        self.shape = (r.choice([1, 3, 8, 16, 33]), unit * r.choice([1, 2, 3, 4]))
        self.out = r.choice(FAMILY[self.dtype]) if use != "sum" else (
            "f32" if "f" in self.dtype else "i32")
        self.swizzle = self.shape[1] * BYTES[self.dtype]
        if self.shape[0] % 8 or self.swizzle not in (32, 64, 128) or r.random() < 0.5:
            self.swizzle = 0

    @property
    def size_bytes(self):
        return self.shape[0] * self.shape[1] * BYTES[self.dtype]

    @property
    def tile(self):
        return "%dx%dx%s" % (*self.shape, self.dtype)

    def result_shape(self, rounds):
        rows, columns = self.shape
        return {"sum": (rounds, columns), "transpose": (columns, rows * rounds)}.get(
            self.use, (rows * rounds, columns))

    def result(self, values, rounds):
        rows, columns = self.shape
        blocks = values.astype(np.float64).reshape(rounds, rows, columns)
        if self.use == "sum":
            return blocks.sum(1)
        if self.use == "scan":
            blocks = np.cumsum(blocks, axis=2)
        if self.use == "transpose":
            return blocks.reshape(-1, columns).T
        if self.use == "change":
            blocks = blocks * 2
        return blocks.reshape(-1, columns)


class Program:
    def __init__(self, seed, target):
        self.random = r = random.Random(seed)
        self.name = "pipeline%d" % seed
        self.is_tma = target == "sm_90a" and r.random() < 0.5
        self.threads = r.choice([32, 64, 96, 128, 160, 256, 384])
        self.depth = r.choice([1, 2, 2, 3, 4])
        self.rounds = r.choice([1, 2, 3, 4, 7])
        uses = ["registers", "direct", "change", "sum", "scan", "transpose"]
        self.sources = [Source(r, i, r.choice(uses)) for i in range(r.choice([1, 1, 2, 3]))]
        self.own_groups = r.random() < 0.5  # a group for each tensor
        self.early = r.random() < 0.5 and self.depth > 1
        self.lines, self.head, self.count = [], [], 0

    def add(self, text, *args):
        self.lines.append(text % args if args else text)

    def value(self, text, *args):
        self.count += 1
        self.add("%%v%d = %s" % (self.count, text % args if args else text))
        return "%%v%d" % self.count

    def slot(self, source, index):
        ring = "memref<%dx%s, %s>" % (self.depth, source.tile, SMEM)
        return self.value("tile.region %%R%d[%s, 0, 0] [1, %d, %d] drop [0] : %s",
                          source.number, index, *source.shape, ring)

    def window(self, name, index, shape, tensor, is_column=False):
        step = self.value("arith.constant %d : index", shape[is_column])
        at = self.value("arith.muli %s, %s : index", index, step)
        offsets = "0, " + at if is_column else at + ", 0"
        return self.value("tile.region %%%s[%s] [%d, %d] {align = 16 : i64} : %s", name,
                          offsets, *shape, tensor)

    #===-- Copies ---------------------------------------------------------===#

    def fetch(self, index):
        """Issues the copies of a round, and what tells that they have come."""
        depth = self.value("arith.constant %d : index", self.depth)
        slot = self.value("arith.remui %s, %s : index", index, depth)
        if self.is_tma:
            parts = [s.size_bytes for s in self.sources]
            if self.own_groups:
                parts = [sum(parts)]
            for i, part in enumerate(parts):
                self.add("tile.barrier_expect %%full[%s] bytes %d%s : !tile.barrier<%d>",
                         slot, part, " {no_arrival}" if i + 1 < len(parts) else "", self.depth)
        for source in self.sources:
            tensor = "memref<?x%dx%s>" % (source.shape[1], source.dtype)
            window = self.window("A%d" % source.number, index, source.shape, tensor)
            target = self.slot(source, slot)
            how = "{async, instr = #tile.instr<cp_async>}"
            if self.is_tma:
                how = ("map %%map%d signal %%full[%s] of !tile.barrier<%d> "
                       "{instr = #tile.instr<tma>}" % (source.number, slot, self.depth))
            self.add("tile.copy %s to %s %s : !tile.region<%s>, !tile.region<%s, %s>",
                     window, target, how, source.tile, source.tile, SMEM)
            if not self.is_tma and self.own_groups:
                self.add("tile.cp_async_commit")
        return slot

    def fetch_if(self, index):
        """The same where there is such a round; a group is closed in any case."""
        self.add("%%more%d = arith.cmpi ult, %s, %%n : index", self.count, index)
        outer, self.lines, condition = self.lines, [], "%%more%d" % self.count
        self.fetch(index)
        inner = [line for line in self.lines if line != "tile.cp_async_commit"]
        self.lines = outer + ["scf.if %s {" % condition] + inner + ["}"]
        if not self.is_tma:
            self.lines += ["tile.cp_async_commit"] * self.groups

    @property
    def groups(self):
        return len(self.sources) if self.own_groups else 1

    #===-- What is done with a block --------------------------------------===#

    def fragment(self, shape, dtype):
        self.count += 1
        kind = "memref<%sx%s, #tile.fragment>" % ("x".join(map(str, shape)), dtype)
        self.head.append("%%f%d = tile.alloc : %s" % (self.count, kind))
        return "%%f%d" % self.count, kind

    def consume(self, source, slot):
        shape, tile = source.shape, "!tile.region<%s, %s>" % (source.tile, SMEM)
        block = self.slot(source, slot)
        out = source.result_shape(1)
        columns = "?" if source.use == "transpose" else str(out[1])
        rows = str(out[0]) if source.use == "transpose" else "?"
        window = self.window("B%d" % source.number, "%k", out, "memref<%sx%sx%s>" % (
            rows, columns, source.out), source.use == "transpose")
        target = "!tile.region<%dx%dx%s>" % (*out, source.out)
        if source.use == "direct":
            return self.add("tile.copy %s to %s {instr = #tile.instr<simt>} : %s, %s", block,
                            window, tile, target)
        if source.use == "transpose":
            return self.add("tile.transpose %s to %s : %s, %s", block, window, tile, target)
        if source.use == "sum":
            name, kind = self.fragment((1, shape[1]), source.out)
            self.add("tile.reduce sum %s to %s dim 0 {clear} : %s, %s", block, name, tile,
                     kind)
        else:
            dtype = {"scan": "f32" if "f" in source.dtype else "i32"}.get(
                source.use, source.dtype)
            name, kind = self.fragment(shape, dtype)
            if source.use == "scan":
                self.add("tile.scan sum %s to %s dim 1 : %s, %s", block, name, tile, kind)
            else:
                self.add("tile.copy %s to %s : %s, %s", block, name, tile, kind)
            if source.use == "change":
                self.add("tile.parallel (%%i, %%j) in [%d, %d] {", *shape)
                self.add("  %%x = memref.load %s[%%i, %%j] : %s", name, kind)
                self.add("  %%y = arith.add%s %%x, %%x : %s", "f" if "f" in dtype else "i",
                         dtype)
                self.add("  memref.store %%y, %s[%%i, %%j] : %s", name, kind)
                self.add("}")
        return self.add("tile.copy %s to %s : %s, %s", name, window, kind, target)

    def step(self):
        depth = self.value("arith.constant %d : index", self.depth)
        slot = self.value("arith.remui %%k, %s : index", depth)
        ahead = self.depth - 1 if self.early else self.depth
        next_index = self.value("arith.addi %%k, %s : index",
                                self.value("arith.constant %d : index", ahead))
        if self.is_tma:
            lap = self.value("arith.divui %%k, %s : index", depth)
            lap = self.value("arith.index_cast %s : index to i32", lap)
            parity = self.value("arith.andi %s, %%one : i32", lap)
            self.add("tile.barrier_wait %%full[%s] parity %s : !tile.barrier<%d>", slot,
                     parity, self.depth)
        pending = (ahead - 1) * self.groups
        if not self.is_tma and not self.own_groups:
            self.add("tile.cp_async_wait pending %d", pending)
        if self.early:
            if not self.is_tma and self.own_groups:
                self.add("tile.cp_async_wait pending %d", pending)
            self.add("tile.barrier_sync")
            self.fetch_if(next_index)
        for i, source in enumerate(self.sources):
            if not self.is_tma and self.own_groups and not self.early:
                self.add("tile.cp_async_wait pending %d",
                         pending + self.groups - 1 - i)
            self.consume(source, slot)
        if not self.early:
            self.add("tile.barrier_sync")
            self.fetch_if(next_index)

    #===-- Whole kernels --------------------------------------------------===#

    def mlir(self):
        for i in range(self.depth - self.early):
            self.fetch_if(self.value("arith.constant %d : index", i))
        before, self.lines = self.lines, []
        self.step()
        inside, self.lines = self.lines, []
        params, allocs, maps = [], [], []
        for s in self.sources:
            tensor = "memref<?x%dx%s>" % (s.shape[1], s.dtype)
            out = s.result_shape(1)
            params += ["%%A%d: %s" % (s.number, tensor), "%%B%d: memref<%s>" % (
                s.number, ("%dx?x%s" % (out[0], s.out)) if s.use == "transpose" else
                "?x%dx%s" % (out[1], s.out))]
            layout = "swizzle<%d>" % s.swizzle if s.swizzle else (
                "linear" if s.size_bytes % 128 == 0 else "")
            layout = ' {layout = #tile.layout<"%s">}' % layout if layout else ""
            allocs.append("%%R%d = tile.alloc%s : memref<%dx%s, %s>" % (
                s.number, layout, self.depth, s.tile, SMEM))
            maps.append("  %%map%d = tile.tensor_map %%A%d box [%d, %d] swizzle %d : %s" % (
                s.number, s.number, *s.shape, s.swizzle, tensor))
        text = ["func.func @%s(%s, %%n: index) {" % (self.name, ", ".join(params)),
                "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
                "  %one = arith.constant 1 : i32",
                "  %%threads = arith.constant %d : index" % self.threads]
        text += maps if self.is_tma else []
        text += ["  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)",
                 "             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, "
                 "%nz = %c1) {"]
        if self.is_tma:
            kind = "!tile.barrier<%d>" % self.depth
            allocs += ["%%full = tile.barrier_alloc : %s" % kind,
                       "tile.barrier_init %%full arrivals 1 : %s" % kind,
                       "tile.barrier_sync"]
        body = allocs + self.head + before + ["scf.for %k = %c0 to %n step %c1 {"]
        body += ["  " + line for line in inside] + ["}"]
        if not self.is_tma:
            body.append("tile.cp_async_wait pending 0")
        return "\n".join(text + ["    " + line for line in body] + [
            "    gpu.terminator", "  }", "  return", "}"]) + "\n"

    def check(self, out, seeds):
        arguments = []
        for s in self.sources:
            arguments += [kernels.Tensor("A%d" % s.number, "ints:%dx%d:%s" % (
                s.shape[0] * self.rounds, s.shape[1], s.dtype)), kernels.Tensor(
                    "B%d" % s.number, "junk:%dx%d:%s" % (*s.result_shape(self.rounds),
                                                         s.out))]
        for seed in seeds:
            results, _ = kernels.run_function(
                os.path.join(out, self.name + ".json"),
                arguments + [kernels.Scalar("n", str(self.rounds))], seed)
            for s, a in zip(self.sources, arguments[::2]):
                kernels.compare("B%d" % s.number, s.out, results["B%d" % s.number],
                                s.result(a.values, self.rounds))

    def describe(self):
        return "%s, depth %d, %d rounds, %d threads%s%s: %s" % (
            "TMA" if self.is_tma else "cp.async", self.depth, self.rounds, self.threads,
            ", groups" * self.own_groups, ", early" * self.early, ", ".join(
                "%s to %s %s" % (s.tile, s.out, s.use) for s in self.sources))


if __name__ == "__main__":
    randomkernels.main(__doc__, Program)
