#!/usr/bin/env python3
"""Random products, dense and structured sparse, whose factors come by every route:
whole tiles, views of other shapes and types, windows of larger tiles, slots of
rings, fragments, element loops, transpositions and conversions between all types;
tensors are strided and misaligned, with extents that no tile divides. Integers, so
that numpy says what every element must be. The same --seed gives the same kernels."""

import os
import random

import numpy as np

import kernels
import randomkernels
import sparse

SMEM = "#gpu.address_space<workgroup>"
FLOATS = ("f16", "bf16", "f32", "f8E4M3FN", "f8E5M2")
FACTORS = FLOATS + ("i8",)
BITS = dict(kernels.FLOAT_BITS, i1=8, i8=8, i16=16, i32=32, i64=64)
THREADS = (32, 64, 96, 128, 128, 128, 256, 384)
MAX_SHARED = 90000  # bytes


def memref(shape, dtype, space=SMEM):
    return "memref<%sx%s, %s>" % ("x".join(map(str, shape)), dtype, space)


def region(shape, dtype, space=None):
    return "!tile.region<%sx%s%s>" % ("x".join(map(str, shape)), dtype,
                                      ", " + space if space else "")


def listed(items):
    return ", ".join(map(str, items))


class Tensor:
    """A tensor of rank 2, dynamic or static, with gaps and an offset or without."""

    def __init__(self, rng, name, values, dtype):
        self.name, self.dtype, self.shape = name, dtype, values.shape
        placement, layout = "", ""
        if rng.random() < 0.4:
            pitch = max(1, values.shape[1]) + rng.choice([0, 1, 3, 8])
            placement = "@%dx1+%d" % (pitch, rng.choice([0, 1, 2, 8]))
            layout = ", strided<[?, 1], offset: ?>"
        extents = [str(n) if rng.random() < 0.3 else "?" for n in values.shape]
        self.type = "memref<%sx%s%s>" % ("x".join(extents), dtype, layout)
        self.tensor = kernels.Tensor(name, "zeros:%dx%d:%s%s" % (
            *values.shape, dtype, placement))
        self.tensor.values = kernels.round_to(values, dtype)


class Program:
    def __init__(self, seed, target):
        self.random = r = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.target, self.name = target, "factors%d" % seed
        self.is_sparse = r.random() < 0.6
        self.dtype = r.choice(FACTORS)
        if self.is_sparse and target == "sm_80":
            self.dtype = r.choice(("f16", "bf16", "f32", "i8"))
        self.dtype_b = self.dtype
        if self.dtype.startswith("f8") and r.random() < 0.5:
            self.dtype_b = r.choice(("f8E4M3FN", "f8E5M2"))
        self.acc = "i32" if self.dtype == "i8" else "f32"
        if self.dtype == "f16" and r.random() < 0.3:
            self.acc = "f16"
        if self.dtype.startswith("f8") and not self.is_sparse and r.random() < 0.2:
            self.acc = "f16"
        self.group = 2 if self.dtype == "f32" else 4
        self.choose_tile()
        self.ta = not self.is_sparse and r.random() < 0.5
        self.tb = r.random() < 0.5
        self.stages = r.choice([None, None, 1, 2, 3])
        self.head, self.lines, self.tensors = [], [], []
        self.count = self.bytes = 0
        self.routes = []

    def choose_tile(self):
        r = self.random
        self.threads = r.choice(THREADS)
        warps = self.threads // 32
        k_step = 256 // BITS[self.dtype] * (1 + self.is_sparse)
        while True:
            rows = r.choice([n for n in range(1, warps + 1) if warps % n == 0])
            self.m = 16 * rows * r.choice([1, 1, 2, 3, 4])
            self.n = 8 * (warps // rows) * r.choice([1, 2, 3, 4, 5, 8])
            self.k = k_step * r.choice([1, 1, 2, 3, 4])
            if (self.m * self.n <= 64 * self.threads and self.m * self.k <= 12288
                    and self.n * self.k <= 12288):
                break
        self.full_m = max(1, self.m * r.choice([1, 1, 2]) - r.choice([0, 0, 1, 5, 13]))
        self.full_n = max(1, self.n * r.choice([1, 1, 2]) - r.choice([0, 0, 1, 3, 7]))
        unit = 4 * self.group if self.is_sparse else 1
        steps = r.choice([0, 1, 1, 2, 3, 5])
        self.full_k = self.k * steps - unit * r.choice([0, 0, 1, 1, 3])
        self.full_k = max(unit, self.full_k)

    #===-- Text -----------------------------------------------------------===#

    def add(self, text, *args):
        self.lines.append("      " + (text % args if args else text))

    def value(self, text, *args):
        self.count += 1
        self.add("%%v%d = %s" % (self.count, text % args if args else text))
        return "%%v%d" % self.count

    def alloc(self, shape, dtype, space=SMEM):
        self.count += 1
        name = "%%t%d" % self.count
        if space == SMEM:
            self.bytes += int(np.prod(shape)) * BITS[dtype] // 8
        self.head.append("    %s = tile.alloc : %s" % (name, memref(shape, dtype, space)))
        return name

    def tensor(self, values, dtype):
        tensor = Tensor(self.random, "T%d" % len(self.tensors), values, dtype)
        self.tensors.append(tensor)
        return tensor

    def window(self, tensor, at, shape, pad=None):
        text = " pad %s : %s in" % (pad, tensor.dtype) if pad else ""
        return self.value("tile.region %%%s[%s] [%s]%s : %s", tensor.name, listed(at),
                          listed(shape), text, tensor.type)

    def copy(self, source, source_type, target, target_type, op="copy"):
        self.add("tile.%s %s to %s : %s, %s", op, source, target, source_type,
                 target_type)

    #===-- Routes of a block to its product -------------------------------===#

    def fetch(self, source, at, shape, dtype, target, target_type, pad):
        """A block of a tensor, of any type, to a tile or a window."""
        if "elements" in self.routes[-1] and not target_type.startswith("!"):
            return self.fetch_by_elements(source, at, shape, dtype, target,
                                          target_type, pad)
        if "transposed" in self.routes[-1]:
            window = self.window(source, at[::-1], shape[::-1], pad)
            return self.copy(window, region(shape[::-1], source.dtype), target,
                             target_type, "transpose")
        window = self.window(source, at, shape, pad)
        return self.copy(window, region(shape, source.dtype), target, target_type)

    def fetch_by_elements(self, source, at, shape, dtype, target, target_type, pad):
        rows = self.value("memref.dim %%%s, %%c0 : %s", source.name, source.type)
        columns = self.value("memref.dim %%%s, %%c1 : %s", source.name, source.type)
        self.add("tile.parallel (%%i, %%j) in [%s] {", listed(shape))
        for name, base, index, extent in (("r", at[0], "i", rows),
                                          ("c", at[1], "j", columns)):
            self.add("  %%%s = arith.addi %s, %%%s : index", name, base, index)
            self.add("  %%in%s = arith.cmpi ult, %%%s, %s : index", name, name, extent)
        self.add("  %inside = arith.andi %inr, %inc : i1")
        self.add("  %%x = scf.if %%inside -> (%s) {", source.dtype)
        self.add("    %%y = memref.load %%%s[%%r, %%c] : %s", source.name, source.type)
        self.add("    scf.yield %%y : %s", source.dtype)
        self.add("  } else {")
        zero = pad
        if not pad:
            zero = "%zz"
            self.add("    %%zz = arith.constant %s : %s", "0" if source.dtype[0] == "i"
                     else "0.0", source.dtype)
        self.add("    scf.yield %s : %s", zero, source.dtype)
        self.add("  }")
        value = self.cast("%x", source.dtype, dtype)
        self.add("  memref.store %s, %s[%%i, %%j] : %s", value, target, target_type)
        self.add("}")

    def cast(self, name, source, target):
        """Conversion inside an element loop."""
        if source == target:
            return name
        a, b = BITS[source], BITS[target]
        if source[0] == "i":
            op = "extsi" if a < b else "trunci"
        elif a == b:
            self.add("  %%wide = arith.extf %s : %s to f32", name, source)
            name, source, op = "%wide", "f32", "truncf"
        else:
            op = "extf" if a < b else "truncf"
        self.add("  %%y2 = arith.%s %s : %s to %s", op, name, source, target)
        return "%y2"

    def source_type(self, dtype):
        """The type that a tensor has whose blocks become tiles of `dtype`."""
        if self.random.random() < 0.6:
            return dtype
        if dtype[0] == "i":
            return self.random.choice(["i8", "i16", "i32", "i64"] if dtype == "i8"
                                      else ["i32", "i64"])
        return self.random.choice(FLOATS + ("f64",))

    def tile_of(self, route, values, at, shape, dtype, in_registers, pad=None):
        """Brings a block to a product; returns its name and its type."""
        self.routes.append(route)
        if "transposed" in route:
            values = values.T
        source = self.tensor(values, self.source_type(dtype))
        if pad:
            pad = self.pads(source.dtype)
        size = (int(np.prod(shape)),)
        if route[0] == "view":
            return self.by_view(source, at, shape, dtype, size, pad)
        if route[0] in ("window", "ring"):
            return self.by_window(route, source, at, shape, dtype, pad)
        space = SMEM
        if in_registers and "direct" in route:
            space = "#tile.fragment"
        name, kind = self.alloc(shape, dtype, space), memref(shape, dtype, space)
        self.fetch(source, at, shape, dtype, name, kind, pad)
        return name, kind

    def by_view(self, source, at, shape, dtype, size, pad):
        """The tile is a view: of a row of bytes, or of elements in another shape."""
        r = self.random
        bits, count = BITS[dtype], int(size[0])
        if r.random() < 0.5 and bits > 8:
            base_type = r.choice([t for t in ("i8", "i16", "i32")
                                  if count * bits % BITS[t] == 0])
        else:
            base_type = dtype
        count = count * bits // BITS[base_type]
        divisors = [d for d in (1, 2, 4, 8, shape[0]) if count % d == 0]
        d = r.choice(divisors)
        base = r.choice([(count,), (d, count // d), (d, 1, count // d)])
        tile = self.alloc(base, base_type)
        kind = memref(shape, dtype)
        if r.random() < 0.5:
            view = self.value("tile.view %s : %s to %s", tile, memref(base, base_type),
                              kind)
        else:  # once, before the loop
            self.count += 1
            view = "%%v%d" % self.count
            self.head.append("    %s = tile.view %s : %s to %s" % (
                view, tile, memref(base, base_type), kind))
        self.fetch(source, at, shape, dtype, view, kind, pad)
        return view, kind

    def by_window(self, route, source, at, shape, dtype, pad):
        """A window of a larger tile, or a slot of a ring."""
        r = self.random
        if route[0] == "ring":
            depth = r.choice([1, 2, 3])
            big = (depth, *shape)
            tile = self.alloc(big, dtype)
            slot = self.value("arith.remui %%step, %%c%d : index", depth)
            text = "[%s, 0, 0] [1, %s] drop [0]" % (slot, listed(shape))
        else:
            big = [n * r.choice([1, 2]) for n in shape]
            places = [r.choice([0, b - n]) for b, n in zip(big, shape)]
            tile = self.alloc(big, dtype)
            text = "[%s] [%s]" % (listed(places), listed(shape))
        window = self.value("tile.region %s%s : %s", tile, text, memref(big, dtype))
        kind = region(shape, dtype, SMEM)
        self.fetch(source, at, shape, dtype, window, kind, pad)
        return window, kind

    def pads(self, dtype):
        """What metadata is outside its tensor: good places."""
        self.count += 1
        name = "%%p%d" % self.count
        self.head.append("    %s = arith.constant %d : %s" % (name, 0x4444, dtype))
        return name

    def route(self, may_be_fragment):
        r = self.random
        first = r.choice(["whole", "whole", "view", "window", "ring"]
                         + ["whole"] * 2 * may_be_fragment)
        route = [first]
        if may_be_fragment:
            route.append(r.choice(["registers", "direct", "shared", "shared"]))
        route.append(r.choice(["copy"] * 4 + ["elements", "transposed"]))
        return route

    def to_registers(self, name, kind, shape, dtype):
        fragment = "#tile.fragment"
        if kind.endswith("fragment>"):
            return name, kind
        target = self.alloc(shape, dtype, fragment)
        self.copy(name, kind, target, memref(shape, dtype, fragment))
        return target, memref(shape, dtype, fragment)

    #===-- The product ----------------------------------------------------===#

    def inputs(self):
        rng = self.numbers
        small = 1 if self.acc == "f16" else 2
        if self.is_sparse:
            dense = sparse.random_sparse(self.full_m, self.full_k, self.group,
                                         self.dtype, int(rng.integers(1 << 30)))
            dense = np.clip(dense, -small, small)
            stored, words = sparse.compress(dense, self.group)
        else:
            dense = rng.integers(-small, small + 1, (self.full_m, self.full_k))
            stored, words = dense, None
        b = rng.integers(-small, small + 1, (self.full_k, self.full_n))
        self.expected = dense.astype(np.float64) @ b
        return stored, words, b

    def block(self):
        """One step of K: fetches the factors and multiplies."""
        stored, words, b = self.inputs()
        step = "%k"
        k_a, k_at = self.k, step
        if self.is_sparse:
            k_a, k_at = self.k // 2, self.value("arith.divui %k, %c2 : index")
        shape_a, at_a = (self.m, k_a), ("%i0", k_at)
        values_a = stored
        if self.ta:
            shape_a, at_a, values_a = shape_a[::-1], at_a[::-1], stored.T
        in_a = self.route(True)
        a, kind_a = self.tile_of(in_a, values_a, at_a, shape_a, self.dtype,
                                 in_a[1] == "direct")
        if in_a[1] == "registers":
            a, kind_a = self.to_registers(a, kind_a, shape_a, self.dtype)
        operands, kinds = [a], [kind_a]
        if self.is_sparse:
            e, kind_e = self.metadata(words)
            operands.append(e)
            kinds.append(kind_e)
        shape_b, at_b, values_b = (self.k, self.n), (step, "%j0"), b
        if self.tb:
            shape_b, at_b, values_b = shape_b[::-1], at_b[::-1], b.T
        in_b = self.route(self.random.random() < 0.2)
        bb, kind_b = self.tile_of(in_b, values_b, at_b, shape_b, self.dtype_b,
                                  in_b[1] == "direct")
        if in_b[1] == "registers":
            bb, kind_b = self.to_registers(bb, kind_b, shape_b, self.dtype_b)
        self.multiply(operands + [bb], kinds + [kind_b])

    def metadata(self, words):
        """The words of E, by way of i8 and i32, of i64 that are cut, …"""
        r = self.random
        per_word = self.group * 4
        shape = (self.m, self.k // per_word)
        at = ("%i0", self.value("arith.divui %%k, %%c%d : index", per_word))
        if r.random() < 0.4:
            bits = r.choice([8, 32])
            raw = np.ascontiguousarray(words)
            if raw.shape[1] * 16 % bits == 0 and shape[1] * 16 % bits == 0:
                return self.words(raw, bits, shape)
        return self.tile_of(self.route(False), words, at, shape, "i16", False, True)

    def words(self, raw, bits, shape):
        self.routes.append(["words%d" % bits, "copy"])
        dtype = "i%d" % bits
        columns = shape[1] * 16 // bits
        source = self.tensor(raw.view("i%d" % (bits // 8)), dtype)
        self.count += 1
        pad = "%%p%d" % self.count
        self.head.append("    %s = arith.constant %d : %s" % (
            pad, 0x44 if bits == 8 else 0x44444444, dtype))
        at = ("%i0", self.value("arith.divui %%k, %%c%d : index",
                                self.group * bits // 4))
        tile, kind = self.alloc((shape[0], columns), dtype), memref((shape[0], columns),
                                                                    dtype)
        window = self.window(source, at, (shape[0], columns), pad)
        self.copy(window, region((shape[0], columns), dtype), tile, kind)
        return self.value("tile.view %s : %s to %s", tile, kind,
                          memref(shape, "i16")), memref(shape, "i16")

    def multiply(self, operands, kinds):
        r = self.random
        acc = memref((self.m, self.n), self.acc, "#tile.fragment")
        attributes = ["transpose_a"] * self.ta + ["transpose_b"] * self.tb
        attributes += ['precision = "tf32"'] * (self.dtype == "f32")
        clear = ""
        if self.clears:
            clear = "clear " + self.value("arith.cmpi eq, %k, %c0 : index")
        if r.random() < 0.15:
            attributes.append("instr = #tile.instr<mma>")
        text = " {%s}" % ", ".join(attributes) if attributes else ""
        self.add("tile.gemm%s %s, %%acc %s%s : (%s, %s)", "_sp" * self.is_sparse,
                 ", ".join(operands), clear, text, ", ".join(kinds), acc)

    def epilogue(self):
        """The sums go out converted, by way of an element loop, or transposed."""
        r = self.random
        kind = memref((self.m, self.n), self.acc, "#tile.fragment")
        largest = int(np.abs(self.expected).max(initial=0))
        types = ["i32", "i16", "i64"] if self.acc == "i32" else [
            t for t, n in (("f32", 1 << 24), ("f16", 2048), ("bf16", 256), ("f64", 1 << 50))
            if largest * 3 <= n]
        out = r.choice(types)
        shape = (self.full_m, self.full_n)
        how = r.choice(["copy", "copy", "elements", "transpose", "shared"])
        if how == "transpose":
            shape, tile, at = shape[::-1], (self.n, self.m), ("%j0", "%i0")
            self.expected = self.expected.T
        else:
            tile, at = (self.m, self.n), ("%i0", "%j0")
        target = self.tensor(np.full(shape, kernels.GUARD), out)
        window = self.window(target, at, tile)
        if how == "elements":
            self.add("tile.parallel (%%i, %%j) in [%d, %d] {", self.m, self.n)
            self.add("  %%x = memref.load %%acc[%%i, %%j] : %s", kind)
            self.add("  %%y = arith.add%s %%x, %%x : %s", self.acc[0], self.acc)
            self.add("  memref.store %%y, %%acc[%%i, %%j] : %s", kind)
            self.add("}")
            self.expected = self.expected * 2
        if how == "shared":
            stage = self.alloc(tile, self.acc)
            self.copy("%acc", kind, stage, memref(tile, self.acc))
            self.copy(stage, memref(tile, self.acc), window, region(tile, out))
        else:
            self.copy("%acc", kind, window, region(tile, out),
                      "transpose" if how == "transpose" else "copy")
        self.out = target

    def mlir(self):
        r = self.random
        self.clears = r.random() < 0.3
        self.block()
        body, self.lines = self.lines, []
        self.epilogue()
        tail, fill = [line[2:] for line in self.lines], []
        kind = memref((self.m, self.n), self.acc, "#tile.fragment")
        zero = "0" if self.acc == "i32" else "0.0"
        if not self.clears:
            fill = ["    %%zero = arith.constant %s : %s" % (zero, self.acc),
                    "    tile.fill %%acc, %%zero : %s, %s" % (kind, self.acc)]
        params = listed("%%%s: %s" % (t.name, t.type) for t in self.tensors)
        config = ["    tile.kernel_config {specialize = #tile.specialize<off>}"
                  ] if r.random() < 0.25 else []
        stages = " {tile.num_stages = %d : i32}" % self.stages if self.stages else ""
        grid = (-(-self.full_m // self.m), -(-self.full_n // self.n))
        text = ["func.func @%s(%s) {" % (self.name, params)]
        text += ["  %%c%d = arith.constant %d : index" % (i, i)
                 for i in (0, 1, 2, 3, 4, 8, 16, 32)]
        text += ["  %%%s = arith.constant %d : index" % pair for pair in (
            ("bm", self.m), ("bn", self.n), ("bk", self.k), ("K", self.full_k),
            ("gy", grid[0]), ("gx", grid[1]), ("threads", self.threads))]
        text += ["  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)",
                 "             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, "
                 "%nz = %c1) {"] + config
        text += ["    %i0 = arith.muli %by, %bm : index",
                 "    %j0 = arith.muli %bx, %bn : index",
                 "    %%acc = tile.alloc : %s" % kind] + self.head + fill
        text += ["    scf.for %k = %c0 to %K step %bk {",
                 "      %step = arith.divui %k, %bk : index"] + body
        text += ["    }" + stages] + tail + ["    gpu.terminator", "  }", "  return", "}"]
        return "\n".join(text) + "\n"

    def describe(self):
        return "%s%s x %s -> %s, %dx%dx%d of %dx%dx%d, %d threads, stages %s, %s" % (
            "sparse " * self.is_sparse, self.dtype, self.dtype_b, self.acc, self.m,
            self.n, self.k, self.full_m, self.full_n, self.full_k, self.threads,
            self.stages, " ".join("/".join(x) for x in self.routes))

    def check(self, out, seeds):
        arguments = [t.tensor for t in self.tensors]
        for seed in seeds:
            results, _ = kernels.run_function(
                os.path.join(out, self.name + ".json"), arguments, seed)
            for tensor in arguments:
                expected = (self.expected if tensor is self.out.tensor
                            else tensor.values)
                kernels.compare(tensor.name, tensor.dtype, results[tensor.name],
                                expected)


if __name__ == "__main__":
    randomkernels.main(__doc__, Program)
