"""Blocks that run side by side, and tensors that a table of addresses names."""

import numpy as np
import pytest
from conftest import ints

import tile
import tile.language as T


@tile.jit
def normalised(X, blocks=4):
    m, n = T.const("m, n")
    X: T.Tensor((m, n), "float32")
    Y = T.empty((m, n), "float32")
    columns = T.ceildiv(n, blocks)
    with T.Kernel(blocks, T.ceildiv(m, 16), threads=128, cluster_dims=(blocks, 1, 1)) as (bx, by):
        part = T.alloc_shared((16,), "float32")
        x = T.alloc_fragment((16, columns), "float32")
        total = T.alloc_fragment((16,), "float32")
        other = T.alloc_fragment((16,), "float32")
        T.copy(X[by * 16, bx * columns], x)
        T.reduce_sum(x, total, dim=1)
        T.copy(total, part)
        T.cluster_sync()
        T.clear(total)
        for rank in T.serial(blocks):
            T.copy(T.remote(part, rank), other)
            for i in T.Parallel(16):
                total[i] += other[i]
        for i, j in T.Parallel(16, columns):
            x[i, j] /= total[i]
        T.copy(x, Y[by * 16, bx * columns])
    return Y


def test_sums_of_a_cluster(one_target, rng):
    x = rng.random((37, 132)).astype(np.float32) + 0.5
    np.testing.assert_allclose(normalised(x), x / x.sum(1, keepdims=True), rtol=1e-5)


def test_clusters_of_one_block(target, rng):
    x = rng.random((17, 60)).astype(np.float32) + 0.5
    np.testing.assert_allclose(normalised(x, blocks=1), x / x.sum(1, keepdims=True), rtol=1e-5)


@tile.jit
def neighbours(X):
    X: T.Tensor((8, 32), "float32")
    Y = T.empty((8, 32), "float32")
    R = T.empty((8,), "int32")
    with T.Kernel(2, 4, threads=64, cluster_dims=(2, 2)) as (bx, by):
        mine = T.alloc_shared((32,), "float32")
        number = by * 2 + bx
        rank = T.block_rank_in_cluster()
        theirs = T.remote(mine, 3 - rank)
        for i in T.Parallel(32):
            theirs[i] = X[number, i] + i
        T.cluster_sync()
        for i in T.Parallel(32):
            Y[number, i] = mine[i]
        R[number] = rank
    return Y, R


def test_ranks_and_stores_to_others(one_target, rng):
    x = ints(rng, (8, 32))
    y, ranks = neighbours(x)
    assert list(ranks) == [0, 1, 2, 3] * 2
    want = (x + np.arange(32)).reshape(2, 4, 32)[:, ::-1].reshape(8, 32)
    assert (y == want).all()


@tile.jit
def shared_load(X):
    X: T.Tensor((64, 64), "float32")
    Y = T.empty((2, 64, 64), "float32")
    with T.Kernel(2, threads=128, cluster_dims=2) as b:
        tile_of_all = T.alloc_shared((64, 64), "float32")
        full = T.alloc_barrier(128)
        T.cluster_sync()
        T.mbarrier_expect_tx(full, 64 * 64 * 4)
        if T.block_rank_in_cluster() == 0:
            T.tma_copy(X[0:64, 0:64], tile_of_all, barrier=full, multicast=3)
        T.barrier_arrive(full)
        T.barrier_wait(full, 0)
        T.copy(tile_of_all, Y[b, 0, 0])
        T.cluster_sync()
    return Y


def test_a_load_for_all_blocks(one_target, rng):
    x = ints(rng, (64, 64))
    y = shared_load(x)
    assert (y == x).all()


def test_arrivals_at_another_block(one_target, module):
    made = module("""
        @tile.jit
        def k():
            Y = T.empty((2,), "int32")
            with T.Kernel(2, threads=32, cluster_dims=2) as b:
                here = T.alloc_shared((1,), "int32")
                ready = T.alloc_barrier(32)
                rank = T.block_rank_in_cluster()
                T.cluster_sync()
                T.fill(T.remote(here, 1 - rank), 7 + rank)
                T.barrier_arrive(ready, cta_id=1 - rank)
                T.barrier_wait(ready, 0)
                Y[b] = here[0]
                T.cluster_sync()
            return Y
        """)
    assert list(made.k()) == [8, 7]


@pytest.mark.parametrize("line, message", [
    ("T.Kernel(4, threads=64, cluster_dims=(4, 4, 2))", "a cluster of 32 blocks"),
    ("T.Kernel(4, threads=64, cluster_dims=0)", "cluster_dims of 0"),
])
def test_clusters_that_are_none(one_target, module, line, message):
    made = module(f"""
        @tile.jit
        def k(X):
            X: T.Tensor((4,), "float32")
            with {line} as b:
                X[b] = 0
        """)
    with pytest.raises(tile.CompileError, match=message):
        made.k(np.zeros(4, np.float32))


@pytest.mark.parametrize("statement, message", [
    ("T.remote(t, 2)", "block 2 of a cluster of 2"),
    ("T.remote(X, 0)", "needs a shared tile"),
    ("T.tma_copy(X[0:64], t, multicast=3)", "needs a barrier"),
])
def test_mistakes_in_clusters(one_target, module, statement, message):
    made = module(f"""
        @tile.jit
        def k(X):
            X: T.Tensor((64,), "float32")
            with T.Kernel(2, threads=64, cluster_dims=2) as b:
                t = T.alloc_shared((64,), "float32")
                {statement}
        """)
    with pytest.raises(tile.CompileError, match=message):
        made.k(np.zeros(64, np.float32))


# -- Tables -------------------------------------------------------------------

@tile.jit
def grouped(A_table, B_table, C_table, rows, N=40, K=24):
    groups = T.const("groups")
    A_table: T.Tensor((groups,), T.ptr)
    B_table: T.Tensor((groups,), T.ptr)
    C_table: T.Tensor((groups,), T.ptr)
    rows: T.Tensor((groups,), "int32")
    with T.Kernel(2, groups, threads=128) as (m, g):
        A = T.make_tensor(A_table[g], (rows[g], K), "float16")
        B = T.make_tensor(B_table[g], (K, N), "float16")
        C = T.make_tensor(C_table[g], (rows[g], N), "float32")
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
            T.copy(A[m * 64, k * 32], a)
            T.copy(B[k * 32, 0], b)
            T.gemm(a, b, acc)
        T.copy(acc, C[m * 64, 0])


def test_products_of_a_table(target, rng):
    sizes = (70, 3, 128)
    a = [ints(rng, (m, 24), np.float16) for m in sizes]
    b = [ints(rng, (24, 40), np.float16) for _ in sizes]
    c = [np.zeros((m, 40), np.float32) for m in sizes]
    grouped(*map(tile.pointers, (a, b, c)), np.array(sizes, np.int32))
    for x, y, z in zip(a, b, c, strict=True):
        assert (z == x.astype(np.float32) @ y.astype(np.float32)).all()


def test_strides_of_a_table(one_target, rng, module):
    made = module("""
        @tile.jit
        def k(P):
            P: T.Tensor((1,), T.ptr)
            Y = T.empty((5, 7), "float32")
            with T.Kernel(1, threads=64) as b:
                A = T.make_tensor(P[0], (5, 7), "float32", strides=(1, 5))
                for i, j in T.Parallel(5, 7):
                    Y[i, j] = A[i, j]
            return Y
        """)
    x = ints(rng, (7, 5))
    assert (made.k(tile.pointers([x])) == x.T).all()


def test_what_no_table_names_is_out_of_bounds(one_target, rng):
    a, b, c = ([np.zeros((8, 24), np.float16)], [np.zeros((24, 40), np.float16)],
               [np.zeros((8, 40), np.float32)])
    tables = [tile.pointers(x) for x in (a, b, c)]
    tables[2][0] += 1 << 40
    with pytest.raises(tile.OutOfBoundsError):
        grouped(*tables, np.array([8], np.int32))


def test_an_address_has_64_bits(one_target, module):
    made = module("""
        @tile.jit
        def k(P):
            P: T.Tensor((1,), "int32")
            with T.Kernel(1, threads=64) as b:
                A = T.make_tensor(P[0], (5,), "float32")
                A[0] = 1
        """)
    with pytest.raises(tile.CompileError, match=r"make_tensor of int32.*\n?.*64 bits"):
        made.k(np.zeros(1, np.int32))
