"""Runs the commands in the comments at the head of each example.

usage: example-commands.py EXAMPLES OUT"""

import os
import re
import subprocess
import sys


def commands(path):
    """Each command as one line; those that go on are indented more."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"//(   +)(.*)", line)
            if not line.startswith("//"):
                break
            if match and len(match.group(1)) == 3:
                found.append(match.group(2))
            elif match and found:
                found[-1] += " " + match.group(2)
    return found


def main():
    examples, out = sys.argv[1:]
    os.makedirs(out)
    os.symlink(examples, os.path.join(out, "examples"))
    failed = False
    for name in sorted(os.listdir(examples)):
        if not name.endswith(".mlir"):
            continue
        found = commands(os.path.join(examples, name))
        if len(found) < 2:
            print(name, "has no commands")
            failed = True
        for command in found:
            program = command.replace("tile-compile ",
                                      "tile-compile --ptxas=off ")
            run = subprocess.run(program, shell=True, cwd=out, text=True,
                                 capture_output=True)
            print(run.returncode, command)
            if run.returncode:
                print(run.stdout + run.stderr)
                failed = True
    return failed


sys.exit(main())
