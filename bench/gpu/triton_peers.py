"""Matrix products in Triton, as its own guide has the fast form on Hopper: blocks
that stay and walk over the tiles in groups of rows, copies by tensor descriptors."""

import functools

import torch
import triton
import triton.language as tl

CONFIGS = {"128x256x64": (128, 256, 64, 3, 8), "128x128x64": (128, 128, 64, 4, 4),
           "64x128x64": (64, 128, 64, 4, 4)}  # tile, stages, warps
GROUP_ROWS = 8


@triton.jit
def product_kernel(a_map, b_map, c_map, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                   BK: tl.constexpr, GROUP: tl.constexpr, TRANSPOSED: tl.constexpr,
                   BLOCKS: tl.constexpr):
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), rows * columns, BLOCKS, flatten=True):
        group = tile // (GROUP * columns)
        height = min(rows - group * GROUP, GROUP)
        m = (group * GROUP + (tile % (GROUP * columns)) % height) * BM
        n = ((tile % (GROUP * columns)) // height) * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            a = a_map.load([m, k])
            if TRANSPOSED:
                acc = tl.dot(a, b_map.load([n, k]).T, acc)
            else:
                acc = tl.dot(a, b_map.load([k, n]), acc)
        c_map.store([m, n], acc.to(tl.bfloat16))


@functools.lru_cache(None)
def num_blocks():
    return torch.cuda.get_device_properties(0).multi_processor_count


def run(config, transposed, a, b, c):
    from triton.tools.tensor_descriptor import TensorDescriptor
    bm, bn, bk, stages, warps = config
    m, k = a.shape
    n = c.shape[1]
    maps = [TensorDescriptor.from_tensor(t, box) for t, box in
            ((a, [bm, bk]), (b, [bn, bk] if transposed else [bk, bn]), (c, [bm, bn]))]
    tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)
    product_kernel[(min(num_blocks(), tiles),)](
        *maps, m, n, k, bm, bn, bk, GROUP_ROWS, transposed, num_blocks(),
        num_stages=stages, num_warps=warps)
    return c


def products(transposed):
    """{name: function of (a, b, c) that returns c}"""
    return {name: functools.partial(run, config, transposed)
            for name, config in CONFIGS.items()}
