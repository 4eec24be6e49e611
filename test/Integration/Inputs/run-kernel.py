#!/usr/bin/env python3
"""Compiles a file of kernels, runs its host functions on the emulator and
compares every tensor with what Python computes.

The file says in comments what to run:

    // CASE: scale(A=ints:70x50:f32, s=2, B=junk:70x50:bf16@64+3)
    // CASE: …                          further arguments for the same check
    // EXPECT: B = A * s                Python; names are the arguments
    // WITHIN: B = 2**-21               bound on the relative error of a tensor
    // WITHIN: B = 2**-8, 1             the same, of values of at least 1

A tensor is KIND:SHAPE:TYPE[@STRIDES+OFFSET] with kind ints, normal, wide,
count, pairs, zeros, ones or junk (see kernels.py). EXPECT lines assign the tensors
that change, and result0, result1, ... that the function returns; all others must
keep their values. `np` is numpy and
`round_to(x, dtype)` rounds as the type does. Each case runs with several
schedules of the emulator (see kernels.py); every run must be without findings. --cases names
another file for the comments, in which they may also start with #. --persist
asks each launch that says nothing of it to loop over tiles. --co-resident is for
kernels whose blocks wait for each other. --planned-first runs
tile-pipeline-planning and tile-ws-tiled on the file, and compiles what they make
of it."""

import argparse
import collections
import itertools
import os
import re
import sys

import numpy as np

import kernels

Result = collections.namedtuple("Result", "name dtype")


class Case:
    def __init__(self, text):
        match = re.fullmatch(r"(\w+)\((.*)\)\s*", text)
        if not match:
            raise kernels.Failure("no case: '%s'" % text)
        self.text = match.group(0).strip()
        self.function = match.group(1)
        parts = [p.strip().split("=", 1) for p in match.group(2).split(",") if p]
        self.arguments = [kernels.make_argument(*p) for p in parts]
        self.expect = []

    def expected(self):
        names = {a.name: np.array(a.values) for a in self.arguments}
        names.update(np=np, round_to=kernels.round_to, bound={})
        exec("\n".join(self.expect), names)  # the test's own text
        return names

    def run(self, json_path, seed, options=()):
        expected = self.expected()
        results, _ = kernels.run_function(json_path, self.arguments, seed, options)
        for argument in self.arguments:
            if isinstance(argument, kernels.Tensor):
                check_tensor(argument, results[argument.name], expected)
        for i, result in enumerate(kernels.read_results(json_path)):
            check_tensor(Result("result%d" % i, result["dtype"].replace("index", "i64")),
                         results["result%d" % i], expected)


def read_cases(path):
    cases, group, has_expect = [], [], False
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"\s*(?://|#) (CASE|EXPECT|WITHIN):( ?)(.*)", line)
            if not match:
                continue
            if match.group(1) == "CASE":
                if has_expect:
                    group, has_expect = [], False
                group.append(Case(match.group(3)))
                cases.append(group[-1])
                continue
            has_expect = True
            text = match.group(3)
            if match.group(1) == "WITHIN":
                text = re.sub(r"(\w+) *=", r'bound["\1"] =', text)
            for case in group:
                case.expect.append(text)
    if not cases:
        raise kernels.Failure("%s has no CASE" % path)
    return cases


def check_tensor(argument, got, expected):
    name = argument.name
    if name in expected["bound"]:
        bound = expected["bound"][name]
        kernels.compare_near(name, got, np.asarray(expected[name]),
                             *(bound if isinstance(bound, tuple) else (bound,)))
        return
    kernels.compare(name, argument.dtype, got, expected[name])


def write_persistent(path, out):
    """A copy of the file whose kernels ask for a loop over tiles."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    parts = re.split(r"(gpu\.launch [^{]*\{\n)", text)
    for i in range(2, len(parts), 2):
        if "tile.kernel_config" not in parts[i].split("gpu.terminator")[0]:
            parts[i] = "    tile.kernel_config {persist = true}\n" + parts[i]
    copy = os.path.join(out, os.path.basename(path))
    with open(copy, "w", encoding="utf-8") as file:
        file.write("".join(parts))
    return copy


def write_planned(path, target, out):
    """What the two passes make of the file, which none has seen before."""
    made = os.path.join(out, os.path.basename(path))
    kernels.run_program(["tile-opt", path, "--tile-pipeline-planning",
                         "--tile-ws-tiled=target=" + target, "-o", made])
    return made


def run_case(case, out, seeds, sms, options=()):
    json_path = os.path.join(out, case.function + ".json")
    for seed, count in itertools.product(seeds, sms):
        case.run(json_path, seed, ["--sms=" + count, *options])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--cases", help="the file that says what to run [FILE]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sms", default="132",
                        help="comma list of numbers of multiprocessors [132]")
    parser.add_argument("--persist", action="store_true")
    parser.add_argument("--co-resident", action="store_true",
                        help="run blocks at the same time")
    parser.add_argument("--planned-first", action="store_true")
    parser.add_argument("--no-ptxas", action="store_true",
                        help="leave out the assembler's opinion")
    options = parser.parse_args()

    num_failed = 0
    for target in options.target:
        out = os.path.join(options.out, target)
        os.makedirs(out, exist_ok=True)
        source = (write_persistent(options.file, out) if options.persist
                  else options.file)
        try:
            if options.planned_first:
                source = write_planned(source, target, out)
            kernels.compile_file(source, target, out,
                                 ["--ptxas=off"] if options.no_ptxas else [])
            cases = read_cases(options.cases or options.file)
        except kernels.Failure as failure:
            print("FAILED %s: %s" % (target, failure))
            num_failed += 1
            continue
        for number, case in enumerate(cases):
            if target not in kernels.targets(options.target, number):
                continue
            try:
                run_case(case, out, kernels.schedules(options.seeds, number),
                         options.sms.split(","),
                         ["--co-resident"] if options.co_resident else [])
                print("ok %s %s" % (target, case.text))
            except kernels.Failure as failure:
                print("FAILED %s %s: %s" % (target, case.text, failure))
                num_failed += 1
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
