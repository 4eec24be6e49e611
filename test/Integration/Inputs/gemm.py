#!/usr/bin/env python3
"""Generates matrix products, compiles and runs them on the emulator, and checks
every element exactly. Prints one line per case.

A case is a list of words (defaults in brackets):

    ta tb                    A is stored K x M, B is stored N x K
    in=bf16|f16|…            type of A and B [bf16]
    acc=f32|f16|i32          type of the accumulator [f32]
    out=f32|bf16|f16|…       type of C [acc]
    tile=MxNxK               [128x128x64]
    threads=N                [128]
    policy=square|full_row|full_col
    instr=wgmma|mma          required of the product
    copy=tma|cp_async|simt   required of both loads
    align=16                 rows of A and B are said to be aligned
    layout_a=TEXT layout_b=TEXT   given layouts of the shared tiles
    a=fragment b=fragment    the product reads this factor from registers
    swizzle=row|column       rasterised blocks, panel=N [2], serpentine
    pitch=P                  strided tensors: rows start every extent + P
                             elements, rounded up to 8 unless P is odd
    static                   extents are part of the types (one size only)
    clear                    C is overwritten by the first step, not filled
    batch                    a leading dimension of 3, one block each
    stages=N                 the loop is pipelined
    persist=true|false       blocks loop over tiles, or do not
    roles=required|off       whether warps are specialised
    store=tma|simt           C is stored from a shared tile
    sms=N,…                  multiprocessors of the device, one run each [132]
    sizes=MxNxK,…            [those of --sizes]; one tile is added where none goes
                             round the loop once more than it has stages
    error=TEXT               compiling fails with this message; `_` also
                             stands for a blank

Sizes need no relation to tiles. Where a kernel has variants the runner
works out from pitches and offsets which one must run, and insists on it."""

import argparse
import copy
import itertools
import os
import re
import sys

import numpy as np

import kernels

BATCH = 3


class Gemm:
    """One case: the words, with defaults filled in."""

    KEYS = {"in": "bf16", "acc": "f32", "out": None, "tile": "128x128x64",
            "threads": "128", "policy": None, "instr": None, "copy": None,
            "align": None,
            "layout_a": None, "layout_b": None, "a": "shared", "b": "shared",
            "swizzle": None, "panel": "2",
            "stages": None, "persist": None, "roles": None, "store": None,
            "sms": "132", "pitch": None, "sizes": None, "error": None}
    FLAGS = ("ta", "tb", "static", "clear", "batch", "serpentine")

    def __init__(self, text, default_sizes):
        self.text = text
        values = kernels.read_words(text, self.KEYS, self.FLAGS)
        self.__dict__.update(values)
        self.dtype = values["in"]
        self.out = self.out or self.acc
        self.bm, self.bn, self.bk = (int(n) for n in self.tile.split("x"))
        sizes = self.sizes or default_sizes
        self.sizes = [tuple(int(n) for n in s.split("x"))
                      for s in sizes.split(",")]
        if self.static:
            self.sizes = self.sizes[:1]
        self.has_rounds = False
        self.add_rounds()
        self.error = self.error and re.escape(self.error).replace("_", "[_ ]")

    def add_rounds(self):
        """A size in which every slot of the shared tiles is filled again, and all
        rows begin at multiples of 16 bytes."""
        k = (2 + int(self.stages or 0)) * self.bk
        is_odd = self.pitch is not None and int(self.pitch) % 2
        has_vectors = not is_odd and any(
            all(self.stored(name, *s)[1] * kernels.elem_bytes(self.dtype) % 16 == 0
                for name in "AB") for s in self.sizes)
        if self.static:
            needs_size, size = is_odd, self.sizes[0]
        else:
            needs_size = not has_vectors or max(s[2] for s in self.sizes) < k
            size = tuple((n + 15) // 16 * 16 for n in (self.bm, self.bn, k))
        if needs_size and self.error is None:
            self.sizes.append(size)
            self.has_rounds = True

    def at_size(self, index):
        """The case with the pitch that goes with a size."""
        if self.pitch is None or not self.has_rounds or index + 1 < len(self.sizes):
            return self
        case = copy.copy(self)
        case.pitch = str(int(self.pitch) // 2 * 2)
        return case

    def stored(self, name, m, n, k):
        """Extents of a tensor, or of its tile, as it is stored."""
        return {"A": (k, m) if self.ta else (m, k),
                "B": (n, k) if self.tb else (k, n), "C": (m, n)}[name]

    def tile_shape(self, name):
        return self.stored(name, self.bm, self.bn, self.bk)

    def pitch_of(self, columns):
        """Elements from row to row, and before the first one."""
        if self.pitch is None:
            return columns, 0
        extra = int(self.pitch)
        if extra % 2:
            return columns + extra, extra
        return (columns + extra + 7) // 8 * 8, 8


#===-- Text --------------------------------------------------------------===#

HOST = """\
func.func @gemm(%A: {A}, %B: {B}, %C: {C}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant {bm} : index
  %bn = arith.constant {bn} : index
  %bk = arith.constant {bk} : index
  %threads = arith.constant {threads} : index
  %true = arith.constant true
  %zero = arith.constant {zero} : {acc}
  %dm = arith.constant {dm} : index
  %dn = arith.constant {dn} : index
  %M = memref.dim %C, %dm : {C}
  %N = memref.dim %C, %dn : {C}
  %dk = arith.constant {dk} : index
  %K = memref.dim %A, %dk : {A}
  %nb = {batches}
  %gx = arith.ceildivui %N, %bn : index
  %gy = arith.ceildivui %M, %bm : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %nb)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
{body}
    gpu.terminator
  }}
  return
}}
"""

BODY = """\
{config}
{swizzle}
%m = arith.muli {row}, %bm : index
%n = arith.muli {column}, %bn : index
%As = tile.alloc {layout_a}: {As}
%Bs = tile.alloc {layout_b}: {Bs}
%acc = tile.alloc : {Cf}
{staging}
{fill}
scf.for %k = %c0 to %K step %bk {{
  %a = tile.region %A[{a_at}] [{a_size}] {drop}{align}: {A}
  %b = tile.region %B[{b_at}] [{b_size}] {drop}{align}: {B}
  tile.copy %a to %As {copy}: !tile.region<{a_tile}>, {As}
  tile.copy %b to %Bs {copy}: !tile.region<{b_tile}>, {Bs}
{clear}
{registers}
  tile.gemm {a}, {b}, %acc {clear_operand} {{{gemm}}} : ({a_type}, {b_type}, {Cf})
}} {stages}
%c = tile.region %C[{c_at}] [{c_size}] {drop}: {C}
{store}"""


def join(numbers):
    return ", ".join(str(n) for n in numbers)


def tensor_type(gemm, name, dtype):
    shape = ["?", "?"]
    if gemm.static:
        shape = [str(n) for n in gemm.stored(name, *gemm.sizes[0])]
    if gemm.batch:
        shape.insert(0, str(BATCH) if gemm.static else "?")
    strided = ""
    if gemm.pitch is not None:
        strides = ["?"] * (len(shape) - 1) + ["1"]
        strided = ", strided<[%s], offset: ?>" % ", ".join(strides)
    return "memref<%s%s>" % ("".join(n + "x" for n in shape) + dtype, strided)


def gemm_attributes(gemm):
    attributes = ["transpose_a"] * gemm.ta + ["transpose_b"] * gemm.tb
    if gemm.dtype == "f32":
        attributes.append('precision = "tf32"')
    if gemm.policy:
        attributes.append("policy = #tile.warp_policy<%s>" % gemm.policy)
    if gemm.instr:
        attributes.append("instr = #tile.instr<%s>" % gemm.instr)
    return ", ".join(attributes)


def swizzle_text(gemm):
    if not gemm.swizzle:
        return ""
    return ("%%i, %%j = tile.block_swizzle %%bx, %%by of %%sx, %%sy {panel = %s "
            ": i64, raster = #tile.raster<%s>%s}" %
            (gemm.panel, gemm.swizzle, ", serpentine" * gemm.serpentine))


def config_text(gemm):
    options = ["persist = " + gemm.persist] if gemm.persist else []
    if gemm.roles:
        options.append("specialize = #tile.specialize<%s>" % gemm.roles)
    return "tile.kernel_config {%s}" % ", ".join(options) if options else ""


def store_text(gemm, fields):
    """C is stored from registers, or from a shared tile."""
    window = "!tile.region<%s>" % fields["c_tile"]
    if not gemm.store:
        fields["staging"] = ""
        return "tile.copy %%acc to %%c : %s, %s" % (fields["Cf"], window)
    fields["staging"] = "%%Cs = tile.alloc : %s" % fields["Cs"]
    return ("tile.copy %%acc to %%Cs : %s, %s\n"
            "tile.copy %%Cs to %%c {instr = #tile.instr<%s>} : %s, %s" %
            (fields["Cf"], fields["Cs"], gemm.store, fields["Cs"], window))


def windows(gemm, fields):
    lead, lead_size = ("%bz, ", "1, ") if gemm.batch else ("", "")
    fields["drop"] = "drop [0] " if gemm.batch else ""
    at = {"A": ("%k", "%m") if gemm.ta else ("%m", "%k"),
          "B": ("%n", "%k") if gemm.tb else ("%k", "%n"), "C": ("%m", "%n")}
    for name, dtype in (("A", gemm.dtype), ("B", gemm.dtype), ("C", gemm.out)):
        shape = gemm.tile_shape(name)
        low = name.lower()
        fields[name] = tensor_type(gemm, name, dtype)
        fields[low + "_at"] = lead + join(at[name])
        fields[low + "_size"] = lead_size + join(shape)
        fields[low + "_tile"] = "%dx%dx%s" % (*shape, dtype)
        fields[name + "s"] = ("memref<%dx%dx%s, #gpu.address_space<workgroup>>"
                              % (*shape, dtype))
    fields["Cf"] = "memref<%dx%dx%s, #tile.fragment>" % (gemm.bm, gemm.bn,
                                                         gemm.acc)


def factors(gemm, fields):
    """Where the product finds its factors."""
    lines = []
    for name in ("A", "B"):
        low, shared = name.lower(), fields[name + "s"]
        fields[low], fields[low + "_type"] = "%%%ss" % name, shared
        if getattr(gemm, low) != "fragment":
            continue
        fragment = "memref<%s, #tile.fragment>" % fields[low + "_tile"]
        fields[low], fields[low + "_type"] = "%%%sf" % name, fragment
        lines += ["  %%%sf = tile.alloc : %s" % (name, fragment),
                  "  tile.copy %%%ss to %%%sf : %s, %s" % (name, name, shared,
                                                          fragment)]
    fields["registers"] = "\n".join(lines)


def mlir(gemm):
    fields = {"bm": gemm.bm, "bn": gemm.bn, "bk": gemm.bk, "acc": gemm.acc,
              "threads": gemm.threads,
              "zero": "0" if gemm.acc.startswith("i") else "0.0",
              "dm": int(gemm.batch), "dn": 1 + gemm.batch,
              "dk": (0 if gemm.ta else 1) + gemm.batch,
              "gemm": gemm_attributes(gemm),
              "align": "{align = %s : i64} " % gemm.align if gemm.align else "",
              "copy": "{instr = #tile.instr<%s>} " % gemm.copy
                      if gemm.copy else ""}
    windows(gemm, fields)
    factors(gemm, fields)
    fields["batches"] = ("memref.dim %%C, %%c0 : %s" % fields["C"] if gemm.batch
                         else "arith.constant 1 : index")
    for name in ("layout_a", "layout_b"):
        text = getattr(gemm, name)
        fields[name] = '{layout = #tile.layout<"%s">} ' % text if text else ""
    fields["fill"] = ("" if gemm.clear else
                      "tile.fill %%acc, %%zero : %s, %s" % (fields["Cf"],
                                                            gemm.acc))
    fields["clear"] = ("  %first = arith.cmpi eq, %k, %c0 : index"
                       if gemm.clear else "")
    fields["clear_operand"] = "clear %first" if gemm.clear else ""
    fields["swizzle"] = swizzle_text(gemm)
    fields["config"] = config_text(gemm)
    fields["store"] = store_text(gemm, fields)
    fields["stages"] = ("{tile.num_stages = %s : i32}" % gemm.stages
                        if gemm.stages else "")
    fields["column"], fields["row"] = (("%i", "%j") if gemm.swizzle else
                                       ("%bx", "%by"))
    body = BODY.format(**fields)
    fields["body"] = "\n".join("    " + line for line in body.split("\n"))
    return HOST.format(**fields)


#===-- Runs --------------------------------------------------------------===#


def tensor(gemm, name, kind, dtype, size):
    shape = gemm.stored(name, *size)
    pitch, offset = gemm.pitch_of(shape[1])
    strides = [pitch, 1]
    if gemm.batch:
        strides.insert(0, pitch * shape[0])
        shape = (BATCH,) + shape
    text = "%s:%s:%s" % (kind, "x".join(str(n) for n in shape), dtype)
    if gemm.pitch is not None:
        text += "@%s+%d" % ("x".join(str(n) for n in strides), offset)
    return kernels.Tensor(name, text)


def is_fit(gemm, variant, size):
    """Whether rows of the tensors that the variant names start at multiples of
    the bytes that it says, and none is empty if it needs a tensor map."""
    texts = [r["text"] for r in variant["requires"]]
    if any("extent" in text for text in texts) and 0 in size:
        return False
    if gemm.static and gemm.pitch is None:
        return True  # tensors with odd rows are left out of the requirements
    for number, name in enumerate("ABC"):
        asked = re.search(r"argument %d is a multiple of (\d+) bytes" % number,
                          "; ".join(texts))
        if not asked:
            continue
        rows, columns = gemm.stored(name, *size)
        pitch, offset = gemm.pitch_of(columns)
        dtype = gemm.out if name == "C" else gemm.dtype
        for elems in (pitch, offset, pitch * rows if gemm.batch else 0):
            if elems * kernels.elem_bytes(dtype) % int(asked.group(1)):
                return False
    return True


def expected_variant(gemm, launch, size):
    """The first variant whose requirements are met."""
    variants = launch["variants"]
    return 1 + [is_fit(gemm, v, size) for v in variants].index(True)


def reference(gemm, a, b):
    if gemm.ta:
        a = np.swapaxes(a, -1, -2)
    if gemm.tb:
        b = np.swapaxes(b, -1, -2)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return kernels.round_to(exact, gemm.acc)


def check_size(gemm, json_path, size, sms, seed):
    arguments = [tensor(gemm, "A", "ints", gemm.dtype, size),
                 tensor(gemm, "B", "ints", gemm.dtype, size),
                 tensor(gemm, "C", "junk", gemm.out, size)]
    results, taken = kernels.run_function(json_path, arguments, seed,
                                          ["--sms=" + sms])
    a, b, c = arguments
    if gemm.clear and size[2] == 0:
        return ""  # C is not defined
    expected = reference(gemm, a.values, b.values)
    kernels.compare("C", c.dtype, results["C"], expected)
    want = expected_variant(gemm, kernels.read_launches(json_path)[0], size)
    if taken != [want]:
        raise kernels.Failure("%s: variant %s ran, expected %d" % (size, taken,
                                                                 want))
    return "/%d" % want


def check(gemm, target, out, seeds):
    """Returns what to print after the case."""
    source = os.path.join(out, "gemm.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(mlir(gemm))
    try:
        kernels.compile_file(source, target, out)
    except kernels.Failure as failure:
        if gemm.error and failure.status == 1 and re.search(
                r"gemm\.mlir:\d+:\d+: error: .*" + gemm.error,
                str(failure)):
            return "rejected"
        raise
    if gemm.error:
        raise kernels.Failure("compiles, expected an error")
    taken = []
    sms = gemm.sms.split(",")
    for (index, size), count in itertools.product(enumerate(gemm.sizes), sms):
        for seed in kernels.schedules(seeds, index):
            variant = check_size(gemm.at_size(index), os.path.join(out, "gemm.json"),
                                 size, count, seed)
        if count == sms[0]:
            taken.append("%dx%dx%d%s" % (*size, variant))
    return " ".join(taken)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="CASE")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--out", help="folder of the outputs")
    parser.add_argument("--print", action="store_true",
                        help="print the kernels and stop")
    parser.add_argument("--sizes", default="304x200x136,129x127x65,1x1x1")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    if options.print:
        for text in options.cases:
            print(mlir(Gemm(text, options.sizes)))
        return 0
    if not options.target or not options.out:
        parser.error("expects --target and --out")

    def judge(text, target):
        out = os.path.join(options.out, target)
        os.makedirs(out, exist_ok=True)
        return check(Gemm(text, options.sizes), target, out, options.seeds)

    return kernels.run_cases(options.cases, options.target, judge)


if __name__ == "__main__":
    sys.exit(main())
