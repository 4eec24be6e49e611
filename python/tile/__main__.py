"""`python -m tile`: the cache, and what a kernel becomes."""

from __future__ import annotations

import argparse
import pathlib
import sys

from tile import __version__


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


def _inspect(program: pathlib.Path, rest: list[str], output: pathlib.Path | None,
             target: str | None) -> int:
    from tile.pictures import page, recording

    if not program.is_file():
        print(f"tile inspect: there is no file {program}", file=sys.stderr)
        return 2
    found = recording.run_file(program, rest, target)
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


def main(arguments: list[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(prog="tile", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    cache = commands.add_parser("cache", help="list or clear what was compiled")
    cache.add_argument("action", nargs="?", choices=("list", "clear"), default="list")
    cache.add_argument("--max-bytes", type=int, help="remove what was used longest ago until "
                       "no more are left")
    inspect = commands.add_parser(
        "inspect", help="run a program on the emulator and write a page about its kernels")
    inspect.add_argument("program", type=pathlib.Path)
    inspect.add_argument("arguments", nargs="*", help="of the program")
    inspect.add_argument("-o", "--output", type=pathlib.Path,
                         help="the page; PROGRAM.html in the current folder by default")
    inspect.add_argument("--target", help="a chip, such as sm_90a")
    options = parser.parse_args(arguments)
    if options.command == "inspect":
        return _inspect(options.program, options.arguments, options.output, options.target)
    return _show_cache(options.action == "clear", options.max_bytes)


if __name__ == "__main__":
    sys.exit(main())
