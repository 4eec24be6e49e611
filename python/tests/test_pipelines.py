"""Reducers, mbarriers, asynchronous copies and roles that a kernel writes itself."""

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T


@tile.jit
def reducers(A, x):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), "float32")
    x: T.Tensor((N,), "float32")
    y, largest, total = T.empty((M,), "float32"), T.empty((M,), "float32"), T.empty((1,), "float32")
    with T.Kernel(1, threads=128):
        sums = T.alloc_reducer((M,), "float32")
        tops = T.alloc_reducer((M,), "float32", op="max")
        everything = T.alloc_reducer((1,), "float32")
        T.clear(sums)
        T.clear(everything)
        T.fill(tops, -T.infinity("float32"))
        for i, j in T.Parallel(M, N):
            sums[i] += A[i, j] * x[j]
        for i, j in T.Parallel(M, N):
            tops[i] = T.max(tops[i], A[i, j])
            if j % 2 == 0:
                everything[0] += A[i, j]
        T.finalize_reducer(sums)
        T.copy(sums, y)
        T.copy(tops, largest)
        T.copy(everything, total)
    return y, largest, total


def test_reducers(target, rng):
    a, x = ints(rng, (16, 64)), ints(rng, (64,))
    y, largest, total = reducers(a, x)
    np.testing.assert_array_equal(y, a @ x)
    np.testing.assert_array_equal(largest, a.max(1))
    np.testing.assert_array_equal(total, [a[:, ::2].sum()])


@tile.jit
def groups(A):
    M = T.const("M")
    A: T.Tensor((M, 64), "float16")
    B = T.empty((M, 64), "float16")
    with T.Kernel(1, threads=128):
        S = T.alloc_shared((2, 16, 64), "float16")
        T.async_copy(A[0:16, :], S[0, :, :])
        T.ptx_commit_group()
        for k in T.serial(T.ceildiv(M, 16)):
            if (k + 1) * 16 < M:
                T.async_copy(A[(k + 1) * 16, 0], S[(k + 1) % 2, :, :])
            T.ptx_commit_group()
            T.ptx_wait_group(1)
            T.sync_threads()
            T.copy(S[k % 2, :, :], B[k * 16, 0])
            T.sync_threads()
    return B


def test_groups(target, rng):
    a = ints(rng, (80, 64), np.float16)
    np.testing.assert_array_equal(groups(a), a)


@tile.jit
def roles(A, stages=3):
    M = T.const("M")
    A: T.Tensor((M, 64), "float16")
    B = T.empty((M, 64), "float16")
    with T.Kernel(1, threads=256):
        S = T.alloc_shared((stages, 16, 64), "float16")
        full = T.alloc_barrier([128] * stages)
        empty = T.alloc_barrier([128] * stages)
        with T.ws(0):
            for k in T.serial(M // 16):
                T.mbarrier_wait_parity(full[k % stages], k // stages % 2)
                T.copy(S[k % stages, :, :], B[k * 16, 0])
                T.mbarrier_arrive(empty[k % stages])
        with T.ws(1):
            T.set_max_nreg(40, 0)
            for k in T.serial(M // 16):
                T.mbarrier_wait_parity(empty[k % stages], (k // stages % 2) ^ 1)
                T.copy(A[k * 16, 0], S[k % stages, :, :])
                T.mbarrier_arrive(full[k % stages])
    return B


def test_roles(one_target, rng):
    a = ints(rng, (112, 64), np.float16)
    np.testing.assert_array_equal(roles(a), a)


@tile.jit
def by_tma(A, stages=2):
    M = T.const("M")
    A: T.Tensor((M, 64), "float16")
    B = T.empty((M, 64), "float16")
    with T.Kernel(1, threads=128):
        S = T.alloc_shared((16, 64), "float16")
        landed = T.alloc_barrier(128)
        for k in T.serial(M // 16):
            T.tma_copy(A[k * 16, 0], S, barrier=landed)
            T.barrier_arrive(landed)
            T.barrier_wait(landed, k % 2)
            T.copy(S, B[k * 16, 0])
            T.sync_threads()
    return B


def test_tma(one_target, rng):
    a = ints(rng, (64, 64), np.float16)
    np.testing.assert_array_equal(by_tma(a), a)


def test_ws_mistakes(module, one_target):
    text = """
@T.prim_func
def kernel(B: T.Tensor((64,), 'int32'), n: T.int32):
    with T.Kernel(1, threads=256):
        if n > 0:
            with T.ws(0):
                B[0] = 1


@T.prim_func
def third(B: T.Tensor((64,), 'int32'), n: T.int32):
    with T.Kernel(1, threads=256):
        with T.ws(2):
            B[0] = 1
"""
    made = module(text)
    with pytest.raises(tile.CompileError, match=r"T.ws under a condition or in a loop"):
        tile.compile(made.kernel)
    with pytest.raises(tile.CompileError, match=r"warpgroups \[2\] in a block of 256 threads"):
        tile.compile(made.third)
