"""Native sparse attention of the blocks that were picked: each query and group of
heads has a list of blocks of keys, -1 where it is shorter; keys after it are not seen."""

import math

import numpy as np
from online_softmax import finish_softmax, softmax_step, start_softmax

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def picked_blocks(Q, K, V, blocks, block=32, rows=16):
    batch, seq, heads, groups, dim, picks = T.const("batch, seq, heads, groups, dim, picks")
    Q: T.Tensor((batch, seq, heads, dim), "float16")
    K: T.Tensor((batch, seq, groups, dim), "float16")
    V: T.Tensor((batch, seq, groups, dim), "float16")
    blocks: T.Tensor((batch, seq, groups, picks), "int32")
    O = T.empty((batch, seq, heads, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim)
    share = heads // groups  # heads that see the same keys
    with T.Kernel(seq, groups, batch, threads=64) as (q, g, b):
        Qs = T.alloc_shared((rows, dim), "float16")
        Ks, Vs = (T.alloc_shared((block, dim), "float16") for _ in range(2))
        S = T.alloc_fragment((rows, block), "float32")
        P = T.alloc_fragment((rows, block), "float16")
        acc = T.alloc_fragment((rows, dim), "float32")
        top, before, total = (T.alloc_fragment((rows,), "float32") for _ in range(3))
        T.copy(Q[b, q, g * share:(g + 1) * share, :], Qs[0:share, :])
        if share < rows:
            T.clear(Qs[share:rows, :])
        start_softmax(acc, top, total)
        for n in T.Pipelined(picks, num_stages=2):
            first = blocks[b, q, g, n] * block
            if 0 <= first <= q:
                T.copy(K[b, first:first + block, g, :], Ks)
                T.copy(V[b, first:first + block, g, :], Vs)
                T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(rows, block):
                    S[i, j] = T.if_then_else(first + j <= q, S[i, j], -T.infinity("float32"))
                softmax_step(S, acc, top, before, total, scale)
                T.copy(S, P)
                T.gemm(P, Vs, acc)
        finish_softmax(acc, total)
        for i, d in T.Parallel(rows, dim):
            if i < share:
                O[b, q, g * share + i, d] = acc[i, d]
    return O


def check(rng, sizes=((1, 70, 8, 2, 64, 3), (1, 1, 4, 1, 64, 1))):
    for batch, seq, heads, groups, dim, picks in sizes:
        q = rng.standard_normal((batch, seq, heads, dim)).astype(np.float16)
        k, v = (rng.standard_normal((batch, seq, groups, dim)).astype(np.float16)
                for _ in range(2))
        count = -(-seq // 32)
        blocks = np.full((batch, seq, groups, picks), -1, np.int32)
        for index in np.ndindex(batch, seq, groups):
            chosen = rng.permutation(count)[:picks]
            blocks[index][:len(chosen)] = np.where(chosen <= index[1] // 32, chosen, -1)
        blocks[..., 0] = np.where((blocks == -1).all(-1), 0, blocks[..., 0])
        o = picked_blocks(q, k, v, blocks)
        wide = np.repeat(k, heads // groups, 2), np.repeat(v, heads // groups, 2)
        s = np.einsum("bqhd,bkhd->bqhk", q.astype(np.float32), wide[0].astype(np.float32))
        place = np.arange(seq)
        seen = (place // 32 == np.repeat(blocks, heads // groups, 2)[..., None]).any(3)
        seen &= place <= place[:, None, None]
        p = np.where(seen, np.exp(s / math.sqrt(dim)), 0)
        wanted = np.einsum("bqhk,bkhd->bqhd", p / p.sum(3, keepdims=True),
                           wide[1].astype(np.float32))
        np.testing.assert_allclose(o, wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("native_sparse_attention: right")
