"""Random numbers, compared with Philox 4x32-10 in integers of Python."""

import numpy as np
import pytest

import tile
import tile.language as T

WORD = 0xFFFFFFFF


def philox(seed, sequence, number):
    key = [seed & WORD, seed >> 32]
    block = number // 4
    x = [block & WORD, block >> 32, sequence & WORD, sequence >> 32]
    for turn in range(10):
        if turn:
            key = [(key[0] + 0x9E3779B9) & WORD, (key[1] + 0xBB67AE85) & WORD]
        low, high = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(high >> 32) ^ x[1] ^ key[0], high & WORD, (low >> 32) ^ x[3] ^ key[1], low & WORD]
    return x[number % 4]


def test_philox():
    """The vector of zeros that its authors publish with it."""
    assert [philox(0, 0, n) for n in range(4)] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def unit(word):
    return np.float32(word) * np.float32(2**-32) + np.float32(2**-33)


@tile.jit
def one_thread(M, seed):
    A = T.empty((M,), "uint32")
    with T.Kernel(T.ceildiv(M, 128), threads=1) as b:
        tx = T.get_thread_binding()
        T.rng_init(seed, 0, b * 128 + tx * 128)
        for i, j in T.Parallel(1, 128):
            if (b + i) * 128 + j < M:
                A[(b + i) * 128 + j] = T.rng_rand()
    return A


def test_elements_of_one_thread(target):
    seed = 42 + (7 << 32)
    assert list(one_thread(300, seed)) == [philox(seed, 0, n) for n in range(300)]


@tile.jit
def of_threads(seed):
    A = T.empty((64, 5), "uint32")
    B = T.empty((64, 6), "float32")
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding()
        T.rng_init(seed, tx)
        for j in T.serial(5):
            A[tx, j] = T.rng_rand()
        T.rng_init(seed, tx, 2)
        for j in T.serial(6):
            B[tx, j] = T.rng_rand_float(dist="normal")
    return A, B


def test_each_thread_counts_its_own(one_target):
    a, b = of_threads(7)
    for t in (0, 1, 40, 63):
        assert list(a[t]) == [philox(7, t, n) for n in range(5)]
        for n in range(2, 8):
            radius, angle = unit(philox(7, t, n & ~1)), unit(philox(7, t, n | 1))
            wave = (np.sin, np.cos)[n % 2](2 * np.pi * float(angle))
            want = np.sqrt(-2 * np.log(float(radius))) * wave
            assert abs(b[t, n - 2] - want) < 1e-4


@tile.jit
def of_elements(seed):
    A = T.empty((32, 40), "float32")
    with T.Kernel(1, threads=64) as b:
        T.rng_init(seed, 3)
        for i, j in T.Parallel(32, 40):
            A[i, j] = T.rng_rand_float()
        for i, j in T.Parallel(32, 40):
            A[i, j] += 2 * T.rng_rand_float() - T.rng_rand_float()
    return A


def test_elements_take_numbers_in_order(target):
    a, count = of_elements(9), 32 * 40
    for e in (0, 1, 500, count - 1):
        x, y, z = (float(unit(philox(9, 3, e + n * count))) for n in range(3))
        assert abs(a.flat[e] - (x + 2 * y - z)) < 1e-6


@pytest.mark.parametrize("body, message", [
    ("A[0] = T.rng_rand()", "before T.rng_init"),
    ("T.rng_init(1.5)", "the seed of T.rng_init is a float"),
    ("T.rng_init(1, generator='curandStateXORWOW_t')", "curandStateXORWOW_t"),
    ("T.rng_init(1)\n                A[0] = T.rng_rand_float(dist='cauchy')", "distribution"),
    ("T.rng_init(1, T.get_thread_binding())\n                for i in T.Parallel(64):\n"
     "                    A[i] = T.rng_rand()", "depends on the thread"),
    ("T.rng_init(1)\n                for i in T.Parallel(64):\n                    for q in "
     "T.serial(b, 9):\n                        A[i] = T.rng_rand()", "in a loop in T.Parallel"),
])
def test_mistakes(one_target, module, body, message):
    made = module(f"""
        @tile.jit
        def k(A):
            A: T.Tensor((64,), "uint32")
            with T.Kernel(1, threads=64) as b:
                {body}
        """)
    with pytest.raises(tile.TileError, match=message):
        made.k(np.zeros(64, np.uint32))
