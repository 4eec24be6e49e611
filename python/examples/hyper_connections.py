"""The mixing of residual streams of manifold-constrained hyper-connections: rows and
columns of small matrices are normalised in turns (Sinkhorn), then streams are mixed."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def sinkhorn(X, rounds=5, rows=32):
    M, n = T.dynamic("M"), T.const("n")
    X: T.Tensor((M, n, n), "float32")
    Y = T.empty((M, n, n), "float32")
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        x = T.alloc_fragment((rows, n, n), "float32")
        total = T.alloc_fragment((rows, n), "float32")
        T.copy(X[b * rows, 0, 0], x)
        T.reduce_max(x, total, dim=2)
        for r, i, j in T.Parallel(rows, n, n):
            x[r, i, j] = T.exp(x[r, i, j] - total[r, i])
        for _ in T.serial(rounds):
            T.reduce_sum(x, total, dim=2)
            for r, i, j in T.Parallel(rows, n, n):
                x[r, i, j] /= total[r, i]
            T.reduce_sum(x, total, dim=1)
            for r, i, j in T.Parallel(rows, n, n):
                x[r, i, j] /= total[r, j]
        T.copy(x, Y[b * rows, 0, 0])
    return Y


@tile.jit
def mix(X, weights, block=128):
    M, n, D = T.dynamic("M"), *T.const("n, D")
    X: T.Tensor((M, n, D), "float16")
    weights: T.Tensor((M, n, n), "float32")
    Y = T.empty((M, n, D), "float16")
    with T.Kernel(T.ceildiv(D, block), M, threads=128) as (bx, m):
        for i, d in T.Parallel(n, block):
            total = 0.0
            for j in T.unroll(n):
                total += weights[m, i, j] * X[m, j, bx * block + d]
            Y[m, i, bx * block + d] = total
    return Y


def check(rng, sizes=((37, 4, 200), (1, 4, 1))):
    for m, n, d in sizes:
        x = rng.standard_normal((m, n, n)).astype(np.float32)
        y = np.exp(x - x.max(2, keepdims=True))
        for _ in range(5):
            y /= y.sum(2, keepdims=True)
            y /= y.sum(1, keepdims=True)
        np.testing.assert_allclose(sinkhorn(x), y, rtol=1e-4)
        streams = rng.standard_normal((m, n, d)).astype(np.float16)
        np.testing.assert_allclose(mix(streams, y), y @ streams.astype(np.float32),
                                   rtol=4e-3, atol=4e-3)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("hyper_connections: right")
