#!/usr/bin/env python3
"""Times graphs of linalg, as JAX writes them, on a GPU.

    graphs.py build --out DIR [--only REGEX]     # no GPU: JAX, IREE, tile-compile
    graphs.py run --kernels DIR --json FILE [--only REGEX] [--autotune]

Products stand beside the kernel of kernels.py with the same tile, and cuBLAS; blocks
of a transformer (width 1024, 16 heads, bf16) beside torch.compile and eager PyTorch.
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
            (2048, 2048, 2048), (1024, 1024, 1024)]
BLOCKS = [(1, 1024), (1, 2048), (8, 1024), (4, 2048), (8, 2048)]
# Of kernels.py for a tile: stages, threads.
HAND = {(128, 256): (4, 256), (128, 192): (4, 256), (128, 128): (6, 128), (128, 64): (6, 128),
        (64, 128): (8, 128), (64, 64): (8, 128)}

# `kind`: product, block, causal; `shape` of it.
Workload = collections.namedtuple("Workload", "name kind shape")


def workloads(options):
    result = [Workload("product_%dx%dx%d" % s, "product", s) for s in PRODUCTS]
    result += [Workload("%s_%dx%d" % (kind, *s), kind, s)
               for kind in ("block", "causal") for s in BLOCKS]
    return [w for w in result if re.search(options.only, w.name)]


def block_shapes(batch, tokens):
    """The arguments: x, gain, wqkv, wo, gain, w1, w2; gains are f32."""
    return [(batch, tokens, WIDTH), (WIDTH,), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH,),
            (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]


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

    if workload.kind == "product":
        m, n, k = workload.shape
        function, shapes = (lambda a, b: a @ b), [(m, k), (k, n)]
    else:
        function, shapes = block, block_shapes(*workload.shape)
    arguments = [jax.ShapeDtypeStruct(s, jnp.float32 if len(s) == 1 else jnp.bfloat16)
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


def product_case(torch, workload, sets):
    m, n, k = workload.shape
    random = [[torch.randn(m, k, device="cuda").bfloat16(),
               torch.randn(k, n, device="cuda").bfloat16()] for _ in range(sets)]
    peers = {"cublas": [lambda a=a, b=b: torch.matmul(a, b) for a, b in random]}
    return random, random[0][0].float() @ random[0][1].float(), peers


def block_case(torch, workload, sets, autotune):
    causal = workload.kind == "causal"
    random = [[torch.ones(s, device="cuda") if len(s) == 1 else
               (torch.randn(s, device="cuda") * (1 if len(s) == 3 else 0.02)).bfloat16()
               for s in block_shapes(*workload.shape)] for _ in range(sets)]

    def function(*arguments):
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
        output = self.torch.empty(reference.shape, device="cuda", dtype=self.torch.bfloat16)
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
