#!/usr/bin/env python3
"""Breaks the barriers of kernels, at random, and checks that the proof refuses every
mutant that the emulator shows to be faulty.

The kernels are those that are named (see barriersubjects.py): what the compiler makes of
ws-kernels.py and of random programs, hand-written roles and blocks, functions of files.
A mutant has a mistake of barriermutants.py. What `tile-verify-channels` proves, with the
lines of tile.channel_barriers and without them, is lowered and executed for several trip
counts, masks and schedules: it must run without findings and compute what it should. A mutant
that computes something else, and the same under every schedule, is another program, not
broken barriers: these are counted apart.

Prints one line per kernel, and the sums."""

import argparse
import collections
import os
import random
import re
import sys

import barriermutants
import kernels
from barriersubjects import (PROOF, functions_of, lower, staged, subject, tile_opt,
                             without_channels)

SPLIT = "// -----\n"
SCHEDULES = ("mixed", "lazy", "priority", "eager")


def verdicts(programs, path, target):
    """Per program None when proved, "invalid", or the code of the refusal."""
    starts, line = [], 1
    with open(path, "w", encoding="utf-8") as file:
        for lines in programs:
            starts.append(line)
            file.write("".join(lines) + SPLIT)
            line += len(lines) + 1
    result = tile_opt(path, "--split-input-file", "-o", os.devnull,
                      "--%s=strict=true synced=true target=%s" % (PROOF, target))
    if result.returncode not in (0, 1):
        raise kernels.Failure("tile-opt ends with %d" % result.returncode)
    found = [None] * len(programs)
    for match in re.finditer(r"^[^\n]*?:(\d+):\d+: error: (.*)$", result.stderr, re.M):
        number = max(i for i, s in enumerate(starts) if s <= int(match.group(1)))
        code = re.search(r"\[tile-verify/([\w-]+)\]", match.group(2))
        found[number] = code.group(1) if code else "invalid"
    return found


def outcome(run, json_path, seed, schedule):
    """None, or what is wrong: the line of a finding, else numbers that differ."""
    try:
        run.run(json_path, seed, ["--schedule=" + schedule])
    except kernels.Failure as failure:
        lines = str(failure).strip().splitlines()
        return next((line for line in lines if re.match(r"\[[\w-]+\]", line)), lines[-1])
    return None


def fault(lines, one, out, options):
    """(what is wrong with an accepted mutant when it runs, or None; whether it is the
    same under every schedule)."""
    json_path = os.path.join(out, one.name + ".json")
    try:
        lower(lines, options.target, out)
    except kernels.Failure as failure:
        return str(failure).strip().splitlines()[-1], False
    for number, run in enumerate(one.runs()):
        for seed in range(1, options.seeds + 1):
            what = outcome(run, json_path, seed, SCHEDULES[(number + seed) % len(SCHEDULES)])
            if not what:
                continue
            alike = {outcome(run, json_path, seed, schedule) for schedule in SCHEDULES}
            return what, not what.startswith("[") and alike == {what}
    return None, False


class Found:
    """About one subject: counts of mutants, codes of refusals, (line, program) of each
    mistake that was missed, a line for each form of the kernel itself that is refused."""

    def __init__(self):
        self.counts, self.codes = collections.Counter(), collections.Counter()
        self.missed, self.unproved, self.num_others = [], [], 0


def judge(text, out, options):
    """None where the subject has no form with barriers."""
    os.makedirs(out, exist_ok=True)
    one, result = subject(text), Found()
    lines = staged(one, options.target, out)
    if lines is None:
        return None
    rng = random.Random("%s %d" % (text.rsplit("/", 1)[-1], options.seed))
    mutants = barriermutants.make_mutants(lines, options.count, rng,
                                          names=options.operators)
    mutants = [("itself", 0, lines)] + mutants
    forms = [("", lambda made: made)]
    if without_channels(lines) != lines:
        forms.append((", without channels", without_channels))
    accepted = set()
    for label, change in forms:
        found = verdicts([change(made) for _, _, made in mutants],
                         os.path.join(out, "all.mlir"), options.target)
        if found[0]:
            result.unproved.append("not proved: %s%s: %s" % (text, label, found[0]))
        for number, verdict in list(enumerate(found))[1:]:
            result.counts["invalid" if verdict == "invalid" else
                          "refused" if verdict else "accepted"] += 1
            if verdict not in (None, "invalid"):
                result.codes[verdict] += 1
            if not verdict:
                accepted.add(number)
    for number in sorted(accepted):
        operator, at, made = mutants[number]
        what, is_other = fault(made, one, out, options)
        result.num_others += is_other
        if what and not is_other:
            result.missed.append(("MISSED %s, %s of '%s': %s" % (
                text, operator, lines[at].strip()[:60], what[:200]), made))
    return result


def report(texts, results, out):
    """Prints a line per subject and the sums; the exit status."""
    sums = Found()
    for text, found in zip(texts, results):
        if found is None:
            continue
        sums.unproved += found.unproved
        for line in found.unproved:
            print(line)
        for line, program in found.missed:
            print(line)
            sums.missed.append(line)
            with open(os.path.join(out, "missed-%d.mlir" % len(sums.missed)), "w",
                      encoding="utf-8") as file:
                file.write("".join(program))
        sums.counts.update(found.counts)
        sums.codes.update(found.codes)
        sums.num_others += found.num_others
        print("%s: %s" % (text, ", ".join("%d %s" % (found.counts[k], k)
                                          for k in sorted(found.counts))), flush=True)
    refused, accepted = sums.counts["refused"], sums.counts["accepted"]
    print("codes: " + ", ".join("%s %d" % item for item in sums.codes.most_common()))
    print("%d accepted ones are other programs" % sums.num_others)
    print("%d kernels themselves are not proved" % len(sums.unproved))
    print("%d mutants: %d refused, %d accepted, %d of these faulty"
          % (refused + accepted, refused, accepted, len(sums.missed)))
    return 1 if sums.missed or not refused else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*")
    parser.add_argument("--file", action="append", default=[],
                        help="each of its functions that has cases")
    parser.add_argument("--noroles", action="store_true",
                        help="each subject once more without roles of the compiler")
    parser.add_argument("--operators", type=lambda text: text.split(","),
                        help="comma list; all when none is given")
    parser.add_argument("--count", type=int, default=50, help="mutants of a kernel")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3, help="schedules of a run")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    subjects = options.subjects + ["file:%s:%s" % (path, name) for path in options.file
                                   for name in functions_of(path)]
    texts = [text + suffix for text in subjects
             for suffix in (["", " noroles"] if options.noroles else [""])]
    results = kernels.each(lambda one: judge(one[1], os.path.join(options.out, str(one[0])),
                                             options), enumerate(texts))
    return report(texts, results, options.out)


if __name__ == "__main__":
    sys.exit(main())
