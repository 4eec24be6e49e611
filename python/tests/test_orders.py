"""What blocks tell each other: memory orders of atomic updates, loads and stores."""

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T


@tile.jit
def last_block(X, parts, done, seen, blocks):
    m, n = T.const("m, n")
    X: T.Tensor((blocks, m, n), "float32")
    parts: T.Tensor((blocks, m, n), "float32")
    done: T.Tensor((2,), "int32")
    seen: T.Tensor((2,), "int32")
    Y = T.empty((m, n), "float32")
    with T.Kernel(blocks, threads=64) as b:
        F = T.alloc_fragment((m, n), "float32")
        S = T.alloc_fragment((m, n), "float32")
        T.copy(X[b, 0, 0], F)
        T.copy(F, parts[b, 0, 0])
        ticket = T.atomic_add(done[1], 1, memory_order="acq_rel", return_prev=True)
        if ticket == blocks - 1:
            T.clear(S)
            for k in range(blocks):
                T.copy(parts[k, 0, 0], F)
                for i, j in T.Parallel(m, n):
                    S[i, j] += F[i, j]
            T.copy(S, Y)
            seen[0] = T.atomic_load(done[1])
            seen[1] = T.atomic_load(done[0], memory_order="acquire")
            T.atomic_store(done[1], 7, memory_order="release")
    return Y


def test_last_block(target, rng):
    x = ints(rng, (5, 13, 21), np.float32)
    parts, done, seen = np.zeros_like(x), np.zeros(2, np.int32), np.zeros(2, np.int32)
    y = last_block(x, parts, done, seen, blocks=5)
    np.testing.assert_array_equal(y, x.sum(0))
    np.testing.assert_array_equal(parts, x)
    np.testing.assert_array_equal(done, [0, 7])
    np.testing.assert_array_equal(seen, [5, 0])


@tile.jit
def neighbours(X, meet, blocks):
    n = T.const("n")
    X: T.Tensor((blocks, n), "float32")
    meet: T.Tensor((1,), "int32")
    Y = T.empty((blocks, n), "float32")
    with T.Kernel(blocks, threads=64) as b:
        T.pdl_sync()
        for i in T.Parallel(n):
            X[b, i] = X[b, i] * 2
        T.sync_grid(meet[0])
        for i in T.Parallel(n):
            Y[b, i] = X[(b + 1) % blocks, i]
        T.pdl_trigger()
    return Y


def test_neighbours(target, rng):
    x = ints(rng, (7, 43), np.float32)
    expected = np.roll(2 * x, -1, axis=0)
    y = neighbours(x, np.zeros(1, np.int32), blocks=7)
    np.testing.assert_array_equal(y, expected)


@tile.jit
def uncounted(X):
    X: T.Tensor((8,), "float32")
    with T.Kernel(2, threads=32):
        T.sync_grid(X[0])


def test_counter():
    with pytest.raises(tile.CompileError, match="needs a counter"):
        uncounted(np.zeros(8, np.float32))


def ordered(order, of_thread=False):
    @tile.jit
    def kernel(X):
        X: T.Tensor((8,), "int32")
        with T.Kernel(1, threads=32):
            if of_thread:
                for i in T.Parallel(8):
                    T.atomic_add(X[i], 1, memory_order=order)
            else:
                T.atomic_store(X[0], 1, memory_order=order)
    return kernel


@pytest.mark.parametrize("order, of_thread, message", [
    ("often", False, "of memory order 'often'"), ("acquire", False, "of memory order 'acquire'"),
    ("release", True, "by single threads")])
def test_refused(order, of_thread, message):
    with pytest.raises(tile.CompileError, match=message):
        ordered(order, of_thread)(np.zeros(8, np.int32))
