"""C = A · B where K is long: each block multiplies a part of K and adds to C."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def split_k(A, B, C, parts=4, block=64, block_K=32, stages=3, threads=128):
    M, N, K = T.dynamic("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    C: T.Tensor((M, N), "float32")
    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), parts, threads=threads) as (bx, by, bz):
        A_tile = T.alloc_shared((block, block_K), "float16")
        B_tile = T.alloc_shared((block_K, block), "float16")
        acc = T.alloc_fragment((block, block), "float32")
        C_tile = T.alloc_shared((block, block), "float32")
        steps = T.ceildiv(T.ceildiv(K, block_K), parts)
        T.clear(acc)
        for s in T.Pipelined(steps, num_stages=stages):
            k = (bz * steps + s) * block_K
            T.copy(A[by * block, k], A_tile)
            T.copy(B[k, bx * block], B_tile)
            T.gemm(A_tile, B_tile, acc)
        T.copy(acc, C_tile)  # TMA adds from shared memory
        T.atomic_add(C[by * block, bx * block], C_tile)


def check(rng, sizes=((70, 90, 300), (1, 1, 1))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (k, n)))
        c = np.ones((m, n), np.float32)
        split_k(a, b, c)
        np.testing.assert_array_equal(c, 1 + a.astype(np.float32) @ b.astype(np.float32))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_split_k: right")
