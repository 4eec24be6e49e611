"""`python -m tile`: runs programs without a GPU, shows what kernels become, keeps the
cache."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import TYPE_CHECKING

from tile import __version__

if TYPE_CHECKING:
    from tile.rehearsal import Plan


def _show_cache(clear: bool, max_bytes: int | None) -> int:
    from tile.runtime import cache

    if clear or max_bytes is not None:
        removed = cache.prune(0 if clear else max_bytes or 0)
        print(f"removed {_files(removed)}")
        return 0
    found = cache.entries()
    for path, _, _ in found:
        print(cache.describe(path))
    print(f"{_files(len(found))}, {sum(size for _, size, _ in found):,} bytes in "
          f"{cache.folder()}")
    return 0


def _files(count: int) -> str:
    return f"{count} file{'s' * (count != 1)}"


def _run(plan: Plan) -> int:
    from tile import rehearsal

    rehearsal.run(plan)
    return 0


def _inspect(plan: Plan, output: pathlib.Path | None) -> int:
    from tile.pictures import page, recording

    program = plan.program
    found = recording.run_file(plan)
    if found.error:
        print(f"tile inspect: {program}: {found.error}", file=sys.stderr)
    if not found.calls:
        print(f"tile inspect: {program} calls no kernel when it is run as a program",
              file=sys.stderr)
        return 1
    path = output or program.with_suffix(".html").name
    page.write(found, program, pathlib.Path(path))
    print(path)
    return 1 if found.error else 0


def _plan(options: argparse.Namespace) -> Plan:
    """How to run a program. Errors: ValueError says what is wrong with the options."""
    from tile.rehearsal import Plan
    from tile.rehearsal.sizes import Sizes, parse_setting

    if not options.program.is_file():
        raise ValueError(f"there is no file {options.program}")
    named = dict(parse_setting(text) for text in options.set)
    return Plan(options.program, options.arguments, options.target, Sizes(named, options.limit))


def _add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("arguments", nargs="*", help="of the program, after --")
    parser.add_argument("--target", help="a chip, such as sm_90a")
    parser.add_argument("--limit", type=int, help="sizes of 1024 and more become this")
    parser.add_argument("--small", dest="limit", action="store_const", const=256,
                        help="--limit=256")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="parameters, variables and options of this name have this value; "
                        "may be repeated")


def main(arguments: list[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(prog="tile", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    cache = commands.add_parser("cache", help="list or clear what was compiled")
    cache.add_argument("action", nargs="?", choices=("list", "clear"), default="list")
    cache.add_argument("--max-bytes", type=int, help="remove what was used longest ago until "
                       "no more are left")
    _add_program(commands.add_parser(
        "run", help="run a program that was written for a GPU on the emulator"))
    inspect = commands.add_parser(
        "inspect", help="run a program on the emulator and write a page about its kernels")
    _add_program(inspect)
    inspect.add_argument("-o", "--output", type=pathlib.Path,
                         help="the page; PROGRAM.html in the current folder by default")
    options = parser.parse_args(arguments)
    if options.command == "cache":
        return _show_cache(options.action == "clear", options.max_bytes)
    try:
        plan = _plan(options)
    except ValueError as error:
        print(f"tile {options.command}: {error}", file=sys.stderr)
        return 2
    return _run(plan) if options.command == "run" else _inspect(plan, options.output)


if __name__ == "__main__":
    sys.exit(main())
