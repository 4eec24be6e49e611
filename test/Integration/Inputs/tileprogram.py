"""A kernel on tiles under construction: its text, and what numpy makes of it.

A kernel is a list of nodes: actions on the tiles of a block, kept in a dictionary
by name. Values stay exact: a tile knows the `bound` of its integers, or None, and
what depends on the order of a sum first makes integers of it."""

import os
import random

import numpy as np

import kernels
from expressions import FLOATS, INTEGERS, Body, bits_of, is_float

SPACES = {"F": ", #tile.fragment", "S": ", #gpu.address_space<workgroup>", "": ""}
EXTENTS = [1, 1, 2, 3, 4, 5, 7, 8, 8, 9, 16, 16, 17, 24, 31, 32, 33, 40, 48, 64, 65,
           100, 127, 128, 129, 257]
THREADS = [32, 64, 96, 128, 128, 160, 256, 384, 512]
MAX_SHARED = 40000  # bytes of all tiles together
MAX_REGISTERS = 90  # of all fragments together, per thread
REGISTERS_OF_ONE = 24
INT_TYPES, FLOAT_TYPES = ("i32", "i64"), ("f32", "f64")


def text_of(shape):
    return "x".join(str(n) for n in shape)


def listed(items):
    return ", ".join(str(i) for i in items)


class Tile:
    def __init__(self, name, shape, dtype, space, bound=None):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype
        self.space, self.bound = space, bound
        self.keeps_rows = False  # of a layout that was given

    @property
    def type(self):
        return "memref<%sx%s%s>" % (text_of(self.shape), self.dtype,
                                    SPACES[self.space])

    def region(self, shape):
        return "!tile.region<%sx%s%s>" % (text_of(shape), self.dtype,
                                          SPACES[self.space])


class Argument:
    """A tensor: `lead` extents, then those of the shape; dynamic or static,
    strided or not, at an address that may be misaligned."""

    def __init__(self, rng, name, kind, shape, dtype):
        strides, offset = list(np.cumprod([1] + list(shape[:0:-1]))[::-1]), 0
        placement, layout = "", ""
        if rng.random() < 0.4 and min(shape) > 0:
            gap = rng.choice([0, 1, 3, 8])
            strides[:-1] = [s + gap * (len(shape) - 1 - d)
                            for d, s in enumerate(strides[:-1])]
            for d in range(len(shape) - 3, -1, -1):
                strides[d] = max(strides[d], strides[d + 1] * shape[d + 1])
            offset = rng.choice([0, 1, 2, 3, 8])
            placement = "@%s+%d" % (text_of(strides), offset)
            layout = ", strided<[%s], offset: ?>" % listed(
                ["?"] * (len(shape) - 1) + [1])
        extents = [n if rng.random() < 0.5 else "?" for n in shape]
        self.name, self.shape, self.dtype = name, tuple(shape), dtype
        self.type = "memref<%sx%s%s>" % (text_of(extents), dtype, layout)
        self.tensor = kernels.Tensor(name, "%s:%s:%s%s" % (
            kind, text_of(shape), dtype, placement))


class TileProgram:
    """What the statements of random-tiles.py are made with."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = "tiles%d" % seed
        self.threads = self.random.choice(THREADS)
        self.grid = self.random.choice([1, 1, 2, 3])
        self.indent, self.lines, self.nodes = 2, [], []
        self.arguments, self.final, self.tiles, self.count = [], {}, [], 0
        self.shared_bytes = self.registers = self.depth = 0
        self.loops = []  # counters around the statement

    #===-- Pieces ---------------------------------------------------------===#

    def line(self, text, *args):
        self.lines.append("  " * self.indent + (text % args if args else text))

    def fresh(self, letter):
        self.count += 1
        return "%s%d" % (letter, self.count)

    def act(self, action):
        """`action(env)` happens here; env has tiles, counters and "block"."""
        self.nodes.append(action)

    def shape(self, most, rank=None):
        rank = rank or self.random.choice([1, 1, 2, 2, 2, 2, 3, 3, 4])
        while True:
            shape = [self.random.choice(EXTENTS) for _ in range(rank)]
            if np.prod(shape) <= most:
                return tuple(shape)

    def dtype(self):
        return self.random.choice(FLOATS + INTEGERS)

    def can_hold(self, shape, dtype, space):
        size, bits = int(np.prod(shape)), max(8, bits_of(dtype))
        if space == "S":
            return self.shared_bytes + size * bits // 8 <= MAX_SHARED
        registers = (-(-size // self.threads) + 2) * max(1, bits / 32)
        return (registers <= REGISTERS_OF_ONE
                and self.registers + registers <= MAX_REGISTERS)

    def tile(self, shape=None, dtype=None, space=None):
        """A new tile with undefined contents; None when there is no room."""
        dtype = dtype or self.dtype()
        space = space or self.random.choice("FFS")
        shape = shape or self.shape(min(3000, 20 * self.threads))
        if not self.can_hold(shape, dtype, space):
            space = "S" if space == "F" else "F"
            if not self.can_hold(shape, dtype, space):
                return None
        size, bits = int(np.prod(shape)), max(8, bits_of(dtype))
        if space == "S":
            self.shared_bytes += size * bits // 8
        else:
            self.registers += (-(-size // self.threads) + 2) * max(1, bits / 32)
        tile = Tile(self.fresh("t"), shape, dtype, space)
        self.line("%%%s = tile.alloc %s: %s", tile.name, self.layout_of(tile),
                  tile.type)
        return tile

    def layout_of(self, tile):
        """Sometimes a layout that the user gives to a shared tile."""
        if tile.space != "S" or self.random.random() < 0.7:
            return ""
        choices, row = ["linear"], tile.shape[-1] * max(8, bits_of(tile.dtype)) // 8
        if len(tile.shape) == 2:
            choices += ["padded<%d>" % (tile.shape[-1] + self.random.randint(0, 9))]
            choices += ["swizzle<%d>" % n for n in (32, 64, 128)
                        if row % n == 0 and tile.shape[0] % 8 == 0]
        layout = self.random.choice(choices)
        tile.keeps_rows = layout != "linear"
        return '{layout = #tile.layout<"%s">} ' % layout

    def own(self, tile, bound=None):
        """The tile is whole now: others may read it."""
        tile.bound = bound
        self.tiles.append(tile)

    def pick(self, test=lambda t: True):
        tiles = [t for t in self.tiles if test(t)]
        return self.random.choice(tiles) if tiles else None

    def argument(self, kind, shape, dtype):
        argument = Argument(self.random, self.fresh("A"), kind, shape, dtype)
        self.arguments.append(argument)
        return argument

    def source(self, test=lambda t: True):
        """A tile that passes the test, loaded if there is none."""
        tile = self.pick(test)
        if tile is None:
            for _ in range(4):
                self.do_load()
                tile = self.pick(test)
                if tile:
                    break
        return tile

    def whole(self, tile):
        """Makes integers from -2 to 2 of the elements of a float tile."""
        limit = 4 if is_float(tile.dtype) else None
        if limit is None or tile.bound is not None and tile.bound <= limit:
            return
        self.loop_on(tile, lambda body, x: body.convert(body.whole(
            body.convert(x, "f32"), 2), tile.dtype))
        tile.bound = 2

    def loop_on(self, tile, build):
        """An element loop that replaces each element."""
        names = ["%%i%d" % d for d in range(len(tile.shape))]
        self.line("tile.parallel (%s) in [%s] {", listed(names), listed(tile.shape))
        body = Body(self.random, self.indent + 1)
        x = body.emit(tile.dtype, "memref.load %%%s[%s] : %s" % (
            tile.name, listed(names), tile.type), lambda v: v[tile.name])
        y = build(body, x)
        body.line("memref.store %s, %%%s[%s] : %s" % (y.name, tile.name,
                                                      listed(names), tile.type))
        self.lines += body.lines
        self.line("}")

        def action(env):
            values = {tile.name: env[tile.name]}
            body.run(values)
            env[tile.name] = np.array(np.broadcast_to(values[y.name], tile.shape))
        self.act(action)

    def offset(self, extent, size, inside):
        """(text of an index, its value from env) of a window."""
        room = extent - size
        if inside and room <= 0:
            return "0", lambda env: 0
        low, high = (0, room) if inside else (-3, max(room, 0) + 3)
        base = self.random.randint(low, high)
        kind = self.random.random()
        if kind < 0.5:
            return str(base), lambda env: base
        counter = self.random.choice(self.loops + ["bx"])
        name = self.fresh("o")
        if inside:  # (base + counter) mod (room + 1)
            self.line("%%%sa = arith.constant %d : index", name, base)
            self.line("%%%sb = arith.constant %d : index", name, room + 1)
            self.line("%%%sc = arith.addi %%%sa, %%%s : index", name, name, counter)
            self.line("%%%s = arith.remui %%%sc, %%%sb : index", name, name, name)
            return "%" + name, lambda env: (base + env[counter]) % (room + 1)
        step = self.random.choice([1, 2, size, -1])
        self.line("%%%sa = arith.constant %d : index", name, base)
        self.line("%%%sb = arith.constant %d : index", name, step)
        self.line("%%%sc = arith.muli %%%s, %%%sb : index", name, counter, name)
        self.line("%%%s = arith.addi %%%sa, %%%sc : index", name, name, name)
        return "%" + name, lambda env: base + step * env[counter]

    #===-- Whole kernels --------------------------------------------------===#

    def mlir(self):
        params = ", ".join("%%%s: %s" % (a.name, a.type) for a in self.arguments)
        head = ["func.func @%s(%s) {" % (self.name, params)]
        head += ["  %%c%d = arith.constant %d : index" % (i, i) for i in range(4)]
        head += ["  %%threads = arith.constant %d : index" % self.threads,
                 "  %%blocks = arith.constant %d : index" % self.grid,
                 "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, "
                 "%gz = %c1)",
                 "             threads(%tx, %ty, %tz) in (%nx = %threads, "
                 "%ny = %c1, %nz = %c1) {"]
        return "\n".join(head + self.lines + ["    gpu.terminator", "  }",
                                              "  return", "}"]) + "\n"

    def expected(self):
        tensors = {a.name: np.array(a.tensor.values) for a in self.arguments}
        for block in range(self.grid):
            run(self.nodes, dict(tensors, bx=block))
        return tensors

    def check(self, out, seeds):
        expected = self.expected()
        tensors = [a.tensor for a in self.arguments]
        for seed in seeds:
            results, _ = kernels.run_function(
                os.path.join(out, self.name + ".json"), tensors, seed)
            for tensor in tensors:
                kernels.compare(tensor.name, tensor.dtype, results[tensor.name],
                                expected[tensor.name])


def run(nodes, env):
    for action in nodes:
        action(env)
