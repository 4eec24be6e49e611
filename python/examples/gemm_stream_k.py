"""C = A · B where the steps of all tiles are dealt out evenly: a block may finish one
tile and begin another; tiles that several blocks work on are added up."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def stream_k(A, B, C, blocks=5, block_M=64, block_N=64, block_K=32, stages=2, threads=128):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    C: T.Tensor((M, N), "float32")
    steps, columns = T.ceildiv(K, block_K), T.ceildiv(N, block_N)
    total = steps * columns * T.ceildiv(M, block_M)
    share, width = T.ceildiv(total, blocks), min(block_N, 64)
    with T.Kernel(blocks, threads=threads) as b:
        A_tile = T.alloc_shared((block_M, block_K), "float16")
        B_tile = T.alloc_shared((block_K, block_N), "float16")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        part = T.alloc_shared((block_M, width), "float32")
        at = T.alloc_var("int32", init=b * share)
        end = T.min((b + 1) * share, total)
        while at < end:
            row, column = at // steps // columns * block_M, at // steps % columns * block_N
            first = at % steps
            count = T.min(steps - first, end - at)
            T.clear(acc)
            for s in T.Pipelined(count, num_stages=stages):
                T.copy(A[row, (first + s) * block_K], A_tile)
                T.copy(B[(first + s) * block_K, column], B_tile)
                T.gemm(A_tile, B_tile, acc)
            for p in T.unroll(block_N // width):  # TMA adds from shared memory
                T.copy(acc[:, p * width:(p + 1) * width], part)
                T.atomic_add(C[row, column + p * width], part)
            at = at + count


def check(rng, sizes=((150, 100, 200), (1, 1, 1))):
    for m, n, k in sizes:
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (k, n)))
        c = np.zeros((m, n), np.float32)
        stream_k(a, b, c)
        np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_stream_k: right")
