#!/usr/bin/env python3
"""Counts the kernels with roles, or with mbarriers of their own, that
`tile-verify-channels` proves, with `strict`: those of ws-kernels.py, and those of the
files that are named, each taken through the passes in front of the proof; the files of
--tiled take tile-ws-tiled alone. Files are read as their RUN lines change them by sed,
for several numbers of stages, and once more without roles that the compiler makes. A
kernel that is refused, or can be neither proved nor refuted, is a failure. So is, with
--bare, one that is not proved without the lines that declare its channels.

Prints one line per file, kernels that do not compile, and the sum."""

import argparse
import concurrent.futures
import functools
import importlib.util
import os
import re
import subprocess
import sys

import kernels

PROOF = "builtin.module(tile-verify-channels{strict=true%s})"
STAGES = ("2", "3")
SPLIT = "// -----\n"
CHANNEL = re.compile(r"^ *tile\.channel_barriers\b.*\n", re.M)


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
    """Functions apart, so that one that does not compile stands for itself. In `make
    check` every third of them."""
    chunks = []
    for part in text.split(SPLIT):
        functions = list(re.finditer(r"^func\.func .*?^}\n", part, re.M | re.S))
        if not functions:
            chunks.append(part)
        aliases = "".join(re.findall(r"^[#!].*\n", part, re.M))
        chunks += [aliases + function.group(0) for function in functions]
    return SPLIT.join(some(chunks))


def some(items):
    return [items[i] for i in kernels.some(0, len(items))]


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
    return sum("tile.specialize {" in part or "tile.barrier_init" in part
               for part in parts)


def passed(text, pipeline):
    """What a pipeline makes of programs, and its errors."""
    result = subprocess.run(["tile-opt", "-", "--split-input-file",
                             "--pass-pipeline=" + pipeline],
                            input=text, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        raise kernels.Failure("tile-opt ends with %d" % result.returncode)
    return result.stdout, re.findall(r"^[^\n]*?: (error: .*)$", result.stderr, re.M)


def prove(text, passes, is_bare, is_open):
    """How many kernels there are, what is said of those that are not proved, and which
    do not compile. Functions that `is_open` matches are left out."""
    made, others = passed(text, "builtin.module(%s)" % passes)
    made = SPLIT.join(part for part in made.split(SPLIT) if not is_open(part))
    sync = re.search(r"tile-insert-sync{(target=\w+)}", passes)
    _, failures = passed(made, PROOF % (" synced=true " + sync.group(1) if sync else ""))
    bare = SPLIT.join(CHANNEL.sub("", part) for part in made.split(SPLIT)
                      if CHANNEL.search(part))
    if bare and is_bare: # tile-insert-sync knew of the channels
        failures += ["without channels: " + said for said in passed(bare, PROOF % "")[1]]
    return launches(made), failures, others


def report(label, results):
    proved = sum(result[0] for result in results)
    failures = [failure for result in results for failure in result[1]]
    others = [other for result in results for other in result[2]]
    if proved or failures:
        print("%s: %d proved, %d not" % (label, proved - len(failures), len(failures)))
    for failure in failures:
        print("FAILED " + failure)
    for other in others:
        print("NOT COMPILED %s: %s" % (label, other))
    return proved - len(failures), len(failures), len(others)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--tiled", action="append", default=[])
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--without", default="$", help="a regex of names of files")
    parser.add_argument("--open", default="$", metavar="REGEX",
                        help="functions that are known not to be proved: NAME, or FILE:NAME")
    parser.add_argument("--random", type=int, default=0, help="kernels of ws-kernels.py")
    options = parser.parse_args()
    passes, ws = front(options.target), load("ws-kernels")
    bodies = {name: body for name, (body, _) in ws.KERNELS.items()}
    bodies.update(("random%d" % seed, ws.Maker(seed).kernel())
                  for seed in range(options.random))
    made = SPLIT.join(some([ws.Text(name, ws.flat(body), None).function() + "\n"
                            for name, body in bodies.items()]))
    jobs = [("ws-kernels", [made], passes)]
    jobs += [(os.path.basename(path), programs_of(path), passes) for path in options.files
             if not re.match(options.without, os.path.basename(path))]
    jobs = [(label + suffix, [change(program) for program in programs], passes)
            for label, programs, passes in jobs
            for suffix, change in [("", str), (", without roles", kernels.without_roles)]]
    for path in options.tiled:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"expected-\w+", "", file.read()) # by the test of the pass
        text = SPLIT.join(some(text.split(SPLIT)))
        jobs.append((os.path.basename(path), [text],
                     "tile-ws-tiled{target=%s}" % options.target))
    sums = []

    def is_open(label, part):
        names = re.findall(r"func\.func @(\w+)\(", part)
        return any(re.fullmatch(options.open, name) or
                   re.fullmatch(options.open, label.split(",")[0] + ":" + name)
                   for name in names)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = [[pool.submit(prove, program, passes, options.bare,
                                functools.partial(is_open, label))
                    for program in programs]
                   for label, programs, passes in jobs]
        for (label, _, _), result in zip(jobs, results):
            sums.append(report(label, [future.result() for future in result]))
    proved, failed, others = (sum(column) for column in zip(*sums))
    print("%d kernels are proved, %d are not; %d do not compile" % (proved, failed, others))
    return 1 if failed or not proved else 0


if __name__ == "__main__":
    sys.exit(main())
