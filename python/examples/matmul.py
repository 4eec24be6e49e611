"""C = A · B."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def matmul(A, B, block_M=128, block_N=128, block_K=64, dtype="float16"):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), dtype)
    B: T.Tensor((K, N), dtype)
    C = T.empty((M, N), dtype)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=256) as (bx, by):
        A_tile = T.alloc_shared((block_M, block_K), dtype)
        B_tile = T.alloc_shared((block_K, block_N), dtype)
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
            T.copy(A[by * block_M, k * block_K], A_tile)
            T.copy(B[k * block_K, bx * block_N], B_tile)
            T.gemm(A_tile, B_tile, acc)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def check(rng, sizes=((150, 200, 136), (1, 1, 1), (128, 128, 64))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (k, n)))
        wanted = a.astype(np.float32) @ b.astype(np.float32)
        np.testing.assert_array_equal(matmul(a, b), wanted.astype(np.float16))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("matmul: right")
