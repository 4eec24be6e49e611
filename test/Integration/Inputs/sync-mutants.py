#!/usr/bin/env python3
"""Takes one thread barrier or proxy fence at a time out of kernels and checks that
the emulator notices.

Each file is one of this folder's, with `// CASE:` comments that say what to run
(see run-kernel.py). It goes through the passes on tile ops; every line of the
result that matches --ir makes a copy of its function without the line, and all
copies are lowered together. The functions themselves must run without findings,
and every copy must end with exit status 2 in one of the cases, under one of the
seeds. A line in a variant that no case takes is counted as not reached.

A copy that survives must at least compute the same: then the line orders nothing
that these cases need ordered, as where each thread reads what it has written.

Prints a line per function, and one per copy that survived. With --all the files are
all in a folder that have cases, each for the targets of its own RUN line."""

import argparse
import os
import re
import subprocess
import sys

import numpy as np

import kernels
import mutate

LAUNCH = re.compile(r"\bgpu\.launch\b")


def read_cases(path):
    """The arguments of each CASE, by function."""
    cases = {}
    with open(path, encoding="utf-8") as file:
        for name, text in re.findall(r"// CASE: (\w+)\((.*)\)", file.read()):
            parts = [p.strip().split("=", 1) for p in text.split(",")]
            cases.setdefault(name, []).append(
                [kernels.make_argument(*p) for p in parts])
    return cases


def split_functions(lines):
    """Lines by function, and those around them in front."""
    functions, head, name = {}, [], None
    for line in lines:
        match = re.match(r"  func\.func @(\w+)", line)
        if match:
            name = match.group(1)
            functions[name] = []
        if name:
            functions[name].append(line)
        elif line.rstrip() != "}":
            head.append(line)
        if line.rstrip() == "  }":
            name = None
    return head, functions


class Mutant:
    def __init__(self, function, lines, at):
        self.function = function
        self.name = "%s_%d" % (function, at)
        self.removed = lines[at].strip()
        self.place = next(l.strip() for l in lines[at + 1:]
                          if " = tile.region" not in l)
        self.variant = sum(bool(LAUNCH.search(l)) for l in lines[:at])
        self.lines = lines[:at] + lines[at + 1:]
        self.lines[0] = self.lines[0].replace("@" + function, "@" + self.name)


class File:
    def __init__(self, path, target, out, options):
        self.cases = {name: cases for name, cases in read_cases(path).items()
                      if re.match(options.functions, name)}
        self.out = out
        self.options = options
        os.makedirs(out, exist_ok=True)
        upper, lower = mutate.pipelines(target)
        staged = os.path.join(out, "staged.mlir")
        mutate.tile_opt(path, upper, staged)
        head, self.functions = split_functions(mutate.read(staged))
        head = [re.sub(r"^module (attributes {.*?} )?", "module attributes "
                       '{tile.target = #nvvm.target<chip = "%s">} ' % target, l)
                for l in head]
        self.mutants = [Mutant(name, lines, i)
                        for name, lines in self.functions.items()
                        if name in self.cases
                        for i, line in enumerate(lines)
                        if re.search(options.ir, line)]
        text = head + sum([lines for name, lines in self.functions.items()
                           if name in self.cases], [])
        text += sum([m.lines for m in self.mutants], []) + ["}\n"]
        mutate.write(staged, text)
        lowered = os.path.join(out, "lowered.mlir")
        mutate.tile_opt(staged, lower, lowered)
        kernels.run_program(["tile-compile", lowered, "-o", out, "--target=" +
                             target, "--ptxas=off", "--no-remarks",
                             "--no-line-info"])

    def saved(self, name, case, number):
        return os.path.join(self.out, "%s.%d.%d.out.npy" % (name, case, number))

    def check_same(self, mutant, case):
        """Raises Failure where the copy computed something else."""
        for i, argument in enumerate(self.cases[mutant.function][case]):
            if isinstance(argument, kernels.Tensor):
                got, expected = (np.load(self.saved(name, case, i)) for name in
                                 (mutant.name, mutant.function))
                kernels.compare("%s without %s in front of %s, without a finding: %s"
                                % (mutant.name, mutant.removed, mutant.place,
                                   argument.name), argument.dtype, got, expected)

    def run(self, name, function, case):
        """(exit status, variants taken, first finding)"""
        command = ["tile-run", os.path.join(self.out, name + ".json")]
        for i, argument in enumerate(self.cases[function][case]):
            path = os.path.join(self.out, "%s.%d.%d.npy" % (function, case, i))
            if isinstance(argument, kernels.Scalar):
                command.append(argument.text)
                continue
            command.append(argument.write(path))
            command += ["--save", "%d=%s" % (i, self.saved(name, case, i))]
        command += ["--emulate", "--verbose", "--seeds=%d" % self.options.seeds,
                    *self.options.run]
        result = subprocess.run(command, capture_output=True, text=True,
                                check=False)
        finding = re.search(r"^\[.*\].*", result.stderr, re.M)
        return (result.returncode,
                {int(v) for v in re.findall(r"\(variant (\d+) of",
                                            result.stdout)},
                finding.group(0) if finding else result.stderr.strip())

    def check(self):
        """(mutants caught, survived, not reached) by function."""
        counts = {}
        for name, cases in self.cases.items():
            count = counts[name] = [0, 0, 0]
            taken = []
            for case in range(len(cases)):
                status, variants, finding = self.run(name, name, case)
                if status != 0:
                    raise kernels.Failure("%s itself: %s" % (name, finding))
                taken.append(variants)
            for mutant in self.mutants:
                if mutant.function == name:
                    count[self.judge(mutant, taken)] += 1
        return counts

    def judge(self, mutant, taken):
        cases = [c for c, variants in enumerate(taken)
                 if not variants or mutant.variant in variants]
        for case in cases:
            status, _, finding = self.run(mutant.name, mutant.function, case)
            if status == 2:
                if self.options.verbose:
                    print("caught %s: %s: %s" % (mutant.name, mutant.removed,
                                                 finding))
                return 0
            if status != 0:
                raise kernels.Failure("%s: %s" % (mutant.name, finding))
            self.check_same(mutant, case)
        if not cases:
            return 2
        print("SURVIVED %s: %s, in front of %s" % (
            mutant.name, mutant.removed, mutant.place))
        return 1


def jobs(options):
    """Each file with each of its targets."""
    if not options.all:
        yield from ((path, t) for path in options.files for t in options.target)
        return
    for folder in options.files:
        for entry in sorted(os.listdir(folder)):
            path = os.path.join(folder, entry)
            if not entry.endswith(".mlir") or entry == "messages.mlir":
                continue  # its kernels are stopped by assertions
            with open(path, encoding="utf-8") as file:
                lines = file.readlines()
            if any(re.search(r"// CASE: .*:[A-Zx]*[A-Z]{2}", l) for l in lines):
                continue  # its sizes are filled in
            run = "".join(l for l in lines if "run-kernel.py" in l)
            for target in sorted(set(re.findall(r"--target=(sm_\w+)", run))):
                yield path, target


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--ir", default=r"tile\.barrier_sync|tile\.fence_proxy")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--functions", default="", help="a regex of names")
    parser.add_argument("--run", action="append", default=[],
                        help="an option for tile-run")
    parser.add_argument("--survivors", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    totals = [0, 0, 0]
    try:
        for path, target in jobs(options):
            base = os.path.splitext(os.path.basename(path))[0]
            out = os.path.join(options.out, base, target)
            counts = File(path, target, out, options).check()
            for name, count in counts.items():
                totals = [a + b for a, b in zip(totals, count)]
                print("%s %s %s: %d caught, %d survived, %d not reached" % (
                    base, target, name, *count))
            sys.stdout.flush()
    except kernels.Failure as failure:
        sys.exit("FAILED: %s" % failure)
    print("%d caught, %d survived, %d not reached" % tuple(totals))
    known = totals[1] == options.survivors or options.all
    return totals[0] == 0 or not known


if __name__ == "__main__":
    sys.exit(main())
