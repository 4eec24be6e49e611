"""What gate.py times: kernels of kernels.py, their inputs, and the peers that do the
same. Importing needs no GPU; `Workload.case` does.

Peers: cuBLAS and cuBLASLt (torch.matmul, addmm, _scaled_mm), cuDNN (attention and
convolution), cuSPARSELt, Triton, and torch.compile. All get their outputs allocated
as PyTorch does it, from its pool."""

import collections
import functools
import math

import kernels

# `kernels` {name: text}; `case()` makes a Case; work in FLOP, or bytes moved.
Workload = collections.namedtuple("Workload", "name section work unit kernels case")
# `ours` lists of arguments, one per set of inputs; `output` and `reference` of the
# first set; `peers` {name: one function per set}, all of which give the same.
Case = collections.namedtuple("Case", "ours output reference peers tolerance")

ROTATED_BYTES = 150e6  # sets of inputs take more than the second-level cache
MAX_SETS = 24

# tile, stages, threads, options
PRODUCTS = [((128, 256, 64), 4, 256, {}), ((128, 256, 64), 3, 256, {}),
            ((256, 128, 64), 4, 256, {}), ((128, 192, 64), 4, 256, {}),
            ((128, 160, 64), 5, 128, {}), ((128, 128, 64), 6, 128, {}),
            ((128, 128, 64), 3, 128, {"min_blocks": "2 : i64"})]
EARLY = [((128, 256, 64), 4, 256, {"persist": "false", "early": True})]
SMALL = [((64, 128, 64), 6, 128, {}), ((128, 128, 64), 4, 128, {}),
         ((64, 128, 64), 8, 128, {"persist": "false"}),
         ((64, 128, 64), 8, 128, {"persist": "false", "early": True})]
SKINNY = [((16, 128, 128), 5, 128, {"persist": "false", "stream": True}),
          ((64, 128, 128), 4, 128, {"persist": "false"}),
          ((64, 64, 128), 6, 128, {"persist": "false", "stream": True}),
          ((64, 128, 64), 8, 128, {"persist": "false"}),
          ((64, 128, 64), 8, 128, {"persist": "false", "columns_first": False}),
          ((128, 64, 64), 8, 256, {"persist": "false", "stream": True}),
          ((128, 64, 128), 4, 256, {"persist": "false", "stream": True})]
SHORT = [((16, 64, 256), 5, 128, {"persist": "false"}),
         ((16, 128, 128), 5, 256, {"persist": "false"})]
BYTES = [((128, 256, 128), 3, 256, {}), ((128, 256, 128), 4, 256, {}),
         ((128, 192, 128), 4, 256, {}), ((128, 128, 128), 6, 128, {})]
TF32 = [((128, 256, 32), 4, 256, {}), ((128, 256, 32), 3, 256, {}),
        ((128, 256, 32), 3, 256, {"panel": 16})]
SPARSE = [((128, 256, 64), 4, 256, {}), ((128, 256, 64), 5, 256, {}),
          ((256, 128, 64), 4, 256, {}), ((128, 192, 64), 5, 128, {}),
          ((128, 128, 128), 4, 128, {})]
SPARSE_BYTES = [((128, 256, 128), 4, 256, {}), ((128, 192, 128), 5, 128, {}),
                ((128, 128, 128), 6, 128, {})]


def num_sets(num_bytes):
    return max(2, min(MAX_SETS, math.ceil(ROTATED_BYTES / num_bytes)))


def named(prefix, configs, make):
    """{name: text} of `make(name, tile, stages, threads, **options)`."""
    result = {}
    for tile, stages, threads, options in configs:
        name = "%s_%s_s%d_t%d%s" % (prefix, "x".join(map(str, tile)), stages, threads,
                                    "".join("_" + k[:3] for k in options))
        result[name] = make(name, tile, stages, threads, **options)
    return result


#===-- Products ----------------------------------------------------------===#

def gelu(x):
    import torch
    return torch.nn.functional.gelu(x, approximate="tanh")


def product_peers(torch, kind, a, b, c, bias, scale):
    if kind == "scale":
        one = torch.ones((), device="cuda")
        factor = torch.tensor(scale, device="cuda")
        return {"cublas": [functools.partial(
            torch._scaled_mm, x, y.transpose(-1, -2), scale_a=factor, scale_b=one,
            out_dtype=torch.bfloat16, use_fast_accum=True) for x, y in zip(a, b)]}
    if kind == "gelu":
        return {"cublas": [functools.partial(torch._addmm_activation, bias, x,
                                             y.transpose(-1, -2), use_gelu=True)
                           for x, y in zip(a, b)]}
    if kind == "bias":
        return {"cublas": [functools.partial(torch.addmm, bias, x, y.transpose(-1, -2))
                           for x, y in zip(a, b)]}
    if a[0].dtype == torch.int8:
        return {"cublas": [functools.partial(torch._int_mm, x, y.transpose(-1, -2))
                           for x, y in zip(a, b)]}
    return {"cublas": [functools.partial(torch.matmul, x, y, out=z)
                       for x, y, z in zip(a, b, c)]}


def product_case(shape, dtype, out, transposed, batch, kind):
    import torch
    m, n, k = shape
    first = (batch,) if batch else ()
    types = {"bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8,
             "i32": torch.int32, "f8E4M3FN": torch.float8_e4m3fn}
    dtype, out = types[dtype], types[out]
    sets = num_sets((batch or 1) * ((m * k + n * k) * dtype.itemsize
                                    + m * n * out.itemsize))

    def random(*extents):
        if dtype == torch.int8:
            return torch.randint(-8, 8, extents, device="cuda").to(dtype)
        return torch.randn(*extents, device="cuda").to(dtype)

    a = [random(*first, m, k) for _ in range(sets)]
    b = [random(*first, *((n, k) if transposed else (k, n))) for _ in range(sets)]
    c = [torch.empty(*first, m, n, device="cuda", dtype=out) for _ in range(sets)]
    library = [torch.empty_like(x) for x in c]
    bias, scale = torch.randn(n, device="cuda").to(torch.bfloat16), 0.37
    wide = torch.float64 if dtype == torch.int8 else torch.float32
    reference = a[0].to(wide) @ (b[0].transpose(-1, -2) if transposed else b[0]).to(wide)
    if kind == "scale":
        reference *= scale
    elif kind:
        reference += bias.float()
        reference = gelu(reference) if kind == "gelu" else reference
    extra = {None: [], "scale": [scale]}.get(kind, [bias])
    seen = [x.transpose(-1, -2) if transposed and not kind and dtype != torch.int8 else x
            for x in b]
    peers = product_peers(torch, kind, a, seen, library, bias, scale)
    if dtype == torch.bfloat16 and not batch and not kind:
        import triton_peers
        for name, run in triton_peers.products(transposed).items():
            peers["triton " + name] = [functools.partial(run, *x)
                                       for x in zip(a, b, library)]
    return Case([[*x, *extra] for x in zip(a, b, c)], c[0], reference, peers,
                0.06 if dtype.itemsize == 1 and dtype != torch.int8 else 0.02)


def product(section, shape, configs, dtype="bf16", out="bf16", transposed=True,
            batch=None, kind=None):
    m, n, k = shape
    prefix = "_".join(filter(None, ["gemm", dtype.lower(), "nt" if transposed else "nn",
                                    "batched" if batch else "", kind]))
    make = functools.partial(kernels.gemm, dtype=dtype, out=out, transposed=transposed,
                             batched=batch is not None, kind=kind)
    name = "%s%dx%dx%d %s" % ("%d x " % batch if batch else "", m, n, k,
                              "NT" if transposed else "NN")
    return Workload(name, section, 2.0 * m * n * k * (batch or 1), "TFLOP/s",
                    named(prefix, configs, make),
                    lambda: product_case(shape, dtype, out, transposed, batch, kind))


def short_product(shape):
    base = product("skinny", shape, SKINNY)
    return base._replace(kernels=base.kernels | named("gemm_short", SHORT,
                                                      kernels.short_gemm))


def compressed(torch, dense):
    """The stored half of a 2:4 sparse matrix, and the packed metadata of tile.gemm_sp:
    two places of two bits for each four elements, 16 elements in half a word."""
    m, k = dense.shape
    bits = torch.int8 if dense.itemsize == 1 else torch.int16
    groups = dense.view(bits).view(m, k // 4, 4)
    order = (groups << 1 == 0).int().argsort(dim=2, stable=True)[:, :, :2]  # no -0.0
    order = order.sort(dim=2).values
    stored = groups.gather(2, order).reshape(m, k // 2).view(dense.dtype)
    nibbles = (order[:, :, 0] + 4 * order[:, :, 1]).view(m, k // 16, 4)
    shifts = torch.tensor([0, 4, 8, 12], device=dense.device)
    words = (nibbles << shifts).sum(2).to(torch.int16)
    if dense.itemsize == 1:
        halves = words.view(m // 64, 4, 2, 8, k // 64, 2, 2).permute(0, 4, 1, 3, 5, 2, 6)
    else:
        halves = words.view(m // 64, 4, 2, 8, k // 64, 4).permute(0, 4, 1, 3, 5, 2)
    packed = halves.contiguous().view(torch.int32).view(m // 64, k // 64, 128)
    return stored.contiguous(), packed


def random_sparse(torch, m, k, dtype):
    bits = torch.uint8 if dtype.itemsize == 1 else torch.int16
    kept = torch.rand(m, k // 4, 4, device="cuda").argsort(2)[:, :, :2]
    mask = torch.zeros(m, k // 4, 4, device="cuda", dtype=bits).scatter_(2, kept, 1)
    dense = torch.randn(m, k, device="cuda").to(dtype)
    return (dense.view(bits) * mask.view(m, k)).view(dtype)


def sparse_case(shape, dtype):
    import torch
    m, n, k = shape
    dtype = {"bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn}[dtype]
    sets = num_sets((m * k // 2 + n * k) * dtype.itemsize + m * n * 2)
    ours, peers = [], []
    out = {"out_dtype": torch.bfloat16} if dtype.itemsize == 1 else {}
    for _ in range(sets):
        dense = random_sparse(torch, m, k, dtype)
        b = torch.randn(n, k, device="cuda").to(dtype)
        c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        if not ours:
            reference = dense.float() @ b.float().t()
        ours.append([*compressed(torch, dense), b, c])
        peers.append((torch._cslt_compress(dense), b.t()))
    best = torch._cslt_sparse_mm_search(*peers[0], **out)
    return Case(ours, ours[0][3], reference, {"cusparselt": [
        functools.partial(torch._cslt_sparse_mm, x, y, alg_id=best, **out)
        for x, y in peers]}, 0.02 if dtype.itemsize == 2 else 0.06)


def sparse(shape, configs, dtype="bf16"):
    m, n, k = shape
    make = functools.partial(kernels.gemm_sp, dtype=dtype)
    return Workload("%dx%dx%d 2:4%s" % (*shape, "" if dtype == "bf16" else " fp8"),
                    "sparse", 2.0 * m * n * k, "TFLOP/s",
                    named("gemm_sp" if dtype == "bf16" else "gemm_sp8", configs, make),
                    lambda: sparse_case(shape, dtype))


#===-- Attention ---------------------------------------------------------===#

ATTENTION = {64: [((128, 128), 2, 256, {}), ((128, 128), 3, 256, {}),
                  ((192, 128), 2, 384, {}),
                  ((64, 128), 2, 128, {"min_blocks": "3 : i64"}),
                  ((64, 96), 2, 128, {"min_blocks": "3 : i64"})],
             128: [((128, 128), 2, 256, {}), ((128, 160), 2, 256, {}),
                   ((192, 96), 2, 384, {}), ((192, 128), 2, 384, {})],
             256: [((128, 64), 2, 256, {}), ((128, 80), 2, 256, {}),
                   ((128, 32), 2, 256, {})]}
HEADS = 32


def attention_case(size, positions, causal):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    shape = (positions, HEADS, size)
    sets = num_sets(4 * math.prod(shape) * 2)
    inputs = [[torch.randn(shape, device="cuda").to(torch.bfloat16) for _ in range(3)]
              for _ in range(sets)]
    outputs = [torch.empty_like(x[0]) for x in inputs]

    def library(backend, x):
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(
                *(t.transpose(0, 1)[None] for t in x), is_causal=causal)

    by_head = library(SDPBackend.FLASH_ATTENTION, inputs[0])
    reference = by_head[0].transpose(0, 1).float()
    peers = {"cudnn": [functools.partial(library, SDPBackend.CUDNN_ATTENTION, x)
                       for x in inputs]}
    return Case([[*x, o, size**-0.5] for x, o in zip(inputs, outputs)], outputs[0],
                reference, peers, 0.02)


def attention(size, positions, causal):
    prefix = "attention_%d%s" % (size, "_causal" if causal else "")

    def make(name, tile, stages, threads, **options):
        return kernels.attention(name, size, tile, stages, threads, causal, **options)

    return Workload("head %d, %d positions%s" % (size, positions,
                                                 ", causal" if causal else ""),
                    "attention",
                    4.0 * positions**2 * HEADS * size / (2 if causal else 1), "TFLOP/s",
                    named(prefix, ATTENTION[size], make),
                    lambda: attention_case(size, positions, causal))


#===-- Convolutions ------------------------------------------------------===#

CONVOLUTIONS = {64: [((256, 64, 64), 4, 256, {}), ((128, 64, 64), 4, 128, {})],
                128: [((256, 128, 64), 3, 256, {}), ((128, 128, 64), 4, 256, {})],
                256: [((128, 256, 64), 3, 256, {}), ((128, 256, 64), 4, 256, {}),
                      ((128, 128, 64), 3, 128, {"min_blocks": "2 : i64"})]}


def convolution_case(images, size, channels):
    import torch
    points = images * size * size
    sets = num_sets(points * channels * 4)
    x = [torch.randn(images, size, size, channels, device="cuda").to(torch.bfloat16)
         for _ in range(sets)]
    w = torch.randn(3, 3, channels, channels, device="cuda").to(torch.bfloat16)
    y = [torch.empty(points, channels, device="cuda", dtype=torch.bfloat16) for _ in x]
    # NHWC and KRSC in PyTorch's order of dimensions.
    seen = [t.permute(0, 3, 1, 2) for t in x]
    filters = w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
    run = functools.partial(torch.nn.functional.conv2d, weight=filters, padding=1)
    reference = run(seen[0]).permute(0, 2, 3, 1).reshape(points, channels).float()
    return Case([[a, w, b] for a, b in zip(x, y)], y[0], reference,
                {"cudnn": [functools.partial(run, t) for t in seen]}, 0.02)


def convolution(images, size, channels):
    make = functools.partial(kernels.convolution, channels=channels)
    return Workload("%d x %dx%d, %d channels" % (images, size, size, channels),
                    "convolution", 2.0 * images * size**2 * 9 * channels**2, "TFLOP/s",
                    named("convolution_%d" % channels, CONVOLUTIONS[channels], make),
                    lambda: convolution_case(images, size, channels))


#===-- Rows --------------------------------------------------------------===#

def row_case(rows, columns, is_norm):
    import torch
    dtype = torch.bfloat16
    inputs = [torch.randn(rows, columns, device="cuda").to(dtype)
              for _ in range(num_sets(rows * columns * 4))]
    outputs = [torch.empty_like(x) for x in inputs]
    scale, shift = (torch.randn(columns, device="cuda").to(dtype) for _ in range(2))
    extra = [scale, shift] if is_norm else []

    def eager(x, *factors):
        if factors:
            return torch.nn.functional.layer_norm(x, (columns,), *factors, 1e-5)
        return torch.softmax(x, -1)

    compiled = torch.compile(eager, dynamic=False)
    peers = {"compile": [functools.partial(compiled, x, *extra) for x in inputs]}
    return Case([[x, *extra, y] for x, y in zip(inputs, outputs)], outputs[0],
                eager(inputs[0].float(), *(e.float() for e in extra)), peers, 0.02)


def rows(kind, num_rows, columns, configs):
    """`configs`: rows of a block, threads, blocks of a multiprocessor or 0, and maybe
    "early"."""
    is_norm = kind == "layer norm"
    texts = {}
    make = kernels.layer_norm if is_norm else kernels.softmax
    for count, threads, blocks, *early in configs:
        name = "_".join([kind.replace(" ", "_"), "%dx%d" % (count, columns),
                         "t%d" % threads, "b%d" % blocks, *early])
        options = {"min_blocks": "%d : i64" % blocks} if blocks else {}
        options |= {word: True for word in early}
        texts[name] = make(name, count, columns, threads, **options)
    return Workload("%s %dx%d" % (kind, num_rows, columns), "rows",
                    4.0 * num_rows * columns, "GB/s", texts,
                    lambda: row_case(num_rows, columns, is_norm))


#===-- All ---------------------------------------------------------------===#

def all_workloads():
    result = []
    for shape in ((4096, 4096, 4096), (8192, 8192, 8192), (2048, 2048, 2048),
                  (4096, 7168, 2048), (4096, 7168, 16384), (4096, 4096, 7168),
                  (8192, 8192, 512), (4096, 24576, 1536)):
        early = EARLY if max(shape) == 2048 else []
        result.append(product("gemm", shape, PRODUCTS + early))
    result.append(product("gemm", (1024, 1024, 1024), SMALL))
    for size in (4096, 8192):
        result.append(product("gemm", (size,) * 3, PRODUCTS[:2], transposed=False))
    result += [product("batched", (1024,) * 3, PRODUCTS[:2] + [PRODUCTS[5]], batch=8),
               product("batched", (4096,) * 3, PRODUCTS[:2], batch=4)]
    result += [short_product((16, 8192, 8192))]
    result += [product("skinny", (m, 8192, 8192), SKINNY) for m in (64, 128)]
    for shape in ((4096, 4096, 4096), (8192, 8192, 8192), (4096, 24576, 1536)):
        result.append(product("fp8", shape, BYTES, dtype="f8E4M3FN", kind="scale"))
    for size in (2048, 4096, 8192):
        result.append(product("tf32", (size,) * 3, TF32, dtype="f32", out="f32"))
    for shape in ((4096, 4096, 4096), (8192, 8192, 512), (4096, 24576, 1536)):
        for kind in ("bias", "gelu"):
            result.append(product(kind, shape, PRODUCTS[:2] + PRODUCTS[3:], kind=kind))
    result += [sparse((size,) * 3, SPARSE) for size in (4096, 8192)]
    result += [sparse((size,) * 3, SPARSE_BYTES, "f8E4M3FN") for size in (4096, 8192)]
    for size in (64, 128, 256):
        for positions in (1024, 4096, 16384):
            for causal in (False, True):
                result.append(attention(size, positions, causal))
    result += [convolution(32, size, channels) for size, channels in
               ((56, 64), (28, 128), (56, 128), (14, 256), (56, 256))]
    result += [rows("softmax", 16384, 8192, [(1, 256, 0), (1, 512, 0)]),
               rows("softmax", 16384, 1024, [(2, 128, 0), (2, 64, 0), (4, 128, 0)]),
               rows("layer norm", 16384, 8192,
                    [(1, 256, 4), (1, 256, 0), (2, 512, 2)]),
               rows("layer norm", 16384, 1024,
                    [(2, 128, 12), (2, 128, 12, "early"), (2, 64, 0, "early"),
                     (4, 128, 0, "early")])]
    return result
