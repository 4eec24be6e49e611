#!/usr/bin/env python3
"""Compiles a kernel for each op of foreign-ops.txt and writes what became of it
as a page of Markdown: the op becomes PTX, or an error with a place in the file.

    foreign-ops.py --out=FOLDER --target=CHIP … [--ops=DIALECT=FILE.json ...]

--ops names a dump of the ops of a dialect (llvm-tblgen --dump-json): one that
foreign-ops.txt does not have is listed as not tried. An op that is refused
without a place, or ends the compiler, makes the program fail."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PATTERNS = {
    "@complex1": ("complex.%s", "complex<f32>", "%%r = complex.%s %%z : complex<f32>"),
    "@math1": ("math.%s", "f32", "%%r = math.%s %%f : f32"),
    "@math2": ("math.%s", "f32", "%%r = math.%s %%f, %%g : f32"),
    "@mathi": ("math.%s", "i32", "%%r = math.%s %%i : i32"),
    "@mathb": ("math.%s", "i1", "%%r = math.%s %%f : f32"),
    "@llvmi": ("llvm.%s", "i32", "%%r = llvm.%s %%i, %%j : i32"),
    "@llvmf": ("llvm.%s", "f32", "%%r = llvm.%s %%f, %%g : f32"),
    "@sreg": ("nvvm.read.ptx.sreg.%s", "i32", "%%r = nvvm.read.ptx.sreg.%s : i32"),
    "@index2": ("index.%s", "index", "%%r = index.%s %%t, %%c3"),
}
# Ops that stand in others of the list, or that hold kernels.
PARTS = set("""affine.yield func.func func.return memref.global memref.atomic_yield
memref.alloca_scope.return vector.yield gpu.yield gpu.func gpu.return gpu.module gpu.launch
gpu.launch_func gpu.terminator gpu.binary""".split())
STORES = {
    "index": "%ri = arith.index_cast %r : index to i32\nmemref.store %ri, %I[%t] : memref<64xi32>",
    "i32": "memref.store %r, %I[%t] : memref<64xi32>",
    "i64": "%ri = arith.trunci %r : i64 to i32\nmemref.store %ri, %I[%t] : memref<64xi32>",
    "i1": "%ri = arith.extui %r : i1 to i32\nmemref.store %ri, %I[%t] : memref<64xi32>",
    "f32": "memref.store %r, %B[%t] : memref<64xf32>",
    "f64": "memref.store %r, %D[%c1] : memref<4xf64>",
    "f16": "%rf = arith.extf %r : f16 to f32\nmemref.store %rf, %B[%t] : memref<64xf32>",
    "vector<4xf32>": "vector.store %r, %B[%t] : memref<64xf32>, vector<4xf32>",
    "vector<4xi32>": "vector.store %r, %I[%t] : memref<64xi32>, vector<4xi32>",
    "complex<f32>": "%rf = complex.re %r : complex<f32>\nmemref.store %rf, %B[%t] : memref<64xf32>",
    "-": "",
}
KERNEL = """memref.global "private" constant @G : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func private @callee(%%x: f32) -> f32 {
  %%y = arith.mulf %%x, %%x : f32
  return %%y : f32
}
func.func private @other(%%x: f32) -> f32 {
  %%y = arith.addf %%x, %%x : f32
  return %%y : f32
}
func.func @k(%%A: memref<64xf32>, %%B: memref<64xf32>, %%M: memref<8x8xf32>, %%I: memref<64xi32>,
             %%H: memref<16x16xf16>, %%D: memref<4xf64>, %%j: i32, %%h: f16) {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%c2 = arith.constant 2 : index
  %%c3 = arith.constant 3 : index
  %%c4 = arith.constant 4 : index
  %%c32 = arith.constant 32 : index
  gpu.launch blocks(%%bx, %%by, %%bz) in (%%sx = %%c1, %%sy = %%c1, %%sz = %%c1)
             threads(%%t, %%ty, %%tz) in (%%nx = %%c32, %%ny = %%c1, %%nz = %%c1)%s {
    %%i = memref.load %%I[%%t] : memref<64xi32>
    %%l = arith.extsi %%i : i32 to i64
    %%f = memref.load %%A[%%t] : memref<64xf32>
    %%g = memref.load %%A[%%c1] : memref<64xf32>
    %%d = memref.load %%D[%%c1] : memref<4xf64>
    %%b = arith.cmpf olt, %%f, %%g : f32
    %%v = vector.load %%A[%%t] : memref<64xf32>, vector<4xf32>
    %%w = vector.load %%A[%%c4] : memref<64xf32>, vector<4xf32>
    %%u = vector.load %%I[%%c4] : memref<64xi32>, vector<4xi32>
    %%p = arith.cmpf olt, %%v, %%w : vector<4xf32>
    %%z = complex.create %%f, %%g : complex<f32>
    %%y = complex.create %%g, %%f : complex<f32>
%s
    gpu.terminator
  }
  return
}
"""

HEAD = """# Ops of other dialects

<!-- written by test/Integration/Inputs/foreign-ops.py; test/Integration/foreign-ops.test compares -->

What becomes of a use of each op in a kernel ([Neighbours](../Rationale/Neighbours.md)). Ops of `gpu` about sparse matrices, streams and memory of the device, and those of `llvm` about
modules, have their place outside of kernels. What is not tried goes the way of the rest: upstream's conversions, and LLVM's translation of `llvm` and `nvvm`.

| Refused | for | with the error |
|---|---|---|"""

Use = collections.namedtuple("Use", "op type lines")


def read_uses(path):
    uses = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("@"):
                name, type_, text = PATTERNS[line.split()[0]]
                uses += [Use(name % op, type_, text % op) for op in line.split()[1:]]
                continue
            op, type_, text = line.split(": ", 2)
            uses.append(Use(op, type_, text))
    return uses


def write_kernel(use, path):
    body = use.lines.replace(" ;; ", "\n") + "\n" + STORES[use.type]
    extra = " dynamic_shared_memory_size %smem" if "dynamic_shared" in use.op else ""
    text = KERNEL % (extra, body)
    if extra:
        text = text.replace("  gpu.launch", "  %smem = arith.constant 256 : i32\n  gpu.launch", 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def compile_use(use, target, out):
    """PTX: "". Otherwise the error, without the place; None: without a place."""
    path = os.path.join(out, re.sub(r"\W", "-", use.op) + ".mlir")
    write_kernel(use, path)
    run = subprocess.run(["tile-compile", path, "--target=" + target, "--emit=ptx", "-o", "-"],
                         capture_output=True, text=True, cwd=out)
    if run.returncode == 0:
        return ""
    match = re.search(r":\d+:\d+: error: (.*)", run.stderr)
    if run.returncode != 1 or not match:
        print("%s: %s: exit status %d: %s" % (use.op, target, run.returncode, run.stderr[:400]),
              file=sys.stderr)
        return None
    return match.group(1).replace(target, "the target").replace("|", "\\|")


def missing_ops(options, tried):
    for spec in options.ops:
        dialect, path = spec.split("=", 1)
        with open(path, encoding="utf-8") as file:
            records = json.load(file)
        names = {dialect + "." + r["opName"] for r in records.values()
                 if isinstance(r, dict) and r.get("opName") and "Op" in r.get("!superclasses", [])}
        yield from sorted(names - tried - PARTS)


def print_list(title, ops):
    if ops:
        print("\n%s: %s." % (title, ", ".join("`%s`" % op for op in ops)))


def print_page(results, options):
    print(HEAD)
    for op, errors in results.items():
        said = collections.defaultdict(list)
        for target, error in errors.items():
            if error:
                said[error].append(target)
        for error, targets in said.items():
            print("| `%s` | %s | %s |" % (op, ", ".join(targets), error))
    print_list("Become PTX for every target",
               [op for op, errors in results.items() if not any(errors.values())])
    tried = {op.split(" ")[0] for op in results}
    print_list("Not tried", list(missing_ops(options, tried)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--ops", action="append", default=[])
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    options.out = os.path.abspath(options.out)
    results = {use.op: {target: compile_use(use, target, options.out) for target in options.target}
               for use in read_uses(os.path.join(HERE, "foreign-ops.txt"))}
    print_page(results, options)
    errors = [error for of_op in results.values() for error in of_op.values()]
    print("%d of %d lowered" % (errors.count(""), len(errors)), file=sys.stderr)
    return None in errors


if __name__ == "__main__":
    sys.exit(main())
