#!/usr/bin/env python3
"""What a call of a kernel in Python costs the host: with 4 torch CUDA tensors, by the
extension in C and by ctypes, beside a torch operator that allocates nothing and, where
it is installed, Triton.

    PYTHONPATH=python bench/python/calls.py [OUT.json]

Calls come in bursts that the GPU's queue holds; the best burst counts. The kernel
does next to nothing, so that no burst waits for it."""

import json
import os
import pathlib
import sys
import time

import torch

import tile
import tile.language as T

BURST, BURSTS = 200, 100


@tile.jit
def add(A, B, C, D):
    n = T.const("n")
    A: T.Tensor((n,), "float32")
    B: T.Tensor((n,), "float32")
    C: T.Tensor((n,), "float32")
    D: T.Tensor((n,), "float32")
    with T.Kernel(1, threads=128) as b:
        for i in T.Parallel(n):
            D[i] = A[i] + B[i] + C[i]


@tile.jit
def copy_and_return(A):
    n = T.const("n")
    A: T.Tensor((n,), "float32")
    B = T.empty((n,), "float32")
    with T.Kernel(1, threads=128) as b:
        for i in T.Parallel(n):
            B[i] = A[i]
    return B


def microseconds(call):
    """Of a call, in the best burst."""
    call()
    best = float("inf")
    for _ in range(BURSTS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(BURST):
            call()
        best = min(best, (time.perf_counter() - start) / BURST)
    torch.cuda.synchronize()
    return best * 1e6


def triton_call(tensors):
    """The same kernel in Triton; None without it."""
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None
    globals()["tl"] = tl
    kernel = triton.jit(triton_add)
    return lambda: kernel[(1,)](*tensors, N=128)


def triton_add(a, b, c, d, N: "tl.constexpr"):
    i = tl.arange(0, N)  # noqa: F821
    tl.store(d + i, tl.load(a + i) + tl.load(b + i) + tl.load(c + i))  # noqa: F821


def main():
    tensors = [torch.ones(128, device="cuda") for _ in range(4)]
    a, b, _, d = tensors
    compiled = add.compile(n=128)
    found = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    found["kernel, 4 tensors"] = microseconds(lambda: compiled(*tensors))
    assert compiled._fast is not None
    found["function, 4 tensors"] = microseconds(lambda: add(*tensors))
    found["function, 1 tensor, allocates 1"] = microseconds(lambda: copy_and_return(a))
    op = tile.torch_op("tile_bench::copy_and_return", copy_and_return)
    found["torch_op, 1 tensor, allocates 1"] = microseconds(lambda: op(a))
    found["torch.add(out=)"] = microseconds(lambda: torch.add(a, b, out=d))
    found["torch a + b"] = microseconds(lambda: a + b)
    other = triton_call(tensors)
    if other is not None:
        try:
            found["triton, 4 tensors"] = microseconds(other)
        except Exception as error:
            found["triton, 4 tensors"] = str(error).splitlines()[0]
    from tile.runtime import fast

    os.environ["TILE_NO_EXTENSION"] = "1"
    fast.extension.cache_clear()
    slow = add.function
    again = tile.jit(slow).compile(n=128)
    found["kernel, 4 tensors, ctypes"] = microseconds(lambda: again(*tensors))
    assert torch.equal(d, torch.full_like(d, 3))
    print(json.dumps(found, indent=1))
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
