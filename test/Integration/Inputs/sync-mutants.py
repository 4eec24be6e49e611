#!/usr/bin/env python3
"""Takes one thread barrier or proxy fence at a time out of kernels and checks that
the emulator notices.

Each file is one of this folder's, with `// CASE:` comments that say what to run
(see run-kernel.py). With --kernels, kernels and runs are those that tests have left
in a folder (see collect.py). A kernel goes through the passes on tile ops; every
line of the result that matches --ir and that its author did not write makes a copy
of its function without the line, and all copies are lowered together. Each variant
of a launch is run with all arguments that it is made for. The functions themselves
must run without findings, and every copy must end with exit status 2 in one of the
cases, under one of the seeds: with --pedantic if need be, where the function itself
has no such findings. A line in a variant that no case suits is not reached.

A copy that survives all of them is run with arguments like theirs: one tensor at
other addresses or with other gaps between its rows, another number. Cases that the
function itself does not like are left out.

A copy that survives must at least compute the same. --survivors names a file that
lists all of them, and what is not reached, with the reasons:

    REASON: what it is                 for each reason
    KERNEL FUNCTION NUMBER REASON      which of the removed lines of the function
    * REASON                           any other survivor: the list is not complete

Prints a line per function, and one per copy that survived or was not reached. The
exit status is 1 when they are not those that the file lists, and where nothing that a
function lost was noticed, unless the file lists all of it."""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

import numpy as np

import collect
import kernels
import mutate

LAUNCH = re.compile(r"\bgpu\.launch\b")
SYNC = re.compile(r"(tile\.(?:barrier_sync|fence_proxy)\b)(?: \{)?")
# What the author wrote has an attribute that passes keep.
WRITTEN = re.compile(r" \{scf\.written\}|(?<=\{)scf\.written, |, scf\.written(?=[,}])")
MAX_SECONDS = 20
CAUGHT, SURVIVED, NOT_REACHED = "caught", "survived", "not reached"


#===-- Sources: what is mutated, and what is run -------------------------===#


def read_cases(path, target, out):
    """A file with CASE comments. Arguments are written into `out`."""
    runs = {}
    with open(path, encoding="utf-8") as file:
        for name, text in re.findall(r"// CASE: (\w+)\((.*)\)", file.read()):
            parts = [p.strip().split("=", 1) for p in text.split(",") if p]
            arguments = [kernels.make_argument(*p) for p in parts]
            cases = runs.setdefault(name, [])
            base = os.path.join(out, "%s.%d" % (name, len(cases)))
            cases.append(([a.text if isinstance(a, kernels.Scalar)
                           else a.write("%s.%d.npy" % (base, i))
                           for i, a in enumerate(arguments)], []))
    name = "%s %s" % (os.path.splitext(os.path.basename(path))[0], target)
    return collect.Source(name, path, target, [], runs)


#===-- Arguments like those of a case ------------------------------------===#

TENSOR = re.compile(r"(?P<data>.*?\.npy|[a-z]+:(?P<shape>[\dx]+):\w+)"
                    r"(?P<rest>(?::\w+)*)(?P<place>@.*)?$")
ALIGNMENT = 64  # elements, for rows: whatever asks for addresses is content


def is_tensor(text):
    return ":" in text


def tensors_like(text):
    """The tensor at an odd address, with rows at odd addresses, and with rows that
    are aligned; without gaps, if it has some."""
    match = TENSOR.match(text)
    if text.startswith("same:") or not match:
        return []
    if match.group("place"):
        return [match.group("data") + match.group("rest")]
    shape = ([int(n) for n in match.group("shape").split("x")]
             if match.group("shape") else np.load(match.group("data"),
                                                  mmap_mode="r").shape)
    likes = [text + "@+1"]
    if len(shape) > 1:
        for row in (shape[-1] + 1, -(-shape[-1] // ALIGNMENT) * ALIGNMENT):
            strides = [1, row]
            for size in reversed(shape[1:-1]):
                strides.append(strides[-1] * size)
            likes.append(text + "@" + "x".join(str(n) for n in reversed(strides)))
    return likes


def numbers_like(text):
    if not re.fullmatch(r"\d+", text):
        return []
    number = int(text)
    return [str(n) for n in dict.fromkeys((0, 1, 2, 3, number // 2, number - 1))
            if 0 <= n != number]


def arguments_like(arguments):
    """Lists of arguments that differ in one."""
    for i, text in enumerate(arguments):
        for like in (tensors_like if is_tensor(text) else numbers_like)(text):
            yield arguments[:i] + [like] + arguments[i + 1:]


#===-- Copies of a function without a line -------------------------------===#


def split_functions(lines):
    """Lines by function, and those around them first."""
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
    """A line without which a copy of the function is run. The copy lacks a line of
    every variant, but one run takes one variant."""

    def __init__(self, function, lines, at, number):
        self.function, self.number, self.at = function, number, at
        self.removed = lines[at].strip()
        self.place = next(l.strip() for l in lines[at + 1:]
                          if " = tile.region" not in l)
        # Counted from 0 through the variants of all launches.
        self.variant = sum(bool(LAUNCH.search(l)) for l in lines[:at]) - 1
        self.name = None  # of the copy

    def text(self):
        return "without %s before %s" % (self.removed, self.place)


def make_mutants(function, lines, regex):
    """The lines to remove, and the text of all copies."""
    at = [i for i, line in enumerate(lines)
          if re.search(regex, line) and not WRITTEN.search(line)]
    plain = [WRITTEN.sub("", l) for l in lines]
    mutants = [Mutant(function, plain, i, n) for n, i in enumerate(at, 1)]
    copies = {}
    for mutant in mutants:
        earlier = sum(m.variant == mutant.variant and m.number < mutant.number
                      for m in mutants)
        mutant.name = "%s_copy%d" % (function, earlier + 1)
        copies.setdefault(mutant.name, set()).add(mutant.at)
    text = []
    for name, removed in copies.items():
        text.append(plain[0].replace("@" + function, "@" + name))
        text += [l for i, l in enumerate(plain) if i and i not in removed]
    return mutants, text


#===-- Building and running ----------------------------------------------===#


class File:
    def __init__(self, source, out, options):
        self.source, self.out, self.options = source, out, options
        self.ran, self.order = {}, {}
        os.makedirs(out, exist_ok=True)
        self.runs = {name: runs for name, runs in source.runs.items()
                     if re.match(options.functions, name)}
        self.num_given = {name: len(runs) for name, runs in self.runs.items()}
        self.lower(self.stage())
        self.launches = {name: self.read_variants(name) for name in self.runs}

    def stage(self):
        """The text before lowering, with a copy for each mutant."""
        marked = os.path.join(self.out, "marked.mlir")
        staged = os.path.join(self.out, "staged.mlir")
        with open(self.source.path, encoding="utf-8") as file:
            text = file.read()
        mutate.write(marked, [SYNC.sub(
            lambda m: m.group(1) + (" {scf.written, " if m.group(0)[-1] == "{"
                                    else " {scf.written}"), text)])
        self.upper, self.lowering = mutate.pipelines(self.source.target,
                                                     self.source.options)
        mutate.tile_opt(marked, self.upper, staged)
        head, functions = split_functions(mutate.read(staged))
        head = [re.sub(r"^module (attributes {.*?} )?", "module attributes "
                       '{tile.target = #nvvm.target<chip = "%s">} '
                       % self.source.target, l) for l in head]
        functions = {name: lines for name, lines in functions.items()
                     if name in self.runs}
        self.mutants, text = [], head
        for name, lines in functions.items():
            mutants, copies = make_mutants(name, lines, self.options.ir)
            self.mutants += mutants
            text += [WRITTEN.sub("", l) for l in lines] + copies
        mutate.write(staged, text + ["}\n"])
        return staged

    def lower(self, staged):
        lowered = os.path.join(self.out, "lowered.mlir")
        mutate.tile_opt(staged, self.lowering, lowered)
        kernels.run_program(["tile-compile", lowered, "-o", self.out, "--target=" +
                             self.source.target, "--ptxas=off", "--no-remarks",
                             "--no-line-info"])

    def read_variants(self, name):
        """(launch, variant) of each kernel of a function, in the order of text."""
        launches = kernels.read_launches(os.path.join(self.out, name + ".json"))
        return [(l, v) for l, launch in enumerate(launches)
                for v in range(1, len(launch["variants"]) + 1)]

    def saved(self, name, case, variant, number):
        return os.path.join(self.out, "%s.%s.%s.%s.out.npy" % (name, case, variant,
                                                               number))

    def run(self, name, function, case, variant, extra=()):
        """(exit status, first finding or message). Numbers that nobody has asked for
        may make a kernel run for ever."""
        arguments, options = self.runs[function][case]
        command = ["tile-run", os.path.join(self.out, name + ".json")]
        for i, text in enumerate(arguments):
            command.append(text)
            if is_tensor(text):
                command += ["--save", "%d=%s" % (i, self.saved(name, case, variant, i))]
        launch, number = self.launches[function][variant]
        command += ["--variant=" + ",".join(["0"] * launch + [str(number)]),
                    "--emulate", "--seeds=%d" % self.options.seeds, *options,
                    *self.options.run, *extra]
        try:
            result = subprocess.run(command, capture_output=True, text=True,
                                    check=False, timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            return 1, "takes more than %d seconds" % MAX_SECONDS
        finding = re.search(r"^\[.*\].*", result.stderr, re.M)
        return (result.returncode,
                finding.group(0) if finding else result.stderr.strip())

    def suits(self, function, case, variant):
        """Runs the function itself. False where the variant asks for more than
        the arguments have."""
        key = (function, case, variant)
        if key not in self.ran:
            status, message = self.run(function, function, case, variant)
            is_unfit = status == 1 and re.search(r": variant \d+, '.*', needs: ",
                                                 message)
            is_unfit = is_unfit or case >= self.num_given[function]
            if status != 0 and not is_unfit:
                raise kernels.Failure("%s %s itself: %s" % (self.source.name,
                                                            function, message))
            self.ran[key] = status == 0
        return self.ran[key]

    def is_silent(self, function, case, variant):
        """Has the function itself no pedantic findings?"""
        key = (function, case, variant, "pedantic")
        if key not in self.ran:
            self.ran[key] = self.run(function, function, case, variant,
                                     ["--pedantic"])[0] == 0
        return self.ran[key]

    def check_same(self, mutant, case):
        """Raises Failure where the copy computed something else."""
        for i, text in enumerate(self.runs[mutant.function][case][0]):
            if is_tensor(text):
                got, expected = (
                    np.load(self.saved(name, case, mutant.variant, i))
                    for name in (mutant.name, mutant.function))
                if not np.array_equal(got, expected, equal_nan=got.dtype.kind == "f"):
                    raise kernels.Failure(
                        "%s %s %s, without a finding: argument %d differs" % (
                            self.source.name, mutant.function, mutant.text(), i))

    def cases(self, function):
        """Numbers of the cases that are given, those first that caught a mutant, and
        then of those like them."""
        given = self.num_given[function]
        yield from list(self.order.setdefault(function, list(range(given))))
        runs = self.runs[function]
        if len(runs) == given:
            for arguments, options in list(runs):
                for like in arguments_like(arguments):
                    if (like, options) not in runs:
                        runs.append((like, options))
        yield from range(given, len(runs))

    def judge(self, mutant):
        """(what became of it, first finding)"""
        verdict = NOT_REACHED
        for case in self.cases(mutant.function):
            for extra, suits in (([], self.suits), (["--pedantic"], self.is_silent)):
                if not suits(mutant.function, case, mutant.variant):
                    break
                verdict = SURVIVED
                status, finding = self.run(mutant.name, mutant.function, case,
                                           mutant.variant, extra)
                if status == 2:
                    order = self.order[mutant.function]
                    if case in order:
                        order.remove(case)
                    order.insert(0, case)  # the first for the next one
                    return CAUGHT, finding
                if status != 0:
                    raise kernels.Failure("%s %s: %s" % (self.source.name,
                                                         mutant.name, finding))
                self.check_same(mutant, case)
        return verdict, ""

    def forget(self, mutant):
        """Removes the results of a copy: there are thousands."""
        for path in glob.glob(self.saved(mutant.name, "*", mutant.variant, "*")):
            os.remove(path)


class Result:
    def __init__(self):
        self.lines, self.verdicts, self.failures = [], {}, []

    def add(self, other):
        self.lines += other.lines
        self.failures += other.failures
        self.verdicts.update(other.verdicts)

    def summary(self):
        verdicts = list(self.verdicts.values())
        return ", ".join("%d %s" % (verdicts.count(v), v)
                         for v in (CAUGHT, SURVIVED, NOT_REACHED))


def check_source(source, out, options):
    """The result; one of a single line where something goes wrong."""
    try:
        return judge_all(source, File(source, out, options), options)
    except kernels.Failure as failure:
        result = Result()
        result.failures = ["FAILED %s: %s" % (source.name, failure)]
        return result


def judge_all(source, file, options):
    result = Result()
    for function in file.runs:
        part = Result()
        for mutant in file.mutants:
            if mutant.function != function:
                continue
            verdict, finding = file.judge(mutant)
            if verdict == CAUGHT:
                file.forget(mutant)
            name = "%s %s %d" % (source.name, function, mutant.number)
            part.verdicts[name] = verdict
            if verdict != CAUGHT or options.verbose:
                part.lines.append(" ".join(filter(None, [
                    verdict.upper(), name + ":", mutant.text(), finding])))
        part.lines.append("%s %s: %s" % (source.name, function, part.summary()))
        if part.verdicts and CAUGHT not in part.verdicts.values() and \
                not set(part.verdicts) <= set(options.known):
            part.failures.append("NOTHING CAUGHT: %s %s" % (source.name, function))
        result.add(part)
    return result


#===-- What is known -----------------------------------------------------===#


def read_survivors(path):
    """Reasons by name of the copy."""
    reasons, known = set(), {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#", 1)[0].strip()
            head = re.fullmatch(r"(\w+): .*", line)
            entry = re.fullmatch(r"(\*|\S+ sm_\w+ \w+ \d+) (\w+)", line)
            if head:
                reasons.add(head.group(1))
            elif entry and entry.group(2) in reasons:
                known[entry.group(1)] = entry.group(2)
            elif line:
                raise kernels.Failure("%s: no entry: '%s'" % (path, line))
    return known


def compare_survivors(verdicts, options):
    """Lines about differences between what was found and the list."""
    known = dict(options.known)
    others = (CAUGHT, SURVIVED) if known.pop("*", None) else (CAUGHT,)
    lines = ["NOT LISTED: %s: %s" % (name, verdict)
             for name, verdict in verdicts.items()
             if verdict not in others and name not in known]
    for name in known:
        if verdicts.get(name) == CAUGHT:
            lines.append("LISTED, BUT CAUGHT: " + name)
        elif name not in verdicts and options.kernels:
            lines.append("LISTED, BUT NOT THERE: " + name)
    return lines


def write_survivors(verdicts, path, reason):
    """Writes the list of a run of all kernels: reasons that are known stay."""
    known = read_survivors(path)
    with open(path, encoding="utf-8") as file:
        head = [l for l in file if re.match(r"#|\w+: ", l)]
    entries = ["%s %s\n" % (name, known.get(name, reason))
               for name, verdict in verdicts.items() if verdict != CAUGHT]
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(head + ["\n"] + entries))


#===-- Entry -------------------------------------------------------------===#


def read_sources(options):
    for path in options.files:
        for target in options.target:
            out = os.path.join(options.out, os.path.basename(path), target)
            os.makedirs(out, exist_ok=True)
            yield read_cases(path, target, out), out
    for folder in options.kernels:
        for source in collect.read_kernels(folder):
            yield source, os.path.join(options.out, source.name.replace(" ", "."))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--kernels", action="append", default=[],
                        help="a folder of kernels (see collect.py)")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--ir", default=r"tile\.barrier_sync|tile\.fence_proxy")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=kernels.JOBS)
    parser.add_argument("--functions", default="", help="a regex of names")
    parser.add_argument("--run", action="append", default=[],
                        help="an option for tile-run")
    parser.add_argument("--survivors", help="the file that lists them")
    parser.add_argument("--write", metavar="REASON",
                        help="write that file anew after a run of all kernels, with this "
                        "reason for what is new")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.known = read_survivors(options.survivors) if options.survivors else {}
    total = Result()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda job: check_source(*job, options),
                               list(read_sources(options))):
            print("\n".join(result.lines + result.failures))
            sys.stdout.flush()
            total.add(result)
    if options.write and not total.failures:
        write_survivors(total.verdicts, options.survivors, options.write)
    wrong = total.failures + compare_survivors(total.verdicts, options)
    print("\n".join(wrong + [total.summary()]))
    return 1 if wrong or CAUGHT not in total.verdicts.values() else 0


if __name__ == "__main__":
    sys.exit(main())
