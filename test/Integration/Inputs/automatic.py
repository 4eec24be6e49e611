#!/usr/bin/env python3
"""What the compiler chooses by itself never refuses a kernel: each one that compiles
without roles, with the stages that it asks for, compiles as it is.

Kernels are those of files, random ones of the other generators, and random products
and chains of products whose tiles take about all of shared memory, with one to three
warpgroups, one to four loops one after the other, reductions, results of several types.
Nothing is assembled. With --run, those of the last kind where a choice was taken back
are executed and compared with numpy. Prints what failed, how often a choice was taken
back, and a summary."""

import argparse
import collections
import importlib.util
import os
import random
import re
import subprocess
import sys

import numpy as np

import kernels

SMEM = {"sm_90a": 232448, "sm_80": 166912}  # bytes of a block


def load(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#===-- Kernels near the limit --------------------------------------------===#


class Limit:
    """A random kernel that takes from about 0.7 to 1.2 of shared memory."""

    def __init__(self, seed, target):
        r = self.random = random.Random("limit %d" % seed)
        self.limit = SMEM[target]
        self.groups = r.choice((1, 1, 2, 2, 3))
        self.is_chain = r.random() < 0.5
        self.out = r.choice(("f32", "f32", "bf16"))
        self.loops = 1 if self.is_chain else r.choice((1, 1, 1, 2, 3, 4))
        self.has_max = self.is_chain and r.random() < 0.5
        self.is_static = r.random() < 0.3
        self.config = r.choice(("", "", "", "persist = true", "rotate = false",
                                "partition = #tile.partition<pingpong>"))
        while True:
            self.m = r.choice((64, 64 * self.groups, 128))
            self.n = r.choice((32, 64, 96, 128, 192, 256))
            self.k = r.choice((32, 64, 128, 256) if self.is_chain else (16, 32, 64, 128))
            self.stages = r.randint(1, 6)
            if 0.7 * self.limit <= self.bytes() <= 1.2 * self.limit:
                break

    def bytes(self):
        """Of the tiles, with a slot per stage."""
        if self.is_chain:
            return 2 * self.k * (self.m + 2 * self.n * self.stages)
        rings = 2 * self.k * (self.m + self.n) * self.stages * self.loops
        if self.random.random() < 0.5:
            return rings
        return rings + self.m * self.n * (4 if self.out == "f32" else 2)

    def describe(self):
        return "%s %dx%dx%d, %d stages, %d warpgroups, %d loops, %s%s %s" % (
            "chain" if self.is_chain else "product", self.m, self.n, self.k, self.stages,
            self.groups, self.loops, self.out, ", max" if self.has_max else "",
            self.config)

    def mlir(self):
        extent = (lambda n: str(n)) if self.is_static else (lambda n: "?")
        m, n, k = self.m, self.n, self.k
        body = self.chain() if self.is_chain else self.product()
        width = k if self.is_chain else n
        types = ("memref<%sx%sxbf16>" % (extent(16 * m), k if self.is_chain else extent(8 * k)),
                 "memref<%sx%sxbf16>" % (extent(8 * n), k if self.is_chain else extent(8 * k)),
                 "memref<%sx%sx%s>" % (extent(16 * m), k if self.is_chain else extent(8 * n),
                                       self.out))
        config = "tile.kernel_config {%s}" % self.config if self.config else ""
        store = "tile.copy %%acc to %%c : memref<%dx%dxf32, #frag>, !tile.region<%dx%dx%s>" % (
            m, width, m, width, self.out)
        if self.out == "bf16":
            store = """%%half = tile.alloc : memref<%(s)sxbf16, #frag>
    tile.copy %%acc to %%half : memref<%(s)sxf32, #frag>, memref<%(s)sxbf16, #frag>
    tile.copy %%half to %%c : memref<%(s)sxbf16, #frag>, !tile.region<%(s)sxbf16>""" % {
                "s": "%dx%d" % (m, width)}
        return """#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
func.func @kernel(%%A: %s, %%B: %s, %%C: %s) {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%cm = arith.constant %d : index
  %%cn = arith.constant %d : index
  %%ck = arith.constant %d : index
  %%threads = arith.constant %d : index
  %%zero = arith.constant 0.0 : f32
  %%M = memref.dim %%A, %%c0 : %s
  %%K = memref.dim %%A, %%c1 : %s
  %%N = memref.dim %%B, %%c0 : %s
  %%gx = arith.ceildivui %%M, %%cm : index
  %%gy = %s
  gpu.launch blocks(%%bx, %%by, %%bz) in (%%sx = %%gx, %%sy = %%gy, %%sz = %%c1)
             threads(%%tx, %%ty, %%tz) in (%%nx = %%threads, %%ny = %%c1, %%nz = %%c1) {
    %s
    %%m = arith.muli %%bx, %%cm : index
    %%n = arith.muli %%by, %%cn : index
    %%acc = tile.alloc : memref<%dx%dxf32, #frag>
    tile.fill %%acc, %%zero : memref<%dx%dxf32, #frag>, f32
%s
    %%c = tile.region %%C[%%m, %s] [%d, %d] : %s
    %s
    gpu.terminator
  }
  return
}
""" % (*types, m, n, k, 128 * self.groups, types[0], types[0], types[1],
       "arith.addi %c1, %c0 : index" if self.is_chain else
       "arith.ceildivui %N, %cn : index", config, m, width, m, width, body,
       "%c0" if self.is_chain else "%n", m, width, types[2], store)

    def product(self):
        m, n, k = self.m, self.n, self.k
        extent = (lambda x: str(x)) if self.is_static else (lambda x: "?")
        a = "memref<%sx%sxbf16>" % (extent(16 * m), extent(8 * k))
        b = "memref<%sx%sxbf16>" % (extent(8 * n), extent(8 * k))
        return "\n".join("""    %%As%(i)d = tile.alloc : memref<%(m)dx%(k)dxbf16, #smem>
    %%Bs%(i)d = tile.alloc : memref<%(n)dx%(k)dxbf16, #smem>
    scf.for %%k = %%c0 to %%K step %%ck {
      %%ar = tile.region %%A[%%m, %%k] [%(m)d, %(k)d] : %(a)s
      %%br = tile.region %%B[%%n, %%k] [%(n)d, %(k)d] : %(b)s
      tile.copy %%ar to %%As%(i)d : !tile.region<%(m)dx%(k)dxbf16>, memref<%(m)dx%(k)dxbf16, #smem>
      tile.copy %%br to %%Bs%(i)d : !tile.region<%(n)dx%(k)dxbf16>, memref<%(n)dx%(k)dxbf16, #smem>
      tile.gemm %%As%(i)d, %%Bs%(i)d, %%acc {transpose_b} : (memref<%(m)dx%(k)dxbf16, #smem>, memref<%(n)dx%(k)dxbf16, #smem>, memref<%(m)dx%(n)dxf32, #frag>)
    } {tile.num_stages = %(stages)d : i32}""" % {
            "i": i, "m": m, "n": n, "k": k, "a": a, "b": b, "stages": self.stages}
                         for i in range(self.loops))

    def chain(self):
        m, n, k = self.m, self.n, self.k
        extent = (lambda x: str(x)) if self.is_static else (lambda x: "?")
        best = """      tile.reduce max %%S to %%max dim 1 : memref<%(m)dx%(n)dxf32, #frag>, memref<%(m)dxf32, #frag>
      tile.parallel (%%i, %%j) in [%(m)d, %(n)d] {
        %%s = memref.load %%S[%%i, %%j] : memref<%(m)dx%(n)dxf32, #frag>
        %%b = memref.load %%max[%%i] : memref<%(m)dxf32, #frag>
        %%d = arith.subf %%s, %%b : f32
        memref.store %%d, %%S[%%i, %%j] : memref<%(m)dx%(n)dxf32, #frag>
      }
""" if self.has_max else ""
        return ("""    %%Qs = tile.alloc : memref<%(m)dx%(k)dxbf16, #smem>
    %%Ks = tile.alloc : memref<%(n)dx%(k)dxbf16, #smem>
    %%Vs = tile.alloc : memref<%(n)dx%(k)dxbf16, #smem>
    %%S = tile.alloc : memref<%(m)dx%(n)dxf32, #frag>
    %%P = tile.alloc : memref<%(m)dx%(n)dxbf16, #frag>
    %%max = tile.alloc : memref<%(m)dxf32, #frag>
    tile.fill %%max, %%zero : memref<%(m)dxf32, #frag>, f32
    %%qr = tile.region %%A[%%m, 0] [%(m)d, %(k)d] : %(a)s
    tile.copy %%qr to %%Qs : !tile.region<%(m)dx%(k)dxbf16>, memref<%(m)dx%(k)dxbf16, #smem>
    scf.for %%x = %%c0 to %%N step %%cn {
      %%kr = tile.region %%B[%%x, 0] [%(n)d, %(k)d] : %(b)s
      %%vr = tile.region %%B[%%x, 0] [%(n)d, %(k)d] : %(b)s
      tile.copy %%kr to %%Ks : !tile.region<%(n)dx%(k)dxbf16>, memref<%(n)dx%(k)dxbf16, #smem>
      tile.copy %%vr to %%Vs : !tile.region<%(n)dx%(k)dxbf16>, memref<%(n)dx%(k)dxbf16, #smem>
      tile.fill %%S, %%zero : memref<%(m)dx%(n)dxf32, #frag>, f32
      tile.gemm %%Qs, %%Ks, %%S {transpose_b} : (memref<%(m)dx%(k)dxbf16, #smem>, memref<%(n)dx%(k)dxbf16, #smem>, memref<%(m)dx%(n)dxf32, #frag>)
""" + best + """      tile.copy %%S to %%P : memref<%(m)dx%(n)dxf32, #frag>, memref<%(m)dx%(n)dxbf16, #frag>
      tile.gemm %%P, %%Vs, %%acc : (memref<%(m)dx%(n)dxbf16, #frag>, memref<%(n)dx%(k)dxbf16, #smem>, memref<%(m)dx%(k)dxf32, #frag>)
    } {tile.num_stages = %(stages)d : i32}""") % {
        "m": m, "n": n, "k": k, "stages": self.stages,
        "a": "memref<%sx%dxbf16>" % (extent(16 * m), k),
        "b": "memref<%sx%dxbf16>" % (extent(8 * n), k)}


    def run(self, json_path):
        """On the emulator, with two ragged blocks of rows."""
        m, n, k = self.m, self.n, self.k
        width, depth = (k, 3 * n - 8) if self.is_chain else (n + 8, 3 * k + 8)
        a = (2 * m - 8, k if self.is_chain else depth)
        b = (depth if self.is_chain else width, a[1])
        if self.is_static:
            a = (16 * m, k if self.is_chain else 8 * k)
            b, width = (8 * n, a[1]), k if self.is_chain else 8 * n
        texts = ("ints:%dx%d:bf16" % a, "ints:%dx%d:bf16" % b,
                 "junk:%dx%d:%s" % (a[0], width, self.out))
        arguments = [kernels.make_argument(name, text) for name, text in zip("ABC", texts)]
        results, _ = kernels.run_function(json_path, arguments, 1, ["--sms=3"])
        kernels.compare("C", self.out, results["C"],
                        self.expected(arguments[0].values, arguments[1].values))

    def expected(self, a, b):
        a, b = a.astype(np.float32), b.astype(np.float32)
        if not self.is_chain:
            return self.loops * (a @ b.T)
        best, total = np.zeros((len(a), 1), np.float32), 0
        for x in range(0, len(b), self.n):
            sums = a @ b[x:x + self.n].T
            if self.has_max:
                best = np.maximum(best, sums.max(1, keepdims=True))
                sums = sums - best
            total = total + kernels.round_to(sums, "bf16") @ b[x:x + self.n]
        return total


#===-- Kernels of the other generators -----------------------------------===#


def random_text(seed, target):
    """The kernel of number `seed`, and which generator made it."""
    name = ("products", "rotated", "tiles", "factors", "programs")[seed % 5]
    module = load("random-" + name)
    if name == "products":
        maker = module.Maker(seed)
        body = maker.kernel()
        return name, module.ProductText("kernel", maker.shape, body, None).function() + "\n"
    if name == "rotated":
        return name, ("#smem = #gpu.address_space<workgroup>\n#frag = #tile.fragment\n" +
                      module.Kernel(seed, "").text() + "\n")
    if name == "programs":
        maker = module.Maker(seed)
        body = module.flat(maker.kernel())
        threads, is_dynamic, config = maker.settings()
        return name, module.Text("kernel", body, config, is_dynamic).function(
            threads=threads)
    if name == "tiles":
        return name, module.Program(seed, 12).mlir()
    return name, module.Program(seed, target).mlir()


#===-- Judge -------------------------------------------------------------===#


def compiles(path, target, out, emit="ptx"):
    result = subprocess.run(
        ["tile-compile", path, "--target=" + target, "--emit=" + emit, "-o", out],
        capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        return False, "exit %d: %s" % (result.returncode, result.stderr)
    return result.returncode == 0, result.stderr


class Kernel:
    """A kernel to judge; afterwards, what was found."""

    def __init__(self, text, what, name, target, run=None):
        self.text, self.what, self.name, self.target = text, what, name, target
        self.run = run
        self.taken_back, self.failure = [], None
        self.compiles_in_no_form, self.was_run = False, False


def judge(kernel, out, emit, runs):
    folder = os.path.join(out, "%s-%s" % (kernel.name, kernel.target))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "source.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(kernel.text)
    is_fine, said = compiles(path, kernel.target, folder, emit)
    kernel.taken_back = re.findall(r"\[(tile-choice/[a-z]+)\]", said)
    if is_fine:
        if kernel.run and runs and "memref<?" in kernel.text and kernel.taken_back:
            execute(kernel, folder)
        return kernel
    off = os.path.join(folder, "off.mlir")
    with open(off, "w", encoding="utf-8") as file:
        file.write(kernels.without_roles(kernel.text))
    if compiles(off, kernel.target, folder, emit)[0]:
        error = re.search(r"error: .*", said)
        kernel.failure = error.group(0) if error else said[-400:]
    else:
        kernel.compiles_in_no_form = True
    return kernel


def execute(kernel, folder):
    kernel.was_run = True
    try:
        kernel.run(os.path.join(folder, "kernel.json"))
    except kernels.Failure as failure:
        kernel.failure = str(failure)


def report(judged):
    """Prints failures as they come, then the sums. Returns the number of failures."""
    codes, done = collections.Counter(), []
    for kernel in judged:
        done.append(kernel)
        codes.update(kernel.taken_back)
        if kernel.failure is not None:
            print("FAILED %s %s (%s): %s" % (kernel.target, kernel.name, kernel.what,
                                             kernel.failure), flush=True)
    for code, count in sorted(codes.items()):
        print("%s: %d" % (code, count))
    num_failed = sum(k.failure is not None for k in done)
    print("%d kernels, %d compile in neither form, %d executed, %d failed" % (
        len(done), sum(k.compiles_in_no_form for k in done), sum(k.was_run for k in done),
        num_failed))
    return num_failed


def all_kernels(options):
    for target in options.target:
        for path in options.files:
            with open(path, encoding="utf-8") as file:
                name = os.path.splitext(os.path.basename(path))[0]
                yield Kernel(file.read(), path, name, target)
        first, count = map(int, options.random.split(":"))
        for seed in kernels.some(first, count):
            what, text = random_text(seed, target)
            yield Kernel(text, what, "random%d" % seed, target)
        first, count = map(int, options.limit.split(":"))
        for seed in kernels.some(first, count):
            kernel = Limit(seed, target)
            yield Kernel(kernel.mlir(), kernel.describe(), "limit%d" % seed, target,
                         kernel.run)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--random", default="0:0", help="FIRST:COUNT of the generators")
    parser.add_argument("--limit", default="0:0", help="FIRST:COUNT near the limit")
    parser.add_argument("--emit", default="ptx", help="mlir: all passes, no PTX")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    emit = "ptx,json" if options.run else options.emit
    num_failed = report(kernels.each(
        lambda kernel: judge(kernel, options.out, emit, options.run), all_kernels(options)))
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
