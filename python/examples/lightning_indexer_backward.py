"""Gradients of the indexer's scores, Σ w · max(q · k, 0) over heads, at the keys that each
query chose: of queries and weights by the block of the query, of keys by updates."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def gradients(Q, K, W, places, dS, dK, block=32):
    tokens, heads, dim, chosen = T.const("tokens, heads, dim, chosen")
    keys = T.dynamic("keys")
    Q: T.Tensor((tokens, heads, dim), "float16")
    K: T.Tensor((keys, dim), "float16")
    W: T.Tensor((tokens, heads), "float32")
    places: T.Tensor((tokens, chosen), "int32")  # -1: none
    dS: T.Tensor((tokens, chosen), "float32")
    dK: T.Tensor((keys, dim), "float32")  # is added to
    dQ = T.empty((tokens, heads, dim), "float32")
    dW = T.empty((tokens, heads), "float32")
    with T.Kernel(tokens, threads=128) as t:
        q = T.alloc_shared((heads, dim), "float16")
        k = T.alloc_shared((block, dim), "float16")
        where = T.alloc_shared((block,), "int32")
        scores, part = (T.alloc_fragment((block, heads), "float32") for _ in range(2))
        half = T.alloc_shared((block, heads), "float16")
        dq = T.alloc_fragment((heads, dim), "float32")
        dk = T.alloc_fragment((block, dim), "float32")
        dw = T.alloc_fragment((heads,), "float32")
        T.copy(Q[t, :, :], q)
        T.clear(dq)
        T.clear(dw)
        for n in T.serial(T.ceildiv(chosen, block)):
            for i in T.Parallel(block):
                j = n * block + i
                where[i] = T.if_then_else(j < chosen, places[t, j], -1)
            for i, d in T.Parallel(block, dim):
                k[i, d] = T.if_then_else(where[i] >= 0, K[where[i], d], 0)
            T.gemm(k, q, scores, transpose_B=True, clear_accum=True)
            for i, h in T.Parallel(block, heads):
                part[i, h] = T.max(scores[i, h], 0) * dS[t, n * block + i]
                half[i, h] = T.if_then_else(scores[i, h] > 0, W[t, h] * dS[t, n * block + i], 0)
            T.reduce_sum(part, dw, dim=0, clear=False)
            T.gemm(half, k, dq, transpose_A=True)
            T.gemm(half, q, dk, clear_accum=True)
            for i, d in T.Parallel(block, dim):
                if where[i] >= 0:
                    T.atomic_add(dK[where[i], d], dk[i, d])
        T.copy(dq, dQ[t, :, :])
        T.copy(dw, dW[t, :])
    return dQ, dW


def check(rng, sizes=((5, 16, 32, 40, 50), (2, 16, 32, 7, 9))):
    for tokens, heads, dim, chosen, keys in sizes:
        q = rng.integers(-1, 2, (tokens, heads, dim)).astype(np.float16)
        k = rng.integers(-1, 2, (keys, dim)).astype(np.float16)
        w = rng.integers(-2, 3, (tokens, heads)).astype(np.float32)
        places = np.stack([rng.permutation(keys)[:chosen] for _ in range(tokens)]).astype(np.int32)
        places[:, -2:] = -1
        ds = rng.integers(-2, 3, (tokens, chosen)).astype(np.float32) * (places >= 0)
        dk = np.zeros((keys, dim), np.float32)
        dq, dw = gradients(q, k, w, places, ds, dk)
        q, k = q.astype(np.float32), k.astype(np.float32)[places]
        scores = np.einsum("thd,tcd->tch", q, k)
        slopes = (scores > 0) * w[:, None] * ds[:, :, None]
        np.testing.assert_array_equal(dq, np.einsum("tch,tcd->thd", slopes, k))
        np.testing.assert_array_equal(dw, np.einsum("tch,tc->th", np.maximum(scores, 0), ds))
        wanted = np.zeros_like(dk)
        np.add.at(wanted, places, np.einsum("tch,thd->tcd", slopes, q))
        np.testing.assert_array_equal(dk, wanted)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("lightning_indexer_backward: right")
