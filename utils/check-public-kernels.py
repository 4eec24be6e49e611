#!/usr/bin/env python3
"""Runs kernels of public libraries on the emulator, under tile-emu-exec, and
prints a table: what was run, lines of PTX, result, findings, seconds.

Needs nvcc, pip and the network, so it is no part of the tests. From PyPI come
CUTLASS (nvidia-cutlass) with its examples, which check their own results;
flash-attention (flash-attn); ggml (in llama-cpp-python) with its program
test-backend-ops, which compares the CUDA backend with that for CPUs. CUB and
Thrust come with nvcc. Our programs in test/Emulator/public check CUB, Thrust
and flash-attention. Programs hold PTX only and the static runtime. Everything
lands in a folder outside of the sources (--work)."""

import argparse
import ctypes
import glob
import hashlib
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CUTLASS = "nvidia-cutlass==4.2.0.0"
FLASH_ATTENTION = ("flash-attn", "2.8.3.post2")
GGML = ("llama-cpp-python", "0.3.36")
GGML_ARGS = "test -b CUDA0 -o "
SMALL = "--m=128 --n=128 --k=128 --iterations=1"

# name, architecture, source, arguments. Sources with a slash are examples of
# CUTLASS, "ggml" is its test program, the others are ours.
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
     "--b=1 --h=1 --q=64 --k=128 --d=64 --iterations=1 --verify"),
    ("flash-attention, fp16, heads of 64", "sm_80", "flash-attn.cu", ""),
    ("ggml: softmax", "sm_80", "ggml", GGML_ARGS +
     r"SOFT_MAX -p ne=\[(16|200|1023),.*nr23=\[1,1\]"),
    ("ggml: rope", "sm_80", "ggml", GGML_ARGS +
     r"ROPE -p ne_a=\[64,128,2,1\]"),
    ("ggml: RMS norm", "sm_80", "ggml", GGML_ARGS + "RMS_NORM"),
    ("ggml: products, q4_0", "sm_80", "ggml", GGML_ARGS +
     "MUL_MAT -p type_a=q4_0,type_b=f32"),
    ("ggml: products, q8_0", "sm_80", "ggml", GGML_ARGS +
     "MUL_MAT -p type_a=q8_0,type_b=f32"),
    ("ggml: attention, f16", "sm_80", "ggml", GGML_ARGS +
     r"FLASH_ATTN_EXT -p hsk=64,hsv=64,nh=4,nr23=\[1,1\],kv=113,nb=[13],"
     r"mask=1.*softcap=0.0.*prec=f32,type_K=f16,type_V=f16"),
]
# Programs that do what findings say; docs/EmulatorDropIn.md has the reasons.
HAVE_FINDINGS = {"CUTLASS 88: attention", "ggml: products, q4_0",
                 "ggml: products, q8_0"}
# Sizes that an example does not take from its command line.
PATCHES = {"turing_tensorop_gemm.cu": [
    (r"const int length_m = \d+", "const int length_m = 256"),
    (r"const int length_n = \d+", "const int length_n = 128"),
    (r"const int length_k = \d+", "const int length_k = 256")]}


# The parts of ggml that the tests above need; links to others stay open.
GGML_HOST = """ggml.c ggml.cpp ggml-alloc.c ggml-quants.c ggml-backend.cpp
    ggml-backend-reg.cpp ggml-backend-meta.cpp ggml-backend-dl.cpp
    ggml-threading.cpp ggml-cpu/*.c ggml-cpu/*.cpp ggml-cpu/amx/*.cpp
    ggml-cpu/arch/x86/quants.c ggml-cpu/arch/x86/repack.cpp
    ggml-cpu/tiled/*.cpp ../../tests/test-backend-ops.cpp"""
GGML_DEVICE = """ggml-cuda softmax rope norm quantize mmvq mmq mmf mmvf mmid
    convert cpy binbcast unary fwht fattn fattn-tile
    template-instances/mmq-instance-q4_0 template-instances/mmq-instance-q8_0
    template-instances/fattn-vec-instance-f16-f16
    template-instances/fattn-mma-f16-instance-ncols1_8-ncols2_1"""
GGML_TYPES = "F16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 BF16".split()


def fetch_sources(work, package):
    """The folder of a source distribution. pip would run its setup, which
    needs PyTorch or a compiler for everything."""
    name, version = package
    folder = os.path.join(work, name)
    if not os.path.isdir(folder):
        page = "https://pypi.org/simple/%s/" % name
        archive = "%s-%s.tar.gz" % (name.replace("-", "_"), version)
        with urllib.request.urlopen(page) as answer:
            found = re.search(r'href="([^"]*/%s)#sha256=(\w+)"'
                              % re.escape(archive), answer.read().decode())
        if not found:
            sys.exit("check-public-kernels: %s has no %s" % (page, archive))
        path = os.path.join(work, archive)
        urllib.request.urlretrieve(urllib.parse.urljoin(page, found.group(1)),
                                   path)
        with open(path, "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != found.group(2):
                sys.exit("check-public-kernels: %s is damaged" % path)
        shutil.unpack_archive(path, folder + ".part")
        os.rename(folder + ".part", folder)
    return glob.glob(folder + "/*/")[0]


def fetch_cutlass(work):
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


def nvcc_command(options, arch):
    return [options.nvcc, "-w", "-arch=" + arch.replace("sm_", "compute_"),
            "-std=c++17", "-O1", "-DNDEBUG", "--expt-relaxed-constexpr",
            "--extended-lambda"]


def compile_ggml(options, arch, binary):
    """An object file for each source, so that a run goes on where the last one
    ended."""
    work = os.path.join(options.work, "objects-" + arch)
    os.makedirs(work, exist_ok=True)
    root = os.path.join(fetch_sources(options.work, GGML), "vendor/llama.cpp")
    source = os.path.join(root, "ggml/src")
    version = ['-DGGML_VERSION="0"', '-DGGML_COMMIT="0"']
    with open(os.path.join(work, "ggml-version.h"), "w",
              encoding="utf-8") as file:
        file.write("// on the command line\n")
    flags = version + ["-DNDEBUG", "-DGGML_USE_CPU", "-DGGML_USE_CUDA",
                       "-DGGML_SCHED_MAX_COPIES=4", "-D_GNU_SOURCE"]
    flags += ["-I" + os.path.join(source, part) for part in
              ("", "../include", "ggml-cpu", "ggml-cuda")] + ["-I" + work]
    device_flags = ["-use_fast_math", "-DGGML_CUDA_NO_VMM",
                    "-DGGML_CUDA_PEER_MAX_BATCH_SIZE=128"]
    device_flags += ["-DGGML_CUDA_FA_%s_%s=%d" % (k, v, k == v == "F16")
                     for k in GGML_TYPES for v in GGML_TYPES]
    commands = []
    for pattern in GGML_HOST.split():
        for path in sorted(glob.glob(os.path.join(source, pattern))):
            tool = (["gcc", "-std=c11"] if path.endswith(".c")
                    else ["g++", "-std=c++17"])
            commands.append((path, tool + ["-w", "-O2", "-mavx2", "-mfma",
                                           "-mf16c"]))
    commands += [(os.path.join(source, "ggml-cuda", name + ".cu"),
                  nvcc_command(options, arch) + device_flags)
                 for name in GGML_DEVICE.split()]
    objects = []
    for path, command in commands:
        name = os.path.relpath(path, source).replace("/", "_") + ".o"
        objects.append(os.path.join(work, name))
        if not os.path.exists(objects[-1]):
            subprocess.run(command + flags + ["-c", path, "-o",
                                              objects[-1] + ".part"],
                           check=True)
            os.rename(objects[-1] + ".part", objects[-1])
    folder = os.path.join(os.path.dirname(options.nvcc), "../lib64")
    subprocess.run(["g++", "-no-pie", "-o", binary] + objects
                   + ["-Wl,--unresolved-symbols=ignore-all", "-L" + folder,
                      "-L" + folder + "/stubs", "-lcudart_static", "-lcuda",
                      "-ldl", "-lrt", "-lpthread"], check=True)


def compile_program(options, program, binary):
    _name, arch, source, _args = program
    if source == "ggml":
        compile_ggml(options, arch, binary)
        return
    nvcc = os.path.dirname(options.nvcc)
    if "/" in source:
        cutlass = fetch_cutlass(options.work)
        path = os.path.join(cutlass, "examples", source)
        flags = ["-I" + os.path.join(cutlass, part) for part in
                 ("include", "tools/util/include", "examples/common")]
        flags += ["-I" + os.path.dirname(path), "-lcuda",
                  "-L" + os.path.join(nvcc, "../lib64/stubs")]
    else:
        path = os.path.join(ROOT, "test", "Emulator", "public", source)
        flags = ["-I" + os.path.join(nvcc, "../include/cccl")]
    if source == "flash-attn.cu":
        folder = os.path.join(
            fetch_sources(options.work, FLASH_ATTENTION), "csrc")
        flags = ["-I" + os.path.join(folder, part) for part in
                 ("flash_attn/src", "cutlass/include")]
        flags += ["-I" + os.path.join(os.path.dirname(path), "torch")]
        flags += ["-DFLASHATTENTION_DISABLE_" + part for part in
                  ("DROPOUT", "ALIBI", "LOCAL", "SOFTCAP", "UNEVEN_K")]
    subprocess.run(nvcc_command(options, arch)
                   + ["-o", binary, patched(options.work, path)] + flags,
                   check=True)


def plain(payload, flags, compressed_bytes, plain_bytes):
    """The text of an entry of a fat binary; lib/CudaShim/Image/ShimImage.c has the
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
    is_wrong = re.search(r"WRONG|\bFailed\b|\bFAIL\b|mismatch|Incorrect|0/0 tests", text)
    result = "wrong" if is_wrong else "right"
    if status not in (0, 2):
        result = "exit status %s" % status
    print("| %s | %s | %d | %s | %d | %.0f |" % (
        name, arch, ptx_lines(binary), result, findings, seconds), flush=True)
    return result == "right" and (findings == 0) != (name in HAVE_FINDINGS)


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
    print("| Program | PTX | lines | result | findings | seconds |")
    print("|---|---|---|---|---|---|", flush=True)
    is_good = True
    for program in PROGRAMS:
        if options.only not in program[0] + program[1] + program[2]:
            continue
        stem = os.path.basename(program[2]).replace(".cu", "") + "-" + program[1]
        binary = os.path.join(options.work, stem)
        if not os.path.exists(binary):
            compile_program(options, program, binary)
        is_good &= run(options, program, binary)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
