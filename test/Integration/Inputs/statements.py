"""Kernels as lists of statements: an interpreter of them, and their text.

    copy(tile, index, how)     column block `index` of A into `tile`: by an
                               instruction, or how = "elements" (an element loop,
                               which turns it upside down), "transpose" (of B, which
                               is A transposed), "im2col" (of the image X, which
                               shifts it by a row)
    half(tile, part, index)    the same of its upper or lower half only
    use(tile)                  append it to O, by way of registers
    put(tile)                  append it to O directly, by TMA where that is possible
    scribble(tile)             the computing threads write the tile
    loop(stages, body, …)      for i in range(start, stop, step)
    early(stages, body)        while i < n and flag[i]; wide: i has 64 bits
    tick()                     add one to R, atomically
    when(condition, then, other)
    move(index)                an index that loops carry: o := index

A loop counts in index, with wide=True in i64; wide may also be "i32" or "unsigned"
(i32, bounds compared as unsigned numbers).

Indices are numbers, names (i, j, n, o), or tuples (operator, a, b); ("at", a) is
element a of an index tensor, ("page", a) an element of a shared tile that was
copied from one. Conditions: ("flag", a) is element a of a mask, ("bit", a) of a
shared tile copied from one, ("any", a) whether row a of a matrix of booleans has a
true one, ("even", a), ("less", a, b)."""

import numpy as np

import kernels

ROWS, COLUMNS, BLOCKS, USES = 16, 32, 64, 48
THREADS = 64


#===-- Statements --------------------------------------------------------===#


def copy(tile, index, instr=None):
    return ("copy", tile, index, instr)


def half(tile, part, index, instr=None):
    return ("half", tile, part, index, instr)


def use(*tiles):
    return [("use", tile) for tile in tiles]


def put(*tiles):
    return [("put", tile) for tile in tiles]


def scribble(tile):
    return ("scribble", tile)


def loop(stages, *body, i="i", start=0, stop="n", step=1, wide=False):
    return ("loop", stages, flat(body), i, start, stop, step, wide)


def early(stages, *body, i="i", wide=False):
    return ("early", stages, flat(body), i, wide)


def tick():
    return ("tick",)


def when(condition, then, other=()):
    return ("when", condition, flat(then), flat(other))


def move(index):
    return ("move", index)


def flat(items):
    out = []
    for item in items if isinstance(items, (list, tuple)) else [items]:
        if isinstance(item, list):
            out += flat(item)
        else:
            out.append(item)
    return out


def blocks_of(statement):
    kind = statement[0]
    if kind in ("loop", "early"):
        return [statement[2]]
    if kind == "switch":
        return statement[2]
    return [statement[2], statement[3]] if kind == "when" else []


def walk(body):
    for statement in body:
        yield statement
        for block in blocks_of(statement):
            yield from walk(block)


#===-- What a kernel must do ---------------------------------------------===#


class Run:
    """Executes the statements one after the other."""

    def __init__(self, body, inputs):
        self.inputs, self.uses, self.ticks = inputs, [], 0
        self.tiles = {}
        self.env = {"n": inputs["n"], "o": 0}
        self.block(body)

    def block_of_a(self, index):
        at = self.index(index) % BLOCKS
        return self.inputs["A"][:, at * COLUMNS:(at + 1) * COLUMNS]

    def index(self, e):
        if isinstance(e, int):
            return e
        if isinstance(e, str):
            return self.env[e]
        if e[0] in ("at", "page"):
            return int(self.inputs["I"][self.index(e[1]) % BLOCKS])
        a, b = self.index(e[1]), self.index(e[2])
        return {"+": a + b, "*": a * b, "%": a % (b or 1)}[e[0]]

    def condition(self, c):
        a = self.index(c[1])
        if c[0] in ("flag", "bit"):
            return bool(self.inputs["M"][a % BLOCKS])
        if c[0] == "any":
            return bool(self.inputs["N"][a % BLOCKS].any())
        return a % 2 == 0 if c[0] == "even" else a < self.index(c[2])

    def block(self, body):
        for statement in body:
            getattr(self, "do_" + statement[0])(*statement[1:])

    def do_copy(self, tile, index, how):
        block = self.block_of_a(index)
        if how == "elements":
            block = block[::-1]
        if how == "im2col":
            block = np.concatenate([block[1:], np.zeros((1, COLUMNS), np.float32)])
        self.tiles[tile] = block.copy()

    def do_tick(self):
        self.ticks += 1

    def do_half(self, tile, part, index, _):
        rows = slice(part * ROWS // 2, (part + 1) * ROWS // 2)
        self.tiles.setdefault(tile, np.zeros((ROWS, COLUMNS), np.float32))
        self.tiles[tile][rows] = self.block_of_a(index)[rows]

    def do_use(self, tile):
        self.uses.append(self.tiles[tile].copy())

    do_put = do_use

    def do_scribble(self, tile):
        self.tiles[tile] = np.full((ROWS, COLUMNS), 200, np.float32)

    def do_loop(self, _, body, i, start, stop, step, wide):
        for value in range(self.index(start), self.index(stop), self.index(step)):
            self.env[i] = value
            self.block(body)

    def do_early(self, _, body, i, wide):
        value = 0
        while value < self.env["n"] and self.inputs["M"][value % BLOCKS]:
            self.env[i] = value
            self.block(body)
            value += 1

    def do_when(self, condition, then, other):
        self.block(then if self.condition(condition) else other)

    def do_move(self, index):
        self.env["o"] = self.index(index) % BLOCKS

    def result(self):
        out = np.full((ROWS * USES, COLUMNS), kernels.GUARD, np.float32)
        for number, tile in enumerate(self.uses[:USES]):
            out[number * ROWS:(number + 1) * ROWS] = tile
        return out


#===-- Text --------------------------------------------------------------===#

SMEM = "#gpu.address_space<workgroup>"
TILE = "memref<%dx%dxbf16, %s>" % (ROWS, COLUMNS, SMEM)
FRAGMENT = "memref<%dx%dxbf16, #tile.fragment>" % (ROWS, COLUMNS)
WINDOW = "!tile.region<%dx%dxbf16>" % (ROWS, COLUMNS)
TENSOR_A = "memref<%dx%dxbf16>" % (ROWS, COLUMNS * BLOCKS)
TENSOR_B = "memref<%dx%dxbf16>" % (COLUMNS * BLOCKS, ROWS)
TENSOR_X = "memref<1x%dx%dx%dxbf16>" % (BLOCKS, ROWS, COLUMNS)
BOOLEANS = "memref<%dx%dxi1>" % (BLOCKS, ROWS)
TENSOR_O = "memref<%dx%dxbf16>" % (ROWS * USES, COLUMNS)
TABLE = "memref<%dxi32>" % BLOCKS
COUNTERS = {False: "index", True: "i64", "i32": "i32", "unsigned": "i32"}
TABLE_TILE = "memref<%dxi32, %s>" % (BLOCKS, SMEM)


class Text:
    """Writes a kernel. Scalars that statements change, the number of uses and
    the moved index, are carried by loops and branches."""

    def __init__(self, name, body, config):
        self.lines, self.depth, self.names = [], 1, 0
        self.env = {}
        self.name, self.body, self.config = name, body, config

    def add(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, text):
        self.names += 1
        self.add("%%v%d = %s" % (self.names, text))
        return "%%v%d" % self.names

    def constant(self, number):
        return self.value("arith.constant %d : index" % number)

    def load(self, memory, kind, index):
        at = self.value("arith.remui %s, %s : index" % (index, self.constant(BLOCKS)))
        return self.value("memref.load %s[%s] : %s" % (memory, at, kind))

    def index(self, e):
        if isinstance(e, int):
            return self.constant(e)
        if isinstance(e, str):
            return self.env[e]
        if e[0] in ("at", "page"):
            memory = ("%I", TABLE) if e[0] == "at" else ("%Is", TABLE_TILE)
            return self.value("arith.index_cast %s : i32 to index"
                              % self.load(*memory, self.index(e[1])))
        op = {"+": "addi", "*": "muli", "%": "remui"}[e[0]]
        return self.value("arith.%s %s, %s : index"
                          % (op, self.index(e[1]), self.index(e[2])))

    def condition(self, c):
        if c[0] == "less":
            return self.value("arith.cmpi ult, %s, %s : index"
                              % (self.index(c[1]), self.index(c[2])))
        if c[0] == "even":
            bit = self.index(("%", c[1], 2))
            return self.value("arith.cmpi eq, %s, %s : index"
                              % (bit, self.constant(0)))
        if c[0] == "any":
            row = self.index(("%", c[1], BLOCKS))
            row = self.value("tile.region %%N[%s, 0] [1, %d] drop [0] : %s"
                             % (row, ROWS, BOOLEANS))
            return self.value("tile.any_of %s : !tile.region<%dxi1>" % (row, ROWS))
        memory = ("%M", TABLE) if c[0] == "flag" else ("%Ms", TABLE_TILE)
        return self.is_set(self.load(*memory, self.index(c[1])))

    def is_set(self, value):
        return self.value("arith.cmpi ne, %s, %s : i32"
                          % (value, self.value("arith.constant 0 : i32")))

    # Scalars, their types and the statements that change them.
    SCALARS = {"o": ("index", {"move"}), "uses": ("index", {"use", "put"})}

    def changed(self, body):
        kinds = {s[0] for s in walk(body)}
        return [v for v, (_, k) in self.SCALARS.items() if k & kinds]

    def types(self, carried):
        return [self.SCALARS[v][0] for v in carried]

    def block(self, body, carried=None):
        self.depth += 1
        for statement in body:
            getattr(self, "do_" + statement[0])(*statement[1:])
        if carried:
            self.add("scf.yield %s : %s" % (
                ", ".join(self.env[v] for v in carried),
                ", ".join(self.types(carried))))
        self.depth -= 1

    def window(self, index, part=None):
        at = self.index(("%", index, BLOCKS))
        column = self.value("arith.muli %s, %s : index"
                            % (at, self.constant(COLUMNS)))
        rows, row = (ROWS, 0) if part is None else (ROWS // 2, part * ROWS // 2)
        return self.value("tile.region %%A[%d, %s] [%d, %d] {align = 16 : i64} : %s"
                          % (row, column, rows, COLUMNS, TENSOR_A))

    def do_elements(self, tile, index):
        at = self.value("arith.muli %s, %s : index" % (
            self.index(("%", index, BLOCKS)), self.constant(COLUMNS)))
        last = self.constant(ROWS - 1)
        self.add("tile.parallel (%%r, %%c) in [%d, %d] {" % (ROWS, COLUMNS))
        self.add("  %%up = arith.subi %s, %%r : index" % last)
        self.add("  %%at = arith.addi %s, %%c : index" % at)
        self.add("  %%x = memref.load %%A[%%up, %%at] : %s" % TENSOR_A)
        self.add("  memref.store %%x, %%%s[%%r, %%c] : %s" % (tile, TILE))
        self.add("}")

    def do_transpose(self, tile, index):
        at = self.value("arith.muli %s, %s : index" % (
            self.index(("%", index, BLOCKS)), self.constant(COLUMNS)))
        window = self.value("tile.region %%B[%s, 0] [%d, %d] : %s"
                            % (at, COLUMNS, ROWS, TENSOR_B))
        self.add("tile.transpose %s to %%%s : !tile.region<%dx%dxbf16>, %s"
                 % (window, tile, COLUMNS, ROWS, TILE))

    def do_im2col(self, tile, index):
        row = self.value("arith.muli %s, %s : index" % (
            self.index(("%", index, BLOCKS)), self.constant(ROWS)))
        window = self.value("tile.im2col %%X[%s, %s] [%d, %d] kernel [1, 3] pad [0, 1] : %s"
                            % (row, self.constant(2 * COLUMNS), ROWS, COLUMNS, TENSOR_X))
        self.add("tile.copy %s to %%%s : %s, %s" % (window, tile, WINDOW, TILE))

    def do_tick(self):
        one = self.value("arith.constant 1 : i32")
        self.add("tile.parallel (%z) in [1] {")
        self.add("  %%old = memref.atomic_rmw addi %s, %%R[%%z] : (i32, memref<1xi32>)"
                 " -> i32" % one)
        self.add("}")

    def do_copy(self, tile, index, instr):
        if instr in ("elements", "transpose", "im2col"):
            getattr(self, "do_" + instr)(tile, index)
            return
        attrs = " {instr = #tile.instr<%s>}" % instr if instr else ""
        self.add("tile.copy %s to %%%s%s : %s, %s"
                 % (self.window(index), tile, attrs, WINDOW, TILE))

    def do_half(self, tile, part, index, instr):
        attrs = " {instr = #tile.instr<%s>}" % instr if instr else ""
        window = "!tile.region<%dx%dxbf16" % (ROWS // 2, COLUMNS)
        target = self.value("tile.region %%%s[%d, 0] [%d, %d] : %s" % (
            tile, part * ROWS // 2, ROWS // 2, COLUMNS, TILE))
        self.add("tile.copy %s to %s%s : %s>, %s, %s>" % (
            self.window(index, part), target, attrs, window, window, SMEM))

    def rows_of_o(self):
        """The next rows of O, which are then taken."""
        row = self.value("arith.muli %s, %s : index"
                         % (self.env["uses"], self.constant(ROWS)))
        out = self.value("tile.region %%O[%s, 0] [%d, %d] {align = 16 : i64} : %s"
                         % (row, ROWS, COLUMNS, TENSOR_O))
        self.env["uses"] = self.value("arith.addi %s, %s : index"
                                      % (self.env["uses"], self.constant(1)))
        return out

    def do_use(self, tile):
        out = self.rows_of_o()
        self.add("tile.copy %%%s to %%F : %s, %s" % (tile, TILE, FRAGMENT))
        self.add("tile.copy %%F to %s : %s, %s" % (out, FRAGMENT, WINDOW))

    def do_put(self, tile):
        self.add("tile.copy %%%s to %s : %s, %s"
                 % (tile, self.rows_of_o(), TILE, WINDOW))

    def do_scribble(self, tile):
        self.add("tile.fill %%%s, %%junk : %s, bf16" % (tile, TILE))

    def carry(self, carried):
        """Results of a statement that carries these scalars."""
        if not carried:
            return ""
        self.names += 1
        return "%%v%d:%d = " % (self.names, len(carried))

    def take(self, carried, number):
        for k, v in enumerate(carried):
            self.env[v] = "%%v%d#%d" % (number, k)

    def do_loop(self, stages, body, i, start, stop, step, wide):
        bounds = [self.index(e) for e in (start, stop, step)]
        kind = COUNTERS[wide]
        if wide:
            bounds = [self.value("arith.index_cast %s : index to %s" % (b, kind))
                      for b in bounds]
        carried = self.changed(body)
        results = self.carry(carried)
        number = self.names
        inner = ["%%c%d_%s" % (number, v) for v in carried]
        iters = " iter_args(%s) -> (%s)" % (
            ", ".join("%s = %s" % (a, self.env[v]) for a, v in zip(inner, carried)),
            ", ".join(self.types(carried))) if carried else ""
        self.names += 1
        iv = "%%v%d" % self.names
        self.add("%sscf.for %s%s = %s to %s step %s%s%s {" % (
            results, "unsigned " if wide == "unsigned" else "", iv, *bounds, iters,
            " : " + kind if wide else ""))
        self.env.update(zip(carried, inner))
        self.depth += 1
        self.env[i] = self.as_index(iv, kind)
        self.depth -= 1
        self.block(body, carried)
        self.add("}" if stages is None else
                 "} {tile.num_stages = %d : i32}" % stages)
        self.take(carried, number)

    def do_early(self, stages, body, i, wide):
        carried = self.changed(body)
        self.names += 1
        number = self.names
        kind = COUNTERS[wide]
        types = ", ".join([kind] + self.types(carried))
        inner = ["%%c%d_%s" % (number, v) for v in ["i"] + carried]
        first = [self.value("arith.constant 0 : " + kind)] + [self.env[v] for v in carried]
        self.add("%%v%d:%d = scf.while (%s) : (%s) -> (%s) {" % (
            number, len(inner),
            ", ".join("%s = %s" % p for p in zip(inner, first)), types, types))
        self.depth += 1
        at = self.as_index(inner[0], kind)
        more = self.value("arith.cmpi ult, %s, %%n : index" % at)
        flag = self.is_set(self.load("%M", TABLE, at))
        go = self.value("arith.andi %s, %s : i1" % (more, flag))
        self.add("scf.condition(%s) %s : %s" % (go, ", ".join(inner), types))
        self.depth -= 1
        self.add("} do {")
        body_args = ["%%d%d_%s" % (number, v) for v in ["i"] + carried]
        self.add("^bb0(%s):" % ", ".join(
            "%s: %s" % p for p in zip(body_args, types.split(", "))))
        self.env.update(zip(carried, body_args[1:]))
        self.depth += 1
        self.env[i] = self.as_index(body_args[0], kind)
        self.depth -= 1
        self.block(body)
        self.depth += 1
        after = self.value("arith.addi %s, %s : %s" % (
            body_args[0], self.value("arith.constant 1 : " + kind), kind))
        self.add("scf.yield %s : %s" % (
            ", ".join([after] + [self.env[v] for v in carried]), types))
        self.depth -= 1
        self.add("}" if stages is None else
                 "} attributes {tile.num_stages = %d : i32}" % stages)
        for k, v in enumerate(carried):
            self.env[v] = "%%v%d#%d" % (number, k + 1)

    def as_index(self, value, kind):
        if kind == "index":
            return value
        return self.value("arith.index_cast %s : %s to index" % (value, kind))

    def do_when(self, condition, then, other):
        carried = self.changed(then + other)
        test = self.condition(condition)
        results = self.carry(carried)
        number = self.names
        before = dict(self.env)
        self.add("%sscf.if %s%s {" % (results, test, " -> (%s)" % ", ".join(
            self.types(carried)) if carried else ""))
        self.block(then, carried)
        if other or carried:
            self.env = dict(before)
            self.add("} else {")
            self.block(other, carried)
        self.add("}")
        self.env = before
        self.take(carried, number)

    def do_move(self, index):
        self.env["o"] = self.index(("%", index, BLOCKS))

    # What stands before the statements, and after them.
    def begin(self):
        for tile in sorted({s[1] for s in walk(self.body)
                            if s[0] in ("copy", "half", "use", "put", "scribble")}):
            self.add("%%%s = tile.alloc : %s" % (tile, TILE))
        self.add("%%F = tile.alloc : %s" % FRAGMENT)
        text = repr(self.body)
        for kind, tile, tensor in (("'page'", "%Is", "%I"), ("'bit'", "%Ms", "%M")):
            if kind in text:
                self.add("%s = tile.alloc : %s" % (tile, TABLE_TILE))
                self.add("%sw = tile.region %s[0] [%d] {align = 16 : i64} : %s"
                         % (tile, tensor, BLOCKS, TABLE))
                self.add("tile.copy %sw to %s : !tile.region<%dxi32>, %s"
                         % (tile, tile, BLOCKS, TABLE_TILE))
        if "'scribble'" in text:
            self.add("%junk = arith.constant 200.0 : bf16")
        self.env = {"n": "%n", "o": self.constant(0), "uses": self.constant(0)}

    def end(self):
        pass

    def arguments(self):
        return ["%%A: %s" % TENSOR_A, "%%B: %s" % TENSOR_B, "%%X: %s" % TENSOR_X,
                "%%I: %s" % TABLE, "%%M: %s" % TABLE, "%%N: %s" % BOOLEANS,
                "%%O: %s" % TENSOR_O, "%R: memref<1xi32>", "%n: index"]

    def function(self, grid=1, threads=THREADS):
        head = ["func.func @%s(%s) {" % (self.name, ", ".join(self.arguments())),
                "  %one = arith.constant 1 : index",
                "  %%grid = arith.constant %d : index" % grid,
                "  %%threads = arith.constant %d : index" % threads,
                "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %one, %gz = %one)",
                "             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {"]
        self.depth = 2
        if self.config:
            self.add("tile.kernel_config {%s}" % self.config)
        self.begin()
        self.depth = 1
        self.block(self.body)
        self.depth = 2
        self.end()
        return "\n".join(head + self.lines + ["    gpu.terminator", "  }", "  return", "}"])
