"""C = A · Wᵀ where W has 4-bit integers, two in a byte, with a scale and a zero point
for each row and group of columns. They are unpacked to registers, which is where the
left factor of a product may lie: so the kernel computes Cᵀ = W · Aᵀ. A step has two
groups, each with registers of its own: one is unpacked while the other is multiplied."""

import numpy as np

import tile
import tile.language as T


@T.macro
def unpack(packed, scales, zeros, part, wide):
    """Group `part` of those that lie side by side in `packed`."""
    for i, j in T.Parallel(wide.shape[0], wide.shape[1]):
        byte = packed[i, (part * wide.shape[1] + j) // 2]
        number = T.cast(byte >> (j % 2 * 4) & 15, "float16")
        wide[i, j] = (number - zeros[part, i]) * scales[part, i]


@tile.jit
def dequantized(A, W, scale, zero, group=64, block_M=64, block_N=64, stages=2, threads=128):
    M = T.dynamic("M")
    N, K = T.const("N, K")
    A: T.Tensor((M, K), "float16")
    W: T.Tensor((N, K // 2), "uint8")
    scale: T.Tensor((K // group, N), "float16")
    zero: T.Tensor((K // group, N), "float16")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block_M, 2 * group), "float16")
        packed = T.alloc_shared((block_N, group), "uint8")
        scales, zeros = (T.alloc_shared((2, block_N), "float16") for _ in range(2))
        even, odd = (T.alloc_fragment((block_N, group), "float16") for _ in range(2))
        acc = T.alloc_fragment((block_N, block_M), "float32")
        C_tile = T.alloc_shared((block_M, block_N), "float16")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, 2 * group), num_stages=stages):
            T.copy(A[by * block_M, 2 * k * group], A_tile)
            T.copy(W[bx * block_N, k * group], packed)
            T.copy(scale[2 * k, bx * block_N], scales)
            T.copy(zero[2 * k, bx * block_N], zeros)
            unpack(packed, scales, zeros, 0, even)
            T.gemm(even, A_tile[:, :group], acc, transpose_B=True)
            unpack(packed, scales, zeros, 1, odd)
            T.gemm(odd, A_tile[:, group:], acc, transpose_B=True)
        for i, j in T.Parallel(block_M, block_N):
            C_tile[i, j] = acc[j, i]
        T.copy(C_tile, C[by * block_M, bx * block_N])
    return C


def check(rng, sizes=((70, 90, 128), (1, 1, 64))):
    for m, n, k in sizes:
        a = rng.integers(-2, 3, (m, k)).astype(np.float16)
        w = rng.integers(0, 16, (n, k))
        packed = (w[:, 0::2] + 16 * w[:, 1::2]).astype(np.uint8)
        scale = 2.0 ** rng.integers(-3, -1, (k // 64, n)).astype(np.float16)
        zero = rng.integers(6, 10, (k // 64, n)).astype(np.float16)
        wide = (w - np.repeat(zero, 64, 0).T) * np.repeat(scale, 64, 0).T
        wanted = (a.astype(np.float32) @ wide.T.astype(np.float32)).astype(np.float16)
        c = dequantized(a, packed, scale.astype(np.float16), zero)
        np.testing.assert_allclose(c, wanted, rtol=1e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_dequantize: right")
