#!/usr/bin/env python3
"""Compiles and runs random kernels of copies between windows, and compares every
element of every memory.

Each kernel has a tensor A to read, a tensor B to write and one to three tiles in
shared memory, registers or private memory, all filled at first. It copies windows
at random offsets, constant or computed by the host, with conversions, pads and
dropped dimensions; windows of tensors may lie outside. Then it writes out all
tiles. Numbers are small integers, exact in all types. The same --seed gives the
same kernels."""

import argparse
import os
import random
import sys

import numpy as np

import kernels

SPACES = {"shared": ", #gpu.address_space<workgroup>",
          "fragment": ", #tile.fragment",
          "private": ", #gpu.address_space<private>", "global": ""}
FAMILIES = (("f32", "f16", "bf16"), ("i32", "i8", "i16"))
EXTENTS = (1, 2, 4, 5, 8, 12, 16, 32)
MAX_PRIVATE, MAX_ELEMS = 64, 1024
INSTRUCTIONS = ("", "", " {vector_width = 2 : i64}",
                " {instr = #tile.instr<simt>}")

KERNEL = """\
func.func @windows({arguments}) {{
  %c1 = arith.constant 1 : index
  %threads = arith.constant {threads} : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
    {body}
    gpu.terminator
  }}
  return
}}
"""


def extents(shape):
    return "".join("%dx" % n for n in shape)


class Memory:
    """A tensor or a tile, and what it holds as numpy sees it."""

    def __init__(self, name, space, shape, dtype, values, is_static=True):
        self.name, self.space, self.dtype = name, space, dtype
        self.shape, self.values = tuple(shape), values
        known = extents(shape) if is_static else "?x" * len(shape)
        self.type = "memref<%s%s%s>" % (known, dtype, SPACES[space])

    def inside(self, at):
        return all(0 <= i < n for i, n in zip(at, self.shape))


class Window:
    def __init__(self, memory, sizes, offsets, pad=None):
        self.memory, self.offsets, self.pad = memory, offsets, pad
        self.num_dropped = len(memory.shape) - len(sizes)
        self.sizes = [1] * self.num_dropped + list(sizes)
        self.type = "!tile.region<%s%s%s>" % (extents(sizes), memory.dtype,
                                              SPACES[memory.space])

    def positions(self):
        for at in np.ndindex(*self.sizes):
            yield at, tuple(a + b for a, b in zip(at, self.offsets))

    def read(self):
        fill = 0 if self.pad is None else self.pad
        values = np.full(self.sizes, fill).astype(self.memory.values.dtype)
        for at, position in self.positions():
            if self.memory.inside(position):
                values[at] = self.memory.values[position]
        return values

    def write(self, values):
        values = kernels.round_to(values.reshape(self.sizes), self.memory.dtype)
        for at, position in self.positions():
            if self.memory.inside(position):
                self.memory.values[position] = values[at]


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.types = self.rng.choice(FAMILIES)
        self.body, self.offsets, self.tensors = [], [], []
        self.num_values = 0
        rank, is_static = self.rng.choice((1, 2, 2, 2, 3)), self.rng.random() < 0.4
        self.a, self.b = (self.add_tensor(name, kind, self.random_shape(rank, 40),
                                          is_static)
                          for name, kind in (("A", "ints"), ("B", "junk")))
        self.tiles = [self.add_tile("T%d" % i)
                      for i in range(self.rng.randint(1, 3))]
        for _ in range(self.rng.randint(2, 6)):
            self.add_copy()
        for tile in self.tiles:
            out = self.add_tensor("Out" + tile.name, "junk", tile.shape, True,
                                  tile.dtype)
            self.body.append("tile.copy %%%s to %%%s : %s, %s" % (
                tile.name, out.name, tile.type, out.type))
            out.values = tile.values
        self.threads = self.rng.choice((32, 64, 96, 128, 256))

    def random_shape(self, rank, limit):
        return [self.rng.randint(1, limit) for _ in range(rank)]

    def constant(self, value, dtype):
        name = "%%v%d" % self.num_values
        self.num_values += 1
        text = "%d" % value if dtype.startswith("i") else "%d.0" % value
        self.body.append("%s = arith.constant %s : %s" % (name, text, dtype))
        return name

    def add_tensor(self, name, kind, shape, is_static, dtype=None):
        dtype = dtype or self.rng.choice(self.types)
        text = "%s:%s:%s" % (kind, "x".join(str(n) for n in shape), dtype)
        tensor = kernels.Tensor(name, text)
        memory = Memory(name, "global", shape, dtype, tensor.values.copy(),
                        is_static)
        self.tensors.append((tensor, memory))
        return memory

    def add_tile(self, name):
        space = self.rng.choice(("shared", "shared", "fragment", "private"))
        limit = MAX_PRIVATE if space == "private" else MAX_ELEMS
        shape = [self.rng.choice(EXTENTS)
                 for _ in range(self.rng.choice((1, 2, 2, 3)))]
        while np.prod(shape) > limit:
            shape[self.rng.randrange(len(shape))] = self.rng.choice((1, 2, 3))
        dtype, value = self.rng.choice(self.types), self.rng.choice((0, 3, -2))
        tile = Memory(name, space, shape, dtype,
                      kernels.round_to(np.full(shape, value), dtype))
        self.body.append("%%%s = tile.alloc : %s" % (name, tile.type))
        self.body.append("tile.fill %%%s, %s : %s, %s" % (
            name, self.constant(value, dtype), tile.type, dtype))
        return tile

    def index(self, value):
        """The offset as a constant, or as an argument of the host function."""
        if self.rng.random() < 0.5:
            return str(value)
        name = "o%d" % len(self.offsets)
        self.offsets.append(kernels.Scalar(name, str(value)))
        return "%" + name

    def random_window(self, memory, sizes, may_pad):
        full = [1] * (len(memory.shape) - len(sizes)) + sizes
        if memory.space == "global":
            offsets = [self.rng.randint(-size, extent + 2)
                       for size, extent in zip(full, memory.shape)]
        else:
            offsets = [self.rng.randint(0, extent - size)
                       for size, extent in zip(full, memory.shape)]
        pad = self.rng.choice((0, 5)) if (
            may_pad and memory.space == "global" and
            self.rng.random() < 0.4) else None
        return Window(memory, sizes, offsets, pad)

    def region(self, window):
        name, memory = "%%w%d" % len(self.body), window.memory
        pad = ""
        if window.pad is not None:
            pad = "pad %s : %s in " % (
                self.constant(window.pad, memory.dtype), memory.dtype)
        drop = "drop [%s] " % ", ".join(
            str(d) for d in range(window.num_dropped)) if window.num_dropped else ""
        self.body.append("%s = tile.region %%%s[%s] [%s] %s%s: %s" % (
            name, memory.name, ", ".join(self.index(o) for o in window.offsets),
            ", ".join(str(n) for n in window.sizes), drop, pad, memory.type))
        return name

    def add_copy(self):
        src = self.rng.choice([self.a] + 2 * self.tiles)
        dst = self.rng.choice([self.b] + 2 * self.tiles)
        if src is dst or src.space == dst.space == "global":
            return
        rank = min(len(src.shape), len(dst.shape))
        sizes = []
        for d in range(-rank, 0):
            limit = min(m.shape[d] for m in (src, dst) if m.space != "global")
            sizes.append(self.rng.choice((limit, self.rng.randint(1, limit))))
        read = self.random_window(src, sizes, True)
        written = self.random_window(dst, sizes, False)
        names = self.region(read), self.region(written)
        self.body.append("tile.copy %s to %s%s : %s, %s" % (
            *names, self.rng.choice(INSTRUCTIONS), read.type, written.type))
        written.write(read.read())

    def mlir(self):
        arguments = ["%%%s: %s" % (m.name, m.type) for _, m in self.tensors]
        arguments += ["%%%s: index" % o.name for o in self.offsets]
        return KERNEL.format(arguments=", ".join(arguments), threads=self.threads,
                             body="\n    ".join(self.body))


def check(program, target, out, seed):
    path = os.path.join(out, "windows.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.mlir())
    kernels.compile_file(path, target, out, ["--ptxas=off"])
    arguments = [tensor for tensor, _ in program.tensors] + program.offsets
    results, _ = kernels.run_function(os.path.join(out, "windows.json"),
                                      arguments, seed)
    for tensor, memory in program.tensors:
        kernels.compare(tensor.name, tensor.dtype, results[tensor.name],
                        memory.values)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()

    num_failed = 0
    for i in range(options.count):
        seed = options.seed * 1000 + i
        target = options.target[i % len(options.target)]
        out = os.path.join(options.out, "%d-%s" % (seed, target))
        os.makedirs(out, exist_ok=True)
        try:
            check(Program(seed), target, out, i + 1)
        except kernels.Failure as failure:
            print("FAILED %s kernel %d: %s" % (target, seed, failure))
            num_failed += 1
    print("%d kernels, %d failed" % (options.count, num_failed))
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
