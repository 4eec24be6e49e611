"""Attention to keys that an index names, as DeepSeek's sparse attention: each query
has its own list, filled up with -1; all heads share one latent row per key."""

import math

import numpy as np
from online_softmax import finish_softmax, softmax_step, start_softmax

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def sparse_mla(Q, KV, places, block_H=64, block_I=32, threads=128):
    seq, heads, keys, dim, picks = T.const("seq, heads, keys, dim, picks")
    Q: T.Tensor((seq, heads, dim), "float16")
    KV: T.Tensor((keys, dim), "float16")
    places: T.Tensor((seq, picks), "int32")
    O = T.empty((seq, heads, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim)
    with T.Kernel(T.ceildiv(heads, block_H), seq, threads=threads) as (bx, s):
        Qs = T.alloc_shared((block_H, dim), "float16")
        KVs = T.alloc_shared((block_I, dim), "float16")
        place = T.alloc_shared((block_I,), "int32")
        S = T.alloc_fragment((block_H, block_I), "float32")
        P = T.alloc_fragment((block_H, block_I), "float16")
        acc = T.alloc_fragment((block_H, dim), "float32")
        top, before, total = (T.alloc_fragment((block_H,), "float32") for _ in range(3))
        T.copy(Q[s, bx * block_H, 0], Qs)
        start_softmax(acc, top, total)
        for n in T.Pipelined(T.ceildiv(picks, block_I), num_stages=2):
            for i in T.Parallel(block_I):
                at = n * block_I + i
                place[i] = T.if_then_else(at < picks, places[s, at], -1)
            for i, d in T.Parallel(block_I, dim):
                KVs[i, d] = KV[place[i], d]
            T.gemm(Qs, KVs, S, transpose_B=True, clear_accum=True)
            for h, i in T.Parallel(block_H, block_I):
                S[h, i] = T.if_then_else(place[i] >= 0, S[h, i], -T.infinity("float32"))
            softmax_step(S, acc, top, before, total, scale)
            T.copy(S, P)
            T.gemm(P, KVs, acc)
        finish_softmax(acc, total)
        T.copy(acc, O[s, bx * block_H, 0])
    return O


def check(rng, sizes=((3, 70, 100, 64, 40), (1, 1, 1, 64, 1))):
    for seq, heads, keys, dim, picks in sizes:
        q = rng.standard_normal((seq, heads, dim)).astype(np.float16)
        kv = rng.standard_normal((keys, dim)).astype(np.float16)
        places = np.stack([rng.permutation(max(keys, picks))[:picks] for _ in range(seq)])
        places[:, picks - picks // 4:] = -1
        o = sparse_mla(q, kv, places.astype(np.int32))
        for s in range(seq):
            rows = kv[places[s][places[s] >= 0]].astype(np.float32)
            p = np.exp(q[s].astype(np.float32) @ rows.T / math.sqrt(dim))
            np.testing.assert_allclose(o[s], p / p.sum(1, keepdims=True) @ rows,
                                       rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("sparse_mla: right")
