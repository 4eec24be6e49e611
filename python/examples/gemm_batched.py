"""C[b] = A[b] · B[b] for every b of a batch."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def batched(A, B, block_M=64, block_N=64, block_K=32, stages=3, dtype="bfloat16", threads=128):
    batch, M, N, K = T.dynamic("batch, M, N, K")
    A: T.Tensor((batch, M, K), dtype)
    B: T.Tensor((batch, K, N), dtype)
    C = T.empty((batch, M, N), dtype)
    blocks = T.ceildiv(N, block_N), T.ceildiv(M, block_M)
    with T.Kernel(*blocks, batch, threads=threads) as (bx, by, bz):
        A_tile = T.alloc_shared((block_M, block_K), dtype)
        B_tile = T.alloc_shared((block_K, block_N), dtype)
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
            T.copy(A[bz, by * block_M, k * block_K], A_tile)
            T.copy(B[bz, k * block_K, bx * block_N], B_tile)
            T.gemm(A_tile, B_tile, acc)
        T.copy(acc, C[bz, by * block_M, bx * block_N])
    return C


def check(rng, sizes=((3, 70, 90, 40), (1, 1, 1, 1))):
    for n, rows, columns, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float32)
                for s in ((n, rows, k), (n, k, columns)))
        half = [v.astype(np.float16) for v in (a, b)]
        np.testing.assert_array_equal(batched(*half, dtype="float16"), a @ b)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_batched: right")
