"""Matrix products at the shapes of large models."""

from __future__ import annotations

from typing import Any

from real import Case, Maker


def _pair(m: Maker, transposed: bool = False, large: int = 4096) -> tuple[Any, Any, int]:
    n = m.pick(large, 128)
    a, b = m.normal(n, n), m.normal(n, n)
    return a, b.T.contiguous() if transposed else b, n


def _square(n: int) -> str:
    return f"{n} x {n} x {n}"


def matmul(m: Maker) -> Case:
    from matmul import matmul as kernel

    a, b, n = _pair(m)
    return Case(_square(n), lambda: kernel(a, b, block_N=m.pick(256, 128)), lambda: a @ b,
                "matmul", flops=2 * n**3)


def gemm_dynamic(m: Maker) -> Case:
    from gemm_dynamic import any_product

    a, b, n = _pair(m)
    return Case(_square(n), lambda: any_product(a, b, block_M=128, block_N=m.pick(256, 64),
                                               block_K=64, stages=m.pick(4, 3), threads=256),
                lambda: a @ b, "matmul", flops=2 * n**3)


def gemm_batched(m: Maker) -> Case:
    from gemm_batched import batched

    count, n = m.pick((16, 2048), (2, 64))
    a, b = m.normal(count, n, n, dtype="bfloat16"), m.normal(count, n, n, dtype="bfloat16")
    return Case(f"{count} of {_square(n)}",
                lambda: batched(a, b, block_M=128, block_N=m.pick(256, 64), block_K=64,
                                stages=m.pick(4, 3), threads=256), lambda: a @ b,
                "bmm", flops=2 * count * n**3, tolerance=0.03)


def gemm_epilogue(m: Maker) -> Case:
    from gemm_epilogue import linear_gelu

    x, w, n = _pair(m)
    bias = m.normal(n, dtype="float32")
    half = bias.half()
    gelu, linear = m.torch.nn.functional.gelu, m.torch.nn.functional.linear
    x = x / 16
    return Case(_square(n), lambda: linear_gelu(x, w, bias, block_M=128, block_K=64,
                                                block_N=m.pick(256, 128),
                                                stages=m.pick(4, 3), threads=256),
                lambda: gelu(linear(x, w, half)), "linear, gelu", flops=2 * n**3)


def gemm_fp8(m: Maker) -> Case:
    from gemm_fp8 import BLOCK, scaled_fp8

    n = m.pick(4096, 256)
    kind, parts = m.torch.float8_e4m3fn, n // BLOCK
    a, b = (m.normal(n, n).to(kind) for _ in range(2))
    rows, blocks = m.uniform(parts, n) + 0.5, m.uniform(parts, parts) + 0.5

    def wanted() -> Any:
        left = a.float() * rows.T.repeat_interleave(BLOCK, 1)
        right = blocks.repeat_interleave(BLOCK, 0).repeat_interleave(BLOCK, 1)
        return left @ (b.float() * right).T

    def rival() -> Any:
        return m.torch._scaled_mm(a, b.T, rows.T, blocks.T, out_dtype=m.torch.bfloat16)

    return Case(_square(n), lambda: scaled_fp8(a, b, rows, blocks, block_M=192, block_N=128,
                                               stages=m.pick(4, 2), threads=384), rival,
                "_scaled_mm with the same scales", wanted, flops=2 * n**3)


def gemm_grouped(m: Maker) -> Case:
    from gemm_grouped import blocks_of, grouped

    counts, k, n = m.pick(((1000, 3000, 500, 2048, 1500, 100, 4000, 2000), 4096, 4096),
                          ((70, 0, 58), 64, 128))
    a, b = m.normal(sum(counts), k), m.normal(len(counts), k, n)
    block = m.pick(128, 64)
    plan = [m.of(x) for x in blocks_of(counts, block)]
    return Case(f"{len(counts)} groups of {sum(counts)} x {n} x {k}",
                lambda: grouped(a, b, *plan, block=block, block_N=m.pick(256, 64), block_K=64,
                                stages=m.pick(4, 2), threads=m.pick(256, 128)),
                lambda: m.torch.cat([x @ w for x, w in zip(a.split(list(counts)), b)]),
                "matmul of each group, cat", flops=2 * sum(counts) * k * n)


def gemm_int4(m: Maker) -> Case:
    from gemm_int4 import int4_product

    n = m.pick(4096, 128)
    a, b = (m.ints(-8, 8, n, n) for _ in range(2))

    def packed(x: Any) -> Any:
        return ((x[:, 0::2] & 15) | (x[:, 1::2] & 15) << 4).to(m.torch.uint8)

    pair, wide = (packed(a), packed(b)), (a.to(m.torch.int8), b.to(m.torch.int8).T)
    return Case(_square(n), lambda: int4_product(*pair, block_M=128, block_N=128, block_K=128,
                                                   threads=256),
                lambda: m.torch._int_mm(*wide), "_int_mm of int8", flops=2 * n**3)


def _four_bits(m: Maker) -> tuple[int, Any, Any]:
    n = m.pick(4096, 128)
    codes = m.ints(0, 16, n, n)
    return n, codes, (codes[:, 0::2] | codes[:, 1::2] << 4).to(m.torch.uint8)


def gemm_dequantize(m: Maker) -> Case:
    from gemm_dequantize import dequantized

    n, codes, packed = _four_bits(m)
    rows = m.pick(4096, 64)
    a = m.normal(rows, n)
    scale, zero = (m.uniform(n // 64, n) / 8).half(), m.ints(6, 10, n // 64, n, dtype="float16")
    wide = (codes - zero.T.repeat_interleave(64, 1)) * scale.T.repeat_interleave(64, 1)
    return Case(f"{rows} x {n} x {n}",
                lambda: dequantized(a, packed, scale, zero, block_M=m.pick(256, 64), block_N=128,
                                    stages=2, threads=256),
                lambda: a @ wide.T, "matmul of float16", flops=2 * rows * n * n)


def gemm_mxfp4(m: Maker) -> Case:
    from gemm_mxfp4 import GROUP, mxfp4_product

    n, codes, packed = _four_bits(m)
    a = m.normal(n, n, dtype="bfloat16")
    scale = m.ints(120, 130, n // GROUP, n, dtype="uint8")
    numbers = m.torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], device=m.device)
    wide = numbers[(codes & 7).long()] * (1 - (codes >> 2 & 2))
    wide = wide * (2.0 ** (scale.T.repeat_interleave(GROUP, 1).float() - 127))
    half = wide.bfloat16()
    return Case(_square(n), lambda: mxfp4_product(a, packed, scale,
                                                    block_M=m.pick(256, 64), block_N=128,
                                                    stages=2, threads=256),
                lambda: a @ half.T, "matmul of bfloat16", flops=2 * n**3, tolerance=0.03)


def gemm_persistent(m: Maker) -> Case:
    from gemm_persistent import persistent

    a, b, n = _pair(m, True)
    return Case(_square(n),
                lambda: persistent(a, b, block_M=128, block_N=m.pick(256, 64), block_K=64,
                                   stages=m.pick(4, 2), blocks=132, threads=256),
                lambda: a @ b.T, "matmul", flops=2 * n**3)


def gemm_sparse(m: Maker) -> Case:
    from gemm_sparse import compressed, sparse_product

    n = m.pick(4096, 128)
    dense = m.normal(n, n)
    dense.view(n, n // 4, 4)[:, :, 1:3] = 0
    a, e = (m.of(x) for x in compressed(dense.cpu().numpy()))
    b = m.normal(n, n)
    return Case(_square(n), lambda: sparse_product(a, e, b, block_N=m.pick(256, 64),
                                                         stages=m.pick(4, 2), threads=256),
                lambda: dense @ b, "matmul of the dense matrix", flops=2 * n**3)


def gemm_split_k(m: Maker) -> Case:
    from gemm_split_k import split_k

    rows, k = m.pick((512, 16384), (64, 256))
    a, b = m.normal(rows, k), m.normal(k, rows)

    def call() -> Any:
        c = m.zeros(rows, rows)
        split_k(a, b, c, parts=8, block=128, block_K=64, stages=m.pick(5, 2), threads=128)
        return c

    return Case(f"{rows} x {rows} x {k}", call, lambda: a @ b, "matmul", flops=2 * rows**2 * k)


def gemm_stream_k(m: Maker) -> Case:
    from gemm_stream_k import stream_k

    rows, columns, k = m.pick((1536, 1536, 8192), (128, 128, 256))
    a, b = m.normal(rows, k), m.normal(k, columns)

    def call() -> Any:
        c = m.zeros(rows, columns)
        stream_k(a, b, c, blocks=m.pick(132, 5), block_M=128, block_N=m.pick(256, 64),
                 block_K=64, stages=m.pick(4, 2), threads=256)
        return c

    return Case(f"{rows} x {columns} x {k}", call, lambda: a @ b, "matmul",
                flops=2 * rows * columns * k)


def gemm_warp_specialize(m: Maker) -> Case:
    from gemm_warp_specialize import own_roles

    a, b, n = _pair(m)
    return Case(_square(n),
                lambda: own_roles(a, b, block_N=m.pick(256, 64), block_K=64, slots=m.pick(4, 3)),
                lambda: a @ b, "matmul", flops=2 * n**3)


def gemm_block_sparse(m: Maker) -> Case:
    from gemm_block_sparse import block_sparse

    a, b, n = _pair(m)
    block, step = m.pick((128, 64), (64, 32))
    mask = m.uniform(n // block, n // block, n // step) < 0.5

    def wanted() -> Any:
        c = m.zeros(n, n)
        for k in range(n // step):
            rows = slice(k * step, (k + 1) * step)
            wide = mask[:, :, k].repeat_interleave(block, 0).repeat_interleave(block, 1)
            c += (a[:, rows].float() @ b[rows].float()) * wide
        return c

    return Case(f"{_square(n)}, half of the tiles",
                lambda: block_sparse(a, b, mask, block=block, block_K=step, threads=256),
                lambda: a @ b, "matmul of all tiles", wanted,
                flops=2 * n**3 * float(mask.float().mean()))


def convolution(m: Maker) -> Case:
    from convolution import convolution as kernel

    count, size, c, f = m.pick((32, 56, 256, 256), (1, 8, 32, 32))
    x, w = m.normal(count, size, size, c), m.normal(3, 3, c, f, scale=0.1)
    flat = w.view(-1, f)
    ours = kernel.compile(N=count, H=size, V=size, C=c, R=3, S=3, F=f, block_M=m.pick(128, 64),
                          block_N=m.pick(256, 32), block_K=m.pick(64, 32),
                          stages=m.pick(4, 2), threads=m.pick(256, 128))
    channels_last = m.torch.channels_last
    image = x.permute(0, 3, 1, 2)
    filters = w.permute(3, 2, 0, 1).contiguous(memory_format=channels_last)
    convolve = m.torch.nn.functional.conv2d
    return Case(f"{count} x {size} x {size} x {c}, 3 x 3 to {f}", lambda: ours(x, flat),
                lambda: convolve(image, filters, padding=1).permute(0, 2, 3, 1), "conv2d",
                flops=2 * count * size**2 * 9 * c * f)


def fused_moe(m: Maker) -> Case:
    from fused_moe import experts, plan

    tokens, count, k, n, picks = m.pick((4096, 16, 2048, 2048, 2), (40, 4, 64, 64, 2))
    block = m.pick(128, 32)
    x, w = m.normal(tokens, k), m.normal(count, n, k, scale=0.1)
    places = m.uniform(tokens, count).argsort(1)[:, :picks]
    weights = m.uniform(tokens, picks)
    arrays = [m.of(v) for v in plan(places.cpu().numpy(), weights.cpu().numpy(), count, block)]

    def call() -> Any:
        y = m.zeros(tokens, n)
        experts(x, w, *arrays, y, block=block, block_K=m.pick(64, 32),
                threads=m.pick(256, 128))
        return y

    def rival() -> Any:
        y = m.zeros(tokens, n)
        for expert in range(count):
            token, pick = (places == expert).nonzero(as_tuple=True)
            y.index_add_(0, token, (x[token] @ w[expert].T) * weights[token, pick, None])
        return y

    return Case(f"{tokens} tokens, {picks} of {count} experts, {n} x {k}", call, rival,
                "an expert after the other", flops=2 * tokens * picks * k * n)


CASES = {f.__name__: f for f in (
    matmul, gemm_dynamic, gemm_batched, gemm_epilogue, gemm_fp8, gemm_grouped, gemm_int4,
    gemm_dequantize, gemm_mxfp4, gemm_persistent, gemm_sparse, gemm_split_k, gemm_stream_k,
    gemm_warp_specialize, gemm_block_sparse, convolution, fused_moe)}
