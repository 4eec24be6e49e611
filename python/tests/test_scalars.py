"""Scalars mean what they mean in Python: the same text is given to both."""

import math

import numpy as np
import pytest

INTEGERS = """
x + y; x - y; x * y; -x; +x; ~x; abs(x); x & y; x | y; x ^ y
x // 3; x % 3; x // -3; x % -3; 7 // (y * y + 1); -7 % (y * y + 1); x // (y * y + 1)
x % (y * y + 1); x // 8; x % 8; x >> 1; (x & 15) << 2; x >> (y & 3)
min(x, y); max(x, y, 3); x ** 2; x ** 0; divmod(x, 4)[0]; divmod(x, 4)[1]
x if x > y else y; 1 if 0 <= x < 5 else 2; 1 if x < y < 3 else 0; 1 if x != y else 0
1 if x > 0 and y > 0 else 0; 1 if x > 0 or y > 0 else 0; 1 if not x > 0 else 0
1 if x in (1, 2, 5) else 0; 1 if x not in (1, 2, 5) else 0
(x > 0) + (y > 0); int(x > 0) * 5; sum([x, y, 2]); sum(v * x for v in (1, 2, 3))
[x, y][1]; (x, y)[0]; {'a': x, 'b': y}['b']; (lambda a, b: a * 10 + b)(x, y)
len((1, 2, 3)) * x; x * True; x + (2 if x else 3); 0 if x else 1
(max(i, 5) + i % -7) % 97; (i % -7) % 5; (i // -3) // 2; (i - 9) // 4 % 3; (i - 20) % 6 // 4
(i % (y * y + 1)) // 2; (i // (0 - 4 - x * x)) % 3; (i % (y * 2 + 1) + 1) % 4; i // (y * 2 + 1) % 3
1 if any([x > 6, y > 6]) else 0; 1 if all([x > -6, y > -6]) else 0
"""
FLOATS = """
u + v; u - v; u * v; u / (v + 8.5); u // 1.5; u % 1.5; -u; abs(u); min(u, v); max(u, v)
u * 2; 2 + u; u + x; x * 0.5; x / 2.0; u ** 2; (u + 8.0) ** 0.5; float(x)
math.sqrt(abs(u)); math.exp(u); math.floor(u) // 2 * 1.0; math.ceil(u) % 3 * 1.0; math.sin(u); math.tanh(u)
u if u > v else v; 1.0 if u < v < 4 else 0.0; int(u) * 1.0; round(u) // 2 * 1.0; u - int(u)
1.0 if u else 0.0; max(u, 0)
"""


def expressions(text):
    return [e.strip() for line in text.strip().splitlines() for e in line.split(";")]


def kernel_text(items, result):
    lines = [f"            R[i, {n}] = {e}" for n, e in enumerate(items)]
    return "\n".join([
        "import math", "@T.prim_func",
        "def kernel(X: T.Tensor((16,), 'int32'), Y: T.Tensor((16,), 'int32'),",
        "           U: T.Tensor((16,), 'float32'), V: T.Tensor((16,), 'float32'),",
        f"           R: T.Tensor((16, {len(items)}), '{result}')):",
        "    with T.Kernel(1, threads=32):",
        "        for i in T.Parallel(16):",
        "            x, y = X[i], Y[i]", "            u, v = U[i], V[i]",
        *lines, ""])


@pytest.mark.parametrize("kind", ["int32", "float32"])
def test_expressions(kind, module, target, rng):
    import tile

    items = expressions(INTEGERS if kind == "int32" else FLOATS)
    x = rng.integers(-8, 9, 16).astype(np.int32)
    y = rng.integers(-8, 9, 16).astype(np.int32)
    u, v = (rng.integers(-16, 17, 16).astype(np.float32) / 4 for _ in range(2))
    x[:4], y[:4] = (0, 3, -3, 5), (0, 3, 2, -1)
    u[:3], v[:3] = (0.0, -0.5, 2.5), (0.0, 1.5, 2.5)
    result = np.zeros((16, len(items)), kind)
    tile.compile(module(kernel_text(items, kind)).kernel)(x, y, u, v, result)
    for place, text in enumerate(items):
        for i in range(16):
            names = {"i": i, "x": int(x[i]), "y": int(y[i]), "u": float(u[i]), "v": float(v[i])}
            wanted = eval(text, {"math": math, **names})
            assert result[i, place] == pytest.approx(wanted, rel=2e-6, abs=1e-6), (text, names)


WIDTHS = """
@T.prim_func
def kernel(A: T.Tensor((8,), 'int8'), B: T.Tensor((8,), 'uint8'), C: T.Tensor((8,), 'int64'),
           D: T.Tensor((8,), 'bool'), H: T.Tensor((8,), 'float16'), I: T.Tensor((8, 12), 'int64'),
           F: T.Tensor((8, 8), 'float32')):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            I[i, 0] = A[i]
            I[i, 1] = B[i]
            I[i, 2] = A[i] * C[i]
            I[i, 3] = T.int32(A[i]) * T.int32(B[i])
            I[i, 4] = D[i]
            I[i, 5] = 1 if D[i] else 5
            I[i, 6] = T.int64(B[i]) >> 1
            I[i, 7] = B[i] // 3
            I[i, 8] = B[i] > 200
            I[i, 9] = T.cast(H[i], 'int64')
            I[i, 10] = T.reinterpret(T.float32(H[i]), 'int32')
            I[i, 11] = T.uint8(A[i])
            F[i, 0] = A[i]
            F[i, 1] = B[i]
            F[i, 2] = H[i] * A[i]
            F[i, 3] = T.float32(H[i]) + T.float32(C[i])
            F[i, 4] = D[i]
            F[i, 5] = T.float8_e4m3fn(H[i])
            F[i, 6] = T.bfloat16(H[i]) + 1
            F[i, 7] = T.float64(H[i]) / 3
"""


def test_widths(module, target):
    import tile

    a = np.array([-128, -3, -1, 0, 1, 2, 100, 127], np.int8)
    b = np.array([255, 250, 201, 200, 3, 2, 1, 0], np.uint8)
    c = np.array([2**40, -5, 7, 1, -1, 3, 9, -2**33], np.int64)
    d = np.array([0, 1, 1, 0, 1, 0, 0, 1], bool)
    h = np.array([1.5, -2.25, 0, 3, -8, 0.5, 2, 7.5], np.float16)
    ints, floats = np.zeros((8, 12), np.int64), np.zeros((8, 8), np.float32)
    tile.compile(module(WIDTHS).kernel)(a, b, c, d, h, ints, floats)
    wide = [v.astype(np.int64) for v in (a, b)]
    wanted = [wide[0], wide[1], wide[0] * c, wide[0] * wide[1], d, np.where(d, 1, 5), wide[1] >> 1,
              wide[1] // 3, b > 200, h.astype(np.int64), h.astype(np.float32).view(np.int32),
              a.astype(np.uint8)]
    for place, column in enumerate(wanted):
        np.testing.assert_array_equal(ints[:, place], column.astype(np.int64), str(place))
    wide_h = h.astype(np.float32)
    for place, column in enumerate([a, b, h * a.astype(np.float16), wide_h + c, d, wide_h,
                                    wide_h + 1, wide_h / 3]):
        np.testing.assert_allclose(floats[:, place], column.astype(np.float32), 1e-6,
                                   err_msg=str(place))


MATH = ("exp exp2 log log2 log10 log1p expm1 sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh "
        "erf sigmoid floor ceil trunc round abs").split()


def test_math(module, target):
    import tile

    lines = "\n".join(f"            R[i, {n}] = T.{f}(U[i])" for n, f in enumerate(MATH))
    text = f"""
@T.prim_func
def kernel(U: T.Tensor((16,), 'float32'), R: T.Tensor((16, {len(MATH)}), 'float32')):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(16):
{lines}
"""
    u = (np.arange(1, 17) / 17).astype(np.float32)
    result = np.zeros((16, len(MATH)), np.float32)
    tile.compile(module(text).kernel)(u, result)
    special = {"rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
               "erf": np.vectorize(math.erf), "asin": np.arcsin, "acos": np.arccos,
               "atan": np.arctan}
    for place, name in enumerate(MATH):
        wanted = special.get(name) or getattr(np, name)
        np.testing.assert_allclose(result[:, place], wanted(u.astype(np.float64)), 2e-6,
                                   err_msg=name)


LIMITS = """
@T.prim_func
def kernel(R: T.Tensor((12,), 'float32')):
    with T.Kernel(1, threads=32):
        R[0] = T.infinity('float32')
        R[1] = -T.infinity('float32')
        R[2] = T.max_value('float16')
        R[3] = T.min_value('int8')
        R[4] = T.clamp(7, 1, 5)
        R[5] = T.fma(R[4], 2.0, 1.0)
        R[6] = T.isnan(T.infinity('float32') - R[0])
        R[7] = T.isinf(R[0])
        R[8] = T.isfinite(R[4])
        R[9] = T.pow(R[4], 2.5)
        R[10] = T.if_then_else(R[4] > 4, R[4], R[0])
        R[11] = T.ceildiv(T.int32(R[4]), 2)
"""


def test_limits(module, target):
    import tile

    result = np.zeros(12, np.float32)
    tile.compile(module(LIMITS).kernel)(result)
    wanted = [np.inf, -np.inf, 65504, -128, 5, 11, 1, 1, 1, 5**2.5, 5, 3]
    np.testing.assert_allclose(result, np.array(wanted, np.float32), 1e-6)
