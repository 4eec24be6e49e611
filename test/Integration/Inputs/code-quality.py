#!/usr/bin/env python3
"""Assembles what tile-compile makes, and judges it without a GPU.

    code-quality.py --out=DIR --hand-written=DIR --attention=FILE.mlir FILE.mlir …

ptxas must report no spills and none of its messages (those on serialised wgmma,
on an ignored setmaxnreg, on a register that an access of a product needs twice).
Matrix products and the attention of --attention must have at most so many
instructions as a multiple of the kernel that was written by hand for the same tile,
stages and shape; the table LIMITS and ATTENTION_LIMIT have the multiples. Attention must compute its exponentials while a product
is under way, which ptxas undoes when it moves a wait. Instructions are counted in the cubin, without the
NOPs that pad it. One line per file and target."""

import argparse
import os
import re
import shutil
import struct
import subprocess
import sys

import kernels

TARGETS = ("sm_90a", "sm_80")
MESSAGE = re.compile(r"\(C\d+\).*")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


class Failure(Exception):
    """What is wrong with a kernel, or with the run."""


#===-- The assembler -----------------------------------------------------===#


def find_ptxas():
    return shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"


def assemble(ptx, target):
    """Assembles `ptx`. Returns the path of the cubin and all complaints."""
    cubin = os.path.splitext(ptx)[0] + ".cubin"
    result = subprocess.run([find_ptxas(), "-v", "-arch=" + target, ptx,
                             "-o", cubin], capture_output=True,
                            text=True, check=False)
    output = result.stdout + result.stderr
    if result.returncode:
        raise Failure("ptxas fails on %s\n%s" % (ptx, output))
    with open(ptx, encoding="utf-8") as file:
        num_kernels = len(re.findall(r"^\.visible \.entry", file.read(), re.M))
    spills = SPILLS.findall(output)
    if len(spills) < max(num_kernels, 1):
        raise Failure("ptxas -v says nothing of spills\n" + output)
    complaints = MESSAGE.findall(output)
    complaints += ["spills %s bytes and reloads %s" % s for s in spills
                   if s != ("0", "0")]
    return cubin, complaints


#===-- Instructions ------------------------------------------------------===#
#
# A cubin is an ELF file: .text.KERNEL holds 16 bytes per instruction (sm_70 and
# later), whose low 12 bits are the operation.

INSTRUCTION_BYTES = 16
NOP = 0x918
SPECIAL_FUNCTION = 0x308
GROUP_WAIT = 0x9C5 # wgmma.wait_group; wgmma.fence has another bit

# Exponentials of an iteration that a thread computes between the wait for the
# first product and that for the second one.
UNDER_WAY = {"attention": 32, "attention-causal": 64, "attention-tile": 64}


def read_sections(image):
    """Name and contents of the sections of a 64-bit ELF file that have any."""
    offset, = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", image, offset + i * size)
               for i in range(count)]
    for name, kind, _, _, start, length in headers:
        begin = headers[names][4] + name
        text = image[begin:image.index(b"\0", begin)].decode()
        if kind != 8:  # SHT_NOBITS
            yield text, image[start:start + length]


def count_instructions(cubin):
    """Instructions of every kernel."""
    with open(cubin, "rb") as file:
        image = file.read()
    counts = {}
    for name, code in read_sections(image):
        if name.startswith(".text."):
            words = struct.iter_unpack("<QQ", code)
            counts[name[len(".text."):]] = sum(low & 0xFFF != NOP
                                               for low, _ in words)
    return counts


def exponentials_under_way(cubin):
    """The most between a wait that leaves a product under way and the next wait,
    over all kernels."""
    with open(cubin, "rb") as file:
        image = file.read()
    most = 0
    for name, code in read_sections(image):
        count, is_open = 0, False
        for low, high in (struct.iter_unpack("<QQ", code)
                          if name.startswith(".text.") else ()):
            if low & 0xFFF == GROUP_WAIT and low >> 47 & 1:
                most = max(most, count if is_open else 0)
                count, is_open = 0, high >> 8 & 0xFF > 0
            count += low & 0xFFF == SPECIAL_FUNCTION
    return most


#===-- Matrix products ---------------------------------------------------===#

GEMM = """\
func.func @gemm(%A: {A}, %B: {B}, %C: {C}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant {bm} : index
  %bn = arith.constant {bn} : index
  %bk = arith.constant {bk} : index
  %threads = arith.constant {threads} : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : {A}
  %K = memref.dim %A, %c1 : {A}
  %N = memref.dim %B, %c0 : {B}
  %gx = arith.ceildivui %M, %bm : index
  %gy = arith.ceildivui %N, %bn : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
    tile.kernel_config {{persist = {persist}}}
    %m = arith.muli %bx, %bm : index
    %n = arith.muli %by, %bn : index
    %As = tile.alloc : {As}
    %Bs = tile.alloc : {Bs}
    {staging}
    %acc = tile.alloc : {F}
    tile.fill %acc, %zero : {F}, f32
    scf.for %k = %c0 to %K step %bk {{
      %a = tile.region %A[%m, %k] [{bm}, {bk}] {{align = 16 : i64}} : {A}
      %b = tile.region %B[%n, %k] [{bn}, {bk}] {{align = 16 : i64}} : {B}
      tile.copy %a to %As : !tile.region<{bm}x{bk}xbf16>, {As}
      tile.copy %b to %Bs : !tile.region<{bn}x{bk}xbf16>, {Bs}
      tile.gemm %As, %Bs, %acc {{transpose_b}} : ({As}, {Bs}, {F})
    }} {{tile.num_stages = {stages} : i32}}
    %c = tile.region %C[%m, %n] [{bm}, {bn}] {{align = 16 : i64}} : {C}
    {store}
    gpu.terminator
  }}
  return
}}
"""

# Name, whether blocks loop over tiles and store by TMA, target, tile, stages, threads that
# compute, the kernel written by hand, its parameters M, N and K as far as it has
# them, and how many times its instructions are allowed: with static shapes, and
# with sizes that are parameters. The latter have code for ragged edges and divisions
# for the order of blocks, which the kernels written by hand do without
# (docs/Performance.md).
LIMITS = (
    ("wgmma", False, "sm_90a", (128, 256, 64), 4, 256, "gemm_ws_stg.ptx",
     ("gemm_param_5", "gemm_param_6"), 1.10, 1.40),
    ("persistent", True, "sm_90a", (128, 256, 64), 4, 256,
     "gemm_ws_persistent.ptx",
     ("gemm_param_4", "gemm_param_5", "gemm_param_6"), 1.10, 1.40),
    ("mma", False, "sm_80", (128, 128, 32), 4, 128, "gemm80.ptx",
     ("gemm80_param_4", "gemm80_param_5"), 1.10, 3.75),
)
EXTENT = 4096


def store_text(bm, bn, persists):
    """C is stored from registers, or by TMA from a shared tile."""
    fragment = "memref<%dx%dxf32, #tile.fragment>" % (bm, bn)
    window = "!tile.region<%dx%dxbf16>" % (bm, bn)
    if not persists:
        return "", "tile.copy %%acc to %%c : %s, %s" % (fragment, window)
    shared = "memref<%dx%dxbf16, #gpu.address_space<workgroup>>" % (bm, bn)
    return ("%%Cs = tile.alloc : %s" % shared,
            "tile.copy %%acc to %%Cs : %s, %s\n"
            "    tile.copy %%Cs to %%c {instr = #tile.instr<tma>} : %s, %s" %
            (fragment, shared, shared, window))


def gemm_text(tile, stages, threads, extent, persists):
    bm, bn, bk = tile
    shared = "memref<%dx%dxbf16, #gpu.address_space<workgroup>>"
    tensor = "memref<{0}x{0}xbf16>".format(extent)
    staging, store = store_text(bm, bn, persists)
    return GEMM.format(persist=str(persists).lower(), bm=bm, bn=bn, bk=bk,
                       threads=threads, stages=stages, A=tensor, B=tensor,
                       C=tensor, As=shared % (bm, bk), Bs=shared % (bn, bk),
                       staging=staging, store=store,
                       F="memref<%dx%dxf32, #tile.fragment>" % (bm, bn))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def with_constants(text, params):
    """The hand-written PTX for tensors of EXTENT x EXTENT."""
    for param in params:
        text, count = re.subn(r"ld\.param\.b32\s+(%%r\d+), \[%s\];" % param,
                              r"mov.b32 \1, %d;" % EXTENT, text)
        if count != 1:
            raise Failure("%d loads of parameter %s" % (count, param))
    return text


def only_kernel(cubin):
    counts = count_instructions(cubin)
    if len(counts) != 1:
        raise Failure("%s has kernels %s, expected one" % (cubin, sorted(counts)))
    return next(iter(counts.values()))


def compile_file(path, target, out):
    """PTX of every host function of a file."""
    result = subprocess.run(["tile-compile", path, "--target=" + target,
                             "--emit=ptx", "--no-remarks", "-o", out],
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise Failure(result.stderr)
    return sorted(os.path.join(out, name) for name in os.listdir(out)
                  if name.endswith(".ptx"))


def judge_gemm(case, out, hand_written, extent):
    """The line of the table, and the complaints."""
    name, persists, target, tile, stages, threads, hand, params, *limits = case
    is_static = extent != "?"
    name += "-static" if is_static else "-dynamic"
    folder = os.path.join(out, name)
    with open(os.path.join(hand_written, hand), encoding="utf-8") as file:
        text = file.read()
    if is_static:
        text = with_constants(text, params)
    theirs, complaints = assemble(
        write(os.path.join(folder, "hand.ptx"), text), target)
    if complaints:
        raise Failure("%s: %s" % (hand, complaints))
    source = write(os.path.join(folder, "gemm.mlir"),
                   gemm_text(tile, stages, threads, extent, persists))
    ptx, = compile_file(source, target, os.path.join(folder, "ours"))
    ours, complaints = assemble(ptx, target)
    have, want = only_kernel(ours), only_kernel(theirs)
    limit = limits[0 if is_static else 1]
    if have > limit * want:
        complaints.append("%d instructions are more than %.2f x %d"
                          % (have, limit, want))
    return ("%-18s %dx%dx%d, %d stages, %s: %d instructions, by hand %d, "
            "ratio %.2f, limit %.2f" % (name, *tile, stages, target, have, want,
                                        have / want, limit)), complaints


#===-- Attention ---------------------------------------------------------===#

ATTENTION_LIMIT = 1.10
HEADS = 16


def judge_attention(path, out, hand_written):
    """The same of the kernel in `path`, for HEADS heads of EXTENT positions."""
    with open(path, encoding="utf-8") as file:
        text, count = re.subn(r"memref<2x256x128xbf16>",
                              "memref<%dx%dx128xbf16>" % (HEADS, EXTENT), file.read())
    if count != 1:
        raise Failure("%s: %d types of tensors" % (path, count))
    folder = os.path.join(out, "attention-tile")
    with open(os.path.join(hand_written, "fa3_d128.ptx"), encoding="utf-8") as file:
        hand = with_constants(file.read(), ["fa_param_4"])
    theirs, complaints = assemble(write(os.path.join(folder, "hand.ptx"), hand), "sm_90a")
    if complaints:
        raise Failure("fa3_d128.ptx: %s" % complaints)
    source = write(os.path.join(folder, "attention.mlir"), text)
    ptx, = compile_file(source, "sm_90a", os.path.join(folder, "ours"))
    ours, complaints = assemble(ptx, "sm_90a")
    have, want = only_kernel(ours), only_kernel(theirs)
    under_way = exponentials_under_way(ours)
    if have > ATTENTION_LIMIT * want:
        complaints.append("%d instructions are more than %.2f x %d"
                          % (have, ATTENTION_LIMIT, want))
    if under_way < UNDER_WAY["attention-tile"]:
        complaints.append("%d exponentials while a product is under way" % under_way)
    return ("%-18s 128x128x128, 2 stages, sm_90a: %d instructions, by hand %d, "
            "ratio %.2f, limit %.2f" % ("attention-static", have, want, have / want,
                                        ATTENTION_LIMIT)), complaints


#===-- Files -------------------------------------------------------------===#


def judge_file(path, target, out):
    base = os.path.splitext(os.path.basename(path))[0]
    counts, complaints = {}, []
    for ptx in compile_file(path, target, os.path.join(out, target, base)):
        cubin, more = assemble(ptx, target)
        complaints += more
        have, want = exponentials_under_way(cubin), UNDER_WAY.get(base, 0)
        if target == "sm_90a" and have < want:
            complaints.append("%d exponentials while a product is under way, "
                              "expected %d" % (have, want))
        counts.update(count_instructions(cubin))
    if not counts:
        raise Failure("%s has no kernel" % path)
    return "%-18s %s: instructions %s" % (
        base, target, ", ".join(map(str, counts.values()))), complaints


def check_judge(out, hand_written):
    """A judge that finds nothing is worth nothing: registers that do not
    suffice must be seen, and so must products that ptxas serialises."""
    def complaints_of(name, target, old="", new=""):
        with open(os.path.join(hand_written, name), encoding="utf-8") as file:
            text = file.read().replace(old, new, 1)
        return assemble(write(os.path.join(out, "judge", name), text), target)[1]

    starved = ".maxntid 128, 1, 1\n.maxnreg 64\n"
    found = complaints_of("gemm80.ptx", "sm_80", ".maxntid 128, 1, 1\n", starved)
    if not any("spills" in c for c in found):
        raise Failure("spills are not seen")
    found = complaints_of("ws_gemm.ptx", "sm_90a")
    if not any("serialized" in c for c in found):
        raise Failure("serialised products are not seen")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--hand-written", required=True)
    parser.add_argument("--attention", required=True, help="attention-tile.mlir")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    check_judge(options.out, options.hand_written)
    jobs = [lambda c=case, e=extent: judge_gemm(c, options.out,
                                                options.hand_written, e)
            for case in LIMITS for extent in (EXTENT, "?")]
    jobs.append(lambda: judge_attention(options.attention, options.out,
                                        options.hand_written))
    jobs += [lambda f=file, t=target: judge_file(f, t, options.out)
             for number, file in enumerate(options.files)
             for target in kernels.targets(TARGETS, number)]
    failed = False
    for job in jobs:
        line, complaints = job()
        print(line)
        for complaint in complaints:
            print("  FAILED: " + complaint)
        failed |= bool(complaints)
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit("FAILED: %s" % failure)
