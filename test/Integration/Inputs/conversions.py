#!/usr/bin/env python3
"""Every conversion of arith between the types of elements, in element loops: all
numbers of types of 8 and 16 bits, and of the others random ones, powers of two, ties
of each narrower type and what is beside them, infinities, NaN, zeros of both signs.
Integers say exactly what must come out; what arith leaves open is not looked at."""

import argparse
import os
import sys

import numpy as np

import expressions
import kernels
from expressions import FLOATS, INTEGERS, bits_of, is_float

PRECISION = {"f8E4M3FN": 4, "f8E5M2": 3, "f16": 11, "bf16": 8, "f32": 24, "f64": 53}
LARGEST = {"f8E4M3FN": 448, "f8E5M2": 57344}  # what 8-bit floats saturate at
LOOP = 1024
PER_LOOP = 8  # conversions: a loop accesses 16 buffers at most


#===-- Numbers to convert ------------------------------------------------===#


def all_of_8_bits(dtype):
    exponent_bits, bias, mantissa_bits = {"f8E4M3FN": (4, 7, 3),
                                          "f8E5M2": (5, 15, 2)}[dtype]
    bits = np.arange(256)
    exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = (bits & ((1 << mantissa_bits) - 1)) / 2.0 ** mantissa_bits
    value = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias),
                     (1 + mantissa) * 2.0 ** (exponent - bias))
    if dtype == "f8E4M3FN":
        value = np.where(bits & 127 == 127, np.nan, value)
    else:
        value = np.where(exponent == 31, np.where(mantissa == 0, np.inf, np.nan),
                         value)
    return np.where(bits >> 7, -value, value).astype(np.float32)


def floats(dtype):
    if bits_of(dtype) == 8:
        return all_of_8_bits(dtype)
    if dtype == "f16":
        return np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    if dtype == "bf16":
        return (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    rng = np.random.default_rng(1)
    wide, near = (rng.standard_normal(2000) * 2.0 ** rng.integers(low, high, 2000)
                  for low, high in ((-60, 60), (-12, 16)))
    ties = [(1 + k / 2.0 ** j) * 2.0 ** e * beside
            for k in (1, 3, 5) for j in range(1, 13)
            for e in (-26, -25, -20, -16, -15, -10, -9, 0, 5, 8, 15)
            for beside in (1, 1 + 2.0 ** -22, 1 - 2.0 ** -22)]
    special = [0.0, np.inf, np.nan, 1e-45, 3e-8, 6e-8, 448, 464, 465, 480, 57344,
               61440, 61441, 65504, 65519.99, 65520, 3.4e38, 3.39e38, 3.3961775e38]
    values = np.concatenate([wide, near, ties, special])
    with np.errstate(over="ignore"):
        return np.concatenate([values, -values]).astype(
            np.float32 if dtype == "f32" else np.float64)


def integers(dtype):
    if dtype == "i1":
        return np.array([False, True])
    kind, bits = kernels.INTEGERS[dtype], bits_of(dtype)
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    if bits <= 16:
        return np.arange(low, high + 1).astype(kind)
    rng = np.random.default_rng(1)
    values = rng.integers(low, high, 4000) >> rng.integers(0, bits - 1, 4000)
    powers = [(1 << j) + d for j in range(bits - 1) for d in (-1, 0, 1)]
    ties = [(m << k) + (1 << (k - 1)) + d for m in (0x80, 0x81, 0xff)
            for k in range(8, bits - 9) for d in (-1, 0, 1)]
    more = np.array([n for n in powers + ties if n <= high], dtype=np.int64)
    return np.concatenate([values, more, -more, [low, high]]).astype(kind)


#===-- What must come out ------------------------------------------------===#


def conversions(source):
    """(target, op) of everything that arith has."""
    for target in FLOATS + INTEGERS:
        if target == source:
            continue
        more = bits_of(target) - bits_of(source)
        if is_float(source) and is_float(target):
            ops = ["extf"] if more > 0 else ["truncf"] if more < 0 else []
        elif is_float(source):
            ops = ["fptosi", "fptoui"]
        elif is_float(target):
            ops = ["sitofp", "uitofp"]
        else:
            ops = ["extsi", "extui"] if more > 0 else ["trunci"]
        yield from ((target, op) for op in ops)


def whole_numbers(values, op):
    """The integers of i1 to i64, as Python has them."""
    is_signed = op in ("sitofp", "extsi")
    if values.dtype == np.bool_:
        return [-int(v) if is_signed else int(v) for v in values]
    return [int(v) for v in (values if is_signed or op == "trunci"
                             else expressions.unsigned(values))]


def rounded(number, dtype):
    """An integer as a float, to nearest even."""
    magnitude, drop = abs(number), abs(number).bit_length() - PRECISION[dtype]
    if drop > 0:
        kept, rest, half = magnitude >> drop, magnitude & ((1 << drop) - 1), 1 << (
            drop - 1)
        kept += rest > half or (rest == half and kept & 1)
        magnitude = kept << drop
    magnitude = min(magnitude, LARGEST.get(dtype, magnitude))
    if dtype == "f16" and magnitude > 65504:
        magnitude = np.inf
    return -float(magnitude) if number < 0 else float(magnitude)


def expected(values, target, op):
    """The results, and which of them arith defines."""
    defined = np.ones(values.shape, np.bool_)
    with np.errstate(all="ignore"):
        if op in ("extf", "truncf"):
            return expressions.convert(values, target), defined
        if op in ("fptosi", "fptoui"):
            bits = bits_of(target)
            whole = np.trunc(values.astype(np.float64))
            low, high = ((-2.0 ** (bits - 1), 2.0 ** (bits - 1)) if op == "fptosi"
                         else (0, 2.0 ** bits))
            defined = np.isfinite(whole) & (whole >= low) & (whole < high)
            whole = np.where(defined, whole, 0)
            whole = (whole.astype(np.int64) if op == "fptosi"
                     else whole.astype(np.uint64).view(np.int64))
            return kernels.round_to(whole, target), defined
    numbers = whole_numbers(values, op)
    if is_float(target):
        return kernels.round_to([rounded(n, target) for n in numbers],
                                "f64").astype(np.float64), defined
    mask = (1 << 64) - 1
    return kernels.round_to(np.array([n & mask for n in numbers], np.uint64).view(
        np.int64), target), defined


#===-- Kernels -----------------------------------------------------------===#


def mlir(source, count):
    pairs = list(conversions(source))
    tensor = lambda dtype: "memref<%dx%s>" % (count, dtype)
    text = ["func.func @convert(%%S: %s, %s) {" % (tensor(source), ", ".join(
        "%%D%d: %s" % (k, tensor(target)) for k, (target, _) in enumerate(pairs)))]
    text += ["  %%%s = arith.constant %d : index" % pair for pair in (
        ("c1", 1), ("threads", 128), ("n", count), ("step", LOOP),
        ("blocks", -(-count // LOOP)))]
    text += ["  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)",
             "             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {",
             "    %first = arith.muli %bx, %step : index"]
    for start in range(0, len(pairs), PER_LOOP):
        text += ["    tile.parallel (%%i) in [%d] {" % LOOP,
                 "      %at = arith.addi %first, %i : index",
                 "      %in = arith.cmpi ult, %at, %n : index",
                 "      scf.if %in {",
                 "        %%x = memref.load %%S[%%at] : %s" % tensor(source)]
        for k, (target, op) in list(enumerate(pairs))[start:start + PER_LOOP]:
            text += ["        %%y%d = arith.%s %%x : %s to %s" % (k, op, source, target),
                     "        memref.store %%y%d, %%D%d[%%at] : %s" % (
                         k, k, tensor(target))]
        text += ["      }", "    }"]
    return "\n".join(text + ["    gpu.terminator", "  }", "  return", "}"]) + "\n"


def check(source, target, out):
    values = floats(source) if is_float(source) else integers(source)
    folder = os.path.join(out, target, source)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "convert.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(mlir(source, len(values)))
    kernels.compile_file(path, target, folder)
    pairs = list(conversions(source))
    tensors = [kernels.Tensor("S", "zeros:%d:%s" % (len(values), source))]
    tensors[0].values = values
    tensors += [kernels.Tensor("D%d" % k, "junk:%d:%s" % (len(values), dtype))
                for k, (dtype, _) in enumerate(pairs)]
    results, _ = kernels.run_function(os.path.join(folder, "convert.json"), tensors, 1)
    for k, (dtype, op) in enumerate(pairs):
        wanted, defined = expected(values, dtype, op)
        got = results["D%d" % k]
        same = (got == wanted) | ((got != got) & (wanted != wanted))
        if is_float(dtype):
            same &= (np.signbit(got) == np.signbit(wanted)) | (got != got)
        wrong = np.flatnonzero(defined & ~same)
        if len(wrong):
            raise kernels.Failure("%s to %s: %d wrong; %s of %s is %s, expected %s" % (
                op, dtype, len(wrong), op, values[wrong[0]], got[wrong[0]],
                wanted[wrong[0]]))
    return "%d numbers, %d conversions" % (len(values), len(pairs))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    options = parser.parse_args()
    return kernels.run_cases(FLOATS + INTEGERS, options.target,
                             lambda source, target: check(source, target, options.out))


if __name__ == "__main__":
    sys.exit(main())
