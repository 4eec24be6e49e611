"""Attention that is causal between blocks: a query sees its whole block and all before
it, as models that write a block of tokens at a time need."""

import math

import numpy as np
from online_softmax import finish_softmax, softmax_step, start_softmax

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def block_causal(Q, K, V, span=48, block_M=64, block_N=32, threads=128):
    batch, heads, seq, dim = T.const("batch, heads, seq, dim")
    Q: T.Tensor((batch, heads, seq, dim), "float16")
    K: T.Tensor((batch, heads, seq, dim), "float16")
    V: T.Tensor((batch, heads, seq, dim), "float16")
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
        end = T.min(seq, ((bx + 1) * block_M - 1) // span * span + span)
        for n in T.Pipelined(T.ceildiv(end, block_N), num_stages=2):
            T.copy(K[b, h, n * block_N, 0], Ks)
            T.copy(V[b, h, n * block_N, 0], Vs)
            T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_M, block_N):
                last = T.min(seq, (bx * block_M + i) // span * span + span)
                S[i, j] = T.if_then_else(n * block_N + j < last, S[i, j], -T.infinity("float32"))
            softmax_step(S, acc, top, before, total, scale)
            T.copy(S, P)
            T.gemm(P, Vs, acc)
        finish_softmax(acc, total)
        T.copy(acc, O[b, h, bx * block_M, 0])
    return O


def check(rng, sizes=((1, 2, 150, 64), (1, 1, 1, 64))):
    for shape in sizes:
        q, k, v = (rng.standard_normal(shape).astype(np.float16) for _ in range(3))
        s = q.astype(np.float32) @ k.swapaxes(2, 3).astype(np.float32) / math.sqrt(shape[3])
        block = np.arange(shape[2]) // 48
        p = np.where(block <= block[:, None], np.exp(s), 0)
        wanted = p / p.sum(3, keepdims=True) @ v.astype(np.float32)
        np.testing.assert_allclose(block_causal(q, k, v), wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("block_causal_attention: right")
