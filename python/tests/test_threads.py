"""Kernels that say what single threads do, beside tiles."""

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T


@tile.jit
def by_thread(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, 128), threads=128) as b:
        tx = T.get_thread_binding(0)
        i = b * 128 + tx
        if i < N:
            B[i] = A[i] + tx
    return B


def test_by_thread(target):
    a = np.arange(300, dtype=np.float32)
    np.testing.assert_array_equal(by_thread(a), a + np.arange(300) % 128)


@tile.jit
def unpack(A):
    A: T.Tensor((512,), "uint8")
    B = T.empty((1024,), "float32")
    with T.Kernel(1, threads=128):
        tx = T.get_thread_binding(0)
        packed = T.alloc_local((4,), "uint8")
        values = T.alloc_local((8,), "float32")
        S = T.alloc_shared((1024,), "float32")
        for v in T.vectorized(4):
            packed[v] = A[tx * 4 + v]
        for v in T.serial(8):
            values[v] = T.cast((packed[v // 2] >> (4 * (v % 2))) & 15, "float32")
        for v in T.vectorized(8):
            S[tx * 8 + v] = values[v]
        T.sync_threads()
        T.copy(S, B)
    return B


def test_local_arrays(target, rng):
    a = rng.integers(0, 256, 512).astype(np.uint8)
    np.testing.assert_array_equal(unpack(a), np.stack([a & 15, a >> 4], 1).reshape(-1))


@tile.jit
def gemv(A, x, rows=4, lanes=32):
    N, K = T.const("N, K")
    A: T.Tensor((N, K), "float16")
    x: T.Tensor((K,), "float16")
    y = T.empty((N,), "float32")
    with T.Kernel(T.ceildiv(N, rows), threads=(rows, lanes)) as b:
        row, lane = T.get_thread_bindings()[:2]
        S = T.alloc_shared((rows,), "float32")
        acc = T.alloc_local((1,), "float32")
        if lane == 0:
            S[row] = 0
        T.clear(acc)
        T.sync_threads()
        for k in T.serial(T.ceildiv(K, lanes)):
            acc[0] += T.float32(A[b * rows + row, k * lanes + lane]) * x[k * lanes + lane]
        T.atomic_add(S[row], acc[0])
        T.sync_threads()
        if lane == 0:
            y[b * rows + row] = S[row]
    return y


def test_gemv(target, rng):
    a, x = (rng.integers(-2, 3, s).astype(np.float16) for s in ((10, 70), (70,)))
    np.testing.assert_array_equal(gemv(a, x), a.astype(np.float32) @ x.astype(np.float32))


@tile.jit
def warp_sum(A):
    A: T.Tensor((32,), "float32")
    B = T.empty((4, 32), "float32")
    with T.Kernel(1, threads=32):
        lane = T.get_thread_binding()
        v = A[lane]
        for s in T.unroll(5):
            v = v + T.shfl_xor(v, 16 >> s)
        B[0, lane] = v
        B[1, lane] = T.shfl_sync(A[lane], 3)
        T.sync_warp()
        B[2, lane] = T.shfl_down(A[lane], 1)
        B[3, lane] = T.shfl_up(A[lane], 1)
    return B


def test_shuffles(target):
    a = np.arange(32, dtype=np.float32)
    b = warp_sum(a)
    np.testing.assert_array_equal(b[:2], [np.full(32, a.sum()), np.full(32, 3)])
    np.testing.assert_array_equal(b[2, :31], a[1:])
    np.testing.assert_array_equal(b[3, 1:], a[:31])


@tile.jit
def printing(A):
    A: T.Tensor((2,), "float32")
    with T.Kernel(1, threads=32) as b:
        F = T.alloc_fragment((2,), "float32")
        T.copy(A, F)
        T.print(F, msg="F")
        T.print(b, "block")
        print("seen", b + 1)


def test_print(target, capfd):
    printing(np.array([1.5, 2], np.float32))
    assert sorted(capfd.readouterr().out.splitlines()) == [
        "F: 0 1.5", "F: 1 2", "block: 0", "seen: 1"]


@tile.jit
def selected(A, threads=32):
    """Places of A that are positive, in no order, and of those that are 0 behind them."""
    N = T.const("N")
    A: T.Tensor((N,), "int32")
    B = T.empty((N + 1,), "int32")
    with T.Kernel(1, threads=threads):
        tx = T.thread_binding(0, threads, thread="threadIdx.x")
        count = T.alloc_shared((3,), "int32")
        if tx < 3:
            count[tx] = 0
        T.sync_threads()
        for i in T.serial(T.ceildiv(N, threads)):
            p = i * threads + tx
            if p < N and A[p] > 0:
                B[T.atomic_add(count[0], 1, return_prev=True)] = p
        T.sync_threads()
        p = tx
        while p < N:
            if A[p] == 0:
                place = count[0] + T.atomic_add(count[1], 1, return_prev=True)
                B[place] = p
            p += threads
        for _ in T.serial(tx, N, threads):
            T.atomic_add(count[2], 1)
        T.sync_threads()
        B[N] = count[2]
    return B


def test_updates_by_threads_under_their_conditions(target, rng):
    """An update that only some threads reach is theirs, whatever its place and value."""
    a = rng.integers(-1, 2, 75).astype(np.int32)
    b = selected(a)
    ones, zeros = np.flatnonzero(a > 0), np.flatnonzero(a == 0)
    np.testing.assert_array_equal(np.sort(b[:len(ones)]), ones)
    np.testing.assert_array_equal(np.sort(b[len(ones):len(ones) + len(zeros)]), zeros)
    assert b[75] == 75


@tile.jit
def votes(A, threads=(16, 4)):
    A: T.Tensor((64,), "int32")
    B = T.empty((8, 64), "int64")
    with T.Kernel(1, threads=threads):
        x, y, _ = T.get_thread_bindings()
        t = y * 16 + x
        a = A[t]
        B[0, t] = T.any_sync(0xFFFFFFFF, a > 8)
        B[1, t] = T.all_sync(-1, a > -9)
        B[2, t] = T.ballot(a > 0)
        B[3, t] = T.get_lane_idx()
        B[4, t] = T.get_warp_idx()
        B[5, t] = T.get_warp_group_idx()
        B[6, t] = T.shuffle_elect(32) or T.shuffle_elect()
        B[7, t] = T.shfl_sync(0xFFFFFFFF, a, 5)
    return B


def test_votes(target, rng):
    a = rng.integers(-9, 10, 64).astype(np.int32)
    warps = a.reshape(2, 32)
    b = votes(a).reshape(8, 2, 32)
    np.testing.assert_array_equal(b[0], np.broadcast_to((warps > 8).any(1)[:, None], (2, 32)))
    np.testing.assert_array_equal(b[1], np.broadcast_to((warps > -9).all(1)[:, None], (2, 32)))
    bits = ((warps > 0).astype(np.int64) << np.arange(32)).sum(1)
    np.testing.assert_array_equal(b[2], np.broadcast_to(bits[:, None], (2, 32)))
    np.testing.assert_array_equal(b[3].ravel(), np.arange(64) % 32)
    np.testing.assert_array_equal(b[4].ravel(), np.arange(64) // 32)
    assert not b[5].any()
    np.testing.assert_array_equal(b[6].ravel(), np.arange(64) % 32 == 0)
    np.testing.assert_array_equal(b[7], np.broadcast_to(warps[:, 5:6], (2, 32)))


def test_some_threads_meet(module, target, rng):
    """A barrier of as many threads as a branch on the thread has."""
    m = module("""
        @tile.jit
        def sums(A):
            A: T.Tensor((64,), "int32")
            B = T.empty((64,), "int32")
            with T.Kernel(1, threads=128):
                t = T.get_thread_binding()
                S = T.alloc_shared((64,), "int32")
                value = T.alloc_var("int32")
                if t < 64:
                    S[t] = A[t]
                    for n in T.serial(6):
                        T.sync_threads(3, 64)
                        value = S[t]
                        if t >= 1 << n:
                            value += S[t - (1 << n)]
                        T.sync_threads(3, 64)
                        S[t] = value
                    B[t] = S[t]
            return B

        @tile.jit
        def all_of_them(A):
            A: T.Tensor((64,), "int32")
            with T.Kernel(1, threads=64):
                t = T.get_thread_binding()
                if t < 32:
                    T.sync_threads(3, 64)
                A[t] = 1
    """)
    a = ints(rng, (64,), np.int32)
    np.testing.assert_array_equal(m.sums(a), np.cumsum(a))
    with pytest.raises(tile.CompileError, match="depending on a value that differs"):
        m.all_of_them(a)


def test_copies_of_a_thread(module, target, rng):
    """Arrays that each thread has for itself, to and from places of its own."""
    m = module("""
        @tile.jit
        def reversed_parts(A):
            n = T.dynamic("n")
            A: T.Tensor((n, 8), "float16")
            B = T.empty((n, 8), "float32")
            with T.Kernel(T.ceildiv(n, 32), threads=(32, 2)) as b:
                row, half = b * 32 + T.get_thread_binding(0), T.get_thread_binding(1)
                part = T.alloc_local((4,), "float16")
                T.copy(A[row, half * 4:(half + 1) * 4], part)
                part[0], part[3] = part[3], part[0]
                T.copy(part, B[row, half * 4:(half + 1) * 4])
            return B
    """)
    a = ints(rng, (45, 8), np.float16)
    np.testing.assert_array_equal(m.reversed_parts(a), a[:, [3, 1, 2, 0, 7, 5, 6, 4]])
