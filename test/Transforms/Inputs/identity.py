#!/usr/bin/env python3
"""Checks that kernels without pipelined loops come out of passes with the same
bytes.

Usage: identity.py --target=CHIP --behind=PASSES --passes=PASSES FILES

Files with a pipelined loop (`num_stages`) are left out, and so are those that the
target refuses in PASSES of --after, and those of --but. Prints how many files are
the same."""

import argparse
import os
import subprocess
import sys


def output_of(passes, path):
    """What the passes make of the file, or None."""
    run = subprocess.run(
        os.environ["TILE_OPT"].split() +
        ["--pass-pipeline=builtin.module(%s)" % passes, path],
        capture_output=True, check=False)
    return None if run.returncode else run.stdout


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--passes", required=True)
    parser.add_argument("--but", action="append", default=[],
                        help="the name of a file that may change")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    before, passes = (text.replace("TARGET", "{target=%s}" % options.target)
                      for text in (options.after, options.passes))
    same, num_failed = 0, 0
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            if "num_stages" in file.read() or os.path.basename(path) in options.but:
                continue
        expected = output_of(before, path)
        if expected is None:
            continue
        if output_of(before + "," + passes, path) == expected:
            same += 1
        else:
            print("FAILED %s: not the same" % path)
            num_failed += 1
    print("%s: %d files, the same bytes" % (options.target, same))
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
