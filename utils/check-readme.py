#!/usr/bin/env python3
"""Runs the `console` blocks of README.md and compares what they print.

A line `$ command` is run in the root of the tree, the lines below it are the
expected output (stdout and stderr). `...` alone stands for any lines, within a
line for any text. A block after a comment `<!-- not run: reason -->` is left
out. Commands find the tools of the build tree first on PATH."""

import os
import re
import subprocess
import sys

import project

TIMEOUT_S = 600


def blocks(text):
    """Yields (line number, lines) of the console blocks to run."""
    lines = text.splitlines()
    start, is_skipped = None, False
    for number, line in enumerate(lines, 1):
        if start is not None and line.startswith("```"):
            if not is_skipped:
                yield start + 1, lines[start:number - 1]
            start = None
        elif start is None and line.strip() == "```console":
            start = number
            is_skipped = number > 1 and "<!-- not run:" in lines[number - 2]


def commands(number, lines):
    """Yields (line number, command, expected output) of a block."""
    command, expected, at = None, [], number
    for offset, line in enumerate(lines):
        if line.startswith("$ "):
            if command is not None:
                yield at, command, expected
            command, expected, at = line[2:], [], number + offset
        elif command is not None and line.startswith("> ") and not expected:
            command += "\n" + line[2:]
        else:
            expected.append(line.rstrip())
    if command is not None:
        yield at, command, expected


def pattern(expected):
    """The regular expression that the whole output has to match."""
    result = ""
    for line in expected:
        if line.strip() == "...":
            result += r"(?:.*\n)*?"
        else:
            result += ".*?".join(map(re.escape, line.split("..."))) + r"[ \t]*\n"
    return re.compile(result + r"\Z")


def run(command, options):
    build = options.build or os.path.join(options.root, "build")
    env = {**os.environ, "PATH": project.tool_path(build)}
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command],
                            cwd=options.root, env=env, timeout=TIMEOUT_S,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, check=False)
    output = result.stdout
    if output and not output.endswith("\n"):
        output += "\n"
    return result.returncode, output


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--build", help="build tree; default: build/")
    options = parser.parse_args()
    violations = []
    num_commands = 0
    for name in options.files or ["README.md"]:
        for number, lines in blocks(project.read(options, name)):
            for line, command, expected in commands(number, lines):
                num_commands += 1
                status, output = run(command, options)
                if status != 0:
                    violations.append("%s:%d: exit status %d: %s\n%s" % (
                        name, line, status, command, output))
                elif not pattern(expected).match(output):
                    violations.append("%s:%d: `%s` printed\n%s" % (
                        name, line, command, output))
    if num_commands == 0:
        violations.append("README.md:1: no console block to run")
    return project.report(violations, "the README is true")


if __name__ == "__main__":
    sys.exit(main())
