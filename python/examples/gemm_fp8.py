"""C = A · Bᵀ of 8-bit floats, with a scale for each row of A and of B and each 128
columns of K, as large language models are served."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def scaled_fp8(A, B, scale_A, scale_B, block=64, block_K=128, threads=128):
    M, N = T.dynamic("M, N")
    K = T.const("K")
    A: T.Tensor((M, K), "float8_e4m3fn")
    B: T.Tensor((N, K), "float8_e4m3fn")
    scale_A: T.Tensor((M, T.ceildiv(K, block_K)), "float32")
    scale_B: T.Tensor((N, T.ceildiv(K, block_K)), "float32")
    C = T.empty((M, N), "float32")
    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block, block_K), "float8_e4m3fn")
        B_tile = T.alloc_shared((block, block_K), "float8_e4m3fn")
        part = T.alloc_fragment((block, block), "float32")
        acc = T.alloc_fragment((block, block), "float32")
        rows = T.alloc_shared((block,), "float32")
        columns = T.alloc_shared((block,), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            T.copy(A[by * block, k * block_K], A_tile)
            T.copy(B[bx * block, k * block_K], B_tile)
            for i in T.Parallel(block):
                rows[i] = scale_A[by * block + i, k]
                columns[i] = scale_B[bx * block + i, k]
            T.gemm(A_tile, B_tile, part, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block, block):
                acc[i, j] += part[i, j] * rows[i] * columns[j]
        T.copy(acc, C[by * block, bx * block])
    return C


def e4m3(values):
    """Small integers as bytes of float8_e4m3fn."""
    table = {0: 0x00, 1: 0x38, 2: 0x40, -1: 0xB8, -2: 0xC0}
    return np.vectorize(table.get)(values).astype(np.uint8)


def check(rng, sizes=((70, 90, 272), (1, 1, 16))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s) for s in ((m, k), (n, k)))
        parts = -(-k // 128)
        sa, sb = (2.0 ** rng.integers(-1, 2, (r, parts)).astype(np.float32) for r in (m, n))
        wide = [np.repeat(s, 128, 1)[:, :k] for s in (sa, sb)]
        np.testing.assert_array_equal(scaled_fp8(e4m3(a), e4m3(b), sa.astype(np.float32),
                                                 sb.astype(np.float32)),
                                      (a * wide[0]) @ (b * wide[1]).T)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_fp8: right")
