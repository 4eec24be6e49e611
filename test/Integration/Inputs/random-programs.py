#!/usr/bin/env python3
"""Random kernels of several blocks with products, state and scalars of all kinds
under random control flow: with roles, without, as persistent launches.

The statements are those of statements.py and

    mul(tile)            C += W @ tile.T, W a 64 x 32 tile, C in registers
    weights(index)       copies the part of a tensor to W
    chain(tile, tile, flip)
                         D += clip(W @ tile.T) @ tile, as attention; D = -D before
    show()               writes C to the next rows of P
    end()                writes D to the next rows of E
    clear()              C = 0
    best(tile)           G = max(G, tile), element by element, in registers
    keep()               a use of G
    dup(tile, tile)      copies one shared tile to another one
    fresh(index, how)    copies to a tile that is allocated here, and uses it
    flip()               toggles a boolean that loops carry; condition ("phase",)
    tally(tile)          a number that loops carry, from an element of the tile
    say(index)           prints
    switch(index, …)     an scf.index_switch with these blocks

with the condition ("peek", tile) and the index ("pick", tile), which look at an
element. What a kernel must do is found by executing the statements for each block.
Prints one line per kernel; a kernel that fails is left in the folder of the outputs."""

import argparse
import importlib.util
import os
import random
import re
import subprocess
import sys

import numpy as np

import kernels
import statements
from statements import BLOCKS, COLUMNS, FRAGMENT, ROWS, SMEM, TILE, USES, WINDOW, flat, walk


def load(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ws = load("ws-kernels")
LEFT, SHOWS, GRID = 64, 8, 3  # rows of W and C, copies of C, blocks
PARTS = 4                     # of the tensor that W is copied from


#===-- What a kernel must do ---------------------------------------------===#


class Run(statements.Run):
    """What one block does."""

    def __init__(self, body, inputs, block):
        self.shows, self.lines, self.tally, self.phase = [], [], 0, False
        self.acc, self.ends = np.zeros((LEFT, ROWS)), []
        self.sum = np.zeros((LEFT, COLUMNS))
        self.best = np.full((ROWS, COLUMNS), -1.0)
        self.weights = inputs["W"][:LEFT]
        self.b = block
        super().__init__(body, dict(inputs, b=block))

    def block(self, body):
        self.env.setdefault("b", self.b)
        super().block(body)

    def index(self, e):
        if isinstance(e, tuple) and e[0] == "pick":
            return int(self.tiles[e[1]][1, 1])
        return super().index(e)

    def condition(self, c):
        if c[0] == "phase":
            return self.phase
        if c[0] == "peek":
            return bool(self.tiles[c[1]][0, 3] > 90)
        return super().condition(c)

    def do_mul(self, tile):
        self.acc = self.acc + self.weights @ self.tiles[tile].T

    def do_chain(self, a, b, flips):
        factor = np.clip(self.weights @ self.tiles[a].T, 0, 8)
        self.sum = (-self.sum if flips else self.sum) + factor @ self.tiles[b]

    def do_end(self):
        self.ends.append(self.sum)

    def do_weights(self, index):
        at = self.index(index) % PARTS * LEFT
        self.weights = self.inputs["W"][at:at + LEFT]

    def do_show(self):
        self.shows.append(self.acc)

    def do_clear(self):
        self.acc = np.zeros((LEFT, ROWS))

    def do_best(self, tile):
        self.best = np.maximum(self.best, self.tiles[tile])

    def do_keep(self):
        self.uses.append(self.best)

    def do_dup(self, a, b):
        self.tiles[b] = self.tiles[a].copy()

    def do_fresh(self, index, how):
        self.do_copy("fresh", index, how)
        self.do_use("fresh")

    def do_flip(self):
        self.phase = not self.phase

    def do_tally(self, tile):
        self.tally = (self.tally * 3 + int(self.tiles[tile][2, 2])) & 0xFFFF

    def do_say(self, index):
        self.lines.append("say: %d" % (self.index(index) % BLOCKS))

    def do_switch(self, index, blocks):
        self.block(blocks[min(self.index(index) % 4, len(blocks) - 1)])

    def shown(self, shows, columns):
        out = np.full((LEFT * SHOWS, columns), kernels.GUARD, np.float64)
        for number, c in enumerate(shows[:SHOWS]):
            out[number * LEFT:(number + 1) * LEFT] = c
        return out


#===-- Text --------------------------------------------------------------===#

LEFT_TILE = "memref<%dx%dxbf16, %s>" % (LEFT, COLUMNS, SMEM)
ACC = "memref<%dx%dxf32, #tile.fragment>" % (LEFT, ROWS)
SUM = "memref<%dx%dxf32, #tile.fragment>" % (LEFT, COLUMNS)
FACTOR = "memref<%dx%dxbf16, #tile.fragment>" % (LEFT, ROWS)


class Text(statements.Text):
    SCALARS = {"o": ("index", {"move"}), "uses": ("index", {"use", "put", "keep", "fresh"}),
               "shows": ("index", {"show"}), "phase": ("i1", {"flip"}),
               "tally": ("i32", {"tally"}), "ends": ("index", {"end"})}

    def __init__(self, name, body, config, is_dynamic):
        super().__init__(name, body, config)
        self.is_dynamic = is_dynamic

    def add(self, text):
        if self.is_dynamic:
            text = text.replace(" {align = 16 : i64}", "")
            for kind in (statements.TENSOR_A, statements.TENSOR_O):
                text = text.replace(kind, "memref<?x?xbf16>")
        super().add(text)

    def index(self, e):
        if not isinstance(e, tuple) or e[0] != "pick":
            return super().index(e)
        one = self.constant(1)
        element = self.value("memref.load %%%s[%s, %s] : %s" % (e[1], one, one, TILE))
        number = self.value("arith.fptosi %s : bf16 to i32" % element)
        return self.value("arith.index_cast %s : i32 to index" % number)

    def condition(self, c):
        if c[0] == "phase":
            return self.env["phase"]
        if c[0] != "peek":
            return super().condition(c)
        element = self.value("memref.load %%%s[%s, %s] : %s" % (
            c[1], self.constant(0), self.constant(3), TILE))
        return self.value("arith.cmpf ogt, %s, %s : bf16"
                          % (element, self.value("arith.constant 90.0 : bf16")))

    def do_mul(self, tile):
        self.add("tile.gemm %%Left, %%%s, %%C {transpose_b} : (%s, %s, %s)"
                 % (tile, LEFT_TILE, TILE, ACC))

    def change(self, tile, kind, rows, columns, *ops):
        """An element loop that makes %y of %x."""
        self.add("tile.parallel (%%r, %%c) in [%d, %d] {" % (rows, columns))
        self.add("  %%x = memref.load %%%s[%%r, %%c] : %s" % (tile, kind))
        for op in ops:
            self.add("  " + op)
        self.add("  memref.store %%y, %%%s[%%r, %%c] : %s" % (tile, kind))
        self.add("}")

    def do_chain(self, a, b, flips):
        policy = "policy = #tile.warp_policy<full_row>"
        self.add("tile.fill %%Scores, %%zero : %s, f32" % ACC)
        self.add("tile.gemm %%Left, %%%s, %%Scores {transpose_b, %s} : (%s, %s, %s)"
                 % (a, policy, LEFT_TILE, TILE, ACC))
        self.change("Scores", ACC, LEFT, ROWS, "%m = arith.maximumf %x, %zero : f32",
                    "%y = arith.minimumf %m, %eight : f32")
        if flips:
            self.change("D", SUM, LEFT, COLUMNS, "%y = arith.subf %zero, %x : f32")
        self.add("tile.copy %%Scores to %%Factor : %s, %s" % (ACC, FACTOR))
        self.add("tile.gemm %%Factor, %%%s, %%D {%s} : (%s, %s, %s)"
                 % (b, policy, FACTOR, TILE, SUM))

    def do_end(self):
        self.store("D", SUM, "E", "ends", COLUMNS)

    def do_weights(self, index):
        at = self.value("arith.muli %s, %s : index" % (
            self.index(("%", index, PARTS)), self.constant(LEFT)))
        tensor = "memref<%dx%dxbf16>" % (PARTS * LEFT, COLUMNS)
        window = self.value("tile.region %%Wt[%s, 0] [%d, %d] {align = 16 : i64} : %s"
                            % (at, LEFT, COLUMNS, tensor))
        self.add("tile.copy %s to %%Left : !tile.region<%dx%dxbf16>, %s"
                 % (window, LEFT, COLUMNS, LEFT_TILE))

    def rows(self, count, per_block, height):
        """The first of the next `height` rows that the block writes; after the tensor
        when it has none left."""
        base = self.value("arith.muli %%bx, %s : index" % self.constant(per_block))
        number = self.value("arith.addi %s, %s : index" % (base, self.env[count]))
        fits = self.value("arith.cmpi ult, %s, %s : index"
                          % (self.env[count], self.constant(per_block)))
        number = self.value("arith.select %s, %s, %s : index"
                            % (fits, number, self.constant(per_block * GRID)))
        self.env[count] = self.value("arith.addi %s, %s : index"
                                     % (self.env[count], self.constant(1)))
        return self.value("arith.muli %s, %s : index" % (number, self.constant(height)))

    def rows_of_o(self):
        return self.value("tile.region %%O[%s, 0] [%d, %d] {align = 16 : i64} : %s" % (
            self.rows("uses", USES, ROWS), ROWS, COLUMNS, statements.TENSOR_O))

    def store(self, tile, kind, tensor, count, columns):
        window = self.value("tile.region %%%s[%s, 0] [%d, %d] {align = 16 : i64} : "
                            "memref<?x%dxf32>" % (tensor, self.rows(count, SHOWS, LEFT),
                                                  LEFT, columns, columns))
        self.add("tile.copy %%%s to %s : %s, !tile.region<%dx%dxf32>"
                 % (tile, window, kind, LEFT, columns))

    def do_show(self):
        self.store("C", ACC, "P", "shows", ROWS)

    def do_clear(self):
        self.add("tile.fill %%C, %%zero : %s, f32" % ACC)

    def do_best(self, tile):
        self.add("tile.parallel (%%r, %%c) in [%d, %d] {" % (ROWS, COLUMNS))
        self.add("  %%x = memref.load %%G[%%r, %%c] : %s" % FRAGMENT)
        self.add("  %%y = memref.load %%%s[%%r, %%c] : %s" % (tile, TILE))
        self.add("  %z = arith.maximumf %x, %y : bf16")
        self.add("  memref.store %%z, %%G[%%r, %%c] : %s" % FRAGMENT)
        self.add("}")

    def do_keep(self):
        self.add("tile.copy %%G to %s : %s, %s" % (self.rows_of_o(), FRAGMENT, WINDOW))

    def do_dup(self, a, b):
        self.add("tile.copy %%%s to %%%s : %s, %s" % (a, b, TILE, TILE))

    def do_fresh(self, index, how):
        self.names += 1
        name = "fresh%d" % self.names
        self.add("%%%s = tile.alloc : %s" % (name, TILE))
        self.do_copy(name, index, how)
        self.do_use(name)

    def do_flip(self):
        self.env["phase"] = self.value(
            "arith.xori %s, %s : i1" % (self.env["phase"], self.value("arith.constant true")))

    def do_tally(self, tile):
        element = self.value("memref.load %%%s[%s, %s] : %s" % (
            tile, self.constant(2), self.constant(2), TILE))
        number = self.value("arith.fptosi %s : bf16 to i32" % element)
        three = self.value("arith.constant 3 : i32")
        product = self.value("arith.muli %s, %s : i32" % (self.env["tally"], three))
        total = self.value("arith.addi %s, %s : i32" % (product, number))
        mask = self.value("arith.constant 65535 : i32")
        self.env["tally"] = self.value("arith.andi %s, %s : i32" % (total, mask))

    def do_say(self, index):
        self.add('tile.print "say"(%s : index)' % self.index(("%", index, BLOCKS)))

    def do_switch(self, index, blocks):
        carried = self.changed([s for block in blocks for s in block])
        chosen = self.index(("%", index, 4))
        results = self.carry(carried)
        number, before = self.names, dict(self.env)
        self.add("%sscf.index_switch %s%s" % (results, chosen, " -> %s" % ", ".join(
            self.types(carried)) if carried else ""))
        for case, block in enumerate(blocks):
            self.env = dict(before)
            self.add("default {" if case == len(blocks) - 1 else "case %d {" % case)
            self.block(block, carried)
            if not carried:
                self.add("  scf.yield")
            self.add("}")
        self.env = before
        self.take(carried, number)

    def begin(self):
        super().begin()
        for s in walk(self.body):  # tiles that no statement of the base names
            for tile in s[1:3] if s[0] == "dup" else ():
                if not any("%%%s =" % tile in line for line in self.lines):
                    self.add("%%%s = tile.alloc : %s" % (tile, TILE))
        self.add("%%Left = tile.alloc : %s" % LEFT_TILE)
        self.add("%%C = tile.alloc : %s" % ACC)
        self.add("%%G = tile.alloc : %s" % FRAGMENT)
        for name, kind in (("Scores", ACC), ("Factor", FACTOR), ("D", SUM)):
            self.add("%%%s = tile.alloc : %s" % (name, kind))
        self.add("%zero = arith.constant 0.0 : f32")
        self.add("%eight = arith.constant 8.0 : f32")
        self.add("tile.fill %%D, %%zero : %s, f32" % SUM)
        self.add("%least = arith.constant -1.0 : bf16")
        self.add("tile.fill %%G, %%least : %s, bf16" % FRAGMENT)
        self.do_clear()
        self.env.update(b="%bx", shows=self.constant(0), ends=self.constant(0),
                        phase=self.value("arith.constant false"),
                        tally=self.value("arith.constant 0 : i32"))
        self.do_weights(0)

    def end(self):
        self.add("memref.store %s, %%Tally[%%bx] : memref<%dxi32>" % (self.env["tally"], GRID))

    def arguments(self):
        given = super().arguments()
        if self.is_dynamic:
            given[0], given[6] = "%A: memref<?x?xbf16>", "%O: memref<?x?xbf16>"
        else:
            given[6] = given[6].replace(str(ROWS * USES), str(ROWS * USES * GRID))
        return given + ["%%Wt: memref<%dx%dxbf16>" % (PARTS * LEFT, COLUMNS),
                        "%%P: memref<?x%dxf32>" % ROWS, "%%Tally: memref<%dxi32>" % GRID,
                        "%%E: memref<?x%dxf32>" % COLUMNS]

    def function(self, grid=GRID, threads=statements.THREADS):
        text = super().function(grid, threads)
        return text.replace(statements.TENSOR_O, statements.TENSOR_O.replace(
            str(ROWS * USES), str(ROWS * USES * GRID)))


#===-- Random kernels ----------------------------------------------------===#


def rebuilt(statement, change):
    """The statement with its blocks changed."""
    made = list(statement)
    if made[0] in ("loop", "early", "when"):
        made[2] = change(made[2])
    if made[0] == "when":
        made[3] = change(made[3])
    if made[0] == "switch":
        made[2] = [change(block) for block in made[2]]
    return tuple(made)


class Maker(ws.Maker):
    filled = frozenset()  # tiles that hold something

    def __init__(self, seed):
        super().__init__(seed)
        self.chains = random.Random("chains %d" % seed)

    def index(self, names):
        r = self.random
        if r.random() < 0.08 and self.filled:
            return ("pick", r.choice(sorted(self.filled)))
        return super().index(names + ["b"])

    def condition(self, names):
        r = self.random
        if r.random() < 0.15:
            return ("phase", 0)
        if r.random() < 0.08 and self.filled:
            return ("peek", r.choice(sorted(self.filled)))
        return super().condition(names + ["b"])

    def body(self, names, filled, depth):
        before = self.filled
        made = super().body(names, filled, depth)
        self.filled = before  # that of a branch counts in the branch
        return made

    def statement(self, names, filled, depth):
        r = self.random
        self.filled = filled - {"W"}
        tile = r.choice(sorted(self.filled)) if self.filled else None
        kind = r.choice(["old"] * 9 + ["mul"] * 3 + ["weights", "show", "clear", "best", "keep",
                                                     "dup", "fresh", "flip", "tally",
                                                     "say", "switch"])
        if kind in ("mul", "best", "tally") and tile:
            return [(kind, tile)]
        if kind in ("weights", "say"):
            return [(kind, self.index(names))]
        if kind in ("show", "clear", "keep", "flip"):
            return [(kind,)]
        if kind == "dup" and tile and r.random() < 0.5:
            other = r.choice([t for t in "STQU" if t != tile] + ["V"])
            filled.add(other)
            return [("dup", tile, other)]
        if kind == "fresh":
            return [("fresh", self.index(names), self.how())]
        if kind == "switch" and depth < 3:
            made = [self.body(names, filled, depth + 1) for _ in range(r.choice([2, 3, 4]))]
            filled |= set.intersection(*(f for _, f in made))
            return [("switch", self.index(names), [flat(b) for b, _ in made])]
        self.filled = filled - {"W"}
        return super().statement(names, filled, depth)

    def loop(self, names, filled, depth):
        made = super().loop(names, filled, depth)
        if made[0] != "loop":
            return made
        r, made = self.random, list(made)
        made[7] = r.choice([False] * 5 + [True, "i32", "unsigned"])
        made[6] = r.choice([made[6]] * 4 + [("+", ("at", "n"), 1), 5])
        made[4] = r.choice([made[4]] * 5 + [("%", "b", 3), 7])
        if made[2] and r.random() < 0.2:
            made[5] = r.choice([0, ("%", ("at", "b"), 4), ("+", "b", 1)])
        return tuple(made)

    def kernel(self):
        return self.woven(flat(super().kernel())) + [("end",)]

    def woven(self, body):
        """With chains of products after statements that use a tile."""
        made, last = [], None
        for s in body:
            made.append(rebuilt(s, self.woven))
            if s[0] not in ("mul", "best", "tally", "use", "put"):
                continue
            if self.chains.random() < 0.3:
                other = last if last and self.chains.random() < 0.5 else s[1]
                made.append(("chain", s[1], other, self.chains.random() < 0.3))
                made += [("end",)] if self.chains.random() < 0.2 else []
            last = s[1]
        return made

    def settings(self):
        """Threads, whether extents are dynamic, and options of the kernel."""
        r = self.random
        options = [r.choice(["", "", "persist = true", "persist = false"]),
                   r.choice(["", "", "", "producer_warps = %d : i64" % r.choice([1, 2, 4])]),
                   r.choice(["", "", "", "rotate = false"])]
        return (r.choice([32, 64, 128, 128]), r.random() < 0.3,
                ", ".join(o for o in options if o))


#===-- Running -----------------------------------------------------------===#


def make_inputs(n, mask, seed):
    inputs, arguments = ws.make_inputs(n, mask, seed)
    shapes = (("O", (ROWS * USES * GRID, COLUMNS), "bf16", kernels.GUARD),
              ("W", (PARTS * LEFT, COLUMNS), "bf16", None),
              ("P", (LEFT * SHOWS * GRID, ROWS), "f32", kernels.GUARD),
              ("Tally", (GRID,), "i32", 0),
              ("E", (LEFT * SHOWS * GRID, COLUMNS), "f32", kernels.GUARD))
    for name, shape, dtype, value in shapes:
        tensor = kernels.Tensor(name, "%s:%s:%s" % (
            "ints" if value is None else "zeros", "x".join(map(str, shape)), dtype))
        if value is not None:
            tensor.values = kernels.round_to(np.full(shape, value), dtype)
        inputs[name] = tensor.values
        if name == "O":
            arguments[6] = tensor
        else:
            arguments.append(tensor)
    return inputs, arguments


def run_once(json_path, arguments, seed, expected, lines, options=()):
    base = os.path.splitext(json_path)[0]
    command, saved = ["tile-run", json_path, "--emulate", "--sms=2", "--seed=%d" % seed,
                      *options], {}
    for i, argument in enumerate(arguments):
        if isinstance(argument, kernels.Scalar):
            command.append(argument.text)
            continue
        command.append(argument.write("%s.%d.in.npy" % (base, i)))
        saved[argument] = "%s.%d.out.npy" % (base, i)
        command += ["--save", "%d=%s" % (i, saved[argument])]
    printed = kernels.run_program(command).stdout.split("\n")
    if sorted(line for line in printed if line) != sorted(lines):
        raise kernels.Failure("prints %d lines, expected %d" % (len(printed) - 1, len(lines)))
    for argument, path in saved.items():
        kernels.compare(argument.name, argument.dtype, np.load(path),
                        expected.get(argument.name, argument.values))


class Case:
    """One trip count of a kernel, with a mask for its guards."""

    def __init__(self, body, n, mask, number):
        self.name = "n = %d, mask %s" % (n, mask)
        inputs, self.arguments = make_inputs(n, mask, number)
        runs = [Run(body, inputs, block) for block in range(GRID)]
        self.expected = {"O": np.concatenate([run.result() for run in runs]),
                         "P": np.concatenate([run.shown(run.shows, ROWS) for run in runs]),
                         "E": np.concatenate([run.shown(run.ends, COLUMNS) for run in runs]),
                         "Tally": [run.tally for run in runs],
                         "R": [sum(run.ticks for run in runs)]}
        self.lines = [line for run in runs for line in run.lines]

    def run(self, json_path, seed, options=()):
        try:
            run_once(json_path, self.arguments, seed, self.expected, self.lines, options)
        except kernels.Failure as failure:
            raise kernels.Failure("%s, seed %d: %s" % (self.name, seed, failure)) from None


def cases_of(body):
    for number, n in enumerate(ws.trips_of(body)):
        yield Case(body, n, ["some", "all", "none", "some"][number % 4], number)


def run_kernel(json_path, body, seeds):
    for case in cases_of(body):
        for seed in range(1, seeds + 1):
            case.run(json_path, seed)


def check(seed, target, roles, out, seeds):
    """The remarks of the compiler."""
    maker = Maker(seed)
    body = flat(maker.kernel())
    threads, is_dynamic, config = maker.settings()
    if roles == "off":
        config = ", ".join(filter(None, [config, "specialize = #tile.specialize<off>"]))
    name = "random%d" % seed
    path = os.path.join(out, name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(Text(name, body, config, is_dynamic).function(threads=threads))
    result = subprocess.run(["tile-compile", path, "--target=" + target, "-o", out,
                             "--ptxas=off"], capture_output=True, text=True, check=False)
    if result.returncode:
        raise kernels.Failure("exit status %d: %s" % (result.returncode, result.stderr))
    run_kernel(os.path.join(out, name + ".json"), body, seeds)
    return re.findall(r"remark: \[([\w/-]+)\]", result.stderr)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", required=True, help="FIRST:COUNT")
    parser.add_argument("--mode", action="append", required=True,
                        help="TARGET or TARGET:off, without roles")
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    first, count = (int(x) for x in options.random.split(":"))
    num_failed, codes = 0, {}
    for seed in kernels.some(first, count):
        for mode in options.mode:
            target, _, roles = mode.partition(":")
            out = os.path.join(options.out, mode.replace(":", "-"))
            os.makedirs(out, exist_ok=True)
            try:
                for code in check(seed, target, roles, out, options.seeds):
                    codes[code] = codes.get(code, 0) + 1
            except kernels.Failure as failure:
                num_failed += 1
                print("FAILED %s: random%d: %s" % (mode, seed, failure))
                sys.stdout.flush()
    for code in sorted(codes):
        print("%s: %d" % (code, codes[code]))
    print("%d kernels in %d modes, %d failed" % (count, len(options.mode), num_failed))
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
