"""Activations as 8-bit floats: each group of columns of a row has a scale, with which
its largest number becomes the largest that the type has."""

import numpy as np

import tile
import tile.language as T

LARGEST = 448.0


@tile.jit
def cast(X, rows=16, group=128):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), "bfloat16")
    Y = T.empty((M, N), "float8_e4m3fn")
    scale = T.empty((M, T.ceildiv(N, group)), "float32")
    with T.Kernel(T.ceildiv(N, group), T.ceildiv(M, rows), threads=128) as (bx, by):
        x = T.alloc_fragment((rows, group), "float32")
        y = T.alloc_fragment((rows, group), "float8_e4m3fn")
        top = T.alloc_fragment((rows,), "float32")
        T.copy(X[by * rows, bx * group], x)
        T.reduce_absmax(x, top, dim=1)
        for i in T.Parallel(rows):
            top[i] = T.max(top[i], 1e-4) / LARGEST
            scale[by * rows + i, bx] = top[i]
        for i, j in T.Parallel(rows, group):
            y[i, j] = T.clamp(x[i, j] / top[i], -LARGEST, LARGEST)
        T.copy(y, Y[by * rows, bx * group])
    return Y, scale


@tile.jit
def cast_groups(X, starts, rows=16):
    """Rows of several experts, one scale for each row; rows past the last are 0."""
    M, count = T.dynamic("M, count")
    N = T.const("N")
    X: T.Tensor((M, N), "bfloat16")
    starts: T.Tensor((count + 1,), "int32")
    Y = T.empty((M, N), "float8_e4m3fn")
    scale = T.empty((M,), "float32")
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        x = T.alloc_fragment((rows, N), "float32")
        top = T.alloc_fragment((rows,), "float32")
        used = starts[count]
        T.copy(X[b * rows:used, 0:N], x)
        T.reduce_absmax(x, top, dim=1)
        for i in T.Parallel(rows):
            top[i] = T.max(top[i], 1e-4) / LARGEST
        T.copy(top, scale[b * rows])
        for i, j in T.Parallel(rows, N):
            Y[b * rows + i, j] = T.cast(x[i, j] / top[i], "float8_e4m3fn")
    return Y, scale


def from_e4m3(code):
    """The numbers that bytes of float8_e4m3fn are."""
    code = code.view(np.uint8).astype(np.int64)
    exponent, mantissa = code >> 3 & 15, code & 7
    value = np.where(exponent == 0, mantissa / 8 * 2.0**-6,
                     (1 + mantissa / 8) * 2.0 ** (exponent - 7))
    return np.where(code & 128, -value, value)


def bf16(values):
    """Bytes of bfloat16, by cutting."""
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def wide(code):
    return (code.astype(np.uint32) << 16).view(np.float32)


def check(rng, sizes=((70, 300), (1, 1))):
    for m, n in sizes:
        x = bf16(rng.standard_normal((m, n)))
        y, scale = cast(x)
        top = np.stack([np.abs(wide(x)[:, k:k + 128]).max(1) for k in range(0, n, 128)], 1)
        np.testing.assert_allclose(scale, np.maximum(top, 1e-4) / LARGEST, rtol=1e-6)
        back = from_e4m3(y) * np.repeat(scale, 128, 1)[:, :n]
        np.testing.assert_allclose(back, wide(x), rtol=2**-4, atol=2**-6 * scale.max())
    x = bf16(rng.standard_normal((40, 64)))
    y, scale = cast_groups(x, np.array([0, 3, 21, 33], np.int32))
    back = from_e4m3(y) * scale[:, None]
    np.testing.assert_allclose(back[:33], wide(x)[:33], rtol=2**-4, atol=2**-6 * scale.max())
    assert not back[33:].any()


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("cast_fp8: right")
