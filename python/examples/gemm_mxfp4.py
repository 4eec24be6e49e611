"""C = A · Wᵀ where W has 4-bit floats (e2m1), two in a byte, and each 32 columns of a
row share a power of two: the format MXFP4. They are unpacked to registers, which is
where the left factor of a product may lie: the kernel computes Cᵀ = W · Aᵀ. A step has
two parts, each with registers of its own: one is unpacked while the other is multiplied."""

import numpy as np

import tile
import tile.language as T

GROUP = 32


@T.macro
def e2m1(code):
    """A sign, two bits of exponent with bias 1, one of mantissa: where bfloat16 has
    them, whose bias is 127. Exact for 0.5, which is subnormal before the product."""
    bits = (code & 8) << 12 | (code & 7) << 6
    return T.reinterpret(T.cast(bits, "uint16"), "bfloat16") * T.bfloat16(2.0**126)


@T.macro
def e8m0(code):
    """2 to the power of code - 127."""
    return T.reinterpret(T.cast(code, "uint16") << 7, "bfloat16")


@T.macro
def unpack(packed, scales, part, wide):
    """Part `part` of those that lie side by side in `packed`."""
    for i, j in T.Parallel(wide.shape[0], wide.shape[1]):
        column = part * wide.shape[1] + j
        code = T.int32(packed[i, column // 2]) >> (j % 2 * 4)
        wide[i, j] = e2m1(code) * e8m0(scales[column // GROUP, i])


@tile.jit
def mxfp4_product(A, W, scale, block_M=64, block_N=64, block_K=64, stages=2, threads=128):
    M = T.dynamic("M")
    N, K = T.const("N, K")
    A: T.Tensor((M, K), "bfloat16")
    W: T.Tensor((N, K // 2), "uint8")
    scale: T.Tensor((K // GROUP, N), "uint8")  # e8m0: the exponent, plus 127
    C = T.empty((M, N), "bfloat16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_tile = T.alloc_shared((block_M, 2 * block_K), "bfloat16")
        packed = T.alloc_shared((block_N, block_K), "uint8")
        scales = T.alloc_shared((2 * block_K // GROUP, block_N), "uint8")
        first, second = (T.alloc_fragment((block_N, block_K), "bfloat16") for _ in range(2))
        acc = T.alloc_fragment((block_N, block_M), "float32")
        C_tile = T.alloc_shared((block_M, block_N), "bfloat16")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, 2 * block_K), num_stages=stages):
            T.copy(A[by * block_M, 2 * k * block_K], A_tile)
            T.copy(W[bx * block_N, k * block_K], packed)
            T.copy(scale[2 * k * block_K // GROUP, bx * block_N], scales)
            unpack(packed, scales, 0, first)
            T.gemm(first, A_tile[:, :block_K], acc, transpose_B=True)
            unpack(packed, scales, 1, second)
            T.gemm(second, A_tile[:, block_K:], acc, transpose_B=True)
        for i, j in T.Parallel(block_M, block_N):
            C_tile[i, j] = acc[j, i]
        T.copy(C_tile, C[by * block_M, bx * block_N])
    return C


def check(rng, sizes=((70, 90, 160), (1, 1, 32))):
    numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    for m, n, k in sizes:
        a = rng.integers(-2, 3, (m, k)).astype(np.float32)
        codes = rng.integers(0, 16, (n, k))
        scale = rng.integers(125, 130, (k // GROUP, n)).astype(np.uint8)
        w = np.where(codes & 8, -1, 1) * numbers[codes & 7]
        w *= 2.0 ** (np.repeat(scale, GROUP, 0).T.astype(int) - 127)
        packed = (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)
        bf16 = (a.view(np.uint32) >> 16).astype(np.uint16)
        c = mxfp4_product(bf16, packed, scale).astype(np.uint32) << 16
        np.testing.assert_allclose(c.view(np.float32), a @ w.T, rtol=2**-8)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_mxfp4: right")
