"""The ways to write a kernel; macros, closures, constants, sizes of run time."""

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T

SCALE = 3


def double(v):
    return v * 2


@T.macro
def add_scaled(tile_, rows, columns, factor=SCALE):
    for i, j in T.Parallel(rows, columns):
        tile_[i, j] = tile_[i, j] + double(factor)


@T.macro
def larger(a, b):
    result = a
    if b > a:
        result = b
    return result


@tile.jit(out_idx=[-1])
def factory(M, N, dtype="float32", with_scale=True):
    block = 16

    @T.macro
    def load(A, F, row):
        T.copy(A[row * block, 0], F)

    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block), threads=64) as b:
            F = T.alloc_fragment((block, N), dtype)
            load(A, F, b)
            if with_scale:
                add_scaled(F, block, N)
            else:
                add_scaled(F, block, N, factor=larger(b, 1))
            T.copy(F, B[b * block, 0])

    return main


@pytest.mark.parametrize("rows", [1, 16, 37])
def test_factory(target, rng, rows):
    a = ints(rng, (rows, 32))
    np.testing.assert_array_equal(factory(rows, 32)(a), a + 6)
    blocks = np.maximum(np.arange(rows) // 16, 1)[:, None] * 2
    np.testing.assert_array_equal(factory(rows, 32, with_scale=False)(a), a + blocks)
    assert factory(rows, 32) is factory(rows, 32)


m, n = T.dynamic("m, n")


@T.prim_func
def dynamic_sizes(A: T.Tensor((m, n), "float32"), B: T.Tensor((n, m), "float32"),
                  D: T.Tensor((m * 2, T.ceildiv(n, 16)), "float32"), scale: T.float32):
    with T.Kernel(T.ceildiv(n, 16), T.ceildiv(m, 16), threads=64) as (x, y):
        F = T.alloc_fragment((16, 16), "float32")
        G = T.alloc_fragment((16, 16), "float32")
        r = T.alloc_fragment((16,), "float32")
        T.copy(A[y * 16, x * 16], F)
        for i, j in T.Parallel(16, 16):
            F[i, j] *= scale
        T.transpose(F, G)
        T.copy(G, B[x * 16, y * 16])
        T.reduce_sum(F, r, dim=1)
        for i in T.Parallel(16):
            if y * 16 + i < m:
                D[y * 16 + i, x] = r[i]
                D[m + y * 16 + i, x] = n - m


def test_dynamic(target, rng):
    kernel = tile.compile(dynamic_sizes)
    for rows, columns in ((1, 1), (20, 33), (16, 48)):
        a = ints(rng, (rows, columns))
        b = np.zeros((columns, rows), np.float32)
        d = np.zeros((rows * 2, -(-columns // 16)), np.float32)
        kernel(a, b, d, 2.0)
        np.testing.assert_array_equal(b, 2 * a.T)
        wanted = [np.add.reduceat(2 * row, range(0, columns, 16)) for row in a]
        np.testing.assert_array_equal(d[:rows], wanted)
        np.testing.assert_array_equal(d[rows:], columns - rows)
    with pytest.raises(tile.ArgumentError, match=r"argument D: size 0 is 5, but \(m \* 2\) is 4"):
        kernel(ints(rng, (2, 3)), ints(rng, (3, 2)), np.zeros((5, 1), np.float32), 1.0)


@tile.jit
def eager(A, scale, steps=2, dtype="float32"):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), dtype)
    scale: T.float32
    B, D = T.empty((M, N), dtype), T.empty((M,), dtype)
    assert N % 8 == 0, "rows of 8"
    with T.Kernel(M, threads=32) as row:
        r = T.alloc_fragment((N,), dtype)
        s = T.alloc_fragment((1,), dtype)
        T.copy(A[row, :], r)
        for i in T.Parallel(N):
            r[i] = r[i] * scale
        T.copy(r, B[row, :])
        T.reduce_sum(r, s)
        D[row] = s[0] + steps
    return B, D


def test_eager(target, rng):
    a = ints(rng, (3, 16))
    b, d = eager(a, 2.0)
    np.testing.assert_array_equal(b, 2 * a)
    np.testing.assert_array_equal(d, 2 * a.sum(1) + 2)
    _, d = eager(A=a, scale=1.0, steps=5)
    np.testing.assert_array_equal(d, a.sum(1) + 5)
    kernel = eager.compile(M=3, N=16)
    assert kernel is eager.compile(M=3, N=16)
    assert "memref<3x16xf32>" in kernel.ir and "%scale: f32" in kernel.ir
    with pytest.raises(tile.CompileError, match="assertion failed: rows of 8"):
        eager(ints(rng, (3, 12)), 1.0)
    with pytest.raises(tile.CompileError, match="the size M of A is not known; give M="):
        eager.compile(N=16)


@tile.jit
def two_kernels(A):
    size = T.dynamic("size")
    A: T.Tensor((size,), "float32")
    C = T.empty((size,), "float32")
    partial = T.alloc_global((T.ceildiv(size, 32),), "float32")
    with T.Kernel(T.ceildiv(size, 32), threads=32) as b:
        F = T.alloc_fragment((32,), "float32")
        s = T.alloc_fragment((1,), "float32")
        T.copy(A[b * 32], F)
        T.reduce_sum(F, s)
        partial[b] = s[0]
    with T.Kernel(T.ceildiv(size, 64), threads=64) as b:
        total = 0.0
        for k in T.serial(T.ceildiv(size, 32)):
            total += partial[k]
        for i in T.Parallel(64):
            C[b * 64 + i] = A[b * 64 + i] / total
    return C


def test_two_kernels(target, rng):
    for size in (1, 40, 200):
        a = ints(rng, (size,), low=1, high=5)
        np.testing.assert_allclose(two_kernels(a), a / a.sum(), 1e-6)


@T.prim_func
def strided(A: T.StridedTensor((m, 8), (None, 1), "float32"),
            B: T.Tensor((m, 8), "float32", strides=(16, 2))):
    with T.Kernel(1, threads=32):
        F = T.alloc_fragment((8, 8), "float32")
        T.copy(A[0:8, :], F)
        T.copy(F, B[0, 0])


def test_strides(target, rng):
    whole, out = ints(rng, (5, 20)), np.zeros((5, 8, 2), np.float32)
    kernel = tile.compile(strided)
    kernel(whole[:, 4:12], out[:, :, 0])
    np.testing.assert_array_equal(out[:, :, 0], whole[:, 4:12])
    assert not out[:, :, 1].any()
    with pytest.raises(tile.ArgumentError, match="argument A: expected stride 1 in dimension 1"):
        kernel(whole[:, :16:2], out[:, :, 0])


@T.prim_func
def annotated(A: "T.Tensor((4,), 'float32')", flag: "T.bool", k: T.int64):
    with T.Kernel(1, threads=32):
        A[0] = T.if_then_else(flag, 5, 6)
        A[1] = k >> 33


def test_annotations_that_are_text(module, one_target):
    import __future__

    text = """
def factory(size):
    @T.prim_func
    def main(A: T.Tensor((size, 4), "float32")):
        with T.Kernel(1, threads=32):
            A[0, 0] = 5
    return main
"""
    names = {"T": T}
    made = module(text)
    source = open(made.__file__).read()
    code = compile(source, made.__file__, "exec",
                   flags=__future__.annotations.compiler_flag)
    exec(code, names)
    a = np.zeros((3, 4), np.float32)
    tile.compile(names["factory"](3))(a)
    assert a[0, 0] == 5


def test_scalars_of_calls(target):
    a = np.zeros(4, np.float32)
    kernel = tile.compile(annotated)
    kernel(a, True, 2**35)
    np.testing.assert_array_equal(a, [5, 4, 0, 0])
    kernel(a, np.bool_(False), np.int64(-2**34))
    np.testing.assert_array_equal(a, [6, -2, 0, 0])


def test_ir_is_readable(one_target):
    text = tile.compile(dynamic_sizes).ir
    assert "loc(" not in text
    for words in ("%A: memref<?x?xf32>", "scale: f32", "%F = tile.alloc", "gpu.launch blocks(%bx"):
        assert words in text
    assert text == tile.compile(dynamic_sizes).ir


def test_macro_outside():
    with pytest.raises(tile.CompileError, match="macro larger is called outside of a kernel"):
        larger(1, 2)
    with pytest.raises(tile.CompileError, match="is not compiled"):
        dynamic_sizes(1)


@tile.jit
def viewed(A):
    rows = T.dynamic("rows")
    A: T.Tensor((rows, 4, 8), "float32")
    B = T.empty((rows, 4, 8), "float32")
    with T.Kernel(T.ceildiv(rows, 4), threads=32) as b:
        flat = T.Tensor((rows * 4, 8), "float32", A.data)
        out = T.reshape(B, (rows * 4, 8))
        F = T.alloc_fragment((16, 8), "float32")
        count = T.alloc_var("int32")
        count[0] = 2
        if b > 0:
            count[0] = count[0] + b
        T.copy(flat[b * 16, 0], F)
        for i, j in T.Parallel(16, 8):
            F[i, j] += count[0]
        T.copy(F, out[b * 16, 0])
    return B


def test_views_of_tensors(target, rng):
    a = ints(rng, (7, 4, 8))
    np.testing.assert_array_equal(viewed(a), a + np.repeat([2, 3], [4, 3])[:, None, None])


@tile.autotune(configs=lambda n: [{"block": 32}, {"block": 64}])
@tile.jit(out_idx=-1)
def tuned_factory(n, block=16):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=32) as b:
            for i in T.Parallel(block):
                B[b * block + i] = A[b * block + i] * 2

    return main


def test_tuned_factory(one_target, rng):
    kernel = tuned_factory(128)
    a = ints(rng, (128,))
    np.testing.assert_array_equal(kernel(a), a * 2)
    assert kernel.config == {"block": 64} and kernel.latency > 0


def test_outside(module, one_target):
    made = module("""
@T.prim_func
def kernel(A: T.Tensor((4,), 'float32')):
    with T.Kernel(1):
        T.call_extern("handle", "f", A)
""")
    with pytest.raises(tile.UnsupportedError, match=r"T.call_extern is not there; CUDA C\+\+ is"):
        tile.compile(made.kernel)
