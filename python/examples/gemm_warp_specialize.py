"""C = A · B with roles that the kernel writes itself: one warpgroup loads into a ring
of slots, two multiply, each its half of the rows; two mbarriers for each slot say whose
turn it is."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def own_roles(A, B, block_M=128, block_N=64, block_K=32, slots=3):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=384) as (bx, by):
        A_ring = T.alloc_shared((slots, block_M, block_K), "float16")
        B_ring = T.alloc_shared((slots, block_K, block_N), "float16")
        full = T.alloc_barrier([128] * slots)
        empty = T.alloc_barrier([256] * slots)
        T.use_swizzle(8)
        with T.ws(0, 1):
            acc = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(acc)
            for k in T.serial(T.ceildiv(K, block_K)):
                T.mbarrier_wait_parity(full[k % slots], k // slots % 2)
                T.gemm(A_ring[k % slots, :, :], B_ring[k % slots, :, :], acc)
                T.mbarrier_arrive(empty[k % slots])
            T.copy(acc, C[by * block_M, bx * block_N])
        with T.ws(2):
            for k in T.serial(T.ceildiv(K, block_K)):
                T.mbarrier_wait_parity(empty[k % slots], k // slots % 2 ^ 1)
                T.copy(A[by * block_M, k * block_K], A_ring[k % slots, :, :])
                T.copy(B[k * block_K, bx * block_N], B_ring[k % slots, :, :])
                T.mbarrier_arrive(full[k % slots])
    return C


def check(rng, sizes=((150, 100, 200), (1, 1, 1))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (k, n)))
        np.testing.assert_array_equal(own_roles(a, b), a.astype(np.float32) @ b.astype(np.float32))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_warp_specialize: right")
