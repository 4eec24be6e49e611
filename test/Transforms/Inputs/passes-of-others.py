#!/usr/bin/env python3
"""Runs passes of others between every two of ours and checks that the programs
still compute the same, and that what was pipelined still is.

Usage: passes-of-others.py KERNELS.mlir --target=CHIP --out=DIR [--few | --full]

KERNELS is a file with cases as run-kernel.py has them. Each kernel is there twice:
as it is, with roles where the chip has them, and as NAME_alone, without. The
pipeline is the one that `tile-compile --print-pipeline` prints. A run puts one
pass of others into each place between ours, in turn, so that as many runs as there
are passes have had every pass in every place; two more put all of them there, in
both orders. With --few there are two runs in turn, and one with all of them. With
--full each pass is also alone in one place.

A pipeline that was lost on the way shows in threads, shared memory and instructions,
which are compared with those of the program compiled as usual."""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INTEGRATION = os.path.join(HERE, "..", "..", "Integration", "Inputs")
sys.path.insert(0, INTEGRATION)

import kernels

SPEC = importlib.util.spec_from_file_location(
    "run_kernel", os.path.join(INTEGRATION, "run-kernel.py"))
run_kernel = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run_kernel)

OTHERS = ["canonicalize", "cse", "loop-invariant-code-motion", "sccp",
          "int-range-optimizations", "sroa", "mem2reg", "inline",
          "control-flow-sink"]


def output_of(command):
    """Standard output of a command that must succeed."""
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit("%s\n%s" % (" ".join(command)[:2000], run.stderr[-4000:]))
    return run.stdout


def steps_of(pipeline):
    """The passes of "builtin.module(a,b{c},d(e))"."""
    steps, depth, start = [], 0, len("builtin.module(")
    text = pipeline.strip()[:-1]
    for i in range(start, len(text)):
        depth += (text[i] in "({") - (text[i] in ")}")
        if text[i] == "," and depth == 0:
            steps.append(text[start:i])
            start = i + 1
    steps.append(text[start:])
    return steps


def twice(text):
    """Each function a second time, which wants no roles."""
    head, *functions = re.split(r"(?m)^(?=// CASE: (?:.*\n// CASE: )*)", text)
    alone = []
    for function in functions:
        function = re.sub(r"(// CASE: |func\.func @)(\w+)\(", r"\1\2_alone(", function)
        alone.append(re.sub(r"(threads\(.*\) in \(.*\) {\n)",
                            r"\1    tile.kernel_config {specialize = "
                            r"#tile.specialize<off>}\n", function))
    return head + "".join(functions + alone)


INSTRUCTIONS = ["cp.async.ca", "cp.async.cg", "cp.async.wait_group", "cp.async.bulk",
                "mbarrier.try_wait", "wgmma.mma_async", "mma.sync", "setmaxnreg"]


def facts_of(json_path):
    """Threads and bytes of shared memory of every variant of every launch, and which
    instructions there are."""
    with open(json_path, encoding="utf-8") as file:
        metadata = json.load(file)
    with open(json_path[:-len("json")] + "ptx", encoding="utf-8") as file:
        text = file.read()
    sizes = [(metadata["values"][variant["block"][0]]["value"],
              variant["dynamic_smem_bytes"])
             for launch in metadata["launches"] for variant in launch["variants"]]
    return sizes, [name for name in INSTRUCTIONS if name in text]


def compile_between(arguments, path, between, out):
    """`between` gives the passes after place `n`. Once kernels are converted,
    they are code of others: int-range-optimizations of LLVM 22.1 folds an
    arith.select there whose condition is not constant."""
    steps = steps_of(output_of(["tile-compile", path, "--print-pipeline",
                                "--target=" + arguments.target]))
    last = max(i for i, step in enumerate(steps) if "convert-tile-to-nvvm" in step)
    parts = [",".join([step] + [other for other in between(n)
                                if n < last or other != "int-range-optimizations"])
             for n, step in enumerate(steps)]
    lowered = os.path.join(out, "lowered.mlir")
    output_of(os.environ["TILE_OPT"].split() +
              ["--pass-pipeline=builtin.module(%s)" % ",".join(parts),
               path, "-o", lowered])
    kernels.compile_file(lowered, arguments.target, out, ["--ptxas=off"])
    return len(steps)


def check(arguments, path, cases, facts, name, between):
    out = os.path.join(arguments.out, name)
    os.makedirs(out, exist_ok=True)
    num_places = compile_between(arguments, path, between, out)
    for function, expected in facts.items():
        got = facts_of(os.path.join(out, function + ".json"))
        if got != expected:
            raise kernels.Failure("%s: threads, bytes and instructions are %s, "
                                  "expected %s" % (function, got, expected))
    for case in cases:
        run_kernel.run_case(case, out, [1], ["132"])
    print("ok %s %s" % (arguments.target, name), flush=True)
    return num_places


def ways(is_few, is_full):
    """Names, and what stands after each place."""
    for row in (0, 5) if is_few else range(len(OTHERS)):
        yield "in turn from " + OTHERS[row], \
            lambda n, row=row: [OTHERS[(row + n) % len(OTHERS)]]
    if not is_few:
        yield "all", lambda n: OTHERS
    yield "all backwards", lambda n: OTHERS[::-1]
    if is_full:
        for other in OTHERS:
            yield "only " + other, lambda n, other=other: [other]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels")
    parser.add_argument("--target", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--few", action="store_true", help="three runs")
    parser.add_argument("--full", action="store_true",
                        help="each pass alone in each place as well")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    path = os.path.join(arguments.out, "kernels.mlir")
    with open(arguments.kernels, encoding="utf-8") as file, \
            open(path, "w", encoding="utf-8") as out:
        out.write(twice(file.read()))
    cases = run_kernel.read_cases(path)
    kernels.compile_file(path, arguments.target, arguments.out, ["--ptxas=off"])
    facts = {name: facts_of(os.path.join(arguments.out, name + ".json"))
             for name in sorted({case.function for case in cases})}
    def run(way):
        name, between = way
        try:
            return check(arguments, path, cases, facts, name, between), None
        except kernels.Failure as failure:
            return 0, "FAILED %s %s: %s" % (arguments.target, name, failure)

    found = list(kernels.each(run, ways(arguments.few, arguments.full)))
    if arguments.full:
        num_places = max(places for places, _ in found)
        found += kernels.each(run, [
            ("%s after pass %d" % (other, place),
             lambda n, other=other, place=place: [other] * (n == place))
            for place in range(num_places) for other in OTHERS])
    failures = [text for _, text in found if text]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
