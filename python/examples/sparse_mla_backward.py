"""The gradients of attention to keys that an index names: those of the keys are added
up atomically, because many queries name the same row."""

import math

import numpy as np

import tile
import tile.language as T


@tile.jit
def gradients(Q, KV, places, dO, lse, delta, dKV, block_H=64, block_I=32):
    seq, heads, keys, dim, picks = T.const("seq, heads, keys, dim, picks")
    Q: T.Tensor((seq, heads, dim), "float16")
    KV: T.Tensor((keys, dim), "float16")
    places: T.Tensor((seq, picks), "int32")
    dO: T.Tensor((seq, heads, dim), "float16")
    lse: T.Tensor((seq, heads), "float32")  # log2 of the sum of weights
    delta: T.Tensor((seq, heads), "float32")  # rows of dO times O, added up
    dKV: T.Tensor((keys, dim), "float32")
    dQ = T.empty((seq, heads, dim), "float32")
    scale = 1 / math.sqrt(dim)
    with T.Kernel(T.ceildiv(heads, block_H), seq, threads=128) as (bx, s):
        Qs, dOs = (T.alloc_shared((block_H, dim), "float16") for _ in range(2))
        KVs = T.alloc_shared((block_I, dim), "float16")
        place = T.alloc_shared((block_I,), "int32")
        P_half, dS_half = (T.alloc_shared((block_H, block_I), "float16") for _ in range(2))
        P, dP = (T.alloc_fragment((block_H, block_I), "float32") for _ in range(2))
        sum_of_weights, row = (T.alloc_fragment((block_H,), "float32") for _ in range(2))
        dQ_acc = T.alloc_fragment((block_H, dim), "float32")
        dKV_acc = T.alloc_fragment((block_I, dim), "float32")
        T.copy(Q[s, bx * block_H, 0], Qs)
        T.copy(dO[s, bx * block_H, 0], dOs)
        T.copy(lse[s, bx * block_H], sum_of_weights)
        T.copy(delta[s, bx * block_H], row)
        T.clear(dQ_acc)
        for n in T.serial(T.ceildiv(picks, block_I)):
            for i in T.Parallel(block_I):
                at = n * block_I + i
                place[i] = T.if_then_else(at < picks, places[s, at], -1)
            for i, d in T.Parallel(block_I, dim):
                KVs[i, d] = KV[place[i], d]
            T.gemm(Qs, KVs, P, transpose_B=True, clear_accum=True)
            T.gemm(dOs, KVs, dP, transpose_B=True, clear_accum=True)
            for h, i in T.Parallel(block_H, block_I):
                weight = T.exp2(P[h, i] * scale * math.log2(math.e) - sum_of_weights[h])
                is_seen = place[i] >= 0 and bx * block_H + h < heads
                P[h, i] = T.if_then_else(is_seen, weight, 0)
                dP[h, i] = P[h, i] * (dP[h, i] - row[h]) * scale
            T.copy(P, P_half)
            T.copy(dP, dS_half)
            T.gemm(dS_half, KVs, dQ_acc)
            T.gemm(dS_half, Qs, dKV_acc, transpose_A=True, clear_accum=True)
            T.gemm(P_half, dOs, dKV_acc, transpose_A=True)
            for i, d in T.Parallel(block_I, dim):
                if place[i] >= 0:
                    T.atomic_add(dKV[place[i], d], dKV_acc[i, d])
        T.copy(dQ_acc, dQ[s, bx * block_H, 0])
    return dQ


def check(rng, sizes=((5, 70, 60, 64, 40), (1, 1, 1, 64, 1))):
    for seq, heads, keys, dim, picks in sizes:
        q, do = (rng.standard_normal((seq, heads, dim)).astype(np.float16) for _ in range(2))
        kv = rng.standard_normal((keys, dim)).astype(np.float16)
        places = np.full((seq, picks), -1, np.int32)
        for s in range(seq):
            count = rng.integers(1, min(keys, picks) + 1)
            places[s, :count] = rng.permutation(keys)[:count]
        wide = [x.astype(np.float64) for x in (q, kv, do)]
        scores = np.einsum("shd,kd->shk", wide[0], wide[1]) / math.sqrt(dim)
        seen = (places[:, :, None] == np.arange(keys)).any(1)[:, None]
        weights = np.where(seen, np.exp(scores), 0)
        total = weights.sum(2, keepdims=True)
        p = weights / total
        o = p @ wide[1]
        delta = (wide[2] * o).sum(2)
        ds = p * (np.einsum("shd,kd->shk", wide[2], wide[1]) - delta[..., None]) / math.sqrt(dim)
        dkv = np.zeros((keys, dim), np.float32)
        lse = np.log2(total[..., 0]).astype(np.float32)
        dq = gradients(q, kv, places, do, lse, delta.astype(np.float32), dkv)
        np.testing.assert_allclose(dq, ds @ wide[1], rtol=2e-2, atol=1e-2)
        wanted = np.einsum("shk,shd->kd", ds, wide[0]) + np.einsum("shk,shd->kd", p, wide[2])
        np.testing.assert_allclose(dkv, wanted, rtol=2e-2, atol=4e-2)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("sparse_mla_backward: right")
