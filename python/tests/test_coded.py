"""Numbers that are codes in memory: float8_e8m0fnu, float4_e2m1fn, int4."""

import numpy as np
import pytest

import tile

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E2M1 = np.concatenate([E2M1, -E2M1])
NUMBERS = {
    "float8_e8m0fnu": np.append(2.0 ** np.arange(-127, 128), np.nan),
    "float4_e2m1fn": E2M1,
    "int4": np.concatenate([np.arange(8), np.arange(-8, 0)]),
    "uint4": np.arange(16),
}


def packed(codes):
    return (codes[..., 0::2] | codes[..., 1::2] << 4).astype(np.uint8)


def in_memory(codes, dtype):
    return codes.astype(np.uint8) if dtype == "float8_e8m0fnu" else packed(codes)


def nearest_e2m1(x):
    """Codes of the nearest numbers; halves are of even ones."""
    distance = np.abs(x[..., None] - E2M1)
    return np.lexsort((np.broadcast_to(np.arange(16) % 2, distance.shape), distance))[..., 0]


ROUND = """
    @tile.jit
    def kernel(A, dtype="int4", way="", stages=1):
        M = T.dynamic("M")
        N = T.const("N")
        A: T.Tensor((M, N), dtype)
        B = T.empty((M, N), dtype)
        C = T.empty((M, N), "float32")
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=64) as (bx, by):
            s = T.alloc_shared((16, 32), dtype)
            f = T.alloc_fragment((16, 32), dtype)
            x = T.alloc_fragment((16, 32), "float32")
            for k in T.Pipelined(1, num_stages=stages):
                if way == "shared":
                    T.copy(A[by * 16, bx * 32], s)
                    T.copy(s, x)
                    T.copy(s, B[by * 16, bx * 32])
                elif way == "fragment":
                    T.copy(A[by * 16, bx * 32], f)
                    T.copy(f, x)
                    T.copy(f, B[by * 16, bx * 32])
                elif way == "convert":
                    T.copy(A[by * 16, bx * 32], x)
                    T.copy(x, B[by * 16, bx * 32])
                elif way == "elements":
                    for i, j in T.Parallel(16, 32):
                        x[i, j] = A[by * 16 + i, bx * 32 + j]
                        s[i, j] = x[i, j]
                    T.copy(s, B[by * 16, bx * 32])
                else:
                    T.copy(A[by * 16:by * 16 + 16, bx * 32:bx * 32 + 32],
                           B[by * 16:by * 16 + 16, bx * 32:bx * 32 + 32])
                    T.copy(B[by * 16, bx * 32], x)
                T.copy(x, C[by * 16, bx * 32])
        return B, C
"""


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("way", ["shared", "fragment", "convert", "elements", "tensors"])
def test_there_and_back(module, target, rng, dtype, way):
    """Each code, in tiles that are ragged, is the number that it is, and that is the code."""
    numbers = NUMBERS[dtype]
    codes = rng.integers(0, len(numbers), (21, 50))
    codes.flat[:len(numbers)] = np.arange(len(numbers))
    memory = in_memory(codes, dtype)
    b, c = module(ROUND).kernel(memory, dtype=dtype, way=way)
    np.testing.assert_array_equal(c, numbers[codes].astype(np.float32))
    got = np.asarray(b).view(np.uint8)
    if dtype == "float4_e2m1fn":  # 0 and -0 are one number on the way through int
        assert got.shape == memory.shape
    np.testing.assert_array_equal(got, memory)


def test_rounding(module, target):
    """To the nearest, halves to even codes; what is too great is the greatest."""
    kernel = module("""
        @tile.jit
        def kernel(X, n=16):
            X: T.Tensor((64,), "float32")
            A = T.empty((64,), "float4_e2m1fn")
            S = T.empty((64,), "float8_e8m0fnu")
            Y = T.empty((3, 64), "float32")
            with T.Kernel(1, threads=64):
                a = T.alloc_shared((64,), "float4_e2m1fn")
                for i in T.Parallel(64):
                    a[i] = X[i]
                    S[i] = X[i]
                    Y[0, i] = T.cast(X[i], T.float4_e2m1fn)
                    Y[1, i] = T.float8_e8m0fnu(T.max(X[i], 0.01))
                    Y[2, i] = T.reinterpret(T.uint8(127 + i % 8), "float8_e8m0fnu") + a[i]
                T.copy(a, A)
            return A, S, Y
    """).kernel
    x = np.concatenate([np.arange(-4, 4, 0.25), np.arange(1, 9, 0.25)]).astype(np.float32)
    _, s, y = kernel(x)
    np.testing.assert_array_equal(y[0], E2M1[nearest_e2m1(x)])
    positive = np.maximum(x, np.float32(0.01))
    exponent = np.floor(np.log2(positive))
    nearest = np.where(positive / 2.0**exponent >= 1.5, exponent + 1, exponent)
    np.testing.assert_array_equal(y[1], 2.0**nearest)
    np.testing.assert_array_equal(y[2], 2.0 ** (np.arange(64) % 8) + y[0])
    got = np.asarray(s).view(np.uint8)[x > 0.01]
    np.testing.assert_array_equal(got, nearest[x > 0.01] + 127)


def test_product(module, target, rng):
    """C = A · Wᵀ with weights of float4 and a scale for each 32 of them."""
    kernel = module("""
        @tile.jit
        def kernel(A, W, S):
            M, N, K = T.const("M, N, K")
            A: T.Tensor((M, K), "float16")
            W: T.Tensor((N, K), T.float4_e2m1fn)
            S: T.Tensor((N, K // 32), T.float8_e8m0fnu)
            C = T.empty((M, N), "float32")
            with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
                a = T.alloc_shared((32, 32), "float16")
                w = T.alloc_shared((32, 32), T.float4_e2m1fn)
                b = T.alloc_shared((32, 32), "float16")
                c = T.alloc_fragment((32, 32), "float32")
                T.clear(c)
                for k in T.Pipelined(K // 32, num_stages=2):
                    T.copy(A[by * 32, k * 32], a)
                    T.copy(W[bx * 32, k * 32], w)
                    for i, j in T.Parallel(32, 32):
                        b[i, j] = w[i, j] * S[bx * 32 + i, k]
                    T.gemm(a, b, c, transpose_B=True)
                T.copy(c, C[by * 32, bx * 32])
            return C
    """).kernel
    m, n, k = 40, 50, 96
    a = rng.integers(-2, 3, (m, k)).astype(np.float16)
    codes, scale = rng.integers(0, 16, (n, k)), rng.integers(126, 129, (n, k // 32))
    w = E2M1[codes] * np.repeat(2.0 ** (scale - 127), 32, 1)
    np.testing.assert_array_equal(kernel(a, packed(codes), scale.astype(np.uint8)), a @ w.T)


@pytest.mark.parametrize("dtype, total", [("int4", "int32"), ("float4_e2m1fn", "float32")])
def test_product_of_codes(module, target, rng, dtype, total):
    """Factors of 4 bits are multiplied as those of the type that holds them."""
    kernel = module("""
        @tile.jit
        def kernel(A, B, dtype="int4", total="int32"):
            M, N, K = T.const("M, N, K")
            A: T.Tensor((M, K), dtype)
            B: T.Tensor((N, K), dtype)
            C = T.empty((M, N), total)
            with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
                a = T.alloc_shared((32, 64), dtype)
                b = T.alloc_shared((32, 64), dtype)
                c = T.alloc_fragment((32, 32), total)
                T.clear(c)
                for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                    T.copy(A[by * 32, k * 64], a)
                    T.copy(B[bx * 32, k * 64], b)
                    T.gemm(a, b, c, transpose_B=True)
                T.copy(c, C[by * 32, bx * 32])
            return C
    """).kernel
    a, b = rng.integers(0, 16, (40, 160)), rng.integers(0, 16, (33, 160))
    numbers = NUMBERS[dtype]
    np.testing.assert_array_equal(kernel(packed(a), packed(b), dtype=dtype, total=total),
                                  numbers[a] @ numbers[b].T)


@pytest.mark.parametrize("text, message", [
    ("A[0, b] = 1", "two of int4 are in a byte; store it to a tile, and T.copy the tile"),
    ("T.reduce_sum(s, x[0, :])", "the shared tile s of int4 is copied, filled and indexed only"),
    ("T.copy(A[0, b], s[0, 0:2])", "begins at a place that may be odd"),
    ("T.fill(s, 8)", "8 does not fit int4, which has -8 to 7"),
    ("v = T.alloc_var('int4')", "a variable of int4; use int8"),
    ("T.atomic_add(s[0, 0], 1)", "int4"),
])
def test_mistakes(module, one_target, text, message):
    kernel = module(f"""
        @T.prim_func
        def kernel(A: T.Tensor((32, 32), "int4")):
            with T.Kernel(2, threads=64) as b:
                s = T.alloc_shared((32, 32), "int4")
                x = T.alloc_fragment((32, 32), "float32")
                {text}
    """).kernel
    with pytest.raises(tile.CompileError, match=message):
        tile.compile(kernel)


def test_odd_rows(module):
    with pytest.raises(tile.CompileError, match="the last size of A is 7, and two elements"):
        tile.compile(module("""
            @T.prim_func
            def kernel(A: T.Tensor((4, 7), "int4")):
                with T.Kernel(1):
                    T.clear(A)
        """).kernel)


def test_arguments(module):
    """Bytes of two elements; what stands for them in torch has their type."""
    kernel = module("""
        @tile.jit(out_idx=[2])
        def factory():
            @T.prim_func
            def kernel(A: T.Tensor((4, 32), "int4"), S: T.Tensor((4,), "float8_e8m0fnu"),
                       B: T.Tensor((4, 32), "float4_e2m1fn")):
                with T.Kernel(1, threads=32):
                    x = T.alloc_fragment((4, 32), "float32")
                    T.copy(A, x)
                    for i, j in T.Parallel(4, 32):
                        x[i, j] *= S[i]
                    T.copy(x, B)
            return kernel
    """).factory()
    codes = np.tile(np.arange(8), (4, 4))
    scale = np.array([127, 126, 126, 127], np.uint8)
    wanted = packed(nearest_e2m1(codes * np.array([[1], [0.5], [0.5], [1]])))
    for a in (packed(codes), packed(codes).view(np.int8)):
        np.testing.assert_array_equal(kernel(a, scale) , wanted)
    assert kernel.get_profiler().run_once() is not None
    with pytest.raises(tile.TileError, match="expected size 16 in dimension 1, for two of int4"):
        kernel(codes.astype(np.uint8), scale)


def test_torch(module):
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "float4_e2m1fn_x2"):
        pytest.skip("a torch without floats of 4 bits")
    kernel = module("""
        @tile.jit
        def kernel(A, S):
            A: T.Tensor((4, 32), "float4_e2m1fn")
            S: T.Tensor((4,), "float8_e8m0fnu")
            B = T.empty((4, 32), "float32")
            Q = T.empty((4,), "float8_e8m0fnu")
            with T.Kernel(1, threads=32):
                for i, j in T.Parallel(4, 32):
                    B[i, j] = A[i, j] * S[i]
                for i in T.Parallel(4):
                    Q[i] = S[i] * 2
            return B, Q
    """).kernel
    codes = np.arange(128).reshape(4, 32) % 16
    scale = torch.tensor([0.5, 1, 2, 4])
    memory = torch.from_numpy(packed(codes)).view(torch.float4_e2m1fn_x2)
    b, q = kernel(memory, scale.to(torch.float8_e8m0fnu))
    np.testing.assert_array_equal(b.numpy(), E2M1[codes] * scale.numpy()[:, None])
    assert q.dtype is torch.float8_e8m0fnu and torch.equal(q.float(), scale * 2)
