"""Experts of a mixture: rows of X that an index names are multiplied by the matrix
of their expert, and what comes out is added to the rows they came from."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def experts(X, W, rows, weights, block_expert, Y, block=32, block_K=32, threads=128):
    tokens, picks, blocks = T.dynamic("tokens, picks, blocks")
    count, K, N = T.const("count, K, N")
    X: T.Tensor((tokens, K), "float16")
    W: T.Tensor((count, N, K), "float16")
    rows: T.Tensor((picks,), "int32")  # tokens by expert, -1 where a block has fewer
    weights: T.Tensor((picks,), "float32")
    block_expert: T.Tensor((blocks,), "int32")
    Y: T.Tensor((tokens, N), "float32")
    with T.Kernel(T.ceildiv(N, block), blocks, threads=threads) as (bx, by):
        X_tile = T.alloc_shared((block, block_K), "float16")
        W_tile = T.alloc_shared((block, block_K), "float16")
        row = T.alloc_shared((block,), "int32")
        acc = T.alloc_fragment((block, block), "float32")
        expert = block_expert[by]
        T.copy(rows[by * block], row)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            for i, j in T.Parallel(block, block_K):
                X_tile[i, j] = X[row[i], k * block_K + j]
            T.copy(W[expert, bx * block, k * block_K], W_tile)
            T.gemm(X_tile, W_tile, acc, transpose_B=True)
        for i, j in T.Parallel(block, block):
            if row[i] >= 0:
                T.atomic_add(Y[row[i], bx * block + j], acc[i, j] * weights[by * block + i])


def plan(places, weights, count, block=32):
    """Rows by expert, filled up to whole blocks."""
    rows, scales, owners = [], [], []
    for expert in range(count):
        token, pick = np.nonzero(places == expert)
        fill = -len(token) % block
        rows += [*token, *[-1] * fill]
        scales += [*weights[token, pick], *[0] * fill]
        owners += [expert] * ((len(token) + fill) // block)
    return np.array(rows, np.int32), np.array(scales, np.float32), np.array(owners, np.int32)


def check(rng, sizes=((50, 4, 72, 40, 2), (1, 1, 8, 8, 1))):
    for tokens, count, k, n, picks in sizes:
        x = rng.integers(-2, 3, (tokens, k)).astype(np.float16)
        w = rng.integers(-2, 3, (count, n, k)).astype(np.float16)
        places = np.argsort(rng.random((tokens, count)), 1)[:, :picks]
        weights = 2.0 ** rng.integers(-2, 1, (tokens, picks))
        y = np.zeros((tokens, n), np.float32)
        rows, scales, owners = plan(places, weights, count)
        experts(x, w, rows, scales, owners, y)
        each = np.einsum("tk,enk->ten", x.astype(np.float32), w.astype(np.float32))
        wanted = (np.take_along_axis(each, places[..., None], 1) * weights[..., None]).sum(1)
        np.testing.assert_array_equal(y, wanted)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("fused_moe: right")
