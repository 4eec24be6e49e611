"""One element at a time: SwiGLU, and a cast of rows to 8-bit floats with scales."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def swiglu(gate, up, block=256):
    n = T.dynamic("n")
    gate: T.Tensor((n,), "float16")
    up: T.Tensor((n,), "float16")
    out = T.empty((n,), "float16")
    with T.Kernel(T.ceildiv(n, block), threads=128) as b:
        for i in T.Parallel(block):
            x = T.float32(gate[b * block + i])
            out[b * block + i] = x * T.sigmoid(x) * up[b * block + i]
    return out


@tile.jit
def cast_rows(X, rows=8, group=128):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), "float32")
    Y = T.empty((M, N), "float8_e4m3fn")
    scale = T.empty((M, T.ceildiv(N, group)), "float32")
    with T.Kernel(T.ceildiv(M, rows), T.ceildiv(N, group), threads=128) as (b, g):
        x = T.alloc_fragment((rows, group), "float32")
        y = T.alloc_fragment((rows, group), "float8_e4m3fn")
        largest = T.alloc_fragment((rows,), "float32")
        T.copy(X[b * rows, g * group], x)
        T.reduce_absmax(x, largest, dim=1)
        for i in T.Parallel(rows):
            largest[i] = T.max(largest[i], 1e-4) / 448
            scale[b * rows + i, g] = largest[i]
        for i, j in T.Parallel(rows, group):
            y[i, j] = x[i, j] / largest[i]
        T.copy(y, Y[b * rows, g * group])
    return Y, scale


def check(rng, sizes=((10, 200), (1, 1))):
    for m, n in sizes:
        g, u = (rng.standard_normal(m * n).astype(np.float16) for _ in range(2))
        wide = g.astype(np.float32)
        np.testing.assert_allclose(swiglu(g, u), wide / (1 + np.exp(-wide)) * u, 2e-3, 2e-3)
        x = rng.standard_normal((m, n)).astype(np.float32)
        _, scale = cast_rows(x)
        padded = np.pad(x, ((0, 0), (0, -n % 128))).reshape(m, -1, 128)
        np.testing.assert_allclose(scale, np.maximum(abs(padded).max(2), 1e-4) / 448, 1e-6)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("elementwise: right")
