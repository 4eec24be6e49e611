"""C = A · Bᵀ of 8-bit floats, with a scale for each row of A and each 128 x 128 block of
B, of each 128 columns of K, as large language models are served: activations are scaled
token by token, weights block by block."""

import numpy as np

import tile
import tile.language as T

BLOCK = 128  # columns of a scale


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def scaled_fp8(A, B, scale_A, scale_B, block_M=64, block_N=64, stages=2, threads=128):
    M = T.dynamic("M")
    N, K = T.const("N, K")
    A: T.Tensor((M, K), "float8_e4m3fn")
    B: T.Tensor((N, K), "float8_e4m3fn")
    scale_A: T.Tensor((T.ceildiv(K, BLOCK), M), "float32")
    scale_B: T.Tensor((T.ceildiv(N, BLOCK), T.ceildiv(K, BLOCK)), "float32")
    C = T.empty((M, N), "bfloat16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block_M, BLOCK), "float8_e4m3fn")
        B_tile = T.alloc_shared((block_N, BLOCK), "float8_e4m3fn")
        part = T.alloc_fragment((block_M, block_N), "float32")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        rows = T.alloc_shared((block_M,), "float32")
        blocks = T.alloc_shared((T.ceildiv(K, BLOCK),), "float32")
        T.copy(scale_B[bx * block_N // BLOCK, :], blocks)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, BLOCK), num_stages=stages):
            T.copy(A[by * block_M, k * BLOCK], A_tile)
            T.copy(B[bx * block_N, k * BLOCK], B_tile)
            T.copy(scale_A[k, by * block_M], rows)
            T.gemm(A_tile, B_tile, part, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_M, block_N):
                acc[i, j] += part[i, j] * (rows[i] * blocks[k])
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def e4m3(values):
    """Small integers as bytes of float8_e4m3fn."""
    table = {0: 0x00, 1: 0x38, 2: 0x40, -1: 0xB8, -2: 0xC0}
    return np.vectorize(table.get)(values).astype(np.uint8)


def check(rng, sizes=((70, 90, 272), (1, 1, 16), (70, 200, 400))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s) for s in ((m, k), (n, k)))
        parts = -(-k // BLOCK)
        sa, sb = (2.0 ** rng.integers(-1, 2, s).astype(np.float32)
                  for s in ((parts, m), (-(-n // BLOCK), parts)))
        left = a * np.repeat(sa.T, BLOCK, 1)[:, :k]
        right = b * np.repeat(np.repeat(sb, BLOCK, 0), BLOCK, 1)[:n, :k]
        c = scaled_fp8(e4m3(a), e4m3(b), sa.astype(np.float32), sb.astype(np.float32))
        c = (c.astype(np.uint32) << 16).view(np.float32)
        np.testing.assert_allclose(c, left @ right.T, rtol=2**-8)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_fp8: right")
