"""C = A · Bᵀ by as many blocks as there are multiprocessors, which loop over tiles."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def persistent(A, B, block_M=64, block_N=64, block_K=32, stages=2, blocks=8,
               threads=128):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((N, K), "float16")
    C = T.empty((M, N), "float16")
    rows, columns = T.ceildiv(M, block_M), T.ceildiv(N, block_N)
    with T.Kernel(blocks, threads=threads) as b:
        A_tile = T.alloc_shared((block_M, block_K), "float16")
        B_tile = T.alloc_shared((block_N, block_K), "float16")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        for by, bx in T.Persistent([rows, columns], blocks, b):
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], A_tile)
                T.copy(B[bx * block_N, k * block_K], B_tile)
                T.gemm(A_tile, B_tile, acc, transpose_B=True)
            T.copy(acc, C[by * block_M, bx * block_N])
    return C


def check(rng, sizes=((250, 200, 72), (10, 10, 10))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (n, k)))
        np.testing.assert_array_equal(persistent(a, b),
                                      a.astype(np.float32) @ b.T.astype(np.float32))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_persistent: right")
