#!/usr/bin/env python3
"""Runs kernels of public libraries on the emulator, under tile-emu-exec, and
prints a table: what was run, lines of PTX, result, findings, seconds.

Needs nvcc, pip and the network, so it is no part of the tests. CUTLASS comes
from PyPI (nvidia-cutlass) with its examples, which check their own results;
CUB and Thrust come with nvcc, and our programs in test/Emulator/public check
them. Everything lands in a folder outside of the sources (--work)."""

import argparse
import ctypes
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CUTLASS = "nvidia-cutlass==4.2.0.0"
SMALL = "--m=128 --n=128 --k=128 --iterations=1"

# name, architecture, source, arguments. Sources with a slash are examples of
# CUTLASS, the others are ours.
PROGRAMS = [
    ("CUB, device-wide", "sm_90", "cub.cu", "5000"),
    ("CUB, device-wide", "sm_80", "cub.cu", "5000"),
    ("Thrust", "sm_90", "thrust.cu", ""),
    ("CUTLASS 08: s8, multistage", "sm_80",
     "08_turing_tensorop_gemm/turing_tensorop_gemm.cu", ""),
    ("CUTLASS 14: tf32, multistage", "sm_80",
     "14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm.cu", SMALL),
    ("CUTLASS 15: sparse", "sm_80",
     "15_ampere_sparse_tensorop_gemm/ampere_sparse_tensorop_gemm.cu", ""),
    ("CUTLASS 24: grouped", "sm_80", "24_gemm_grouped/gemm_grouped.cu",
     "--groups=1 --problem-max=32 --iterations=1"),
    ("CUTLASS 41: attention", "sm_80",
     "41_fused_multi_head_attention/fused_multihead_attention_fixed_seqlen.cu",
     "--head_number=1 --batch_size=1 --seq_length=64 --seq_length_kv=64 "
     "--head_size=64 --head_size_v=64 --iterations=1"),
    ("CUTLASS 47: stream-K, split-K", "sm_80",
     "47_ampere_gemm_universal_streamk/ampere_gemm_universal_streamk.cu",
     "--m=256 --n=128 --k=128 --iterations=1"),
    ("CUTLASS 48: TMA, wgmma, warp-specialised", "sm_90a",
     "48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu",
     SMALL),
    ("CUTLASS 49: pingpong, cooperative, stream-K", "sm_90a",
     "49_hopper_gemm_with_collective_builder/49_collective_builder.cu",
     "--m=128 --n=128 --k=64 --l=1"),
    ("CUTLASS 54: fp8", "sm_90a",
     "54_hopper_fp8_warp_specialized_gemm/"
     "54_hopper_fp8_warp_specialized_gemm.cu", SMALL),
    ("CUTLASS 57: grouped, maps that kernels change", "sm_90a",
     "57_hopper_grouped_gemm/57_hopper_grouped_gemm.cu",
     "--m=128 --n=128 --k=128 --groups=2 --iterations=1"),
    ("CUTLASS 62: sparse wgmma", "sm_90a",
     "62_hopper_sparse_gemm/62_hopper_sparse_gemm.cu",
     "--m=256 --n=128 --k=256 --iterations=1"),
    ("CUTLASS 88: attention", "sm_90a", "88_hopper_fmha/88_hopper_fmha.cu",
     "--b=1 --h=1 --q=128 --k=128 --d=64 --iterations=1 --verify"),
]
# Sizes that an example does not take from its command line.
PATCHES = {"turing_tensorop_gemm.cu": [
    (r"const int length_m = \d+", "const int length_m = 256"),
    (r"const int length_n = \d+", "const int length_n = 128"),
    (r"const int length_k = \d+", "const int length_k = 256")]}


def fetch(work):
    """The folder of CUTLASS's sources."""
    source = os.path.join(work, "cutlass", "cutlass_library", "source")
    if not os.path.isdir(source):
        wheels = os.path.join(work, "wheels")
        subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps",
                        "--quiet", "--dest", wheels, CUTLASS], check=True)
        shutil.unpack_archive(glob.glob(wheels + "/nvidia_cutlass*.whl")[0],
                              os.path.join(work, "cutlass"), "zip")
    return source


def patched(work, path):
    rules = PATCHES.get(os.path.basename(path))
    if not rules:
        return path
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    result = os.path.join(work, os.path.basename(path))
    with open(result, "w", encoding="utf-8") as file:
        file.write(text)
    return result


def compile_program(options, cutlass, program, binary):
    _name, arch, source, _args = program
    flags = []
    if "/" in source:
        path = os.path.join(cutlass, "examples", source)
        flags = ["-I" + os.path.join(cutlass, part) for part in
                 ("include", "tools/util/include", "examples/common")]
        flags += ["-I" + os.path.dirname(path), "-lcuda",
                  "-L" + os.path.join(os.path.dirname(options.nvcc),
                                      "../lib64/stubs")]
    else:
        path = os.path.join(ROOT, "test", "Emulator", "public", source)
        flags = ["-I" + os.path.join(os.path.dirname(options.nvcc),
                                     "../include/cccl")]
    subprocess.run(
        [options.nvcc, "-arch=" + arch, "-std=c++17", "-O1", "-DNDEBUG",
         "--expt-relaxed-constexpr", "--extended-lambda", "-cudart", "shared",
         "-o", binary, patched(options.work, path)]
        + flags, check=True)


def plain(payload, flags, compressed_bytes, plain_bytes):
    """The text of an entry of a fat binary; lib/CudaShim/ShimImage.c has the
    format. Empty when it is compressed by LZ4."""
    if not flags & 0xa000:
        return payload
    if flags & 0x2000:
        return b""
    text = ctypes.create_string_buffer(plain_bytes)
    ctypes.CDLL("libzstd.so.1").ZSTD_decompress(
        text, ctypes.c_size_t(plain_bytes), payload[:compressed_bytes],
        ctypes.c_size_t(compressed_bytes))
    return text.raw


def ptx_lines(binary):
    """Lines of PTX of a program: the longest text of each fat binary."""
    section = binary + ".fatbin"
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.nv_fatbin",
                    binary, section], check=True)
    with open(section, "rb") as file:
        data = file.read()
    best = 0
    for match in re.finditer(struct.pack("<I", 0xBA55ED50), data):
        at, end = match.start() + 16, match.start() + 16
        end += struct.unpack_from("<Q", data, match.start() + 8)[0]
        longest = 0
        while at + 64 <= end:
            kind, _version, header, size = struct.unpack_from("<HHIQ", data, at)
            if kind == 1:
                text = plain(data[at + header:at + header + size],
                             struct.unpack_from("<Q", data, at + 40)[0],
                             struct.unpack_from("<I", data, at + 16)[0],
                             struct.unpack_from("<Q", data, at + 56)[0])
                longest = max(longest, text.count(b"\n"))
            at += header + size
        best += longest
    return best


def run(options, program, binary):
    name, arch, _source, args = program
    command = [os.path.join(options.build, "bin", "tile-emu-exec"), binary]
    start = time.time()
    log = binary + ".log"
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command + args.split(), stdout=file,
                                   stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            status = process.wait(options.timeout)
        except subprocess.TimeoutExpired:
            status = "timeout"
            os.killpg(process.pid, signal.SIGKILL)  # the program, too
            process.wait()
    seconds = time.time() - start
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    findings = len(re.findall(r"^\[[\w-]+\] ", text, re.MULTILINE))
    is_wrong = re.search(r"WRONG|\bFailed\b|mismatch|Incorrect", text)
    result = "wrong" if is_wrong else "right"
    if status not in (0, 2):
        result = "exit status %s" % status
    print("| %s | %s | %d | %s | %d | %.0f |" % (
        name, arch, ptx_lines(binary), result, findings, seconds), flush=True)
    return result == "right" and findings == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", default="/tmp/tile-public-kernels")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--nvcc", default=shutil.which("nvcc")
                        or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--only", default="", help="part of a name or source")
    parser.add_argument("--timeout", type=int, default=900, help="seconds")
    options = parser.parse_args()
    if not os.path.exists(options.nvcc):
        sys.exit("check-public-kernels: no nvcc; see --nvcc")
    os.makedirs(options.work, exist_ok=True)
    cutlass = fetch(options.work)
    print("| Program | PTX | lines | result | findings | seconds |")
    print("|---|---|---|---|---|---|", flush=True)
    is_good = True
    for program in PROGRAMS:
        if options.only not in program[0] + program[1] + program[2]:
            continue
        stem = os.path.basename(program[2]).replace(".cu", "-" + program[1])
        binary = os.path.join(options.work, stem)
        if not os.path.exists(binary):
            compile_program(options, cutlass, program, binary)
        is_good &= run(options, program, binary)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
