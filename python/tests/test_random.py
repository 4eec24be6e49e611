"""Random programs of branches, loops and integers: Python runs the same text."""

import os
import random

import numpy as np
import pytest

import tile

VARIABLES = ("a", "b", "c", "d")
NUM_BODIES = 6
NUM_SEEDS = 100 if os.environ.get("TILE_TEST_SET") == "full" else 8


class Maker:
    """Writes bodies that change the variables and end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = 0

    def number(self, depth=2):
        pick = self.random.choice
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return pick([*VARIABLES, "x", "y", str(self.random.randint(-9, 9))])
        left, right = self.number(depth - 1), self.number(depth - 1)
        if kind < 0.6:
            return f"({left} {pick('+-*')} {right})"
        if kind < 0.8:
            return f"({left} {pick(['//', '%'])} {self.random.choice([-7, -2, 3, 5, 8])})"
        if kind < 0.9:
            return f"({left} if {self.condition(1)} else {right})"
        return f"{pick(['min', 'max'])}({left}, {right})"

    def condition(self, depth=2):
        kind = self.random.random()
        if depth == 0 or kind < 0.6:
            op = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
            return f"({self.number(1)} {op} {self.number(1)})"
        if kind < 0.7:
            return f"(not {self.condition(depth - 1)})"
        if kind < 0.8:
            return f"({self.number(0)} < {self.number(0)} <= {self.number(0)})"
        return f"({self.condition(depth - 1)} {self.random.choice(['and', 'or'])} " \
               f"{self.condition(depth - 1)})"

    def block(self, depth, indent, in_loop=False):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, indent, in_loop)
        return lines

    def statement(self, depth, indent, in_loop):
        kind = self.random.random()
        name = self.random.choice(VARIABLES)
        if depth == 0 or kind < 0.35:
            return [f"{indent}{name} = ({self.number()}) % 97"]
        if kind < 0.42:
            other = self.random.choice(VARIABLES)
            return [f"{indent}{name}, {other} = {other}, {name}"]
        if in_loop and kind < 0.52:
            word = self.random.choice(["break", "continue"])
            return [f"{indent}if {self.condition(1)}:", f"{indent}    {word}"]
        inner = indent + "    "
        if kind < 0.75:
            lines = [f"{indent}if {self.condition()}:", *self.block(depth - 1, inner, in_loop)]
            if self.random.random() < 0.6:
                lines += [f"{indent}else:", *self.block(depth - 1, inner, in_loop)]
            return lines
        self.loops += 1
        index = f"i{self.loops}"
        if kind < 0.9:
            bounds = self.random.choice(["4", "1, 6, 2", "x % 5", "5, 0, -2", "y % 3, x % 6"])
            return [f"{indent}for {index} in range({bounds}):",
                    f"{inner}{name} = ({name} + {index}) % 97",
                    *self.block(depth - 1, inner, True)]
        return [f"{indent}{index} = 0", f"{indent}while {index} < 5 and {self.condition(1)}:",
                f"{inner}{index} += 1", *self.block(depth - 1, inner, True)]


def python_result(lines, x, y):
    names = {"x": x, "y": y, "a": 1, "b": 2, "c": 3, "d": 4}
    exec("\n".join(lines), names)
    return [names[v] for v in VARIABLES]


@pytest.mark.parametrize("seed", range(NUM_SEEDS))
def test_random(seed, module, one_target):
    bodies = [Maker(seed * 100 + n).block(3, "") for n in range(NUM_BODIES)]
    kernels = []
    for number, lines in enumerate(bodies):
        head = ["    with T.Kernel(1, threads=32):"]
        # Half of them for each element, half for the block.
        head.append(f"        for e in T.{'Parallel' if number % 2 else 'serial'}(8):")
        head.append("            x, y, a, b, c, d = X[e], Y[e], 1, 2, 3, 4")
        tail = [f"            R[{number}, e, {i}] = {v}" for i, v in enumerate(VARIABLES)]
        kernels += [*head, *("            " + line for line in lines), *tail]
    text = "\n".join([
        "@T.prim_func",
        "def kernel(X: T.Tensor((8,), 'int32'), Y: T.Tensor((8,), 'int32'),",
        f"           R: T.Tensor(({NUM_BODIES}, 8, 4), 'int32')):", *kernels, ""])
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(-20, 21, 8).astype(np.int32) for _ in range(2))
    result = np.zeros((NUM_BODIES, 8, 4), np.int32)
    tile.compile(module(text).kernel)(x, y, result)
    for number, lines in enumerate(bodies):
        wanted = [python_result(lines, int(x[e]), int(y[e])) for e in range(8)]
        np.testing.assert_array_equal(result[number], wanted, "\n".join(lines))
