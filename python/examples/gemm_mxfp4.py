"""C = A · Wᵀ where W has 4-bit floats (e2m1), two in a byte, and each 32 columns of a
row share a power of two: the format MXFP4. They are unpacked to shared memory."""

import numpy as np

import tile
import tile.language as T

GROUP = 32


@T.macro
def e2m1(code):
    """A sign, two bits of exponent with bias 1, one of mantissa."""
    exponent, half = code >> 1 & 3, T.float32(code & 1) * 0.5
    size = T.if_then_else(exponent == 0, half, (1 + half) * T.exp2(T.float32(exponent - 1)))
    return T.if_then_else(code & 8 == 0, size, -size)


@tile.jit
def mxfp4_product(A, W, scale, block_M=64, block_N=64, block_K=64, threads=128):
    M = T.dynamic("M")
    N, K = T.const("N, K")
    A: T.Tensor((M, K), "bfloat16")
    W: T.Tensor((N, K // 2), "uint8")
    scale: T.Tensor((N, K // GROUP), "uint8")  # e8m0: the exponent, plus 127
    C = T.empty((M, N), "float32")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block_M, block_K), "bfloat16")
        packed = T.alloc_shared((block_N, block_K // 2), "uint8")
        W_tile = T.alloc_shared((block_N, block_K), "bfloat16")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            T.copy(A[by * block_M, k * block_K], A_tile)
            T.copy(W[bx * block_N, k * (block_K // 2)], packed)
            for i, j in T.Parallel(block_N, block_K):
                exponent = T.int32(scale[bx * block_N + i, (k * block_K + j) // GROUP]) - 127
                code = T.int32(packed[i, j // 2]) >> (j % 2 * 4) & 15
                W_tile[i, j] = e2m1(code) * T.exp2(T.float32(exponent))
            T.gemm(A_tile, W_tile, acc, transpose_B=True)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def check(rng, sizes=((70, 90, 160), (1, 1, 32))):
    numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    for m, n, k in sizes:
        a = rng.integers(-2, 3, (m, k)).astype(np.float32)
        codes = rng.integers(0, 16, (n, k))
        scale = rng.integers(125, 130, (n, k // GROUP)).astype(np.uint8)
        w = np.where(codes & 8, -1, 1) * numbers[codes & 7]
        w *= 2.0 ** (np.repeat(scale, GROUP, 1).astype(int) - 127)
        packed = (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)
        bf16 = (a.view(np.uint32) >> 16).astype(np.uint16)
        np.testing.assert_array_equal(mxfp4_product(bf16, packed, scale), a @ w.T)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_mxfp4: right")
