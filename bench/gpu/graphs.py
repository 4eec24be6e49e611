#!/usr/bin/env python3
"""Times graphs of linalg, as JAX writes them, on a GPU.

    graphs.py build --out DIR [--only REGEX]     # no GPU: JAX, IREE, tile-compile
    graphs.py run --kernels DIR --json FILE [--only REGEX] [--autotune]

Products stand beside the kernel of kernels.py with the same tile, and cuBLAS; blocks
of a transformer (width 1024, 16 heads, bf16) beside torch.compile and eager PyTorch, and
blocks with rotary embeddings, heads of keys shared by four of queries, and SwiGLU;
convolutions beside cuDNN.
`run` checks every result, then measures as gate.py does: graphs of launches in turns,
medians and quartiles. The ratio is peer / ours in time; above 1 ours is faster."""

import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEADS = 1024, 16
PRODUCTS = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 7168, 2048), (8192, 8192, 512),
            (8192, 3072, 1024), (2048, 2048, 2048), (1024, 1024, 1024)]
BLOCKS = [(1, 1024), (1, 2048), (8, 1024), (4, 2048), (8, 2048)]
SWIGLUS = [(8192, 3072, 1024), (2048, 11008, 4096)]
# Images, pixels of a side, channels, filters, groups; filters of 3 x 3, fp16.
CONVOLUTIONS = [(32, 56, 128, 128, 1), (32, 28, 256, 256, 1), (32, 28, 256, 256, 4),
                (32, 28, 256, 256, 32)]
# Of kernels.py for a tile: stages, threads.
HAND = {(128, 256): (4, 256), (128, 192): (4, 256), (128, 128): (6, 128), (128, 64): (6, 128),
        (64, 128): (8, 128), (64, 64): (8, 128)}

# `kind`: product, swiglu, block, causal, rotary, nhwc, nchw; `shape` of it.
Workload = collections.namedtuple("Workload", "name kind shape")


def workloads(options):
    result = [Workload("product_%dx%dx%d" % s, "product", s) for s in PRODUCTS]
    result += [Workload("swiglu_%dx%dx%d" % s, "swiglu", s) for s in SWIGLUS]
    result += [Workload("%s_%dx%d" % (kind, *s), kind, s)
               for kind in ("block", "causal", "rotary") for s in BLOCKS]
    result += [Workload("%s_%dx%dx%dx%dx%d" % (kind, *s), kind, s)
               for kind in ("nhwc", "nchw") for s in CONVOLUTIONS]
    return [w for w in result if re.search(options.only, w.name)]


def block_shapes(batch, tokens):
    """The arguments: x, gain, wqkv, wo, gain, w1, w2; gains are f32."""
    return [(batch, tokens, WIDTH), (WIDTH,), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH,),
            (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]


def rotary_shapes(batch, tokens):
    """The arguments: x, gain, wq, wk, wv, wo, gain, gate, up, down; gains are f32."""
    return [(batch, tokens, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH, WIDTH // 4),
            (WIDTH, WIDTH // 4), (WIDTH, WIDTH), (WIDTH,), (WIDTH, 3 * WIDTH),
            (WIDTH, 3 * WIDTH), (3 * WIDTH, WIDTH)]


def swiglu_shapes(m, n, k):
    """The arguments: x, gate, up."""
    return [(m, k), (k, n), (k, n)]


def convolution_shapes(kind, images, side, channels, filters, groups):
    """The arguments: image, weights."""
    if kind == "nhwc":
        return [(images, side, side, channels), (3, 3, channels // groups, filters)]
    return [(images, channels, side, side), (filters, channels // groups, 3, 3)]


#===-- Build -------------------------------------------------------------===#

def text_of(workload):
    import jax
    import jax.numpy as jnp
    sys.path.insert(0, os.path.join(HERE, "..", "..", "examples", "frontends"))
    import from_jax
    import linalg_text

    def block(x, g1, wqkv, wo, g2, w1, w2):
        batch, length, width = x.shape
        attend = from_jax.attention_causal if workload.kind == "causal" else from_jax.attention
        q, k, v = (t.reshape(batch, length, HEADS, width // HEADS) for t in
                   jnp.split(from_jax.rms_norm(x, g1) @ wqkv, 3, axis=-1))
        x = x + attend(q, k, v).reshape(batch, length, width) @ wo
        return x + jax.nn.gelu(from_jax.rms_norm(x, g2) @ w1) @ w2

    def turned(t):
        half = t.shape[-1] // 2
        angles = jnp.outer(jnp.arange(t.shape[1]), 10000.0 ** (-jnp.arange(half) / half))
        c, s = jnp.cos(angles)[None, :, None], jnp.sin(angles)[None, :, None]
        a, b = jnp.split(t.astype(jnp.float32), 2, -1)
        return jnp.concatenate([a * c - b * s, b * c + a * s], -1).astype(t.dtype)

    def rotary(x, g1, wq, wk, wv, wo, g2, gate, up, down):
        batch, length, width = x.shape
        y = from_jax.rms_norm(x, g1)
        q, k, v = ((y @ w).reshape(batch, length, -1, width // HEADS) for w in (wq, wk, wv))
        a = jax.nn.dot_product_attention(turned(q), turned(k), v, is_causal=True)
        x = x + a.reshape(batch, length, width) @ wo
        y = from_jax.rms_norm(x, g2)
        return x + (jax.nn.silu(y @ gate) * (y @ up)) @ down

    def convolution(x, w):
        names = ("NHWC", "HWIO", "NHWC") if workload.kind == "nhwc" else ("NCHW", "OIHW", "NCHW")
        return jax.nn.relu(jax.lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=names,
            feature_group_count=workload.shape[-1]))

    narrow = jnp.bfloat16
    if workload.kind == "product":
        m, n, k = workload.shape
        function, shapes = (lambda a, b: a @ b), [(m, k), (k, n)]
    elif workload.kind == "swiglu":
        function = (lambda x, gate, up: jax.nn.silu(x @ gate) * (x @ up))
        shapes = swiglu_shapes(*workload.shape)
    elif workload.kind == "rotary":
        function, shapes = rotary, rotary_shapes(*workload.shape)
    elif workload.kind in ("nhwc", "nchw"):
        function, narrow = convolution, jnp.float16
        shapes = convolution_shapes(workload.kind, *workload.shape)
    else:
        function, shapes = block, block_shapes(*workload.shape)
    arguments = [jax.ShapeDtypeStruct(s, jnp.float32 if len(s) == 1 else narrow)
                 for s in shapes]
    lowered = jax.jit(function).lower(*arguments)
    return with_destination(linalg_text.lower(str(lowered.compiler_ir("stablehlo")),
                                              "stablehlo"))


def with_destination(text):
    """The result goes to a last argument, so that launches can be captured."""
    head = re.search(r"func\.func public @main\((.*?)\) -> tensor<(\S+)> \{", text)
    text = text.replace(head.group(0), "func.func public @main(%s, %%dst: memref<%s>) {"
                        % head.groups())
    end = re.search(r"func\.return (%\S+) : tensor<(\S+)>", text)
    return text.replace(end.group(0), (
        "bufferization.materialize_in_destination %s in restrict writable %%dst : "
        "(tensor<%s>, memref<%s>) -> ()\n    func.return")
        % (end.group(1), end.group(2), end.group(2)))


def compile_text(options, name, text):
    folder = os.path.join(options.out, name)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "input.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([options.compiler, path, "--target=sm_90a", "--emit=json,cubin",
                           "-o", folder], capture_output=True, text=True,
                          check=False)
    tile = re.search(r"schedule 'product', blocks of (\d+) x (\d+)", done.stderr)
    said = [line for line in done.stderr.splitlines() if "error" in line or "warning" in line]
    print("\n".join([name] + said), flush=True)
    return done.returncode, tile and (int(tile.group(1)), int(tile.group(2)))


def build(options):
    import kernels
    failed = 0
    for workload in workloads(options):
        status, tile = compile_text(options, workload.name, text_of(workload))
        failed += status != 0
        if workload.kind == "product" and tile:
            stages, threads = HAND[tile]
            status, _ = compile_text(options, workload.name + "_hand", kernels.gemm(
                "main", (*tile, 64), stages, threads, transposed=False))
            failed += status != 0
    return 1 if failed else 0


#===-- Run ---------------------------------------------------------------===#

def torch_block(torch, x, g1, wqkv, wo, g2, w1, w2, causal):
    functional = torch.nn.functional

    def norm(t, g):
        y = t.float()
        return (y * torch.rsqrt((y * y).mean(-1, keepdim=True) + 1e-6) * g).to(t.dtype)

    batch, length, width = x.shape
    q, k, v = (t.reshape(batch, length, HEADS, width // HEADS).transpose(1, 2)
               for t in (norm(x, g1) @ wqkv).chunk(3, dim=-1))
    a = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    x = x + a.transpose(1, 2).reshape(batch, length, width) @ wo
    return x + functional.gelu(norm(x, g2) @ w1, approximate="tanh") @ w2


def torch_rotary(torch, x, g1, wq, wk, wv, wo, g2, gate, up, down):
    functional = torch.nn.functional

    def norm(t, g):
        y = t.float()
        return (y * torch.rsqrt((y * y).mean(-1, keepdim=True) + 1e-6) * g).to(t.dtype)

    def turned(t):
        half = t.shape[-1] // 2
        places = torch.arange(t.shape[2], device=t.device, dtype=torch.float32)
        steps = 10000.0 ** (-torch.arange(half, device=t.device, dtype=torch.float32) / half)
        angles = torch.outer(places, steps)
        c, s = angles.cos(), angles.sin()
        a, b = t.float().chunk(2, dim=-1)
        return torch.cat([a * c - b * s, b * c + a * s], -1).to(t.dtype)

    batch, length, width = x.shape
    y = norm(x, g1)
    q, k, v = ((y @ w).reshape(batch, length, -1, width // HEADS).transpose(1, 2)
               for w in (wq, wk, wv))
    a = functional.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True,
                                                enable_gqa=True)
    x = x + a.transpose(1, 2).reshape(batch, length, width) @ wo
    y = norm(x, g2)
    return x + (functional.silu(y @ gate) * (y @ up)) @ down


def convolution_case(torch, workload, sets):
    groups, last = workload.shape[-1], workload.kind == "nhwc"
    shapes = convolution_shapes(workload.kind, *workload.shape)
    random = [[torch.randn(s, device="cuda").half() * (1 if i == 0 else 0.05)
               for i, s in enumerate(shapes)] for _ in range(sets)]

    def convolved(x, w):
        if last:  # the same memory, as torch wants to see it
            x = x.permute(0, 3, 1, 2)
        return torch.relu(torch.nn.functional.conv2d(x, w, padding=1, groups=groups))

    def seen(w):
        if not last:
            return w
        return w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)

    x, w = random[0]
    reference = convolved(x.float(), seen(w).float())
    if last:
        reference = reference.permute(0, 2, 3, 1).contiguous()
    torch.backends.cudnn.benchmark = True
    return random, reference, {"cudnn": [lambda x=x, w=seen(w): convolved(x, w)
                                         for x, w in random]}


def product_case(torch, workload, sets):
    m, n, k = workload.shape
    random = [[torch.randn(m, k, device="cuda").bfloat16(),
               torch.randn(k, n, device="cuda").bfloat16()] for _ in range(sets)]
    peers = {"cublas": [lambda a=a, b=b: torch.matmul(a, b) for a, b in random]}
    return random, random[0][0].float() @ random[0][1].float(), peers


def swiglu_case(torch, workload, sets):
    def function(x, gate, up):
        return torch.nn.functional.silu(x @ gate) * (x @ up)

    random = [[(torch.randn(s, device="cuda") * (1 if i == 0 else 0.03)).bfloat16()
               for i, s in enumerate(swiglu_shapes(*workload.shape))] for _ in range(sets)]
    torch._dynamo.reset()
    modes = {"eager": function, "compile": torch.compile(function, dynamic=False)}
    return random, function(*(t.float() for t in random[0])), {
        name: [lambda f=f, a=a: f(*a) for a in random] for name, f in modes.items()}


def block_case(torch, workload, sets, autotune):
    causal = workload.kind == "causal"
    shapes = (rotary_shapes if workload.kind == "rotary" else block_shapes)(*workload.shape)
    random = [[torch.ones(s, device="cuda") if len(s) == 1 else
               (torch.randn(s, device="cuda") * (1 if len(s) == 3 else 0.02)).bfloat16()
               for s in shapes] for _ in range(sets)]

    def function(*arguments):
        if workload.kind == "rotary":
            return torch_rotary(torch, *arguments)
        return torch_block(torch, *arguments, causal)

    reference = function(*(t.float() for t in random[0]))
    torch._dynamo.reset()  # else the limit of recompilations ends in eager mode
    modes = {"eager": function, "compile": torch.compile(function, dynamic=False)}
    if autotune:
        modes["autotune"] = torch.compile(function, dynamic=False,
                                          mode="max-autotune-no-cudagraphs")
    return random, reference, {name: [lambda f=f, a=a: f(*a) for a in random]
                               for name, f in modes.items()}


class Runner:
    def __init__(self, options):
        import torch
        import gate
        import tilerun
        torch.manual_seed(1)
        self.torch, self.gate, self.options = torch, gate, options
        self.tilerun, self.device, self.meter = tilerun, tilerun.Device(), gate.Meter(torch)

    def ours(self, name, inputs, reference):
        output = self.torch.empty(reference.shape, device="cuda", dtype=inputs[0][0].dtype)
        module = self.tilerun.Module(self.device,
                                     os.path.join(self.options.kernels, name, "main"))
        functions = [module.bind([*arguments, output]) for arguments in inputs]
        output.view(self.torch.uint8).fill_(255)  # NaN
        functions[0]()
        self.torch.cuda.synchronize()
        error = self.gate.error_of(self.torch, output, reference)
        if not error <= 0.02:
            raise ValueError("%s is wrong: relative error %g" % (name, error))
        return functions

    def run(self, workload):
        torch, row = self.torch, {"name": workload.name, "errors": {}}
        if workload.kind == "product":
            inputs, reference, sides = product_case(torch, workload, 3)
        elif workload.kind == "swiglu":
            inputs, reference, sides = swiglu_case(torch, workload, 2)
        elif workload.kind in ("nhwc", "nchw"):
            inputs, reference, sides = convolution_case(torch, workload, 2)
        else:
            inputs, reference, sides = block_case(torch, workload, 2, self.options.autotune)
        names = {"ours": workload.name}
        if workload.kind == "product":
            names["hand"] = workload.name + "_hand"
        makers = {side: lambda f=f: f for side, f in sides.items()}
        makers.update({side: lambda n=n: self.ours(n, inputs, reference)
                       for side, n in names.items()})
        timed = {}
        for side, make in makers.items():
            try:
                functions = make()
                timed[side] = functions, self.meter.estimate(functions)
            except Exception as error:  # the others are timed all the same
                row["errors"][side] = "%s: %s" % (type(error).__name__, str(error)[:400])
        times = self.meter.bursts(timed)
        row["ms"] = {side: statistics.quantiles(t, n=4) for side, t in times.items()}
        if "ours" in row["ms"]:
            row["ratios"] = {side: t[1] / row["ms"]["ours"][1]
                             for side, t in row["ms"].items() if side != "ours"}
        return row


def line_of(row):
    text = "%-26s" % row["name"]
    for side, ms in sorted(row.get("ms", {}).items(), key=lambda item: item[0] != "ours"):
        text += "  %s %.4f ms" % (side, ms[1])
        if side in row.get("ratios", {}):
            text += " (%.3f)" % row["ratios"][side]
    return text + "".join("  %s FAILED %s" % item for item in row["errors"].items())


def run(options):
    runner = Runner(options)
    result = {"device": runner.torch.cuda.get_device_properties(0).name,
              "torch": runner.torch.__version__, "rows": []}
    for workload in workloads(options):
        try:
            row = runner.run(workload)
        except Exception as error:  # a workload that fails does not end the others
            row = {"name": workload.name,
                   "errors": {"": "%s: %s" % (type(error).__name__, str(error)[:400])}}
        result["rows"].append(row)
        print(line_of(row), flush=True)
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
        runner.torch.cuda.empty_cache()
    return 0 if all(not row["errors"] for row in result["rows"]) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("build")
    command.set_defaults(function=build)
    command.add_argument("--out", required=True)
    command.add_argument("--compiler", default="tile-compile")
    command.add_argument("--only", default="")
    command = commands.add_parser("run")
    command.set_defaults(function=run)
    command.add_argument("--kernels", required=True)
    command.add_argument("--json", required=True)
    command.add_argument("--only", default="")
    command.add_argument("--autotune", action="store_true")
    options = parser.parse_args()
    sys.exit(options.function(options))


if __name__ == "__main__":
    main()
