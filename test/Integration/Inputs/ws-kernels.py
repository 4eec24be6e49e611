#!/usr/bin/env python3
"""Kernels with copies under all kinds of control flow, with and without roles.

A kernel is a list of statements (statements.py). It copies tiles of A into shared
tiles and, at each `use`, writes what a shared tile holds to the next rows of O: so
O tells which copy each use saw, and an interpreter computes what it must hold.
Prints one line per kernel."""

import argparse
import json
import os
import random
import sys

import numpy as np

import kernels
from statements import (BLOCKS, COLUMNS, ROWS, THREADS, USES, Run, Text, copy, early,
                        flat, half, loop, move, put, scribble, tick, use, walk, when)

#===-- Kernels -----------------------------------------------------------===#

S, T, Q = "S", "T", "Q"

# Name: (statements, whether roles are expected). None: either.
KERNELS = {
    "plain": ([loop(3, copy(S, "i"), use(S))], True),
    "one_stage": ([loop(1, copy(S, "i"), use(S))], True),
    "two_stages": ([loop(2, copy(S, "i"), copy(T, ("+", "i", 9)), use(S, T))], True),
    "four_stages": ([loop(4, copy(S, "i"), use(S))], True),
    "no_stages": ([loop(0, copy(S, "i"), use(S))], False),
    "start_step": ([loop(2, copy(S, "i"), use(S), start=3, step=2)], True),
    "wide": ([loop(2, copy(S, "i"), use(S), wide=True)], True),
    "window": ([loop(1, copy(S, "i"), use(S), start=("at", 1), stop=("+", ("at", 1), "n"))], True),
    "guard_mask": ([loop(2, when(("flag", "i"), [copy(S, "i"), use(S)]))], True),
    "guard_even": ([loop(3, when(("even", "i"), [copy(S, ("%", "i", 3)), use(S)]))], True),
    "guard_inside": ([loop(2, when(("flag", "i"), [copy(S, ("at", "i")), use(S)]))], True),
    "guard_part": ([loop(2, copy(S, "i"), when(("flag", "i"), [copy(T, "i"), use(T)]), use(S))], True),
    "guards": ([loop(2, when(("flag", "i"), [when(("even", "i"), [copy(S, "i"), use(S)], [copy(T, "i"), use(T)])]))], True),
    "else": ([loop(2, when(("flag", "i"), [copy(S, "i"), use(S)], [copy(T, ("at", "i")), use(T)]))], True),
    "either": ([loop(2, when(("flag", "i"), [copy(S, "i")], [copy(S, ("at", "i"))]), use(S))], True),
    "either_kind": ([loop(2, when(("flag", "i"), [copy(S, "i")], [copy(S, ("at", "i"), "simt")]), use(S))], True),
    "use_one": ([loop(2, copy(S, "i"), when(("flag", "i"), use(S)))], True),
    "stale": ([loop(2, copy(S, "i"), copy(T, "i"), when(("flag", "i"), [copy(S, 0)]), use(S, T))], True),
    "guard_bit": ([loop(2, when(("bit", "i"), [copy(S, "i"), use(S)]))], True),
    "paged": ([loop(2, copy(S, ("page", "i")), use(S))], True),
    "early": ([early(2, copy(S, "i"), use(S))], True),
    "carried": ([loop(2, copy(S, "o"), use(S), move(("+", "o", ("at", "i"))))], True),
    "prelude": ([copy(Q, 5), loop(2, copy(S, "i"), use(S, Q))], True),
    "prelude_guard": ([copy(Q, 5), loop(2, copy(S, "i"), use(S), when(("flag", "i"), use(Q)))], True),
    "prelude_after": ([copy(Q, 5), loop(2, copy(S, "i"), use(S)), use(Q)], True),
    "ahead": ([copy(S, 0), loop(2, use(S), copy(S, "i"), copy(T, "i"), use(T))], True),
    "loops": ([loop(2, copy(S, "i"), use(S)), loop(3, copy(T, "i"), use(T))], True),
    "loops_one_tile": ([loop(2, copy(S, "i"), use(S)), loop(2, copy(S, ("+", "i", 7)), use(S))], True),
    "nested": ([loop(2, copy(S, "i"), loop(2, copy(T, "j"), use(S, T), i="j", stop=2))], True),
    "persistent": ([loop(None, copy(Q, "t"), loop(3, copy(S, "i"), use(Q, S)), use(Q), i="t", stop=3)], True),
    "serial_misaligned": ([loop(None, loop(3, copy(S, ("+", "i", "t")), use(S), stop=("+", "t", 1)), i="t", stop=4)], True),
    "halves": ([loop(2, copy(T, "i"), half(S, 0, "i"), half(S, 1, ("at", "i"), "simt"), use(S, T))], True),
    "half_kept": ([copy(S, 3), loop(2, half(S, 0, "i"), copy(T, "i"), use(S, T))], True),
    "twice": ([loop(2, copy(S, "i"), copy(S, ("at", "i")), use(S))], True),
    "use_copy_use": ([loop(2, copy(S, "i"), use(S), copy(S, ("at", "i")), use(S))], True),
    "points": ([loop(2, copy(S, "i"), copy(T, "i"), use(S, T, S))], True),
    "never": ([loop(2, copy(S, "i"), copy(T, "i"), use(T))], True),
    "scribbled": ([loop(2, copy(S, "i"), use(S), scribble(S), use(S), copy(T, "i"), use(T))], True),
    "scratch": ([loop(2, copy(S, "i"), use(S), scribble(T), use(T))], True),
    "mixed": ([loop(2, copy(S, "i"), copy(T, "i", "cp_async"), copy(Q, "i", "simt"), use(S, T, Q))], True),
    "mixed_simt": ([loop(3, copy(S, "i"), copy(T, "i", "simt"), use(T, S))], True),
    "loops_one_multistage": ([loop(2, copy(S, "i"), use(S)), loop(3, copy(T, "i", "cp_async"), use(T))], True),
    "loop_in_multistage": ([loop(2, copy(T, "j", "cp_async"), loop(2, copy(S, "i"), use(S, T)), i="j", stop=3)], True),
    "stored": ([loop(2, copy(S, "i"), put(S))], True),
    "stored_guard": ([copy(Q, 4), loop(3, copy(S, "i"), when(("flag", "i"), put(S, Q)), use(S))], True),
    "while_guards": ([early(3, when(("any", "i"), [copy(S, ("at", "i")), use(S)], [copy(T, "i"), use(T)]), tick())], True),
    "while_wide": ([early(2, copy(S, "o"), use(S), move(("+", "o", ("at", "i"))), wide=True)], True),
    "while_outer": ([loop(None, copy(Q, "t"), early(2, copy(S, ("+", "i", "t")), use(S, Q)), i="t", stop=3)], True),
    "while_inner": ([early(2, copy(S, "j"), loop(2, copy(T, "i"), use(S, T), stop=3), i="j")], True),
    "any_of": ([loop(2, when(("any", "i"), [copy(S, "i"), use(S)]), copy(T, "i"), use(T))], True),
    "elements": ([loop(2, copy(S, "i", "elements"), copy(T, "i"), use(S, T))], True),
    "transpose": ([loop(3, copy(S, "i", "transpose"), copy(T, "i", "cp_async"), use(S, T), copy(Q, "i"), use(Q))], True),
    "im2col": ([loop(2, when(("flag", "i"), [copy(S, "i", "im2col"), use(S)], [copy(S, "i", "simt"), use(S)]), copy(T, "i"), use(T))], True),
    "ticks": ([loop(3, tick(), copy(S, "i"), when(("even", "i"), [tick()]), use(S))], True),
    "only_cp_async": ([loop(2, copy(S, "i", "cp_async"), use(S))], False),
}


class Maker:
    """Random kernels; tiles are filled on every path before they are used."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def instr(self):
        return self.random.choice([None] * 8 + ["cp_async", "cp_async", "simt", "simt"])

    def how(self):
        return self.random.choice([self.instr(), self.instr(), self.instr(),
                                   "elements", "transpose", "im2col"])

    def index(self, names):
        r = self.random
        name = r.choice(names + ["o"])
        return r.choice([name, name, ("at", name), ("+", name, r.randrange(1, 9)),
                         ("%", name, r.choice([2, 3])), r.randrange(9)])

    def condition(self, names):
        r = self.random
        name = r.choice(names) if names else "n"
        return r.choice([("flag", name), ("flag", name), ("even", name),
                         ("less", name, 2), ("bit", name), ("flag", "o"),
                         ("any", name), ("any", "o")])

    def body(self, names, filled, depth):
        r, out = self.random, []
        filled = set(filled)
        for _ in range(r.choice([2, 3, 4, 5])):
            out += self.statement(names, filled, depth)
        return out, filled

    def statement(self, names, filled, depth):
        r = self.random
        kind = r.choice(["pair", "pair", "copy", "copy", "use", "use", "when",
                         "when", "loop", "move", "halves", "scribble", "tick"])
        tile = r.choice([S, T, Q, "U"])
        if kind == "pair":
            filled.add(tile)
            return [copy(tile, self.index(names), self.how())] + use(tile)
        if kind == "copy":
            filled.add(tile)
            return [copy(tile, self.index(names), self.how())]
        if kind == "halves":
            order = [0, 1] if tile not in filled else [r.randrange(2)]
            filled.add(tile)
            return [half(tile, part, self.index(names), self.instr()) for part in order]
        if kind == "scribble":
            if r.random() < 0.6:
                return []
            filled.add("W")
            return [scribble("W")]
        if kind == "use":
            return r.choice([use, use, put])(r.choice(sorted(filled))) if filled else []
        if kind == "tick":
            return [tick()]
        if kind == "move":
            return [move(self.index(names))]
        if depth >= 3:
            return []
        if kind == "when":
            then, a = self.body(names, filled, depth + 1)
            other, b = self.body(names, filled, depth + 1) if r.random() < 0.5 else ([], filled)
            test = self.condition(names)
            filled |= a & b
            return [when(test, then, other)]
        return [self.loop(names, filled, depth)]

    def loop(self, names, filled, depth):
        r = self.random
        i = "ijklm"[depth]
        body, _ = self.body(names + [i], filled, depth + 1)
        stages = r.choice([None, 1, 2, 2, 3, 4])
        if r.random() < 0.2:
            return early(stages, *body, i=i, wide=r.random() < 0.2)
        stop = r.choice(["n", "n", 3, ("%", "n", 3)]) if depth == 0 else r.choice([1, 2, ("%", "n", 3)])
        return loop(stages, *body, i=i, start=r.choice([0, 0, 1]), stop=stop,
                    step=r.choice([1, 1, 2]), wide=r.random() < 0.1)

    def kernel(self):
        body, filled = [], set()
        for _ in range(self.random.choice([1, 1, 2])):
            more, filled = self.body([], filled, 0)
            body += more + [self.loop([], filled, 0)]
        return body + [copy(S, 1)] + use(S)  # no kernel without a use


#===-- Running -----------------------------------------------------------===#


def make_inputs(n, mask, seed):
    rng = np.random.default_rng(seed)
    blocks = np.arange(COLUMNS * BLOCKS) // COLUMNS
    a = (blocks * 11 + np.arange(ROWS)[:, None] * 3 + np.arange(COLUMNS * BLOCKS) % 32) % 199
    flags = {"all": np.ones(BLOCKS), "none": np.zeros(BLOCKS),
             "some": rng.integers(0, 2, BLOCKS)}[mask]
    some = rng.integers(0, ROWS, BLOCKS)[:, None] == np.arange(ROWS)
    values = {"A": a, "B": a.T, "I": rng.integers(0, 6, BLOCKS), "M": flags,
              "X": a.reshape(ROWS, BLOCKS, COLUMNS).transpose(1, 0, 2)[None],
              "N": some & (rng.integers(0, 2, (BLOCKS, 1)) > 0),
              "O": np.full((ROWS * USES, COLUMNS), kernels.GUARD), "R": np.zeros(1)}
    arguments = []
    for name, dtype in (("A", "bf16"), ("B", "bf16"), ("X", "bf16"), ("I", "i32"),
                        ("M", "i32"), ("N", "i1"), ("O", "bf16"), ("R", "i32")):
        shape = "x".join(str(e) for e in values[name].shape)
        tensor = kernels.Tensor(name, "zeros:%s:%s" % (shape, dtype))
        tensor.values = values[name] = kernels.round_to(values[name], dtype)
        arguments.append(tensor)
    arguments.append(kernels.Scalar("n", str(n)))
    return dict(values, n=n), arguments


def num_threads(json_path):
    with open(json_path, encoding="utf-8") as file:
        metadata = json.load(file)
    extent = metadata["launches"][0]["variants"][0]["block"][0]
    return metadata["values"][extent]["value"]


class Case:
    """One trip count of a kernel, with a mask for its guards."""

    def __init__(self, body, n, mask, number):
        self.name = "n = %d, mask %s" % (n, mask)
        inputs, self.arguments = make_inputs(n, mask, number)
        self.wanted = Run(body, inputs)
        self.expected = self.wanted.result()

    def run(self, json_path, seed, options=()):
        try:
            results, _ = kernels.run_function(json_path, self.arguments, seed, options)
            kernels.compare("O", "bf16", results["O"], self.expected)
            kernels.compare("R", "i32", results["R"], [self.wanted.ticks])
        except kernels.Failure as failure:
            raise kernels.Failure("%s, seed %d: %s" % (self.name, seed, failure)) from None


def cases_of(body):
    for number, n in enumerate(trips_of(body)):
        yield Case(body, n, ["some", "all", "none", "some"][number % 4], number)


def run_kernel(json_path, body, seeds):
    for number, case in enumerate(cases_of(body)):
        for seed in kernels.schedules(seeds, number):
            case.run(json_path, seed)


def trips_of(body):
    """0, 1, N - 1, N, N + 1, 2 N, 2 N + 1 of the deepest pipeline."""
    n = max([s[1] or 1 for s in walk(body) if s[0] in ("loop", "early")], default=1)
    return sorted({0, 1, max(n - 1, 0), n, n + 1, 2 * n, 2 * n + 1})


def check(target, roles, chosen, out, seeds):
    config = None if roles == "on" else "specialize = #tile.specialize<%s>" % roles
    path = os.path.join(out, "kernels.mlir")
    with open(path, "w", encoding="utf-8") as file:
        for name, (body, _) in chosen.items():
            file.write(Text(name, body, config).function() + "\n\n")
    num_failed, num_roles = 0, 0
    try:
        kernels.compile_file(path, target, out)
    except kernels.Failure as failure:
        print("FAILED %s roles %s: %s" % (target, roles, failure))
        return 1
    for name, (body, expects_roles) in chosen.items():
        json_path = os.path.join(out, name + ".json")
        try:
            has_roles = num_threads(json_path) > THREADS
            num_roles += has_roles
            if roles == "on" and expects_roles not in (None, has_roles):
                raise kernels.Failure("%d threads" % num_threads(json_path))
            if roles == "off" and has_roles:
                raise kernels.Failure("has roles")
            run_kernel(json_path, body, seeds)
            print("ok %s roles %s: %s" % (target, roles, name))
        except kernels.Failure as failure:
            num_failed += 1
            print("FAILED %s roles %s: %s: %s" % (target, roles, name, failure))
    print("%d of %d kernels have roles" % (num_roles, len(chosen)))
    return num_failed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="names; all when none is given")
    parser.add_argument("--skip", action="append", default=[], help="a name")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--roles", action="append", choices=("on", "off", "required"))
    parser.add_argument("--random", help="FIRST:COUNT of random kernels instead")
    parser.add_argument("--out", required=True, help="folder of the outputs")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    chosen = {name: (flat(body), roles)
              for name, (body, roles) in KERNELS.items()
              if name not in options.skip
              and (not options.kernels or name in options.kernels)}
    if options.random:
        first, count = (int(x) for x in options.random.split(":"))
        chosen = {"random%d" % seed: (Maker(seed).kernel(), None)
                  for seed in kernels.some(first, count)}
    num_failed = 0
    for roles in options.roles or ["on", "off"]:
        out = os.path.join(options.out, roles)
        os.makedirs(out, exist_ok=True)
        num_failed += check(options.target, roles, chosen, out, options.seeds)
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
