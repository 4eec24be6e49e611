#!/usr/bin/env python3
"""Random programs with random layouts given by their user, legal and not.

    random-layouts.py --target=T --out=DIR FIRST COUNT

Each program sends a tensor through two to four tiles whose layouts are given:
fragments with digits of lanes, warps and registers in any order, XORed,
replicated, larger than their tile; shared tiles with swizzles, padding and
digits in any order. On the way it adds in place, reduces, scans or transposes.
An enumeration of every layout says whether fragments cover and shared tiles are
injective. Where all do, the program must compile, but for fragments that take
too many registers and the like, and give what numpy says; every tile then has a
grid. Otherwise it must be refused by a located message."""

import argparse
import itertools
import os
import random
import re
import subprocess
import sys

import numpy as np

import collect
import kernels

SPACES = {"fragment": "#tile.fragment", "shared": "#gpu.address_space<workgroup>"}
TYPES = ("f32", "i32", "f16", "bf16", "i8", "i16", "i1")


def primes(n):
    result, p = [], 2
    while n > 1:
        while n % p == 0:
            result.append(p)
            n //= p
        p += 1
    return result


def text_of(shape):
    return "x".join(str(n) for n in shape)


class Layout:
    """Digits of the input axes: `entries[axis]` lists (count, terms), low first,
    with terms (output axis, stride); no terms: replicas. `spread` of shared
    tiles is the extent of o."""

    def __init__(self, names, entries, outs, extents):
        self.names, self.entries = names, entries
        self.outs, self.extents = outs, extents

    def text(self):
        def entry(count, terms):
            name = "^".join("%s:%d" % t for t in terms) or "0"
            return name + ("" if count == 2 else "*%d" % count)
        return "bases<%s -> %s>" % (
            ", ".join("%s=(%s)" % (n, ", ".join(entry(*e) for e in self.entries[n]))
                      for n in self.names),
            ", ".join("%s:%d" % o for o in zip(self.outs, self.extents)))

    def points(self):
        """Every input, as the tuple of outputs, with the values of its axes."""
        digits = [(n, c, t) for n in self.names for c, t in self.entries[n]]
        for values in itertools.product(*(range(c) for _, c, _ in digits)):
            bits, out = {}, dict.fromkeys(self.outs, 0)
            for value, (_, count, terms) in zip(values, digits):
                for axis, stride in terms:
                    if count == 2 and value:
                        key = (axis, stride)
                        bits[key] = bits.get(key, 0) ^ 1
                    elif count != 2:
                        out[axis] += value * stride
            for (axis, stride), bit in bits.items():
                out[axis] += bit * stride
            yield tuple(out[n] for n in self.outs)

    def xors_bits(self):
        """Whether digits that several others move have strides that share no
        bits: else the XOR of digits is none of offsets."""
        hits = [t for n in self.names for _, terms in self.entries[n] for t in terms]
        for axis in self.outs:
            seen = 0
            for stride in sorted({s for a, s in hits
                                  if a == axis and hits.count((a, s)) > 1}):
                if seen & stride:
                    return False
                seen |= stride
        return True

    def size(self, name):
        return int(np.prod([c for c, _ in self.entries[name]] or [1]))

    def registers(self):
        return self.size("reg")


def random_fragment(rng, shape, warps):
    digits = []
    for d, n in enumerate(shape):
        size = n
        if n > 1 and rng.random() < 0.5:  # overhang: less than the top digit
            size = rng.randrange(n, n + max(2, n // 2))
            tops = [p for p in set(primes(size)) if size // p < n]
            factors = primes(size)
            if size > n and tops:
                top = rng.choice(tops)
                factors.remove(top)
                rng.shuffle(factors)
                factors.append(top)
            elif size > n:
                factors = primes(n)
        else:
            factors = primes(n)
            rng.shuffle(factors)
        stride = 1
        for p in factors:
            digits.append((p, [("d%d" % d, stride)]))
            stride *= p
    rng.shuffle(digits)
    entries = {"reg": [], "lane": [], "warp": []}
    left = {"lane": 32, "warp": warps}
    done = []
    for p, terms in digits:
        axes = [a for a in ("lane", "warp") if left[a] % p == 0]
        axis = rng.choice(axes) if axes and rng.random() < 0.8 else "reg"
        if axis != "reg":
            left[axis] //= p
        if p == 2 and done and rng.random() < 0.2:
            terms = terms + [rng.choice(done)]
        if p == 2:
            done.append(terms[0])
        entries[axis].append((p, terms))
    for axis in ("lane", "warp"):
        entries[axis] += [(p, []) for p in primes(left[axis])]
        rng.shuffle(entries[axis])
    outs = ["d%d" % d for d in range(len(shape))]
    return Layout(["reg", "lane", "warp"], entries, outs, list(shape))


def random_memory(rng, shape):
    digits = []
    for d, n in enumerate(shape):
        factors, stride = primes(n), 1
        rng.shuffle(factors)
        for p in factors:
            digits.append([d, stride, p])
            stride *= p
    order = list(range(len(digits)))
    if rng.random() < 0.7:
        rng.shuffle(order)
    else:  # rows stay rows
        order.reverse()
    at, stride = {}, 1
    for k in order:
        at[k] = stride
        stride *= digits[k][2]
        if rng.random() < 0.15:
            stride += rng.choice((1, 4, 8, 16))
    entries = {"d%d" % d: [] for d in range(len(shape))}
    for k, (d, _, p) in enumerate(digits):
        terms = [("o", at[k])]
        low = [j for j in order if digits[j][2] == 2 and at[j] < at[k]]
        if p == 2 and low and rng.random() < 0.25:
            terms.append(("o", at[rng.choice(low)]))
        entries["d%d" % d].append((p, terms))
    names = ["d%d" % d for d in range(len(shape))]
    return Layout(names, entries, ["o"], [stride])


def named_memory(rng, shape, bits):
    """A text, and whether it must be taken: None where only the compiler
    knows. Mostly one that fits."""
    names = ["linear", "padded<%d>" % (shape[-1] + rng.choice((1, 4, 8)))]
    rows, columns = ([1] + list(shape))[-2:]
    for span in (32, 64, 128):
        row = span * 8 // bits
        if rng.random() < 0.1 or (rows % 8 == 0 and columns % row == 0):
            names += ["swizzle<%d>" % span, "coreMatrix"]
        if rng.random() < 0.1 or (columns % 8 == 0 and rows % row == 0):
            names.append("swizzle<%d,t>" % span)
    text = rng.choice(names)
    return text, True if text == "linear" else None


def damage(rng, layout):
    """Makes the layout another one, mostly a wrong one."""
    kind = rng.choice(("drop", "alias", "extent", "count", "replica"))
    axis = rng.choice([n for n in layout.names if layout.entries[n]] or ["reg"])
    entries = layout.entries.get(axis, [])
    if kind == "extent" or not entries:
        k = rng.randrange(len(layout.extents))
        layout.extents[k] = max(1, layout.extents[k] // 2)
        return
    k = rng.randrange(len(entries))
    count, terms = entries[k]
    if kind == "drop":
        del entries[k]
    elif kind == "count":
        entries[k] = (count + 1, terms[:1])
    elif kind == "replica":
        entries[k] = (count, [])
    else:
        other = rng.choice([t for n in layout.names for _, ts in layout.entries[n]
                            for t in ts] or [(layout.outs[0], 1)])
        entries[k] = (count, [other])


class Program:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.seed, self.name = seed, "random%d" % seed
        self.dtype = rng.choice(TYPES)
        rank = rng.randint(1, 4)
        top = {1: 1000, 2: 40, 3: 12, 4: 6}[rank]
        self.shape = tuple(rng.randint(1, top) for _ in range(rank))
        if rank > 1 and rng.random() < 0.4:  # what swizzles take
            self.shape = self.shape[:-1] + (rng.choice((16, 32, 48, 64)),)
        if rng.random() < 0.3:
            self.shape = self.shape[:-2] + tuple(
                rng.choice((8, 16, 24, 32)) for _ in self.shape[-2:])
        self.warps = rng.choice((1, 2, 3, 4, 6, 8))
        self.body, self.params, self.expect = [], [], []
        self.must_fail = self.may_fail = False
        self.layouts = []
        if seed % 5 == 4:
            self.build_product()
        else:
            self.build()

    def emit(self, line):
        self.body.append("    " + line)

    def alloc(self, name, shape, space, dtype=None):
        dtype, rng = dtype or self.dtype, self.rng
        kind = "memref<%sx%s, %s>" % (text_of(shape), dtype, SPACES[space])
        given = ""
        if rng.random() < 0.85:
            given = " {layout = #tile.layout<\"%s\">}" % self.layout(
                shape, space, dtype)
        self.emit("%%%s = tile.alloc%s : %s" % (name, given, kind))
        return kind

    def layout(self, shape, space, dtype):
        rng = self.rng
        if space == "shared" and rng.random() < 0.5:
            text, sure = named_memory(rng, shape, kernels.elem_bytes(dtype) * 8)
            self.may_fail |= sure is None
            self.layouts.append(text)
            return text
        layout = (random_memory(rng, shape) if space == "shared"
                  else random_fragment(rng, shape, self.warps))
        if rng.random() < 0.08:
            damage(rng, layout)
        self.judge(layout, shape, space)
        self.layouts.append(layout.text())
        return layout.text()

    def judge(self, layout, shape, space):
        points = list(layout.points())
        self.may_fail |= not layout.xors_bits()
        size = int(np.prod(shape))
        if space == "shared":
            good = (all(layout.size("d%d" % d) == n for d, n in enumerate(shape))
                    and len(set(points)) == size
                    and max(p[0] for p in points) < layout.extents[0])
            self.must_fail |= not good
            return
        inside = {p for p in points if all(x < n for x, n in zip(p, shape))}
        good = (len(inside) == size and layout.size("lane") == 32 and
                layout.size("warp") == self.warps and
                tuple(layout.extents) == tuple(shape))
        self.must_fail |= not good
        # Elements that exist may be covered where some after the end are not,
        # and there are limits to what may lie after the end.
        whole = 1
        for d, n in enumerate(shape):
            whole *= max(p[d] for p in points) + 1
        self.may_fail |= len(set(points)) != whole or whole > size
        self.may_fail |= layout.registers() > 60

    def tensor(self, name, shape, dtype, kind):
        self.params.append((name, shape, dtype, kind))
        return "memref<%sx%s>" % (text_of(shape), dtype)

    def copy(self, src, src_type, dst, dst_type):
        self.emit("tile.copy %%%s to %%%s : %s, %s" % (src, dst, src_type, dst_type))

    def result(self, name, shape, tile, tile_type, text, dtype=None):
        dtype = dtype or self.dtype
        self.copy(tile, tile_type, name, self.tensor(name, shape, dtype, "junk"))
        self.expect.append("%s = %s" % (name, text))

    def build(self):
        rng, rank = self.rng, len(self.shape)
        tensor = self.tensor("A", self.shape, self.dtype, "ints")
        last, kind, value = "A", tensor, "A"
        for i in range(rng.randint(1, 3)):
            name, space = "t%d" % i, rng.choice(("fragment", "shared", "fragment"))
            tile = self.alloc(name, self.shape, space)
            self.copy(last, kind, name, tile)
            last, kind = name, tile
            if space == "fragment" or rng.random() < 0.5:
                value = self.work(i, name, tile, value)
        self.result("B", self.shape, last, kind, value)
        if rank == 2 and rng.random() < 0.5:
            turned = self.alloc("turned", self.shape[::-1],
                                rng.choice(("fragment", "shared")))
            self.emit("tile.transpose %%%s to %%turned : %s, %s" % (last, kind, turned))
            self.result("T", self.shape[::-1], "turned", turned, "(%s).T" % value)

    def build_product(self):
        """Factors in shared tiles, or A in registers; the result in another
        fragment."""
        rng = self.rng
        m, n, k = rng.choice((32, 64)), rng.choice((16, 32, 48)), 32
        self.warps = rng.choice((1, 2, 4, 4))
        self.dtype = rng.choice(("bf16", "f16", "i8"))
        wide = "i32" if self.dtype == "i8" else "f32"
        self.may_fail = True  # an instruction may take no such factor
        kinds = []
        for name, shape in (("A", (m, k)), ("C", (k, n))):
            tensor = self.tensor(name, shape, self.dtype, "ints")
            space = "fragment" if name == "A" and rng.random() < 0.3 else "shared"
            kinds.append(self.alloc(name.lower(), shape, space))
            self.copy(name, tensor, name.lower(), kinds[-1])
        acc = "memref<%dx%dx%s, #tile.fragment>" % (m, n, wide)
        self.emit("%%acc = tile.alloc : %s" % acc)
        zero = "0" if wide == "i32" else "0.0"
        self.emit("%%zero = arith.constant %s : %s" % (zero, wide))
        self.emit("tile.fill %%acc, %%zero : %s, %s" % (acc, wide))
        self.emit("tile.gemm %%a, %%c, %%acc : (%s, %s, %s)" % (*kinds, acc))
        out = self.alloc("out", (m, n), rng.choice(("fragment", "shared")), wide)
        self.copy("acc", acc, "out", out)
        self.result("B", (m, n), "out", out,
                    "A.astype(np.float64) @ C.astype(np.float64)", wide)

    def work(self, i, name, tile, value):
        rng, rank = self.rng, len(self.shape)
        what = rng.choice(("loop", "reduce", "scan", "none"))
        is_int = self.dtype.startswith("i")
        if what == "loop":
            where = ", ".join("%%i%d" % d for d in range(rank))
            self.emit("tile.parallel (%s) in [%s] {" % (
                where, ", ".join(map(str, self.shape))))
            self.emit("  %%x = memref.load %%%s[%s] : %s" % (name, where, tile))
            op = "xori" if self.dtype == "i1" else "addi" if is_int else "addf"
            self.emit("  %%y = arith.%s %%x, %%x : %s" % (op, self.dtype))
            self.emit("  memref.store %%y, %%%s[%s] : %s" % (name, where, tile))
            given = ""
            if rng.random() < 0.3:
                self.may_fail = True  # not every order of threads suits a tile
                given = " {layout = #tile.layout<\"%s\">}" % self.layout(
                    self.shape, "fragment", self.dtype)
            self.emit("}" + given)
            return ("(%s) ^ (%s)" if self.dtype == "i1" else "(%s) + (%s)") % (
                value, value)
        if what == "reduce" and rank > 1 and self.dtype != "i1":
            d = rng.randrange(rank)
            shape = self.shape[:d] + self.shape[d + 1:]
            out = self.alloc("r%d" % i, shape, rng.choice(("fragment", "shared")))
            self.emit("tile.reduce max %%%s to %%r%d dim %d {clear} : %s, %s" % (
                name, i, d, tile, out))
            self.result("R%d" % i, shape, "r%d" % i, out,
                        "(%s).max(axis=%d)" % (value, d))
        if what == "scan" and self.dtype != "i1":
            d = rng.randrange(rank)
            out = self.alloc("s%d" % i, self.shape,
                             rng.choice(("fragment", "shared")))
            self.emit("tile.scan max %%%s to %%s%d dim %d : %s, %s" % (
                name, i, d, tile, out))
            self.result("S%d" % i, self.shape, "s%d" % i, out,
                        "np.maximum.accumulate(%s, axis=%d)" % (value, d))
        return value

    def mlir(self):
        head = ("func.func @%s(%s) {\n  %%c1 = arith.constant 1 : index\n"
                "  %%n = arith.constant %d : index\n"
                "  gpu.launch blocks(%%bx, %%by, %%bz) in (%%gx = %%c1, %%gy = %%c1, "
                "%%gz = %%c1)\n    threads(%%tx, %%ty, %%tz) in (%%nx = %%n, "
                "%%ny = %%c1, %%nz = %%c1) {\n") % (
            self.name, ", ".join("%%%s: memref<%sx%s>" % (n, text_of(s), t)
                                 for n, s, t, _ in self.params), 32 * self.warps)
        return head + "\n".join(self.body) + "\n    gpu.terminator\n  }\n  return\n}\n"

    def check(self, target, out):
        path = os.path.join(out, self.name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.mlir())
        compiled = subprocess.run(
            ["tile-compile", path, "--target=" + target, "-o", out, "--no-remarks",
             "--ptxas=off"], capture_output=True, text=True, check=False)
        if compiled.returncode:
            return self.check_refusal(compiled)
        if target.startswith("sm_9"):
            self.print_layouts(path, target)
        if self.must_fail:
            raise kernels.Failure("taken, although a layout is wrong\n" + self.mlir())
        if collect.FOLDER:
            collect.note_compile(path, target, out, [])
        arguments = [kernels.Tensor(n, "%s:%s:%s" % (k, text_of(s), t))
                     for n, s, t, k in self.params]
        results, _ = kernels.run_function(
            os.path.join(out, self.name + ".json"), arguments, 1)
        names = {a.name: np.array(a.values) for a in arguments}
        names["np"] = np
        for line in self.expect:
            exec(line, names)  # the program's own text
        for a in arguments:
            kernels.compare(a.name, a.dtype, results[a.name],
                            kernels.round_to(names[a.name], a.dtype))
        return "equal"

    def print_layouts(self, path, target):
        """Every layout, given or found, has a grid."""
        printed = subprocess.run(
            ["tile-opt", path, "--tile-instruction-annotation=target=" + target,
             "--tile-layout-inference=target=" + target,
             "--tile-print-layouts=rows=2 columns=2", "-o", os.devnull],
            capture_output=True, text=True, check=False)
        tiles = len(re.findall("tile.alloc", self.mlir()))
        grids = len(re.findall(r"^line .*, layout (?!none)", printed.stderr, re.M))
        if printed.returncode or grids < tiles:
            raise kernels.Failure("%d grids of %d tiles\n%s%s" % (
                grids, tiles, printed.stderr[-2000:], self.mlir()))

    def check_refusal(self, compiled):
        errors = re.findall(r"%s.mlir:\d+:\d+: error: (.*)" % self.name,
                            compiled.stderr)
        if compiled.returncode != 1 or not errors or "internal" in compiled.stderr:
            raise kernels.Failure("status %d\n%s\n%s" % (
                compiled.returncode, compiled.stderr[-2000:], self.mlir()))
        has_room = "bytes of shared memory" not in errors[0]
        if has_room and not (self.must_fail or self.may_fail):
            raise kernels.Failure("refused: %s\n%s" % (errors[0], self.mlir()))
        return "refused: " + errors[0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True, help="folder of the outputs")
    options = parser.parse_args()
    programs = {str(s): Program(s)
                for s in kernels.some(options.first, options.count)}

    def judge(text, target):
        out = os.path.join(options.out, target)
        os.makedirs(out, exist_ok=True)
        return programs[text].check(target, out)

    return kernels.run_cases(list(programs), options.target, judge)


if __name__ == "__main__":
    sys.exit(main())
