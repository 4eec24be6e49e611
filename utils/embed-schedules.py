#!/usr/bin/env python3
"""embed-schedules.py OUT FILE...: writes a C header with the named sequences of all
files as the text of one module."""

import re
import sys


def sequences(path):
    """The lines between the module's first and last."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    match = re.search(r"^module [^\n]*\{\n(.*)^\}\s*$", text, re.M | re.S)
    if not match:
        sys.exit("%s: no module" % path)
    return match.group(1)


def main():
    out, files = sys.argv[1], sorted(sys.argv[2:])
    lines = ["module attributes {transform.with_named_sequence} {"]
    for path in files:
        lines += sequences(path).splitlines()
    lines.append("}")
    with open(out, "w", encoding="utf-8") as file:
        file.write("// Written by utils/embed-schedules.py.\n")
        file.write("#ifndef TILE_SCHEDULES_H\n#define TILE_SCHEDULES_H\n\n")
        file.write("static const char tile_schedules_text[] =\n")
        for line in lines:
            escaped = line.replace("\\", "\\\\").replace('"', '\\"')
            file.write('    "%s\\n"\n' % escaped)
        file.write("    ;\n\n#endif // TILE_SCHEDULES_H\n")


if __name__ == "__main__":
    main()
