"""The scan of Mamba 2, chunk by chunk: a state that all channels of a head let fade
alike, h[t] = exp(a dt[t]) h[t-1] + dt[t] B[t] x[t], read as y[t] = C[t] h[t] + D x[t]."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def mamba_scan(X, dt, A, B, C, D, chunk=32):
    batch, seq, heads, dim, states = T.const("batch, seq, heads, dim, states")
    X: T.Tensor((batch, seq, heads, dim), "float16")
    dt: T.Tensor((batch, seq, heads), "float32")
    A: T.Tensor((heads,), "float32")  # negative
    B: T.Tensor((batch, seq, states), "float16")
    C: T.Tensor((batch, seq, states), "float16")
    D: T.Tensor((heads,), "float32")
    Y = T.empty((batch, seq, heads, dim), "float32")
    with T.Kernel(heads, batch, threads=128) as (h, b):
        Xs, Xs_dt = (T.alloc_shared((chunk, dim), "float16") for _ in range(2))
        Bs, Cs = (T.alloc_shared((chunk, states), "float16") for _ in range(2))
        G, step = (T.alloc_shared((chunk,), "float32") for _ in range(2))
        state_half = T.alloc_shared((states, dim), "float16")
        P = T.alloc_shared((chunk, chunk), "float16")
        state = T.alloc_fragment((states, dim), "float32")
        scores = T.alloc_fragment((chunk, chunk), "float32")
        out = T.alloc_fragment((chunk, dim), "float32")
        T.clear(state)
        for c in T.serial(T.ceildiv(seq, chunk)):
            rows = slice(c * chunk, (c + 1) * chunk)
            T.copy(X[b, rows, h, :], Xs)
            T.copy(B[b, rows, :], Bs)
            T.copy(C[b, rows, :], Cs)
            T.copy(dt[b, rows, h], step)
            for i in T.Parallel(chunk):
                G[i] = A[h] * step[i]
            T.cumsum(G, dim=0)
            for i, d in T.Parallel(chunk, dim):
                Xs_dt[i, d] = Xs[i, d] * step[i]
            T.copy(state, state_half)
            T.gemm(Cs, Bs, scores, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(chunk, chunk):
                P[i, j] = T.if_then_else(i >= j, scores[i, j] * T.exp(G[i] - G[j]), 0)
            T.gemm(Cs, state_half, out, clear_accum=True)
            for i, d in T.Parallel(chunk, dim):
                out[i, d] = out[i, d] * T.exp(G[i]) + D[h] * Xs[i, d]
            T.gemm(P, Xs_dt, out)
            T.copy(out, Y[b, rows, h, :])
            for i, d in T.Parallel(chunk, dim):
                Xs_dt[i, d] *= T.exp(G[chunk - 1] - G[i])
            for n, d in T.Parallel(states, dim):
                state[n, d] *= T.exp(G[chunk - 1])
            T.gemm(Bs, Xs_dt, state, transpose_A=True)
    return Y


def reference(x, dt, a, b, c, d):
    y = np.zeros(x.shape)
    for n, h in np.ndindex(x.shape[0], x.shape[2]):
        state = np.zeros((b.shape[2], x.shape[3]))
        for t in range(x.shape[1]):
            state *= np.exp(a[h] * dt[n, t, h])
            state += dt[n, t, h] * np.outer(b[n, t].astype(np.float64), x[n, t, h])
            y[n, t, h] = c[n, t] @ state + d[h] * x[n, t, h]
    return y


def check(rng, sizes=((1, 70, 2, 64, 32), (1, 1, 1, 64, 32))):
    for batch, seq, heads, dim, states in sizes:
        x = rng.standard_normal((batch, seq, heads, dim)).astype(np.float16)
        b, c = (rng.standard_normal((batch, seq, states)).astype(np.float16) / 4 for _ in range(2))
        dt = rng.random((batch, seq, heads)).astype(np.float32)
        a, d = -rng.random(heads).astype(np.float32), rng.random(heads).astype(np.float32)
        np.testing.assert_allclose(mamba_scan(x, dt, a, b, c, d), reference(x, dt, a, b, c, d),
                                   rtol=1e-2, atol=1e-2)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("mamba_scan: right")
