"""Rows of A belong to groups, each of which has a matrix of its own: C = A · B[group].
Groups have any number of rows; each block has rows of one group."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def grouped(A, B, starts, block_group, block_row, block=64, block_N=64, block_K=32, stages=3,
            threads=128):
    rows, blocks, groups = T.dynamic("rows, blocks, groups")
    K, N = T.const("K, N")
    A: T.Tensor((rows, K), "float16")
    B: T.Tensor((groups, K, N), "float16")
    starts: T.Tensor((groups + 1,), "int32")
    block_group: T.Tensor((blocks,), "int32")
    block_row: T.Tensor((blocks,), "int32")
    C = T.empty((rows, N), "float16")
    with T.Kernel(T.ceildiv(N, block_N), blocks, threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block, block_K), "float16")
        B_tile = T.alloc_shared((block_K, block_N), "float16")
        acc = T.alloc_fragment((block, block_N), "float32")
        group, row = block_group[by], T.max(block_row[by], 0)
        end = T.min(starts[group + 1], row + block)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
            T.copy(A[row, k * block_K], A_tile)
            T.copy(B[group, k * block_K, bx * block_N], B_tile)
            T.gemm(A_tile, B_tile, acc)
        T.copy(acc, C[row:end, bx * block_N:(bx + 1) * block_N])
    return C


def blocks_of(counts, block=64):
    """Where groups start, and the group and first row of each block."""
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    pairs = [(g, r) for g, n in enumerate(counts)
             for r in range(starts[g], starts[g] + n, block)]
    return starts, *(np.array(v, np.int32) for v in zip(*pairs, strict=True))


def check(rng, cases=(((70, 0, 5, 130), 72, 96), ((1,), 8, 8))):
    for counts, k, n in cases:
        a = rng.integers(-2, 3, (sum(counts), k)).astype(np.float16)
        b = rng.integers(-2, 3, (len(counts), k, n)).astype(np.float16)
        starts, group, row = blocks_of(counts)
        wanted = np.concatenate([
            a[starts[g]:starts[g + 1]].astype(np.float32) @ b[g].astype(np.float32)
            for g in range(len(counts))])
        np.testing.assert_array_equal(grouped(a, b, starts, group, row), wanted)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_grouped: right")
