"""What the object files of a build say: who defines a symbol and who uses it."""

import json
import os
import re
import shlex
import subprocess


class Source:
    """One compiled file. `path` is relative to the tree, or begins with
    `generated/`; `functions` and `objects` are what it defines for others,
    `calls` the symbols that its code uses, `tables` those that only its
    constant tables name."""

    def __init__(self, path):
        self.path = path
        self.functions = set()
        self.objects = set()
        self.calls = set()
        self.tables = set()


def compiled(root, build):
    """Yields (source, object) of each command of a build, as far as they are
    there."""
    with open(os.path.join(build, "compile_commands.json"),
              encoding="utf-8") as file:
        commands = json.load(file)
    root, build = os.path.realpath(root), os.path.realpath(build)
    for command in commands:
        words = shlex.split(command["command"])
        path = os.path.join(command["directory"], words[words.index("-o") + 1])
        file = os.path.realpath(command["file"])
        source = os.path.relpath(file, root)
        if file.startswith(build + os.sep) or source.startswith(".."):
            source = "generated/" + os.path.basename(source)
        if os.path.exists(path) and os.path.exists(file):
            yield source, path


SYMBOL = re.compile(r"^\s*\d+:\s+\S+\s+\S+\s+(\S+)\s+GLOBAL\s+\S+\s+(\S+)\s+"
                    r"(\S+)")
SECTION = re.compile(r"Relocation section '\.rela?(\S*)'")
RELOCATION = re.compile(r"[0-9a-f]{8,}\s+\S+\s+R_\S+\s+\S+\s+(\S+)")


def parse(source, text):
    """Adds what readelf printed about one object."""
    section = ""
    for line in text.splitlines():
        start = SECTION.match(line)
        symbol = SYMBOL.match(line)
        relocation = RELOCATION.match(line)
        if start:
            section = start.group(1)
        elif symbol and symbol.group(2) != "UND":
            is_function = symbol.group(1) == "FUNC"
            (source.functions if is_function else source.objects).add(
                symbol.group(3))
        elif relocation and not section.startswith((".debug", ".eh_frame")):
            is_table = section.startswith((".data", ".rodata"))
            (source.tables if is_table else source.calls).add(
                relocation.group(1))
    source.tables -= source.calls


def sources(root, build, *folders):
    """The sources under `folders` and generated ones, by path. One that is
    compiled several times counts once."""
    paths = {}
    for name, path in compiled(root, build):
        if name.startswith(folders + ("generated/",)):
            paths.setdefault(name, path)
    result = {name: Source(name) for name in sorted(paths)}
    if not result:
        return result
    # Several objects make readelf name each.
    text = subprocess.run(
        ["readelf", "--symbols", "--relocs", "--wide", os.devnull] +
        [paths[name] for name in result], check=False, capture_output=True,
        text=True).stdout
    parts = re.split(r"^File: (.*)$", text, flags=re.MULTILINE)
    by_path = {paths[name]: name for name in result}
    for path, part in zip(parts[1::2], parts[2::2]):
        if path in by_path:
            parse(result[by_path[path]], part)
    return result


def homes(found):
    """The file that defines a symbol, by symbol."""
    result = {}
    for source in found.values():
        for name in source.functions | source.objects:
            result.setdefault(name, source.path)
    return result
