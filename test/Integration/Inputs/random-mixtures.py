#!/usr/bin/env python3
"""Random products as authors of kernels mix them: each factor comes in its own way
(a copy, rows at any address, an element loop, gathered rows, converted in shared
memory, registers), under a guard or not, scaled per step or not, in one loop or two,
with one of many epilogues. Compared with numpy, exactly. From seed 10000 on tiles are
cleared before rows are gathered, of which some are absent."""



import numpy as np

import kernels
import randomkernels

SHARED = "#gpu.address_space<workgroup>"
FACTORS = ("copy", "copy", "copy", "strided", "element", "clamped", "gathered", "rows",
           "converted", "registers")
GUARDS = ("none", "none", "none", "load", "parity", "any_of", "shared", "before")
EPILOGUES = ("store", "store", "convert", "bias", "relu", "rowsum", "residual", "atomic",
             "shared", "scaled")


def choose(r, values):
    return values[r.integers(len(values))]


class Program:
    def __init__(self, seed, target):
        self.name, self.target = "mix_%d" % seed, target
        self.cleared = seed >= 10000  # rows of a gather may be absent: ones
        r = self.random = np.random.default_rng(seed)
        self.lines, self.arguments, self.indent, self.count = [], [], "    ", 0
        self.dtype = str(choose(r, ["f16", "bf16", "bf16", "i8"]))
        self.acc = "i32" if self.dtype == "i8" else "f32"
        groups = int(choose(r, [1, 1, 2, 2, 3]))
        self.threads = 128 * groups
        self.bm = 64 * groups * int(choose(r, [1, 1, 2]))
        self.bn = int(choose(r, [16, 32, 64, 64, 96, 128, 160]))
        self.bk = int(choose(r, [32, 64, 64, 128]))
        if self.bm * self.bn > 128 * self.threads:
            self.bn = 64
        self.stages = [int(choose(r, [1, 2, 2, 3, 3, 4, 5])) for _ in range(2)]
        self.loops = int(choose(r, [1, 1, 1, 2]))
        self.ways = [[str(choose(r, FACTORS)) for _ in range(2)] for _ in range(2)]
        for ways in self.ways:
            if ways[1] in ("registers", "gathered", "rows"):
                ways[1] = "copy"
        self.turned = [bool(r.integers(2)) or self.dtype == "i8" for _ in range(2)]
        self.guard = [str(choose(r, GUARDS)) for _ in range(2)]
        self.scaled = [bool(r.integers(4) == 0) for _ in range(2)]
        self.epilogue = str(choose(r, EPILOGUES))
        self.config = []
        if r.integers(4) == 0:
            self.config.append("persist = true")
        if r.integers(5) == 0:
            self.config.append("rotate = false")
        self.m = int(r.integers(1, 2 * self.bm + 1))
        self.n = int(r.integers(1, 2 * self.bn + 1))
        if r.integers(2):
            self.n = -(-self.n // 8) * 8
        element_bytes = 1 if self.dtype == "i8" else 2
        for loop in range(2):  # what is asked for fits: stages are the author's
            slot = (self.bm + 3 * self.bn) * self.bk * element_bytes
            while self.stages[loop] > 1 and self.stages[loop] * slot > 80000:
                self.stages[loop] -= 1
        self.steps = [int(choose(r, [0, 1, 2, 3, 4, 5, 7])) for _ in range(2)]

    def describe(self):
        return "%s %dx%dx%d t%d s%s %s guard %s scaled %s %s %s M%d N%d steps %s" % (
            self.dtype, self.bm, self.bn, self.bk, self.threads,
            self.stages[:self.loops], self.ways[:self.loops], self.guard[:self.loops],
            self.scaled[:self.loops], self.epilogue, self.config, self.m, self.n,
            self.steps[:self.loops])

    #===-- Text ----------------------------------------------------------===#

    def line(self, text, *values):
        self.lines.append(self.indent + text % values)

    def fresh(self, base):
        self.count += 1
        return "%%%s%d" % (base, self.count)

    def tensor(self, base, shape, dtype, kind="ints", placement=""):
        """A dynamic tensor argument; its name, type and Tensor."""
        name = "%s%d" % (base, len(self.arguments))
        tensor = kernels.Tensor(name, "%s:%s:%s%s" % (
            kind, "x".join(map(str, shape)), dtype, placement))
        memref = "memref<%s%s%s>" % ("?x" * len(shape), dtype,
                                     ", strided<[?, 1], offset: ?>" if placement else "")
        self.arguments.append((tensor, memref))
        return "%" + name, memref, tensor

    def alloc(self, shape, dtype, space=SHARED):
        name = self.fresh("t")
        memref = "memref<%s%s, %s>" % ("".join("%dx" % s for s in shape), dtype, space)
        self.lines.insert(self.allocs, "    %s = tile.alloc : %s" % (name, memref))
        self.allocs += 1
        return name, memref

    def window(self, tensor, memref, offsets, sizes, dtype):
        name = self.fresh("w")
        self.line("%s = tile.region %s[%s] [%s] : %s", name, tensor, ", ".join(offsets),
                  ", ".join(map(str, sizes)), memref)
        return name, "!tile.region<%s%s>" % ("".join("%dx" % s for s in sizes), dtype)

    def copy(self, src, dst):
        self.line("tile.copy %s to %s : %s, %s", src[0], dst[0], src[1], dst[1])

    def constant(self, value, dtype):
        name = self.fresh("const")
        self.line("%s = arith.constant %s : %s", name, value, dtype)
        return name

    def index(self, text, *values):
        name = self.fresh("x")
        self.line("%s = " + text, name, *values)
        return name

    #===-- Factors -------------------------------------------------------===#

    def factor(self, way, rows, columns, at, shape, loop):
        """(tile, its type, function of what it holds): a tile of `rows` x `columns` at
        `at` of a tensor of `shape`; outside are zeros."""
        placement = ""
        if way == "strided":
            placement = "@%d+%d" % (shape[1] + int(self.random.integers(1, 9)),
                                    int(self.random.integers(0, 5)))
        inside = shape
        if way == "element":  # no address outside, where numbers would count
            shape = [-(-s // b) * b for s, b in zip(shape, (rows, columns))]
        source = "i8" if way == "converted" else self.dtype
        if way in ("gathered", "rows"):
            return self.gathered(way, rows, columns, at, shape, source)
        name, memref, tensor = self.tensor("A", shape, source, placement=placement)
        tensor.values[inside[0]:] = tensor.values[:, inside[1]:] = 0
        values = lambda: np.asarray(tensor.values, np.float64)
        if way in ("element", "clamped"):
            return (*self.element(way, name, memref, rows, columns, at, shape), values)
        window = self.window(name, memref, at, (rows, columns), source)
        tile = self.alloc((rows, columns), source,
                          "#tile.fragment" if way == "registers" else SHARED)
        self.copy(window, tile)
        if way == "converted" and self.dtype != "i8":
            tile = self.converted(tile, rows, columns)
        return (*tile, values)

    def converted(self, tile, rows, columns):
        to = self.alloc((rows, columns), self.dtype)
        self.line("tile.parallel (%%i, %%j) in [%d, %d] {", rows, columns)
        self.line("  %%v = memref.load %s[%%i, %%j] : %s", *tile)
        self.line("  %%f = arith.sitofp %%v : i8 to %s", self.dtype)
        self.line("  memref.store %%f, %s[%%i, %%j] : %s", *to)
        self.line("}")
        return to

    def element(self, way, name, memref, rows, columns, at, shape):
        tile = self.alloc((rows, columns), self.dtype)
        zero = self.constant("0" if self.dtype == "i8" else "0.0", self.dtype)
        ends = [self.index("memref.dim %s, %%c%d : %s", name, d, memref) for d in (0, 1)]
        last = [self.index("arith.subi %s, %%c1 : index", e) for e in ends]
        self.line("tile.parallel (%%i, %%j) in [%d, %d] {", rows, columns)
        self.line("  %%r = arith.addi %s, %%i : index", at[0])
        self.line("  %%q = arith.addi %s, %%j : index", at[1])
        if way == "clamped":
            self.line("  %%r0 = arith.minui %%r, %s : index", last[0])
            self.line("  %%q0 = arith.minui %%q, %s : index", last[1])
            self.line("  %%l = memref.load %s[%%r0, %%q0] : %s", name, memref)
            self.line("  %%ir = arith.cmpi ult, %%r, %s : index", ends[0])
            self.line("  %%iq = arith.cmpi ult, %%q, %s : index", ends[1])
            self.line("  %%in = arith.andi %%ir, %%iq : i1")
            self.line("  %%v = arith.select %%in, %%l, %s : %s", zero, self.dtype)
        else:
            self.line("  %%v = memref.load %s[%%r, %%q] : %s", name, memref)
        self.line("  memref.store %%v, %s[%%i, %%j] : %s", *tile)
        self.line("}")
        return tile

    def gathered(self, way, rows, columns, at, shape, source):
        """Rows that a tensor of numbers names; its extent is a multiple of the tile."""
        count = -(-shape[0] // rows) * rows
        shape = [max(shape[0], 1), -(-shape[1] // columns) * columns]
        name, memref, tensor = self.tensor("X", shape, source)
        ids, ids_type, numbers = self.tensor("ids", [count], "i32")
        most = shape[0] * (2 if self.cleared else 1)
        numbers.values = self.random.integers(0, most, count).astype(np.int32)
        tile = self.alloc((rows, columns), source)
        if self.cleared:
            one = self.constant("1" if source == "i8" else "1.0", source)
            self.line("tile.fill %s, %s : %s, %s", tile[0], one, tile[1], source)
        if way == "gathered":
            self.line("tile.parallel (%%i, %%j) in [%d, %d] {", rows, columns)
            self.line("  %%r = arith.addi %s, %%i : index", at[0])
            self.line("  %%q = arith.addi %s, %%j : index", at[1])
            self.line("  %%id = memref.load %s[%%r] : %s", ids, ids_type)
            self.line("  %%row = arith.index_cast %%id : i32 to index")
            self.open_guard(name, memref)
            self.line("  %%v = memref.load %s[%%row, %%q] : %s", name, memref)
            self.line("  memref.store %%v, %s[%%i, %%j] : %s", *tile)
        else:
            self.line("scf.for %%i = %%c0 to %%c%d step %%c1 {", rows)
            self.line("  %%r = arith.addi %s, %%i : index", at[0])
            self.line("  %%id = memref.load %s[%%r] : %s", ids, ids_type)
            self.line("  %%row = arith.index_cast %%id : i32 to index")
            self.open_guard(name, memref)
            self.line("  %%x = tile.region %s[%%row, %s] [1, %d] : %s", name, at[1], columns,
                      memref)
            self.line("  %%y = tile.region %s[%%i, 0] [1, %d] : %s", tile[0], columns, tile[1])
            self.line("  tile.copy %%x to %%y : !tile.region<1x%dx%s>, "
                      "!tile.region<1x%dx%s, %s>", columns, source, columns, source, SHARED)
        if self.cleared:
            self.line("}")
        self.line("}")

        def rows_of_tile():
            there = numbers.values < shape[0]
            rows = np.asarray(tensor.values, np.float64)[np.where(there, numbers.values, 0)]
            return np.where(there[:, None], rows, 1)
        return (*tile, rows_of_tile)

    def open_guard(self, name, memref):
        """Of a row that may not be there, in a tile that was cleared before."""
        if self.cleared:
            self.line("  %%end = memref.dim %s, %%c0 : %s", name, memref)
            self.line("  %%there = arith.cmpi slt, %%row, %%end : index")
            self.line("  scf.if %%there {")

    #===-- Loops ---------------------------------------------------------===#

    def guards(self, loop):
        """The condition of a step, or none, and what it was for each."""
        guard, steps = self.guard[loop], self.steps[loop]
        if guard == "none":
            return None, np.ones(steps, bool)
        if guard == "parity":
            odd = self.index("arith.remui %%s, %%c2 : index")
            return (self.index("arith.cmpi eq, %s, %%c0 : index", odd),
                    np.arange(steps) % 2 == 0)
        on = self.random.integers(0, 2, max(steps, 1))
        if guard == "load":
            name, memref, tensor = self.tensor("G", [max(steps, 1)], "i32")
            tensor.values = on.astype(np.int32)
            value = self.index("memref.load %s[%%s] : %s", name, memref)
            zero = self.constant("0", "i32")
            return self.index("arith.cmpi ne, %s, %s : i32", value, zero), on[:steps] != 0
        name, memref, tensor = self.tensor("G", [max(steps, 1), 16], "i1")
        tensor.values = np.zeros((max(steps, 1), 16), bool)
        tensor.values[:, 5] = on != 0
        space = SHARED if guard == "shared" else "#tile.fragment"
        tile = self.alloc((16,), "i1", space)
        window = self.fresh("w")
        self.line("%s = tile.region %s[%%s, 0] [1, 16] drop [0] : %s", window, name, memref)
        self.copy((window, "!tile.region<16xi1>"), tile)
        return self.index("tile.any_of %s : %s", *tile), on[:steps] != 0

    def before(self, loop):
        """A guard that the block computes before the loop: a number of steps."""
        name, memref, tensor = self.tensor("G", [128], "i32")
        tensor.values = self.random.integers(0, 2, 128).astype(np.int32)
        tile = self.alloc((128,), "i32", "#tile.fragment")
        rest = self.alloc((1,), "i32", SHARED)
        self.copy(self.window(name, memref, ["0"], [128], "i32"), tile)
        self.line("tile.reduce sum %s to %s dim 0 {clear} : %s, %s", tile[0], rest[0],
                  tile[1], rest[1])
        value = self.index("memref.load %s[%%c0] : %s", *rest)
        return (self.index("arith.index_cast %s : i32 to index", value),
                int(tensor.values.sum()))

    def loop(self, loop, acc):
        steps, bk = self.steps[loop], self.bk
        extent = self.tensor("L", [max(steps, 1)], "i8")  # its extent: the steps
        end = self.index("memref.dim %s, %%c0 : %s", *extent[:2])
        if steps == 0:
            end = "%c0"
        limit = self.before(loop) if self.guard[loop] == "before" else None
        self.line("scf.for %%s = %%c0 to %s step %%c1 {", end)
        self.indent += "  "
        condition, on = self.guards(loop) if not limit else (
            self.index("arith.cmpi ult, %%s, %s : index", limit[0]),
            np.arange(steps) < limit[1])
        if condition:
            self.line("scf.if %s {", condition)
            self.indent += "  "
        product = self.step(loop, acc, steps * bk)
        if condition:
            self.indent = self.indent[:-2]
            self.line("}")
        self.indent = self.indent[:-2]
        self.line("} {tile.num_stages = %d : i32}", self.stages[loop])
        return lambda: product(on)

    def step(self, loop, acc, k):
        k = max(k, 1)
        at = self.index("arith.muli %%s, %%c%d : index", self.bk)
        a, a_type, a_values = self.factor(self.ways[loop][0], self.bm, self.bk, ["%m", at],
                                          [self.m, k], loop)
        turned = self.turned[loop]
        b, b_type, b_values = self.factor(
            self.ways[loop][1], *((self.bn, self.bk) if turned else (self.bk, self.bn)),
            ["%n", at] if turned else [at, "%n"],
            [self.n, k] if turned else [k, self.n], loop)
        into, scale = acc, None
        if self.scaled[loop]:
            into = self.alloc((self.bm, self.bn), self.acc, "#tile.fragment")
            self.line("tile.fill %s, %%zero : %s, %s", *into, self.acc)
            name, memref, scale = self.tensor("S", [max(self.m, 1), max(self.steps[loop], 1)],
                                              self.acc)
            rows = self.alloc((self.bm,), self.acc, "#tile.fragment")
            window = self.fresh("w")
            self.line("%s = tile.region %s[%%m, %%s] [%d, 1] drop [1] : %s", window, name,
                      self.bm, memref)
            self.copy((window, "!tile.region<%dx%s>" % (self.bm, self.acc)), rows)
        self.line("tile.gemm %s, %s, %s%s : (%s, %s, %s)", a, b, into[0],
                  " {transpose_b}" if turned else "", a_type, b_type, into[1])
        if scale:
            self.combine(acc, into, rows)
        return lambda on: self.product(on, a_values(), b_values(), turned, scale)

    def combine(self, acc, part, rows):
        multiply, add = ("muli", "addi") if self.acc == "i32" else ("mulf", "addf")
        self.line("tile.parallel (%%i, %%j) in [%d, %d] {", self.bm, self.bn)
        self.line("  %%p = memref.load %s[%%i, %%j] : %s", *part)
        self.line("  %%f = memref.load %s[%%i] : %s", *rows)
        self.line("  %%o = memref.load %s[%%i, %%j] : %s", *acc)
        self.line("  %%t = arith.%s %%p, %%f : %s", multiply, self.acc)
        self.line("  %%u = arith.%s %%o, %%t : %s", add, self.acc)
        self.line("  memref.store %%u, %s[%%i, %%j] : %s", *acc)
        self.line("}")

    def product(self, on, a, b, turned, scale):
        """Over all steps that are on, for rows and columns of the result."""
        total = np.zeros((self.m, self.n))
        for s in np.flatnonzero(on):
            part = slice(s * self.bk, (s + 1) * self.bk)
            x = a[:self.m, part]
            y = (b[:self.n, part].T if turned else b[part, :self.n])
            k = min(x.shape[1], y.shape[0])
            term = x[:, :k] @ y[:k]
            if scale:
                term *= np.asarray(scale.values, np.float64)[:self.m, s:s + 1]
            total += term
        return total

    #===-- Epilogues -----------------------------------------------------===#

    def elements(self, acc, body):
        self.line("tile.parallel (%%i, %%j) in [%d, %d] {", self.bm, self.bn)
        self.line("  %%x = memref.load %s[%%i, %%j] : %s", *acc)
        for text in body:
            self.line("  %s", text)
        self.line("  memref.store %%y, %s[%%i, %%j] : %s", *acc)
        self.line("}")

    def finish(self, acc):
        """Writes the result; returns what becomes of the product, and the tensor."""
        m, n, t = self.m, self.n, self.acc
        is_int = t == "i32"
        add, mul = ("addi", "muli") if is_int else ("addf", "mulf")
        change = lambda p: p
        if self.epilogue == "bias":
            name, memref, bias = self.tensor("bias", [n], t)
            row = self.alloc((self.bn,), t, "#tile.fragment")
            self.copy(self.window(name, memref, ["%n"], [self.bn], t), row)
            self.elements(acc, ["%%b = memref.load %s[%%j] : %s" % row,
                                "%%y = arith.%s %%x, %%b : %s" % (add, t)])
            change = lambda p: p + np.asarray(bias.values, np.float64)
        elif self.epilogue == "relu":
            self.elements(acc, ["%%y = arith.%s %%x, %%zero : %s" % (
                "maxsi" if is_int else "maximumf", t)])
            change = lambda p: np.maximum(p, 0)
        elif self.epilogue == "scaled":
            self.arguments.append((kernels.Scalar("alpha", "3"), t))
            self.elements(acc, ["%%y = arith.%s %%x, %%alpha : %s" % (mul, t)])
            change = lambda p: 3 * p
        elif self.epilogue == "residual":
            name, memref, residual = self.tensor("D", [m, n], t)
            tile = self.alloc((self.bm, self.bn), t, "#tile.fragment")
            self.copy(self.window(name, memref, ["%m", "%n"], [self.bm, self.bn], t), tile)
            self.elements(acc, ["%%d = memref.load %s[%%i, %%j] : %s" % tile,
                                "%%y = arith.%s %%x, %%d : %s" % (add, t)])
            change = lambda p: p + np.asarray(residual.values, np.float64)
        elif self.epilogue == "rowsum":
            return self.row_sums(acc)
        out = t
        if self.epilogue == "convert":
            out = "i8" if is_int else self.dtype
        kind = "zeros" if self.epilogue == "atomic" else "junk"
        name, memref, result = self.tensor("C", [m, n], out, kind)
        window = self.window(name, memref, ["%m", "%n"], [self.bm, self.bn], out)
        if self.epilogue == "atomic":
            self.line("tile.atomic add %s to %s : %s, %s", acc[0], window[0], acc[1], window[1])
        elif self.epilogue == "shared" and self.bm * self.bn * 4 <= 65536:
            tile = self.alloc((self.bm, self.bn), t)
            self.copy(acc, tile)
            self.copy(tile, window)
        else:
            self.copy(acc, window)
        return result, change

    def row_sums(self, acc):
        rows = self.alloc((self.bm,), self.acc, "#tile.fragment")
        self.line("tile.reduce sum %s to %s dim 1 {clear} : %s, %s", acc[0], rows[0], acc[1],
                  rows[1])
        name, memref, result = self.tensor("R", [self.m, 2 * self.bn // self.bn], self.acc)
        result.values = np.zeros_like(result.values)
        window = self.fresh("w")
        self.line("%s = tile.region %s[%%m, %%bx] [%d, 1] drop [1] : %s", window, name,
                  self.bm, memref)
        self.copy(rows, (window, "!tile.region<%dx%s>" % (self.bm, self.acc)))

        def change(p):
            out = np.zeros((self.m, 2))
            for block in range(-(-self.n // self.bn)):
                out[:, block] = p[:, block * self.bn:(block + 1) * self.bn].sum(axis=1)
            return out
        return result, change

    #===-- The whole -----------------------------------------------------===#

    def build(self):
        if self.lines:
            return
        zero = "0" if self.acc == "i32" else "0.0"
        if self.config:
            self.line("tile.kernel_config {%s}", ", ".join(self.config))
        self.line("%%zero = arith.constant %s : %s", zero, self.acc)
        self.line("%%m = arith.muli %%by, %%c%d : index", self.bm)
        self.line("%%n = arith.muli %%bx, %%c%d : index", self.bn)
        self.allocs = len(self.lines)
        acc = self.alloc((self.bm, self.bn), self.acc, "#tile.fragment")
        self.line("tile.fill %s, %%zero : %s, %s", *acc, self.acc)
        terms = [self.loop(i, acc) for i in range(self.loops)]
        self.result, change = self.finish(acc)
        self.expected = lambda: change(sum(term() for term in terms))

    def mlir(self):
        self.build()
        parameters = ", ".join("%%%s: %s" % (a.name, t) for a, t in self.arguments)
        numbers = sorted({0, 1, 2, self.bm, self.bn, self.bk, self.threads})
        grid = [-(-self.n // self.bn), -(-self.m // self.bm)]
        head = ["func.func @%s(%s) {" % (self.name, parameters)]
        head += ["  %%c%d = arith.constant %d : index" % (n, n) for n in numbers]
        head += ["  %%g%s = arith.constant %d : index" % (d, g) for d, g in zip("xy", grid)]
        head += ["  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)",
                 "      threads(%%tx, %%ty, %%tz) in (%%nx = %%c%d, %%ny = %%c1, "
                 "%%nz = %%c1) {" % self.threads]
        return "\n".join(head + self.lines + ["    gpu.terminator", "  }", "  return", "}"]) \
            + "\n"

    def check(self, out, seeds):
        self.build()
        json_path = "%s/%s.json" % (out, self.name)
        arguments = [a for a, _ in self.arguments]
        expected = self.expected()
        for seed in seeds:
            results, _ = kernels.run_function(json_path, arguments, seed)
            kernels.compare(self.result.name, self.result.dtype,
                            results[self.result.name], expected)


def make(seed, target):
    return Program(seed, target)


if __name__ == "__main__":
    randomkernels.main(__doc__, make)
