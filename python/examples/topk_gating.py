"""The k largest numbers of a row and their places, as a mixture of experts picks
experts; then the softmax of what was picked."""

import numpy as np

import tile
import tile.language as T


@tile.jit
def topk(X, k=2, rows=8):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), "float32")
    weights = T.empty((M, k), "float32")
    places = T.empty((M, k), "int32")
    with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
        x = T.alloc_fragment((rows, N), "float32")
        where = T.alloc_fragment((rows, N), "int32")
        best = T.alloc_fragment((rows,), "float32")
        first = T.alloc_fragment((rows,), "float32")
        total = T.alloc_fragment((rows,), "float32")
        place = T.alloc_fragment((rows,), "int32")
        T.copy(X[b * rows, 0], x)
        T.clear(total)
        for n in T.unroll(k):
            T.reduce_max(x, best, dim=1)
            if n == 0:
                T.copy(best, first)
            for i, j in T.Parallel(rows, N):
                where[i, j] = T.if_then_else(x[i, j] == best[i], j, N)
            T.reduce_min(where, place, dim=1)
            for i, j in T.Parallel(rows, N):
                x[i, j] = T.if_then_else(j == place[i], -T.infinity("float32"), x[i, j])
            for i in T.Parallel(rows):
                best[i] = T.exp(best[i] - first[i])
                total[i] += best[i]
                weights[b * rows + i, n] = best[i]
                places[b * rows + i, n] = place[i]
        for i in T.Parallel(rows):
            for n in T.serial(k):
                weights[b * rows + i, n] /= total[i]
    return weights, places


def check(rng, sizes=((21, 64, 3), (1, 2, 1))):
    for m, n, k in sizes:
        x = rng.permutation(m * n).reshape(m, n).astype(np.float32) / 16
        weights, places = topk(x, k=k)
        wanted = np.argsort(-x, 1)[:, :k]
        np.testing.assert_array_equal(places, wanted)
        e = np.exp(np.take_along_axis(x, wanted, 1) - x.max(1, keepdims=True))
        np.testing.assert_allclose(weights, e / e.sum(1, keepdims=True), rtol=1e-5)


if __name__ == "__main__":
    check(np.random.default_rng(0))
    print("topk_gating: right")
