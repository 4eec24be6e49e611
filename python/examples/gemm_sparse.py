"""C = S · B where of four neighbours in a row of S two are not 0: A has these two,
and E two bits for the place of each."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def sparse_product(A, E, B, block_M=128, block_N=64, block_K=64, stages=2,
                   threads=128):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K // 2), "float16")
    E: T.Tensor((M, K // 16), "int16")
    B: T.Tensor((K, N), "float16")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block_M, block_K // 2), "float16")
        E_tile = T.alloc_shared((block_M, block_K // 16), "int16")
        B_tile = T.alloc_shared((block_K, block_N), "float16")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
            T.copy(A[by * block_M, k * (block_K // 2)], A_tile)
            T.copy(E[by * block_M, k * (block_K // 16)], E_tile)
            T.copy(B[k * block_K, bx * block_N], B_tile)
            T.gemm_sp(A_tile, E_tile, B_tile, acc)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def compressed(dense):
    """What is not 0 of each group of four, and where it is."""
    rows, columns = dense.shape
    groups = dense.reshape(rows, columns // 4, 4)
    order = np.argsort(groups == 0, axis=2, kind="stable")[:, :, :2]
    order.sort(axis=2)
    values = np.take_along_axis(groups, order, 2).reshape(rows, columns // 2)
    bits = (order[:, :, 0] + 4 * order[:, :, 1]).reshape(rows, columns // 16, 4)
    return values, (bits << [0, 4, 8, 12]).sum(2).astype(np.uint16).view(np.int16)


def check(rng, sizes=((128, 64, 128), (70, 40, 192))):
    for m, n, k in sizes:
        dense = rng.integers(-2, 3, (m, k)).astype(np.float16)
        dense.reshape(m, k // 4, 4)[:, :, 1:3] = 0
        # Rows that are not there name places, too: those of the padding are 0 and 1.
        a, e = compressed(dense)
        b = rng.integers(-2, 3, (k, n)).astype(np.float16)
        wanted = dense.astype(np.float32) @ b.astype(np.float32)
        np.testing.assert_array_equal(sparse_product(a, e, b), wanted)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_sparse: right")
