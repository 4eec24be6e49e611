"""Attention of sequences of different lengths, one after the other in one tensor;
`starts` says where each begins."""

import itertools
import math

import numpy as np
from online_softmax import finish_softmax, softmax_step, start_softmax

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def varlen(Q, K, V, starts, longest, block_M=64, block_N=32, causal=True, threads=128):
    tokens, count = T.dynamic("tokens, count")
    heads, dim = T.const("heads, dim")
    Q: T.Tensor((tokens, heads, dim), "float16")
    K: T.Tensor((tokens, heads, dim), "float16")
    V: T.Tensor((tokens, heads, dim), "float16")
    starts: T.Tensor((count + 1,), "int32")
    longest: T.int32
    O = T.empty((tokens, heads, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim)
    with T.Kernel(T.ceildiv(longest, block_M), heads, count, threads=threads) as (bx, h, b):
        Qs = T.alloc_shared((block_M, dim), "float16")
        Ks, Vs = (T.alloc_shared((block_N, dim), "float16") for _ in range(2))
        S = T.alloc_fragment((block_M, block_N), "float32")
        P = T.alloc_fragment((block_M, block_N), "float16")
        acc = T.alloc_fragment((block_M, dim), "float32")
        top, before, total = (T.alloc_fragment((block_M,), "float32") for _ in range(3))
        first, last = starts[b], starts[b + 1]
        row = first + bx * block_M
        if row < last:
            T.copy(Q[row:row + block_M, h, :], Qs)
            start_softmax(acc, top, total)
            end = T.min(last, row + block_M) if causal else last
            for n in T.Pipelined(T.ceildiv(end - first, block_N), num_stages=2):
                at = first + n * block_N
                T.copy(K[at:at + block_N, h, :], Ks)
                T.copy(V[at:at + block_N, h, :], Vs)
                T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block_M, block_N):
                    seen = at + j < last and (not causal or at + j <= row + i)
                    S[i, j] = T.if_then_else(seen, S[i, j], -T.infinity("float32"))
                softmax_step(S, acc, top, before, total, scale)
                T.copy(S, P)
                T.gemm(P, Vs, acc)
            finish_softmax(acc, total)
            T.copy(acc, O[row:last, h, :])
    return O


def check(rng, cases=((70, 1, 33), (1,))):
    for lengths in cases:
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        q, k, v = (rng.standard_normal((starts[-1], 2, 64)).astype(np.float16) for _ in range(3))
        o = varlen(q, k, v, starts, max(lengths))
        for first, last in itertools.pairwise(starts):
            part = [x[first:last].astype(np.float32).swapaxes(0, 1) for x in (q, k, v)]
            s = part[0] @ part[1].swapaxes(1, 2) / 8
            s = np.where(np.tri(last - first, dtype=bool), s, -np.inf)
            p = np.exp(s - s.max(2, keepdims=True))
            wanted = (p / p.sum(2, keepdims=True) @ part[2]).swapaxes(0, 1)
            np.testing.assert_allclose(o[first:last], wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("varlen_attention: right")
