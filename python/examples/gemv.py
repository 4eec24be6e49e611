"""y = A · x, a product of a matrix and a vector. Rows are read once and nothing is
used twice, so that memory is all that counts."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def gemv(A, x, rows=16, columns=256):
    M = T.dynamic("M")
    K = T.const("K")
    A: T.Tensor((M, K), "float16")
    x: T.Tensor((K,), "float16")
    y = T.empty((M,), "float32")
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        part = T.alloc_fragment((rows, columns), "float32")
        vector = T.alloc_fragment((columns,), "float32")
        total = T.alloc_fragment((rows,), "float32")
        T.clear(total)
        for k in T.serial(T.ceildiv(K, columns)):
            T.copy(A[b * rows, k * columns], part)
            T.copy(x[k * columns], vector)
            for i, j in T.Parallel(rows, columns):
                part[i, j] *= vector[j]
            T.reduce_sum(part, total, dim=1, clear=False)
        T.copy(total, y[b * rows])
    return y


def check(rng, sizes=((70, 600), (1, 1), (16, 256))):
    for m, k in sizes:
        a, x = (rng.integers(-2, 3, s).astype(np.float16) for s in ((m, k), (k,)))
        np.testing.assert_array_equal(gemv(a, x), a.astype(np.float32) @ x.astype(np.float32))


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("gemv: right")
