#!/usr/bin/env python3
"""Compiles examples/gemm.mlir for two targets, runs both on the emulator, checks
every element of the product, and says what happened.

M, N and K are 300, 200 and 136: no multiple of a tile, on purpose. Registers
are shown when ptxas is found. Outputs go to out/demo/TARGET."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import project

M, N, K, SEED = 300, 200, 136, 1
TARGETS = ("sm_90a", "sm_80")
SOURCE = "examples/gemm.mlir"
ANNOTATION = "canonicalize,tile-make-variants{target=%s}," \
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
    print("  %-12s %s" % (label, text))


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
    passes = "builtin.module(%s)" % (ANNOTATION % (target, target))
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
    for row in (result.stdout + result.stderr).splitlines():
        entry = re.search(r"Compiling entry function '(\w+)'", row)
        kernel = entry.group(1) if entry else kernel
        spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads",
                           row)
        if spills:
            is_clean = spills.group(1) == spills.group(2) == "0"
            texts[kernel] = "no spills" if is_clean else spills.group(0)
        used = re.search(r"Used (\d+) registers", row)
        if used:
            texts[kernel] = "%s registers, %s" % (used.group(1), texts[kernel])
    return texts


#===-- One target --------------------------------------------------------===#


def show_variant(number, variant, ops, used):
    needs = [r["text"] for r in variant["requires"]]
    line("variant %d" % number,
         "needs: " + "; ".join(needs) if needs else "needs nothing")
    for text, instruction in ops:
        line("", "%-42s %s" % (text, instruction))
    line("", "%-42s %d bytes" % ("shared memory",
                                 variant["dynamic_smem_bytes"]))
    if variant["kernel"] in used:
        line("", "%-42s %s" % ("ptxas", used[variant["kernel"]]))


def demo(target, python):
    folder = os.path.join("out", "demo", target)
    os.makedirs(os.path.join(project.ROOT, folder), exist_ok=True)
    print("%s for %s" % (SOURCE, target))
    run(["tile-compile", SOURCE, "--target=" + target, "-o", folder + "/"])
    names = passes_of(target)
    line("passes", "%d:" % len(names))
    for i in range(0, len(names), 3):
        line("", " ".join(names[i:i + 3]))

    with open(os.path.join(project.ROOT, folder, "gemm.json"),
              encoding="utf-8") as file:
        variants = json.load(file)["launches"][0]["variants"]
    used = registers(os.path.join(project.ROOT, folder, "gemm.ptx"), target,
                     os.path.join(project.ROOT, folder))
    ops = instructions(target)
    for i, variant in enumerate(variants):
        show_variant(i + 1, variant, ops[i] if i < len(ops) else [], used)

    saved = [os.path.join(folder, name) for name in ("a.npy", "b.npy", "c.npy")]
    output = run([
        "tile-run", os.path.join(folder, "gemm.json"),
        "ints:%dx%d:bf16" % (M, K), "ints:%dx%d:bf16" % (K, N),
        "zeros:%dx%d:f32" % (M, N), "--emulate", "--seed=%d" % SEED,
        "--verbose", "--stats",
        *(word for i, name in enumerate(saved)
          for word in ("--save", "%d=%s" % (i, name)))])
    line("emulated", "%dx%dx%d, seed %d: no race, no deadlock, no stray access"
         % (M, N, K, SEED))
    for row in output.splitlines():
        line("", row)
    result = run([python, "utils/check-gemm.py", *saved])
    line("result", result.strip())
    print()


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
    build = os.path.abspath(parser.parse_args().build)
    places = [os.path.join(build, folder) for folder in
              ("bin", "tools", "tools/tile-compile", "tools/tile-run")]
    os.environ["PATH"] = os.pathsep.join(places + [os.environ["PATH"]])
    for target in TARGETS:
        demo(target, find_python())
    print("demo passed")


if __name__ == "__main__":
    main()
