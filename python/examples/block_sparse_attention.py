"""Attention where a mask says which blocks of keys a block of queries sees."""

import math

import numpy as np

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def sparse_attention(Q, K, V, mask, block=32, dtype="float16", threads=64):
    batch, heads, seq, dim = T.const("batch, heads, seq, dim")
    Q: T.Tensor((batch, heads, seq, dim), dtype)
    K: T.Tensor((batch, heads, seq, dim), dtype)
    V: T.Tensor((batch, heads, seq, dim), dtype)
    mask: T.Tensor((batch, heads, T.ceildiv(seq, block), T.ceildiv(seq, block)), "bool")
    O = T.empty((batch, heads, seq, dim), dtype)
    scale = math.log2(math.e) / math.sqrt(dim)
    with T.Kernel(T.ceildiv(seq, block), heads, batch, threads=threads) as (bx, h, b):
        Qs, Ks, Vs = (T.alloc_shared((block, dim), dtype) for _ in range(3))
        S = T.alloc_fragment((block, block), "float32")
        P = T.alloc_fragment((block, block), dtype)
        acc = T.alloc_fragment((block, dim), "float32")
        top, before, total = (T.alloc_fragment((block,), "float32") for _ in range(3))
        T.copy(Q[b, h, bx * block, 0], Qs)
        T.clear(acc)
        T.clear(total)
        T.fill(top, -1e30)
        for n in T.Pipelined(T.ceildiv(seq, block), num_stages=2):
            if mask[b, h, bx, n]:
                T.copy(K[b, h, n * block, 0], Ks)
                T.copy(V[b, h, n * block, 0], Vs)
                T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block, block):
                    S[i, j] = T.if_then_else(n * block + j < seq, S[i, j], -1e30)
                T.copy(top, before)
                T.reduce_max(S, top, dim=1, clear=False)
                for i in T.Parallel(block):
                    before[i] = T.exp2((before[i] - top[i]) * scale)
                    total[i] *= before[i]
                for i, j in T.Parallel(block, block):
                    S[i, j] = T.exp2((S[i, j] - top[i]) * scale)
                T.reduce_sum(S, total, dim=1, clear=False)
                for i, j in T.Parallel(block, dim):
                    acc[i, j] *= before[i]
                T.copy(S, P)
                T.gemm(P, Vs, acc)
        for i, j in T.Parallel(block, dim):
            acc[i, j] /= T.max(total[i], 1e-30)
        T.copy(acc, O[b, h, bx * block, 0])
    return O


def check(rng, sizes=((1, 2, 100, 64), (1, 1, 1, 64))):
    for shape in sizes:
        q, k, v = (rng.standard_normal(shape).astype(np.float16) for _ in range(3))
        blocks = -(-shape[2] // 32)
        mask = rng.random((*shape[:2], blocks, blocks)) < 0.5
        mask |= np.eye(blocks, dtype=bool)
        wide = np.repeat(np.repeat(mask, 32, 2), 32, 3)[:, :, :shape[2], :shape[2]]
        s = np.einsum("bhqd,bhkd->bhqk", q.astype(np.float32), k.astype(np.float32))
        s = np.where(wide, s / math.sqrt(shape[3]), -np.inf)
        p = np.exp(s - s.max(3, keepdims=True))
        wanted = np.einsum("bhqk,bhkd->bhqd", p / p.sum(3, keepdims=True), v.astype(np.float32))
        np.testing.assert_allclose(sparse_attention(q, k, v, mask), wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("block_sparse_attention: right")
