#!/usr/bin/env python3
"""Runs the kernels of a Markdown page: run-kernel.py for every block of mlir, whose
comments say with what, and what must come out. A comment before a block, as in
`<!-- targets: sm_90a -->`, names the chips that it is for, else all of --target.
Prints how many there are."""

import argparse
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"(?:<!-- targets: ([\w, ]+) -->\n)?```mlir\n(.*?)```\n", re.DOTALL)


def run_block(targets, code, out):
    name = re.search(r"func\.func @(\w+)", code).group(1)
    path = os.path.join(out, name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    script = os.path.join(os.path.dirname(__file__), "run-kernel.py")
    return subprocess.call([sys.executable, script, path, "--seeds=1",
                            "--out=" + os.path.join(out, name)]
                           + ["--target=" + t for t in targets])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with open(options.page, encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    failed = [code for targets, code in blocks
              if run_block(targets.split(", ") if targets else options.target, code,
                           options.out)]
    print("%d kernels, %d failed" % (len(blocks), len(failed)))
    return 1 if failed or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
