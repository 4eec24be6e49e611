#!/usr/bin/env python3
"""Measures what tile-verify-channels costs, which must prove the kernel: CPU time and
memory of tile-opt with the pass, less those without it. A kernel is a file, or `nest:N`,
a pipeline below N loops and branches, one in the other. Each is taken as it is, without
roles that the compiler makes, and without the lines that declare channels."""

import argparse
import os
import resource
import sys

import kernels
from barriersubjects import PROOF, pipelines, without_channels

BF16, SMEM = "memref<?x?xbf16>", "#gpu.address_space<workgroup>"
TILE, FRAGMENT = "memref<64x32xbf16, %s>" % SMEM, "memref<64x64xf32, #tile.fragment>"
REGION = "!tile.region<64x32xbf16>"
MAX_SECONDS, MAX_BYTES = 60, 6 << 30 # of a process: what costs more is not waited for


def nest(depth, kinds="if,for"):
    """Ops of these kinds in turn around a product with three stages."""
    kinds = kinds.split(",")
    lines = ["func.func @nest(%%A: %s, %%B: %s, %%C: memref<?x?xf32>, %%n: index) {" % (BF16, BF16)]
    lines += ["%%c%d = arith.constant %d : index" % (n, n) for n in (0, 1, 32, 128)]
    lines += ["%z = arith.constant 0.0 : f32",
              "gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1) "
              "threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {",
              "%%acc = tile.alloc : %s" % FRAGMENT,
              "tile.fill %%acc, %%z : %s, f32" % FRAGMENT,
              "%%S = tile.alloc : %s" % TILE, "%%T = tile.alloc : %s" % TILE]
    counter = "%c0"
    for level in range(depth):
        if kinds[level % len(kinds)] == "if":
            lines += ["%%g%d = arith.cmpi sgt, %%n, %s : index" % (level, counter),
                      "scf.if %%g%d {" % level]
        else:
            counter = "%%i%d" % level
            lines.append("scf.for %s = %%c0 to %%n step %%c1 {" % counter)
    lines += ["scf.for %k = %c0 to %n step %c1 {", "%o = arith.muli %k, %c32 : index"]
    for tensor, tile in (("A", "S"), ("B", "T")):
        lines += ["%%%s0 = tile.region %%%s[%%c0, %%o] [64, 32] : %s" % (tile, tensor, BF16),
                  "tile.copy %%%s0 to %%%s : %s, %s" % (tile, tile, REGION, TILE)]
    lines += ["tile.gemm %%S, %%T, %%acc {transpose_b} : (%s, %s, %s)" % (TILE, TILE, FRAGMENT),
              "} {tile.num_stages = 3 : i32}"] + ["}"] * depth
    lines += ["%c = tile.region %C[%c0, %c0] [64, 64] : memref<?x?xf32>",
              "tile.copy %%acc to %%c : %s, !tile.region<64x64xf32>" % FRAGMENT,
              "gpu.terminator", "}", "return", "}"]
    return "\n  ".join(lines[:-1]) + "\n}\n"


def cost(command):
    """(seconds, MiB) of a process that must succeed; None, what it said."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(write, 2)
        os.close(read)
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
        os.execvp(command[0], command)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        said = pipe.read()
    _, status, used = os.wait4(pid, 0)
    if status:
        raise kernels.Failure(said.split("\n")[0] or "ends with %d" %
                              os.waitstatus_to_exitcode(status))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(path, options):
    synced = "synced=true target=" + options.target
    with_it = ["tile-opt", path, "-o", os.devnull, "--%s=strict=true %s" % (PROOF, synced)]
    seconds, size = cost(with_it[:-1])
    more, larger = cost(with_it)
    if more - seconds > options.seconds or larger - size > options.mib:
        raise kernels.Failure("%.2f s and %.0f MiB, more than %g s or %g MiB" % (
            more - seconds, larger - size, options.seconds, options.mib))


def forms(name, options):
    """(what it is, file) of a kernel just before the proof."""
    if name.startswith("nest:"):
        text = nest(int(name.split(":")[1]), *name.split(":")[2:])
    else:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    for label, change in (("", str), (" without roles", kernels.without_roles)):
        source = os.path.join(options.out, "in.mlir")
        staged = os.path.join(options.out, "staged.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(change(text))
        kernels.run_program(["tile-opt", source, "-o", staged, "--pass-pipeline=" +
                             pipelines(options.target)[0]])
        yield os.path.basename(name) + label, staged
        with open(staged, encoding="utf-8") as file:
            lines = file.readlines()
        if without_channels(lines) != lines:
            with open(staged, "w", encoding="utf-8") as file:
                file.write("".join(without_channels(lines)))
            yield os.path.basename(name) + label + " without channels", staged


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--mib", type=float, default=256)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    num_failed = 0
    for name in options.kernels:
        for label, path in forms(name, options):
            try:
                measure(path, options)
                print("ok %s" % label)
            except kernels.Failure as failure:
                print("FAILED %s: %s" % (label, failure))
                num_failed += 1
            sys.stdout.flush()
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
