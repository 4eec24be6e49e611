"""Attention in a sliding window, where each head has a logit of its own for a key
that has no value: a sink."""

import math

import numpy as np
from online_softmax import softmax_step, start_softmax

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def sink_attention(Q, K, V, sinks, window=64, block_M=64, block_N=32, threads=128):
    batch, heads, seq, dim = T.const("batch, heads, seq, dim")
    Q: T.Tensor((batch, heads, seq, dim), "float16")
    K: T.Tensor((batch, heads, seq, dim), "float16")
    V: T.Tensor((batch, heads, seq, dim), "float16")
    sinks: T.Tensor((heads,), "float32")
    O = T.empty((batch, heads, seq, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim)
    with T.Kernel(T.ceildiv(seq, block_M), heads, batch, threads=threads) as (bx, h, b):
        Qs = T.alloc_shared((block_M, dim), "float16")
        Ks, Vs = (T.alloc_shared((block_N, dim), "float16") for _ in range(2))
        S = T.alloc_fragment((block_M, block_N), "float32")
        P = T.alloc_fragment((block_M, block_N), "float16")
        acc = T.alloc_fragment((block_M, dim), "float32")
        top, before, total = (T.alloc_fragment((block_M,), "float32") for _ in range(3))
        T.copy(Q[b, h, bx * block_M, 0], Qs)
        start_softmax(acc, top, total)
        first = T.max(bx * block_M - window, 0) // block_N
        last = T.min(T.ceildiv(seq, block_N), T.ceildiv((bx + 1) * block_M, block_N))
        for n in T.Pipelined(first, last, num_stages=2):
            T.copy(K[b, h, n * block_N, 0], Ks)
            T.copy(V[b, h, n * block_N, 0], Vs)
            T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_M, block_N):
                query, key = bx * block_M + i, n * block_N + j
                is_seen = query - window < key <= query
                S[i, j] = T.if_then_else(is_seen, S[i, j], -T.infinity("float32"))
            softmax_step(S, acc, top, before, total, scale)
            T.copy(S, P)
            T.gemm(P, Vs, acc)
        for i, j in T.Parallel(block_M, dim):
            acc[i, j] /= total[i] + T.exp2(sinks[h] * math.log2(math.e) - top[i] * scale)
        T.copy(acc, O[b, h, bx * block_M, 0])
    return O


def check(rng, sizes=((1, 2, 150, 64), (1, 1, 1, 64))):
    for shape in sizes:
        q, k, v = (rng.standard_normal(shape).astype(np.float16) for _ in range(3))
        sinks = rng.standard_normal(shape[1]).astype(np.float32)
        s = q.astype(np.float32) @ k.swapaxes(2, 3).astype(np.float32) / math.sqrt(shape[3])
        distance = np.arange(shape[2])[:, None] - np.arange(shape[2])
        p = np.where((distance >= 0) & (distance < 64), np.exp(s), 0)
        wanted = p @ v.astype(np.float32) / (p.sum(3, keepdims=True)
                                             + np.exp(sinks)[:, None, None])
        np.testing.assert_allclose(sink_attention(q, k, v, sinks), wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("attention_sink: right")
