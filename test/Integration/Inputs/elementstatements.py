"""Random element loops for random-tiles.py: expressions of tiles, tensors, indices
and constants, in place or not, guarded or not; stores to tensors."""

import numpy as np

import kernels
from expressions import Body, random_value
from tileprogram import TileProgram, listed


class ElementProgram(TileProgram):
    def do_elements(self):
        """A random expression of tiles, tensors, indices and constants."""
        target = self.pick() if self.random.random() < 0.4 else None
        fresh = target is None
        if fresh:
            model = self.pick()
            shape = model.shape if model and self.random.random() < 0.6 else None
            target = self.tile(shape)
            if target is None:
                return
        rank = len(target.shape)
        order = list(range(rank))  # dimension d of the target has index order[d]
        if self.random.random() < 0.3:
            self.random.shuffle(order)
        extents = [target.shape[order.index(d)] for d in range(rank)]
        names = ["%%i%d" % d for d in range(rank)]
        body = Body(self.random, self.indent + 1)
        loads = []

        def leaf():
            return self.leaf(body, loads, extents, None if fresh else target, order)
        value = random_value(body, target.dtype, self.random.randint(1, 4), leaf)
        guard = None
        if not fresh and self.random.random() < 0.4:
            guard = random_value(body, "i1", 2, leaf)
        index = listed(names[d] for d in order)
        store = "memref.store %s, %%%s[%s] : %s" % (value.name, target.name, index,
                                                    target.type)
        body.line("scf.if %s { %s }" % (guard.name, store) if guard else store)
        self.line("tile.parallel (%s) in [%s] {", listed(names), listed(extents))
        self.lines += body.lines
        self.line("}")

        def action(env):
            values = {"i%d" % d: grid for d, grid in
                      enumerate(np.indices(extents, sparse=True))}
            values["env"] = env
            body.run(values)
            result = np.broadcast_to(values[value.name], extents).transpose(order)
            if guard:
                mask = np.broadcast_to(values[guard.name], extents).transpose(order)
                result = np.where(mask, result, env[target.name])
            env[target.name] = np.array(result)
        self.act(action)
        bound = value.bound
        if guard and bound is not None:
            bound = None if target.bound is None else max(bound, target.bound)
        if fresh:
            self.own(target, bound)
        else:
            target.bound = bound

    def leaf(self, body, loads, extents, target, order):
        """A load of a tile, a load of a tensor, or an index."""
        choice = self.random.random()
        if choice < 0.1:
            d = self.random.randrange(len(extents))
            dtype = self.random.choice(["i32", "i64"])
            return body.emit(dtype, "arith.index_cast %%i%d : index to %s" % (
                d, dtype), lambda v: v["i%d" % d].astype(kernels.INTEGERS[dtype]),
                extents[d])
        if choice < 0.25 and len(loads) < 8:
            return self.tensor_leaf(body, loads, extents)
        if target is not None and (choice < 0.4 or not self.tiles):
            index, bound = [("i", d) for d in order], target.bound
            return self.load(body, target, index, bound)
        for _ in range(6):
            tile = self.pick(lambda t: t is not target)
            if tile is None or tile.name not in loads and len(loads) >= 8:
                break
            index = self.map_of(tile, extents, body)
            if index is not None:
                loads.append(tile.name)
                return self.load(body, tile, index, tile.bound)
        return body.constant(self.dtype())

    def load(self, body, tile, index, bound):
        texts = ["%%i%d" % i if kind == "i" else i for kind, i in
                 [(p[0], p[1]) for p in index]]

        def step(v):
            at = tuple(v["i%d" % p[1]] if p[0] == "i" else p[2](v) for p in index)
            return v["env"][tile.name][at]
        return body.emit(tile.dtype, "memref.load %%%s[%s] : %s" % (
            tile.name, listed(texts), tile.type), step, bound)

    def map_of(self, tile, extents, body):
        """An index per dimension of a tile, or None: fragments take parallel
        indices of their extent, each once; shared tiles anything inside."""
        index, used = [], set()
        for n in tile.shape:
            same = [d for d, e in enumerate(extents) if d not in used and (
                e == n if tile.space == "F" else e <= n)]
            if same and (n > 1 or self.random.random() < 0.5):
                d = self.random.choice(same)
                used.add(d)
                index.append(("i", d))
            elif tile.space == "F" and n > 1 and self.random.random() < 0.7:
                return None
            elif tile.space == "S" and self.random.random() < 0.5:
                index.append(self.any_index(body, n, len(extents)))
            else:
                at = self.random.randrange(n)
                name = self.fresh("k")
                body.line("%%%s = arith.constant %d : index" % (name, at))
                index.append(("k", "%" + name, lambda v, at=at: at))
        return index

    def any_index(self, body, n, rank):
        """(a i + b) mod n."""
        d, a, b = (self.random.randrange(m) for m in (rank, 4, 7))
        name = self.fresh("x")
        body.line("%%%sa = arith.constant %d : index" % (name, a))
        body.line("%%%sb = arith.constant %d : index" % (name, b))
        body.line("%%%sn = arith.constant %d : index" % (name, n))
        body.line("%%%sp = arith.muli %%i%d, %%%sa : index" % (name, d, name))
        body.line("%%%sq = arith.addi %%%sp, %%%sb : index" % (name, name, name))
        body.line("%%%s = arith.remui %%%sq, %%%sn : index" % (name, name, name))
        return ("x", "%" + name, lambda v: (v["i%d" % d] * a + b) % n)

    def tensor_leaf(self, body, loads, extents):
        """A load of a tensor, whose edges are guarded where they are ragged."""
        dims = [d for d in range(len(extents)) if self.random.random() < 0.8]
        shape = [max(1, extents[d] - self.random.choice([0, 0, 0, 1, 3]))
                 for d in dims] or [3]
        kind = self.random.choice(["ints", "ints", "wide"])
        argument = self.argument(kind, shape, self.dtype())
        loads.append(argument.name)
        bound = 2 if kind == "ints" else None
        if not dims:
            text = [self.fresh("k")]
            body.line("%%%s = arith.constant 2 : index" % text[0])
            index = [("k", "%" + text[0], lambda v: 2)]
        else:
            index = [("i", d) for d in dims]
        ragged = [(d, n) for d, n in zip(dims, shape) if n < extents[d]]
        load = lambda: self.load(body, argument, index, bound)
        if not ragged:
            return load()
        condition = None
        for d, n in ragged:
            name = self.fresh("n")
            body.line("%%%s = arith.constant %d : index" % (name, n))
            inside = body.emit("i1", "arith.cmpi ult, %%i%d, %%%s : index" % (d, name),
                               lambda v, d=d, n=n: v["i%d" % d] < n, 1)
            condition = (inside if condition is None
                         else body.binary("andi", condition, inside))
        clipped = lambda v: tuple(
            np.minimum(v["i%d" % d], n - 1) for d, n in zip(dims, shape))
        return body.branch(condition, lambda: body.emit(
            argument.dtype, "memref.load %%%s[%s] : %s" % (
                argument.name, listed("%%i%d" % d for d in dims), argument.type),
            lambda v: v["env"][argument.name][clipped(v)], bound),
            lambda: body.constant(argument.dtype))

    def do_scatter(self):
        """An element loop that stores to a tensor, in any order of dimensions,
        guarded at its edges."""
        tile = self.source()
        if tile is None or self.depth:
            return
        rank = len(tile.shape)
        order = self.random.sample(range(rank), rank)
        shape = [max(1, tile.shape[d] - self.random.choice([0, 0, 1, 2]))
                 for d in order]
        argument = self.argument("junk", [self.grid] + shape, tile.dtype)
        names = ["%%i%d" % d for d in range(rank)]
        body = Body(self.random, self.indent + 1)
        x = self.load(body, tile, [("i", d) for d in range(rank)], tile.bound)
        condition = None
        for d, n in zip(order, shape):
            if n < tile.shape[d]:
                name = self.fresh("n")
                body.line("%%%s = arith.constant %d : index" % (name, n))
                inside = body.emit("i1", "arith.cmpi slt, %%i%d, %%%s : index" % (
                    d, name), lambda v: None)
                condition = (inside if condition is None else body.emit(
                    "i1", "arith.andi %s, %s : i1" % (condition.name, inside.name),
                    lambda v: None))
        store = "memref.store %s, %%%s[%%bx, %s] : %s" % (
            x.name, argument.name, listed(names[d] for d in order), argument.type)
        body.line("scf.if %s { %s }" % (condition.name, store) if condition
                  else store)
        self.line("tile.parallel (%s) in [%s] {", listed(names), listed(tile.shape))
        self.lines += body.lines
        self.line("}")

        def action(env):
            values = env[tile.name].transpose(order)
            env[argument.name][env["bx"]] = values[tuple(slice(n) for n in shape)]
        self.act(action)
