"""Random scalar expressions of element loops: their text, and what numpy makes
of them.

A Body collects the lines of a loop body beside the same steps on arrays: every
name of the text is an array over the index space. All arithmetic is that of the
type, rounded after each op. `bound` of a value says that it is an integer of at
most that magnitude, or None: sums of others would depend on their order."""

import numpy as np

import kernels

FLOATS = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
EXACT = {"f16": 2048, "bf16": 256, "f32": 2**24, "f64": 2**53, "f8E4M3FN": 16,
         "f8E5M2": 8}  # up to here a float holds every integer


def is_float(dtype):
    return dtype in FLOATS


def bits_of(dtype):
    return kernels.FLOAT_BITS.get(dtype) or int(dtype[1:])


def convert(values, dtype):
    """`values` in `dtype`, rounded once."""
    if dtype == "bf16" and values.dtype in (np.float64, np.int64, np.int32):
        wide = values.astype(np.float64)
        single = wide.astype(np.float32)
        # Rounding to odd keeps what the second rounding must know.
        bits = np.ascontiguousarray(single).view(np.uint32)
        inexact = np.isfinite(single) & (single.astype(np.float64) != wide)
        away = np.abs(single.astype(np.float64)) > np.abs(wide)
        bits = np.where(inexact, np.where(away, bits - 1, bits) | 1, bits)
        values = bits.astype(np.uint32).view(np.float32)
    return kernels.round_to(values, dtype)


def unsigned(values):
    return values.view("u%d" % values.dtype.itemsize)


class Value:
    def __init__(self, name, dtype, bound=None):
        self.name, self.dtype, self.bound = name, dtype, bound


class Body:
    """The body of a loop: `lines` of text, and `steps` on arrays."""

    def __init__(self, random, indent):
        self.random, self.indent = random, indent
        self.lines, self.steps, self.count = [], [], 0

    def line(self, text):
        self.lines.append("  " * self.indent + text)

    def fresh(self):
        self.count += 1
        return "%%e%d" % self.count

    def emit(self, dtype, text, step, bound=None):
        """A line `%e = text`, and what it computes from the values so far."""
        name = self.fresh()
        self.line("%s = %s" % (name, text))
        self.steps.append((name, step))
        return Value(name, dtype, bound)

    def run(self, values, steps=None):
        with np.errstate(all="ignore"):
            for name, step in self.steps if steps is None else steps:
                values[name] = step(values)

    def constant(self, dtype, number=None):
        if number is None:
            number = self.random.randint(-3, 3)
        if dtype == "i1":
            number &= 1
            text = "arith.constant " + ("true" if number else "false")
        elif is_float(dtype):
            text = "arith.constant %.1f : %s" % (number, dtype)
        else:
            text = "arith.constant %d : %s" % (number, dtype)
        array = kernels.round_to(np.array(number), dtype)
        return self.emit(dtype, text, lambda v: array, abs(number))

    #===-- Conversions ----------------------------------------------------===#

    def cast(self, op, x, dtype, bound=None, how=convert):
        return self.emit(dtype, "arith.%s %s : %s to %s" % (op, x.name, x.dtype,
                                                            dtype),
                         lambda v: how(v[x.name], dtype), bound)

    def convert(self, x, dtype):
        """`x` as a value of another type."""
        if x.dtype == dtype:
            return x
        if is_float(x.dtype):
            return (self.float_to_float(x, dtype) if is_float(dtype)
                    else self.float_to_int(x, dtype))
        if is_float(dtype):
            bound = x.bound if x.bound is not None else 2 ** (bits_of(x.dtype) - 1)
            if x.dtype == "i1":
                return self.cast("uitofp", x, dtype, 1)
            if bound > EXACT[dtype]:
                x = self.cut(x)
                bound = x.bound
            return self.cast("sitofp", x, dtype, bound)
        return self.int_to_int(x, dtype)

    def float_to_float(self, x, dtype):
        a, b = bits_of(x.dtype), bits_of(dtype)
        if a == b:
            return self.float_to_float(self.float_to_float(x, "f32"), dtype)
        bound = x.bound if x.bound is not None and x.bound <= EXACT[dtype] else None
        return self.cast("extf" if a < b else "truncf", x, dtype, bound)

    def float_to_int(self, x, dtype):
        if dtype == "i1":
            zero = self.constant(x.dtype, 0)
            return self.compare("une", x, zero)
        x = self.whole(x, min(2 ** (bits_of(dtype) - 1) - 1, 40))
        return self.cast("fptosi", x, dtype, x.bound,
                         lambda v, t: np.trunc(v.astype(np.float64)).astype(
                             kernels.INTEGERS[t]))

    def int_to_int(self, x, dtype):
        a, b = bits_of(x.dtype), bits_of(dtype)
        if a > b:
            fits = x.bound is not None and x.bound < 2 ** (b - 1)
            return self.cast("trunci", x, dtype, x.bound if fits else None)
        if x.dtype == "i1" or self.random.random() < 0.3 and x.dtype != "i64":
            return self.cast("extui", x, dtype, None if a > 1 else 1,
                             lambda v, t: (unsigned(v) if v.dtype != np.bool_ else
                                           v).astype(kernels.INTEGERS[t]))
        return self.cast("extsi", x, dtype, x.bound)

    def cut(self, x):
        """An integer that depends on `x`, from -6 to 6."""
        seven = self.constant(x.dtype, 7)
        return self.emit(x.dtype, "arith.remsi %s, %s : %s" % (
            x.name, seven.name, x.dtype),
            lambda v: np.fmod(v[x.name], v[seven.name]), 6)

    def whole(self, x, most=8):
        """A float that is an integer of at most `most`, 0 for NaN."""
        if x.bound is not None and x.bound <= most:
            return x
        if bits_of(x.dtype) == 8:
            x = self.float_to_float(x, "f32")
        is_number = self.compare("ord", x, x)
        x = self.select(is_number, x, self.constant(x.dtype, 0))
        x = self.binary("minimumf", x, self.constant(x.dtype, most))
        x = self.binary("maximumf", x, self.constant(x.dtype, -most))
        x = self.unary("roundeven", x)
        x.bound = most
        return x

    #===-- Operations -----------------------------------------------------===#

    def compare(self, predicate, x, y):
        op = "cmpf" if is_float(x.dtype) else "cmpi"

        def step(v):
            a, b = v[x.name], v[y.name]
            if predicate == "ord":
                return (a == a) & (b == b)
            if predicate[0] == "u" and op == "cmpi":
                a, b = unsigned(a), unsigned(b)
            ufunc = {"lt": np.less, "le": np.less_equal, "gt": np.greater,
                     "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}
            result = ufunc[predicate[-2:]](a, b)
            if op == "cmpf":
                nan = (a != a) | (b != b)
                result = (result | nan) if predicate[0] == "u" else (result & ~nan)
            return result
        return self.emit("i1", "arith.%s %s, %s, %s : %s" % (
            op, predicate, x.name, y.name, x.dtype), step, 1)

    def select(self, condition, x, y):
        bound = None if None in (x.bound, y.bound) else max(x.bound, y.bound)
        return self.emit(x.dtype, "arith.select %s, %s, %s : %s" % (
            condition.name, x.name, y.name, x.dtype),
            lambda v: np.where(v[condition.name], v[x.name], v[y.name]), bound)

    def unary(self, op, x):
        ufunc = {"absf": np.abs, "floor": np.floor, "ceil": np.ceil,
                 "trunc": np.trunc, "roundeven": np.rint, "sqrt": np.sqrt,
                 "negf": np.negative, "absi": np.abs}[op]
        dialect = "arith" if op == "negf" else "math"
        bound = None if op == "sqrt" else x.bound
        return self.emit(x.dtype, "%s.%s %s : %s" % (dialect, op, x.name, x.dtype),
                         lambda v: convert(ufunc(v[x.name]), x.dtype), bound)

    def binary(self, op, x, y):
        def step(v):
            return convert(BINARY[op](v[x.name], v[y.name]), x.dtype)
        return self.emit(x.dtype, "arith.%s %s, %s : %s" % (op, x.name, y.name,
                                                            x.dtype),
                         step, self.bound_of(op, x, y))

    def bound_of(self, op, x, y):
        if None in (x.bound, y.bound):
            return None
        bound = {"mul": x.bound * y.bound, "add": x.bound + y.bound,
                 "sub": x.bound + y.bound, "max": max(x.bound, y.bound),
                 "min": max(x.bound, y.bound)}.get(op[:3])
        limit = EXACT.get(x.dtype) or 2 ** (bits_of(x.dtype) - 1) - 1
        return bound if bound is not None and bound <= limit else None

    def shift(self, op, x):
        amount = self.constant(x.dtype, self.random.randrange(bits_of(x.dtype) - 1))

        def step(v):
            a, n = v[x.name], v[amount.name]
            if op == "shrui":
                return (unsigned(a) >> unsigned(n)).view(a.dtype)
            return a << n if op == "shli" else a >> n
        return self.emit(x.dtype, "arith.%s %s, %s : %s" % (
            op, x.name, amount.name, x.dtype), step)

    def divide(self, op, x):
        by = self.constant(x.dtype, self.random.choice([2, 3, 5, 7, -3, 100]))

        def step(v):
            a, b = v[x.name], v[by.name]
            if op == "divf":
                return convert(a / b, x.dtype)
            if op in ("divui", "remui"):
                ufunc = np.floor_divide if op == "divui" else np.remainder
                return ufunc(unsigned(a), unsigned(b)).view(a.dtype)
            remainder = np.fmod(a, b)
            return remainder if op == "remsi" else (a - remainder) // b
        return self.emit(x.dtype, "arith.%s %s, %s : %s" % (op, x.name, by.name,
                                                            x.dtype), step)

    def fma(self, x, y, z):
        """Of small integers, where it is exact."""
        x, y, z = (self.whole(w) for w in (x, y, z))
        if not x.dtype == y.dtype == z.dtype:
            x, y, z = (self.convert(w, "f32") for w in (x, y, z))
        return self.emit(x.dtype, "math.fma %s, %s, %s : %s" % (
            x.name, y.name, z.name, x.dtype),
            lambda v: convert(v[x.name] * v[y.name] + v[z.name], x.dtype), 72)

    def branch(self, condition, then, other):
        """scf.if with a result; `then` and `other` build values of one type."""
        outer, self.lines = self.lines, []
        results, texts = [], []
        self.indent += 1
        for build in (then, other):
            results.append(build())
            texts.append(self.lines + ["  " * self.indent + "scf.yield %s : %s" % (
                results[-1].name, results[-1].dtype)])
            self.lines = []
        self.indent -= 1
        self.lines = outer
        x, y = results
        name = self.fresh()
        self.line("%s = scf.if %s -> (%s) {" % (name, condition.name, x.dtype))
        self.lines += texts[0]
        self.line("} else {")
        self.lines += texts[1]
        self.line("}")
        self.steps.append((name, lambda v: np.where(v[condition.name], v[x.name],
                                                    v[y.name])))
        bound = None if None in (x.bound, y.bound) else max(x.bound, y.bound)
        return Value(name, x.dtype, bound)

    def repeat(self, start, trips, build):
        """scf.for with one carried value; `build` makes the next one from it."""
        outer_lines, outer_steps = self.lines, self.steps
        self.lines, self.steps = [], []
        name, carried, counter = self.fresh(), self.fresh(), self.fresh()
        self.indent += 1
        result = self.convert(build(Value(carried, start.dtype)), start.dtype)
        self.line("scf.yield %s : %s" % (result.name, start.dtype))
        self.indent -= 1
        lines, steps = self.lines, self.steps
        self.lines, self.steps = outer_lines, outer_steps
        self.line("%s = scf.for %s = %%c0 to %%c%d step %%c1 iter_args(%s = %s) "
                  "-> (%s) {" % (name, counter, trips, carried, start.name,
                                 start.dtype))
        self.lines += lines
        self.line("}")

        def step(v):
            value = v[start.name]
            for _ in range(trips):
                v[carried] = value
                self.run(v, steps)
                value = v[result.name]
            return value
        self.steps.append((name, step))
        return Value(name, start.dtype)


def _ordered(pick, wins):
    """Of two floats; a NaN wins, or loses."""
    return lambda a, b: pick(a, b) if wins else np.where(
        a != a, b, np.where(b != b, a, pick(a, b)))


BINARY = {
    "addf": np.add, "subf": np.subtract, "mulf": np.multiply,
    "maximumf": _ordered(np.maximum, True), "minimumf": _ordered(np.minimum, True),
    "maxnumf": _ordered(np.maximum, False), "minnumf": _ordered(np.minimum, False),
    "addi": np.add, "subi": np.subtract, "muli": np.multiply,
    "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
    "maxsi": np.maximum, "minsi": np.minimum,
    "maxui": lambda a, b: np.maximum(unsigned(a), unsigned(b)).view(a.dtype),
    "minui": lambda a, b: np.minimum(unsigned(a), unsigned(b)).view(a.dtype),
}
FLOAT_OPS = ["addf", "subf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"]
INTEGER_OPS = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi",
               "maxui", "minui"]
FLOAT_UNARY = ["absf", "floor", "ceil", "trunc", "roundeven", "negf", "sqrt"]
PREDICATES = {True: ["olt", "ole", "ogt", "oge", "oeq", "une", "ult", "uge"],
              False: ["slt", "sle", "sgt", "sge", "eq", "ne", "ult", "uge"]}


def random_value(body, dtype, depth, leaf):
    """A random expression of type `dtype`; `leaf` loads something of any type."""
    random = body.random
    if depth <= 0:
        x = body.constant(dtype) if random.random() < 0.2 else leaf()
        return body.convert(x, dtype)

    def again(t=dtype, less=1):
        return random_value(body, t, depth - random.randint(less, 2), leaf)

    kind = random.choice(["binary"] * 5 + ["unary", "select", "select", "convert",
                                           "divide", "fma", "branch", "repeat"])
    if kind == "convert":
        return body.convert(again(random.choice(FLOATS + INTEGERS)), dtype)
    if kind == "select":
        t = random.choice(FLOATS + INTEGERS[1:])
        condition = body.compare(random.choice(PREDICATES[is_float(t)]), again(t),
                                 again(t))
        return body.select(condition, again(), again())
    if kind == "branch":
        return body.branch(again("i1"), again, again)
    if dtype == "i1":
        return body.binary(random.choice(["andi", "ori", "xori"]), again(), again())
    if kind == "repeat":
        return body.repeat(again(), random.randrange(4), lambda x: body.binary(
            random.choice(FLOAT_OPS if is_float(dtype) else INTEGER_OPS), x,
            again(less=2)))
    if kind == "divide":
        ops = ["divf"] if is_float(dtype) else ["divsi", "remsi", "divui", "remui"]
        return body.divide(random.choice(ops), again())
    if is_float(dtype):
        if kind == "fma":
            return body.convert(body.fma(again(), again(), again()), dtype)
        if kind == "unary":
            return body.unary(random.choice(FLOAT_UNARY), again())
        return body.binary(random.choice(FLOAT_OPS), again(), again())
    if kind == "fma":
        return body.shift(random.choice(["shli", "shrsi", "shrui"]), again())
    if kind == "unary":
        return body.unary("absi", again())
    return body.binary(random.choice(INTEGER_OPS), again(), again())
