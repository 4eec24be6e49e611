"""The Walsh-Hadamard transform of rows: sums and differences of elements that are 1,
2, 4, … places apart. A row stays in registers, and passes shared memory between steps."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def hadamard(X, rows=4):
    M = T.dynamic("M")
    N = T.const("N")  # a power of two
    X: T.Tensor((M, N), "float32")
    Y = T.empty((M, N), "float32")
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        x, y = (T.alloc_fragment((rows, N), "float32") for _ in range(2))
        T.copy(X[b * rows, 0], x)
        for step in T.unroll(N.bit_length() - 1):
            for i, j in T.Parallel(rows, N):
                other = x[i, j ^ (1 << step)]
                y[i, j] = T.if_then_else(j & (1 << step) == 0, x[i, j] + other, other - x[i, j])
            x, y = y, x
        for i, j in T.Parallel(rows, N):
            x[i, j] *= N**-0.5
        T.copy(x, Y[b * rows, 0])
    return Y


def check(rng, sizes=((11, 64), (1, 2))):
    for m, n in sizes:
        matrix = np.ones((1, 1))
        while len(matrix) < n:
            matrix = np.block([[matrix, matrix], [matrix, -matrix]])
        x = rng.integers(-4, 5, (m, n)).astype(np.float32)
        np.testing.assert_allclose(hadamard(x), x @ matrix / np.sqrt(n), rtol=1e-6, atol=1e-6)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("hadamard: right")
