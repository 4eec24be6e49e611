"""C = A · B where a mask says which tiles of A and B meet."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def block_sparse(A, B, mask, block=64, block_K=32, threads=128):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    mask: T.Tensor((T.ceildiv(M, block), T.ceildiv(N, block), T.ceildiv(K, block_K)), "bool")
    C = T.empty((M, N), "float32")
    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block, block_K), "float16")
        B_tile = T.alloc_shared((block_K, block), "float16")
        acc = T.alloc_fragment((block, block), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            if mask[by, bx, k]:
                T.copy(A[by * block, k * block_K], A_tile)
                T.copy(B[k * block_K, bx * block], B_tile)
                T.gemm(A_tile, B_tile, acc)
        T.copy(acc, C[by * block, bx * block])
    return C


def check(rng, sizes=((150, 100, 100), (1, 1, 1))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (k, n)))
        mask = rng.random((-(-m // 64), -(-n // 64), -(-k // 32))) < 0.5
        wide = np.repeat(np.repeat(np.repeat(mask, 64, 0), 64, 1), 32, 2)[:m, :n, :k]
        wanted = np.einsum("mk,kn,mnk->mn", a.astype(np.float32), b.astype(np.float32), wide)
        np.testing.assert_array_equal(block_sparse(a, b, mask), wanted)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_block_sparse: right")
