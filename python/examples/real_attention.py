"""Attention at the shapes of large models. Operations are those of the two products,
of what is seen alone."""

from __future__ import annotations

import math
from typing import Any

from real import Case, Maker

SDPA = "scaled_dot_product_attention"
LARGE = {"block_M": 128, "block_N": 128, "threads": 256}  # tiles of attention


def _sdpa(m: Maker) -> Any:
    return m.torch.nn.functional.scaled_dot_product_attention


def _qkv(m: Maker, real: tuple[int, ...] = (4, 16, 4096, 128)) -> tuple[Any, ...]:
    shape = m.pick(real, (1, 2, 128, 64))
    return (*(m.normal(*shape) for _ in range(3)), shape, "{} x {} x {} x {}".format(*shape))


def _attention(m: Maker, causal: bool) -> Case:
    from flash_attention import attention

    q, k, v, (b, h, s, d), text = _qkv(m)
    heads_last = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
    sizes = m.pick(LARGE, {})
    return Case(text + ", causal" * causal,
                lambda: attention(*heads_last, causal=causal, **sizes),
                lambda: _sdpa(m)(q, k, v, is_causal=causal).transpose(1, 2), SDPA,
                flops=4 * b * h * s * s * d / (2 if causal else 1))


def flash_attention(m: Maker) -> Case:
    return _attention(m, False)


def flash_attention_causal(m: Maker) -> Case:
    return _attention(m, True)


def flash_attention_backward(m: Maker) -> Case:
    from flash_attention_backward import backward

    q, k, v, (b, h, s, d), text = _qkv(m)
    g = m.normal(b, h, s, d)
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    out = _sdpa(m)(*leaves)
    o = out.detach()
    scores = (m.torch.logsumexp((q[i].float() @ k[i].float().mT) / math.sqrt(d), 2)
              for i in range(b))
    lse = m.torch.stack(list(scores))

    def call() -> Any:
        dq = m.zeros(b, h, s, d)
        return dq, *backward(q, k, v, o, g, lse, dq, block_N=128, threads=256)

    return Case(text, call,
                lambda: m.torch.autograd.grad(out, leaves, g, retain_graph=True),
                SDPA + ", backward", flops=10 * b * h * s * s * d, tolerance=0.05)


def attention_sink(m: Maker) -> Case:
    from attention_sink import sink_attention

    q, k, v, (b, h, s, d), text = _qkv(m, (1, 32, 4096, 128))
    window = m.pick(1024, 64)
    sinks, sizes = m.normal(h, dtype="float32"), m.pick(LARGE, {})
    distance = m.torch.arange(s, device=m.device)[:, None] - m.torch.arange(s, device=m.device)
    seen = (distance >= 0) & (distance < window)

    def wanted() -> Any:
        result = []
        for i in range(h):
            scores = (q[0, i].float() @ k[0, i].float().T / math.sqrt(d)).masked_fill(
                ~seen, -math.inf)
            wide = m.torch.cat([scores, sinks[i].expand(s, 1)], 1).softmax(1)
            result.append(wide[:, :s] @ v[0, i].float())
        return m.torch.stack(result)[None]

    return Case(f"{text}, window {window}",
                lambda: sink_attention(q, k, v, sinks, window=window, **sizes),
                lambda: _sdpa(m)(q, k, v, attn_mask=seen), SDPA + " with a mask, no sink", wanted,
                flops=4 * b * h * float(seen.sum()) * d)


def block_causal_attention(m: Maker) -> Case:
    from block_causal_attention import block_causal

    q, k, v, (b, h, s, d), text = _qkv(m)
    place = m.torch.arange(s, device=m.device) // 32
    seen, sizes = place <= place[:, None], m.pick(LARGE, {})
    return Case(f"{text}, blocks of 32",
                lambda: block_causal(q, k, v, span=32, **sizes),
                lambda: _sdpa(m)(q, k, v, attn_mask=seen), SDPA + " with a mask",
                flops=4 * b * h * float(seen.sum()) * d)


def block_sparse_attention(m: Maker) -> Case:
    from block_sparse_attention import sparse_attention

    q, k, v, (b, h, s, d), text = _qkv(m, (1, 16, 4096, 128))
    block = m.pick(64, 32)
    mask = m.uniform(b, h, s // block, s // block) < 0.3
    mask |= m.torch.eye(s // block, device=m.device, dtype=m.torch.bool)
    wide = mask.repeat_interleave(block, 2).repeat_interleave(block, 3)
    return Case(f"{text}, 0.3 of the blocks", lambda: sparse_attention(q, k, v, mask, block=block,
                                                                  threads=m.pick(128, 64)),
                lambda: _sdpa(m)(q, k, v, attn_mask=wide), SDPA + " with a mask",
                flops=4 * float(wide.sum()) * d)


def varlen_attention(m: Maker) -> Case:
    from varlen_attention import varlen

    lengths, h, d = m.pick(((4096, 1000, 2048, 300, 3000, 1500), 16, 128), ((70, 1, 33), 2, 64))
    total, sizes = sum(lengths), m.pick(LARGE, {})
    q, k, v = (m.normal(total, h, d) for _ in range(3))
    starts = m.torch.tensor([0, *lengths], device=m.device).cumsum(0).int()

    def rival() -> Any:
        parts = zip(*(x.transpose(0, 1).split(list(lengths), 1) for x in (q, k, v)))
        return m.torch.cat([_sdpa(m)(a[None], b[None], c[None], is_causal=True)[0]
                            for a, b, c in parts], 1).transpose(0, 1)

    return Case(f"{len(lengths)} sequences, {total} x {h} x {d}, causal",
                lambda: varlen(q, k, v, starts, max(lengths), **sizes), rival,
                SDPA + " of each sequence", flops=2 * h * d * sum(n * n for n in lengths))


def vertical_slash_attention(m: Maker) -> Case:
    from vertical_slash_attention import vertical_slash

    h, s, d, slashes, verticals = m.pick((16, 8192, 128, 8, 512), (2, 128, 64, 2, 32))
    q, k, v = (m.normal(h, s, d) for _ in range(3))
    rows, block = s // 64, 32
    first = m.torch.arange(rows, device=m.device)[:, None] * 64 + 32
    near = first - 32 * m.torch.arange(slashes, device=m.device)
    blocks = near.clamp(min=-1).where(near >= 0, -1).int().expand(h, -1, -1).contiguous()
    far = m.uniform(h, rows, s).argsort(2)[:, :, :verticals]
    far = far.where(far < (near[:, -1].clamp(min=0))[None, :, None], -1)
    columns = far.int().contiguous()

    def wanted() -> Any:
        place = m.torch.arange(s, device=m.device)
        result = []
        for i in range(h):
            seen = m.zeros(rows, s + 1, dtype="bool")
            keys = (near[:, :, None] + m.torch.arange(block, device=m.device)).reshape(rows, -1)
            seen.scatter_(1, keys.where(keys >= 0, s).long(), True)
            seen.scatter_(1, far[i].where(far[i] >= 0, s), True)
            wide = seen[:, :s].repeat_interleave(64, 0) & (place <= place[:, None])
            result.append(_sdpa(m)(q[i][None], k[i][None], v[i][None], attn_mask=wide)[0])
        return m.torch.stack(result)

    return Case(f"{h} x {s} x {d}, {slashes} blocks and {verticals} columns",
                lambda: vertical_slash(q, k, v, blocks, columns, block_N=block),
                lambda: _sdpa(m)(q, k, v, is_causal=True), SDPA + " of all", wanted,
                flops=4 * h * s * d * (slashes * block + verticals))


def flash_decoding(m: Maker) -> Case:
    from flash_decoding import decode

    b, keys, h, kv, d = m.pick((16, 8192, 32, 8, 128), (2, 128, 8, 2, 64))
    q = m.normal(b, h, d)
    k, v = (m.normal(b, keys, kv, d) for _ in range(2))
    lengths = m.torch.full((b,), keys, device=m.device, dtype=m.torch.int32)
    heads = [x.transpose(1, 2) for x in (k, v)]
    return Case(f"{b} of {keys} keys, {h} heads of {kv}, {d}",
                lambda: decode(q, k, v, lengths, splits=8, block_N=32),
                lambda: _sdpa(m)(q[:, :, None], *heads, enable_gqa=True)[:, :, 0], SDPA,
                bytes=2 * 2 * b * keys * kv * d)


def mla_decode(m: Maker) -> Case:
    from mla_decode import mla_in_roles as kernel

    b, h, keys, d, pe = m.pick((64, 128, 4096, 512, 64), (2, 64, 128, 64, 32))
    q, q_pe, kv, k_pe = (m.normal(b, n, w) for n in (h, keys) for w in (d, pe))

    def rival() -> Any:
        scores = m.torch.baddbmm(q_pe @ k_pe.mT, q, kv.mT) / math.sqrt(d + pe)
        return scores.softmax(2) @ kv

    return Case(f"{b} x {h} heads, {keys} keys, {d} + {pe}",
                lambda: kernel(q, q_pe, kv, k_pe), rival, "products and softmax",
                flops=2 * b * h * keys * (2 * d + pe))


def _picks(m: Maker, seq: int, keys: int, count: int) -> Any:
    """Places of keys for each query, a quarter of them none."""
    places = m.uniform(seq, keys).argsort(1)[:, :count]
    places[:, count - count // 4:] = -1
    return places.int().contiguous()


def sparse_mla(m: Maker) -> Case:
    from sparse_mla import sparse_mla as kernel

    seq, h, keys, d, count = m.pick((1024, 64, 8192, 512, 1024), (4, 64, 128, 64, 32))
    q, kv, places = m.normal(seq, h, d), m.normal(keys, d), _picks(m, seq, keys, count)

    def rival() -> Any:
        rows = kv[places.clamp(min=0).long()]
        scores = (q @ rows.mT / math.sqrt(d)).masked_fill((places < 0)[:, None], -math.inf)
        return scores.softmax(2) @ rows

    return Case(f"{seq} x {h} x {d}, {count} of {keys} keys",
                lambda: kernel(q, kv, places, threads=m.pick(256, 128)), rival,
                "gather, products and softmax", flops=4 * seq * h * count * d)


def sparse_mla_backward(m: Maker) -> Case:
    from sparse_mla_backward import gradients

    seq, h, keys, d, count = m.pick((512, 64, 4096, 128, 512), (4, 64, 64, 64, 32))
    q, g, kv = m.normal(seq, h, d), m.normal(seq, h, d), m.normal(keys, d)
    places = _picks(m, seq, keys, count)
    leaves = [q.float().requires_grad_(), kv.float().requires_grad_()]
    rows = leaves[1][places.clamp(min=0).long()]
    scores = (leaves[0] @ rows.mT / math.sqrt(d)).masked_fill((places < 0)[:, None], -math.inf)
    out = scores.softmax(2) @ rows
    lse = (m.torch.logsumexp(scores, 2) * math.log2(math.e)).detach()
    delta = (out * g.float()).sum(2).detach()

    def call() -> Any:
        dkv = m.zeros(keys, d)
        return gradients(q, kv, places, g, lse, delta, dkv), dkv

    return Case(f"{seq} x {h} x {d}, {count} of {keys} keys", call,
                lambda: m.torch.autograd.grad(out, leaves, g.float(), retain_graph=True),
                "autograd in float32", flops=10 * seq * h * count * d, tolerance=0.05)


def native_sparse_attention(m: Maker) -> Case:
    from native_sparse_attention import picked_blocks

    b, seq, h, groups, d, count = m.pick((1, 4096, 64, 4, 128, 16), (1, 64, 8, 2, 64, 2))
    block = 32
    q = m.normal(b, seq, h, d)
    k, v = (m.normal(b, seq, groups, d) for _ in range(2))
    own = m.torch.arange(seq, device=m.device)[:, None] // block
    order = m.uniform(b, seq, groups, seq // block).argsort(3)[..., :count - 1]
    order = order.where(order < own[None, :, None], -1)
    blocks = m.torch.cat([own[None, :, None].expand(b, -1, groups, -1), order], 3)
    blocks = blocks.int().contiguous()

    def rival() -> Any:
        wide = m.zeros(b, seq, groups, seq // block + 1, dtype="bool")
        wide.scatter_(3, blocks.where(blocks >= 0, seq // block).long(), True)
        place = m.torch.arange(seq, device=m.device)
        seen = wide[..., :-1].repeat_interleave(block, 3) & (place <= place[:, None])[:, None]
        heads = seen.permute(0, 2, 1, 3).repeat_interleave(h // groups, 1)
        parts = [_sdpa(m)(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2),
                          attn_mask=heads, enable_gqa=True)]
        return parts[0].transpose(1, 2)

    return Case(f"{b} x {seq} x {h} x {d}, {count} blocks of {block}",
                lambda: picked_blocks(q, k, v, blocks), rival, SDPA + " with a mask",
                flops=4 * b * h * d * float(block * (blocks >= 0).sum()) / groups)


def lightning_indexer(m: Maker) -> Case:
    from lightning_indexer import index_scores

    seq, keys, h, d = m.pick((2048, 8192, 32, 128), (16, 128, 16, 64))
    q, k, w = m.normal(seq, h, d), m.normal(keys, d), m.uniform(seq, h)
    first = m.zeros(seq, dtype="int32")
    last = m.torch.arange(1, seq + 1, device=m.device, dtype=m.torch.int32) * (keys // seq)

    def rival() -> Any:
        scores = ((q.view(-1, d) @ k.T).view(seq, h, keys).relu() * w[..., None]).sum(1)
        place = m.torch.arange(keys, device=m.device)
        return scores.masked_fill(place >= last[:, None], -math.inf)

    return Case(f"{seq} x {h} x {d}, {keys} keys",
                lambda: index_scores(q, k, w, first, last, block=m.pick(128, 64)),
                m.compiled(rival), "product, torch.compile", flops=2 * seq * h * d * keys)


def lightning_indexer_backward(m: Maker) -> Case:
    from lightning_indexer_backward import gradients

    seq, h, d, count, keys = m.pick((1024, 32, 128, 512, 4096), (4, 16, 32, 32, 64))
    q, k, w = m.normal(seq, h, d), m.normal(keys, d), m.uniform(seq, h)
    places = _picks(m, seq, keys, count)
    ds = m.normal(seq, count, dtype="float32") * (places >= 0)
    leaves = [q.float().requires_grad_(), k.float().requires_grad_(), w.clone().requires_grad_()]
    rows = leaves[1][places.clamp(min=0).long()]
    out = ((leaves[0] @ rows.mT).relu() * leaves[2][..., None]).sum(1)

    def call() -> Any:
        dk = m.zeros(keys, d)
        dq, dw = gradients(q, k, w, places, ds, dk)
        return dq, dk, dw

    return Case(f"{seq} x {h} x {d}, {count} of {keys} keys", call,
                lambda: m.torch.autograd.grad(out, leaves, ds, retain_graph=True),
                "autograd in float32", flops=6 * seq * h * d * count, tolerance=0.05)


CASES = {f.__name__: f for f in (
    flash_attention, flash_attention_causal, flash_attention_backward, attention_sink,
    block_causal_attention, block_sparse_attention, varlen_attention, vertical_slash_attention,
    flash_decoding, mla_decode, sparse_mla, sparse_mla_backward, native_sparse_attention,
    lightning_indexer, lightning_indexer_backward)}
