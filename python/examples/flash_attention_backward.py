"""The gradients of attention: dQ, dK and dV from Q, K, V, the output, its gradient
and the logarithms of the sums that the forward pass keeps."""

import math

import numpy as np

import tile
import tile.language as T


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def backward(Q, K, V, O, dO, lse, dQ, causal=False, block_M=64, block_N=64, stages=2,
             threads=128):
    batch, heads, seq, dim = T.const("batch, heads, seq, dim")
    Q: T.Tensor((batch, heads, seq, dim), "float16")
    K: T.Tensor((batch, heads, seq, dim), "float16")
    V: T.Tensor((batch, heads, seq, dim), "float16")
    O: T.Tensor((batch, heads, seq, dim), "float16")
    dO: T.Tensor((batch, heads, seq, dim), "float16")
    lse: T.Tensor((batch, heads, seq), "float32")
    dQ: T.Tensor((batch, heads, seq, dim), "float32")
    dK = T.empty((batch, heads, seq, dim), "float16")
    dV = T.empty((batch, heads, seq, dim), "float16")
    delta = T.alloc_global((batch, heads, seq), "float32")
    scale, log2e = 1 / math.sqrt(dim), math.log2(math.e)
    with T.Kernel(T.ceildiv(seq, block_M), heads, batch, threads=128) as (bx, h, b):
        o, g = (T.alloc_fragment((block_M, dim), "float32") for _ in range(2))
        total = T.alloc_fragment((block_M,), "float32")
        T.copy(O[b, h, bx * block_M, 0], o)
        T.copy(dO[b, h, bx * block_M, 0], g)
        for i, j in T.Parallel(block_M, dim):
            o[i, j] *= g[i, j]
        T.reduce_sum(o, total, dim=1)
        T.copy(total, delta[b, h, bx * block_M])
    with T.Kernel(T.ceildiv(seq, block_N), heads, batch, threads=threads) as (bx, h, b):
        Ks, Vs = (T.alloc_shared((block_N, dim), "float16") for _ in range(2))
        Qs, Gs = (T.alloc_shared((block_M, dim), "float16") for _ in range(2))
        row_lse, row_delta = (T.alloc_shared((block_M,), "float32") for _ in range(2))
        P, dP = (T.alloc_fragment((block_N, block_M), "float32") for _ in range(2))
        P_half, S_half = (T.alloc_fragment((block_N, block_M), "float16") for _ in range(2))
        S_shared = T.alloc_shared((block_N, block_M), "float16")
        dk, dv = (T.alloc_fragment((block_N, dim), "float32") for _ in range(2))
        dq = T.alloc_fragment((block_M, dim), "float32")
        dq_shared = T.alloc_shared((block_M, dim), "float32")
        T.copy(K[b, h, bx * block_N, 0], Ks)
        T.copy(V[b, h, bx * block_N, 0], Vs)
        T.clear(dk)
        T.clear(dv)
        first = bx * block_N // block_M if causal else 0
        for m in T.Pipelined(first, T.ceildiv(seq, block_M), num_stages=stages):
            T.copy(Q[b, h, m * block_M, 0], Qs)
            T.copy(dO[b, h, m * block_M, 0], Gs)
            T.copy(lse[b, h, m * block_M], row_lse)
            T.copy(delta[b, h, m * block_M], row_delta)
            T.gemm(Ks, Qs, P, transpose_B=True, clear_accum=True)
            T.gemm(Vs, Gs, dP, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_N, block_M):
                key, query = bx * block_N + i, m * block_M + j
                seen = query < seq and key < seq and (not causal or key <= query)
                P[i, j] = T.if_then_else(seen, P[i, j], -T.infinity("float32"))
            for i, j in T.Parallel(block_N, block_M):
                P[i, j] = T.exp2(P[i, j] * (scale * log2e) - row_lse[j] * log2e)
            for i, j in T.Parallel(block_N, block_M):
                dP[i, j] = P[i, j] * (dP[i, j] - row_delta[j]) * scale
            T.copy(P, P_half)
            T.copy(dP, S_half)
            T.copy(S_half, S_shared)
            T.gemm(P_half, Gs, dv)
            T.gemm(S_half, Qs, dk)
            T.gemm(S_shared, Ks, dq, transpose_A=True, clear_accum=True)
            T.copy(dq, dq_shared)
            T.atomic_add(dQ[b, h, m * block_M, 0], dq_shared)
        T.copy(dk, dK[b, h, bx * block_N, 0])
        T.copy(dv, dV[b, h, bx * block_N, 0])
    return dK, dV


def reference(q, k, v, g, causal):
    """Output, logarithms of sums, gradients, in double precision."""
    q, k, v, g = (x.astype(np.float64) for x in (q, k, v, g))
    s = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[3])
    if causal:
        s = np.where(np.tri(q.shape[2], dtype=bool), s, -np.inf)
    lse = np.log(np.exp(s).sum(3))
    p = np.exp(s - lse[..., None])
    o = p @ v
    ds = p * (g @ v.swapaxes(2, 3) - (o * g).sum(3, keepdims=True)) / math.sqrt(q.shape[3])
    return o, lse, ds @ k, ds.swapaxes(2, 3) @ q, p.swapaxes(2, 3) @ g


def check(rng, sizes=((1, 2, 100, 64), (1, 1, 1, 64))):
    for shape in sizes:
        q, k, v, g = (rng.standard_normal(shape).astype(np.float16) for _ in range(4))
        for causal in (False, True):
            o, lse, *wanted = reference(q, k, v, g, causal)
            dq = np.zeros(shape, np.float32)
            dk, dv = backward(q, k, v, o.astype(np.float16), g, lse.astype(np.float32), dq,
                              causal=causal)
            for actual, exact in zip((dq, dk, dv), wanted, strict=True):
                np.testing.assert_allclose(actual, exact, rtol=2e-2, atol=2e-2)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("flash_attention_backward: right")
