"""Gated delta net, forward, chunk by chunk: a state that forgets, and that corrects
what it holds under a key before it stores a value there.

With S the state, S[t] = a[t] (S[t-1] - b[t] k[t] (k[t] S[t-1])) + b[t] k[t] v[t] and
o[t] = q[t] S[t]. In a chunk the corrections u solve a triangular system.
"""

import numpy as np

import tile
import tile.language as T


@tile.jit
def delta_net(Q, K, V, decay, beta, chunk=32):
    batch, seq, heads, dim = T.const("batch, seq, heads, dim")
    Q: T.Tensor((batch, seq, heads, dim), "float16")
    K: T.Tensor((batch, seq, heads, dim), "float16")
    V: T.Tensor((batch, seq, heads, dim), "float16")
    decay: T.Tensor((batch, seq, heads), "float32")  # log a
    beta: T.Tensor((batch, seq, heads), "float32")
    O = T.empty((batch, seq, heads, dim), "float32")
    with T.Kernel(heads, batch, threads=128) as (h, b):
        Qs, Ks, Vs, U_half = (T.alloc_shared((chunk, dim), "float16") for _ in range(4))
        U = T.alloc_shared((chunk, dim), "float32")
        A = T.alloc_shared((chunk, chunk), "float32")
        P = T.alloc_shared((chunk, chunk), "float16")
        G = T.alloc_shared((chunk,), "float32")
        strength = T.alloc_shared((chunk,), "float32")
        state_half = T.alloc_shared((dim, dim), "float16")
        state = T.alloc_fragment((dim, dim), "float32")
        scores = T.alloc_fragment((chunk, chunk), "float32")
        out = T.alloc_fragment((chunk, dim), "float32")
        T.clear(state)
        for c in T.serial(T.ceildiv(seq, chunk)):
            T.copy(Q[b, c * chunk:(c + 1) * chunk, h, :], Qs)
            T.copy(K[b, c * chunk:(c + 1) * chunk, h, :], Ks)
            T.copy(V[b, c * chunk:(c + 1) * chunk, h, :], Vs)
            T.copy(decay[b, c * chunk:(c + 1) * chunk, h], G)
            T.copy(beta[b, c * chunk:(c + 1) * chunk, h], strength)
            T.cumsum(G, dim=0)
            T.copy(state, state_half)
            T.gemm(Ks, Ks, scores, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(chunk, chunk):
                A[i, j] = strength[i] * T.exp(G[i] - G[j]) * scores[i, j]
            T.gemm(Ks, state_half, out, clear_accum=True)
            for i, d in T.Parallel(chunk, dim):
                U[i, d] = strength[i] * (Vs[i, d] - T.exp(G[i]) * out[i, d])
            for i in T.serial(1, chunk):
                for d in T.Parallel(dim):
                    rest = U[i, d]
                    for j in T.serial(i):
                        rest -= A[i, j] * U[j, d]
                    U[i, d] = rest
            T.copy(U, U_half)
            T.gemm(Qs, Ks, scores, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(chunk, chunk):
                P[i, j] = T.if_then_else(i >= j, scores[i, j] * T.exp(G[i] - G[j]), 0)
            T.gemm(Qs, state_half, out, clear_accum=True)
            for i, d in T.Parallel(chunk, dim):
                out[i, d] *= T.exp(G[i])
            T.gemm(P, U_half, out)
            T.copy(out, O[b, c * chunk:(c + 1) * chunk, h, :])
            for i, d in T.Parallel(chunk, dim):
                Ks[i, d] = Ks[i, d] * T.exp(G[chunk - 1] - G[i])
            for i, d in T.Parallel(dim, dim):
                state[i, d] *= T.exp(G[chunk - 1])
            T.gemm(Ks, U_half, state, transpose_A=True)
    return O


def reference(q, k, v, decay, beta):
    out = np.zeros(q.shape)
    for b in range(q.shape[0]):
        for h in range(q.shape[2]):
            state = np.zeros((q.shape[3],) * 2)
            for t in range(q.shape[1]):
                key, a = k[b, t, h].astype(np.float64), np.exp(decay[b, t, h])
                new = beta[b, t, h] * (v[b, t, h] - a * key @ state)
                state = a * state + np.outer(key, new)
                out[b, t, h] = q[b, t, h] @ state
    return out


def check(rng, sizes=((1, 70, 2, 64), (1, 1, 1, 64))):
    for shape in sizes:
        q, k, v = (rng.standard_normal(shape) for _ in range(3))
        k /= np.linalg.norm(k, axis=3, keepdims=True)
        q, k, v = (x.astype(np.float16) for x in (q, k, v))
        decay = -rng.random(shape[:3]).astype(np.float32) / 4
        beta = rng.random(shape[:3]).astype(np.float32)
        np.testing.assert_allclose(delta_net(q, k, v, decay, beta),
                                   reference(q, k, v, decay, beta), rtol=2e-2, atol=2e-2)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gated_delta_net: right")
