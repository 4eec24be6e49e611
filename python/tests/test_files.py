"""What files of kernels write that tutorials do not: sizes before their tensors, roles in
pieces, variables that are cleared, windows of parts of tiles."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T


@tile.jit
def early_sizes(A, B):
    """Sizes that annotations further down give."""
    rows, columns = T.const("rows, columns")
    half = columns // 2
    shape = [rows, columns]
    n = T.dynamic("n")
    A: T.Tensor(shape, "float32")
    C = T.empty([n, half], "float32")
    B: T.Tensor([n], "float32")
    with T.Kernel(n, threads=32) as b:
        total = T.alloc_var("float32")
        for j in T.Parallel(half):
            C[b, j] = A[0, j] + B[b]
        for i in T.serial(rows):
            T.clear(total)
            if i == rows - 1:
                T.fill(total, 100)
            if T.get_thread_binding() == 0:
                C[b, 0] += total
    return C


def test_early_sizes(target):
    a, b = np.arange(12, dtype=np.float32).reshape(2, 6), np.arange(5, dtype=np.float32)
    wanted = a[0, :3] + b[:, None]
    wanted[:, 0] += 100
    assert (early_sizes(a, b) == wanted).all()


def test_a_row_of_shape(target):
    @tile.jit
    def double(A):
        n = T.dynamic("n")
        A: T.Tensor[(n), T.float32]
        B = T.empty((n,), "float32")
        with T.Kernel(1, threads=32):
            for i in T.serial(n):
                B[i] = 2 * A[i]
        return B

    assert (double(np.ones(3, np.float32)) == 2).all()


def test_inner_index_has_the_name_of_an_earlier_one(target):
    @tile.jit
    def f(A):
        n = T.dynamic("n")
        A: T.Tensor((n, 8), "float32")
        B = T.empty((8,), "float32")
        with T.Kernel(1, threads=32):
            acc = T.alloc_fragment((8,), "float32")
            for j in T.unroll(2):
                T.fill(acc, j)
            for i in T.serial(n):
                for j in T.Parallel(8):
                    acc[j] += A[i, j]
            T.copy(acc, B)
        return B

    assert (f(np.ones((3, 8), np.float32)) == 4).all()


# -- Roles --------------------------------------------------------------------

@tile.jit
def pieces(A, B, steps=4, stages=2):
    """One warpgroup copies, one multiplies, in one loop."""
    A: T.Tensor((64, steps * 32), "float16")
    B: T.Tensor((steps * 32, 64), "float16")
    C = T.empty((64, 64), "float32")
    with T.Kernel(1, threads=256):
        a = T.alloc_shared((stages, 64, 32), "float16")
        b = T.alloc_shared((stages, 32, 64), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        full, empty = T.alloc_barrier([128] * stages), T.alloc_barrier([128] * stages)
        with T.ws(0):
            T.clear(acc)
        for k in T.serial(steps):
            slot = k % stages
            with T.ws(1):
                T.mbarrier_wait_parity(mbarrier=empty[slot], parity=(k // stages + 1) % 2)
                T.tma_copy(A[0, k * 32], a[slot, :, :], barrier=full[slot])
                T.tma_copy(B[k * 32, 0], b[slot, :, :], barrier=full[slot])
                T.mbarrier_arrive(mbarrier=full[slot])
            with T.ws(0):
                T.mbarrier_wait_parity(mbarrier=full[slot], parity=k // stages % 2)
                T.gemm(a[slot, :, :], b[slot, :, :], acc)
                T.mbarrier_arrive(mbarrier=empty[slot])
        with T.ws(0):
            T.copy(acc, C)
    return C


def test_roles_in_pieces(one_target, rng):
    a, b = ints(rng, (64, 128), np.float16), ints(rng, (128, 64), np.float16)
    assert (pieces(a, b) == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_roles_by_the_number_of_the_thread(target):
    @tile.jit
    def f(A):
        A: T.Tensor((64, 8), "float32")
        B = T.empty((64, 8), "float32")
        sums = T.empty((64,), "float32")
        with T.Kernel(1, threads=96):
            x = T.alloc_shared((64, 8), "float32")
            T.copy(A, x)
            tx = T.get_thread_binding()
            if tx < 32:
                row, total = (T.alloc_fragment(s, "float32") for s in ((64, 8), (64,)))
                T.copy(x, row)
                T.reduce_sum(row, total, dim=1)
                T.copy(total, sums)
            else:
                for i, j in T.Parallel(64, 8):
                    B[i, j] = 2 * x[i, j]
        return B, sums

    a = np.arange(512, dtype=np.float32).reshape(64, 8)
    b, sums = f(a)
    assert (b == 2 * a).all() and (sums == a.sum(1)).all()


@tile.jit
def halves(A, B, steps=3):
    """Two warpgroups multiply by a half each of what the block has copied."""
    A: T.Tensor((64, steps * 32), "float16")
    B: T.Tensor((steps * 32, 128), "float16")
    C = T.empty((64, 128), "float32")
    with T.Kernel(1, threads=256):
        a = T.alloc_shared((64, 32), "float16")
        b = [T.alloc_shared((32, 64), "float16") for _ in range(2)]
        acc = [T.alloc_fragment((64, 64), "float32") for _ in range(2)]
        with T.ws(0):
            T.clear(acc[0])
        with T.ws(1):
            T.clear(acc[1])
        for k in T.serial(steps):
            T.copy(A[0, k * 32], a)
            with T.ws(0):
                T.copy(B[k * 32, 0], b[0])
                T.gemm(a, b[0], acc[0])
            with T.ws(1):
                T.copy(B[k * 32, 64], b[1])
                T.gemm(a, b[1], acc[1])
        with T.ws(1):
            T.copy(acc[1], C[0, 64])
        with T.ws(0):
            T.copy(acc[0], C[0, 0])
    return C


@pytest.mark.parametrize("schedule", ["mixed", "lazy", "random"])
def test_copies_of_the_block_between_roles(target, rng, schedule):
    a, b = ints(rng, (64, 96), np.float16), ints(rng, (96, 128), np.float16)
    with tile.emulator(schedule=schedule):
        assert (halves(a, b) == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_statements_between_roles(one_target):
    @tile.jit
    def f(A):
        A: T.Tensor((64,), "float32")
        with T.Kernel(1, threads=256):
            x = T.alloc_shared((64,), "float32")
            for _ in T.serial(2):
                for i in T.Parallel(64):
                    x[i] = A[i]
                with T.ws(0):
                    T.copy(x, A)

    with pytest.raises(tile.UnsupportedError, match="statements of the whole block between roles"):
        f(np.zeros(64, np.float32))


# -- Tiles --------------------------------------------------------------------

@pytest.mark.parametrize(("whole", "first", "last"), [(192, 0, 128), (192, 64, 128), (320, 0, 192)])
def test_products_of_windows(target, rng, whole, first, last):
    @tile.jit
    def f(A, B):
        A: T.Tensor((64, whole), "float16")
        B: T.Tensor((64, last - first), "float16")
        C = T.empty((64, 64), "float32")
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, whole), "float16"), T.alloc_shared((64, last - first), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a[:, first:last], b, acc, transpose_B=True, clear_accum=True)
            T.copy(acc, C)
        return C

    a, b = ints(rng, (64, whole), np.float16), ints(rng, (64, last - first), np.float16)
    wanted = a[:, first:last].astype(np.float32) @ b.astype(np.float32).T
    assert (f(a, b) == wanted).all()


def test_more_than_the_registers(target, rng):
    """A copy whose elements no thread has room for."""
    @tile.jit
    def f(A):
        A: T.Tensor((64, 576), "float32")
        B = T.empty((64, 576), "float16")
        with T.Kernel(1, threads=128):
            T.copy(A, B)
        return B

    a = ints(rng, (64, 576))
    assert (f(a) == a).all()


def test_reduction_of_8_bit_floats(target, rng):
    dtypes = pytest.importorskip("ml_dtypes")

    @tile.jit
    def f(A):
        A: T.Tensor((32, 32), "float8_e4m3fn")
        B = T.empty((32,), "float32")
        with T.Kernel(1, threads=32):
            a, total = T.alloc_shared((32, 32), "float8_e4m3fn"), T.alloc_fragment((32,), "float32")
            T.copy(A, a)
            T.reduce_sum(a, total, dim=0)
            T.copy(total, B)
        return B

    a = ints(rng, (32, 32)).astype(dtypes.float8_e4m3fn)
    assert (f(a) == a.astype(np.float32).sum(0)).all()


def test_swizzle_of_one_dimension(one_target):
    @tile.jit
    def f(A):
        A: T.Tensor((64,), "float32")
        with T.Kernel(2, threads=32) as b:
            T.use_swizzle(10)
            for i in T.Parallel(32):
                A[b * 32 + i] = 1

    a = np.zeros(64, np.float32)
    f(a)
    assert (a == 1).all()


def test_bounds_of_a_pipeline_by_name(one_target):
    @tile.jit
    def f(A):
        A: T.Tensor((4, 32), "float32")
        B = T.empty((32,), "float32")
        with T.Kernel(1, threads=32):
            acc = T.alloc_fragment((32,), "float32")
            T.clear(acc)
            for i in T.Pipelined(start=1, stop=3, num_stages=2):
                for j in T.Parallel(32):
                    acc[j] += A[i, j]
            T.copy(acc, B)
        return B

    assert (f(np.ones((4, 32), np.float32)) == 2).all()


def test_codes_of_sparse_rows():
    """How many elements a number of codes is for: 4 bits for 4 neighbours, of 32 bits 2."""
    from tile.cuda.intrinsics.sparse_layout import GROUP_CONFIG, get_e_factor

    assert [get_e_factor(d, c) for d, c in (("float16", "int16"), (T.int8, T.int32),
                                            ("float32", "int16"))] == [16, 32, 8]
    assert GROUP_CONFIG[T.bfloat16] == (2, 4) and GROUP_CONFIG[T.float32] == (1, 2)
