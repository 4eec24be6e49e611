"""Softmax of rows of any length, in one walk for maximum and sum and one to write."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def softmax(X, rows=4, columns=256):
    M, N = T.dynamic("M, N")
    X: T.Tensor((M, N), "float32")
    Y = T.empty((M, N), "float32")
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        x = T.alloc_fragment((rows, columns), "float32")
        largest = T.alloc_fragment((rows,), "float32")
        before = T.alloc_fragment((rows,), "float32")
        total = T.alloc_fragment((rows,), "float32")
        T.annotate_safe_value({X: -T.infinity("float32")})
        T.fill(largest, -T.infinity("float32"))
        T.clear(total)
        for n in T.serial(T.ceildiv(N, columns)):
            T.copy(X[b * rows, n * columns], x)
            T.copy(largest, before)
            T.reduce_max(x, largest, dim=1, clear=False)
            for i in T.Parallel(rows):
                total[i] *= T.exp(before[i] - largest[i])
            for i, j in T.Parallel(rows, columns):
                x[i, j] = T.exp(x[i, j] - largest[i])
            T.reduce_sum(x, total, dim=1, clear=False)
        for n in T.serial(T.ceildiv(N, columns)):
            T.copy(X[b * rows, n * columns], x)
            for i, j in T.Parallel(rows, columns):
                x[i, j] = T.exp(x[i, j] - largest[i]) / total[i]
            T.copy(x, Y[b * rows, n * columns])
    return Y


def check(rng, sizes=((6, 700), (1, 1))):
    for m, n in sizes:
        x = rng.standard_normal((m, n)).astype(np.float32)
        e = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(softmax(x), e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("softmax: right")
