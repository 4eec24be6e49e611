"""Decoding with multi-head latent attention: all heads share one latent row per key,
which is key and value, beside a part of the key that carries the position."""

import math

import numpy as np
from online_softmax import finish_softmax, softmax_step, start_softmax

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def mla(Q, Q_pe, KV, K_pe, block_H=64, block_N=32, stages=2, threads=128):
    batch = T.dynamic("batch")
    heads, keys, dim, pe = T.const("heads, keys, dim, pe")
    Q: T.Tensor((batch, heads, dim), "float16")
    Q_pe: T.Tensor((batch, heads, pe), "float16")
    KV: T.Tensor((batch, keys, dim), "float16")
    K_pe: T.Tensor((batch, keys, pe), "float16")
    O = T.empty((batch, heads, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim + pe)
    with T.Kernel(T.ceildiv(heads, block_H), batch, threads=threads) as (bx, b):
        Qs = T.alloc_shared((block_H, dim), "float16")
        Qp = T.alloc_shared((block_H, pe), "float16")
        KVs = T.alloc_shared((block_N, dim), "float16")
        Kp = T.alloc_shared((block_N, pe), "float16")
        S = T.alloc_fragment((block_H, block_N), "float32")
        P = T.alloc_shared((block_H, block_N), "float16")
        acc = T.alloc_fragment((block_H, dim), "float32")
        top, before, total = (T.alloc_fragment((block_H,), "float32") for _ in range(3))
        T.copy(Q[b, bx * block_H, 0], Qs)
        T.copy(Q_pe[b, bx * block_H, 0], Qp)
        start_softmax(acc, top, total)
        for n in T.Pipelined(T.ceildiv(keys, block_N), num_stages=stages):
            T.copy(KV[b, n * block_N, 0], KVs)
            T.copy(K_pe[b, n * block_N, 0], Kp)
            T.gemm(Qs, KVs, S, transpose_B=True, clear_accum=True)
            T.gemm(Qp, Kp, S, transpose_B=True)
            for i, j in T.Parallel(block_H, block_N):
                S[i, j] = T.if_then_else(n * block_N + j < keys, S[i, j], -T.infinity("float32"))
            softmax_step(S, acc, top, before, total, scale)
            T.copy(S, P)
            T.gemm(P, KVs, acc)
        finish_softmax(acc, total)
        T.copy(acc, O[b, bx * block_H, 0])
    return O


def check(rng, sizes=((2, 70, 100, 64, 32), (1, 1, 1, 64, 32))):
    for batch, heads, keys, dim, pe in sizes:
        q, kv = (rng.standard_normal((batch, n, dim)).astype(np.float16) for n in (heads, keys))
        qp, kp = (rng.standard_normal((batch, n, pe)).astype(np.float16) for n in (heads, keys))
        wide = [x.astype(np.float32) for x in (q, qp, kv, kp)]
        s = (wide[0] @ wide[2].swapaxes(1, 2) + wide[1] @ wide[3].swapaxes(1, 2))
        p = np.exp(s / math.sqrt(dim + pe))
        wanted = p / p.sum(2, keepdims=True) @ wide[2]
        np.testing.assert_allclose(mla(q, qp, kv, kp), wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("mla_decode: right")
