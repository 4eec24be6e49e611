#!/usr/bin/env python3
"""Removes one synchronisation at a time from a kernel and checks that the emulator
notices.

    --ir REGEX    one mutant per line of the program that matches, after the
                  passes on tile ops and before the kernels are lowered
    --ptx REGEX   one mutant per line of the PTX that matches
    --change REGEX=>TEXT   one mutant per line that matches as for --ir, with
                  TEXT in place of what matches

The unchanged kernel must run without findings, and every mutant must end with exit
status 2 under at least one of the seeds, but for as many as --redundant says.
Prints one line per mutant: what was removed and the first finding."""

import argparse
import os
import re
import subprocess
import sys

import kernels

SPLIT = "gpu-launch-sink-index-computations"  # the first pass that lowers
MAX_TEXT = 60


def pipelines(target, options=()):
    """The passes on tile ops, and those that follow, as pipelines of tile-opt."""
    text = kernels.run_program(["tile-compile", "--print-pipeline",
                                "--target=" + target, *options]).stdout.strip()
    passes = re.fullmatch(r"builtin\.module\((.*)\)", text).group(1)
    at = passes.index(SPLIT)
    return ["builtin.module(%s)" % p for p in (passes[:at - 1], passes[at:])]


def tile_opt(path, pipeline, out):
    kernels.run_program(["tile-opt", path, "--pass-pipeline=" + pipeline,
                         "-o", out])


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(lines))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.readlines()


class Kernel:
    def __init__(self, options):
        self.options = options
        self.out = options.out
        os.makedirs(self.out, exist_ok=True)
        self.upper, self.lower = pipelines(options.target)
        self.staged = os.path.join(self.out, "staged.mlir")
        tile_opt(options.file, self.upper, self.staged)
        write(self.staged, ["module attributes {tile.target = #nvvm.target<chip ="
                            ' "%s">} ' % options.target] +
              [re.sub(r"^module (attributes {.*?} )?", "", line)
               for line in read(self.staged)])

    def path(self, name):
        return os.path.join(self.out, name)

    def build(self, staged):
        """Lowers a program to PTX and metadata."""
        write(self.path("mutant.mlir"), staged)
        tile_opt(self.path("mutant.mlir"), self.lower, self.path("lowered.mlir"))
        kernels.run_program(["tile-compile", self.path("lowered.mlir"), "-o",
                             self.out, "--target=" + self.options.target,
                             "--ptxas=off", "--no-remarks", "--no-line-info"])

    def run(self):
        """(exit status, first finding) of the first run that fails, if any."""
        for arguments in self.options.args:
            result = subprocess.run(
                ["tile-run", self.path(self.options.function + ".json"),
                 *arguments, "--emulate", "--seeds=%d" % self.options.seeds],
                capture_output=True, text=True, check=False)
            if result.returncode != 0:
                finding = re.search(r"^\[.*\].*", result.stderr, re.M)
                return result.returncode, (finding.group(0) if finding
                                           else result.stderr.strip())
        return 0, "no finding"

    def matching_lines(self, lines, regex):
        """Numbers of the lines of the function that match."""
        inside = False
        for i, line in enumerate(lines):
            header = re.search(r"func\.func @(\w+)", line)
            if header:
                inside = header.group(1) == self.options.function
            if inside and re.search(regex, line):
                yield i

    def ir_mutants(self, regex):
        lines = read(self.staged)
        for i in self.matching_lines(lines, regex):
            self.build(lines[:i] + lines[i + 1:])
            yield "without " + short(lines[i].strip())

    def changed_mutants(self, rule):
        regex, text = rule.split("=>")
        lines = read(self.staged)
        for i in self.matching_lines(lines, regex):
            line = re.sub(regex, text, lines[i])
            self.build(lines[:i] + [line] + lines[i + 1:])
            yield "with " + short(line.strip())

    def ptx_mutants(self, regex):
        self.build(read(self.staged))
        path = self.path(self.options.function + ".ptx")
        lines = read(path)
        for i, line in enumerate(lines):
            if re.search(regex, line):
                write(path, lines[:i] + lines[i + 1:])
                yield "without " + short("%s (line %d)" % (line.strip(), i + 1))


def short(text):
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--target", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("--args", nargs="+", action="append", required=True,
                        help="arguments for tile-run; repeat for several runs")
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--ir", action="append", default=[])
    parser.add_argument("--ptx", action="append", default=[])
    parser.add_argument("--change", action="append", default=[])
    parser.add_argument("--redundant", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=8)
    options = parser.parse_args()

    num_survivors = num_mutants = 0
    try:
        kernel = Kernel(options)
        kernel.build(read(kernel.staged))
        status, finding = kernel.run()
        if status != 0:
            raise kernels.Failure("the kernel itself: " + finding)
        mutants = [kernel.ir_mutants(r) for r in options.ir]
        mutants += [kernel.changed_mutants(r) for r in options.change]
        mutants += [kernel.ptx_mutants(r) for r in options.ptx]
        for group in mutants:
            for removed in group:
                num_mutants += 1
                status, finding = kernel.run()
                caught = status == 2
                num_survivors += not caught
                print("%s %s: %s" % ("caught" if caught else "SURVIVED",
                                     removed, finding))
                sys.stdout.flush()
    except kernels.Failure as failure:
        sys.exit("FAILED: %s" % failure)
    print("%d mutants, %d survived" % (num_mutants, num_survivors))
    return num_survivors != options.redundant or num_mutants == 0


if __name__ == "__main__":
    sys.exit(main())
