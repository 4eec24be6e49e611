"""What tiles take beyond their own shape: fragments by other indices than a loop's,
copies that broadcast, windows that end where the kernel says, ordered updates."""

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T

# -- Fragments by other indices -----------------------------------------------

FRAGMENTS = """
    @tile.jit
    def kernel(A, I, what="reverse"):
        A: T.Tensor((32, 16), "float32")
        I: T.Tensor((32,), "int32")
        B = T.empty((32, 16), "float32")
        with T.Kernel(1, threads=64) as b:
            f = T.alloc_fragment((32, 16), "float32")
            g = T.alloc_fragment((32, 16), "float32")
            T.copy(A, f)
            if what == "reverse":
                for i, j in T.Parallel(32, 16):
                    g[i, j] = f[31 - i, 15 - j]
            elif what == "gather":
                for i, j in T.Parallel(32, 16):
                    g[i, j] = f[I[i], j] + f[i, j]
            elif what == "scatter":
                for i, j in T.Parallel(32, 16):
                    g[I[i], 15 - j] = f[i, j]
            elif what == "prefix":
                for i, j in T.Parallel(32, 16):
                    g[i, j] = 0
                    for k in T.serial(j + 1):
                        g[i, j] += f[i, k]
            elif what == "part":
                T.clear(g)
                for i, j in T.Parallel(16, 8):
                    g[i + 16, j] = f[i, j + 8]
            elif what == "column":
                for k in T.serial(16):
                    for i in T.Parallel(32):
                        g[i, k] = f[i, 15 - k]
            elif what == "guarded":
                T.copy(f, g)
                for i, j in T.Parallel(32, 16):
                    if I[i] > 20:
                        g[31 - i, j] = -1
            else:
                place = I[0]
                f[place, 3] = f[place, 2] + 1
                T.copy(f, g)
            T.copy(g, B)
        return B
"""


def expected(what, a, ix):
    if what == "reverse":
        return a[::-1, ::-1]
    if what == "gather":
        return a[ix] + a
    if what == "prefix":
        return np.cumsum(a, axis=1)
    if what == "column":
        return a[:, ::-1]
    b = np.zeros_like(a)
    if what == "scatter":
        b[ix] = a[:, ::-1]
    elif what == "part":
        b[16:, :8] = a[:16, 8:]
    elif what == "guarded":
        b[:] = a
        b[31 - np.flatnonzero(ix > 20)] = -1
    else:
        b[:] = a
        b[ix[0], 3] = a[ix[0], 2] + 1
    return b


@pytest.mark.parametrize("what", ["reverse", "gather", "scatter", "prefix", "part", "column",
                                  "guarded", "element"])
def test_fragment_by_other_indices(module, target, rng, what):
    kernel = module(FRAGMENTS).kernel
    a, ix = ints(rng, (32, 16)), rng.permutation(32).astype(np.int32)
    np.testing.assert_array_equal(kernel(a, ix, what=what), expected(what, a, ix))


def test_fragments_by_own_indices_stay_in_registers(module, one_target):
    ir = module("""
        @tile.jit
        def kernel(A):
            A: T.Tensor((32, 16), "float32")
            with T.Kernel(1, threads=64) as b:
                f = T.alloc_fragment((32, 16), "float32")
                row = T.alloc_fragment((32,), "float32")
                T.copy(A, f)
                T.reduce_max(f, row, dim=1)
                for i, j in T.Parallel(32, 16):
                    f[i, j] = f[i, j] - row[i] + f[0, 0] * 0
                T.copy(f, A)
    """).kernel.compile().ir
    assert ir.count("_staged") > 0  # f is written at one place and read at another
    assert "%row_staged" not in ir


# -- Copies that broadcast ----------------------------------------------------

BROADCAST = """
    @tile.jit
    def kernel(A, B, space="shared", dtype="float32"):
        A: T.Tensor((48,), "float32")
        B: T.Tensor((40, 48), "float32")
        C = T.empty((3, 32, 48), dtype)
        alloc = T.alloc_shared if space == "shared" else T.alloc_fragment
        with T.Kernel(1, threads=64) as b:
            row, column, one = (alloc((32, 48), dtype) for _ in range(3))
            narrow = T.alloc_fragment((32, 1), "float32")
            T.copy(A[0:48], row)
            T.copy(row, C[0, :, :])
            T.copy(B[0:32, 5], narrow[:, 0])
            T.copy(narrow, column)
            T.copy(column, C[1, :, :])
            T.copy(B[7:8, 9:10], one)
            T.copy(one, C[2, :, :])
        return C
"""


@pytest.mark.parametrize("space", ["shared", "fragment"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_broadcast(module, target, rng, space, dtype):
    a, b = ints(rng, (48,)), ints(rng, (40, 48))
    c = module(BROADCAST).kernel(a, b, space=space, dtype=dtype)
    for got, wanted in zip(c, (a, b[:32, 5:6], b[7, 9])):
        np.testing.assert_array_equal(got, np.broadcast_to(wanted, (32, 48)).astype(dtype))


# -- Windows of run-time size -------------------------------------------------

GROUPS = """
    @tile.jit
    def kernel(X, starts, stages=1):
        n = T.dynamic("n")
        X: T.Tensor((n, 32), "float16")
        starts: T.Tensor((5,), "int32")
        Y = T.empty((n, 32), "float16")
        S = T.empty((4, 32), "float32")
        with T.Kernel(4, threads=64) as b:
            x = T.alloc_shared((16, 32), "float16")
            f = T.alloc_fragment((16, 32), "float32")
            s = T.alloc_fragment((32,), "float32")
            T.clear(s)
            first, last = starts[b], starts[b + 1]
            for k in T.Pipelined(T.ceildiv(last - first, 16), num_stages=stages):
                T.copy(X[first + k * 16:last, :], x)
                T.copy(x, f)
                T.reduce_sum(f, s, dim=0, clear=False)
                for i, j in T.Parallel(16, 32):
                    f[i, j] += 1
                T.copy(f, Y[first + k * 16:last, :])
            T.copy(s, S[b, :])
        return Y, S
"""


@pytest.mark.parametrize("stages", [1, 2])
def test_windows_that_end(module, target, rng, stages):
    """Groups of 0, 1, 16 and 23 rows: nobody reads or writes those of a neighbour."""
    starts = np.array([0, 0, 1, 17, 40], np.int32)
    x = ints(rng, (40, 32), np.float16)
    y, s = module(GROUPS).kernel(x, starts, stages=stages)
    np.testing.assert_array_equal(y, x + 1)
    for k in range(4):
        np.testing.assert_array_equal(s[k], x[starts[k]:starts[k + 1]].astype(np.float32).sum(0))


# -- Ordered updates ----------------------------------------------------------

@pytest.mark.parametrize("order", ["acq_rel", "seq_cst"])
def test_last_block_sees_all(module, target, order):
    """The block that counts last reads what the others have written."""
    kernel = module("""
        @tile.jit
        def kernel(A, count, order="acq_rel"):
            A: T.Tensor((64,), "float32")
            count: T.Tensor((1,), "int32")
            B = T.empty((1,), "float32")
            with T.Kernel(4, threads=32) as b:
                for i in T.Parallel(16):
                    A[b * 16 + i] = b * 16 + i
                T.sync_threads()
                if T.atomic_add(count[0], 1, memory_order=order, return_prev=True) == 3:
                    f = T.alloc_fragment((64,), "float32")
                    s = T.alloc_fragment((1,), "float32")
                    T.copy(A, f)
                    T.reduce_sum(f, s, dim=0)
                    T.copy(s, B)
            return B
    """).kernel
    for seed in range(2):
        with tile.emulator(seed=seed):
            assert kernel(np.zeros(64, np.float32), np.zeros(1, np.int32), order=order) == 2016


# -- Products that a policy does not fit --------------------------------------

@pytest.mark.parametrize("policy", ["FullRow", "FullCol"])
@pytest.mark.parametrize("sizes", [(32, 32, 128), (16, 64, 128), (64, 16, 256), (128, 128, 256)])
def test_policy_is_a_wish(module, target, rng, policy, sizes):
    """Rows, or columns, that the warps cannot share are shared in another way."""
    kernel = module("""
        @tile.jit
        def kernel(A, B, policy="", threads=128):
            M, N, K = T.const("M, N, K")
            A: T.Tensor((M, K), "float16")
            B: T.Tensor((K, N), "float16")
            C = T.empty((M, N), "float32")
            with T.Kernel(1, threads=threads):
                a = T.alloc_shared((M, K), "float16")
                b = T.alloc_shared((K, N), "float16")
                c = T.alloc_fragment((M, N), "float32")
                T.copy(A, a)
                T.copy(B, b)
                T.gemm(a, b, c, policy=getattr(T.GemmWarpPolicy, policy), clear_accum=True)
                T.copy(c, C)
            return C
    """).kernel
    m, n, threads = sizes
    a, b = ints(rng, (m, 32), np.float16), ints(rng, (32, n), np.float16)
    np.testing.assert_array_equal(kernel(a, b, policy=policy, threads=threads),
                                  a.astype(np.float32) @ b.astype(np.float32))


# -- Functions of Python that kernels and factories call ----------------------

def test_functions_of_python(module, target):
    """They compute with values of run time and with sizes."""
    made = module("""
        def positive(x):
            return T.if_then_else(x > 0, x, -1)

        @tile.jit
        def factory(blk=16):
            n = T.dynamic("n")
            blocks = tile.cdiv(n, blk)
            last = -(-n // blk) - 1

            @T.prim_func
            def main(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
                with T.Kernel(blocks, threads=32) as b:
                    for i in T.Parallel(blk):
                        B[b * blk + i] = T.if_then_else(b == last, positive(A[b * blk + i]), 5)
            return main
    """)
    a, b = np.arange(-20, 20, dtype=np.int32), np.zeros(40, np.int32)
    made.factory()(a, b)
    np.testing.assert_array_equal(b, np.where(np.arange(40) < 32, 5, np.where(a > 0, a, -1)))


def test_sizes_of_run_time_outside_of_kernels(module):
    with pytest.raises(tile.CompileError, match="the size n is known at run time only; outside"):
        T.exp2(T.dynamic("n"))


def test_fragments_that_are_steps_away(module, target, rng):
    """Parts of a fragment, each some steps further, need no copy in shared memory, unless
    what the loop does is not for the elements of the part alone."""
    m = module("""
        @tile.jit
        def halves(A):
            A: T.Tensor((64, 32), "float32")
            B = T.empty((2, 32, 32), "float32")
            with T.Kernel(1, threads=64):
                F = T.alloc_fragment((64, 32), "float32")
                S = T.alloc_shared((32, 32), "float32")
                T.copy(A, F)
                for s in range(2):
                    for i, j in T.Parallel(64, 32):
                        if i < 32:
                            S[i, j] = F[i + s * 32, j] + i
                    T.copy(S, B[s, 0:32, 0:32])
            return B

        @tile.jit
        def inside(A):
            A: T.Tensor((64, 32), "float32")
            B = T.empty((16, 32), "float32")
            with T.Kernel(1, threads=64):
                F = T.alloc_fragment((64, 32), "float32")
                T.copy(A, F)
                for i, j in T.Parallel(16, 32):
                    B[i, j] = F[i + 24, j]
            return B

        @tile.jit
        def others_too(A):
            A: T.Tensor((64, 32), "float32")
            B = T.empty((64, 32), "float32")
            with T.Kernel(1, threads=64):
                F = T.alloc_fragment((64, 32), "float32")
                T.copy(A, F)
                for i, j in T.Parallel(64, 32):
                    B[i, j] = 7
                    if i < 32:
                        B[i, j] = F[i + 32, j]
            return B
    """)
    a = ints(rng, (64, 32))
    k = np.arange(32)[:, None]
    np.testing.assert_array_equal(m.halves(a), np.stack([a[:32] + k, a[32:] + k]))
    np.testing.assert_array_equal(m.inside(a), a[24:40])
    np.testing.assert_array_equal(m.others_too(a), np.concatenate([a[32:], np.full((32, 32), 7)]))
    assert "staged" not in m.halves.get_tir(a) + m.inside.get_tir(a)
    assert "staged" in m.others_too.get_tir(a)
