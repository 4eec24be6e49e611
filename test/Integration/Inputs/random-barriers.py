#!/usr/bin/env python3
"""Random kernels whose roles hand tiles on by mbarriers that the kernel writes
itself: chains of one to three rings, filled by TMA, cp.async, plain copies or element
loops, with every way to arrive, to wait and to count slots and parities; several
roles may read a ring; results leave by way of registers, directly or by TMA. Numpy
says what every element must be. The same --seed gives the same kernels."""

import os
import random

import numpy as np

import kernels
import randomkernels

SMEM = "#gpu.address_space<workgroup>"
TYPES = ("bf16", "f16", "f32", "i8", "i16", "i32")
BYTES = {"bf16": 2, "f16": 2, "f32": 4, "i8": 1, "i16": 2, "i32": 4}


def listed(items):
    return ", ".join(map(str, items))


class Edge:
    """A ring with its barriers: one role fills its slots, one or more read them."""

    def __init__(self, number, depth, shape, dtype, layout):
        self.depth, self.shape, self.dtype = depth, shape, dtype
        self.ring, self.full, self.empty = ("%%%s%d" % (s, number) for s in (
            "R", "full", "empty"))
        self.layout = layout
        self.type = "memref<%dx%dx%dx%s, %s>" % (depth, *shape, dtype, SMEM)
        self.slot = "!tile.region<%dx%dx%s, %s>" % (*shape, dtype, SMEM)
        self.barrier = "!tile.barrier<%d>" % depth
        self.full_arrivals = self.empty_arrivals = 0
        self.needs_fence = False  # TMA reads what threads have written


class Role:
    def __init__(self, name, warps):
        self.name, self.warps, self.lines, self.indent = name, warps, [], 4
        self.inputs, self.output = [], None

    @property
    def threads(self):
        return 32 * self.warps


class Program:
    def __init__(self, seed, target):
        self.random = r = random.Random(seed)
        self.target, self.name = target, "barriers%d" % seed
        self.shape = (r.choice([1, 3, 4, 8, 16, 17]), r.choice([8, 16, 24, 32, 64]))
        self.rounds = r.choice([0, 1, 2, 3, 5, 7])
        self.rows = max(0, self.rounds * self.shape[0] - r.choice([0, 0, 1]))
        self.rows = max(self.rows, self.rounds > 0)
        self.dtype = r.choice(TYPES)
        self.family = TYPES[:3] if self.dtype in TYPES[:3] else TYPES[3:]
        self.count, self.edges, self.roles, self.outputs = 0, [], [], []
        self.maps, self.values = [], {}
        self.build()

    #===-- Text of a role -------------------------------------------------===#

    def add(self, role, text, *args):
        role.lines.append("  " * role.indent + (text % args if args else text))

    def value(self, role, text, *args):
        self.count += 1
        self.add(role, "%%v%d = %s", self.count, text % args if args else text)
        return "%%v%d" % self.count

    def position(self, role, edge, waits_for_full):
        """(slot, parity) of this round; how depends on the role's way to count."""
        r = self.random
        flip = not waits_for_full
        if r.random() < 0.5:  # carried
            self.count += 1
            s, p = "%%s%d" % self.count, "%%p%d" % self.count
            role.carried.append((s, p, "%one" if flip else "%z", edge.depth))
            return self.value(role, "arith.index_cast %s : i32 to index", s), p
        depth = self.value(role, "arith.constant %d : index", edge.depth)
        slot = self.value(role, "arith.remui %%k, %s : index", depth)
        lap = self.value(role, "arith.divui %%k, %s : index", depth)
        lap = self.value(role, "arith.index_cast %s : index to i32", lap)
        parity = self.value(role, "arith.andi %s, %%one : i32", lap)
        if flip:
            parity = self.value(role, "arith.xori %s, %%one : i32", parity)
        return slot, parity

    def window(self, role, edge, slot):
        return self.value(role, "tile.region %s[%s, 0, 0] [1, %s] drop [0] : %s",
                          edge.ring, slot, listed(edge.shape), edge.type)

    def row(self, role):
        return self.value(role, "arith.muli %k, %rows : index")

    def tensor_window(self, role, tensor, dtype):
        return self.value(role, "tile.region %%%s[%s, 0] [%s] {align = 16 : i64} : "
                          "memref<?x%dx%s>", tensor, self.row(role),
                          listed(self.shape), self.shape[1], dtype)

    def global_type(self, dtype):
        return "!tile.region<%dx%dx%s>" % (*self.shape, dtype)

    #===-- Filling a slot -------------------------------------------------===#

    def can_tma(self, dtype):
        return self.target == "sm_90a" and self.shape[1] * BYTES[dtype] % 16 == 0

    def fill_from_tensor(self, role, edge):
        r = self.random
        ways = ["simt", "elements", "simt"]
        if self.shape[1] * BYTES[edge.dtype] % 16 == 0 and edge.dtype == self.dtype:
            ways += ["cp_async"] * 3
            if self.can_tma(edge.dtype):
                ways += ["tma"] * 5
        way = r.choice(ways)
        leader = way == "tma" and r.random() < 0.6
        slot = self.wait_empty(role, edge, leader)
        if way == "tma" and not leader:  # all have passed before the phase is over
            self.add(role, "tile.barrier_sync")
        window = self.window(role, edge, slot)
        if way == "elements":
            self.elements(role, edge, window, slot)
            return self.arrive_full(role, edge, slot)
        source = self.tensor_window(role, "A", self.dtype)
        if way == "tma":
            return self.fill_by_tma(role, edge, slot, window, source)
        attributes = "instr = #tile.instr<simt>"
        if way == "cp_async":
            attributes = "async, instr = #tile.instr<cp_async>"
        self.add(role, "tile.copy %s to %s {%s} : %s, %s", source, window, attributes,
                 self.global_type(self.dtype), edge.slot)
        if way == "cp_async":
            if r.random() < 0.6:
                edge.full_arrivals = role.threads
                return self.add(role, "tile.barrier_arrive %s[%s] by <cp_async> : %s",
                                edge.full, slot, edge.barrier)
            self.add(role, "tile.cp_async_commit")
            self.add(role, "tile.cp_async_wait pending 0")
        return self.arrive_full(role, edge, slot)

    def fill_by_tma(self, role, edge, slot, window, source):
        r = self.random
        map_name = self.map("A", edge)
        size = self.shape[0] * self.shape[1] * BYTES[edge.dtype]
        copy = "tile.copy %s to %s map %s signal %s[%s] of %s {instr = #tile.instr<tma>} : %s, %s" % (
            source, window, map_name, edge.full, slot, edge.barrier,
            self.global_type(self.dtype), edge.slot)
        edge.full_arrivals = 1
        if r.random() < 0.6:
            self.add(role, "tile.barrier_expect %s[%s] bytes %d : %s", edge.full, slot,
                     size, edge.barrier)
            return self.add(role, "%s", copy)
        parts = [size] if r.random() < 0.5 else [size // 2, size - size // 2]
        for part in parts:
            self.add(role, "tile.barrier_expect %s[%s] bytes %d {no_arrival} : %s",
                     edge.full, slot, part, edge.barrier)
        self.add(role, "%s", copy)
        return self.add(role, "tile.barrier_arrive %s[%s] by <leader> : %s", edge.full,
                        slot, edge.barrier)

    def map(self, tensor, edge):
        name = "%%map%d" % len(self.maps)
        swizzle = ""
        if edge.layout.startswith("swizzle"):
            swizzle = " swizzle %s" % edge.layout[8:-1]
        self.maps.append("  %s = tile.tensor_map %%%s box [%s]%s : memref<?x%dx%s>" % (
            name, tensor, listed(self.shape), swizzle, self.shape[1], edge.dtype))
        return name

    def elements(self, role, edge, window, slot):
        """An element loop that loads from the tensor and stores to the slot."""
        row = self.row(role)
        self.add(role, "tile.parallel (%%i, %%j) in [%s] {", listed(self.shape))
        self.add(role, "  %%r = arith.addi %s, %%i : index", row)
        self.add(role, "  %in = arith.cmpi ult, %r, %m : index")
        self.add(role, "  %%x = scf.if %%in -> (%s) {", self.dtype)
        self.add(role, "    %%y = memref.load %%A[%%r, %%j] : memref<?x%dx%s>",
                 self.shape[1], self.dtype)
        self.add(role, "    scf.yield %%y : %s", self.dtype)
        self.add(role, "  } else {")
        self.add(role, "    %%o = arith.constant %s : %s",
                 "0" if self.dtype[0] == "i" else "0.0", self.dtype)
        self.add(role, "    scf.yield %%o : %s", self.dtype)
        self.add(role, "  }")
        value = self.convert(role, "%x", self.dtype, edge.dtype)
        self.add(role, "  memref.store %s, %s[%s, %%i, %%j] : %s", value, edge.ring, slot,
                 edge.type)
        self.add(role, "}")

    def convert(self, role, name, source, target):
        if source == target:
            return name
        a, b = BYTES[source], BYTES[target]
        if source[0] == "i":
            op = "extsi" if a < b else "trunci"
        elif a == b:
            self.add(role, "  %%w = arith.extf %s : %s to f32", name, source)
            name, source, op = "%w", "f32", "truncf"
        else:
            op = "extf" if a < b else "truncf"
        self.add(role, "  %%c = arith.%s %s : %s to %s", op, name, source, target)
        return "%c"

    def wait_empty(self, role, edge, leader=False):
        slot, parity = self.position(role, edge, False)
        wait = "tile.barrier_wait %s[%s] parity %s%s : %s" % (
            edge.empty, slot, parity, " {leader}" if leader else "", edge.barrier)
        if self.random.random() < 0.3:
            depth = self.value(role, "arith.constant %d : index", edge.depth)
            again = self.value(role, "arith.cmpi uge, %%k, %s : index", depth)
            self.add(role, "scf.if %s {", again)
            self.add(role, "  %s", wait)
            self.add(role, "}")
        else:
            self.add(role, "%s", wait)
        return slot

    def arrive_full(self, role, edge, slot):
        if edge.needs_fence:
            self.add(role, "tile.fence_proxy")
        edge.full_arrivals = self.arrive(role, edge.full, slot, edge.barrier)

    def arrive(self, role, barrier, slot, kind):
        """Arrivals of a role that has used a slot; returns how many."""
        by = self.random.choice(["", " by <threads>", " by <warps>", " by <leader>"])
        if by == " by <leader>":
            self.add(role, "tile.barrier_sync")
        self.add(role, "tile.barrier_arrive %s[%s]%s : %s", barrier, slot, by, kind)
        return {"": role.threads, " by <threads>": role.threads,
                " by <warps>": role.warps, " by <leader>": 1}[by]

    #===-- Reading a slot -------------------------------------------------===#

    def wait_full(self, role, edge):
        slot, parity = self.position(role, edge, True)
        self.add(role, "tile.barrier_wait %s[%s] parity %s : %s", edge.full, slot,
                 parity, edge.barrier)
        return slot, self.window(role, edge, slot)

    def fragment(self, role, dtype):
        self.count += 1
        name = "%%f%d" % self.count
        kind = "memref<%dx%dx%s, #tile.fragment>" % (*self.shape, dtype)
        self.head.append("    %s = tile.alloc : %s" % (name, kind))
        return name, kind

    def release(self, role, edge, slot):
        edge.empty_arrivals += self.arrive(role, edge.empty, slot, edge.barrier)

    def change(self, role, name, kind, dtype):
        """Adds one to every element of a fragment."""
        op = "addi" if dtype[0] == "i" else "addf"
        self.add(role, "tile.parallel (%%i, %%j) in [%s] {", listed(self.shape))
        self.add(role, "  %%o = arith.constant %s : %s", "1" if op == "addi" else "1.0",
                 dtype)
        self.add(role, "  %%x = memref.load %s[%%i, %%j] : %s", name, kind)
        self.add(role, "  %%y = arith.%s %%x, %%o : %s", op, dtype)
        self.add(role, "  memref.store %%y, %s[%%i, %%j] : %s", name, kind)
        self.add(role, "}")

    def pass_on(self, role, edge, following):
        """From one ring to the next, by way of registers, changed or converted."""
        slot, window = self.wait_full(role, edge)
        name, kind = self.fragment(role, edge.dtype)
        self.add(role, "tile.copy %s to %s : %s, %s", window, name, edge.slot, kind)
        self.release(role, edge, slot)
        if self.random.random() < 0.6:
            self.change(role, name, kind, edge.dtype)
            role.added = 1
        into = self.wait_empty(role, following)
        target = self.window(role, following, into)
        self.add(role, "tile.copy %s to %s : %s, %s", name, target, kind, following.slot)
        self.arrive_full(role, following, into)

    def sink(self, role, edge, how):
        r = self.random
        slot, window = self.wait_full(role, edge)
        dtype = edge.dtype if how == "tma" else r.choice(self.family)
        name = "B%d" % len(self.outputs)
        self.outputs.append((name, dtype, edge.added))
        target = self.tensor_window(role, name, dtype)
        if how == "tma":
            self.add(role, "tile.copy %s to %s map %s {async, instr = #tile.instr<tma>} : %s, %s",
                     window, target, self.map(name, edge), edge.slot,
                     self.global_type(dtype))
            self.add(role, "tile.tma_wait pending 0 {read}")
        elif how == "registers":
            fragment, kind = self.fragment(role, edge.dtype)
            self.add(role, "tile.copy %s to %s : %s, %s", window, fragment, edge.slot,
                     kind)
            self.release(role, edge, slot)
            return self.add(role, "tile.copy %s to %s : %s, %s", fragment, target, kind,
                            self.global_type(dtype))
        else:
            self.add(role, "tile.copy %s to %s {instr = #tile.instr<simt>} : %s, %s",
                     window, target, edge.slot, self.global_type(dtype))
        self.release(role, edge, slot)

    #===-- Whole kernels --------------------------------------------------===#

    def layout(self, dtype):
        row = self.shape[1] * BYTES[dtype]
        if row * self.shape[0] % 128:  # slots that inference sets apart
            return ""
        return self.random.choice(["swizzle<%d>" % n for n in (32, 64, 128)
                                   if row == n and self.shape[0] % 8 == 0]
                                  + ["linear"])

    def build(self):
        r = self.random
        self.head = []
        stages = r.choice([1, 1, 2, 3])
        for i in range(stages):
            dtype = self.dtype if i == 0 and r.random() < 0.7 else r.choice(self.family)
            self.edges.append(Edge(i, r.choice([1, 2, 3, 4]), self.shape, dtype,
                                   self.layout(dtype)))
        sinks = []
        for i, edge in enumerate(self.edges):
            for _ in range(r.choice([1, 1, 2]) if i == stages - 1 else
                           r.choice([0, 0, 1])):
                how = r.choice(["registers", "direct"])
                if self.can_tma(edge.dtype) and r.random() < 0.4:
                    how = "tma"
                    edge.needs_fence = True
                sinks.append((edge, how))
        programs = [("fill", None, self.edges[0], None)]
        programs += [("pass", a, b, None) for a, b in zip(self.edges, self.edges[1:])]
        programs += [("sink", edge, None, how) for edge, how in sinks]
        self.edges[0].added = 0
        written = []
        for i, (kind, source, target, how) in enumerate(programs):
            role = Role("%s%d" % (kind, i), r.choice([1, 1, 2, 3, 4]))
            role.carried, role.added = [], 0
            if kind == "fill":
                self.fill_from_tensor(role, target)
            elif kind == "pass":
                self.pass_on(role, source, target)
                target.added = source.added + role.added
            else:
                self.sink(role, source, how)
            written.append(role)
        r.shuffle(written)
        self.roles = written

    def text_of(self, role):
        lines = ["      tile.role \"%s\" warps %d {" % (role.name, role.warps)]
        if not role.carried:
            return lines + ["        scf.for %k = %c0 to %n step %c1 {"] + [
                "  " + line for line in role.lines] + ["        }", "      }"]
        pairs = [x for s, p, _, _ in role.carried for x in (s, p)]
        firsts = [x for _, _, first, _ in role.carried for x in ("%z", first)]
        count = len(pairs)
        lines.append("        %%e:%d = scf.for %%k = %%c0 to %%n step %%c1 iter_args(%s) "
                     "-> (%s) {" % (count, listed("%s = %s" % x for x in zip(pairs, firsts)),
                                    listed(["i32"] * count)))
        lines += ["  " + line for line in role.lines]
        nexts = []
        for s, p, _, depth in role.carried:
            lines.append("          %sn, %sn = tile.advance %s, %s depth %d" % (
                s, p, s, p, depth))
            nexts += [s + "n", p + "n"]
        return lines + ["          scf.yield %s : %s" % (listed(nexts),
                                                         listed(["i32"] * count)),
                        "        }", "      }"]

    def mlir(self):
        tensors = [("A", self.dtype)] + [(n, t) for n, t, _ in self.outputs]
        params = listed("%%%s: memref<?x%dx%s>" % (n, self.shape[1], t)
                        for n, t in tensors)
        threads = sum(role.threads for role in self.roles)
        text = ["func.func @%s(%s) {" % (self.name, params)]
        text += ["  %%%s = arith.constant %d : %s" % x for x in (
            ("c0", 0, "index"), ("c1", 1, "index"), ("rows", self.shape[0], "index"),
            ("threads", threads, "index"), ("z", 0, "i32"), ("one", 1, "i32"))]
        text += ["  %%m = memref.dim %%A, %%c0 : memref<?x%dx%s>" % (self.shape[1],
                                                                  self.dtype),
                 "  %n = arith.ceildivui %m, %rows : index"] + self.maps
        text += ["  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)",
                 "             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, "
                 "%nz = %c1) {"]
        for edge in self.edges:
            layout = " {layout = #tile.layout<\"%s\">}" % edge.layout
            text.append("    %s = tile.alloc%s : %s" % (
                edge.ring, layout if edge.layout else "", edge.type))
            for name, count in ((edge.full, edge.full_arrivals),
                                (edge.empty, edge.empty_arrivals)):
                text.append("    %s = tile.barrier_alloc : %s" % (name, edge.barrier))
                text.append("    tile.barrier_init %s arrivals %d : %s" % (
                    name, count, edge.barrier))
        text += self.head + ["    tile.barrier_sync", "    tile.specialize {"]
        for role in self.roles:
            text += self.text_of(role)
        return "\n".join(text + ["    }", "    gpu.terminator", "  }", "  return",
                                 "}"]) + "\n"

    def describe(self):
        return "%s of %dx%d, %d rows, rings %s, %s" % (
            self.dtype, *self.shape, self.rows,
            listed("%d %s" % (e.depth, e.dtype) for e in self.edges),
            listed("%s/%d" % (role.name, role.warps) for role in self.roles))

    def run(self, json_path, seed, options=()):
        a = kernels.Tensor("A", "ints:%dx%d:%s" % (self.rows, self.shape[1], self.dtype))
        arguments = [a] + [kernels.Tensor(n, "junk:%dx%d:%s" % (
            self.rows, self.shape[1], t)) for n, t, _ in self.outputs]
        results, _ = kernels.run_function(json_path, arguments, seed, options)
        for name, dtype, added in self.outputs:
            kernels.compare(name, dtype, results[name],
                            a.values.astype(np.float64) + added)

    def check(self, out, seeds):
        for seed in seeds:
            self.run(os.path.join(out, self.name + ".json"), seed)


if __name__ == "__main__":
    randomkernels.main(__doc__, Program)
