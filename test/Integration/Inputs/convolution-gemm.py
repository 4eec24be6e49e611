#!/usr/bin/env python3
"""Generates convolutions of images with one to three dimensions of pixels as
products of matrices whose left factor is a `tile.im2col`, compiles and runs them,
and checks every element against numpy.

A case is words `key=value`:

    in=bf16        elements of image and weights
    tile=64x64x32  rows, columns and step of the product
    kernel=3x3 stride=1x1 dilation=1x1 pad=0x0
                   a number per dimension of pixels
    upper=1x0      pads after the image; those before it when it is left out
    channels=64    of the image type; ? where the launch says it
    round          columns of a filter element are rounded up to whole steps
    roles=on       on or off; required on the loop, with cp.async as well
    stages=3 threads=128
    images=2x9x7x64,1x8x8x64
                   images to run, the channels last
    filters=40
    a=tma          the instruction that gathers: tma, cp_async or simt; any
    align=8        bytes: a fact that the kernel states of the image
    given          it is written on the copy
    variant=1      that is taken for every image, from 1; 0: there is only one;
                   other: one that needs less; any
    more=2x9x7x64/40
                   further images with their filters, which any variant may run

Where the channels are not rounded up, a step may lie in several elements of the
filter. Prints one line per case and target."""

import argparse
import math
import os
import re
import sys

import convolution
import kernels
from convolution import numbers

KEYS = {"in": "bf16", "tile": "64x64x32", "kernel": "3x3", "stride": "",
        "dilation": "", "pad": "", "upper": "", "channels": "?", "roles": "on",
        "stages": "3", "threads": "128", "images": "2x9x7x64", "filters": "40",
        "align": "", "a": "tma", "variant": "1", "more": ""}

# Words that say how the filter moves, and their names in the op.
WINDOW = {"kernel": "kernel", "stride": "stride", "dilation": "dilation",
          "pad": "pad", "upper": "pad_upper"}

BODY = """\
    %As = tile.alloc : memref<{m}x{k}x{type}, #smem>
    %Bs = tile.alloc : memref<{k}x{n}x{type}, #smem>
    %acc = tile.alloc : memref<{m}x{n}x{sum}, #tile.fragment>
    tile.fill %acc, %zero : memref<{m}x{n}x{sum}, #tile.fragment>, {sum}
    scf.for %column = %c0 to %K step %ck {{
      %a = tile.im2col %X[%i, %column] [{m}, {k}] {window} : {image}
      tile.copy %a to %As{instr} : !tile.region<{m}x{k}x{type}>, memref<{m}x{k}x{type}, #smem>
{weights}
      tile.copy %b to %Bs : !tile.region<{k}x{n}x{type}>, memref<{k}x{n}x{type}, #smem>
      tile.gemm %As, %Bs, %acc{precision} : (memref<{m}x{k}x{type}, #smem>, memref<{k}x{n}x{type}, #smem>, memref<{m}x{n}x{sum}, #tile.fragment>)
    }} {{tile.num_stages = {stages} : i32{loop}}}
    %y = tile.region %Y[%i, %j] [{m}, {n}] : memref<?x?x{sum}>
    tile.copy %acc to %y : memref<{m}x{n}x{sum}, #tile.fragment>, !tile.region<{m}x{n}x{sum}>
"""

# The channels after the last one meet weights of the next filter element, as 0.
WEIGHTS = {False: "      %b = tile.region %W[%column, %j] [{k}, {n}] : memref<?x?x{type}>",
           True: """\
      %tap = arith.divui %column, %R : index
      %channel = arith.remui %column, %R : index
      %element = arith.muli %tap, %C : index
      %line = arith.addi %element, %channel : index
      %b = tile.region %W[%line, %j] [{k}, {n}] : memref<?x?x{type}>"""}


class Case:
    def __init__(self, text):
        values = kernels.read_words(text, KEYS, ("round", "given"))
        self.values = values
        self.type = values["in"]
        self.sum = "i32" if self.type == "i8" else "f32"
        self.window = {key: numbers(values[key]) for key in WINDOW if values[key]}
        filters = int(values["filters"])
        self.images = [(numbers(image), filters)
                       for image in values["images"].split(",")]
        self.more = [(numbers(image), int(filters)) for image, filters in
                     (text.split("/") for text in values["more"].split(",") if text)]

    def mlir(self):
        v = self.values
        m, n, k = numbers(v["tile"])
        window = " ".join("%s %s" % (WINDOW[key], list(self.window[key]))
                          for key in self.window)
        dims = len(self.window["kernel"])
        if v["round"]:
            window += " channels %R"
        if v["align"]:
            window += " {align = %s : i64}" % v["align"]
        loop = ', tile.specialize = "required"' * (v["roles"] == "required")
        instr = " {instr = #tile.instr<%s>}" % v["a"] if v["given"] else ""
        fields = dict(
            image="memref<%s%sx%s>" % ("?x" * (1 + dims), v["channels"], self.type),
            type=self.type, sum=self.sum, m=m, n=n, k=k)
        head = convolution.head(
            dict(fields, last=1 + dims, taps=math.prod(self.window["kernel"]),
                 threads=v["threads"]), v["roles"] != "off", v["round"], "%ck")
        return head + BODY.format(
            loop=loop, instr=instr, window=window, stages=v["stages"],
            precision=' {precision = "tf32"}' * (self.type == "f32"),
            weights=WEIGHTS[v["round"]].format(k=k, n=n, type=self.type),
            **fields) + convolution.TAIL


def kernel_text(ptx, name):
    return re.search(r"\.entry %s\(.*?(?=\.entry|\Z)" % re.escape(name), ptx,
                     re.S).group(0)


def gathers_by(text):
    """The instruction that reads the image, of the one or two that copy."""
    if ".im2col" in text:
        return "tma"
    return "cp_async" if "cp.async.c" in text else "simt"


def check_kernel(case, base, variants):
    """That the variant was taken, and gathers as the case wants."""
    launch = kernels.read_launches(base + ".json")[0]
    wanted = case.values["variant"]
    if wanted == "any" or (wanted == "other" and variants[0] > 1):
        wanted = variants[0]
    if wanted == "other":
        raise kernels.Failure("the best variant was taken")
    wanted = int(wanted)
    if wanted == 0 and len(launch["variants"]) > 1:
        raise kernels.Failure("there are variants")
    if variants != [max(wanted, 1)]:
        raise kernels.Failure("variant %s was taken" % variants)
    name = launch["variants"][max(wanted, 1) - 1]["kernel"]
    with open(base + ".ptx", encoding="utf-8") as file:
        found = gathers_by(kernel_text(file.read(), name))
    if case.values["a"] not in (found, "any"):
        raise kernels.Failure("the image is read by %s" % found)


def check_image(case, base, shape, filters, seed):
    """The variants that were taken."""
    window = dict(case.window)
    kernel = window.pop("kernel")
    taps = math.prod(kernel)
    image = kernels.Tensor("X", "ints:%s:%s" % ("x".join(map(str, shape)),
                                                case.type))
    lines = taps * shape[-1]
    weights = kernels.Tensor("W", "ints:%dx%d:%s" % (lines, filters, case.type))
    values = weights.values.reshape(*kernel, shape[-1], filters)
    expected = convolution.convolve(image.values, values, **window)
    rows = expected.shape[0]
    y = kernels.Tensor("Y", "junk:%dx%d:%s" % (rows, filters, case.sum))
    results, variants = kernels.run_function(
        base + ".json", [image, weights, kernels.Scalar("M", str(rows)),
                             kernels.Scalar("N", str(filters)), y], seed)
    kernels.compare("Y", case.sum, results["Y"], expected)
    return variants


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="CASE")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()

    def judge(text, target):
        case = Case(text)
        out = os.path.join(options.out, target)
        os.makedirs(out, exist_ok=True)
        source = os.path.join(out, "conv.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(case.mlir())
        kernels.compile_file(source, target, out)
        base = os.path.join(out, "conv")
        for number, run in enumerate(case.images + case.more):
            for seed in kernels.schedules(options.seeds, number):
                variants = check_image(case, base, *run, seed)
                if run in case.images:
                    check_kernel(case, base, variants)
        return "%d images" % len(case.images + case.more)

    return kernels.run_cases(options.cases, options.target, judge)


if __name__ == "__main__":
    sys.exit(main())
