"""Scores by which sparse attention picks its keys: the products of a few small heads,
what is negative cut off, added up with a weight for each query and head."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def index_scores(Q, K, weights, first, last, queries=4, block=64):
    seq, keys = T.dynamic("seq, keys")
    heads, dim = T.const("heads, dim")
    Q: T.Tensor((seq, heads, dim), "float16")
    K: T.Tensor((keys, dim), "float16")
    weights: T.Tensor((seq, heads), "float32")
    first: T.Tensor((seq,), "int32")  # the keys that a query may see
    last: T.Tensor((seq,), "int32")
    S = T.empty((seq, keys), "float32")
    with T.Kernel(T.ceildiv(keys, block), T.ceildiv(seq, queries), threads=128) as (bx, by):
        Qs = T.alloc_shared((queries, heads, dim), "float16")
        Ks = T.alloc_shared((block, dim), "float16")
        weight = T.alloc_fragment((queries, heads), "float32")
        products = T.alloc_fragment((queries * heads, block), "float32")
        scores = T.alloc_fragment((queries, block), "float32")
        T.copy(Q[by * queries, 0, 0], Qs)
        T.copy(K[bx * block, 0], Ks)
        T.copy(weights[by * queries, 0], weight)
        T.gemm(T.view(Qs, (queries * heads, dim)), Ks, products, transpose_B=True,
               clear_accum=True)
        by_head = T.view(products, (queries, heads, block))
        for i, h, j in T.Parallel(queries, heads, block):
            by_head[i, h, j] = T.max(by_head[i, h, j], 0) * weight[i, h]
        T.reduce_sum(by_head, scores, dim=1)
        for i, j in T.Parallel(queries, block):
            query, key = by * queries + i, bx * block + j
            S[query, key] = T.if_then_else(first[query] <= key < last[query], scores[i, j],
                                           -T.infinity("float32"))
    return S


def check(rng, sizes=((10, 100, 16, 64), (1, 1, 16, 64))):
    for seq, keys, heads, dim in sizes:
        q, k = (rng.integers(-2, 3, s).astype(np.float16) for s in ((seq, heads, dim), (keys, dim)))
        weights = rng.integers(0, 3, (seq, heads)).astype(np.float32)
        first = rng.integers(0, keys, seq).astype(np.int32)
        last = np.minimum(first + 40, keys).astype(np.int32)
        s = np.maximum(np.einsum("qhd,kd->qhk", q.astype(np.float32), k.astype(np.float32)), 0)
        wanted = np.einsum("qhk,qh->qk", s, weights)
        place = np.arange(keys)
        seen = (first[:, None] <= place) & (place < last[:, None])
        np.testing.assert_array_equal(index_scores(q, k, weights, first, last),
                                      np.where(seen, wanted, -np.inf))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("lightning_indexer: right")
