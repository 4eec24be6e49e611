"""The softmax of attention, block of keys by block of keys: macros that the kernels
of this folder share. A score that must not count is minus infinity."""

import tile.language as T


@T.macro
def start_softmax(acc, top, total):
    """No key has been seen."""
    T.clear(acc)
    T.clear(total)
    T.fill(top, -1e30)


@T.macro
def softmax_step(S, acc, top, before, total, scale):
    """Scores of one block become weights, and what was summed so far fits them. `scale`
    is that of the scores, times log2(e)."""
    T.copy(top, before)
    T.reduce_max(S, top, dim=1, clear=False)
    for i in T.Parallel(S.shape[0]):
        before[i] = T.exp2((before[i] - top[i]) * scale)
        total[i] *= before[i]
    for i, j in T.Parallel(S.shape[0], S.shape[1]):
        S[i, j] = T.exp2(S[i, j] * scale - top[i] * scale)
    T.reduce_sum(S, total, dim=1, clear=False)
    for i, j in T.Parallel(acc.shape[0], acc.shape[1]):
        acc[i, j] *= before[i]


@T.macro
def finish_softmax(acc, total):
    """Weights add up to 1; a row that has seen no key is 0."""
    for i in T.Parallel(acc.shape[0]):
        total[i] = 1 / T.max(total[i], 1e-30)  # a division a row, not one an element
    for i, j in T.Parallel(acc.shape[0], acc.shape[1]):
        acc[i, j] *= total[i]
