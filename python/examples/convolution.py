"""A convolution of images, channels last, as a product whose left factor is gathered."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def convolution(X, W, stride=1, dilation=1, pad=1, block_M=64, block_N=64, block_K=32, stages=3,
                threads=128):
    N, H, V, C, R, S, F = T.const("N, H, V, C, R, S, F")
    X: T.Tensor((N, H, V, C), "float16")
    W: T.Tensor((R * S * C, F), "float16")
    P = (H + 2 * pad - dilation * (R - 1) - 1) // stride + 1
    Q = (V + 2 * pad - dilation * (S - 1) - 1) // stride + 1
    Y = T.empty((N, P, Q, F), "float16")
    columns, rows = T.ceildiv(F, block_N), T.ceildiv(N * P * Q, block_M)
    with T.Kernel(columns, rows, threads=threads) as (bx, by):
        X_tile = T.alloc_shared((block_M, block_K), "float16")
        W_tile = T.alloc_shared((block_K, block_N), "float16")
        acc = T.alloc_fragment((block_M, block_N), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(R * S * C, block_K), num_stages=stages):
            T.c2d_im2col(X, X_tile, by, k, (R, S), stride, dilation, pad)
            T.copy(W[k * block_K, bx * block_N], W_tile)
            T.gemm(X_tile, W_tile, acc)
        pixels = T.view(Y, (N * P * Q, F))
        T.copy(acc, pixels[by * block_M, bx * block_N])
    return Y


def check(rng, sizes=((2, 9, 7, 32, 40, 2, 1, 1), (1, 5, 5, 8, 3, 1, 2, 0))):
    for n, h, v, c, f, stride, dilation, pad in sizes:
        x = rng.integers(-2, 3, (n, h, v, c)).astype(np.float16)
        w = rng.integers(-2, 3, (3, 3, c, f)).astype(np.float16)
        kernel = convolution.compile(N=n, H=h, V=v, C=c, R=3, S=3, F=f, stride=stride,
                                     dilation=dilation, pad=pad)
        y = kernel(x, w.reshape(-1, f))
        padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0))).astype(np.float32)
        p, q = y.shape[1:3]
        wanted = sum(padded[:, r * dilation:, s * dilation:][:, :p * stride:stride,
                                                             :q * stride:stride][:, :p, :q]
                     @ w[r, s].astype(np.float32) for r in range(3) for s in range(3))
        np.testing.assert_array_equal(y, wanted.astype(np.float16))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("convolution: right")
