#!/usr/bin/env python3
"""Functions of the math dialect in element loops against numpy, of every type.

Functions of floats are applied to numbers of all magnitudes, subnormal ones,
zeros of both signs, infinities and NaN. A result is right when it lies within
the bound that docs/Rationale/MathFunctions.md states of the true value, after
rounding of that to the type where f32 is not the type; relative to the smallest
normal number where the value is below it. Zeros must have the right sign.

A word is a type, `powers-`, `whole-` and a type, or `integers-` and a type."""

import argparse
import math
import os
import sys

import numpy as np

import kernels

NUM_THREADS = 96
LEAST = {"f64": 2.0**-1022, "f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-14,
         "f8E4M3FN": 2.0**-6, "f8E5M2": 2.0**-14}

#===-- Functions ---------------------------------------------------------===#


def by_element(function):
    """Of a double; its error is far below the bounds."""
    def apply(x):
        return np.array([function(float(v)) for v in x]).astype(x.dtype)
    return apply


def round_away(x):
    whole = np.trunc(x)
    return np.copysign(whole + np.where(np.abs(x - whole) >= 0.5,
                                        np.copysign(1, x), 0), x)


# Name: what numpy calls it, and the bounds in f32 and f64 as powers of 2; exact
# functions have none. A result named after a comma comes second.
FUNCTIONS = {
    "acos": (np.arccos, -21, -50), "acosh": (np.arccosh, -21, -50),
    "asin": (np.arcsin, -21, -50), "asinh": (np.arcsinh, -21, -50),
    "atan": (np.arctan, -21, -50), "atanh": (np.arctanh, -21, -50),
    "cbrt": (np.cbrt, -23, -52), "cos": (np.cos, -21, -50),
    "cosh": (np.cosh, -21, -50), "erf": (by_element(math.erf), -21, -50),
    "erfc": (by_element(math.erfc), -20, -49), "exp": (np.exp, -21, -50),
    "exp2": (np.exp2, -21, -50), "expm1": (np.expm1, -21, -50),
    "log": (np.log, -21, -50), "log10": (np.log10, -21, -50),
    "log1p": (np.log1p, -21, -50), "log2": (np.log2, -21, -50),
    "rsqrt": (lambda x: 1 / np.sqrt(x), -21, -50), "sin": (np.sin, -21, -50),
    "sincos": ((np.sin, np.cos), -21, -50), "sinh": (np.sinh, -21, -50),
    "tan": (np.tan, -21, -50), "tanh": (np.tanh, -21, -50),
    "absf": (np.abs, None, None), "ceil": (np.ceil, None, None),
    "floor": (np.floor, None, None), "round": (round_away, None, None),
    "roundeven": (np.rint, None, None), "sqrt": (np.sqrt, None, None),
    "trunc": (np.trunc, None, None),
}
BINARY = {"atan2": (np.arctan2, -21, -50), "powf": (np.power, -20, -47),
          "copysign": (np.copysign, None, None)}
WHOLE_BOUNDS = (-20, -47)
WHOLE = [-9, -8, -3, -1, 0, 1, 2, 7, 11]  # powers that are constants

#===-- Numbers -----------------------------------------------------------===#


def special_numbers(dtype):
    largest = {"f64": 1.7976931348623157e308, "f32": 3.4028235e38, "f16": 65504,
               "bf16": 3.3895314e38, "f8E4M3FN": 448, "f8E5M2": 57344}[dtype]
    near = [0.0, 1, 0.5, 2, 3, 2.5, LEAST[dtype], LEAST[dtype] / 4, largest,
            largest / 2, np.inf, math.pi / 2, math.pi / 4, math.pi, 2.0**25]
    # Next to multiples of pi/2; the last one carries from word to word.
    near += [math.ldexp(16367173, 72), math.ldexp(8972926, 21)] if (
        dtype == "f32") else []
    near += [math.ldexp(6381956970095103, 797)] if dtype == "f64" else []
    return kernels.round_to(np.array([s * v for v in near for s in (1, -1)]
                                     + [np.nan]), dtype)


def numbers(dtype, count, seed):
    """All magnitudes; evenly near 0 and to where exponentials end; near 1; near
    multiples of pi/2. Besides the special ones."""
    rng = np.random.default_rng(seed)
    lowest, end = (-1074, 760) if dtype == "f64" else (-149, 110)
    sign = rng.choice([-1.0, 1.0], count)
    return np.concatenate([special_numbers(dtype), kernels.round_to(
        np.concatenate([
            sign * np.ldexp(rng.uniform(1, 2, count),
                            rng.integers(lowest, -lowest, count)),
            np.linspace(-12, 12, count), np.linspace(-end, end, count),
            sign * (1 + rng.standard_normal(count)
                    * 2.0**rng.integers(-50, -1, count)),
            rng.integers(0, 2**20, count) * (math.pi / 2)]), dtype)])


def wide(x, dtype):
    """In a type whose functions are exact beside the bounds."""
    return x.astype(np.longdouble if dtype == "f64" else np.float64)


def true_values(reference, bounds, dtype, *inputs):
    """What has no bound is exact in double and not rounded twice."""
    if bounds[1] is None:
        return wide(reference(*[x.astype(np.float64) for x in inputs]), dtype)
    return reference(*[wide(x, dtype) for x in inputs])


#===-- Kernels -----------------------------------------------------------===#

KERNEL = """func.func @{name}({arguments}) {{
  %c1 = arith.constant 1 : index
  %threads = arith.constant {threads} : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
    tile.parallel (%i) in [{count}] {{
{body}
    }}
    gpu.terminator
  }}
  return
}}
"""


class Kernel:
    """One kernel of several tensors of one length."""

    def __init__(self, name):
        self.name = name
        self.inputs, self.outputs, self.checks, self.lines = [], [], [], []

    def tensor(self, values, dtype):
        name = "%s%d" % ("XR"[values is None], len(self.inputs + self.outputs))
        (self.outputs if values is None else self.inputs).append(
            (name, values, dtype))
        return name

    def load(self, values, dtype):
        name = self.tensor(values, dtype)
        self.lines.append("%%%s_i = memref.load %%%s[%%i] : memref<%dx%s>" % (
            name.lower(), name, len(values), dtype))
        return "%" + name.lower() + "_i"

    def store(self, value, dtype, check):
        """`check` takes the tensor that comes out."""
        name = self.tensor(None, dtype)
        self.lines.append("memref.store %s, %%%s[%%i] : memref<%dx%s>" % (
            value, name, len(self.inputs[0][1]), dtype))
        self.checks.append(check)

    def text(self):
        count = len(self.inputs[0][1])
        arguments = ", ".join("%%%s: memref<%dx%s>" % (name, count, dtype)
                              for name, _, dtype in self.inputs + self.outputs)
        return KERNEL.format(name=self.name, arguments=arguments, count=count,
                             threads=NUM_THREADS,
                             body="\n".join("      " + s for s in self.lines))

    def run(self, out, seed):
        count, arguments = len(self.inputs[0][1]), []
        for name, values, dtype in self.inputs + self.outputs:
            tensor = kernels.make_argument(name, "junk:%d:%s" % (count, dtype))
            if values is not None:
                tensor.values = values
            arguments.append(tensor)
        results, _ = kernels.run_function(
            os.path.join(out, self.name + ".json"), arguments, seed)
        for (name, _, _), check in zip(self.outputs, self.checks):
            check(results[name])


#===-- Comparison --------------------------------------------------------===#


def check_float(label, dtype, true, bound, *inputs):
    """A function that raises Failure unless its tensor is near `true`."""
    def check(got):
        value = wide(got, dtype)
        margin = np.maximum(np.abs(true), LEAST[dtype]) * true.dtype.type(
            0 if bound is None else 2.0**bound)
        margin = np.where(np.isfinite(true), margin, 0)
        low, high = true - margin, true + margin
        if dtype in ("f32", "f64") and bound is not None:
            largest = np.finfo(got.dtype).max
            high = np.where(high > largest, np.inf, high)
            low = np.where(low < -largest, -np.inf, low)
        else:  # rounded once more
            low, high = [wide(kernels.round_to(e, dtype), dtype)
                         for e in (low, high)]
        right = (value >= low) & (value <= high)
        right |= (true != true) & (value != value)
        right &= (true != 0) | (np.signbit(true) == np.signbit(value))
        if not right.all():
            at = int(np.argmin(right))
            raise kernels.Failure("%s of %s: %d of %d are wrong; the first is of "
                                  "%s: %s, expected %s" % (
                                      label, dtype, np.sum(~right), len(right),
                                      [float(x[at]) for x in inputs],
                                      float(value[at]), float(true[at])))
    return check


def bound_of(bounds, dtype):
    return bounds[1] if dtype == "f64" else bounds[0]


#===-- What is run -------------------------------------------------------===#


def unary_kernels(dtype, count):
    x = numbers(dtype, count, 1)
    for function, (references, *bounds) in FUNCTIONS.items():
        kernel = Kernel(function)
        a = kernel.load(x, dtype)
        if not isinstance(references, tuple):
            references = (references,)
        results = ", ".join("%%y%d" % i for i in range(len(references)))
        kernel.lines.append("%s = math.%s %s : %s" % (results, function, a, dtype))
        for i, reference in enumerate(references):
            true = true_values(reference, bounds, dtype, x)
            kernel.store("%%y%d" % i, dtype, check_float(
                function, dtype, true, bound_of(bounds, dtype), x))
        yield kernel
    yield kinds_kernel(dtype, x)


def kinds_kernel(dtype, x):
    kernel = Kernel("kinds")
    a = kernel.load(x, dtype)
    finite = np.isfinite(x)
    for name, true in (("isnan", x != x), ("isinf", np.isinf(x)),
                       ("isfinite", finite),
                       ("isnormal", finite & (np.abs(x) >= LEAST[dtype]))):
        def check(got, name=name, true=true):
            kernels.compare(name + " of " + dtype, "i1", got, true)
        kernel.lines.append("%%%s = math.%s %s : %s" % (name, name, a, dtype))
        kernel.store("%" + name, "i1", check)
    return kernel


def power_arguments(dtype, count):
    """Of a power whose result is a number; all pairs of special numbers; small
    whole powers, which negative numbers have."""
    rng = np.random.default_rng(2)
    special = special_numbers(dtype)
    x, y = [a.ravel() for a in np.meshgrid(special, special)]
    base = numbers(dtype, count, 3)
    end = 1100 if dtype == "f64" else 150
    power = rng.uniform(-end, end, len(base)) / np.log2(
        np.abs(wide(base, "f32")))
    power = kernels.round_to(np.clip(np.nan_to_num(power), -1e30, 1e30), dtype)
    whole = kernels.round_to(rng.integers(-9, 10, len(base)), dtype)
    return (np.concatenate([x, base, base]), np.concatenate([y, power, whole]))


def binary_kernels(dtype, count):
    x, y = power_arguments(dtype, count)
    for function, (reference, *bounds) in BINARY.items():
        kernel = Kernel(function)
        a, b = kernel.load(x, dtype), kernel.load(y, dtype)
        kernel.lines.append("%%y = math.%s %s, %s : %s" % (function, a, b, dtype))
        true = true_values(reference, bounds, dtype, x, y)
        kernel.store("%y", dtype, check_float(
            function, dtype, true, bound_of(bounds, dtype), x, y))
        yield kernel


def whole_kernels(dtype, count):
    """math.fpowi: powers of a tensor, of the loop, and constants."""
    rng = np.random.default_rng(4)
    special = special_numbers(dtype)
    base = np.concatenate([special, special, numbers(dtype, count, 5)])
    small = rng.integers(-12, 13, len(base))
    small[:len(special)] = 0
    # Next to 1, where large powers of all bits are numbers.
    bits, last = (2**60, 2.0**-53) if dtype == "f64" else (2**30, 2.0**-24)
    last = 1 - last * rng.integers(1, 4, count)
    large = rng.integers(bits // 2, bits, count)
    add_large = dtype in ("f32", "f64")
    for itype, n in (("i32", small), ("i8", small), ("i64", small),
                     ("index", np.arange(len(base)))):
        kernel, x = Kernel("whole_" + itype), base
        if add_large and itype == ("i64" if dtype == "f64" else "i32"):
            x = np.concatenate([base, kernels.round_to(last, dtype)])
            n = np.concatenate([small, large])
        a = kernel.load(x, dtype)
        power = ("%i" if itype == "index" else
                 kernel.load(kernels.round_to(n, itype), itype))
        add_whole(kernel, dtype, x, a, power, itype, n)
        yield kernel
    kernel = Kernel("constants")
    a = kernel.load(base, dtype)
    for n in WHOLE:
        name = "%%n%s%d" % ("m" if n < 0 else "", abs(n))
        kernel.lines.append("%s = arith.constant %d : i32" % (name, n))
        add_whole(kernel, dtype, base, a, name, "i32", np.full(len(base), n))
    yield kernel


def add_whole(kernel, dtype, base, a, power, itype, n):
    y = "%%y%d" % len(kernel.outputs)
    kernel.lines.append("%s = math.fpowi %s, %s : %s, %s" % (y, a, power, dtype,
                                                           itype))
    x = wide(base, dtype)
    true = np.power(np.abs(x), n.astype(x.dtype))
    true = np.where((n % 2 != 0) & np.signbit(x), -true, true)
    true = np.where(n == 0, true.dtype.type(1), true)
    kernel.store(y, dtype, check_float("fpowi", dtype, true,
                                       bound_of(WHOLE_BOUNDS, dtype), base, n))


def true_integer(function, x, n, width):
    x, n, mask = int(x), int(n), (1 << width) - 1
    bits = x & mask
    if function == "ipowi":
        if n < 0:
            value = {1: 1, -1: -1 if n % 2 else 1}.get(x, 0)
        else:
            value = pow(x, n, 1 << width)
    else:
        value = {"absi": abs(x), "ctpop": bin(bits).count("1"),
                 "ctlz": width - bits.bit_length(),
                 "cttz": ((bits & -bits).bit_length() or width + 1) - 1}[function]
    value &= mask
    return value - (1 << width) if value >> (width - 1) else value


def integer_kernels(itype, count):
    """`index` stands for i32 that the kernel makes index."""
    rng = np.random.default_rng(6)
    held = "i32" if itype == "index" else itype
    width = int(held[1:])
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    x = np.concatenate([[0, 1, -1, 2, -2, 3, low, high] * 8,
                        rng.integers(low, high, count, endpoint=True) >>
                        rng.integers(0, width, count)])
    n = np.concatenate([np.repeat([0, 1, 2, 3, -1, -2, low, high], 8),
                        np.where(np.arange(count) % 2,
                                 rng.integers(low, high, count, endpoint=True),
                                 rng.integers(-2, min(40, high), count))])
    kernel = Kernel("integers")
    values = [kernel.load(kernels.round_to(v, held), held) for v in (x, n)]
    if itype == "index":
        for i, value in enumerate(values):
            kernel.lines.append("%%v%d = arith.index_cast %s : i32 to index" % (
                i, value))
        values = ["%v0", "%v1"]
    kernel.lines += ["%%n%d = arith.constant %d : %s" % (p, p, itype)
                     for p in (0, 5, 100)] + ["%%n1 = arith.constant -1 : %s" % itype]
    for function in ("ipowi", "ipowi 0", "ipowi 5", "ipowi 100", "ipowi -1", "absi",
                     "ctlz", "cttz", "ctpop"):
        function, _, power = function.partition(" ")
        operands, powers = values[0], n
        if power:
            operands += ", %n" + power.strip("-")
            powers = np.full(len(x), int(power))
        elif function == "ipowi":
            operands = ", ".join(values)
        true = np.array([true_integer(function, a, b, width)
                         for a, b in zip(x, powers)], dtype=np.int64)

        def check(got, function=function, true=true):
            kernels.compare("%s of %s" % (function, itype), held, got, true)
        result = "%" + function + power.strip("-")
        kernel.lines.append("%s = math.%s %s : %s" % (result, function, operands,
                                                      itype))
        if itype == "index":
            kernel.lines.append("%s_i = arith.index_cast %s : index to i32" % (
                result, result))
            result += "_i"
        kernel.store(result, held, check)
    yield kernel


MAKERS = {"powers": binary_kernels, "whole": whole_kernels,
          "integers": integer_kernels}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="+", metavar="WORD")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--count", type=int, default=60,
                        help="numbers of each sort [60]")
    parser.add_argument("--only", default="", help="one kernel, by its name")
    parser.add_argument("--out", required=True)
    parser.add_argument("--no-ptxas", action="store_true")
    parser.add_argument("--gpu", action="store_true",
                        help="run on a GPU, not on the emulator")
    options = parser.parse_args()
    np.seterr(all="ignore")  # infinities are results

    def judge(word, target):
        kind, dash, dtype = word.partition("-")
        maker = MAKERS[kind] if dash else unary_kernels
        made = [k for k in maker(dtype if dash else kind, options.count)
                if options.only in ("", k.name)]
        out = os.path.join(options.out, target, word)
        os.makedirs(out, exist_ok=True)
        path = os.path.join(out, "functions.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(k.text() for k in made))
        kernels.compile_file(path, target, out,
                             ["--ptxas=off"] if options.no_ptxas else [])
        failures = []
        for kernel in made:
            try:
                kernel.run(out, None if options.gpu else 1)
            except kernels.Failure as failure:
                failures.append(str(failure))
        if failures:
            raise kernels.Failure("\n".join(failures))
        return "%d kernels" % len(made)

    return kernels.run_cases(options.words, options.target, judge)


if __name__ == "__main__":
    sys.exit(main())
