#!/usr/bin/env python3
"""Writes kernels with dependent products, as attention has them, at random, in the
form that run-kernel.py takes.

Usage: random-rotated.py FIRST COUNT [--config=TEXT]

FIRST is the number of the first kernel: one number, one kernel. They differ in the
kind of loop, stages, sizes, who copies, tiles that both products read, tiles between
the products, a third product, guards, values that are carried, what is stored in each
iteration, and the order of statements. Integers, so sums are exact. TEXT goes into
`tile.kernel_config`."""

import argparse
import random

import kernels


class Kernel:
    def __init__(self, number, config):
        self.rng = random.Random(number)
        self.name = "kernel_%d" % number
        self.config = config
        pick = self.rng.choice
        self.rows, self.block = pick([64, 64, 128]), pick([32, 64])
        self.stages = pick([1, 2, 2, 3, 4])
        self.is_while = pick([False, True])
        self.is_shared = self.block == 64 and pick([False, False, True])
        self.by_memory = pick([False, False, True])
        self.rescales, self.has_bias = pick([False, True]), pick([False, False, True])
        self.has_third = not self.by_memory and pick([False, False, True])
        self.mask = pick([None, "index", "memory"])
        self.is_carried = pick([False, True])
        self.stores_scores, self.stores_late = (pick([False, False, True])
                                                for _ in range(2))

    def tile(self, rows, columns, kind="bf16", space="smem"):
        return "memref<%dx%dx%s, #%s>" % (rows, columns, kind, space)

    def copy(self, name, tensor, tile, columns):
        """A copy of rows %n … of a tensor, by whatever instruction."""
        source, prefer = self.kinds[tensor]
        shape = "%dx%d" % (self.block, columns)
        return ["%%%s = tile.region %%%s[%%n, 0] [%d, %d] : memref<?x%dx%s>"
                % (name, tensor, self.block, columns, columns, source),
                "tile.copy %%%s to %%%s%s : !tile.region<%sx%s>, %s"
                % (name, tile, prefer, shape, source,
                   self.tile(self.block, columns))]

    def each(self, rows, columns, tile, kind, lines):
        """An element loop over a fragment: %e becomes %r."""
        return (["tile.parallel (%%x, %%y) in [%d, %d] {" % (rows, columns),
                 "  %%e = memref.load %%%s[%%x, %%y] : %s" % (tile, kind)] +
                ["  " + line for line in lines] +
                ["  memref.store %%r, %%%s[%%x, %%y] : %s" % (tile, kind), "}"])

    def guard(self, lines):
        head = {"index": ["%h = arith.divui %n, %cb : index",
                          "%g = arith.remui %h, %c3 : index",
                          "%go1 = arith.cmpi eq, %g, %c1 : index"],
                "memory": ["%h = arith.divui %n, %cb : index",
                           "%g = memref.load %F[%h] : memref<?xi32>",
                           "%go1 = arith.cmpi sgt, %g, %i0 : i32"]}[self.mask]
        return head + ["scf.if %go1 {"] + ["  " + line for line in lines] + ["}"]

    def body(self):
        rows, block = self.rows, self.block
        s, o = self.tile(rows, block, "f32", "frag"), self.tile(rows, 64, "f32", "frag")
        p = self.tile(rows, block, "bf16", "smem" if self.by_memory else "frag")
        policy = "policy = #tile.warp_policy<full_row>"
        load_k = self.copy("k", "K", "Ks", 64)
        load_v = [] if self.is_shared else self.copy("v", "V", "Vs", 64)
        first = ["tile.gemm %%Qs, %%Ks, %%s clear %%true {transpose_b, %s} : (%s, %s, %s)"
                 % (policy, self.tile(rows, 64), self.tile(block, 64), s)]
        softmax = self.each(rows, block, "s", s,
                            ["%a = arith.maximumf %e, %less : f32",
                             "%r = arith.minimumf %a, %four : f32"])
        if self.mask:
            softmax += self.guard(self.each(rows, block, "s", s,
                                            ["%r = arith.addf %e, %one : f32"]))
        if self.has_bias:
            load_v += self.copy("b", "B", "Bs", 64)
            softmax += self.each(rows, block, "s", s,
                                 ["%%z = memref.load %%Bs[%%y, %%c0] : %s"
                                  % self.tile(block, 64),
                                  "%w = arith.extf %z : bf16 to f32",
                                  "%r = arith.addf %e, %w : f32"])
        if self.is_carried:
            softmax += self.each(rows, block, "s", s,
                                 ["%u = arith.sitofp %t : i32 to f32",
                                  "%r = arith.addf %e, %u : f32"])
        if self.stores_scores:
            softmax += ["%%sc = tile.region %%S[0, %%n] [%d, %d] : memref<%dx?xf32>"
                        % (rows, block, rows),
                        "tile.copy %%s to %%sc : %s, !tile.region<%dx%dxf32>"
                        % (s, rows, block)]
        rescale = (self.each(rows, 64, "o", o, ["%r = arith.mulf %e, %half : f32"])
                   if self.rescales else [])
        convert = ["tile.copy %%s to %%p : %s, %s" % (s, p)]
        v = "Ks" if self.is_shared else "Vs"
        if self.has_third:
            late = ["tile.gemm %%p, %%%s, %%m clear %%true {%s} : (%s, %s, %s)"
                    % (v, policy, p, self.tile(block, 64), o)]
            late += self.each(rows, 64, "m", o, ["%a = arith.maximumf %e, %less : f32",
                                                 "%r = arith.minimumf %a, %four : f32"])
            late += ["tile.copy %%m to %%f : %s, %s"
                     % (o, self.tile(rows, 64, "bf16", "frag")),
                     "tile.gemm %%f, %%Ws, %%o {%s} : (%s, %s, %s)"
                     % (policy, self.tile(rows, 64, "bf16", "frag"),
                        self.tile(64, 64), o)]
        else:
            late = ["tile.gemm %%p, %%%s, %%o {%s} : (%s, %s, %s)"
                    % (v, policy, p, self.tile(block, 64), o)]
        if self.stores_late:
            late += ["%h2 = arith.divui %n, %cb : index",
                     "%%lo = tile.region %%L[%%h2, 0, 0] [1, %d, 64] drop [0] : "
                     "memref<?x%dx64xf32>" % (rows, rows),
                     "tile.copy %%o to %%lo : %s, !tile.region<%dx64xf32>" % (o, rows)]
        if self.rng.choice([False, True]):
            return load_k + load_v + first + softmax + rescale + convert + late
        if self.has_bias or self.rng.choice([False, True]):
            return load_v + rescale + load_k + first + softmax + convert + late
        return load_k + first + rescale + softmax + load_v + convert + late

    def loop(self):
        body = self.body()
        if not self.is_while:
            carried = " iter_args(%t = %i0) -> (i32)" if self.is_carried else ""
            lines = ["%sscf.for %%n = %%first to %%keys step %%cb%s {"
                     % ("%end = " if carried else "", carried)]
            if carried:
                body += ["%t1 = arith.addi %t, %i1 : i32", "scf.yield %t1 : i32"]
            return lines + ["  " + line for line in body] + \
                ["} {tile.num_stages = %d : i32}" % self.stages]
        body += ["%next = arith.addi %n, %cb : index",
                 "%t1 = arith.addi %t, %i1 : i32", "scf.yield %next, %t1 : index, i32"]
        return (["%end:2 = scf.while (%n = %first, %t = %i0) : (index, i32) -> (index, i32) {",
                 "  %go = arith.cmpi slt, %n, %keys : index",
                 "  scf.condition(%go) %n, %t : index, i32", "} do {",
                 "^bb0(%n: index, %t: i32):"] + ["  " + line for line in body] +
                ["} attributes {tile.num_stages = %d : i32}" % self.stages])

    def cases(self):
        rows, block = self.rows, self.block
        result = []
        for trips in sorted(self.rng.sample(range(7), 3)):
            keys = block * trips - (self.rng.randrange(block) if trips and
                                    not self.stores_scores else 0)
            start = self.rng.choice([0, block]) if trips else 0
            kinds = {name: kind for name, (kind, _) in self.kinds.items()}
            result.append(
                "// CASE: %s(Q=ints:%dx64:bf16, K=ints:%dx64:%s, V=ints:%dx64:%s, B=ints:%dx64:%s, "
                "W=ints:64x64:bf16, F=ints:8:i32, S=junk:%dx%d:f32, L=junk:8x%dx64:f32, "
                "O=junk:%dx64:f32, first=%d)"
                % (self.name, rows, keys, kinds["K"], keys, kinds["V"], keys, kinds["B"],
                   rows, max(block, keys), rows, rows, start))
        return result

    def expected(self):
        lines = ["O[:], t = 0, 0", "for n in range(first, len(K), %d):" % self.block,
                 "  k, v, b = (np.zeros((%d, 64)) for _ in range(3))" % self.block,
                 "  for to, x in ((k, K), (v, V), (b, B)): to[:len(x[n:n+%d])] = x[n:n+%d]"
                 % (self.block, self.block),
                 "  s = np.clip(Q @ k.T, -4, 4)"]
        if self.mask:
            lines.append("  if %s: s = s + 1" % {
                "index": "n // %d %% 3 == 1" % self.block,
                "memory": "F[n // %d] > 0" % self.block}[self.mask])
        lines += ["  s = s + b[:, 0]"] * self.has_bias + ["  s = s + t"] * self.is_carried
        lines += ["  S[:, n:n+%d] = s" % self.block] * self.stores_scores
        lines += ["  O /= 2"] * self.rescales
        v = "k" if self.is_shared else "v"
        lines.append("  O += np.clip(s @ %s, -4, 4) @ W" % v if self.has_third
                     else "  O += s @ %s" % v)
        lines += ["  L[n // %d] = O" % self.block] * self.stores_late
        return ["// EXPECT: " + line for line in lines + ["  t += 1"]]

    def text(self):
        rows, block, rng = self.rows, self.block, self.rng
        by = ["", "", " {prefer = #tile.instr<cp_async>}"]
        self.kinds = {name: rng.choice([("bf16", rng.choice(by)), ("bf16", rng.choice(by)),
                                        ("f32", "")]) for name in "KVB"}
        head = self.cases() + self.expected()
        tiles = {"Qs": self.tile(rows, 64), "Ks": self.tile(block, 64),
                 "Vs": self.tile(block, 64), "Bs": self.tile(block, 64),
                 "Ws": self.tile(64, 64), "s": self.tile(rows, block, "f32", "frag"),
                 "p": self.tile(rows, block, "bf16", "smem" if self.by_memory else "frag"),
                 "m": self.tile(rows, 64, "f32", "frag"),
                 "f": self.tile(rows, 64, "bf16", "frag"),
                 "o": self.tile(rows, 64, "f32", "frag")}
        lines = ["tile.kernel_config {%s}" % self.config] if self.config else []
        lines += ["%%%s = tile.alloc : %s" % item for item in tiles.items()]
        lines += ["%%q = tile.region %%Q[0, 0] [%d, 64] : memref<%dx64xbf16>" % (rows, rows),
                  "tile.copy %%q to %%Qs : !tile.region<%dx64xbf16>, %s" % (rows, tiles["Qs"]),
                  "%w0 = tile.region %W[0, 0] [64, 64] : memref<64x64xbf16>",
                  "tile.copy %%w0 to %%Ws : !tile.region<64x64xbf16>, %s" % tiles["Ws"],
                  "tile.fill %%o, %%zero : %s, f32" % tiles["o"]] + self.loop()
        lines += ["%%out = tile.region %%O[0, 0] [%d, 64] : memref<%dx64xf32>" % (rows, rows),
                  "tile.copy %%o to %%out : %s, !tile.region<%dx64xf32>" % (tiles["o"], rows),
                  "gpu.terminator"]
        numbers = {"c0": "0 : index", "c1": "1 : index", "c3": "3 : index",
                   "cb": "%d : index" % block, "threads": "%d : index" % (2 * rows),
                   "i0": "0 : i32", "i1": "1 : i32", "zero": "0.0 : f32", "one": "1.0 : f32",
                   "half": "0.5 : f32", "four": "4.0 : f32", "less": "-4.0 : f32",
                   "true": "true"}
        return "\n".join(
            head +
            ["func.func @%s(%%Q: memref<%dx64xbf16>, %%K: memref<?x64x%s>, "
             "%%V: memref<?x64x%s>, %%B: memref<?x64x%s>, %%W: memref<64x64xbf16>, "
             "%%F: memref<?xi32>, %%S: memref<%dx?xf32>, %%L: memref<?x%dx64xf32>, "
             "%%O: memref<%dx64xf32>, %%first: index) {"
             % (self.name, rows, self.kinds["K"][0], self.kinds["V"][0],
                self.kinds["B"][0], rows, rows, rows)] +
            ["  %%%s = arith.constant %s" % item for item in numbers.items()] +
            ["  %%keys = memref.dim %%K, %%c0 : memref<?x64x%s>" % self.kinds["K"][0],
             "  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)",
             "             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {"] +
            ["    " + line for line in lines] + ["  }", "  return", "}", ""])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--config", default="")
    options = parser.parse_args()
    print("#smem = #gpu.address_space<workgroup>\n#frag = #tile.fragment\n")
    for number in kernels.some(options.first, options.count):
        print(Kernel(number, options.config).text())


if __name__ == "__main__":
    main()
