#!/usr/bin/env python3
"""Breaks the barriers of kernels with roles, at random, and checks that the proof
refuses every mutant that the emulator shows to be faulty.

The kernels are those of ws-kernels.py, the functions with cases of the files that
--file names (run-kernel.py) and those of --programs (random-programs.py), with the barriers that tile-lower-channels made of
channels; with --own those are broken that no channel has, too. A mutant has one line
dropped, doubled, moved or changed. What `tile-verify-channels` proves is lowered and
executed for several trip counts, masks and schedules: it must run without findings and
compute what it should.

Prints one line per kernel, and the sums."""

import argparse
import collections
import importlib.util
import os
import random
import re
import subprocess
import sys

import kernels



def load(name):
    path = os.path.join(os.path.dirname(__file__), name + ".py")
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ws, cases_of, programs = load("ws-kernels"), load("run-kernel"), load("random-programs")

PROOF = "tile-verify-channels"
BARRIER = re.compile(r"tile\.(barrier_(wait|arrive|expect)|fence_proxy|tma_wait|turn)\b")
SPLIT = "// -----\n"


def pipelines(target):
    """The passes up to the proof, and those behind it."""
    text = kernels.run_program(["tile-compile", "--print-pipeline",
                                "--target=" + target]).stdout.strip()
    passes = re.fullmatch(r"builtin\.module\((.*)\)", text).group(1)
    at = passes.index(PROOF)
    behind = passes[at:].split(",", 1)[1]
    return "builtin.module(%s)" % passes[:at - 1], "builtin.module(%s)" % behind


def tile_opt(path, *arguments):
    return subprocess.run(["tile-opt", path, *arguments], capture_output=True,
                          text=True, check=False)


#===-- Mutants ---------------------------------------------------------------===#

def change(pattern, text):
    """An operator that changes one match in a line."""
    def apply(lines, i, rng):
        matches = list(re.finditer(pattern, lines[i]))
        if not matches:
            return None
        match = rng.choice(matches)
        new = text(match, rng) if callable(text) else match.expand(text)
        return lines[:i] + [lines[i][:match.start()] + new +
                            lines[i][match.end():]] + lines[i + 1:]
    return apply


def drop(lines, i, _):
    return lines[:i] + lines[i + 1:] if BARRIER.search(lines[i]) else None


def double(lines, i, _):
    return lines[:i + 1] + lines[i:] if BARRIER.search(lines[i]) else None


def move(lines, i, rng):
    if not BARRIER.search(lines[i]):
        return None
    to = max(1, min(len(lines) - 2, i + rng.choice([-6, -4, -3, -2, -1, 1, 2, 3, 4, 6])))
    if any("gpu." in line for line in lines[min(i, to):max(i, to) + 1]):
        return None # out of the kernel
    rest = lines[:i] + lines[i + 1:]
    return rest[:to] + [lines[i]] + rest[to:]


def by(delta):
    return lambda match, rng: match.group(1) + str(
        max(1, int(match.group(2)) + rng.choice([-delta, delta])))


def flip(lines, i, _):
    match = re.search(r"parity (%\w+)", lines[i])
    if not match:
        return None
    return lines[:i] + [
        "%%mutant_flip = arith.xori %s, %%mutant_one : i32\n" % match.group(1),
        lines[i].replace(match.group(0), "parity %mutant_flip")] + lines[i + 1:]


def barriers_of_channels(lines):
    return {name for line in lines for name in
            sum(re.findall(r"full (%\w+) empty (%\w+)", line), ())}


def bound(lines, i, rng):
    """Of a loop with barriers of channels: others are the program's own business."""
    match = re.match(r"( *)(.* = )?scf\.for", lines[i])
    if not match:
        return None
    end = next(j for j in range(i + 1, len(lines)) if lines[j].startswith(match.group(1) + "}"))
    ours = barriers_of_channels(lines)
    if not any(BARRIER.search(line) and ours & set(re.findall(r"%\w+", line))
               for line in lines[i:end]):
        return None
    return change(r"(scf\.for %\w+ = )%\w+ to", r"\1%mutant_slot to")(lines, i, rng)


def next_slot(lines, i, _):
    match = re.search(r"(barrier_\w+ %\w+|signal %\w+)\[(%\w+)\]", lines[i])
    if not match:
        return None
    return lines[:i] + [
        "%%mutant_next = arith.addi %s, %%mutant_step : index\n" % match.group(2),
        "%mutant_other = arith.remui %mutant_next, %mutant_two : index\n",
        lines[i].replace(match.group(0), match.group(1) + "[%mutant_other]")
    ] + lines[i + 1:]


def positions(lines):
    """Values that slots and parities of barriers are computed from."""
    names = {name for line in lines if "tile.barrier_" in line or "signal" in line
             for name in re.findall(r"(?:\[|parity )(%\w+)", line)}
    for line in reversed(lines):
        match = re.match(r" *(%\w+) = arith\.(.*)", line)
        if match and match.group(1) in names:
            names |= set(re.findall(r"%\w+", match.group(2)))
    return names


def residue(lines, i, rng):
    match = re.match(r" *(%\w+) = arith\.(?:remui|divui)", lines[i])
    if not match or match.group(1) not in positions(lines):
        return None
    return change(r"(arith\.(?:remui|divui) %\w+, )%\w+", r"\1%mutant_two")(lines, i, rng)


def swap(lines, i, _):
    """With the access behind it, or in front of it."""
    if not BARRIER.search(lines[i]):
        return None
    for k in list(range(i + 1, len(lines))) + list(range(i - 1, 0, -1)):
        if "tile.copy" in lines[k] or "tile.parallel" in lines[k]:
            result = list(lines)
            result[i], result[k] = lines[k], lines[i]
            return result
        if k > i and "}" in lines[k]:
            return None
    return None


OPERATORS = {
    "drop": drop, "double": double, "move": move,
    "count": change(r"(arrivals )(\d+)", by(1)),
    "bytes": change(r"(bytes )(\d+)", by(16)),
    "depth": change(r"(tile\.advance .* depth )(\d+)", by(1)),
    "agent": change(r"by <(\w+)>", lambda match, rng: "by <%s>" % rng.choice(
        [a for a in ("warps", "threads", "leader") if a != match.group(1)])),
    "parity": flip,
    "held parity": change(r"parity (%\w+)", "parity %mutant_zero"),
    "slot": change(r"(barrier_\w+ %\w+|signal %\w+)\[%\w+\]", r"\1[%mutant_slot]"),
    "position": change(r"%next_(slot|parity)\w*", "%mutant_zero"),
    "stale position": change(r"scf\.yield (%\w+), (%\w+) : i32, i32",
                             r"scf.yield \2, \1 : i32, i32"),
    "bound": bound,
}
OWN_OPERATORS = dict(OPERATORS, **{
    "first position": change(r"(iter_args\(.*%\w+ = )%\w+(\)[^()]*\(.*i32\) \{)$",
                             r"\1%mutant_one\2"),
    "next slot": next_slot,
    "swap": swap,
    "residue": residue,
})


def program(lines):
    """With the constants that mutants use."""
    head = next(i for i, line in enumerate(lines) if "func.func" in line)
    constants = ["    %mutant_zero = arith.constant 0 : i32\n",
                 "    %mutant_one = arith.constant 1 : i32\n",
                 "    %mutant_slot = arith.constant 0 : index\n",
                 "    %mutant_step = arith.constant 1 : index\n",
                 "    %mutant_two = arith.constant 2 : index\n"]
    first = next((i for i, line in enumerate(lines) if "gpu.launch" in line), head)
    at = max(head, first) + 1
    return lines[:at] + constants + lines[at:]


def make_mutants(lines, count, rng, own):
    """(operator, lines), all different."""
    first = next(i for i, line in enumerate(lines) if "tile.barrier_init" in line)
    ours = barriers_of_channels(lines)
    operators = OWN_OPERATORS if own else OPERATORS
    is_ours = lambda line: own or ("barrier_" not in line and "signal" not in line) or any(
        name in ours for name in re.findall(r"%\w+", line))
    places = [i for i in range(first, len(lines)) if is_ours(lines[i])]
    seen, result, tries = {"".join(lines)}, [], 0
    while len(result) < count and tries < 60 * count:
        tries += 1
        name = rng.choice(list(operators))
        mutant = operators[name](lines, rng.choice(places), rng)
        if mutant and "".join(mutant) not in seen:
            seen.add("".join(mutant))
            result.append((name, mutant))
    return result


#===-- Judgement -------------------------------------------------------------===#

def verdicts(mutants, path, target):
    """Per mutant None when proved, "invalid", or the code of the refusal."""
    starts, line = [], 1
    with open(path, "w", encoding="utf-8") as file:
        for _, mutant in mutants:
            starts.append(line)
            file.write("".join(mutant) + SPLIT)
            line += len(mutant) + 1
    result = tile_opt(path, "--split-input-file", "-o", os.devnull,
                      "--%s=strict=true synced=true target=%s" % (PROOF, target))
    if result.returncode not in (0, 1):
        raise kernels.Failure("tile-opt ends with %d" % result.returncode)
    found = [None] * len(mutants)
    for match in re.finditer(r"^[^\n]*?:(\d+):\d+: error: (.*)$", result.stderr, re.M):
        number = max(i for i, s in enumerate(starts) if s <= int(match.group(1)))
        code = re.search(r"\[tile-verify/([\w-]+)\]", match.group(2))
        found[number] = code.group(1) if code else "invalid"
    return found


#===-- Kernels ---------------------------------------------------------------===#

class Statements:
    """A kernel of ws-kernels.py."""

    def __init__(self, name, body):
        self.name, self.body = name, ws.flat(body)

    def text(self):
        return "module {\n%s\n}\n" % ws.Text(self.name, self.body, None).function()

    def run(self, out, seeds):
        ws.run_kernel(os.path.join(out, self.name + ".json"), self.body,
                      ws.trips_of(self.body), ["some", "all", "none", "some"], seeds)


class Program:
    """A kernel of random-programs.py."""

    def __init__(self, seed):
        self.name = "random%d" % seed
        maker = programs.Maker(seed)
        self.body = programs.flat(maker.kernel())
        self.threads, self.is_dynamic, self.config = maker.settings()

    def text(self):
        text = programs.Text(self.name, self.body, self.config, self.is_dynamic)
        return "module {\n%s\n}\n" % text.function(threads=self.threads)

    def run(self, out, seeds):
        programs.run_kernel(os.path.join(out, self.name + ".json"), self.body, seeds)


class Function:
    """A function of a file, with its cases."""

    def __init__(self, name, path, cases):
        self.name, self.path, self.cases = name, path, cases

    def text(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def run(self, out, seeds):
        for case in self.cases:
            cases_of.run_case(case, out, range(1, seeds + 1), ["132"])


def subjects(options):
    for name, (body, has_roles) in ws.KERNELS.items():
        if not options.own and has_roles is not False and (not options.kernels or name in options.kernels):
            yield Statements(name, body)
    first, count = (int(x) for x in options.programs.split(":"))
    for seed in range(first, first + count):
        yield Program(seed)
    for path in options.file:
        cases = cases_of.read_cases(path)
        for name in dict.fromkeys(case.function for case in cases):
            if options.kernels and name not in options.kernels:
                continue
            yield Function(name, path, [c for c in cases if c.function == name])


def only(lines, name):
    """The module with one of its functions."""
    starts = [i for i, line in enumerate(lines) if line.startswith("  func.func @")]
    if len(starts) == 1 or not starts:
        return lines
    result = list(lines[:starts[0]])
    last = max(i for i, line in enumerate(lines) if line == "}\n")
    for start, end in zip(starts, starts[1:] + [last]):
        if re.match(r"  func\.func @%s\(" % re.escape(name), lines[start]):
            result += lines[start:end]
    return result + ["}\n"]


def fault(mutant, subject, behind, target, out, seeds):
    """What is wrong with an accepted mutant when it runs, or None."""
    path, lowered = (os.path.join(out, f) for f in ("mutant.mlir", "lowered.mlir"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(mutant))
    result = tile_opt(path, "--pass-pipeline=" + behind, "-o", lowered)
    if result.returncode:
        return "is not lowered: " + result.stderr
    try:
        kernels.run_program(["tile-compile", lowered, "-o", out, "--target=" + target,
                             "--ptxas=off", "--no-remarks", "--no-line-info"])
        subject.run(out, seeds)
    except kernels.Failure as failure:
        return str(failure)
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="names; all when none is given")
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--programs", default="0:0", help="FIRST:COUNT")
    parser.add_argument("--own", action="store_true",
                        help="of --file only: barriers without channels as well")
    parser.add_argument("--count", type=int, default=50, help="mutants of a kernel")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3, help="schedules of a run")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    upper, behind = pipelines(options.target)
    sums, codes, missed = collections.Counter(), collections.Counter(), 0
    for subject in subjects(options):
        name, rng = subject.name, random.Random("%s %d" % (subject.name, options.seed))
        source, staged = (os.path.join(options.out, f) for f in ("in.mlir", "staged.mlir"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(subject.text())
        kernels.run_program(["tile-opt", source, "--pass-pipeline=" + upper, "-o", staged])
        with open(staged, encoding="utf-8") as file:
            lines = program(only(file.readlines(), name))
        if not any("tile.barrier_init" in line for line in lines):
            continue
        mutants = make_mutants(lines, options.count, rng, options.own)
        found = verdicts([("none", lines)] + mutants, source,
                         options.target)
        if found[0]:
            print("FAILED %s: the kernel itself: %s" % (name, found[0]))
            missed += 1
            continue
        counts = collections.Counter("invalid" if f == "invalid" else "refused" if f
                                     else "accepted" for f in found[1:])
        codes.update(f for f in found[1:] if f and f != "invalid")
        for (operator, mutant), verdict in zip(mutants, found[1:]):
            what = None if verdict else fault(mutant, subject, behind, options.target,
                                              options.out, options.seeds)
            if what:
                missed += 1
                print("MISSED %s, %s: %s" % (name, operator, what.splitlines()[0][:200]))
                with open(os.path.join(options.out, "missed-%d.mlir" % missed), "w",
                          encoding="utf-8") as file:
                    file.write("".join(mutant))
        sums.update(counts)
        print("%s: %s" % (name, ", ".join("%d %s" % (counts[k], k) for k in sorted(counts))))
        sys.stdout.flush()
    print("codes: " + ", ".join("%s %d" % item for item in codes.most_common()))
    print("%d mutants: %d refused, %d accepted, %d of these faulty"
          % (sums["refused"] + sums["accepted"], sums["refused"], sums["accepted"], missed))
    return 1 if missed or not sums["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
