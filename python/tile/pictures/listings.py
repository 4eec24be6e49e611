"""What a kernel becomes, as texts whose lines know the user's line."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import tempfile

from tile.pictures.anatomy import locations, place_of, without_location
from tile.runtime import compiler
from tile.runtime.kernel import JITKernel

LAST_TILE_STAGE = "tile-sink-constants"  # what comes later is no tile IR
_LINE_IN_SASS = re.compile(r'//## File "([^"]*)", line (\d+)')


@dataclasses.dataclass
class Listing:
    """A text; `lines` has the number of the user's line, or 0, beside each."""

    title: str
    lines: list[tuple[int, str]]


def listings(kernel: JITKernel, chip: str) -> list[Listing]:
    """Tile IR after each pass that changes it, PTX, and SASS where NVIDIA's tools
    are there."""
    file = kernel.program.source_file
    result = stage_listings(compiler.compiler_for(chip).stages(kernel.name, kernel.program.text),
                            file)
    result.append(Listing("PTX", ptx_lines(kernel.image(chip, aligned=True).ptx.decode(), file)))
    text = disassemble(kernel, chip)
    if text is not None:
        result.append(Listing("SASS", sass_lines(text, file)))
    return result


def stage_listings(stages: list[tuple[str, str]], file: str) -> list[Listing]:
    result: list[Listing] = []
    for name, text in stages:
        known = locations(text)
        lines = []
        for line in text.splitlines():
            if line.startswith("#loc"):
                continue
            place = place_of(line, known)
            here = place.line if place is not None and place.file == file else 0
            lines.append((here, without_location(line)))
        while lines and not lines[-1][1]:
            lines.pop()
        title = name.removesuffix(".mlir")
        is_new = not result or [t for _, t in result[-1].lines] != [t for _, t in lines]
        if name.endswith(".mlir") and is_new:
            result.append(Listing(title, lines))
        if title == LAST_TILE_STAGE:
            break
    return result


def ptx_lines(text: str, file: str) -> list[tuple[int, str]]:
    """`.loc` says of which line the instructions below are."""
    files = dict(re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', text, re.MULTILINE))
    result, here = [], 0
    for line in text.splitlines():
        match = re.match(r"\s*\.loc\s+(\d+)\s+(\d+)", line)
        if match:
            here = int(match[2]) if same_file(files.get(match[1], ""), file) else 0
        elif re.match(r"\s*(\.visible|\.entry|\})", line):
            here = 0
        result.append((here, line))
    return result


def sass_lines(text: str, file: str) -> list[tuple[int, str]]:
    result, here = [], 0
    for line in text.splitlines():
        match = _LINE_IN_SASS.search(line)
        if match:
            here = int(match[2]) if same_file(match[1], file) else 0
            continue
        result.append((here, line))
    return result


def same_file(a: str, b: str) -> bool:
    return a == b or pathlib.PurePath(a).name == pathlib.PurePath(b).name


def disassemble(kernel: JITKernel, chip: str) -> str | None:
    """SASS with lines; None without an assembler, or without a disassembler."""
    tool = compiler.find_disassembler()
    if tool is None or compiler.find_ptxas() is None:
        return None
    cubin = kernel.image(chip, assemble=True, aligned=True).cubin
    if cubin is None:
        return None
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([tool, "--print-line-info", file.name], capture_output=True,
                              text=True, check=False)
    return done.stdout if done.returncode == 0 else None
