"""Decoding with multi-head latent attention: all heads share one latent row per key,
which is key and value, beside a part of the key that carries the position. `mla` is
plain; `mla_in_roles` is for sm_90a, where a block has shared memory for it."""

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


@tile.jit(pass_configs={tile.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def mla_in_roles(Q, Q_pe, KV, K_pe, block_H=64, block_N=64):
    """The same with roles: one warpgroup makes weights of the scores of a block of keys
    while two others add up the values of the block before. Each half of the columns has
    slots of its own, so that it is loaded again as soon as it has been read."""
    batch = T.dynamic("batch")
    heads, keys, dim, pe = T.const("heads, keys, dim, pe")
    Q: T.Tensor((batch, heads, dim), "float16")
    Q_pe: T.Tensor((batch, heads, pe), "float16")
    KV: T.Tensor((batch, keys, dim), "float16")
    K_pe: T.Tensor((batch, keys, pe), "float16")
    O = T.empty((batch, heads, dim), "float16")
    scale = math.log2(math.e) / math.sqrt(dim + pe)
    steps, half = T.ceildiv(keys, block_N), dim // 2
    with T.Kernel(T.ceildiv(heads, block_H), batch, threads=512) as (bx, b):
        Qs = T.alloc_shared((block_H, dim), "float16")
        Qp = T.alloc_shared((block_H, pe), "float16")
        L, R = (T.alloc_shared((2, block_N, half), "float16") for _ in range(2))
        Kp = T.alloc_shared((2, block_N, pe), "float16")
        P = T.alloc_shared((block_H, block_N), "float16")
        factor = T.alloc_shared((block_H,), "float32")
        asked = T.alloc_barrier(128)
        L_loaded, R_loaded, Kp_loaded = (T.alloc_barrier([128] * 2) for _ in range(3))
        L_read, R_read = (T.alloc_barrier([384] * 2) for _ in range(2))
        Kp_read = T.alloc_barrier([128] * 2)
        weighed, added = T.alloc_barrier(128), T.alloc_barrier(256)
        with T.ws(0, 1):
            T.set_max_nreg(192)
            left, right = (T.alloc_fragment((block_H, half), "float32") for _ in range(2))
            T.clear(left)
            T.clear(right)
            for n in T.serial(steps):
                T.mbarrier_wait_parity(weighed, n % 2)
                for i, j in T.Parallel(block_H, half):
                    left[i, j] *= factor[i]
                    right[i, j] *= factor[i]
                T.mbarrier_wait_parity(L_loaded[n % 2], n // 2 % 2)
                T.gemm(P, L[n % 2, :, :], left)
                T.mbarrier_wait_parity(R_loaded[n % 2], n // 2 % 2)
                T.gemm(P, R[n % 2, :, :], right)
                T.mbarrier_arrive(L_read[n % 2])
                T.mbarrier_arrive(R_read[n % 2])
                T.mbarrier_arrive(added)
            T.mbarrier_wait_parity(weighed, steps % 2)
            for i, j in T.Parallel(block_H, half):
                left[i, j] *= factor[i]
                right[i, j] *= factor[i]
            T.copy(left, O[b, bx * block_H, 0])
            T.copy(right, O[b, bx * block_H, half])
        with T.ws(2):
            T.set_max_nreg(96)
            S = T.alloc_fragment((block_H, block_N), "float32")
            top, before, total = (T.alloc_fragment((block_H,), "float32") for _ in range(3))
            T.clear(total)
            T.fill(top, -1e30)
            T.mbarrier_wait_parity(asked, 0)
            for n in T.serial(steps):
                T.mbarrier_wait_parity(L_loaded[n % 2], n // 2 % 2)
                T.gemm(Qs[:, 0:half], L[n % 2, :, :], S, transpose_B=True, clear_accum=True)
                T.mbarrier_wait_parity(R_loaded[n % 2], n // 2 % 2)
                T.gemm(Qs[:, half:dim], R[n % 2, :, :], S, transpose_B=True)
                T.mbarrier_wait_parity(Kp_loaded[n % 2], n // 2 % 2)
                T.gemm(Qp, Kp[n % 2, :, :], S, transpose_B=True)
                T.mbarrier_arrive(L_read[n % 2])
                T.mbarrier_arrive(R_read[n % 2])
                T.mbarrier_arrive(Kp_read[n % 2])
                for i, j in T.Parallel(block_H, block_N):
                    is_seen = n * block_N + j < keys
                    S[i, j] = T.if_then_else(is_seen, S[i, j], -T.infinity("float32"))
                T.copy(top, before)
                T.reduce_max(S, top, dim=1, clear=False)
                for i in T.Parallel(block_H):
                    before[i] = T.exp2((before[i] - top[i]) * scale)
                    total[i] *= before[i]
                for i, j in T.Parallel(block_H, block_N):
                    S[i, j] = T.exp2(S[i, j] * scale - top[i] * scale)
                T.reduce_sum(S, total, dim=1, clear=False)
                T.mbarrier_wait_parity(added, n % 2 ^ 1)
                T.copy(S, P)
                T.copy(before, factor)
                T.mbarrier_arrive(weighed)
            T.mbarrier_wait_parity(added, steps % 2 ^ 1)
            for i in T.Parallel(block_H):
                factor[i] = 1 / total[i]
            T.mbarrier_arrive(weighed)
        with T.ws(3):
            T.set_max_nreg(32, 0)
            T.copy(Q[b, bx * block_H, 0], Qs)
            T.copy(Q_pe[b, bx * block_H, 0], Qp)
            T.mbarrier_arrive(asked)
            for n in T.serial(steps):
                T.mbarrier_wait_parity(L_read[n % 2], n // 2 % 2 ^ 1)
                T.copy(KV[b, n * block_N, 0], L[n % 2, :, :])
                T.mbarrier_arrive(L_loaded[n % 2])
                T.mbarrier_wait_parity(R_read[n % 2], n // 2 % 2 ^ 1)
                T.copy(KV[b, n * block_N, half], R[n % 2, :, :])
                T.mbarrier_arrive(R_loaded[n % 2])
                T.mbarrier_wait_parity(Kp_read[n % 2], n // 2 % 2 ^ 1)
                T.copy(K_pe[b, n * block_N, 0], Kp[n % 2, :, :])
                T.mbarrier_arrive(Kp_loaded[n % 2])
    return O


def check(rng, sizes=((2, 70, 100, 64, 32), (1, 1, 1, 64, 32))):
    for batch, heads, keys, dim, pe in sizes:
        q, kv = (rng.standard_normal((batch, n, dim)).astype(np.float16) for n in (heads, keys))
        qp, kp = (rng.standard_normal((batch, n, pe)).astype(np.float16) for n in (heads, keys))
        wide = [x.astype(np.float32) for x in (q, qp, kv, kp)]
        s = (wide[0] @ wide[2].swapaxes(1, 2) + wide[1] @ wide[3].swapaxes(1, 2))
        p = np.exp(s / math.sqrt(dim + pe))
        wanted = p / p.sum(2, keepdims=True) @ wide[2]
        for kernel in (mla, mla_in_roles):
            np.testing.assert_allclose(kernel(q, qp, kv, kp), wanted, rtol=1e-2, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("mla_decode: right")
