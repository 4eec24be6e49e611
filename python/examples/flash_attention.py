"""Attention, forward: one pass over the keys with a running maximum and sum. Heads of
queries may share heads of keys; with `causal` a query sees the keys up to its own."""

import math

import numpy as np

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def attention(Q, K, V, causal=False, block_M=64, block_N=64, stages=2, threads=128):
    batch, seq, keys, heads, kv_heads, dim = T.const("batch, seq, keys, heads, kv_heads, dim")
    Q: T.Tensor((batch, seq, heads, dim), "float16")
    K: T.Tensor((batch, keys, kv_heads, dim), "float16")
    V: T.Tensor((batch, keys, kv_heads, dim), "float16")
    O = T.empty((batch, seq, heads, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim)  # e^x = 2^(x log2 e)
    with T.Kernel(T.ceildiv(seq, block_M), heads, batch, threads=threads) as (bx, h, b):
        Qs = T.alloc_shared((block_M, dim), "float16")
        Ks = T.alloc_shared((block_N, dim), "float16")
        Vs = T.alloc_shared((block_N, dim), "float16")
        S = T.alloc_fragment((block_M, block_N), "float32")
        P = T.alloc_fragment((block_M, block_N), "float16")
        acc = T.alloc_fragment((block_M, dim), "float32")
        top, before, factor, total = (T.alloc_fragment((block_M,), "float32") for _ in range(4))
        kv = h // (heads // kv_heads)
        T.copy(Q[b, bx * block_M:(bx + 1) * block_M, h, :], Qs)
        T.clear(acc)
        T.clear(total)
        T.fill(top, -1e30)
        reach = T.min((bx + 1) * block_M, keys) if causal else keys
        for n in T.Pipelined(T.ceildiv(reach, block_N), num_stages=stages):
            T.copy(K[b, n * block_N:(n + 1) * block_N, kv, :], Ks)
            T.copy(V[b, n * block_N:(n + 1) * block_N, kv, :], Vs)
            T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_M, block_N):
                key = n * block_N + j
                seen = key <= bx * block_M + i and key < keys if causal else key < keys
                S[i, j] = T.if_then_else(seen, S[i, j], -T.infinity("float32"))
            T.copy(top, before)
            T.reduce_max(S, top, dim=1, clear=False)
            for i in T.Parallel(block_M):
                factor[i] = T.exp2((before[i] - top[i]) * scale)
                total[i] *= factor[i]
            for i, j in T.Parallel(block_M, block_N):
                S[i, j] = T.exp2(S[i, j] * scale - top[i] * scale)
            T.reduce_sum(S, total, dim=1, clear=False)
            for i, j in T.Parallel(block_M, dim):
                acc[i, j] *= factor[i]
            T.copy(S, P)
            T.gemm(P, Vs, acc)
        for i in T.Parallel(block_M):
            total[i] = 1 / total[i]  # a division a row, not one an element
        for i, j in T.Parallel(block_M, dim):
            acc[i, j] *= total[i]
        T.copy(acc, O[b, bx * block_M:(bx + 1) * block_M, h, :])
    return O


def reference(q, k, v, causal=False):
    group = q.shape[2] // k.shape[2]
    k, v = (np.repeat(x, group, 2).astype(np.float32) for x in (k, v))
    s = np.einsum("bqhd,bkhd->bhqk", q.astype(np.float32), k) / math.sqrt(q.shape[3])
    if causal:
        s = np.where(np.tri(q.shape[1], k.shape[1], dtype=bool), s, -np.inf)
    p = np.exp(s - s.max(3, keepdims=True))
    return np.einsum("bhqk,bkhd->bqhd", p / p.sum(3, keepdims=True), v)


def check(rng, sizes=((1, 100, 100, 2, 1, 64), (2, 1, 70, 1, 1, 64))):
    for b, seq, keys, heads, kv, dim in sizes:
        q = rng.standard_normal((b, seq, heads, dim)).astype(np.float16)
        k, v = (rng.standard_normal((b, keys, kv, dim)).astype(np.float16) for _ in range(2))
        for causal in (False, True)[:1 + (seq == keys)]:
            np.testing.assert_allclose(attention(q, k, v, causal=causal),
                                       reference(q, k, v, causal), rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("flash_attention: right")
