"""C = A · Bᵀ of 4-bit integers, two in a byte on both sides, with 32-bit sums: they
are unpacked to bytes, which the tensor cores multiply."""

import numpy as np

import tile
import tile.language as T


@T.macro
def unpack(packed, wide):
    """Two's complement: the low half of a byte is the even column."""
    for i, j in T.Parallel(wide.shape[0], wide.shape[1]):
        byte = T.int32(packed[i, j // 2])
        wide[i, j] = T.cast((byte << (28 - j % 2 * 4)) >> 28, "int8")


@tile.jit
def int4_product(A, B, block_M=64, block_N=64, block_K=64, threads=128):
    M = T.dynamic("M")
    N, half = T.const("N, half")
    A: T.Tensor((M, half), "uint8")
    B: T.Tensor((N, half), "uint8")
    C = T.empty((M, N), "int32")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_packed = T.alloc_shared((block_M, block_K // 2), "uint8")
        B_packed = T.alloc_shared((block_N, block_K // 2), "uint8")
        A_tile = T.alloc_shared((block_M, block_K), "int8")
        B_tile = T.alloc_shared((block_N, block_K), "int8")
        acc = T.alloc_fragment((block_M, block_N), "int32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(2 * half, block_K), num_stages=2):
            T.copy(A[by * block_M, k * (block_K // 2)], A_packed)
            T.copy(B[bx * block_N, k * (block_K // 2)], B_packed)
            unpack(A_packed, A_tile)
            unpack(B_packed, B_tile)
            T.gemm(A_tile, B_tile, acc, transpose_B=True)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def packed(values):
    """Pairs of columns in a byte."""
    return ((values[:, 0::2] & 15) | (values[:, 1::2] & 15) << 4).astype(np.uint8)


def check(rng, sizes=((70, 90, 160), (1, 1, 32))):
    for m, n, k in sizes:
        a, b = (rng.integers(-8, 8, s) for s in ((m, k), (n, k)))
        np.testing.assert_array_equal(int4_product(packed(a), packed(b)), a @ b.T)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_int4: right")
