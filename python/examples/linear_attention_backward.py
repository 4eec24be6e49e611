"""Gradients of causal linear attention, chunk by chunk: a walk to the end gives that of the
queries, one to the beginning those of keys and values. Each carries a state."""

import numpy as np

import tile
import tile.language as T


@T.macro
def masked(scores, half, below):
    """Scores of a chunk with itself: of keys that are not later, or not earlier."""
    for i, j in T.Parallel(*scores.shape):
        half[i, j] = T.if_then_else(i >= j if below else i <= j, scores[i, j], 0)


@tile.jit
def gradients(Q, K, V, dO, chunk=32):
    batch, seq, heads, dim = T.const("batch, seq, heads, dim")
    shape = (batch, seq, heads, dim)
    Q: T.Tensor(shape, "float16")
    K: T.Tensor(shape, "float16")
    V: T.Tensor(shape, "float16")
    dO: T.Tensor(shape, "float16")
    dQ, dK, dV = (T.empty(shape, "float32") for _ in range(3))
    chunks = tile.cdiv(seq, chunk)
    with T.Kernel(heads, batch, 2, threads=128) as (h, b, walk):
        q, k, v, o = (T.alloc_shared((chunk, dim), "float16") for _ in range(4))
        state = T.alloc_fragment((dim, dim), "float32")
        state_half = T.alloc_shared((dim, dim), "float16")
        scores = T.alloc_fragment((chunk, chunk), "float32")
        scores_half = T.alloc_shared((chunk, chunk), "float16")
        out = T.alloc_fragment((chunk, dim), "float32")
        T.clear(state)
        for n in T.Pipelined(chunks, num_stages=1):
            at = (n if walk == 0 else chunks - 1 - n) * chunk
            T.copy(K[b, at:at + chunk, h, :], k)
            T.copy(V[b, at:at + chunk, h, :], v)
            T.copy(dO[b, at:at + chunk, h, :], o)
            T.copy(state, state_half)
            if walk == 0:
                T.gemm(o, v, scores, transpose_B=True, clear_accum=True)
                masked(scores, scores_half, True)
                T.gemm(scores_half, k, out, clear_accum=True)
                T.gemm(o, state_half, out)
                T.copy(out, dQ[b, at:at + chunk, h, :])
                T.gemm(v, k, state, transpose_A=True)
            else:
                T.copy(Q[b, at:at + chunk, h, :], q)
                T.gemm(v, o, scores, transpose_B=True, clear_accum=True)
                masked(scores, scores_half, False)
                T.gemm(scores_half, q, out, clear_accum=True)
                T.gemm(v, state_half, out, transpose_B=True)
                T.copy(out, dK[b, at:at + chunk, h, :])
                T.gemm(k, q, scores, transpose_B=True, clear_accum=True)
                masked(scores, scores_half, False)
                T.gemm(scores_half, o, out, clear_accum=True)
                T.gemm(k, state_half, out)
                T.copy(out, dV[b, at:at + chunk, h, :])
                T.gemm(q, o, state, transpose_A=True)
    return dQ, dK, dV


def check(rng, sizes=((1, 70, 2, 32), (1, 1, 1, 32))):
    for shape in sizes:
        tensors = [rng.integers(-1, 2, shape).astype(np.float16) for _ in range(4)]
        q, k, v, o = (t.astype(np.float32).transpose(0, 2, 1, 3) for t in tensors)
        causal = np.tri(shape[1], dtype=np.float32)
        weights = (q @ k.swapaxes(2, 3)) * causal
        scores = (o @ v.swapaxes(2, 3)) * causal
        wanted = scores @ k, scores.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ o
        for got, right in zip(gradients(*tensors), wanted):
            np.testing.assert_array_equal(got, right.transpose(0, 2, 1, 3))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("linear_attention_backward: right")
