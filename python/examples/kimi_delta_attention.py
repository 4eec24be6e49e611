"""Kimi delta attention, forward, chunk by chunk: a gated delta net whose state forgets
each channel of the keys at a pace of its own.

S[t] = (1 - b[t] k[t] k[t]ᵀ) diag(a[t]) S[t-1] + b[t] k[t] v[t] and o[t] = q[t] S[t]. With
G the sum of log a in a chunk, keys times exp(G) meet keys times exp(-G); what is
forgotten in a chunk must fit a float16.
"""

import numpy as np

import tile
import tile.language as T


@tile.jit
def delta_attention(Q, K, V, decay, beta, chunk=32):
    batch, seq, heads, dim = T.const("batch, seq, heads, dim")
    Q: T.Tensor((batch, seq, heads, dim), "float16")
    K: T.Tensor((batch, seq, heads, dim), "float16")
    V: T.Tensor((batch, seq, heads, dim), "float16")
    decay: T.Tensor((batch, seq, heads, dim), "float32")  # log a
    beta: T.Tensor((batch, seq, heads), "float32")
    O = T.empty((batch, seq, heads, dim), "float32")
    with T.Kernel(heads, batch, threads=128) as (h, b):
        Qs, Ks, Vs, K_faded, K_ahead, U_half = (T.alloc_shared((chunk, dim), "float16")
                                                for _ in range(6))
        G, U = (T.alloc_shared((chunk, dim), "float32") for _ in range(2))
        A = T.alloc_shared((chunk, chunk), "float32")
        P = T.alloc_shared((chunk, chunk), "float16")
        strength = T.alloc_shared((chunk,), "float32")
        state_half = T.alloc_shared((dim, dim), "float16")
        state = T.alloc_fragment((dim, dim), "float32")
        scores = T.alloc_fragment((chunk, chunk), "float32")
        out = T.alloc_fragment((chunk, dim), "float32")
        T.clear(state)
        for c in T.serial(T.ceildiv(seq, chunk)):
            rows = slice(c * chunk, (c + 1) * chunk)
            for tensor, tile_of_it in ((Q, Qs), (K, Ks), (V, Vs), (decay, G)):
                T.copy(tensor[b, rows, h, :], tile_of_it)
            T.copy(beta[b, rows, h], strength)
            T.cumsum(G, dim=0)
            for i, d in T.Parallel(chunk, dim):
                Qs[i, d] *= T.exp(G[i, d])
                K_faded[i, d] = Ks[i, d] * T.exp(G[i, d])
                K_ahead[i, d] = Ks[i, d] * T.exp(-G[i, d])
                Ks[i, d] *= T.exp(G[chunk - 1, d] - G[i, d])
            T.copy(state, state_half)
            T.gemm(K_faded, K_ahead, scores, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(chunk, chunk):
                A[i, j] = strength[i] * scores[i, j]
            T.gemm(K_faded, state_half, out, clear_accum=True)
            for i, d in T.Parallel(chunk, dim):
                U[i, d] = strength[i] * (Vs[i, d] - out[i, d])
            for i in T.serial(1, chunk):
                for d in T.Parallel(dim):
                    rest = U[i, d]
                    for j in T.serial(i):
                        rest -= A[i, j] * U[j, d]
                    U[i, d] = rest
            T.copy(U, U_half)
            T.gemm(Qs, K_ahead, scores, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(chunk, chunk):
                P[i, j] = T.if_then_else(i >= j, scores[i, j], 0)
            T.gemm(Qs, state_half, out, clear_accum=True)
            T.gemm(P, U_half, out)
            T.copy(out, O[b, rows, h, :])
            for i, d in T.Parallel(dim, dim):
                state[i, d] *= T.exp(G[chunk - 1, i])
            T.gemm(Ks, U_half, state, transpose_A=True)
    return O


def reference(q, k, v, decay, beta):
    out = np.zeros(q.shape)
    for b in range(q.shape[0]):
        for h in range(q.shape[2]):
            state = np.zeros((q.shape[3],) * 2)
            for t in range(q.shape[1]):
                key = k[b, t, h].astype(np.float64)
                state *= np.exp(decay[b, t, h])[:, None]
                state += np.outer(key, beta[b, t, h] * (v[b, t, h] - key @ state))
                out[b, t, h] = q[b, t, h] @ state
    return out


def check(rng, sizes=((1, 70, 2, 64), (1, 1, 1, 64))):
    for shape in sizes:
        q, k, v = (rng.standard_normal(shape) for _ in range(3))
        k /= np.linalg.norm(k, axis=3, keepdims=True)
        q, k, v = (x.astype(np.float16) for x in (q, k, v))
        decay = -rng.random(shape).astype(np.float32) / 8
        beta = rng.random(shape[:3]).astype(np.float32)
        np.testing.assert_allclose(delta_attention(q, k, v, decay, beta),
                                   reference(q, k, v, decay, beta), rtol=3e-2, atol=3e-2)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("kimi_delta_attention: right")
