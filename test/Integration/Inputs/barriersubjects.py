"""Kernels whose barriers are broken: what makes each of them, how it is lowered, and the
runs that say what it must compute.

A subject is written as

    ws:NAME             a kernel of ws-kernels.py, or random17 of its generator
    program:SEED        a kernel of random-programs.py
    barriers:SEED       hand-written roles of random-barriers.py
    gemm:WORDS          hand-written roles of role-gemm.py, words with + between them
    file:PATH:FUNCTION  a function of a file, with the cases of its comments

and, after a blank, `noroles` for the kernel without roles that the compiler makes and
`stages=N` for what the file calls NUM_STAGES. What it has are `name`, `text()` and
`runs()`, a list of objects with run(path of the JSON, seed, options of tile-run), which
raise kernels.Failure."""

import functools
import importlib.util
import os
import re
import subprocess

import barriermutants
import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
PROOF = "tile-verify-channels"
CHANNEL = re.compile(r"^ *tile\.channel_barriers\b")


@functools.lru_cache(None)
def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"),
                                                  os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#===-- Subjects --------------------------------------------------------------===#


class Subject:
    """`words` come after the blank."""

    def __init__(self, name, words):
        self.name, self.words = name, words
        self.has_roles = "noroles" not in words

    def text(self):
        return self.written() if self.has_roles else kernels.without_roles(self.written())


class Statements(Subject):
    def __init__(self, what, words):
        super().__init__(what, words)
        ws = load("ws-kernels")
        match = re.fullmatch(r"random(\d+)", what)
        self.body = (ws.Maker(int(match.group(1))).kernel() if match
                     else ws.flat(ws.KERNELS[what][0]))

    def written(self):
        return "module {\n%s\n}\n" % load("ws-kernels").Text(self.name, self.body,
                                                             None).function()

    def runs(self):
        return list(load("ws-kernels").cases_of(self.body))


class Program(Subject):
    def __init__(self, what, words):
        super().__init__("random" + what, words)
        maker = load("random-programs").Maker(int(what))
        self.body = load("random-programs").flat(maker.kernel())
        self.threads, self.is_dynamic, self.config = maker.settings()

    def written(self):
        text = load("random-programs").Text(self.name, self.body, self.config,
                                            self.is_dynamic)
        return "module {\n%s\n}\n" % text.function(threads=self.threads)

    def runs(self):
        return list(load("random-programs").cases_of(self.body))


class Barriers(Subject):
    def __init__(self, what, words):
        self.program = load("random-barriers").Program(int(what), "sm_90a")
        super().__init__(self.program.name, words)

    def written(self):
        return self.program.mlir()

    def runs(self):
        return [self.program]


class Product(Subject):
    class Run:
        def __init__(self, case, steps, size):
            self.case, self.steps, self.size = case, steps, size

        def run(self, json_path, seed, options=()):
            load("role-gemm").run(self.case, json_path, self.steps, self.size, seed, options)

    def __init__(self, what, words):
        super().__init__("gemm", words)
        self.case = load("role-gemm").Case(what.replace("+", " "))

    def written(self):
        return load("role-gemm").Program(self.case).text()

    def runs(self):
        return [self.Run(self.case, steps, self.case.sizes[0]) for steps in self.case.steps]


class Function(Subject):
    def __init__(self, what, words):
        self.path, name = what.rsplit(":", 1)
        super().__init__(name, words)
        self.stages = next((w[len("stages="):] for w in words if w.startswith("stages=")), "2")

    def written(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read().replace("NUM_STAGES", self.stages)

    def runs(self):
        return [case for case in load("run-kernel").read_cases(self.path)
                if case.function == self.name]


KINDS = {"ws": Statements, "program": Program, "barriers": Barriers, "gemm": Product,
         "file": Function}


def subject(text):
    what, *words = text.split(" ")
    kind, _, what = what.partition(":")
    return KINDS[kind](what, words)


def functions_of(path):
    """The functions of a file that have cases."""
    cases = load("run-kernel").read_cases(path)
    return list(dict.fromkeys(case.function for case in cases))


#===-- Passes ----------------------------------------------------------------===#


@functools.lru_cache(None)
def pipelines(target):
    """The passes before the proof, and those after it."""
    text = kernels.run_program(["tile-compile", "--print-pipeline",
                                "--target=" + target]).stdout.strip()
    passes = re.fullmatch(r"builtin\.module\((.*)\)", text).group(1)
    at = passes.index(PROOF)
    after = passes[at:].split(",", 1)[1]
    return "builtin.module(%s)" % passes[:at - 1], "builtin.module(%s)" % after


def tile_opt(path, *arguments):
    return subprocess.run(["tile-opt", path, *arguments], capture_output=True,
                          text=True, check=False)


def only(lines, name):
    """The module with one of its functions."""
    starts = [i for i, line in enumerate(lines) if line.startswith("  func.func @")]
    if len(starts) <= 1:
        return lines
    result = list(lines[:starts[0]])
    last = max(i for i, line in enumerate(lines) if line == "}\n")
    for start, end in zip(starts, starts[1:] + [last]):
        if re.match(r"  func\.func @%s\(" % re.escape(name), lines[start]):
            result += lines[start:end]
    return result + ["}\n"]


def staged(one, target, out):
    """The lines of a subject just before the proof, ready for mutants; None: it has
    no barriers."""
    source, made = (os.path.join(out, f) for f in ("in.mlir", "staged.mlir"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(one.text())
    kernels.run_program(["tile-opt", source, "--pass-pipeline=" + pipelines(target)[0],
                         "-o", made])
    with open(made, encoding="utf-8") as file:
        lines = only(file.readlines(), one.name)
    if not any("tile.barrier_init" in line for line in lines):
        return None
    return barriermutants.prepared(lines)


def without_channels(lines):
    return [line for line in lines if not CHANNEL.match(line)]


def renamed(lines, old, new):
    return [re.sub(r"func\.func @%s\b" % re.escape(old), "func.func @" + new, line)
            for line in lines]


def lower(lines, target, out, name="mutant"):
    """Compiles what comes after the proof; PTX and JSON stand in `out`."""
    path, lowered = (os.path.join(out, name + s) for s in (".mlir", ".lowered.mlir"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(lines))
    result = tile_opt(path, "--pass-pipeline=" + pipelines(target)[1], "-o", lowered)
    if result.returncode:
        raise kernels.Failure("is not lowered: " + result.stderr)
    kernels.run_program(["tile-compile", lowered, "-o", out, "--target=" + target,
                         "--ptxas=off", "--no-remarks", "--no-line-info"])
