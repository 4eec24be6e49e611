"""Attention to keys near a few diagonals and in a few columns: each block of queries
has a list of blocks of keys, and a list of single keys that are gathered."""

import math

import numpy as np
from online_softmax import finish_softmax, softmax_step, start_softmax

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def vertical_slash(Q, K, V, blocks, columns, block_M=64, block_N=32, threads=128):
    heads, seq, dim, rows, slashes, verticals = T.const("heads, seq, dim, rows, slashes, verticals")
    Q: T.Tensor((heads, seq, dim), "float16")
    K: T.Tensor((heads, seq, dim), "float16")
    V: T.Tensor((heads, seq, dim), "float16")
    blocks: T.Tensor((heads, rows, slashes), "int32")  # first keys, -1 where there are fewer
    columns: T.Tensor((heads, rows, verticals), "int32")
    O = T.empty((heads, seq, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim)
    with T.Kernel(T.ceildiv(seq, block_M), heads, threads=threads) as (bx, h):
        Qs = T.alloc_shared((block_M, dim), "float16")
        Ks, Vs = (T.alloc_shared((block_N, dim), "float16") for _ in range(2))
        key = T.alloc_shared((block_N,), "int32")
        S = T.alloc_fragment((block_M, block_N), "float32")
        P = T.alloc_fragment((block_M, block_N), "float16")
        acc = T.alloc_fragment((block_M, dim), "float32")
        top, before, total = (T.alloc_fragment((block_M,), "float32") for _ in range(3))
        T.copy(Q[h, bx * block_M, 0], Qs)
        start_softmax(acc, top, total)
        for n in T.serial(slashes + T.ceildiv(verticals, block_N)):
            for j in T.Parallel(block_N):
                if n < slashes:
                    key[j] = T.if_then_else(blocks[h, bx, n] >= 0, blocks[h, bx, n] + j, -1)
                else:
                    at = (n - slashes) * block_N + j
                    key[j] = T.if_then_else(at < verticals, columns[h, bx, at], -1)
            for j, d in T.Parallel(block_N, dim):
                Ks[j, d] = K[h, key[j], d]
                Vs[j, d] = V[h, key[j], d]
            T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_M, block_N):
                is_seen = 0 <= key[j] <= bx * block_M + i
                S[i, j] = T.if_then_else(is_seen, S[i, j], -T.infinity("float32"))
            softmax_step(S, acc, top, before, total, scale)
            T.copy(S, P)
            T.gemm(P, Vs, acc)
        finish_softmax(acc, total)
        T.copy(acc, O[h, bx * block_M, 0])
    return O


def check(rng, sizes=((2, 150, 64, 2, 40),)):
    for heads, seq, dim, slashes, verticals in sizes:
        q, k, v = (rng.standard_normal((heads, seq, dim)).astype(np.float16) for _ in range(3))
        rows = -(-seq // 64)
        blocks = np.full((heads, rows, slashes + 1), -1, np.int32)
        columns = np.full((heads, rows, verticals), -1, np.int32)
        seen = np.zeros((heads, seq, seq), bool)
        for h, r in np.ndindex(heads, rows):
            first = np.array([64 * r, 64 * r + 32])[:slashes]
            blocks[h, r, :slashes] = first
            near = (first[:, None] + np.arange(32)).ravel()
            far = np.setdiff1d(rng.permutation(64 * r + 1)[:verticals], near)
            columns[h, r, :len(far)] = far
            chosen = np.concatenate([near, far])
            seen[h, 64 * r:64 * (r + 1), chosen[chosen < seq]] = True
        seen &= np.tri(seq, dtype=bool)
        s = q.astype(np.float32) @ k.swapaxes(1, 2).astype(np.float32) / math.sqrt(dim)
        p = np.where(seen, np.exp(s), 0)
        wanted = p / p.sum(2, keepdims=True) @ v.astype(np.float32)
        np.testing.assert_allclose(vertical_slash(q, k, v, blocks, columns), wanted, rtol=1e-2,
                                   atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("vertical_slash_attention: right")
