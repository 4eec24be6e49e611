#!/usr/bin/env python3
"""Random kernels on tiles: copies, windows, element loops, reductions, scans,
transposes, views, predicates, atomics and products, of every type, in shared memory
and fragments of any extents, under loops and branches, with tensors that are
dynamic, strided and misaligned and with layouts that are given. Numpy executes the
same statements; every element of every tensor must be equal."""

import argparse
import os
import sys

import numpy as np

import expressions
import kernels
from elementstatements import ElementProgram
from expressions import FLOATS, INTEGERS, bits_of, is_float
from tileprogram import FLOAT_TYPES, INT_TYPES, Tile, listed, run, text_of

UFUNCS = {"sum": np.add, "add": np.add, "max": np.maximum, "min": np.minimum,
          "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def sum_type(source, target):
    """In which sums are exact when the bounds are."""
    types = FLOAT_TYPES if is_float(source.dtype) else INT_TYPES
    return types[64 in (bits_of(source.dtype), bits_of(target.dtype))]


class Program(ElementProgram):
    def __init__(self, seed, num_statements):
        super().__init__(seed)
        for _ in range(num_statements):
            self.statement()
        for tile in list(self.tiles):
            self.store(tile)

    #===-- Statements -----------------------------------------------------===#

    def statement(self):
        kinds = (["load"] * 3 + ["copy"] * 2 + ["elements"] * 5 + ["reduce"] * 3
                 + ["scan"] * 2 + ["transpose", "transpose", "view", "fill",
                                   "predicate", "atomic", "product", "product",
                                   "drop", "scatter"])
        if self.depth < 2:
            kinds += ["repeat"]
        kind = self.random.choice(kinds)
        getattr(self, "do_" + kind)()

    def do_load(self):
        """Window of a tensor to a tile, converted; pads, dropped dimensions."""
        tile = self.tile()
        if tile is None:
            return
        same = self.random.random() < 0.5
        group = FLOATS if is_float(tile.dtype) else INTEGERS
        dtype = tile.dtype if same else self.random.choice(group)
        extents = [max(1, n + self.random.choice([0, 0, -1, 2, 5, n // 2]))
                   for n in tile.shape]
        sizes, dropped = list(tile.shape), []
        while len(sizes) < 5 and self.random.random() < 0.2:
            at = self.random.randrange(len(sizes) + 1)
            sizes.insert(at, 1)
            extents.insert(at, self.random.randint(1, 3))
            dropped = [d + (d >= at) for d in dropped] + [at]
        dropped.sort()
        kind = self.random.choice(["ints", "ints", "wide", "normal"])
        if kind == "normal" and not is_float(dtype):
            kind = "wide"
        argument = self.argument(kind, extents, dtype)
        offsets = [self.offset(n, size, False) if d not in dropped
                   else self.offset(n, size, self.random.random() < 0.9)
                   for d, (n, size) in enumerate(zip(extents, sizes))]
        pad, text = 0, ""
        if self.random.random() < 0.3:
            pad = self.random.choice([1, -1, 2])
            pad = abs(pad) & 1 if dtype == "i1" else pad
            self.line("%%p%s = arith.constant %s", tile.name,
                      ("true" if pad else "false") if dtype == "i1" else
                      "%s : %s" % ("%.1f" % pad if is_float(dtype) else pad, dtype))
            text = " pad %%p%s : %s in" % (tile.name, dtype)
        self.line("%%w%s = tile.region %%%s[%s] [%s]%s%s : %s", tile.name,
                  argument.name, listed(o[0] for o in offsets), listed(sizes),
                  " drop [%s]" % listed(dropped) if dropped else "", text,
                  argument.type)
        self.line("tile.copy %%w%s to %%%s : !tile.region<%sx%s>, %s", tile.name,
                  tile.name, text_of(tile.shape), dtype, tile.type)

        def action(env):
            values = env[argument.name]
            window = np.full(sizes, kernels.round_to(pad, dtype), values.dtype)
            at = [o[1](env) for o in offsets]
            low = [max(0, -a) for a in at]
            high = [min(size, n - a) for a, size, n in zip(at, sizes, extents)]
            if all(l < h for l, h in zip(low, high)):
                window[tuple(map(slice, low, high))] = values[tuple(
                    slice(a + l, a + h) for a, l, h in zip(at, low, high))]
            env[tile.name] = expressions.convert(window.reshape(tile.shape),
                                                 tile.dtype)
        self.act(action)
        self.own(tile, 2 if kind == "ints" else None)

    def do_copy(self):
        """A tile or a window of it to another one, or to a window of one."""
        source = self.source()
        if source is None:
            return
        size = [self.random.randint(1, n) if self.random.random() < 0.3 else n
                for n in source.shape]
        offsets = [self.offset(n, s, True) if source.space == "S"
                   else (str(n - s), lambda env, n=n, s=s: n - s)
                   for n, s in zip(source.shape, size)]
        target = self.pick(lambda t: t is not source and t.dtype != "i1"
                           and len(t.shape) == len(size)
                           and is_float(t.dtype) == is_float(source.dtype)
                           and all(a >= b for a, b in zip(t.shape, size)))
        fresh = target is None or self.random.random() < 0.5
        if fresh:
            group = FLOATS if is_float(source.dtype) else INTEGERS
            target = self.tile(size, self.random.choice(group))
            if target is None:
                return
        base = [0] * len(size) if fresh else [self.random.randint(0, n - s)
                                              for n, s in zip(target.shape, size)]
        name = self.fresh("w")
        self.line("%%%sa = tile.region %%%s[%s] [%s] : %s", name, source.name,
                  listed(o[0] for o in offsets), listed(size), source.type)
        self.line("%%%sb = tile.region %%%s[%s] [%s] : %s", name, target.name,
                  listed(base), listed(size), target.type)
        whole_a, whole_b = (t.shape == tuple(size) and self.random.random() < 0.7
                            for t in (source, target))
        self.line("tile.copy %%%s to %%%s : %s, %s",
                  source.name if whole_a else name + "a",
                  target.name if whole_b else name + "b",
                  source.type if whole_a else source.region(size),
                  target.type if whole_b else target.region(size))

        def action(env):
            at = [o[1](env) for o in offsets]
            values = env[source.name][tuple(
                slice(a, a + s) for a, s in zip(at, size))]
            values = expressions.convert(values, target.dtype)
            if fresh:
                env[target.name] = values
            else:
                env[target.name] = np.array(env[target.name])
                env[target.name][tuple(slice(a, a + s)
                                       for a, s in zip(base, size))] = values
        self.act(action)
        fits = source.bound is not None and (
            source.bound <= expressions.EXACT.get(target.dtype, 120))
        if fresh:
            self.own(target, source.bound if fits else None)
        else:
            both = fits and target.bound is not None
            target.bound = max(source.bound, target.bound) if both else None

    def do_fill(self):
        tile = self.source()
        if tile is None:
            return
        number = self.random.randint(-2, 2) & (1 if tile.dtype == "i1" else -1)
        name = self.fresh("z")
        self.line("%%%s = arith.constant %s", name,
                  ("true" if number else "false") if tile.dtype == "i1" else
                  "%s : %s" % ("%.1f" % number if is_float(tile.dtype) else number,
                               tile.dtype))
        size = [self.random.randint(1, n) for n in tile.shape]
        at = [self.random.randint(0, n - s) for n, s in zip(tile.shape, size)]
        self.line("%%%sw = tile.region %%%s[%s] [%s] : %s", name, tile.name,
                  listed(at), listed(size), tile.type)
        self.line("tile.fill %%%sw, %%%s : %s, %s", name, name, tile.region(size),
                  tile.dtype)

        def action(env):
            env[tile.name] = np.array(env[tile.name])
            env[tile.name][tuple(slice(a, a + s) for a, s in zip(at, size))] = (
                kernels.round_to(number, tile.dtype))
        self.act(action)

    def do_reduce(self):
        source = self.source(lambda t: bits_of(t.dtype) != 8 or not is_float(t.dtype))
        if source is None:
            return
        dim = self.random.randrange(len(source.shape))
        kinds = ["sum", "max", "min", "abssum", "absmax"]
        floating = is_float(source.dtype)
        if not floating:
            kinds += ["and", "or", "xor"]
        kind = self.random.choice(kinds)
        if kind in ("sum", "abssum"):
            self.whole(source)
        shape = list(source.shape)
        shape[dim:dim + 1] = ([1] if len(shape) == 1 or self.random.random() < 0.4
                              else [])
        types = (["f16", "bf16", "f32", "f64"] if floating else
                 list(INTEGERS if kind in ("and", "or", "xor") else INTEGERS[1:]))
        target = self.pick(lambda t: t.dtype in types and t is not source
                           and t.shape == tuple(shape))
        fresh = target is None or self.random.random() < 0.5
        if fresh:
            target = self.tile(shape, self.random.choice(types))
            if target is None:
                return
        elif kind in ("sum", "abssum"):
            self.whole(target)
        clear = fresh or self.random.random() < 0.3
        self.line("tile.reduce %s %%%s to %%%s dim %d%s : %s, %s", kind, source.name,
                  target.name, dim, " {clear}" if clear else "", source.type,
                  target.type)
        wide, ufunc = sum_type(source, target), UFUNCS[kind.replace("abs", "")]

        def action(env):
            values = kernels.round_to(env[source.name], wide)
            if kind.startswith("abs"):
                with np.errstate(all="ignore"):
                    values = np.abs(values)
            with np.errstate(all="ignore"):
                result = ufunc.reduce(values, axis=dim).reshape(shape)
                if not clear:
                    result = ufunc(result, kernels.round_to(env[target.name], wide))
                env[target.name] = expressions.convert(result.astype(
                    values.dtype), target.dtype)
        self.act(action)
        before = 0 if clear else target.bound
        self.own_sum(target, fresh, source, dim, before)

    def own_sum(self, target, is_fresh, source, dim, before=0):
        """`target` holds sums along `dim`, on top of values bounded by `before`."""
        bound = None
        if source.bound is not None and before is not None:
            bound = source.bound * source.shape[dim] + before
            if is_float(source.dtype) and bound > expressions.EXACT[target.dtype]:
                bound = None
        if is_fresh:
            self.own(target, bound)
        else:
            target.bound = bound

    def do_scan(self):
        source = self.source(lambda t: bits_of(t.dtype) != 8 or not is_float(t.dtype))
        if source is None:
            return
        dim = self.random.randrange(len(source.shape))
        kind = self.random.choice(["sum", "sum", "max", "min"])
        floating = is_float(source.dtype)
        if kind == "sum":
            self.whole(source)
        same = self.random.random() < 0.2 and source.dtype != "i1"
        types = ["f16", "bf16", "f32", "f64"] if floating else INTEGERS[1:]
        target = source if same else self.tile(source.shape,
                                               self.random.choice(types))
        if target is None:
            return
        reverse = self.random.random() < 0.5
        self.line("tile.scan %s %%%s to %%%s dim %d%s : %s, %s", kind, source.name,
                  target.name, dim, " {reverse}" if reverse else "", source.type,
                  target.type)
        wide, ufunc = sum_type(source, target), UFUNCS[kind]

        def action(env):
            values = kernels.round_to(env[source.name], wide)
            values = np.flip(values, dim) if reverse else values
            with np.errstate(all="ignore"):
                result = ufunc.accumulate(values, axis=dim)
                result = np.flip(result, dim) if reverse else result
                env[target.name] = expressions.convert(result, target.dtype)
        self.act(action)
        self.own_sum(target, not same, source, dim)

    def do_transpose(self):
        source = self.source(lambda t: len(t.shape) > 1)
        if source is None:
            return
        group = FLOATS if is_float(source.dtype) else INTEGERS
        dtype = source.dtype if self.random.random() < 0.6 else self.random.choice(
            group)
        shape = source.shape[:-2] + (source.shape[-1], source.shape[-2])
        target = self.tile(shape, dtype)
        if target is None:
            return
        self.line("tile.transpose %%%s to %%%s : %s, %s", source.name, target.name,
                  source.type, target.type)

        def action(env):
            env[target.name] = np.array(expressions.convert(
                env[source.name].swapaxes(-1, -2), target.dtype))
        self.act(action)
        fits = source.bound is not None and (
            source.bound <= expressions.EXACT.get(target.dtype, 120))
        self.own(target, source.bound if fits else None)

    def do_view(self):
        """Another shape of the same storage; a copy of what is seen there."""
        # A view of a fragment of odd extents holds all of it in each thread.
        source = self.source(lambda t: t.space == "S" or np.prod(t.shape) <= 64)
        if source is None:
            return
        size = int(np.prod(source.shape))
        factors = [n for n in range(1, size + 1) if size % n == 0]
        first = self.random.choice(factors)
        shape = self.random.choice([(size,), (first, size // first),
                                    (first, 1, size // first)])
        if source.keeps_rows:
            shape = (*source.shape[:-1], 1, source.shape[-1])
        target = self.tile(shape, source.dtype)
        if target is None:
            return
        name = self.fresh("v")
        seen = Tile(name, shape, source.dtype, source.space)
        self.line("%%%s = tile.view %%%s : %s to %s", name, source.name, source.type,
                  seen.type)
        self.line("tile.copy %%%s to %%%s : %s, %s", name, target.name, seen.type,
                  target.type)

        def action(env):
            env[target.name] = np.array(env[source.name]).reshape(shape)
        self.act(action)
        self.own(target, source.bound)

    def do_predicate(self):
        """A branch of the block on any_of or all_of."""
        mask = self.source(lambda t: t.dtype == "i1")
        if mask is None or self.depth >= 2:
            return
        kind = self.random.choice(["any_of", "all_of"])
        name = self.fresh("q")
        self.line("%%%s = tile.%s %%%s : %s", name, kind, mask.name, mask.type)
        has_else = self.random.random() < 0.5
        self.line("scf.if %%%s {", name)
        then = self.nested(2)
        other = []
        if has_else:
            self.line("} else {")
            other = self.nested(2)
        self.line("}")

        def action(env):
            test = env[mask.name].any() if kind == "any_of" else env[mask.name].all()
            run(then if test else other, env)
        self.act(action)

    def do_repeat(self):
        """A loop around some statements."""
        trips = self.random.randrange(4)
        counter = self.fresh("l")
        self.line("scf.for %%%s = %%c0 to %%c%d step %%c1 {", counter, trips)
        self.loops.append(counter)
        inner = self.nested(4)
        self.loops.pop()
        self.line("}")

        def action(env):
            for i in range(trips):
                env[counter] = i
                run(inner, env)
        self.act(action)

    def nested(self, most):
        """Statements that may not happen, or many times: tiles made there are
        gone after them, bounds are unknown."""
        outer_nodes, outer_tiles = self.nodes, list(self.tiles)
        for tile in self.tiles:
            tile.bound = None
        self.nodes = []
        self.indent += 1
        self.depth += 1
        for _ in range(self.random.randint(1, most)):
            self.statement()
        self.depth -= 1
        self.indent -= 1
        nodes, self.nodes, self.tiles = self.nodes, outer_nodes, outer_tiles
        for tile in self.tiles:
            tile.bound = None
        return nodes

    def do_atomic(self):
        """Integers, added up by all blocks in a tensor, or in a shared tile."""
        source = self.source(lambda t: not is_float(t.dtype))
        if source is None:
            return
        kind = self.random.choice(["add", "max", "min", "and", "or", "xor"])
        ufunc = UFUNCS[kind]
        types = ("i8", "i16") + INT_TYPES
        target = self.pick(lambda t: t.dtype in types and t.space == "S"
                           and t.shape == source.shape and t is not source)
        if target is not None and self.random.random() < 0.5:
            name, text = target.name, target.type
            target.bound = None
        else:
            argument = self.argument("ints", source.shape,
                                     self.random.choice(types))
            self.final[argument.name] = argument
            target, name = argument, self.fresh("w")
            self.line("%%%s = tile.region %%%s[%s] [%s] : %s", name, argument.name,
                      listed([0] * len(source.shape)), listed(source.shape),
                      argument.type)
            text = "!tile.region<%sx%s>" % (text_of(source.shape), argument.dtype)
        self.line("tile.atomic %s %%%s to %%%s : %s, %s", kind, source.name, name,
                  source.type, text)

        def action(env):
            with np.errstate(all="ignore"):
                env[target.name][...] = ufunc(env[target.name], kernels.round_to(
                    env[source.name], target.dtype))
        if isinstance(target, Tile):
            def copied(env):
                env[target.name] = np.array(env[target.name])
            self.act(copied)
        self.act(action)

    def can_share(self, m, n, policy):
        """Whether the warps divide M x N into tiles of 16 x 8."""
        warps = self.threads // 32
        ways = {"full_row": [warps], "full_col": [1]}.get(
            policy, [w for w in range(1, warps + 1) if warps % w == 0])
        return any(m % (16 * w) == 0 and n % (8 * (warps // w)) == 0 for w in ways)

    def do_product(self):
        """A product of two factors, in shared memory or registers."""
        kind = self.random.choice(["f16", "f16", "bf16", "f32", "i8", "f8E4M3FN",
                                   "f8E5M2"])
        unit = {"f32": 8, "f16": 16, "bf16": 16}.get(kind, 32)
        m = self.random.choice([16, 32, 48, 64, 64, 80, 96, 128])
        n = self.random.choice([8, 16, 24, 32, 40, 64])
        policy = self.random.choice([None, None, "square", "full_row", "full_col"])
        if not self.can_share(m, n, policy):
            return
        k = unit * self.random.choice([1, 1, 2, 3])
        turn_a, turn_b = (self.random.random() < 0.3 for _ in range(2))
        c = self.tile((m, n), "i32" if kind == "i8" else "f32", "F")
        if c is None or c.space != "F":
            return
        a_shape, b_shape = ((k, m) if turn_a else (m, k)), ((n, k) if turn_b
                                                            else (k, n))
        factors = []
        for shape in (a_shape, b_shape):
            space = "F" if not factors and self.random.random() < 0.3 else "S"
            tile = self.tile(shape, kind, space)
            if tile is None:
                return
            argument = self.argument("ints", shape, kind)
            self.line("%%w%s = tile.region %%%s[0, 0] [%d, %d] : %s", tile.name,
                      argument.name, *shape, argument.type)
            self.line("tile.copy %%w%s to %%%s : !tile.region<%sx%s>, %s", tile.name,
                      tile.name, text_of(shape), kind, tile.type)
            self.act(lambda env, t=tile, a=argument: env.update(
                {t.name: env[a.name]}))
            factors.append(tile)
        zero = self.fresh("z")
        self.line("%%%s = arith.constant %s : %s", zero,
                  "0" if kind == "i8" else "0.0", c.dtype)
        self.line("tile.fill %%%s, %%%s : %s, %s", c.name, zero, c.type, c.dtype)
        words = [w for w, on in (("transpose_a", turn_a), ("transpose_b", turn_b),
                                 ('precision = "tf32"', kind == "f32")) if on]
        if policy:
            words.append("policy = #tile.warp_policy<%s>" % policy)
        a, b = factors
        self.line("tile.gemm %%%s, %%%s, %%%s {%s} : (%s, %s, %s)", a.name, b.name,
                  c.name, listed(words), a.type, b.type, c.type)

        def action(env):
            x, y = (env[t.name].astype(np.float64) for t in (a, b))
            env[c.name] = kernels.round_to((x.T if turn_a else x)
                                           @ (y.T if turn_b else y), c.dtype)
        self.act(action)
        self.own(a, 2)
        self.own(b, 2)
        self.own(c, 4 * k)

    def do_drop(self):
        """Stores a tile to a tensor and forgets it."""
        tile = self.source()
        if tile is None or self.depth:
            return
        self.store(tile)
        self.tiles.remove(tile)

    def store(self, tile):
        """To a tensor with a place for every block, junk around it."""
        margins = [self.random.choice([0, 0, 1, 3]) for _ in tile.shape]
        at = [self.random.randint(0, m) for m in margins]
        group = FLOATS if is_float(tile.dtype) else INTEGERS
        dtype = tile.dtype if self.random.random() < 0.7 else self.random.choice(
            group)
        ragged = [self.random.choice([0, 0, 0, 1, 2]) for _ in tile.shape]
        shape = [max(a + 1, n + m - r) for n, m, r, a in zip(tile.shape, margins,
                                                             ragged, at)]
        drop = len(shape) < 5
        if not drop and self.grid > 1:
            return
        argument = self.argument("junk", ([self.grid] if drop else []) + shape, dtype)
        name = self.fresh("w")
        lead = (["%bx"], [1]) if drop else ([], [])
        self.line("%%%s = tile.region %%%s[%s] [%s]%s : %s", name, argument.name,
                  listed(lead[0] + at), listed(lead[1] + list(tile.shape)),
                  " drop [0]" if drop else "", argument.type)
        self.line("tile.copy %%%s to %%%s : %s, !tile.region<%sx%s>", tile.name, name,
                  tile.type, text_of(tile.shape), dtype)

        def action(env):
            place = env[argument.name][env["bx"]] if drop else env[argument.name]
            inside = tuple(slice(a, min(a + n, m)) for a, n, m in
                           zip(at, tile.shape, shape))
            values = expressions.convert(env[tile.name], dtype)
            place[inside] = values[tuple(slice(s.stop - s.start) for s in inside)]
        self.act(action)


def judge(program, target, options):
    """Compiles the kernel, runs it and compares."""
    out = os.path.join(options.out, target)
    os.makedirs(out, exist_ok=True)
    source = os.path.join(out, program.name + ".mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(program.mlir())
    kernels.compile_file(source, target, out,
                         [] if options.ptxas else ["--ptxas=off"])
    program.check(out, range(1, options.schedules + 1))
    return "equal"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seed", type=int, default=1, help="of the first kernel")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--statements", type=int, default=10)
    parser.add_argument("--schedules", type=int, default=1)
    parser.add_argument("--ptxas", action="store_true")
    options = parser.parse_args()
    programs = {"seed=%d" % s: Program(s, options.statements)
                for s in kernels.some(options.seed, options.count)}
    return kernels.run_cases(list(programs), options.target, lambda text, target:
                             judge(programs[text], target, options),
                             are_apart=True)


if __name__ == "__main__":
    sys.exit(main())
