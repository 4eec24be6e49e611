#!/usr/bin/env python3
"""Compares a GPU with the emulator: runs every kernel that tests have left in a
folder (see collect.py) on both, each variant with all arguments that suit it, and
compares every tensor, byte by byte.

Results of approximate instructions may differ, in the tests that APPROXIMATE names,
by the bound that it gives for each of them. NaN equals NaN, whatever its bits.

Prints a line per run that differs and a table by test; --json writes all of it.
The exit status is 1 when a run failed, or differs by more than it may.

With --sanitizer=TOOL nothing is compared: a run of each variant is watched by that
tool of compute-sanitizer, and what it reports is a failure."""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

import numpy as np

import collect
import kernels

MAX_SECONDS = 120
UNFIT = re.compile(r": variant \d+, '.*', needs: ")

# Tests, or functions of them, whose kernels use approximate instructions (ex2, lg2, rcp, rsqrt, sin, tanh
# and what is made of them), and by how much the result of a GPU may differ from that
# of the emulator: so many units of the last place of the type that is stored, of a
# value whose magnitude is at least the second number.
APPROXIMATE = {
    "attention-tile": (1, 2.0**-3),
    "examples-attention": (1, 2.0**-3),
    "examples-attention-causal": (1, 2.0**-3),
    "persistent-kernels": (1, 2.0**-3),
    "math-functions": (4, 2.0**-126),
    "math-functions fast": (128, 2.0**-1),
    "math-types": (4, 2.0**-126),
    "examples-softmax": (4, 0),
}

LAST_PLACE = {"f8E4M3FN": 2.0**-3, "f8E5M2": 2.0**-2, "bf16": 2.0**-7,
              "f16": 2.0**-10, "f32": 2.0**-23, "f64": 2.0**-52}

IDENTICAL, WITHIN, DIFFERENT, FAILED, NOT_RUN, UNSUITED = (
    "identical", "within its bound", "different", "failed", "not run", "unsuited")


class Outcome:
    def __init__(self, kind, text="", error=0.0):
        self.kind, self.text, self.error = kind, text, error


class Run:
    """One variant of the launches of a host function, with one list of arguments."""

    def __init__(self, source, out, function, number, variant):
        self.source, self.function, self.variant = source, function, variant
        self.arguments, self.options = source.runs[function][number]
        self.json = os.path.join(out, function + ".json")
        self.base = os.path.join(out, "%s.%d.%s" % (function, number,
                                                   variant.replace(",", ".")))
        self.name = "%s %s(%s) variant %s" % (
            source.name, function, ", ".join(os.path.basename(a)
                                             for a in self.arguments), variant)

    def tensors(self):
        return [i for i, text in enumerate(self.arguments)
                if ":" in text and not text.startswith("same:")]

    def saved(self, where, number):
        return "%s.%s.%d.npy" % (self.base, where, number)

    def words(self, where, options):
        """The arguments of tile-run."""
        words = [self.json, *self.arguments, "--variant=" + self.variant,
                 "--" + where, *self.options, *options]
        for i in self.tensors():
            words += ["--save", "%d=%s" % (i, self.saved(where, i))]
        return words

    def execute(self, where, options):
        """(exit status, what it printed)"""
        return run_tile(self.words(where, options))

    def compare(self):
        """The outcome of two runs that are done."""
        with open(self.json, encoding="utf-8") as file:
            dtypes = [arg["dtype"] for arg in json.load(file)["args"]]
        test = self.source.name.split(" ")[0].split(".")[0]
        bound, least = APPROXIMATE.get(test + " " + self.function,
                                       APPROXIMATE.get(test, (0, 0)))
        worst, texts = 0.0, []
        for i in self.tensors():
            emulated, got = (np.load(self.saved(where, i))
                             for where in ("emulate", "gpu"))
            if np.array_equal(got.view(np.uint8), emulated.view(np.uint8)):
                continue
            error, text = measure(emulated, got, dtypes[i], least)
            if text:
                worst = max(worst, error)
                texts.append("argument %d, %s: %s" % (i, dtypes[i], text))
        if not texts:
            return Outcome(IDENTICAL)
        return Outcome(WITHIN if worst <= bound else DIFFERENT, "; ".join(texts), worst)

    def forget(self):
        for i in self.tensors():
            for where in ("emulate", "gpu"):
                if os.path.exists(self.saved(where, i)):
                    os.remove(self.saved(where, i))

    def emulate(self, deadline):
        """None, or why there is nothing to compare."""
        if time.monotonic() > deadline:
            return Outcome(NOT_RUN)
        status, text = self.execute("emulate", ["--no-races"])
        if status == 1 and UNFIT.search(text):
            return Outcome(UNSUITED)
        return Outcome(FAILED, "emulator: " + text[:300]) if status else None

    def judge(self, is_done):
        """`is_done`: the GPU has run it. If not, it may have been another one's
        mistake."""
        if not is_done:
            status, text = self.execute("gpu", [])
            if status != 0:
                return Outcome(FAILED, "GPU: " + text[:300])
        outcome = self.compare()
        self.forget()
        return outcome


def run_tile(words):
    """(exit status, what it printed)"""
    try:
        result = subprocess.run(["tile-run", *words], check=False, text=True,
                                capture_output=True, timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return 2, "takes more than %d seconds" % MAX_SECONDS
    return result.returncode, (result.stderr or result.stdout).strip()


def run_on_gpu(runs, path):
    """Whether each run was done, all by one program: starting a GPU takes long."""
    with open(path, "w", encoding="utf-8") as file:
        for run in runs:
            file.write("".join(w + "\n" for w in run.words("gpu", [])) + "\n")
    try:
        result = subprocess.run(["tile-run", "--batch", path], check=False, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return [False] * len(runs)
    codes = re.findall(r"^command \d+: exit status (\d+)", result.stdout, re.M)
    return [c == "0" for c in codes] + [False] * (len(runs) - len(codes))


def measure(emulated, got, dtype, least):
    """(largest error in units of the last place, text); no text if all are equal."""
    emulated, got = emulated.astype(np.float64), got.astype(np.float64)
    same = (emulated == got) | ((emulated != emulated) & (got != got))
    if same.all():
        return 0.0, ""
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.maximum(np.abs(emulated), max(least, 2.0**-1000))
        error = np.abs(got - emulated) / scale / LAST_PLACE.get(dtype, 1.0)
    error = np.where(same, 0.0, np.where(np.isfinite(error), error, np.inf))
    at = tuple(int(i) for i in np.unravel_index(np.argmax(error), error.shape))
    return float(error[at]), "%d of %d elements differ; most at %s: %s, emulator %s" % (
        np.count_nonzero(~same), same.size, list(at), got[at], emulated[at])


def variants(json_path):
    """--variant of each launch's variants; the other launches take what suits."""
    for number, launch in enumerate(kernels.read_launches(json_path)):
        for variant in range(1, len(launch["variants"]) + 1):
            yield ",".join(["0"] * number + [str(variant)])


def compile_source(source, out):
    os.makedirs(out, exist_ok=True)
    kernels.run_program(["tile-compile", source.path, "--target=" + source.target,
                         "-o", out, "--no-remarks", *source.options])


def make_runs(source, out):
    compile_source(source, out)
    return [Run(source, out, function, number, variant)
            for function, runs in source.runs.items()
            for number in range(len(runs))
            for variant in variants(os.path.join(out, function + ".json"))]


def sanitize(run, tool):
    """What compute-sanitizer says of a run."""
    words = [w for w in run.words("gpu", []) if w != "--save" and ".gpu." not in w]
    try:
        result = subprocess.run(
            ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", "tile-run",
             *words], check=False, capture_output=True, text=True, timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return Outcome(FAILED, "%s: takes more than %d seconds" % (tool, MAX_SECONDS))
    text = result.stdout + result.stderr
    if UNFIT.search(text):
        return Outcome(UNSUITED)
    if result.returncode:
        errors = [l for l in text.splitlines() if l.startswith("=========")]
        return Outcome(FAILED, "%s: %s" % (tool, " ".join(errors)[:300] or text[-300:]))
    return Outcome(IDENTICAL)


def sanitize_runs(runs, tool, deadline):
    """One run of each variant of each function: the first that suits."""
    done, outcomes = set(), []
    for run in runs:
        key = (run.function, run.variant)
        if key in done or time.monotonic() > deadline:
            continue
        outcomes.append((run, sanitize(run, tool)))
        if outcomes[-1][1].kind != UNSUITED:
            done.add(key)
    return outcomes


def judge_source(source, out, deadline, sanitizer):
    """(run or source, outcome) of each run."""
    if time.monotonic() > deadline:
        return [(source, Outcome(NOT_RUN))]
    try:
        runs = make_runs(source, out)
    except kernels.Failure as failure:
        return [(source, Outcome(FAILED, str(failure)[:300]))]
    if sanitizer:
        return sanitize_runs(runs, sanitizer, deadline)
    emulated = [(run, run.emulate(deadline)) for run in runs]
    comparable = [run for run, outcome in emulated if not outcome]
    done = run_on_gpu(comparable, os.path.join(out, "batch.txt"))
    return ([(run, outcome) for run, outcome in emulated if outcome]
            + [(run, run.judge(d)) for run, d in zip(comparable, done)])


#===-- Table -------------------------------------------------------------===#


class Totals:
    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)
        self.worst = collections.defaultdict(float)

    def add(self, source, outcomes):
        test, target = source.name.rsplit(" ", 1)
        key = (test.split(".")[0], target)
        self.rows[key]["kernels"] += 1
        for _, outcome in outcomes:
            self.rows[key][outcome.kind] += 1
            if np.isfinite(outcome.error):
                self.worst[key] = max(self.worst[key], outcome.error)

    def print_table(self):
        kinds = (IDENTICAL, WITHIN, DIFFERENT, FAILED, NOT_RUN)
        print("| Test | Target | Files | %s | Most |\n|---|---|---|%s---|" % (
            " | ".join(kinds), "---|" * len(kinds)))
        total = collections.Counter()
        for (test, target), row in sorted(self.rows.items()):
            total.update(row)
            print("| `%s` | %s | %d | %s | %s |" % (
                test, target, row["kernels"], " | ".join(str(row[k]) for k in kinds),
                "%.3g" % self.worst[test, target] if self.worst[test, target] else ""))
        print("%d files, %s" % (total["kernels"],
                                ", ".join("%d %s" % (total[k], k) for k in kinds)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", help="a folder of kernels")
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--only", default="", help="a regex of names")
    parser.add_argument("--seconds", type=float, default=1e9,
                        help="begin no run after this time")
    parser.add_argument("--sanitizer", help="memcheck, racecheck or synccheck")
    parser.add_argument("--json", help="write every outcome here")
    options = parser.parse_args()
    sources = [s for folder in options.kernels for s in collect.read_kernels(folder)
               if re.search(options.only, s.name)]
    totals, report = Totals(), []
    deadline = time.monotonic() + options.seconds
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(
            lambda s: judge_source(s, os.path.join(options.out, s.name.replace(" ", ".")),
                                   deadline, options.sanitizer), sources)
        for source, outcomes in zip(sources, results):
            totals.add(source, outcomes)
            for run, outcome in outcomes:
                if outcome.kind in (WITHIN, DIFFERENT, FAILED):
                    print("%s: %s: %s" % (outcome.kind.upper(), run.name, outcome.text))
                    sys.stdout.flush()
                report.append([run.name, outcome.kind, outcome.text])
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=0)
    totals.print_table()
    bad = sum(row[DIFFERENT] + row[FAILED] for row in totals.rows.values())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
