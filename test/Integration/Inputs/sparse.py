#!/usr/bin/env python3
"""Generates products with a structured sparse left factor, C = S · B, compiles
and runs them on the emulator, and checks every element exactly. Prints one line
per case.

S is dense on the host; `compress` makes of it what the kernel reads: half of the
elements, and the metadata that says where they belong (tile.gemm_sp).

A case is a list of words (defaults in brackets):

    in=bf16|f16|f32|i8|…  type of S and B [bf16]
    acc=f32|f16|i32       [f32, i32 for i8]
    tile=MxNxK            K counts elements of S [64x64x64]
    threads=N             [128]
    policy=square|full_row|full_col
    instr=wgmma|mma       required of the product
    tb                    B is stored N x K
    a=fragment            A is in registers
    words=i8|i32          the metadata comes in words of this type
    packed                the metadata is packed, in words of i32
    clear                 C is overwritten by the first step, not filled
    stages=N              the loop over K is pipelined
    roles=off             the threads that multiply also copy
    persist=true|false    blocks loop over tiles, or do not
    pad=none              metadata outside of E is not asked for
    whole                 sizes are multiples of the tile
    spills                registers may spill (variants that wide rows do not take)
    sizes=MxNxK,…         K is a multiple of 16, for f32 of 8 [those of --sizes];
                         one tile is added where no loop has two rounds
    error=TEXT            compiling fails with this message; `_` also stands for
                          a blank

--pipelines=N adds N cases of pipelines of all types, tiles, stages and numbers of
threads, with roles and without; 0: all. --gpu runs on a GPU in place of the
emulator. --sass has utils/check-wgmma-registers.py look at each cubin. --export runs
nothing and leaves in DIR what another machine needs, which has a GPU, tile-run and
Python without numpy:

    sparse.py --target=sm_90a --out=DIR --pipelines=0 --export
    tile-run --batch DIR/commands.txt && sparse-judge.py DIR"""

import argparse
import itertools
import os
import re
import subprocess
import sys

import numpy as np

import collect
import kernels

TEXT = """\
func.func @sparse(%A: memref<?x?x{t}>, %E: {E}, %B: memref<?x?x{t}>, %C: memref<?x?x{acc}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bka = arith.constant {ka} : index
  %bke = arith.constant {ke} : index
  %bm = arith.constant {m} : index
  %bn = arith.constant {n} : index
  %bk = arith.constant {k} : index
  %threads = arith.constant {threads} : index
  %zero = arith.constant {zero} : {acc}
  %first_two = arith.constant {pad} : {w}
  %M = memref.dim %C, %c0 : memref<?x?x{acc}>
  %N = memref.dim %C, %c1 : memref<?x?x{acc}>
  %dk = arith.constant {dk} : index
  %K = memref.dim %B, %dk : memref<?x?x{t}>
  %gx = arith.ceildivui %N, %bn : index
  %gy = arith.ceildivui %M, %bm : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
    {config}
    %i = arith.muli %by, %bm : index
    %j = arith.muli %bx, %bn : index
    %rows_64 = arith.constant 64 : index
    %i_packed = arith.divui %i, %rows_64 : index
    %As = tile.alloc : {As}
    %Es = tile.alloc : {Es}
    {view}
    %Bs = tile.alloc : {Bs}
    %acc = tile.alloc : {Cf}
    {fill}
    %rounds = arith.ceildivui %K, %bk : index
    scf.for %round = %c0 to %rounds step %c1 {{
      %x = arith.muli %round, %bk : index
      %xa = arith.muli %round, %bka : index
      %xe = arith.muli %round, %bke : index
      %a = tile.region %A[%i, %xa] [{m}, {ka}] : memref<?x?x{t}>
      %e = tile.region %E[{e_at}] [{e}] {pad_of_e} : {E}
      %b = tile.region %B[{b_at}] [{b}] : memref<?x?x{t}>
      tile.copy %a to %As : !tile.region<{m}x{ka}x{t}>, {As}
      tile.copy %e to %Es : !tile.region<{e_tile}x{w}>, {Es}
      tile.copy %b to %Bs : !tile.region<{b_tile}x{t}>, {Bs}
      {first}
      {registers}
      tile.gemm_sp {a}, %Ew, %Bs, %acc {clear} {{{attributes}}} : ({a_type}, {Ew}, {Bs}, {Cf})
    }} {loop}
    %c = tile.region %C[%i, %j] [{m}, {n}] : memref<?x?x{acc}>
    tile.copy %acc to %c : {Cf}, !tile.region<{m}x{n}x{acc}>
    gpu.terminator
  }}
  return
}}
"""


#===-- The format on the host --------------------------------------------===#


def compress(dense, group):
    """The stored half of `dense` and its metadata, in words of 16 bits."""
    rows, depth = dense.shape
    groups = dense.reshape(rows, depth // group, group)
    order = np.argsort(groups == 0, axis=2, kind="stable")[:, :, :group // 2]
    order.sort(axis=2)
    stored = np.take_along_axis(groups, order, 2).reshape(rows, depth // 2)
    bits = (order[:, :, 0] + 4 * order[:, :, 1] if group == 4
            else np.where(order[:, :, 0] == 0, 4, 14))
    words = bits.reshape(rows, depth // group // 4, 4) << [0, 4, 8, 12]
    return stored, words.sum(2).astype(np.uint16).view(np.int16)


def pack(words, dtype):
    """The words of `compress`, in the order of tile.gemm_sp's packed E."""
    rows, columns = (-n % d for n, d in zip(words.shape, (64, 4)))
    words = np.pad(words, ((0, rows), (0, columns)))
    m, k = words.shape[0] // 64, words.shape[1] // 4
    if dtype in ("i8", "f8E4M3FN", "f8E5M2"):
        halves = words.reshape(m, 4, 2, 8, k, 2, 2).transpose(0, 4, 1, 3, 5, 2, 6)
    else:
        halves = words.reshape(m, 4, 2, 8, k, 4).transpose(0, 4, 1, 3, 5, 2)
    return np.ascontiguousarray(halves).view(np.int32).reshape(m, k, 128)


def random_sparse(rows, depth, group, dtype, seed):
    rng = np.random.default_rng(seed)
    dense = rng.integers(-2, 3, (rows, depth // group, group))
    dropped = rng.permuted(np.broadcast_to(np.arange(group), dense.shape),
                           axis=2)[:, :, :group // 2]
    np.put_along_axis(dense, dropped, 0, 2)
    return kernels.round_to(dense.reshape(rows, depth), dtype)


#===-- Kernels -----------------------------------------------------------===#


class Sparse:
    KEYS = {"in": "bf16", "acc": None, "tile": "64x64x64", "threads": "128",
            "policy": None, "instr": None, "a": "shared", "words": "i16",
            "sizes": None, "error": None, "stages": None, "roles": None,
            "persist": None, "pad": "first"}
    FLAGS = ("tb", "clear", "whole", "spills", "packed")

    def __init__(self, text, default_sizes):
        self.text = text
        values = kernels.read_words(text, self.KEYS, self.FLAGS)
        self.__dict__.update(values)
        self.dtype = values["in"]
        self.acc = self.acc or ("i32" if self.dtype == "i8" else "f32")
        self.group = 2 if self.dtype == "f32" else 4
        self.extents = [int(n) for n in self.tile.split("x")]
        m, n, k = self.extents
        if self.whole:  # rounds: one, an odd and an even number
            default_sizes = ",".join("%dx%dx%d" % s for s in (
                (2 * m, n, 5 * k), (m, 2 * n, 4 * k), (m, n, k)))
        self.sizes = [tuple(int(n) for n in s.split("x"))
                      for s in (self.sizes or default_sizes).split(",")]
        if self.error is None and max(s[2] for s in self.sizes) < 2 * k:
            self.sizes.append((m, n, 2 * k))  # tiles are filled again
        self.error = self.error and re.escape(self.error).replace("_", "[_ ]")
        if self.packed:
            self.words, self.pad = "i32", "none"
        self.word_bits = int(self.words[1:])


def metadata(case):
    """What the kernel says of E."""
    m, _, k = case.extents
    if case.packed:
        shape, at = (m // 64, k // (16 * case.group), 128), "%i_packed, %xe, 0"
        tensor = "memref<?x?x128xi32>"
    else:
        shape, at = (m, k * 4 // (case.group * case.word_bits)), "%i, %xe"
        tensor = "memref<?x?x%s>" % case.words
    tile = "x".join(map(str, shape))
    shared = "memref<%sx%s, #gpu.address_space<workgroup>>" % (tile, case.words)
    seen = shared if case.packed else (
        "memref<%dx%dxi16, #gpu.address_space<workgroup>>" %
        (m, k // case.group // 4))
    return {"E": tensor, "e": ", ".join(map(str, shape)), "e_tile": tile, "e_at": at,
            "ke": shape[1], "Es": shared, "Ew": seen,
            "view": "%%Ew = tile.view %%Es : %s to %s" % (shared, seen)}


def mlir(case):
    m, n, k = case.extents
    b = (n, k) if case.tb else (k, n)

    def shared(rows, columns, dtype):
        return "memref<%dx%dx%s, #gpu.address_space<workgroup>>" % (
            rows, columns, dtype)

    attributes = ["transpose_b"] * case.tb
    if case.dtype == "f32":
        attributes.append('precision = "tf32"')
    if case.policy:
        attributes.append("policy = #tile.warp_policy<%s>" % case.policy)
    if case.instr:
        attributes.append("instr = #tile.instr<%s>" % case.instr)
    config = ["persist = " + case.persist] if case.persist else []
    if case.roles:
        config.append("specialize = #tile.specialize<%s>" % case.roles)
    pad = {8: 0x44, 16: 0x4444, 32: 0x44444444}[case.word_bits]
    fields = {"t": case.dtype, "acc": case.acc, "w": case.words, "m": m, "n": n,
              "k": k, "ka": k // 2, "pad": pad,
              "pad_of_e": "" if case.pad == "none" else
              "pad %%first_two : %s in" % case.words,
              "config": "tile.kernel_config {%s}" % ", ".join(config)
              if config else "",
              "loop": "{tile.num_stages = %s : i32}" % case.stages
              if case.stages else "",
              "threads": case.threads, "dk": int(case.tb),
              "zero": "0" if case.acc == "i32" else "0.0",
              "As": shared(m, k // 2, case.dtype),
              "Bs": shared(*b, case.dtype),
              "Cf": "memref<%dx%dx%s, #tile.fragment>" % (m, n, case.acc),
              "b": "%d, %d" % b, "b_tile": "%dx%d" % b,
              "b_at": "%j, %x" if case.tb else "%x, %j",
              "attributes": ", ".join(attributes), "a": "%As",
              "registers": "", "fill": "", "clear": "", "first": ""}
    fields["a_type"] = fields["As"]
    fields.update(metadata(case))
    if case.a == "fragment":
        fragment = "memref<%dx%dx%s, #tile.fragment>" % (m, k // 2, case.dtype)
        fields["a"], fields["a_type"] = "%Af", fragment
        fields["registers"] = (
            "%%Af = tile.alloc : %s\n      tile.copy %%As to %%Af : %s, %s" %
            (fragment, fields["As"], fragment))
    if case.clear:
        fields["first"] = "%first = arith.cmpi eq, %x, %c0 : index"
        fields["clear"] = "clear %first"
    else:
        fields["fill"] = "tile.fill %%acc, %%zero : %s, %s" % (fields["Cf"],
                                                               case.acc)
    return TEXT.format(**fields)


#===-- Pipelines ---------------------------------------------------------===#

# Of each type: the words that it needs, and K of an instruction.
TYPES = (("", 32), ("in=f16 tb", 32), ("in=f32 tb", 16), ("in=i8 tb", 64),
         ("in=f8E4M3FN tb", 64), ("in=f8E5M2 tb", 64), ("tb", 32))
# Rows and columns of the tile, threads, instructions along K.
SHAPES = ((64, 64, 128, 2), (128, 128, 256, 4), (128, 64, 128, 1),
          (192, 64, 384, 2), (64, 256, 128, 2), (128, 256, 256, 2),
          (64, 128, 256, 3), (256, 64, 256, 1))
FORMS = ("", "roles=off", "persist=true", "roles=off clear", "persist=false clear")


def pipelines(count):
    """Cases in which each pair of properties comes up; the first `count`, or all."""
    cases = []
    for i, stages in itertools.product(range(14), range(1, 6)):
        words, k = TYPES[(i + stages) % len(TYPES)]
        m, n, threads, steps = SHAPES[(i + 3 * stages) % len(SHAPES)]
        form = FORMS[(i + 2 * stages + i // 5) % len(FORMS)]
        elem_bytes = {16: 4, 32: 2, 64: 1}[k]
        stage_bytes = k * steps * elem_bytes * (m // 2 + n) + m * k * steps // 16
        if stage_bytes * (stages + 1) > 220 * 1024:
            continue
        cases.append(" ".join((words + " whole spills instr=wgmma tile=%dx%dx%d "
                               "threads=%d stages=%d %s" % (
                                   m, n, k * steps, threads, stages, form)).split()))
    return cases[:count] if count else cases


#===-- Runs --------------------------------------------------------------===#


def check_machine_code(cubin):
    """No register of a product under way is touched in the cubin."""
    checker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                           "..", "utils", "check-wgmma-registers.py")
    result = subprocess.run([sys.executable, checker, cubin], check=False,
                            capture_output=True, text=True)
    if result.returncode:
        raise kernels.Failure(result.stdout + result.stderr)


def export_run(json_path, name, arguments, exact):
    """Tensors of a run in files, what must come out of the last one, and a command
    for tile-run --batch; paths count from the folder of outputs."""
    folder, kernel = os.path.split(os.path.dirname(json_path))
    at = os.path.join(os.path.basename(folder), kernel)
    command = [os.path.join(at, "sparse.json"), "--gpu"]
    for argument in arguments:
        file = "%s.%s.npy" % (name, argument.name)
        argument.write(os.path.join(folder, kernel, file))
        command.append(os.path.join(at, file))
    np.save(os.path.join(folder, kernel, name + ".expected.npy"), exact)
    command.append("--save=%d=%s" % (len(arguments) - 1,
                                     os.path.join(at, name + ".out.npy")))
    with open(os.path.join(os.path.dirname(folder), "commands.txt"), "a",
              encoding="utf-8") as file:
        file.write("\n".join(command) + "\n\n")


def check_size(case, json_path, size, seed, export=False):
    m, n, k = size
    dense = random_sparse(m, k, case.group, case.dtype, seed or 1)
    stored, words = compress(dense, case.group)
    b = kernels.Tensor("B", "ints:%dx%d:%s" % (*((n, k) if case.tb else (k, n)),
                                              case.dtype))
    words = (pack(words, case.dtype) if case.packed else
             words.view("i%d" % (case.word_bits // 8)))
    a = kernels.Tensor("A", "zeros:%dx%d:%s" % (*stored.shape, case.dtype))
    e = kernels.Tensor("E", "zeros:%s:%s" % (
        "x".join(map(str, words.shape)), case.words))
    c = kernels.Tensor("C", "junk:%dx%d:%s" % (m, n, case.acc))
    a.values, e.values = stored, words
    factor = b.values.T if case.tb else b.values
    exact = dense.astype(np.float64) @ factor.astype(np.float64)
    if export:
        export_run(json_path, "%dx%dx%d" % size, [a, e, b, c],
                   exact.astype(np.int32 if case.acc == "i32" else np.float32))
        return
    results, _ = kernels.run_function(json_path, [a, e, b, c], seed)
    kernels.compare("C", case.acc, results["C"], exact)


def compile_with_spills(source, target, out):
    """ptxas may spill, but not serialise products."""
    output = kernels.run_program(["tile-compile", source, "--target=" + target,
                                  "-o", out, "--no-remarks"]).stderr
    if re.search(r"C75\d\d", output):
        raise kernels.Failure(output)
    if collect.FOLDER:
        collect.note_compile(source, target, out, [])


def check(case, target, options):
    out = os.path.join(options.out, target)
    if options.export:
        out = os.path.join(out, "%03d" % options.cases.index(case.text))
    os.makedirs(out, exist_ok=True)
    source = os.path.join(out, "sparse.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(mlir(case))
    try:
        if case.spills:
            compile_with_spills(source, target, out)
        else:
            kernels.compile_file(source, target, out)
    except kernels.Failure as failure:
        if case.error and failure.status == 1 and re.search(
                r"sparse\.mlir:\d+:\d+: error: .*" + case.error, str(failure)):
            return "rejected"
        raise
    if case.error:
        raise kernels.Failure("compiles, expected an error")
    if options.sass:
        check_machine_code(os.path.join(out, "sparse.cubin"))
    if options.export and options.cases.index(case.text) % 8 == 0:
        # More blocks than multiprocessors; few cases, for their tensors are large.
        case.sizes.append(tuple(n * f for n, f in zip(case.extents, (8, 18, 3))))
    seeds = [None] if options.gpu else range(1, options.seeds + 1)
    for size, seed in itertools.product(case.sizes, seeds):
        check_size(case, os.path.join(out, "sparse.json"), size, seed,
                   options.export)
    return "%d sizes" % len(case.sizes)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--sizes", default="128x64x128,67x51x80,1x1x16")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--pipelines", type=int, metavar="N")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--sass", action="store_true")
    parser.add_argument("--export", action="store_true")
    options = parser.parse_args()
    if options.pipelines is not None:
        options.cases += pipelines(options.pipelines)

    return kernels.run_cases(
        options.cases, options.target,
        lambda text, target: check(Sparse(text, options.sizes), target, options))


if __name__ == "__main__":
    sys.exit(main())
