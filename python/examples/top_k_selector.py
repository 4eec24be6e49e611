"""Places of the k greatest numbers of each row, in no order: the k-th greatest is found
byte by byte, by counting, as sparse attention picks the keys that a query sees."""

import numpy as np

import tile
import tile.language as T


@T.macro
def key_of(x):
    """An integer: keys stand in the order of their floats."""
    bits = T.reinterpret(x, "uint32")
    return T.if_then_else(bits >> 31 == 0, bits | 0x80000000, ~bits)


@tile.jit
def select_top_k(X, k=8):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), "float32")
    places = T.empty((M, k), "int32")
    with T.Kernel(M, threads=128) as row:
        keys = T.alloc_shared((N,), "uint32")
        count, from_here = (T.alloc_shared((256,), "int32") for _ in range(2))
        enough = T.alloc_fragment((256,), "int32")
        byte = T.alloc_fragment((1,), "int32")
        taken = T.alloc_shared((2,), "int32")
        least = T.alloc_var("uint32", init=0)  # of the keys that are chosen
        missing = T.alloc_var("int32", init=k)
        for i in T.Parallel(N):
            keys[i] = key_of(X[row, i])
        for shift in (24, 16, 8, 0):
            T.clear(count)
            for i in T.Parallel(N):
                if keys[i] >> shift >> 8 == least >> shift >> 8:
                    T.atomic_add(count[T.int32(keys[i] >> shift & 255)], 1)
            T.cumsum(count, from_here, dim=0, reverse=True)
            for i in T.Parallel(256):
                enough[i] = T.if_then_else(from_here[i] >= missing, i, 0)
            T.reduce_max(enough, byte, dim=0)
            missing -= from_here[byte[0]] - count[byte[0]]
            least |= T.uint32(byte[0]) << shift
        T.clear(taken)
        for i in T.Parallel(N):
            if keys[i] > least:
                places[row, T.atomic_add(taken[0], 1, return_prev=True)] = i
            elif keys[i] == least:
                place = T.atomic_add(taken[1], 1, return_prev=True)
                if place < missing:
                    places[row, k - missing + place] = i
    return places


def check(rng, sizes=((5, 300, 20), (2, 70, 1), (1, 33, 33))):
    for m, n, k in sizes:
        x = rng.standard_normal((m, n)).astype(np.float32)
        x[:, ::3] = x[:, 1:2]  # many are the same
        places = select_top_k(x, k=k)
        assert all(len(set(row)) == k for row in places.tolist())
        np.testing.assert_array_equal(np.sort(np.take_along_axis(x, places, 1), 1),
                                      np.sort(x, 1)[:, n - k:])


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("top_k_selector: right")
