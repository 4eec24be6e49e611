#!/usr/bin/env python3
"""Whether remarks on registers say what ptxas finds: a kernel loads fragments,
waits for other threads and stores them. It spills where a remark was made, and
nowhere else.

    fragment-registers.py --out=DIR "TARGET WAY TYPE ELEMENTS [FRAGMENTS]" …

ELEMENTS of a row are in one of 128 threads. WAY is

    elements   from a tensor, one by one
    words      from a shared tile, in vectors"""

import argparse
import os
import re
import sys

import kernels

ROWS = 128
# Moves a number between threads, which all wait for.
MEETING = """\
    %seven = arith.constant 7 : i32
    %w0 = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=(d0:32*4) -> d0:128>">} : memref<128xi32, #tile.fragment>
    %w1 = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:4*32), warp=(d0:1*4) -> d0:128>">} : memref<128xi32, #tile.fragment>
    tile.fill %w0, %seven : memref<128xi32, #tile.fragment>, i32
    tile.copy %w0 to %w1 : memref<128xi32, #tile.fragment>, memref<128xi32, #tile.fragment>
    tile.copy %w1 to %W : memref<128xi32, #tile.fragment>, memref<128xi32>
"""


def kernel(way, dtype, elems, count):
    shape = "%dx%dx%s" % (ROWS, elems, dtype)
    tensor, fragment = "memref<%s>" % shape, "memref<%s, #tile.fragment>" % shape
    shared = "memref<%s, #gpu.address_space<workgroup>>" % shape
    layout = ("bases<reg=(d1:1*%d), lane=(d0:1*32), warp=(d0:32*4) -> d0:%d, d1:%d>"
              % (elems, ROWS, elems))
    alloc, load, store = [], [], []
    for i in range(count):
        alloc.append('%%f%d = tile.alloc {layout = #tile.layout<"%s">} : %s'
                     % (i, layout, fragment))
        if way == "words":
            for s in "st":
                alloc.append("%%%s%d = tile.alloc : %s" % (s, i, shared))
            load.append("tile.copy %%A%d to %%s%d : %s, %s" % (i, i, tensor, shared))
            load.append("tile.copy %%s%d to %%f%d : %s, %s"
                        % (i, i, shared, fragment))
            store.append("tile.copy %%f%d to %%t%d : %s, %s"
                         % (i, i, fragment, shared))
            store.append("tile.copy %%t%d to %%B%d : %s, %s"
                         % (i, i, shared, tensor))
        else:
            load.append("tile.copy %%A%d to %%f%d : %s, %s"
                        % (i, i, tensor, fragment))
            store.append("tile.copy %%f%d to %%B%d : %s, %s"
                         % (i, i, fragment, tensor))
    params = ["%%%s%d: %s" % (n, i, tensor) for n in "AB" for i in range(count)]
    text = "func.func @registers(%s) {\n" % ", ".join(["%W: memref<128xi32>"] + params)
    text += "  %c1 = arith.constant 1 : index\n  %c128 = arith.constant 128 : index\n"
    text += "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)\n"
    text += "    threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {\n"
    text += "".join("    %s\n" % line for line in alloc + load) + MEETING
    text += "".join("    %s\n" % line for line in store)
    return text + "    gpu.terminator\n  }\n  return\n}\n"


def check(case, out):
    target, way, dtype, elems, *count = case.split()
    path = os.path.join(out, case.replace(" ", "-") + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(kernel(way, dtype, int(elems), int(count[0]) if count else 1))
    result = kernels.run_program(["tile-compile", path, "--target=" + target,
                                  "-o", out])
    says = re.findall(r"remark: \[(tile-\w+/registers)\]", result.stderr)
    spills = "registers spilled" in result.stderr
    if bool(says) != spills:
        raise kernels.Failure("remarks %s, and ptxas %s\n%s" % (
            says, "spills" if spills else "does not spill", result.stderr))
    return "spills, as %s says" % says[0] if spills else "fits"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="CASE")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for case in options.cases:
        print("ok %s: %s" % (case, check(case, options.out)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
