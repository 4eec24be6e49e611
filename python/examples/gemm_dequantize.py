"""C = A · Wᵀ where W has 4-bit integers, two in a byte, with a scale and a zero point
for each row and group of columns. They are unpacked to shared memory."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def dequantized(A, W, scale, zero, group=64, block_M=64, block_N=64, block_K=64, threads=128):
    M = T.dynamic("M")
    N, K = T.const("N, K")
    A: T.Tensor((M, K), "float16")
    W: T.Tensor((N, K // 2), "uint8")
    scale: T.Tensor((N, K // group), "float16")
    zero: T.Tensor((N, K // group), "float16")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block_M, block_K), "float16")
        packed = T.alloc_shared((block_N, block_K // 2), "uint8")
        W_tile = T.alloc_shared((block_N, block_K), "float16")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            T.copy(A[by * block_M, k * block_K], A_tile)
            T.copy(W[bx * block_N, k * (block_K // 2)], packed)
            for i, j in T.Parallel(block_N, block_K):
                byte = T.int32(packed[i, j // 2])
                number = T.cast((byte >> (j % 2 * 4)) & 15, "float16")
                row, part = bx * block_N + i, (k * block_K) // group
                W_tile[i, j] = (number - zero[row, part]) * scale[row, part]
            T.gemm(A_tile, W_tile, acc, transpose_B=True)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def check(rng, sizes=((70, 90, 128), (1, 1, 64))):
    for m, n, k in sizes:
        a = rng.integers(-2, 3, (m, k)).astype(np.float16)
        w = rng.integers(0, 16, (n, k))
        packed = (w[:, 0::2] + 16 * w[:, 1::2]).astype(np.uint8)
        scale = 2.0 ** rng.integers(-3, -1, (n, k // 64)).astype(np.float16)
        zero = rng.integers(6, 10, (n, k // 64)).astype(np.float16)
        wide = (w - np.repeat(zero, 64, 1)) * np.repeat(scale, 64, 1)
        wanted = (a.astype(np.float32) @ wide.T.astype(np.float32)).astype(np.float16)
        c = dequantized(a, packed, scale.astype(np.float16), zero)
        np.testing.assert_allclose(c, wanted, rtol=1e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_dequantize: right")
