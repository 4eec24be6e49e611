#!/usr/bin/env python3
"""Counts the forms that the compiler gives kernels, by what stands in the program
after its passes: a table with a row per file and target, and their sum.

    roles     launches that are split into a producer and consumers
    rings     tiles with slots that channels hand over
    slots     of these rings
    rotated   loops that run a late product beside the next iteration's
    turns     roles whose warpgroups take turns (ping-pong)
    loads     copies into shared memory by TMA
    stores    copies to tensors by TMA
    persist   launches whose blocks loop over tiles
    async     copies of groups of cp.async

  count-forms.py --target=sm_90a --target=sm_80 FILE… [> TABLE]
  count-forms.py --compare=TABLE --target=… FILE…   exit 1 where a number is less"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

COLUMNS = ("roles", "rings", "slots", "rotated", "turns", "loads", "stores", "persist",
           "async")


def stage(folder, name):
    """The program after the pass `name`, or an empty text."""
    for file in sorted(os.listdir(folder)):
        if file.endswith("-%s.mlir" % name):
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                return text.read()
    return ""


def count_rotated(text):
    """Loops whose wgmma products are of different stages."""
    loops, count = [], 0
    for line in text.splitlines():
        if re.search(r"\bscf\.(for|while)\b", line):
            loops.append((len(line) - len(line.lstrip()), set()))
        product = re.search(r"tile\.gemm.*wgmma.*tile\.stage = (\d+)", line)
        if product and loops:
            loops[-1][1].add(product.group(1))
        if loops and line.startswith(" " * loops[-1][0] + "}") and "do {" not in line:
            count += len(loops.pop()[1]) > 1
    return count


def count_forms(path, target):
    """Numbers by column, or None where it does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["tile-compile", path, "--target=" + target, "--emit=json", "-o", folder,
             "--no-remarks", "--save-temps=" + os.path.join(folder, "stages")],
            capture_output=True, text=True, check=False)
        if result.returncode:
            return None
        stages = os.path.join(folder, "stages")
        split = stage(stages, "tile-ws-tiled")
        last = stage(stages, "tile-verify-channels")
        planned = stage(stages, "tile-pipeline-planning")
    rings = [ring for channel in re.findall(r"tile\.channel_barriers.*", last)
             for ring in re.findall(r"memref<(\d+)x", channel)]
    copies = re.findall(r"tile\.copy .*", last)
    return {
        "roles": len(re.findall(r"tile\.specialize \{", split)),
        "rings": len(rings),
        "slots": sum(map(int, rings)),
        "rotated": count_rotated(planned),
        "turns": len(re.findall(r"tile\.role .*pingpong", last)),
        "loads": sum("#tile.instr<tma>" in c and " signal " in c for c in copies),
        "stores": sum("#tile.instr<tma>" in c and " signal " not in c for c in copies),
        "persist": len(re.findall(r"tile\.persistent", split)),
        "async": sum("#tile.instr<cp_async>" in c for c in copies)}


def show(rows):
    head = "%-34s %-7s" % ("file", "target") + "".join("%8s" % c for c in COLUMNS)
    print(head)
    for (name, target), forms in rows.items():
        cells = ["%8d" % forms[c] for c in COLUMNS] if forms else ["%8s" % "-"]
        print("%-34s %-7s%s" % (name, target, "".join(cells)))


def read_table(path):
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.split()
            if len(cells) == 2 + len(COLUMNS) and cells[2].isdigit():
                rows[cells[0], cells[1]] = dict(zip(COLUMNS, map(int, cells[2:])))
    return rows


def compare(before, after):
    """Prints what became less; whether nothing did."""
    is_fine = True
    for key, forms in before.items():
        if key[0] == "sum" or key not in after:
            continue
        for column in COLUMNS:
            now = after[key][column] if after[key] else 0
            if now < forms[column]:
                print("%s %s: %s %d -> %d" % (*key, column, forms[column], now))
                is_fine = False
    return is_fine


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--compare", help="table of before")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    rows = {}
    for target in options.target:
        total = dict.fromkeys(COLUMNS, 0)
        for path in options.files:
            forms = count_forms(path, target)
            rows[os.path.basename(path), target] = forms
            for column in COLUMNS:
                total[column] += forms[column] if forms else 0
        rows["sum", target] = total
    if not options.compare:
        show(rows)
    elif not compare(read_table(options.compare), rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
