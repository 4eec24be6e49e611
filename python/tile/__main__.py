"""`python -m tile`: the cache, and what a kernel becomes."""

from __future__ import annotations

import argparse
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


def main(arguments: list[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(prog="tile", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    cache = commands.add_parser("cache", help="list or clear what was compiled")
    cache.add_argument("action", nargs="?", choices=("list", "clear"), default="list")
    cache.add_argument("--max-bytes", type=int, help="remove what was used longest ago until "
                       "no more are left")
    options = parser.parse_args(arguments)
    return _show_cache(options.action == "clear", options.max_bytes)


if __name__ == "__main__":
    sys.exit(main())
