#!/usr/bin/env python3
"""Runs a file of kernels (see run-kernel.py) once for each number of pipeline
stages, outside of the full set of tests for every other one: the word NUM_STAGES
of the file stands for it. On sm_90a, kernels run with roles and without."""

import argparse
import os
import subprocess
import sys

import kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--stages", required=True, help="comma separated")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", default="1")
    options = parser.parse_args()

    with open(options.file, encoding="utf-8") as file:
        text = file.read()
    runner = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "run-kernel.py")
    failed = 0
    numbers = options.stages.split(",")
    if not kernels.IS_FULL:
        numbers = numbers[::2]
    for stages in numbers:
        staged = text.replace("NUM_STAGES", stages)
        alone = kernels.without_roles(staged)
        for name, kernel, targets in [
                ("roles", staged, ["--target=sm_90a"]),
                ("alone", alone, ["--target=sm_90a", "--target=sm_80"])]:
            out = os.path.join(options.out, "%s-%s" % (name, stages))
            os.makedirs(out)
            path = os.path.join(out, os.path.basename(options.file))
            with open(path, "w", encoding="utf-8") as file:
                file.write(kernel)
            print("stages %s, %s" % (stages, name), flush=True)
            command = [sys.executable, runner, path, "--out=" + out,
                       "--seeds=" + options.seeds, *targets]
            if stages != numbers[-1]:
                command.append("--no-ptxas")
            failed += subprocess.run(command, check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
