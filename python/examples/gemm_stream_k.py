"""C = A · B where the steps of all tiles are dealt out evenly: a block may finish one
tile and begin another; tiles that several blocks work on are added up."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def stream_k(A, B, C, blocks=5, block=64, block_K=32, stages=2, threads=128):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N), "float16")
    C: T.Tensor((M, N), "float32")
    steps, columns = T.ceildiv(K, block_K), T.ceildiv(N, block)
    total = steps * columns * T.ceildiv(M, block)
    share = T.ceildiv(total, blocks)
    with T.Kernel(blocks, threads=threads) as b:
        A_tile = T.alloc_shared((block, block_K), "float16")
        B_tile = T.alloc_shared((block_K, block), "float16")
        acc = T.alloc_fragment((block, block), "float32")
        C_tile = T.alloc_shared((block, block), "float32")
        at = T.alloc_var("int32", init=b * share)
        end = T.min((b + 1) * share, total)
        while at < end:
            number, first = at // steps, at % steps
            count = T.min(steps - first, end - at)
            T.clear(acc)
            for s in T.Pipelined(count, num_stages=stages):
                T.copy(A[number // columns * block, (first + s) * block_K], A_tile)
                T.copy(B[(first + s) * block_K, number % columns * block], B_tile)
                T.gemm(A_tile, B_tile, acc)
            T.copy(acc, C_tile)  # TMA adds from shared memory
            T.atomic_add(C[number // columns * block, number % columns * block], C_tile)
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
