"""Attention of one query per sequence: keys are split over blocks, whose results a
second kernel combines. Sequences have lengths of their own."""

import math

import numpy as np

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def decode(Q, K, V, lengths, splits=4, block_H=16, block_N=32):
    batch = T.dynamic("batch")
    keys, heads, kv_heads, dim = T.const("keys, heads, kv_heads, dim")
    Q: T.Tensor((batch, heads, dim), "float16")
    K: T.Tensor((batch, keys, kv_heads, dim), "float16")
    V: T.Tensor((batch, keys, kv_heads, dim), "float16")
    lengths: T.Tensor((batch,), "int32")
    O = T.empty((batch, heads, dim), "float32")
    parts = T.alloc_global((batch, splits, heads, dim), "float32")
    weights = T.alloc_global((batch, splits, heads), "float32")
    group, scale = heads // kv_heads, 1 / math.sqrt(dim)
    with T.Kernel(splits, kv_heads, batch, threads=128) as (s, h, b):
        Qs = T.alloc_shared((block_H, dim), "float16")
        Ks = T.alloc_shared((block_N, dim), "float16")
        Vs = T.alloc_shared((block_N, dim), "float16")
        S = T.alloc_fragment((block_H, block_N), "float32")
        P = T.alloc_fragment((block_H, block_N), "float16")
        acc = T.alloc_fragment((block_H, dim), "float32")
        top, before, total = (T.alloc_fragment((block_H,), "float32") for _ in range(3))
        length = lengths[b]
        per_split = T.ceildiv(T.ceildiv(length, splits), block_N) * block_N
        first = s * per_split
        last = T.min(first + per_split, length)
        T.copy(Q[b, h * group:h * group + block_H, :], Qs)
        T.clear(acc)
        T.clear(total)
        T.fill(top, -1e30)
        for n in T.Pipelined(T.ceildiv(T.max(last - first, 0), block_N), num_stages=2):
            at = first + n * block_N
            T.copy(K[b, at:at + block_N, h, :], Ks)
            T.copy(V[b, at:at + block_N, h, :], Vs)
            T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_H, block_N):
                S[i, j] = T.if_then_else(at + j < last, S[i, j] * scale, -T.infinity("float32"))
            T.copy(top, before)
            T.reduce_max(S, top, dim=1, clear=False)
            for i in T.Parallel(block_H):
                total[i] *= T.exp(before[i] - top[i])
            for i, j in T.Parallel(block_H, block_N):
                S[i, j] = T.exp(S[i, j] - top[i])
            T.reduce_sum(S, total, dim=1, clear=False)
            for i, j in T.Parallel(block_H, dim):
                acc[i, j] *= T.exp(before[i] - top[i])
            T.copy(S, P)
            T.gemm(P, Vs, acc)
        for i in T.Parallel(block_H):
            if i < group:
                weights[b, s, h * group + i] = T.if_then_else(
                    total[i] > 0, T.log(total[i]) + top[i], -1e30)
        for i, j in T.Parallel(block_H, dim):
            if i < group:
                parts[b, s, h * group + i, j] = acc[i, j] / T.max(total[i], 1e-30)
    with T.Kernel(heads, batch, threads=dim) as (h, b):
        best = T.alloc_var("float32", init=-1e30)
        total = T.alloc_var("float32")
        for s in T.serial(splits):
            best = T.max(best, weights[b, s, h])
        for s in T.serial(splits):
            total += T.exp(weights[b, s, h] - best)
        for j in T.Parallel(dim):
            value = 0.0
            for s in T.serial(splits):
                value += parts[b, s, h, j] * T.exp(weights[b, s, h] - best)
            O[b, h, j] = value / total
    return O


def check(rng, sizes=((3, 200, 8, 2, 64), (1, 1, 4, 4, 64))):
    for batch, keys, heads, kv, dim in sizes:
        q = rng.standard_normal((batch, heads, dim)).astype(np.float16)
        k, v = (rng.standard_normal((batch, keys, kv, dim)).astype(np.float16) for _ in range(2))
        lengths = rng.integers(1, keys + 1, batch).astype(np.int32)
        o = decode(q, k, v, lengths)
        for b, n in enumerate(lengths):
            wide = [np.repeat(x[b, :n], heads // kv, 1).astype(np.float32) for x in (k, v)]
            s = np.einsum("hd,khd->hk", q[b].astype(np.float32), wide[0]) / math.sqrt(dim)
            p = np.exp(s - s.max(1, keepdims=True))
            wanted = np.einsum("hk,khd->hd", p / p.sum(1, keepdims=True), wide[1])
            np.testing.assert_allclose(o[b], wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("flash_decoding: right")
