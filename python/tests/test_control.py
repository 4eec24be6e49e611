"""Branches, loops and variables do what Python does with the same text."""

import itertools
import textwrap

import numpy as np
import pytest

# Each body computes r from x, y, A, n; Python runs the same text.
BODIES = {
    "if": """
        r = 1
        if x > 2:
            r = x * 2
        elif x > 0:
            r = 7
        """,
    "if_both": """
        if x > y:
            r = x
            s = 3
        else:
            r = y
            s = 4
        r = r * s
        """,
    "if_nested": """
        r = 0
        if x > 0:
            if y > 0:
                r = 1
            else:
                r = 2
            r = r + 10
        """,
    "if_float": """
        r = 0
        if x > 0:
            r = 0.5
        r = r * 4
        """,
    "for": """
        r = 0
        for k in range(n):
            r += A[k] * k
        """,
    "for_step": """
        r = 0
        for k in range(1, n, 3):
            r = r * 2 + k
        """,
    "for_down": """
        r = 0
        for k in range(n - 1, -1, -2):
            r = r * 3 + k
        """,
    "for_empty": """
        r = 5
        for k in range(x, x - 2):
            r = 1
        """,
    "for_nested": """
        r = 0
        for k in range(n):
            for m in range(k):
                if A[m] > A[k]:
                    r += 1
        """,
    "for_two_variables": """
        a = 0
        b = 1
        for k in range(5):
            a, b = b, a + b
        r = a * 100 + b
        """,
    "for_widens": """
        r = 0
        for k in range(n):
            r = r + A[k] * 0.5
        """,
    "break": """
        r = 0
        for k in range(n):
            if A[k] > 2:
                break
            r += 1
        """,
    "continue": """
        r = 0
        for k in range(n):
            if A[k] < 0:
                continue
            r += A[k]
        """,
    "break_continue": """
        r = 0
        for k in range(20):
            if k % 2 == 0:
                continue
            if k > x + 8:
                break
            r += k
            if r > 60:
                break
        """,
    "break_inner": """
        r = 0
        for k in range(n):
            for m in range(n):
                if m == k:
                    break
                r += A[m]
            r += 1
        """,
    "while": """
        r = 0
        while r * r < x + 9:
            r += 1
        """,
    "while_assigned": """
        k = 0
        s = 0
        while (k := k + 2) < n:
            if k == 4:
                continue
            s += k * k
        r = s * 10 + k
        """,
    "if_assigned": """
        r = 1
        if (s := x + y) > 3:
            r = s
        r += s * 100
        """,
    "while_break": """
        r = 0
        k = 0
        while True:
            k += 1
            if k > n:
                break
            if k == 3:
                continue
            r += k
        """,
    "while_and": """
        k = 0
        while k < n and A[k] != 2:
            k += 1
        r = k
        """,
    "python_loop": """
        r = 0
        for w, z in [(1, x), (10, y), (100, 3)]:
            r += w * z
        for k in (1, 2, 3):
            if k == 3:
                break
            r += k
        """,
    "python_break": """
        r = 0
        for k in [5, 6, 7]:
            if x > k - 6:
                break
            r += k
        """,
    "shadow": """
        r = 1
        f = lambda v: v + r
        r = 5
        r = f(x)
        """,
    "local_function": """
        def f(v, w=2):
            t = v * w
            return t + 1
        r = f(x) + f(y, w=3)
        """,
    "swap": """
        a, b = x, y
        a, b = b, a
        first, *rest = [a, b, 4]
        r = a - 2 * b + first + sum(rest)
        """,
    "walrus": """
        r = (t := x + 1) * t
        """,
    "augmented": """
        r = x
        r -= y
        r *= 3
        r //= 2
        r %= 5
        r <<= 2
        r |= 1
        r ^= 3
        """,
    "chained": """
        a = b = x
        b += 1
        r = a * 10 + b
        """,
    "comprehension": """
        r = sum([v * w for v in (x, y) for w in range(4) if w != 2])
        """,
    "assert": """
        assert 1 < 2, "known now"
        r = x
        """,
    "containers": """
        values = [x]
        values.append(y)
        table = {}
        for k in (0, 1):
            table[k] = values[k] * 2
        r = table[0] - table[1]
        """,
    "nonlocal": """
        count = [0]
        def f(v):
            count[0] += 1
            return v + count[0]
        r = f(x) + f(y)
        """,
    "widens_late": """
        r = 0
        q = 1
        for k in range(3):
            q = q % 4
            r = r + q * 0.5
            q = q + x
        """,
    "ternaries": """
        r = (1 if x > 0 else 2) + (A[0] if y > 0 else A[1] if x > 0 else A[2])
        """,
}


def indent(body, spaces):
    import textwrap

    return textwrap.indent(textwrap.dedent(body).strip("\n"), " " * spaces)


def python_result(body, x, y, a, n):
    names = {"x": x, "y": y, "A": [int(v) for v in a], "n": n}
    exec(indent(body, 0), names)
    return names["r"]


@pytest.mark.parametrize("in_loop", [True, False], ids=["element", "block"])
def test_bodies(module, target, rng, in_loop):
    import tile

    parts, names = [], list(BODIES)
    for number, name in enumerate(names):
        if in_loop:
            head = "    for i in T.Parallel(4):\n        x = X[i]\n        y = Y[i]\n"
            parts.append(f"{head}{indent(BODIES[name], 8)}\n        R[i, {number}] = r")
        else:
            head = "    for i in T.serial(4):\n        x = X[i]\n        y = Y[i]\n"
            parts.append(f"{head}{indent(BODIES[name], 8)}\n        R[i, {number}] = r")
    kernels = []
    for start in range(0, len(parts), 8):
        body = "\n".join(indent(p, 8) for p in parts[start:start + 8])
        kernels.append("    with T.Kernel(1, threads=32):\n" + body)
    text = f"""
@T.prim_func
def kernel(X: T.Tensor((4,), 'int32'), Y: T.Tensor((4,), 'int32'), A: T.Tensor((7,), 'int32'),
           n: T.int32, R: T.Tensor((4, {len(names)}), 'float32')):
""" + "\n".join(kernels) + "\n"
    kernel = tile.compile(module(text).kernel)
    x = np.array([-2, 0, 3, 7], np.int32)
    y = np.array([5, -1, 3, 2], np.int32)
    a = np.array([1, -1, 0, 2, 4, -3, 2], np.int32)
    result = np.zeros((4, len(names)), np.float32)
    kernel(x, y, a, 7, result)
    for number, name in enumerate(names):
        wanted = [python_result(BODIES[name], int(x[i]), int(y[i]), a, 7) for i in range(4)]
        np.testing.assert_array_equal(result[:, number], np.array(wanted, np.float32), name)


LOOPS = """
@T.prim_func
def kernel(A: T.Tensor((6, 5), 'int32'), R: T.Tensor((8, 6, 5), 'int32'), n: T.int32):
    with T.Kernel(2, threads=64) as b:
        for i, j in T.grid(6, 5):
            if b == 0:
                R[0, i, j] = A[i, j] + i * 10 + j
        for i in T.unroll(6):
            for j in T.vectorized(5):
                R[1, i, j] = A[i, j] * 2
        for i in T.Parallel(6):
            for j in T.Parallel(5):
                R[2, i, j] = A[i, j] * 3
        for i in T.Parallel(6):
            t = A[i, 0]
            for j in T.serial(5):
                t = T.max(t, A[i, j])
                R[3, i, j] = t
        for i, j in T.Persistent([6, 5], 2, b):
            R[4, i, j] = b
        v = T.alloc_var("int32", init=3)
        for i in T.serial(n):
            v = v + 1.75
        R[5, 0, 0] = v
        for i, j in T.Parallel(6, 5):
            if (i + j) % 2 == 0:
                continue
            R[6, i, j] = 1
        local = T.alloc_local((5,), "int32")
        for i in T.Parallel(6):
            for j in T.serial(5):
                local[j] = A[i, j] * j
            for j in T.serial(5):
                R[7, i, j] = local[4 - j]
"""


def test_loops(module, target, rng):
    import tile

    a = rng.integers(-9, 9, (6, 5)).astype(np.int32)
    r = np.zeros((8, 6, 5), np.int32)
    tile.compile(module(LOOPS).kernel)(a, r, 3)
    i, j = np.indices((6, 5))
    np.testing.assert_array_equal(r[0], a + i * 10 + j)
    np.testing.assert_array_equal(r[1], a * 2)
    np.testing.assert_array_equal(r[2], a * 3)
    np.testing.assert_array_equal(r[3], np.maximum.accumulate(a, 1))
    np.testing.assert_array_equal(r[4], (i * 5 + j) % 2)
    assert r[5, 0, 0] == 6  # 3 + 1.75 is cut to 4, then 5, then 6
    np.testing.assert_array_equal(r[6], (i + j) % 2)
    np.testing.assert_array_equal(r[7], (a * j)[:, ::-1])


RETURNS = """
    @T.macro
    def kind(x):
        if x < 0:
            return -1
        if x == 0:
            return 0
        y = x % 2
        if y == 1:
            y += 10
        else:
            return 20
        return y

    @T.macro
    def mark(A, i, limit):
        if i >= limit:
            return
        A[i] = 1

    @tile.jit
    def kernel(X, n: T.int32 = 0):
        X: T.Tensor((64,), "int32")
        n: T.int32
        A, B, C = (T.empty((64,), "int32") for _ in range(3))
        with T.Kernel(64, threads=32) as b:
            B[b] = 0
            A[b] = kind(X[b])
            for i in T.Parallel(1):
                mark(B, b + i, 40)
            C[b] = 5
            if b < n:
                return
            C[b] = 6
            if X[b] > 0:
                C[b] = 7
                return
            else:
                C[b] += 100
        return A, B, C
"""


def test_returns_under_conditions(module, target):
    x = np.arange(-30, 34, dtype=np.int32)
    a, b, c = module(RETURNS).kernel(x, 10)
    odd = np.where(x % 2 == 1, 11, 20)
    np.testing.assert_array_equal(a, np.where(x < 0, -1, np.where(x == 0, 0, odd)))
    np.testing.assert_array_equal(b, np.arange(64) < 40)
    place = np.arange(64)
    np.testing.assert_array_equal(c, np.where(place < 10, 5, np.where(x > 0, 7, 106)))


# Each function gives a number; Python runs the same text.
FUNCTIONS = {
    "first_above": """
        for k in range(n):
            if A[k] > x:
                return k
        return -1
        """,
    "falls_out": """
        s = 0
        for k in range(n):
            s += A[k]
            if s > 3 * x:
                return s * 10
            s += 1
        if s > 4:
            return s
        s -= 100
        return s
        """,
    "nested": """
        for i in range(n):
            for j in range(i):
                if A[i] + A[j] == x:
                    return i * 10 + j
            if A[i] == 4:
                continue
            if i == 6:
                break
        return 99
        """,
    "float_and_int": """
        for k in range(1, n, 2):
            if A[k] == x:
                return A[k] * 0.5
            elif A[k] > 3:
                return k
        return 0
        """,
    "while": """
        k = 0
        while k < n and A[k] != x:
            k += 1
            if k * k > 20:
                return -k
        return k
        """,
    "while_true": """
        k = 0
        while True:
            if k == n:
                return 1000
            if A[k] < x:
                return A[k]
            k += 1
        return 5
        """,
    "down": """
        for k in range(n - 1, -1, -1):
            if A[k] <= x:
                return A[k] - k
        return 77
        """,
    "at_once": """
        for k in range(x, n):
            return k
        return 50
        """,
    "known_loop": """
        for k in (3, 1, 2):
            if A[k] > x:
                return k
        for k in (0, 5):
            if k == 5:
                return 40 + k
        return -7
        """,
    "in_branch": """
        if x > 0:
            for k in range(n):
                if A[k] == 2:
                    return k
            x = x + 1
        return x
        """,
    "test_after_break": """
        k = 0
        while A[k] != 100:
            k += 1
            if k == n:
                break
        return k
        """,
}


def python_function(text: str, x: int, a, n: int) -> float:
    names: dict = {}
    exec("def f(x, A, n):\n" + textwrap.indent(textwrap.dedent(text), "    "), names)
    return names["f"](x, a, n)


def test_returns_in_loops(module, target):
    import tile

    parts, calls = [], []
    for number, (name, body) in enumerate(FUNCTIONS.items()):
        text = textwrap.indent(textwrap.dedent(body), "    ")
        parts.append(f"@T.macro\ndef {name}_(x, A, n):\n{text}")
        calls.append(f"        R[b, {number}] = {name}_(X[b], S, n)")
    parts.append(f"""
@T.prim_func
def kernel(X: T.Tensor((5,), 'int32'), A: T.Tensor((7,), 'int32'), n: T.int32,
           R: T.Tensor((5, {len(calls)}), 'float32')):
    with T.Kernel(5, threads=32) as b:
        S = T.alloc_shared((7,), 'int32')
        T.copy(A, S)
""" + "\n".join(calls))
    kernel = tile.compile(module("\n".join(parts)).kernel)
    x = np.array([-2, 0, 3, 7, 4], np.int32)
    a = np.array([1, -1, 0, 2, 4, -3, 2], np.int32)
    result = np.zeros((5, len(FUNCTIONS)), np.float32)
    kernel(x, a, 7, result)
    for number, (name, body) in enumerate(FUNCTIONS.items()):
        wanted = [python_function(body, int(x[i]), a, 7) for i in range(5)]
        np.testing.assert_array_equal(result[:, number], np.array(wanted, np.float32), name)


LEAVING = """
    @tile.jit
    def kernel(X, m: T.int32 = 0):
        X: T.Tensor((4, 5), "int32")
        m: T.int32
        A, B, C = (T.empty((4, 5), "int32") for _ in range(3))
        D = T.empty((4,), "int32")
        with T.Kernel(4, threads=32) as b:
            for i in T.Parallel(5):
                A[b, i] = 0
                for j in T.serial(5):
                    if X[b, j] > i:
                        A[b, i] = j + 1
                        break
            if b == 0:
                for i, j in T.grid(4, 5):
                    B[i, j] = 0
                for i, j in T.grid(4, 5):
                    if X[i, j] == m:
                        break
                    if X[i, j] < 0:
                        continue
                    B[i, j] = 1
            for i, j in T.Persistent([4, 5], 4, b):
                if (i + j) % 2 == 0:
                    C[i, j] = -1
                    continue
                if i == 3:
                    C[i, j] = -2
                    break
                C[i, j] = i
            for k in T.serial(5):
                if k + X[b, 0] > 4:
                    return
                D[b] = k
            D[b] = 100
        return A, B, C, D
"""


def test_leaving_loops_of_tiles(module, target):
    x = np.array([[3, -1, 0, 2, 5], [1, 4, -2, 6, 0], [-1, 1, 1, 9, 2], [0, 0, 3, 1, 1]], np.int32)
    a, b, c, d = module(LEAVING).kernel(x, 9)
    wanted = np.zeros((4, 5), np.int32)
    for i, j in itertools.product(range(4), range(5)):
        found = np.flatnonzero(x[i] > j)
        wanted[i, j] = found[0] + 1 if len(found) else 0
    np.testing.assert_array_equal(a, wanted)
    place = np.arange(20).reshape(4, 5)
    np.testing.assert_array_equal(b, (place < 13) & (x >= 0))
    for block in range(4):
        for i, j in (divmod(number, 5) for number in range(block, 20, 4)):
            if (i + j) % 2 == 0:
                assert c[i, j] == -1
                continue
            assert c[i, j] == (-2 if i == 3 else i)
            if i == 3:
                break
    np.testing.assert_array_equal(d, [1, 3, 100, 100])
