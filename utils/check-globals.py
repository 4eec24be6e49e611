#!/usr/bin/env python3
"""Checks that our object files hold no mutable global, thread-local or static
variable, so that functions can be compiled in parallel.

Reads the symbols of every object file of lib/ and tools/ in a build tree with
readelf. Symbols in .data*, .bss*, .tdata*, .tbss* or common are violations;
.data.rel.ro* is read-only after loading and fine. Exceptions, with reasons,
are in check-globals.allow beside this program."""

import os
import re
import subprocess
import sys

import project

MUTABLE = re.compile(r"\.(data|bss|tdata|tbss)(\.|$)")
READ_ONLY = re.compile(r"\.data\.rel\.ro(\.|$)")
ALLOW_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "check-globals.allow")


def readelf(option, path):
    return subprocess.run(["readelf", option, "--wide", path], check=True,
                          capture_output=True, text=True).stdout


def section_names(path):
    """Maps section number to name."""
    row = re.compile(r"^\s*\[\s*(\d+)\]\s+(\S+)")
    matches = map(row.match, readelf("--section-headers", path).splitlines())
    return {m.group(1): m.group(2) for m in matches if m}


def mutable_symbols(path):
    """Yields (symbol, section) of variables that can be written."""
    sections = section_names(path)
    for line in readelf("--symbols", path).splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[3] not in ("OBJECT", "TLS", "COMMON"):
            continue
        section = "common" if fields[6] == "COM" else sections.get(fields[6], "")
        if section == "common" or (MUTABLE.match(section)
                                   and not READ_ONLY.match(section)):
            yield fields[7], section


def read_allowed():
    """(object pattern, symbol pattern) per line: `OBJECT SYMBOL reason`."""
    allowed = []
    with open(ALLOW_FILE, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                obj, symbol, _reason = line.split(None, 2)
                allowed.append((re.compile(obj), re.compile(symbol)))
    return allowed


def objects(build):
    for part in ("lib", "tools"):
        for folder, _dirs, files in sorted(os.walk(os.path.join(build, part))):
            for name in sorted(files):
                if name.endswith(".o"):
                    yield os.path.join(folder, name)


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--build", help="build tree; default: build/")
    options = parser.parse_args()
    build = options.build or os.path.join(options.root, "build")
    paths = options.files or list(objects(build))
    if not paths:
        sys.exit("check-globals: no object files in %s; build first" % build)
    allowed = read_allowed()
    violations = []
    for path in paths:
        name = os.path.relpath(path, build)
        for symbol, section in mutable_symbols(path):
            if not any(o.search(name) and s.match(symbol) for o, s in allowed):
                violations.append("%s: %s in %s" % (name, symbol[:100],
                                                    section[:20]))
    return project.report(violations,
                          "no mutable globals (CONTRIBUTING.md, State)")


if __name__ == "__main__":
    sys.exit(main())
