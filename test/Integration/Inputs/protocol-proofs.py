#!/usr/bin/env python3
"""Counts the kernels whose roles `tile-verify-channels` proves, with `strict`: those of
ws-kernels.py, and those of the files that are named, each taken through the passes
in front of the proof; the files of --tiled take tile-ws-tiled alone. A kernel that is
refused, or can be neither proved nor refuted, is a failure.

Prints one line per file, and the sum."""

import argparse
import importlib.util
import os
import re
import subprocess
import sys

import kernels

PROOF = "tile-verify-channels{strict=true own=false synced=true schedule=false}"


def load(name):
    path = os.path.join(os.path.dirname(__file__), name + ".py")
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def front(target):
    text = kernels.run_program(["tile-compile", "--print-pipeline",
                                "--target=" + target]).stdout.strip()
    passes = re.fullmatch(r"builtin\.module\((.*)\)", text).group(1)
    return passes[:passes.index("tile-verify-channels") - 1]


def prove(path, passes, label):
    """How many kernels with roles are proved, and how many are not."""
    pipeline = "builtin.module(%s,%s)" % (passes, PROOF)
    result = subprocess.run(["tile-opt", path, "--split-input-file",
                             "--pass-pipeline=" + pipeline],
                            capture_output=True, text=True, check=False)
    failures = re.findall(r"error: .*\[tile-verify/.*", result.stderr)
    proved = len(re.findall(r"^ *tile\.specialize\b", result.stdout, re.M))
    if proved or failures:
        print("%s: %d proved, %d not" % (label, proved, len(failures)))
    for failure in failures:
        print("FAILED " + failure)
    return proved, len(failures)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--tiled", action="append", default=[])
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--random", type=int, default=0, help="kernels of ws-kernels.py")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    passes, ws = front(options.target), load("ws-kernels")
    bodies = {name: body for name, (body, _) in ws.KERNELS.items()}
    bodies.update(("random%d" % seed, ws.Maker(seed).kernel())
                  for seed in range(options.random))
    path = os.path.join(options.out, "kernels.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write("// -----\n".join(ws.Text(name, ws.flat(body), None).function() + "\n"
                                     for name, body in bodies.items()))
    sums = [prove(path, passes, "ws-kernels")]
    sums += [prove(p, passes, os.path.basename(p)) for p in options.files]
    sums += [prove(p, "tile-ws-tiled{target=%s}" % options.target, os.path.basename(p))
             for p in options.tiled]
    proved, failed = (sum(column) for column in zip(*sums))
    print("%d kernels with roles are proved, %d are not" % (proved, failed))
    return 1 if failed or not proved else 0


if __name__ == "__main__":
    sys.exit(main())
