#!/usr/bin/env python3
"""Counts the kernels with roles, or with mbarriers of their own, that
`tile-verify-channels` proves, with `strict`: those of ws-kernels.py, and those of the
files that are named, each taken through the passes in front of the proof; the files of
--tiled take tile-ws-tiled alone. Files are read as their RUN lines change them by sed,
for several numbers of stages, and once more without roles that the compiler makes. A
kernel that is refused, or can be neither proved nor refuted, is a failure, but where it
has too many states: then its channels alone are asked for.

Prints one line per file, kernels that do not compile, and the sum."""

import argparse
import concurrent.futures
import importlib.util
import os
import re
import subprocess
import sys

import kernels

PROOF = "tile-verify-channels{strict=true schedule=false own=%s%s}"
TOO_MANY = "[tile-verify/too-many-states]"
STAGES = ("2", "3")
SPLIT = "// -----\n"


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


#===-- Programs --------------------------------------------------------------===#

def substituted(text):
    """The programs that the RUN lines make of a template; itself, if they do not."""
    edits = [re.findall(r"s/([^/]*)/([^/]*)/g?", script)
             for script in re.findall(r"// RUN: sed '([^']*)' %s", text)]
    programs = [text] if "kernel_config {CONSUMERS" not in text and not re.search(
        r"\b(CONSUMERS|ROWS)\b", re.sub(r"//.*", "", text)) else []
    for edit in edits:
        program = text
        for old, new in edit:
            program = program.replace(old, new)
        programs.append(program)
    return programs


def alone(text):
    """Functions apart, so that one that does not compile stands for itself."""
    chunks = []
    for part in text.split(SPLIT):
        functions = list(re.finditer(r"^func\.func .*?^}\n", part, re.M | re.S))
        if not functions:
            chunks.append(part)
        aliases = "".join(re.findall(r"^[#!].*\n", part, re.M))
        chunks += [aliases + function.group(0) for function in functions]
    return SPLIT.join(chunks)


def programs_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    stages = STAGES if "NUM_STAGES" in text else ("",)
    return [alone(program.replace("NUM_STAGES", stage))
            for program in substituted(text) for stage in stages]


#===-- Proofs ----------------------------------------------------------------===#

def launches(text):
    """Kernels that have something to prove, in what the passes made."""
    parts = re.split(r"^ *(?:gpu\.launch|func\.func)\b", text, flags=re.M)
    return sum("tile.specialize" in part or "tile.barrier_init" in part
               for part in parts)


def prove(text, passes, own="true"):
    """How many kernels are proved, what is said of others, which do not compile, and
    how many have too many states."""
    sync = re.search(r"tile-insert-sync{(target=\w+)}", passes)
    synced = " synced=true " + sync.group(1) if sync else ""
    pipeline = "builtin.module(%s,%s)" % (passes, PROOF % (own, synced))
    result = subprocess.run(["tile-opt", "-", "--split-input-file",
                             "--pass-pipeline=" + pipeline],
                            input=text, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        raise kernels.Failure("tile-opt ends with %d" % result.returncode)
    errors = re.findall(r"^[^\n]*?: (error: .*)$", result.stderr, re.M)
    failures = [e for e in errors if "[tile-verify/" in e and TOO_MANY not in e]
    others = [e for e in errors if "[tile-verify/" not in e]
    many = len(errors) - len(failures) - len(others)
    if many:
        failures = prove(text, passes, "false")[1] + failures
    return launches(result.stdout), failures, others, many


def report(label, results):
    proved, many = (sum(result[i] for result in results) for i in (0, 3))
    failures = [failure for result in results for failure in result[1]]
    others = [other for result in results for other in result[2]]
    if proved or failures:
        print("%s: %d proved, %d not" % (label, proved, len(failures)))
    for failure in failures:
        print("FAILED " + failure)
    for other in others:
        print("NOT COMPILED %s: %s" % (label, other))
    return proved, len(failures), len(others), many


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--tiled", action="append", default=[])
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--random", type=int, default=0, help="kernels of ws-kernels.py")
    options = parser.parse_args()
    passes, ws = front(options.target), load("ws-kernels")
    bodies = {name: body for name, (body, _) in ws.KERNELS.items()}
    bodies.update(("random%d" % seed, ws.Maker(seed).kernel())
                  for seed in range(options.random))
    made = SPLIT.join(ws.Text(name, ws.flat(body), None).function() + "\n"
                      for name, body in bodies.items())
    jobs = [("ws-kernels", [made], passes)]
    jobs += [(os.path.basename(path), programs_of(path), passes) for path in options.files]
    jobs = [(label + suffix, [change(program) for program in programs], passes)
            for label, programs, passes in jobs
            for suffix, change in [("", str), (", without roles", kernels.without_roles)]]
    for path in options.tiled:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"expected-\w+", "", file.read()) # by the test of the pass
        jobs.append((os.path.basename(path), [text],
                     "tile-ws-tiled{target=%s}" % options.target))
    sums = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = [[pool.submit(prove, program, passes) for program in programs]
                   for _, programs, passes in jobs]
        for (label, _, _), result in zip(jobs, results):
            sums.append(report(label, [future.result() for future in result]))
    proved, failed, others, many = (sum(column) for column in zip(*sums))
    print("%d kernels are proved, %d are not; %d have too many states, %d do not compile"
          % (proved, failed, many, others))
    return 1 if failed or not proved else 0


if __name__ == "__main__":
    sys.exit(main())
