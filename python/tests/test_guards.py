"""Random indices of tensors: what is outside is read as 0 and not written. The
emulator reports an access whose guard was left out wrongly."""

import os
import random

import numpy as np
import pytest

import tile

NUM_SEEDS = 60 if os.environ.get("TILE_TEST_SET") == "full" else 6
NUM_ACCESSES = 8


def index(pick):
    """An index of i (0 to 31), b (0 to 2) and n, never a constant."""
    terms = [f"i * {pick.choice([1, 1, 1, 2, -1])}"]
    if pick.random() < 0.7:
        terms.append(f"b * {pick.choice([32, 32, 16, -32])}")
    if pick.random() < 0.4:
        terms.append(str(pick.randint(-40, 40)))
    if pick.random() < 0.3:
        terms.append(f"n * {pick.choice([1, -1])}")
    text = f"({' + '.join(terms)})"
    kind = pick.random()
    if kind < 0.2:
        return f"{text} // {pick.choice([2, 3, -2])}"
    if kind < 0.4:
        return f"{text} % {pick.choice([7, 32, 40])}"
    if kind < 0.5:
        return f"min({text}, n - 1)"
    if kind < 0.6:
        return f"max({text}, 0)"
    return text


def condition(pick):
    tests = ["i < n", "b * 32 + i < n", "i > 3", "i + b < n - 2", "n > 20 and i < 20",
             "b * 32 + i < n and i > 1", "not i < n", "i < 8 or b > 0"]
    return pick.choice(tests)


def statement(pick, number):
    read = f"A[{index(pick)}]"
    if pick.random() < 0.3:
        read = f"({read} if {condition(pick)} else B[{index(pick)}])"
    if pick.random() < 0.3:
        read = f"{read} + B[{index(pick)}]"
    # Places that differ from element to element, in and beyond the row.
    place = pick.choice(["b * 32 + i", "b * 32 + 31 - i", "b * 32 + i - 5", "(2 - b) * 32 + i"])
    store = f"R[{number}, {place}] = {read} + 1"
    return f"if {condition(pick)}:\n    {store}" if pick.random() < 0.4 else store


class Row:
    """A row that pads and drops, as tensors do."""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, i):
        return self.values[i] if 0 <= i < len(self.values) else 0


class Rows(Row):
    def __setitem__(self, key, value):
        if 0 <= key[1] < self.values.shape[1]:
            self.values[key] = value


def expected(lines, a, b_values, n):
    result = Rows(np.zeros((NUM_ACCESSES, n), np.float32))
    for b in range(3):
        for i in range(32):
            names = {"A": Row(a), "B": Row(b_values), "R": result, "i": i, "b": b, "n": n}
            exec("\n".join(lines), names)
    return result.values


@pytest.mark.parametrize("seed", range(NUM_SEEDS))
@pytest.mark.parametrize("is_static", [True, False], ids=["static", "dynamic"])
def test_guards(seed, is_static, module, one_target):
    pick = random.Random(seed)
    lines = [statement(pick, k) for k in range(NUM_ACCESSES)]
    n = pick.choice([1, 5, 31, 32, 64, 70, 96])
    size = str(n) if is_static else "m"
    body = []
    for line in lines:
        body.append("        for i in T.Parallel(32):")
        body += ["            " + part for part in line.splitlines()]
    text = "\n".join([
        "m = T.dynamic('m')", "@T.prim_func",
        f"def kernel(A: T.Tensor(({size},), 'float32'), B: T.Tensor((40,), 'float32'),",
        f"           R: T.Tensor(({NUM_ACCESSES}, {size}), 'float32')):",
        "    with T.Kernel(3, threads=32) as b:", "        n = A.shape[0]", *body, ""])
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(1, 100, k).astype(np.float32) for k in (n, 40))
    result = np.zeros((NUM_ACCESSES, n), np.float32)
    tile.compile(module(text).kernel)(a, b, result)
    wanted = expected(lines, a, b, n)
    for k in range(NUM_ACCESSES):
        np.testing.assert_array_equal(result[k], wanted[k], lines[k])
