#!/usr/bin/env python3
"""How long a kernel takes from Python source to cubin for sm_90a, with cold caches:
ours, by phase, beside Triton's, for a product and for attention. No GPU is needed.

    PYTHONPATH=python bench/python/first_call.py [--runs=4] [OUT.json]

Each run is a process of its own that compiles two kernels of each kind: the first finds
libraries that nobody has used yet, the second, with other sizes, finds them ready. Runs
take turns in which system goes first; the least of the runs counts."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHIP = "sm_90a"


# -- Tile ---------------------------------------------------------------------

def tile_kernels():
    """Calls that give a kernel, by name; the second of each is for other sizes."""
    sys.path.insert(0, os.environ.get("TILE_EXAMPLES") or str(ROOT / "python" / "examples"))
    from flash_attention import attention
    from matmul import matmul

    def product(n):
        return matmul.compile(M=n, N=n, K=n)

    def attend(seq):
        sizes = {"batch": 1, "seq": seq, "keys": seq, "heads": 8, "kv_heads": 8, "dim": 128}
        return attention.compile(**sizes, block_M=128, block_N=128, threads=256)

    return {"gemm": [lambda: product(4096), lambda: product(2048)],
            "attention": [lambda: attend(4096), lambda: attend(2048)]}


def time_tile():
    """Milliseconds by kernel: all of it, the front end, ours to PTX, the assembler."""
    from tile.runtime import compiler

    result = {}
    for name, makes in tile_kernels().items():
        for which, make in zip(("first", "second"), makes, strict=True):
            start = time.perf_counter()
            kernel = make()
            front = time.perf_counter()
            image = kernel.image(CHIP, assemble=True, aligned=True)
            end = time.perf_counter()
            assert image.cubin
            result[f"{name} {which}"] = {"all": (end - start) * 1e3,
                                         "front end": (front - start) * 1e3,
                                         "ptxas alone": assemble(compiler.find_ptxas(), image.ptx)}
    return result


def assemble(ptxas, ptx, chip=CHIP):
    """Milliseconds of the assembler as a process, on a text."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernel.ptx"
        source.write_bytes(ptx)
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run([ptxas, f"-arch={chip}", str(source), "-o", str(source) + ".cubin"],
                           check=True, capture_output=True)
            best = min(best, time.perf_counter() - start)
        return best * 1e3


# -- Triton -------------------------------------------------------------------

def triton_product(a, b, c, M, N, K, BM: "tl.constexpr", BN: "tl.constexpr",
                   BK: "tl.constexpr"):
    m, n = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a, at_b = a + m[:, None] * K + k[None, :], b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(at_a), tl.load(at_b), acc)
        at_a += BK
        at_b += BK * N
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


def triton_attention(q, k, v, o, seq, scale, BM: "tl.constexpr", BN: "tl.constexpr",
                     D: "tl.constexpr"):
    base = tl.program_id(1) * seq * D
    m, d, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D), tl.arange(0, BN)
    query = tl.load(q + base + m[:, None] * D + d[None, :])
    top, total = tl.full((BM,), -1e30, tl.float32), tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for first in range(0, seq, BN):
        rows = base + (first + n[:, None]) * D + d[None, :]
        s = tl.dot(query, tl.load(k + rows).trans()) * scale
        best = tl.maximum(top, tl.max(s, 1))
        p, factor = tl.exp2(s - best[:, None]), tl.exp2(top - best)
        total = total * factor + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + rows), acc * factor[:, None])
        top = best
    tl.store(o + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


def triton_sources():
    """Function, types of its arguments, constants, number of warps and stages."""
    pointers = dict.fromkeys("abc", "*fp16") | dict.fromkeys(("M", "N", "K"), "i32")
    tensors = dict.fromkeys("qkvo", "*fp16") | {"seq": "i32", "scale": "fp32"}
    return {"gemm": (triton_product, pointers,
                     [{"BM": 128, "BN": 128, "BK": 64}, {"BM": 128, "BN": 64, "BK": 64}], 8, 3),
            "attention": (triton_attention, tensors,
                          [{"BM": 128, "BN": 128, "D": 128}, {"BM": 128, "BN": 64, "D": 128}],
                          8, 2)}


def time_triton():
    """Milliseconds by kernel."""
    import triton
    import triton.language
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    globals()["tl"] = triton.language
    result = {"version": triton.__version__}
    for name, (function, kinds, constants, warps, stages) in triton_sources().items():
        for which, chosen in zip(("first", "second"), constants, strict=True):
            signature = {**kinds, **dict.fromkeys(chosen, "constexpr")}
            aligned = {(i,): [["tt.divisibility", 16]] for i, kind in enumerate(kinds.values())
                       if kind != "fp32"}
            kernel = triton.jit(function)
            start = time.perf_counter()
            made = triton.compile(ASTSource(kernel, signature, chosen, aligned),
                                  target=GPUTarget("cuda", 90, 32),
                                  options={"num_warps": warps, "num_stages": stages})
            assert made.asm["cubin"]
            result[f"{name} {which}"] = {"all": (time.perf_counter() - start) * 1e3}
    return result


# -- Runs ---------------------------------------------------------------------

def one_run(order):
    parts = {"tile": time_tile, "triton": time_triton}
    found = {}
    for system in order:
        try:
            found[system] = parts[system]()
        except Exception as error:
            found[system] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(found))


def least(runs):
    """The smallest of each number."""
    result = {}
    for run in runs:
        for system, kernels in run.items():
            for name, value in kernels.items():
                if not isinstance(value, dict):
                    result.setdefault(system, {})[name] = value
                    continue
                entry = result.setdefault(system, {}).setdefault(name, {})
                for key, ms in value.items():
                    entry[key] = min(round(ms, 1), entry.get(key, float("inf")))
    return result


def main(arguments):
    if "--one" in arguments:
        one_run(arguments[1:])
        return
    options = [a for a in arguments if a.startswith("--runs=")]
    runs = []
    for number in range(int(options[0][7:]) if options else 4):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TILE_CACHE_DIR": folder + "/tile",
                           "TRITON_CACHE_DIR": folder + "/triton"}
            order = ("tile", "triton")[::1 if number % 2 == 0 else -1]
            output = subprocess.run([sys.executable, __file__, "--one", *order], check=True,
                                    capture_output=True, text=True, env=environment).stdout
            runs.append(json.loads(output.splitlines()[-1]))
    found = least(runs)
    print(json.dumps(found, indent=1))
    paths = [a for a in arguments if not a.startswith("--")]
    if paths:
        pathlib.Path(paths[0]).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
