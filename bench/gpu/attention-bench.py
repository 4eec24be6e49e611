#!/usr/bin/env python3
"""Times flash attention that tile-compile made against PyTorch's.

    attention-bench.py OUT/attention_causal.json --size 8192x16x128 --causal

The JSON files are those of examples/attention.mlir, whose tensors are head,
position, column, or with --causal of examples/attention-causal.mlir, position,
head, column. Both sides run on the same random data; the table gives medians of
15 turns of 10 launches, the quartiles and the ratio. Causal work counts half.
Needs a GPU and PyTorch; the script is not part of any test."""

import argparse
import importlib.util
import os
import sys

import torch


def load_bench():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu-bench.py")
    spec = importlib.util.spec_from_file_location("gpu_bench", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+")
    parser.add_argument("--size", required=True, help="positions x heads x columns")
    parser.add_argument("--causal", action="store_true")
    options = parser.parse_args()
    bench = load_bench()
    positions, heads, columns = map(int, options.size.split("x"))
    shape = ((positions, heads, columns) if options.causal else
             (heads, positions, columns))
    torch.manual_seed(1)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16)
               for _ in range(3))
    out = torch.full_like(q, float("nan"))

    def by_head(tensor):
        return (tensor.transpose(0, 1) if options.causal else tensor)[None]

    def library(_=0):
        return torch.nn.functional.scaled_dot_product_attention(
            by_head(q), by_head(k), by_head(v), is_causal=options.causal)

    for path in options.json:
        kernel = bench.Kernel(path, [q, k, v, out, columns ** -0.5])
        ours = lambda _: kernel.launch()
        kernel.launch()
        want = library().float()
        error = ((by_head(out).float() - want).norm() / want.norm()).item()
        for run in (ours, library):
            bench.time_turn(run, 10)
        turns = [(bench.time_turn(ours, 10), bench.time_turn(library, 10))
                 for _ in range(15)]
        t, low, high = bench.quartiles([x for x, _ in turns])
        u, ulow, uhigh = bench.quartiles([y for _, y in turns])
        flop = 4e-9 * positions**2 * heads * columns / (2 if options.causal else 1)
        print("%-28s %s error %.1e  %7.4f ms [%.4f %.4f] %6.1f TFLOP/s  library "
              "%7.4f ms [%.4f %.4f] %6.1f TFLOP/s  speed %.3f"
              % (os.path.relpath(path), options.size, error, t, low, high, flop / t,
                 u, ulow, uhigh, flop / u, u / t))
    return 0


if __name__ == "__main__":
    sys.exit(main())
