#!/usr/bin/env python3
"""Asks ptxas what the choices of the compiler cost: each kernel of the files is
assembled as it is compiled by itself, and once more without roles (which also takes
back what roles bring: turns, registers that move). A kernel whose automatic form
spills, or has products that ptxas takes one by one (messages C75xx), while the other
form does not, is a failure. With --rotate the other form has roles, and products in
order.

Files are read as their RUN lines change them by sed, with three stages where a number
is left open. Prints one line per difference, and the sum."""

import argparse
import concurrent.futures
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

import kernels

HERE = os.path.dirname(os.path.abspath(__file__))


def load(name):
    spec = importlib.util.spec_from_file_location(
        name.replace("-", "_"), os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_order(text):
    """The program with `rotate = false` wherever a launch says nothing of it."""
    head = r"(threads\(.*\) in \(.*\) .*{\n)"
    text = re.sub(head + r"( *tile\.kernel_config \{)(?!.*rotate = )",
                  r"\1\2rotate = false, ", text)
    return re.sub(head + r"(?! *tile\.kernel_config)",
                  r"\1    tile.kernel_config {rotate = false}\n", text)


def assemble(text, target):
    """Per kernel: bytes of spills, and which messages it got. None: the program does
    not compile."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        result = subprocess.run(["tile-compile", path, "--target=" + target, "-o", folder,
                                 "--ptxas=off", "--no-remarks"],
                                capture_output=True, text=True, check=False)
        if result.returncode:
            return None
        for ptx in sorted(os.listdir(folder)):
            if not ptx.endswith(".ptx"):
                continue
            said = subprocess.run(["ptxas", "-v", "-arch=" + target,
                                   os.path.join(folder, ptx), "-o", os.devnull],
                                  capture_output=True, text=True, check=False).stderr
            name = None
            for line in said.splitlines():
                match = re.search(r"Compiling entry function '(\S+)'", line)
                if match:
                    name = match.group(1)
                    found.setdefault(name, [0, set()])
                match = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)
                if match and name:
                    found[name][0] = int(match.group(1)) + int(match.group(2))
                match = re.search(r"\((C75\d\d)\).*function '(\S+)'", line)
                if match:
                    found.setdefault(match.group(2), [0, set()])[1].add(match.group(1))
    return found


def compare(label, text, other, target):
    """Lines about what is worse in the automatic form, and how many kernels it has."""
    chosen = assemble(text, target)
    plain = assemble(other(text), target)
    if chosen is None or plain is None:
        return ["%s: does not compile" % label] if plain else [], 0
    lines = []
    for name, (spilled, messages) in chosen.items():
        plain_spilled, plain_messages = plain.get(name, [0, set()])
        if spilled and not plain_spilled:
            lines.append("%s: %s spills %d bytes, the other form none"
                         % (label, name, spilled))
        for message in sorted(messages - plain_messages):
            lines.append("%s: %s has %s, the other form not" % (label, name, message))
    return lines, len(chosen)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("--jobs", type=int, default=max(2, kernels.JOBS))
    options = parser.parse_args()
    substituted = load("protocol-proofs").substituted
    other = in_order if options.rotate else kernels.without_roles
    jobs = []
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            for text in substituted(file.read().replace("NUM_STAGES", "3")):
                jobs.append((os.path.basename(path), text))
    failures, count = [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = [pool.submit(compare, label, text, other, options.target)
                   for label, text in jobs]
        for result in results:
            lines, number = result.result()
            failures += lines
            count += number
            for line in lines:
                print(line, flush=True)
    print("%d kernels, %d worse by the compiler's choice" % (count, len(failures)))
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
