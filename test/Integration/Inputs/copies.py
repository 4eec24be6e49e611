#!/usr/bin/env python3
"""Generates kernels that carry a tile through a chain of memories, compiles and
runs them, and checks every element.

A chain is "SHAPE: STEP > STEP > …" such as

    16x32: global.bf16 > shared.bf16 > fragment.f32 > global.f16

Every step but the first is a `tile.copy`, which converts the elements. The
first and the last step are tensors of any extent; the tile is a window at
their origin, so that ragged tensors cut it. Prints one line per chain.

With --expect TEXT the compiler must reject the chain with this message."""

import argparse
import os
import re
import sys

import kernels

SPACES = {"shared": ", #gpu.address_space<workgroup>",
          "fragment": ", #tile.fragment",
          "private": ", #gpu.address_space<private>"}

KERNEL = """\
func.func @chain(%A: {src}, %B: {dst}) {{
  %c1 = arith.constant 1 : index
  %threads = arith.constant {threads} : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
    %t0 = tile.region %A[{zeros}] [{sizes}] : {src}
{body}
    gpu.terminator
  }}
  return
}}
"""


class Chain:
    def __init__(self, text):
        shape, steps = text.split(":")
        self.text = text
        self.shape = tuple(int(n) for n in shape.strip().split("x"))
        self.steps = [s.strip().split(".") for s in steps.split(">")]

    def tensor_type(self, dtype):
        return "memref<%s%s>" % ("?x" * len(self.shape), dtype)

    def tile_type(self, space, dtype):
        tile = "x".join(str(n) for n in self.shape) + "x" + dtype
        if space == "global":
            return "!tile.region<%s>" % tile
        return "memref<%s%s>" % (tile, SPACES[space])

    def mlir(self, threads):
        zeros = ", ".join("0" for _ in self.shape)
        sizes = ", ".join(str(n) for n in self.shape)
        src, dst = (self.tensor_type(self.steps[i][1]) for i in (0, -1))
        lines = []
        for i, (space, dtype) in enumerate(self.steps[1:], 1):
            tile = self.tile_type(space, dtype)
            if space == "global":
                lines.append("%%t%d = tile.region %%B[%s] [%s] : %s"
                             % (i, zeros, sizes, dst))
            else:
                lines.append("%%t%d = tile.alloc : %s" % (i, tile))
            lines.append("tile.copy %%t%d to %%t%d : %s, %s"
                         % (i - 1, i, self.tile_type(*self.steps[i - 1]), tile))
        return KERNEL.format(src=src, dst=dst, threads=threads, zeros=zeros,
                             sizes=sizes,
                             body="\n".join("    " + line for line in lines))

    def convert(self, values):
        for _, dtype in self.steps[1:]:
            values = kernels.round_to(values, dtype)
        return values


def tensor_text(kind, shape, dtype):
    return "%s:%s:%s" % (kind, "x".join(str(n) for n in shape), dtype)


def check(chain, target, options):
    """Shapes: the tile; one that cuts it; larger ones, with rows of 16 bytes at
    last: the fast variant and the other one meet full and partial tiles."""
    out = os.path.join(options.out, target)
    os.makedirs(out, exist_ok=True)
    source = os.path.join(out, "chain.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(chain.mlir(options.threads))
    kernels.compile_file(source, target, out)
    shapes = [chain.shape, tuple(max(1, n - 3) for n in chain.shape),
              tuple(n + 8 for n in chain.shape)]
    rows = (chain.shape[-1] + 15) // 16 * 16
    shapes += [(*chain.shape[:-1], rows)] * (chain.shape[-1] != rows)
    for seed, shape in enumerate(shapes, 1):
        src, dst = chain.steps[0][1], chain.steps[-1][1]
        a = kernels.Tensor("A", tensor_text(options.values, shape, src))
        b = kernels.Tensor("B", tensor_text("junk", shape, dst))
        results, _ = kernels.run_function(os.path.join(out, "chain.json"),
                                          [a, b], seed)
        expected = b.values.copy()
        window = tuple(slice(0, n) for n in chain.shape)
        expected[window] = chain.convert(a.values[window])
        kernels.compare("B", dst, results["B"], expected)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chains", nargs="+", metavar="CHAIN")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--values", default="normal", help="kind (kernels.py)")
    parser.add_argument("--threads", type=int, default=128)
    parser.add_argument("--expect", help="message with which compiling fails")
    options = parser.parse_args()

    num_failed = 0
    for text in options.chains:
        for target in options.target:
            try:
                check(Chain(text), target, options)
                ok = options.expect is None
                note = "" if ok else ": expected an error"
            except kernels.Failure as failure:
                located = re.search(r"chain\.mlir:\d+:\d+: error: (.*)",
                                    str(failure))
                note = ": %s" % (located.group(1) if located and
                                 failure.status == 1 else failure)
                ok = options.expect is not None and options.expect in note
            print("%s %s %s%s" % ("ok" if ok else "FAILED", target, text, note))
            num_failed += not ok
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
