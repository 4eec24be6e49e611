#!/usr/bin/env python3
"""Compiles examples/gemm.mlir for two targets, runs them on the emulator, checks
every element of the product, and says what happened.

Registers are shown when ptxas is found. Outputs go to out/demo/TARGET."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

import project

# No multiples of a tile, on purpose. Rows of the second do not start at multiples
# of 16 bytes, so the variant runs that needs nothing.
SHAPES = ((300, 200, 136), (300, 199, 135))
SEED = 1
TARGETS = ("sm_90a", "sm_80")
WIDTH = 88
SOURCE = "examples/gemm.mlir"
ANNOTATION = "canonicalize,tile-make-variants{target=%s}," \
             "tile-stage-stores{target=%s}," \
             "tile-instruction-annotation{target=%s}"
SPACES = {"workgroup": "shared", "tile.fragment": "registers",
          "private": "private"}


def run(command):
    """Runs a program; returns what it prints, or ends the demo with it."""
    result = subprocess.run(command, cwd=project.ROOT, text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        sys.exit("%s\n%s%sdemo: exit status %d" % (
            " ".join(command), result.stdout, result.stderr, result.returncode))
    return result.stdout


def line(label, text):
    """One paragraph with a label in the margin."""
    print(textwrap.fill(text, WIDTH, initial_indent="  %-11s " % label,
                        subsequent_indent=" " * 14, break_on_hyphens=False,
                        break_long_words=False))


def row(left, right):
    print("%14s%-42s %s" % ("", left, right))


#===-- What the compiler chose -------------------------------------------===#


def tile_and_space(type_text):
    """"128x64xbf16" and "shared" of a region or memref type."""
    shape = re.search(r"<((?:\d+x)*[\w]+)", type_text).group(1)
    space = next((word for key, word in SPACES.items() if key in type_text),
                 "global")
    return shape, space


def describe(op_line):
    """One copy or product in words, with its instruction; else None."""
    match = re.search(r"tile\.(copy|gemm)\b(.*)", op_line)
    if not match:
        return None
    instr = re.search(r"#tile\.instr<(\w+)>", op_line)
    types = re.findall(r"(?:memref|!tile\.region)<[^<>]*(?:<[^<>]*>)?[^<>]*>",
                       op_line.rpartition(" : ")[2])
    tiles = [tile_and_space(t) for t in types]
    if match.group(1) == "copy":
        text = "copy %s, %s to %s" % (tiles[0][0], tiles[0][1], tiles[1][1])
    else:
        text = "gemm %s * %s" % (tiles[0][0], tiles[1][0])
    return text, instr.group(1) if instr else "-"


def instructions(target):
    """One list of (text, instruction) per variant of the kernel."""
    passes = "builtin.module(%s)" % (ANNOTATION % ((target,) * 3))
    text = run(["tile-opt", SOURCE, "--pass-pipeline=" + passes])
    variants = []
    for op_line in text.splitlines():
        if "gpu.launch" in op_line:
            variants.append([])
        found = describe(op_line)
        if found and variants:
            variants[-1].append(found)
    return variants


def passes_of(target):
    text = run(["tile-compile", SOURCE, "--target=" + target,
                "--print-pipeline"]).strip()
    inner = re.sub(r"^builtin\.module\((.*)\)$", r"\1", text, flags=re.S)
    names = re.findall(r"[\w-]+(?=[,){]|$)", re.sub(r"\{[^{}]*\}", "", inner))
    return [name for name in names if "-" in name or name == "canonicalize"]


def registers(ptx, target, folder):
    """Maps kernel to "N registers, ...", as ptxas says; empty without it."""
    ptxas = shutil.which("ptxas") or shutil.which(
        "ptxas", path=os.path.join(os.environ.get("CUDA_HOME",
                                                  "/usr/local/cuda"), "bin"))
    if not ptxas:
        return {}
    result = subprocess.run(
        [ptxas, "-v", "-arch=" + target, ptx, "-o",
         os.path.join(folder, "checked.cubin")],
        text=True, check=True, capture_output=True)
    texts, kernel = {}, None
    for text in (result.stdout + result.stderr).splitlines():
        entry = re.search(r"Compiling entry function '(\w+)'", text)
        kernel = entry.group(1) if entry else kernel
        spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads",
                           text)
        if spills:
            is_clean = spills.group(1) == spills.group(2) == "0"
            texts[kernel] = "no spills" if is_clean else spills.group(0)
        used = re.search(r"Used (\d+) registers", text)
        if used:
            texts[kernel] = "%s registers, %s" % (used.group(1), texts[kernel])
    return texts


#===-- One target --------------------------------------------------------===#


def show_variant(number, variant, names, ops, used):
    needs = [re.sub(r"argument (\d+)", lambda m: names[int(m.group(1))],
                    requirement["text"]) for requirement in variant["requires"]]
    line("variant %d" % number,
         "needs: " + "; ".join(needs) if needs else "needs nothing")
    for text, instruction in ops:
        row(text, instruction)
    row("shared memory", "%d bytes" % variant["dynamic_smem_bytes"])
    if variant["kernel"] in used:
        row("ptxas", used[variant["kernel"]])


def demo(target, out, python):
    folder = os.path.join(out, target)
    os.makedirs(folder, exist_ok=True)
    print("%s for %s" % (SOURCE, target))
    run(["tile-compile", SOURCE, "--target=" + target, "-o", folder + "/"])
    names = passes_of(target)
    line("passes", "%d: %s" % (len(names), ", ".join(names)))

    with open(os.path.join(folder, "gemm.json"), encoding="utf-8") as file:
        function = json.load(file)
    variants = function["launches"][0]["variants"]
    arguments = [argument["name"] for argument in function["args"]]
    used = registers(os.path.join(folder, "gemm.ptx"), target, folder)
    ops = instructions(target)
    for i, variant in enumerate(variants):
        show_variant(i + 1, variant, arguments,
                     ops[i] if i < len(ops) else [], used)

    for shape in SHAPES[:len(variants)]:
        execute(folder, shape, python)
    print()


def execute(folder, shape, python):
    """Runs the product on the emulator and checks all of it."""
    m, n, k = shape
    saved = [os.path.join(folder, name) for name in ("a.npy", "b.npy", "c.npy")]
    output = run([
        "tile-run", os.path.join(folder, "gemm.json"),
        "ints:%dx%d:bf16" % (m, k), "ints:%dx%d:bf16" % (k, n),
        "zeros:%dx%d:f32" % (m, n), "--emulate", "--seed=%d" % SEED,
        "--verbose", "--stats",
        *(word for i, name in enumerate(saved)
          for word in ("--save", "%d=%s" % (i, name)))])
    launch = re.search(r"\((variant .*?)\), grid ([\dx]+), block ([\dx]+)",
                       output)
    line("emulated", "M, N, K = %d, %d, %d: %s, grid %s, block %s" % (
        *shape, *launch.groups()))
    line("", re.search(r"stats: (.*)", output).group(1))
    line("", "no race, no deadlock, no stray access (seed %d)" % SEED)
    line("result", run([python, "utils/check-gemm.py", *saved]).strip())


def find_python():
    """An interpreter with numpy; Debian's package serves /usr/bin only."""
    for python in ("/usr/bin/python3", sys.executable):
        probe = [python, "-c", "import numpy"]
        if os.path.exists(python) and \
           subprocess.run(probe, capture_output=True).returncode == 0:
            return python
    sys.exit("demo: no python3 with numpy; utils/install-deps installs it")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="default: build/")
    parser.add_argument("--out", default="out/demo", help="folder for outputs")
    options = parser.parse_args()
    os.environ["PATH"] = project.tool_path(options.build)
    out = os.path.abspath(options.out)
    for target in TARGETS:
        demo(target, out, find_python())
    print("demo passed")


if __name__ == "__main__":
    main()
