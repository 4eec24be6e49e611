#!/usr/bin/env python3
"""Compares a GPU with the emulator: runs every kernel that tests have left in a
folder (see collect.py) on both, each variant with all arguments that suit it, and
compares every tensor, byte by byte.

Results of approximate instructions may differ, in the tests that APPROXIMATE names,
by the bound that it gives for each of them. NaN equals NaN, whatever its bits.

Prints a line per run that differs and a table by test; --json writes all of it.
The exit status is 1 when a run failed, or differs by more than it may.

With --sanitizer=TOOL nothing is compared: a run of each variant is watched by that
tool of compute-sanitizer, and what it reports is a failure.

A machine may be there for some minutes only: --seconds ends in time and counts what
was not run; the file of --json has a line per kernel as soon as it is done, and
--done takes such files: their kernels are not run again, but are in the table."""

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
LAST_SECONDS = 15  # what has begun at the deadline may take so long
CHUNK_RUNS = 30    # so many runs start a GPU once: starting it takes long
UNFIT = re.compile(r": variant \d+, '.*', needs: ")

# Of racecheck: an order of two threads of a warp that the tool does not see. ptxas has
# the whole warp initialise an mbarrier that thread 0 then uses.
WARNINGS = re.compile(r"RACECHECK SUMMARY: .*\(0 errors, \d+ warnings?\)")

# Tests, or functions of them, whose kernels use approximate instructions (ex2, lg2, rcp, rsqrt, sin, tanh
# and what is made of them), and by how much the result of a GPU may differ from that
# of the emulator: so many units of the last place of the type that is stored, of a
# value whose magnitude is at least the second number.
APPROXIMATE = {
    "attention-tile": (1, 2.0**-3),
    "examples-attention": (1, 2.0**-3),
    "examples-attention-causal": (1, 2.0**-3),
    "persistent-kernels": (1, 2.0**-3),
    "planned-first attention": (1, 2.0**-3),
    "planned-first attention_causal": (1, 2.0**-3),
    "planned-first softmax": (4, 0),
    "math-functions": (4, 2.0**-126),
    "math-functions fast": (128, 2.0**-1),
    "math-types": (4, 2.0**-126),
    "examples-softmax": (4, 0),
    "reduce-by softmax": (4, 0),
}

LAST_PLACE = {"f8E4M3FN": 2.0**-3, "f8E5M2": 2.0**-2, "bf16": 2.0**-7,
              "f16": 2.0**-10, "f32": 2.0**-23, "f64": 2.0**-52}

IDENTICAL, WITHIN, DIFFERENT, FAILED, NOT_RUN, UNSUITED = (
    "identical", "within its bound", "different", "failed", "not run", "unsuited")


class Outcome:
    def __init__(self, kind, text="", error=0.0):
        self.kind, self.text, self.error = kind, text, error


class Clock:
    """When to stop, and how many seconds of all threads each kind of work took."""

    def __init__(self, seconds):
        self.deadline = time.monotonic() + seconds
        self.spent = collections.Counter()

    def is_over(self):
        return time.monotonic() > self.deadline

    def run(self, kind, words, **streams):
        """A finished process; None: it took too long."""
        start = time.monotonic()
        limit = max(1, min(MAX_SECONDS, self.deadline + LAST_SECONDS - start))
        try:
            return subprocess.run(words, check=False, text=True, timeout=limit,
                                  **streams)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.spent[kind] += time.monotonic() - start

    def too_long(self):
        """The outcome of a run that took too long."""
        if self.is_over():
            return Outcome(NOT_RUN)
        return Outcome(FAILED, "takes more than %d seconds" % MAX_SECONDS)


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

    def words(self, where, options, is_saving=True):
        """The arguments of tile-run."""
        words = [self.json, *self.arguments, "--variant=" + self.variant,
                 "--" + where, *self.options, *options]
        for i in self.tensors() if is_saving else ():
            words += ["--save", "%d=%s" % (i, self.saved(where, i))]
        return words

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

    def emulate(self, clock):
        """None, or why there is nothing to compare."""
        if clock.is_over():
            return Outcome(NOT_RUN)
        result = clock.run("emulator", ["tile-run", *self.words("emulate", ["--no-races"])],
                           capture_output=True)
        if not result:
            return clock.too_long()
        text = (result.stderr or result.stdout).strip()
        if result.returncode == 1 and UNFIT.search(text):
            return Outcome(UNSUITED)
        return Outcome(FAILED, "emulator: " + text[:300]) if result.returncode else None

    def judge(self, is_done, clock):
        """`is_done`: the GPU has run it. If not, it may have been another one's
        mistake."""
        if not is_done:
            result = clock.run("GPU", ["tile-run", *self.words("gpu", [])],
                               capture_output=True)
            if not result:
                return clock.too_long()
            if result.returncode != 0:
                return Outcome(FAILED, "GPU: " + (result.stderr or result.stdout)[:300])
        outcome = self.compare()
        self.forget()
        return outcome


def run_batch(runs, path, clock, tool=(), is_saving=True):
    """(exit status of each run, or None; that of all), all by one program."""
    with open(path, "w", encoding="utf-8") as file:
        for run in runs:
            file.write("".join(w + "\n" for w in run.words("gpu", [], is_saving)) + "\n")
    result = clock.run("GPU", [*tool, "tile-run", "--batch", path],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = result.stdout if result else ""
    codes = [int(c) for c in re.findall(r"^command \d+: exit status (\d+)", text, re.M)]
    return (codes + [None] * (len(runs) - len(codes)),
            result.returncode if result else None)


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


def make_runs(source, out, clock):
    """Those of a kernel that is compiled; without machine code where the driver makes
    it from the PTX."""
    os.makedirs(out, exist_ok=True)
    words = ["tile-compile", source.path, "--target=" + source.target, "-o", out,
             "--no-remarks", *source.options]
    if not source.target.startswith("sm_90"):
        words.append("--ptxas=off")
    result = clock.run("compiler", words, capture_output=True)
    if not result:
        return [], clock.too_long()
    if result.returncode:
        return [], Outcome(FAILED, result.stderr[:300])
    return [Run(source, out, function, number, variant)
            for function, runs in source.runs.items()
            for number in range(len(runs))
            for variant in variants(os.path.join(out, function + ".json"))], None


def compare_runs(runs, out, clock, pool):
    """(run, outcome) of each run, on the emulator and a GPU."""
    emulated = list(zip(runs, pool.map(lambda run: run.emulate(clock), runs)))
    comparable = [run for run, outcome in emulated if not outcome]
    codes = []
    if comparable:
        codes, _ = run_batch(comparable, os.path.join(out, "batch.txt"), clock)
    return ([(run, outcome) for run, outcome in emulated if outcome]
            + [(run, run.judge(code == 0, clock))
               for run, code in zip(comparable, codes)])


def sanitize(run, tool, clock):
    """What compute-sanitizer says of a run."""
    result = clock.run("GPU", [*tool, "tile-run", *run.words("gpu", [], False)],
                       capture_output=True)
    if not result:
        return clock.too_long()
    text = result.stdout + result.stderr
    if UNFIT.search(text):
        return Outcome(UNSUITED)
    if result.returncode == 99 and WARNINGS.search(text):
        return Outcome(WITHIN, "warnings of the tool")
    if result.returncode:
        errors = [l for l in text.splitlines() if l.startswith("=========")]
        return Outcome(FAILED, "%s: %s" % (tool[2], " ".join(errors)[:300] or text[-300:]))
    return Outcome(IDENTICAL)


def sanitize_runs(runs, out, clock, tool):
    """One run of each variant of each function: the first that suits. All runs whose
    turn it is are one program; when that has a mistake each is tried alone."""
    tool = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99"]
    waiting, outcomes = collections.defaultdict(list), []
    for run in runs:
        waiting[run.source.name, run.function, run.variant].append(run)
    while waiting:
        if clock.is_over():
            return outcomes + [(r[0], Outcome(NOT_RUN)) for r in waiting.values()]
        now = [r[0] for r in waiting.values()]
        codes, code = run_batch(now, os.path.join(out, "batch.txt"), clock, tool, False)
        is_clean = code in (0, 1)
        for key, run, status in zip(list(waiting), now, codes):
            outcome = Outcome(IDENTICAL if status == 0 else UNSUITED)
            if not is_clean or status not in (0, 1):
                outcome = sanitize(run, tool, clock)
            outcomes.append((run, outcome))
            waiting[key].pop(0)
            if outcome.kind != UNSUITED or not waiting[key]:
                del waiting[key]
    return outcomes


def judge_chunk(sources, out, clock, pool, sanitizer):
    """(source, outcomes: of each run, or of the source) of each source."""
    outcomes, runs = {source: [] for source in sources}, []
    for source in sources:
        if clock.is_over():
            outcomes[source].append((source, Outcome(NOT_RUN)))
            continue
        made, outcome = make_runs(
            source, os.path.join(out, source.name.replace(" ", ".")), clock)
        runs += made
        if outcome:
            outcomes[source].append((source, outcome))
    out = os.path.join(out, sources[0].name.replace(" ", "."))
    done = (sanitize_runs(runs, out, clock, sanitizer) if sanitizer
            else compare_runs(runs, out, clock, pool))
    for run, outcome in done:
        outcomes[run.source].append((run, outcome))
    return outcomes.items()


def make_chunks(sources):
    """Lists of sources with about as many runs each."""
    chunks, count = [[]], 0
    for source in sources:
        if count >= CHUNK_RUNS:
            chunks, count = chunks + [[]], 0
        chunks[-1].append(source)
        count += sum(len(runs) for runs in source.runs.values())
    return [chunk for chunk in chunks if chunk]


#===-- Table -------------------------------------------------------------===#


class Totals:
    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)
        self.worst = collections.defaultdict(float)

    def add(self, name, outcomes):
        """The outcomes of a source: [name of the run, kind, text, error] each."""
        test, target = name.rsplit(" ", 1)
        key = (test.split(".")[0], target)
        self.rows[key]["kernels"] += 1
        for _, kind, _, error in outcomes:
            self.rows[key][kind] += 1
            if np.isfinite(error):
                self.worst[key] = max(self.worst[key], error)

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


def read_done(paths):
    """The outcomes of sources that earlier runs have finished."""
    done = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, outcomes = json.loads(line)
                if all(kind != NOT_RUN for _, kind, _, _ in outcomes):
                    done[name] = outcomes
    return done


def read_sources(options):
    """Those to run, beginning with --begin."""
    sources = [s for folder in options.kernels for s in collect.read_kernels(folder)
               if re.search(options.only, s.name)]
    return sorted(sources, key=lambda s: s.name < options.begin)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", help="a folder of kernels")
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--only", default="", help="a regex of names")
    parser.add_argument("--begin", default="",
                        help="with the test of this name; those before it come last")
    parser.add_argument("--seconds", type=float, default=1e9,
                        help="begin no run after this time")
    parser.add_argument("--sanitizer", help="memcheck, racecheck or synccheck")
    parser.add_argument("--json", help="write every outcome here")
    parser.add_argument("--done", action="append", default=[],
                        help="what --json has written")
    options = parser.parse_args()
    clock, totals = Clock(options.seconds), Totals()
    done = read_done(options.done)
    for name, outcomes in done.items():
        totals.add(name, outcomes)
    chunks = make_chunks([s for s in read_sources(options) if s.name not in done])
    with open(options.json or os.devnull, "w", encoding="utf-8") as report, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as emulators, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(judge_chunk, chunk, options.out, clock, emulators,
                               options.sanitizer) for chunk in chunks]
        for future in concurrent.futures.as_completed(futures):
            for source, outcomes in future.result():
                rows = [[run.name, o.kind, o.text, o.error] for run, o in outcomes]
                totals.add(source.name, rows)
                report.write(json.dumps([source.name, rows]) + "\n")
                for name, kind, text, _ in rows:
                    if kind in (WITHIN, DIFFERENT, FAILED):
                        print("%s: %s: %s" % (kind.upper(), name, text))
            report.flush()
            sys.stdout.flush()
    totals.print_table()
    print("seconds: " + ", ".join("%s %.0f" % item for item in sorted(clock.spent.items())))
    bad = sum(row[DIFFERENT] + row[FAILED] for row in totals.rows.values())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
