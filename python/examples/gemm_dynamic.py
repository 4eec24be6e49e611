"""C = A · B where no size is known when the kernel is compiled: one kernel serves all
shapes."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def any_product(A, B, block_M=64, block_N=64, block_K=32, stages=3, threads=128):
    M, N, K = T.dynamic("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block_M, block_K), "float16")
        B_tile = T.alloc_shared((block_K, block_N), "float16")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
            T.copy(A[by * block_M, k * block_K], A_tile)
            T.copy(B[k * block_K, bx * block_N], B_tile)
            T.gemm(A_tile, B_tile, acc)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def check(rng, sizes=((70, 100, 90), (1, 1, 1), (64, 72, 40))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (k, n)))
        np.testing.assert_array_equal(any_product(a, b),
                                      a.astype(np.float32) @ b.astype(np.float32))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_dynamic: right")
