#!/usr/bin/env python3
"""Runs passes of ours alone and in orders that the pipeline does not have.

Usage: passes-alone.py FILE.mlir... [--target=CHIP] [--sample=N] [--orders=N]

The passes are those that `tile-compile --print-pipeline` prints. Each runs alone on
each file, those of kernels also after outlining, each two in the order that the
pipeline does not have, and --orders random orders of all. --sample takes so many of these runs, always the same. A pass may
refuse what it is given: then every error has a place in a file. A crash, a module
that the verifier refuses, and five minutes without an end are failures."""

import argparse
import concurrent.futures
import itertools
import os
import random
import re
import subprocess
import sys

OUTLINING = "gpu-kernel-outlining"  # makes what the passes after it look at
PLACED = re.compile(r"^(?!<unknown>)\S+:[1-9]\d*:\d+: error: ")


def passes(target):
    """The texts of our passes, in the order of the pipeline."""
    text = subprocess.run(["tile-compile", "--print-pipeline", "--target=" + target],
                          check=True, text=True, capture_output=True).stdout.strip()
    steps, depth, step = [], 0, ""
    for letter in text[len("builtin.module("):-1]:
        depth += (letter in "({") - (letter in ")}")
        if letter == "," and depth == 0:
            steps.append(step)
            step = ""
        else:
            step += letter
    return [s for s in steps + [step] if "tile-" in s or s == OUTLINING]


def run(path, order, options=()):
    """(exit status, standard error); None: no end."""
    pipeline = "builtin.module(%s)" % ",".join(order)
    try:
        result = subprocess.run(
            ["tile-opt", path, "--pass-pipeline=" + pipeline, "-o", "/dev/null",
             *options], check=False, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "no end after five minutes"
    return result.returncode, result.stderr


def judge(path, order):
    """What is wrong, or an empty text."""
    status, said = run(path, order)
    if status == 0:
        return ""
    if status != 1:
        return "exit status %s: %s" % (status, said[-600:])
    errors = [l for l in said.splitlines() if re.search(r"\berror: ", l)]
    if not errors or not all(PLACED.match(l) for l in errors):
        return "an error without a place: %s" % said[:600]
    if run(path, order, ["--verify-each=false"])[0] == 0:
        return "an invalid module: %s" % said[:600]
    return ""


def make_jobs(files, target, num_orders):
    """(file, order) of all runs."""
    ours = passes(target)
    orders = [[p] for p in ours]
    orders += [[b, a] for a, b in itertools.combinations(ours, 2)]
    orders += [[OUTLINING, p] for p in ours if p.startswith("gpu.module")]
    for seed in range(num_orders):
        order = list(ours)
        random.Random(seed).shuffle(order)
        orders.append(order)
    return [(path, order) for order in orders for path in files]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--jobs", type=int, default=1,
                        help="at once; 0: as there are processors")
    options = parser.parse_args()
    jobs = make_jobs(options.files, options.target, options.orders)
    if options.sample and options.sample < len(jobs):
        jobs = random.Random(0).sample(jobs, options.sample)
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        wrong = list(pool.map(lambda job: judge(*job), jobs))
    for (path, order), text in zip(jobs, wrong):
        if text:
            print("FAILED %s: %s: %s" % (path, ",".join(order), text))
    print("%d runs, %d failed" % (len(jobs), sum(map(bool, wrong))))
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
