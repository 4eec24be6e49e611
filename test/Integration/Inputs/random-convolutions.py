#!/usr/bin/env python3
"""Random convolutions of images with one to three dimensions of pixels, compared
element by element with numpy.

A case has one of three forms, with A the matrix of a `tile.im2col`:

    forward    Y = A W        the convolution
    weights    Y = A^T G      its gradient, the sums over the pixels of the output
    matrix     Y = A          a window of it, which may begin or end outside

and words `key=value`, with which a case of the command line is written as well:

    image=2x9x7x64 filters=40 in=bf16
                   the extents of the image, the channels last, and its elements
    kernel=3x3 stride=1x1 dilation=1x1 pad=0x0 upper=0x0
                   as in the op; upper are the pads after the image
    tile=64x64x32  rows, columns and step of the product; of a matrix rows, 1 and
                   columns
    threads=128 stages=3 roles=on
    gap=0          elements between pixels, and before the first one
    first=0x0      row and column where a matrix begins
    via=shared     where it is gathered to: fragment or private as well; convert:
                   shared, as f16
    given=tma      the instruction of the copy, or none
    static         the extents are in the types
    round          columns of a filter element are rounded up to whole steps
    nested         with round: a loop over the filter around one over the channels
    transposed     W is stored F x K

Prints one line per case and target. Integers, so that sums are exact."""

import argparse
import math
import os
import random
import sys

import numpy as np

import convolution
import kernels
from convolution import numbers

KEYS = {"form": "forward", "image": "2x9x7x64", "filters": "40", "in": "bf16",
        "kernel": "3x3", "stride": "1x1", "dilation": "1x1", "pad": "0x0",
        "upper": "0x0", "tile": "64x64x32", "threads": "128", "stages": "3",
        "roles": "on", "gap": "0", "first": "0x0", "via": "shared", "given": ""}
FLAGS = ("static", "round", "nested", "transposed")
WINDOW = ("kernel", "stride", "dilation", "pad", "upper")
SPACES = {"shared": "#gpu.address_space<workgroup>", "fragment": "#tile.fragment",
          "private": "#gpu.address_space<private>",
          "convert": "#gpu.address_space<workgroup>"}

PRODUCT = """\
    %As = tile.alloc : {a}
    %Bs = tile.alloc : {b}
    %acc = tile.alloc : {c}
    tile.fill %acc, %zero : {c}, {sum}
{loops}
      %aw = tile.im2col %X[{row}, {column}] [{rows}, {columns}] {window} : {image}
      tile.copy %aw to %As{instr} : !tile.region<{rows}x{columns}x{elem}>, {a}
{b_window}
      tile.copy %bw to %Bs : !tile.region<{b_shape}x{type}>, {b}
      tile.gemm %As, %Bs, %acc{attributes} : ({a}, {b}, {c})
{ends}
    %y = tile.region %Y[%i, %j] [{m}, {n}] : memref<?x?x{sum}>
    tile.copy %acc to %y : {c}, !tile.region<{m}x{n}x{sum}>
"""

LOOP = """\
    scf.for %k = %c0 to {end} step %ck {{"""
NESTED = """\
    scf.for %tap = %c0 to %taps step %c1 {
    scf.for %c = %c0 to %R step %ck {
      %whole = arith.muli %tap, %R : index
      %k = arith.addi %whole, %c : index"""

MATRIX = """\
    %r0 = arith.constant {first_row} : index
    %s0 = arith.constant {first_column} : index
    %row = arith.addi %i, %r0 : index
    %column = arith.addi %j, %s0 : index
    %As = tile.alloc : {a}
    %aw = tile.im2col %X[%row, %column] [{m}, {n}] {window} : {image}
    tile.copy %aw to %As{instr} : !tile.region<{m}x{n}x{elem}>, {a}
    %y = tile.region %Y[%i, %j] [{m}, {n}] : memref<?x?x{sum}>
    tile.copy %As to %y : {a}, !tile.region<{m}x{n}x{sum}>
"""


def memref(shape, element, space):
    return "memref<%s%s, %s>" % ("".join("%dx" % n for n in shape), element, space)


class Case:
    def __init__(self, text):
        self.values = v = kernels.read_words(text, KEYS, FLAGS)
        self.shape = numbers(v["image"])
        self.window = {key: numbers(v[key]) for key in WINDOW}
        self.tile = numbers(v["tile"])
        self.first = tuple(int(n) for n in v["first"].split("x"))
        self.is_matrix = v["form"] == "matrix"
        self.elem = v["in"]  # of the image
        self.type = "f16" if v["via"] == "convert" else v["in"]
        self.sum = "i32" if self.type == "i8" else "f32"
        if self.is_matrix:
            self.sum = self.type

    def per_tap(self):
        step = self.tile[0 if self.values["form"] == "weights" else 2]
        return -(-self.shape[-1] // step) * step if self.values["round"] else (
            self.shape[-1])

    #===-- The kernel ----------------------------------------------------===#

    def image_type(self):
        dims = ["?"] * len(self.shape)
        if self.values["static"]:
            dims = [str(n) for n in self.shape]
        text = "memref<%sx%s" % ("x".join(dims), self.elem)
        gap = int(self.values["gap"])
        if not gap:
            return text + ">"
        strides = ["?"] * (len(self.shape) - 1)
        if self.values["static"]:
            strides = [str(n) for n in self.strides()[:-1]]
        return "%s, strided<[%s, 1], offset: ?>>" % (text, ", ".join(strides))

    def strides(self):
        strides = [1]
        pitch = self.shape[-1] + int(self.values["gap"])
        for extent in reversed(self.shape[:-1]):
            strides.insert(0, pitch)
            pitch *= extent
        return strides

    def window_text(self):
        names = dict(zip(WINDOW, WINDOW), upper="pad_upper")
        words = ["%s %s" % (names[key], list(self.window[key])) for key in WINDOW]
        return " ".join(words) + " channels %R" * bool(self.values["round"])

    def product(self, fields):
        m, n, k = self.tile
        v = self.values
        is_forward = v["form"] == "forward"
        rows, columns = (m, k) if is_forward else (k, m)
        fields.update(
            rows=rows, columns=columns, a=memref((rows, columns), self.type,
                                                 SPACES[v["via"]]),
            c=memref((m, n), self.sum, "#tile.fragment"),
            row="%i" if is_forward else "%k", column="%k" if is_forward else "%i")
        attributes = [] if is_forward else ["transpose_a"]
        b_shape, at = (k, n), ["%k", "%j"]
        b_lines = []
        if is_forward and v["round"]:  # what is after C meets other weights, as 0
            b_lines = ["%tap_of = arith.divui %k, %R : index",
                       "%channel = arith.remui %k, %R : index",
                       "%element = arith.muli %tap_of, %C : index",
                       "%line = arith.addi %element, %channel : index"]
            at[0] = "%line"
        if v["transposed"]:
            b_shape, at = (n, k), at[::-1]
            attributes.append("transpose_b")
        if self.type == "f32":
            attributes.append('precision = "tf32"')
        b_lines.append("%%bw = tile.region %%W[%s] %s : memref<?x?x%s>"
                       % (", ".join(at), list(b_shape), self.type))
        ends = "    } {tile.num_stages = %s : i32}" % v["stages"]
        loops = NESTED if v["nested"] else LOOP.format(
            end="%K" if is_forward else "%P")
        return PRODUCT.format(
            b=memref(b_shape, self.type, "#smem"), b_shape="%dx%d" % b_shape,
            b_window="\n".join("      " + line for line in b_lines), loops=loops,
            ends=ends + "\n    }" * bool(v["nested"]),
            attributes=" {%s}" % ", ".join(attributes) if attributes else "",
            **fields)

    def mlir(self):
        m, n, k = self.tile
        v = self.values
        if self.is_matrix:
            n = k
        step = "%cm" if v["form"] == "weights" else "%ck"
        fields = dict(
            image=self.image_type(), type=self.type, elem=self.elem, sum=self.sum,
            m=m, n=n, window=self.window_text(), stages=v["stages"],
            instr=" {instr = #tile.instr<%s>}" % v["given"] if v["given"] else "")
        head = convolution.head(
            dict(fields, k=k, taps=math.prod(self.window["kernel"]),
                 threads=v["threads"], last=len(self.shape) - 1),
            v["roles"] != "off", v["round"], step)
        if v["form"] == "weights":
            head = head.replace("  %K =", "  %P = memref.dim %W, %c{} : memref<?x?x{}>\n"
                                "  %K =".format(int(v["transposed"]), self.type))
        if self.is_matrix:
            body = MATRIX.format(a=memref((m, n), self.type, SPACES[v["via"]]),
                                 first_row=self.first[0],
                                 first_column=self.first[1], **fields)
        else:
            body = self.product(fields)
        return head + body + convolution.TAIL

    #===-- What numpy says -----------------------------------------------===#

    def run(self, base, seed):
        v = self.values
        gap = int(v["gap"])
        place = "@%s+%d" % ("x".join(map(str, self.strides())), gap) if gap else ""
        shape = "x".join(map(str, self.shape))
        image = kernels.Tensor("X", "ints:%s:%s%s" % (shape, self.elem, place))
        padded = np.zeros((*self.shape[:-1], self.per_tap()), np.float64)
        padded[..., :self.shape[-1]] = image.values
        matrix = convolution.matrix(padded, **self.window)
        filters = int(v["filters"])
        k = math.prod(self.window["kernel"]) * self.shape[-1]
        lines = len(matrix) if v["form"] == "weights" else k
        w_shape = (filters, lines) if v["transposed"] else (lines, filters)
        weights = kernels.Tensor("W", "ints:%dx%d:%s" % (*w_shape, self.type))
        w = weights.values.T if v["transposed"] else weights.values
        w = w.astype(np.float64)
        if v["form"] == "forward":
            expected = convolution.convolve(
                image.values, w.reshape(*self.window["kernel"], -1, filters),
                **{key: self.window[key] for key in WINDOW[1:]})
        elif v["form"] == "weights":
            expected = matrix.T @ w
        else:
            shape = [size + 9 for size in matrix.shape]
            expected = convolution.tile(padded, self.first, shape, **self.window)
        y = kernels.Tensor("Y", "junk:%dx%d:%s" % (*expected.shape, self.sum))
        results, _ = kernels.run_function(
            base + ".json", [image, weights, kernels.Scalar("M", str(len(expected))),
                             kernels.Scalar("N", str(expected.shape[1])), y], seed)
        kernels.compare("Y", self.sum, results["Y"], expected)


#===-- Random cases ------------------------------------------------------===#


def list_of(rng, dims, low, high):
    return [rng.randint(low, high) for _ in range(dims)]


def random_window(rng, dims):
    """A filter and extents of an image; sometimes it does not fit."""
    kernel = list_of(rng, dims, 1, (9, 4, 3)[dims - 1])
    dilation = list_of(rng, dims, 1, 3) if rng.random() < 0.4 else [1] * dims
    stride = list_of(rng, dims, 1, 3) if rng.random() < 0.5 else [1] * dims
    if rng.random() < 0.1:
        stride[rng.randrange(dims)] = rng.choice([8, 9])
    pad = list_of(rng, dims, 0, 3) if rng.random() < 0.6 else [0] * dims
    upper = list_of(rng, dims, 0, 3) if rng.random() < 0.5 else pad
    extents = []
    for d in range(dims):
        least = dilation[d] * (kernel[d] - 1) + 1 - pad[d] - upper[d]
        most = (60, 11, 6)[dims - 1]
        extents.append(max(1, least) + rng.randint(0, most))
    return dict(kernel=kernel, stride=stride, dilation=dilation, pad=pad,
                upper=upper), extents


def random_tile(rng, dtype):
    m = rng.choice([32, 64, 64, 96, 128])
    threads = {32: [32, 64], 64: [64, 128], 96: [96], 128: [128, 256]}[m]
    n = rng.choice([16, 32, 40, 64])
    k = rng.choice([32, 64] if dtype in ("i8", "f8E4M3FN") else [16, 32, 48, 64])
    if dtype == "f32":
        k = rng.choice([8, 16, 32])
    return (m, n, k), rng.choice(threads)


def random_case(seed):
    rng = random.Random("convolution %d" % seed)
    dims = rng.randint(1, 3)
    window, extents = random_window(rng, dims)
    words = {key: "x".join(map(str, window[key])) for key in WINDOW}
    form = rng.choice(["forward"] * 4 + ["weights", "matrix"])
    dtype = rng.choice(["bf16", "f16", "f32", "i8", "f8E4M3FN"])
    (m, n, k), threads = random_tile(rng, dtype)
    channels = rng.choice([1, 3, 4, 5, 8, 12, 16, 24, 32, 40, 64])
    flags = [flag for flag in ("static", "transposed") if rng.random() < 0.3]
    via = rng.choice(["shared"] * 6 + ["fragment"])
    if form == "matrix":
        m, n, k = rng.randint(1, 70), 1, rng.choice([rng.randint(1, 40), 16, 32])
        threads = rng.choice([32, 96, 128])
        via = rng.choice(["shared"] * 4 + ["fragment", "private"])
        if via == "private":
            m, k = min(m, 8), min(k, 9)
        words["first"] = "%dx%d" % (rng.choice([0, 0, 5, -3, -90]),
                                    rng.choice([0, 0, k, 3, -k]))
        flags = [flag for flag in flags if flag == "static"]
    elif rng.random() < 0.4:
        flags.append("round")
        if form == "forward" and rng.random() < 0.4:
            flags.append("nested")
    if via == "shared" and dtype == "f32" and rng.random() < 0.4:
        via = "convert"
        k = rng.choice([16, 32]) if form != "matrix" else k
    words.update(form=form, image="x".join(map(str, [rng.randint(1, 3), *extents,
                                                     channels])),
                 filters=rng.choice([1, 7, 16, 40, 72]), tile="%dx%dx%d" % (m, n, k),
                 threads=threads, stages=rng.choice([1, 2, 3, 4]), via=via,
                 roles=rng.choice(["on", "off"]),
                 gap=rng.choice([0, 0, 0, 8, 16, 3]))
    words["in"] = dtype
    return " ".join(["%s=%s" % item for item in words.items()
                     if str(item[1]) != KEYS[item[0]]] + flags)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--random", help="FIRST:COUNT, numbers of random cases")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    options = parser.parse_args()
    cases = list(options.cases)
    if options.random:
        first, count = (int(n) for n in options.random.split(":"))
        cases += [random_case(number) for number in kernels.some(first, count)]

    def judge(text, target):
        case = Case(text)
        out = os.path.join(options.out, target)
        os.makedirs(out, exist_ok=True)
        source = os.path.join(out, "conv.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(case.mlir())
        kernels.compile_file(source, target, out)
        case.run(os.path.join(out, "conv"), 1)
        return case.values["form"]

    return kernels.run_cases(cases, options.target, judge)


if __name__ == "__main__":
    sys.exit(main())
