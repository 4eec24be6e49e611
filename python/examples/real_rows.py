"""Rows, scans and states at the shapes of large models. Rivals of what torch has no
function for are written in torch and compiled by it, or are missing."""

from __future__ import annotations

from typing import Any

from real import Case, Maker

COMPILED = "torch.compile"


def softmax(m: Maker) -> Case:
    from softmax import softmax as kernel

    rows, columns = m.pick((8192, 8192), (8, 256))
    x = m.normal(rows, columns, dtype="float32")
    return Case(f"{rows} x {columns} float32", lambda: kernel(x, columns=m.pick(1024, 256)),
                lambda: x.softmax(1), "softmax", bytes=8 * rows * columns)


def _norm(m: Maker) -> tuple[int, int, Any, Any, Any]:
    rows, columns = m.pick((16384, 4096), (8, 128))
    return (rows, columns, m.normal(rows, columns),
            *(m.normal(columns, dtype="float32") for _ in range(2)))


def layer_norm(m: Maker) -> Case:
    from layer_norm import layer_norm as kernel

    rows, columns, x, w, b = _norm(m)
    half = w.half(), b.half()
    norm = m.torch.nn.functional.layer_norm
    return Case(f"{rows} x {columns} float16", lambda: kernel(x, w, b, rows=m.pick(1, 4)),
                lambda: norm(x, (columns,), *half), "layer_norm", bytes=4 * rows * columns)


def rms_norm(m: Maker) -> Case:
    from layer_norm import rms_norm as kernel

    rows, columns, x, w, _ = _norm(m)
    half = w.half()
    norm = m.torch.nn.functional.rms_norm
    return Case(f"{rows} x {columns} float16", lambda: kernel(x, w, rows=m.pick(1, 4)),
                m.compiled(lambda: norm(x, (columns,), half, 1e-5)), "rms_norm, " + COMPILED,
                bytes=4 * rows * columns)


def elementwise(m: Maker) -> Case:
    from elementwise import swiglu

    n = m.pick(1 << 27, 1 << 10)
    gate, up = m.normal(n), m.normal(n)
    silu = m.torch.nn.functional.silu
    return Case(f"{n} float16, SwiGLU", lambda: swiglu(gate, up, block=m.pick(2048, 256)),
                m.compiled(lambda: silu(gate) * up), COMPILED, bytes=6 * n)


def cast_fp8(m: Maker) -> Case:
    from cast_fp8 import LARGEST, cast

    rows, columns = m.pick((16384, 7168), (16, 256))
    x = m.normal(rows, columns, dtype="bfloat16")

    def rival() -> Any:
        parts = x.view(rows, -1, 128).float()
        scale = parts.abs().amax(2).clamp(min=1e-4) / LARGEST
        values = (parts / scale[..., None]).clamp(-LARGEST, LARGEST)
        return values.to(m.torch.float8_e4m3fn).view(rows, columns), scale

    # Where torch divides by another rounding, codes may be neighbours.
    return Case(f"{rows} x {columns} bfloat16", lambda: cast(x), m.compiled(rival), COMPILED,
                bytes=3 * rows * columns, tolerance=0.13)


def gemv(m: Maker) -> Case:
    from gemv import gemv as kernel

    rows, k = m.pick((16384, 16384), (64, 256))
    a, x = m.normal(rows, k), m.normal(k)
    return Case(f"{rows} x {k} float16", lambda: kernel(a, x, columns=m.pick(1024, 256)),
                lambda: a @ x, "matmul", lambda: a.float() @ x.float(), bytes=2 * rows * k)


def hadamard(m: Maker) -> Case:
    from hadamard import hadamard as kernel

    rows, n = m.pick((16384, 1024), (8, 64))
    x = m.normal(rows, n, dtype="float32")
    matrix = m.torch.ones(1, 1, device=m.device)
    while len(matrix) < n:
        matrix = m.torch.cat([m.torch.cat([matrix, matrix], 1),
                              m.torch.cat([matrix, -matrix], 1)])
    matrix = matrix / n**0.5
    return Case(f"{rows} x {n} float32", lambda: kernel(x, rows=m.pick(2, 4)), lambda: x @ matrix,
                "matmul", bytes=8 * rows * n)


def hyper_connections(m: Maker) -> Case:
    from hyper_connections import mix

    rows, n, d = m.pick((8192, 4, 4096), (8, 4, 128))
    x, w = m.normal(rows, n, d), m.uniform(rows, n, n)
    return Case(f"{rows} x {n} x {d} float16", lambda: mix(x, w, block=m.pick(512, 128)),
                m.compiled(lambda: (w[..., None] * x[:, None].float()).sum(2).half()), COMPILED,
                bytes=4 * rows * n * d)


def sinkhorn(m: Maker) -> Case:
    from hyper_connections import sinkhorn as kernel

    rows, n = m.pick((1 << 20, 4), (64, 4))
    x = m.normal(rows, n, n, dtype="float32")

    def rival() -> Any:
        y = x.softmax(2)
        y = y / y.sum(1, keepdim=True)
        for _ in range(4):
            y = y / y.sum(2, keepdim=True)
            y = y / y.sum(1, keepdim=True)
        return y

    return Case(f"{rows} of {n} x {n} float32", lambda: kernel(x), m.compiled(rival), COMPILED,
                bytes=8 * rows * n * n)


def topk_gating(m: Maker) -> Case:
    from topk_gating import topk

    rows, n, k = m.pick((65536, 128, 8), (16, 64, 2))
    x = m.uniform(rows, n).argsort(1).float()

    def rival() -> Any:
        values, places = x.topk(k, 1)
        return values.softmax(1), places

    return Case(f"{k} of {n}, {rows} rows", lambda: topk(x, k=k), rival, "topk, softmax",
                bytes=4 * rows * n)


def top_k_selector(m: Maker) -> Case:
    from top_k_selector import select_top_k

    rows, n, k = m.pick((512, 16384, 2048), (4, 256, 16))
    x = m.uniform(rows, n).argsort(1).float()
    return Case(f"{k} of {n}, {rows} rows", lambda: select_top_k(x, k=k).sort(1).values,
                lambda: x.topk(k, 1, sorted=False).indices.sort(1).values,
                "topk; both with a sort of the places", bytes=4 * rows * n)


def _heads(m: Maker) -> tuple[int, int, int, int]:
    return m.pick((4, 4096, 16, 64), (1, 64, 1, 64))


def linear_attention(m: Maker) -> Case:
    from linear_attention import linear_attention as kernel

    b, s, h, d = _heads(m)
    q, k, v = (m.normal(b, s, h, d, scale=0.125) for _ in range(3))
    causal = m.torch.ones(s, s, device=m.device, dtype=m.torch.float16).tril()

    def rival() -> Any:
        q_, k_, v_ = (x.transpose(1, 2) for x in (q, k, v))
        return ((q_ @ k_.mT * causal) @ v_).transpose(1, 2)

    def wanted() -> Any:
        parts = [x.transpose(1, 2).float() for x in (q, k, v)]
        wide = [(a @ b_.mT * causal) @ c for a, b_, c in zip(*parts)]
        return m.torch.stack(wide).transpose(1, 2)

    return Case(f"{b} x {s} x {h} x {d}", lambda: kernel(q, k, v, chunk=m.pick(64, 32)), rival,
                "the quadratic form", wanted, flops=4 * b * s * h * d * (d + 32))


def linear_attention_backward(m: Maker) -> Case:
    from linear_attention_backward import gradients

    b, s, h, d = _heads(m)
    q, k, v, g = (m.normal(b, s, h, d, scale=0.125) for _ in range(4))
    causal = m.torch.ones(s, s, device=m.device).tril()

    def wanted() -> Any:
        result = []
        for i in range(b):
            q_, k_, v_, g_ = (x[i].transpose(0, 1).float() for x in (q, k, v, g))
            weights, scores = q_ @ k_.mT * causal, g_ @ v_.mT * causal
            result.append((scores @ k_, scores.mT @ q_, weights.mT @ g_))
        return tuple(m.torch.stack(x).transpose(1, 2) for x in zip(*result))

    return Case(f"{b} x {s} x {h} x {d}", lambda: gradients(q, k, v, g), wanted,
                "the quadratic form in float32", flops=10 * b * s * h * d * (d + 16),
                tolerance=0.03)


def _sliced(m: Maker, kernel: Any, reference: Any, tensors: list[Any], shape: tuple[int, ...],
            flops: float, tolerance: float) -> Case:
    """A scan that torch has nothing for: the first head is compared with numpy."""
    first = [x[:1, :, :1].cpu().numpy() for x in tensors]

    def call() -> Any:
        return kernel(*tensors)[:1, :, :1]

    return Case("{} x {} x {} x {}".format(*shape), call, None, "",
                lambda: m.of(reference(*first)), flops=flops, tolerance=tolerance)


def gated_delta_net(m: Maker) -> Case:
    from gated_delta_net import delta_net, reference

    b, s, h, d = shape = _heads(m)
    q, v = (m.normal(*shape) for _ in range(2))
    k = m.torch.nn.functional.normalize(m.normal(*shape, dtype="float32"), dim=3).half()
    decay, beta = -m.uniform(b, s, h) / 4, m.uniform(b, s, h)
    return _sliced(m, delta_net, reference, [q, k, v, decay, beta], shape,
                   b * s * h * (6 * d * d + 6 * 32 * d), 0.05)


def kimi_delta_attention(m: Maker) -> Case:
    from kimi_delta_attention import delta_attention, reference

    b, s, h, d = shape = _heads(m)
    q, v = (m.normal(*shape) for _ in range(2))
    k = m.torch.nn.functional.normalize(m.normal(*shape, dtype="float32"), dim=3).half()
    decay, beta = -m.uniform(*shape) / 8, m.uniform(b, s, h)
    return _sliced(m, delta_attention, reference, [q, k, v, decay, beta], shape,
                   b * s * h * (6 * d * d + 6 * 32 * d), 0.05)


def mamba_scan(m: Maker) -> Case:
    from mamba_scan import mamba_scan as kernel
    from mamba_scan import reference

    b, s, h, d, states = m.pick((4, 4096, 32, 64, 128), (1, 64, 2, 64, 32))
    x, bs, cs = m.normal(b, s, h, d), *(m.normal(b, s, states, scale=0.25) for _ in range(2))
    dt, a, skip = m.uniform(b, s, h), -m.uniform(h), m.uniform(h)
    host = [v.cpu().numpy() for v in (x[:1, :, :1], dt[:1, :, :1], a[:1], bs[:1], cs[:1], skip[:1])]
    return Case(f"{b} x {s} x {h} x {d}, state {states}",
                lambda: kernel(x, dt, a, bs, cs, skip)[:1, :, :1], None, "",
                lambda: m.of(reference(*host)), flops=b * s * h * (4 * d * states + 2 * 32 * d),
                tolerance=0.03)


CASES = {f.__name__: f for f in (
    softmax, layer_norm, rms_norm, elementwise, cast_fp8, gemv, hadamard, hyper_connections,
    sinkhorn, topk_gating, top_k_selector, linear_attention, linear_attention_backward,
    gated_delta_net, kimi_delta_attention, mamba_scan)}
