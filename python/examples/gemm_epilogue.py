"""A linear layer: Y = gelu(X · Wᵀ + bias), with rows and columns of any number."""

import math

import numpy as np

import tile
import tile.language as T


@tile.jit
def linear_gelu(X, W, bias, block_M=64, block_N=64, block_K=32, stages=3,
                threads=128):
    M, N, K = T.dynamic("M, N, K")
    X: T.Tensor((M, K), "float16")
    W: T.Tensor((N, K), "float16")
    bias: T.Tensor((N,), "float32")
    Y = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        X_tile = T.alloc_shared((block_M, block_K), "float16")
        W_tile = T.alloc_shared((block_N, block_K), "float16")
        b = T.alloc_fragment((block_N,), "float32")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.use_swizzle(8)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
            T.copy(X[by * block_M, k * block_K], X_tile)
            T.copy(W[bx * block_N, k * block_K], W_tile)
            T.gemm(X_tile, W_tile, acc, transpose_B=True)
        T.copy(bias[bx * block_N], b)
        for i, j in T.Parallel(block_M, block_N):
            y = acc[i, j] + b[j]
            acc[i, j] = 0.5 * y * (1 + T.erf(y * math.sqrt(0.5)))
        T.copy(acc, Y[by * block_M, bx * block_N])
    return Y


def check(rng, sizes=((70, 90, 40), (1, 1, 1))):
    for m, n, k in sizes:
        x, w = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (n, k)))
        bias = rng.standard_normal(n).astype(np.float32)
        y = x.astype(np.float64) @ w.T + bias
        wanted = 0.5 * y * (1 + np.vectorize(math.erf)(y / math.sqrt(2)))
        np.testing.assert_allclose(linear_gelu(x, w, bias), wanted, rtol=1e-3, atol=1e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemm_epilogue: right")
