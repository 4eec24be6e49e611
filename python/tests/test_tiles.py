"""Statements about whole tiles, against numpy, in sizes that fit no tile."""

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T


@tile.jit
def gemm(A, B, block_M, block_N, block_K, trans_A=False, trans_B=False, dtype="float16",
         accum="float32", stages=2, policy=T.GemmWarpPolicy.Square, threads=128):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((K, M) if trans_A else (M, K), dtype)
    B: T.Tensor((N, K) if trans_B else (K, N), dtype)
    C = T.empty((M, N), accum)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        As = T.alloc_shared((block_K, block_M) if trans_A else (block_M, block_K), dtype)
        Bs = T.alloc_shared((block_N, block_K) if trans_B else (block_K, block_N), dtype)
        Cl = T.alloc_fragment((block_M, block_N), accum)
        T.clear(Cl)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
            if trans_A:
                T.copy(A[k * block_K, by * block_M], As)
            else:
                T.copy(A[by * block_M, k * block_K], As)
            if trans_B:
                T.copy(B[bx * block_N, k * block_K], Bs)
            else:
                T.copy(B[k * block_K, bx * block_N], Bs)
            T.gemm(As, Bs, Cl, transpose_A=trans_A, transpose_B=trans_B, policy=policy)
        T.copy(Cl, C[by * block_M, bx * block_N])
    return C


@pytest.mark.parametrize("sizes", [(1, 1, 1), (65, 130, 40), (128, 64, 96)])
@pytest.mark.parametrize("trans", [(False, False), (True, False), (False, True)])
def test_gemm(target, rng, sizes, trans):
    m, n, k = sizes
    a, b = ints(rng, (m, k), np.float16), ints(rng, (k, n), np.float16)
    c = gemm(a.T.copy() if trans[0] else a, b.T.copy() if trans[1] else b, 64, 64, 32,
             trans_A=trans[0], trans_B=trans[1])
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("case", [
    ("float32", "float32", "square", 128), ("float16", "float16", "full_row", 128),
    ("int8", "int32", "full_col", 256)])
def test_gemm_types(target, rng, case):
    dtype, accum, policy, threads = case
    a = ints(rng, (70, 64), np.dtype(dtype))
    b = ints(rng, (66, 64), np.dtype(dtype))
    c = gemm(a, b, 64, 64, 32, trans_B=True, dtype=dtype, accum=accum, policy=policy,
             threads=threads, stages=0)
    np.testing.assert_array_equal(c, (a.astype(accum) @ b.T.astype(accum)))


@tile.jit
def copies(A):
    M, N = T.dynamic("M, N")
    A: T.Tensor((M, 3, N), "float32")
    B = T.empty((M, 3, N), "float16")
    D = T.empty((4, M, N), "float32")
    with T.Kernel(T.ceildiv(M, 16), 3, threads=64) as (m, h):
        S = T.alloc_shared((16, 32), "float32")
        F = T.alloc_fragment((16, 32), "float32")
        H = T.alloc_fragment((16, 32), "float16")
        W = T.alloc_shared((16, 1, 32), "float32")
        for n in T.serial(T.ceildiv(N, 32)):
            T.copy(A[m * 16:(m + 1) * 16, h, n * 32:n * 32 + 32], S)
            T.copy(S, F)
            T.copy(F, H)
            T.copy(H, B[m * 16:m * 16 + 16, h, n * 32:(n + 1) * 32])
            T.copy(A[m * 16, h, n * 32], W)
            T.copy(W, D[h, m * 16:m * 16 + 16, n * 32:n * 32 + 32])
            if h == 0:
                T.copy(S[4:8, :], D[3, m * 16, n * 32])
    return B, D


@pytest.mark.parametrize("size", [(1, 1), (19, 40), (32, 64)])
def test_copies(target, rng, size):
    m, n = size
    a = ints(rng, (m, 3, n))
    b, d = copies(a)
    np.testing.assert_array_equal(b, a.astype(np.float16))
    np.testing.assert_array_equal(d[:3], a.transpose(1, 0, 2))
    for start in range(0, m, 16):
        part = a[start + 4:start + 8, 0]
        np.testing.assert_array_equal(d[3, start:start + len(part)], part)


@tile.jit
def reductions(X):
    M, N = T.const("M, N")
    X: T.Tensor((M, N), "float32")
    R = T.empty((6, M), "float32")
    C = T.empty((3, M, N), "float32")
    I = T.empty((3, M), "int32")
    with T.Kernel(1, threads=128):
        F = T.alloc_fragment((M, N), "float32")
        S = T.alloc_shared((M, N), "float32")
        r = T.alloc_fragment((M,), "float32")
        K = T.alloc_fragment((M, N), "int32")
        q = T.alloc_fragment((M,), "int32")
        T.copy(X, F)
        T.reduce_sum(F, r, dim=1)
        T.copy(r, R[0, 0])
        T.reduce_max(F, r, dim=-1)
        T.copy(r, R[1, :])
        T.reduce_min(F, r, dim=1, clear=True)
        T.copy(r, R[2, :])
        T.reduce_abssum(F, r, dim=1)
        T.copy(r, R[3, :])
        T.reduce_absmax(F, r, dim=1)
        T.copy(r, R[4, :])
        T.fill(r, 100.0)
        T.reduce_sum(F, r, dim=1, clear=False)
        T.copy(r, R[5, :])
        T.copy(F, S)
        T.cumsum(S, dim=1)
        T.copy(S, C[0, 0, 0])
        T.cumsum(F, F, dim=0, reverse=True)
        T.copy(F, C[1, :, :])
        T.copy(X, S)
        T.cummax(S, dim=1)
        T.copy(S, C[2, 0, 0])
        for i, j in T.Parallel(M, N):
            K[i, j] = T.int32(X[i, j]) + 8
        T.reduce_bitand(K, q, dim=1)
        T.copy(q, I[0, :])
        T.reduce_bitor(K, q, dim=1)
        T.copy(q, I[1, :])
        T.reduce_bitxor(K, q, dim=1)
        T.copy(q, I[2, :])
    return R, C, I


def test_reductions(target, rng):
    x = ints(rng, (16, 24), low=-5, high=6)
    r, c, i = reductions(x)
    np.testing.assert_array_equal(r, [
        x.sum(1), x.max(1), x.min(1), abs(x).sum(1), abs(x).max(1), x.sum(1) + 100])
    np.testing.assert_array_equal(c[0], x.cumsum(1))
    np.testing.assert_array_equal(c[1], x[::-1].cumsum(0)[::-1])
    np.testing.assert_array_equal(c[2], np.maximum.accumulate(x, 1))
    k = x.astype(np.int32) + 8
    np.testing.assert_array_equal(i, [np.bitwise_and.reduce(k, 1), np.bitwise_or.reduce(k, 1),
                                      np.bitwise_xor.reduce(k, 1)])


@tile.jit
def updates(X, counts):
    n = T.dynamic("n")
    X: T.Tensor((n,), "int32")
    counts: T.Tensor((8,), "int32")
    total = T.empty((2, 64), "float32")
    tickets = T.empty((4,), "int32")
    with T.Kernel(4, threads=64) as b:
        F = T.alloc_fragment((64,), "float32")
        ticket = T.atomic_add(counts[7], 1, return_prev=True)
        tickets[ticket] = 1
        T.fill(F, 1.0)
        T.atomic_add(total[0, 0], F)
        T.atomic_max(total[1, :], F)
        for i in T.Parallel(16):
            if b * 16 + i < n:
                T.atomic_add(counts[X[b * 16 + i]], 1)
    return total, tickets


def test_updates(target, rng):
    x = rng.integers(0, 7, 50).astype(np.int32)
    counts = np.zeros(8, np.int32)
    kernel = updates.compile(x, counts)
    total, tickets = np.zeros((2, 64), np.float32), np.zeros(4, np.int32)
    kernel(x, counts, total, tickets)
    np.testing.assert_array_equal(counts, [*np.bincount(x, minlength=7), 4])
    np.testing.assert_array_equal(total, np.repeat([[4], [1]], 64, 1))
    np.testing.assert_array_equal(tickets, np.ones(4))


@tile.jit
def views(X):
    X: T.Tensor((8, 32), "float16")
    Y = T.empty((32, 8), "float16")
    Z = T.empty((4, 64), "int16")
    P = T.empty((3,), "int32")
    with T.Kernel(1, threads=64):
        S = T.alloc_shared((8, 32), "float16")
        t = T.alloc_shared((32, 8), "float16")
        T.copy(X, S)
        T.transpose(S, t)
        T.copy(t, Y)
        T.copy(T.view(S, (4, 64), "int16"), Z)
        P[0] = T.any_of(S)
        P[1] = T.all_of(S[2:4, :])
        if T.any_of(X[0, 0:8]):
            P[2] = 1
        else:
            P[2] = 0
    return Y, Z, P


def test_views(target, rng):
    x = ints(rng, (8, 32), np.float16)
    x[0, :8] = 0
    y, z, p = views(x)
    np.testing.assert_array_equal(y, x.T)
    np.testing.assert_array_equal(z, x.view(np.int16).reshape(4, 64))
    np.testing.assert_array_equal(p, [x.any(), x[2:4].all(), 0])


@tile.jit
def convolution(X, W, pad=1, stride=2):
    N, H, V, C, F = T.const("N, H, V, C, F")
    X: T.Tensor((N, H, V, C), "float16")
    W: T.Tensor((3, 3, C, F), "float16")
    P, Q = (H + 2 * pad - 3) // stride + 1, (V + 2 * pad - 3) // stride + 1
    Y = T.empty((N * P * Q, F), "float32")
    with T.Kernel(T.ceildiv(F, 32), T.ceildiv(N * P * Q, 64), threads=128) as (bx, by):
        Xs = T.alloc_shared((64, 32), "float16")
        Ws = T.alloc_shared((1, 1, 32, 32), "float16")
        acc = T.alloc_fragment((64, 32), "float32")
        T.clear(acc)
        for k in T.Pipelined(9 * C // 32, num_stages=2):
            T.c2d_im2col(X, Xs, by, k, 3, stride, 1, pad)
            T.copy(W[k // (C // 32) // 3, k // (C // 32) % 3, k % (C // 32) * 32, bx * 32], Ws)
            T.gemm(Xs, Ws[0, 0, :, :], acc)
        T.copy(acc, Y[by * 64, bx * 32])
    return Y


def test_convolution(target, rng):
    x, w = ints(rng, (2, 7, 6, 32), np.float16), ints(rng, (3, 3, 32, 40), np.float16)
    y = convolution(x, w)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))).astype(np.float32)
    wanted = sum(padded[:, r:r + 7:2, s:s + 6:2][:, :4, :3] @ w[r, s].astype(np.float32)
                 for r in range(3) for s in range(3))
    np.testing.assert_array_equal(y, wanted.reshape(-1, 40))


@tile.jit
def sparse(A, E, B):
    M, K, N = T.const("M, K, N")
    A: T.Tensor((M, K // 2), "float16")
    E: T.Tensor((M, K // 16), "int16")
    B: T.Tensor((K, N), "float16")
    C = T.empty((M, N), "float32")
    with T.Kernel(1, threads=128):
        As = T.alloc_shared((64, 32), "float16")
        Es = T.alloc_shared((64, 4), "int16")
        Bs = T.alloc_shared((64, 64), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        T.clear(acc)
        for k in T.serial(T.ceildiv(K, 64)):
            T.copy(A[0, k * 32], As)
            T.copy(E[0, k * 4], Es)
            T.copy(B[k * 64, 0], Bs)
            T.gemm_sp(As, Es, Bs, acc)
        T.copy(acc, C)
    return C


def test_sparse(target, rng):
    dense = ints(rng, (64, 32, 4), np.float16)
    dense[..., 1:3] = 0
    order = np.argsort(dense == 0, axis=2, kind="stable")[:, :, :2]
    order.sort(axis=2)
    a = np.take_along_axis(dense, order, 2).reshape(64, 64)
    bits = (order[:, :, 0] + 4 * order[:, :, 1]).reshape(64, 8, 4)
    e = (bits << [0, 4, 8, 12]).sum(2).astype(np.uint16).view(np.int16)
    b = ints(rng, (128, 64), np.float16)
    kernel = sparse.compile(M=64, K=128, N=64)
    wanted = dense.reshape(64, 128).astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(kernel(a, e, b), wanted)
