"""Layer norm and RMS norm of rows that stay in registers."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def layer_norm(X, weight, bias, eps=1e-5, rows=4):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), "float16")
    weight: T.Tensor((N,), "float32")
    bias: T.Tensor((N,), "float32")
    Y = T.empty((M, N), "float16")
    width = tile.next_power_of_2(N)
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        x = T.alloc_fragment((rows, width), "float32")
        square = T.alloc_fragment((rows, width), "float32")
        mean = T.alloc_fragment((rows,), "float32")
        variance = T.alloc_fragment((rows,), "float32")
        T.copy(X[b * rows, 0], x)
        T.reduce_sum(x, mean, dim=1)
        for i, j in T.Parallel(rows, width):
            x[i, j] = T.if_then_else(j < N, x[i, j] - mean[i] / N, 0)
            square[i, j] = x[i, j] * x[i, j]
        T.reduce_sum(square, variance, dim=1)
        for i, j in T.Parallel(rows, width):
            x[i, j] = x[i, j] * T.rsqrt(variance[i] / N + eps) * weight[j] + bias[j]
        T.copy(x, Y[b * rows, 0])
    return Y


@tile.jit
def rms_norm(X, weight, eps=1e-5, rows=4):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), "float16")
    weight: T.Tensor((N,), "float32")
    Y = T.empty((M, N), "float16")
    width = tile.next_power_of_2(N)
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        x = T.alloc_fragment((rows, width), "float32")
        square = T.alloc_fragment((rows, width), "float32")
        total = T.alloc_fragment((rows,), "float32")
        T.copy(X[b * rows, 0], x)
        for i, j in T.Parallel(rows, width):
            square[i, j] = x[i, j] * x[i, j]
        T.reduce_sum(square, total, dim=1)
        for i, j in T.Parallel(rows, width):
            x[i, j] = x[i, j] * T.rsqrt(total[i] / N + eps) * weight[j]
        T.copy(x, Y[b * rows, 0])
    return Y


def check(rng, sizes=((6, 100), (1, 1), (5, 128))):
    for m, n in sizes:
        x = rng.standard_normal((m, n)).astype(np.float16)
        w, b = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
        wide = x.astype(np.float32)
        centred = wide - wide.mean(1, keepdims=True)
        wanted = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * w + b
        np.testing.assert_allclose(layer_norm(x, w, b), wanted, rtol=2e-3, atol=2e-3)
        wanted = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * w
        np.testing.assert_allclose(rms_norm(x, w), wanted, rtol=2e-3, atol=2e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("layer_norm: right")
