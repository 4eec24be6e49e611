"""Linear attention, causal, chunk by chunk: a state of keys and values is carried
from chunk to chunk, and queries see it beside the keys of their own chunk."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def linear_attention(Q, K, V, chunk=32):
    batch, seq, heads, dim = T.const("batch, seq, heads, dim")
    Q: T.Tensor((batch, seq, heads, dim), "float16")
    K: T.Tensor((batch, seq, heads, dim), "float16")
    V: T.Tensor((batch, seq, heads, dim), "float16")
    O = T.empty((batch, seq, heads, dim), "float32")
    with T.Kernel(heads, batch, threads=128) as (h, b):
        Qs, Ks, Vs = (T.alloc_shared((chunk, dim), "float16") for _ in range(3))
        state = T.alloc_fragment((dim, dim), "float32")
        state_half = T.alloc_shared((dim, dim), "float16")
        S = T.alloc_fragment((chunk, chunk), "float32")
        S_half = T.alloc_shared((chunk, chunk), "float16")
        out = T.alloc_fragment((chunk, dim), "float32")
        T.clear(state)
        for c in T.Pipelined(T.ceildiv(seq, chunk), num_stages=1):
            T.copy(Q[b, c * chunk:(c + 1) * chunk, h, :], Qs)
            T.copy(K[b, c * chunk:(c + 1) * chunk, h, :], Ks)
            T.copy(V[b, c * chunk:(c + 1) * chunk, h, :], Vs)
            T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(chunk, chunk):
                S_half[i, j] = T.if_then_else(i >= j, S[i, j], 0)
            T.copy(state, state_half)
            T.gemm(S_half, Vs, out, clear_accum=True)
            T.gemm(Qs, state_half, out)
            T.gemm(Ks, Vs, state, transpose_A=True)
            T.copy(out, O[b, c * chunk:(c + 1) * chunk, h, :])
    return O


def check(rng, sizes=((1, 80, 2, 64), (1, 1, 1, 64))):
    for shape in sizes:
        q, k, v = (rng.integers(-1, 2, shape).astype(np.float16) for _ in range(3))
        s = np.einsum("bqhd,bkhd->bhqk", q.astype(np.float32), k.astype(np.float32))
        wanted = np.einsum("bhqk,bkhd->bqhd", s * np.tri(shape[1]), v.astype(np.float32))
        np.testing.assert_array_equal(linear_attention(q, k, v), wanted)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("linear_attention: right")
