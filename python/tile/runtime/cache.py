"""The cache on disk of what has been compiled.

A file per result, named by a hash of everything that it depends on: the text of
the module, the chip, options, the compiler's own library and the assembler. A
file is written under another name and renamed, so that any number of processes
may read and write. `TILE_CACHE_DIR` says where; empty means no cache.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import tempfile
import time
from typing import TYPE_CHECKING, Any

from tile.runtime import library

if TYPE_CHECKING:
    from tile.runtime.compiler import Image

FORMAT = "tile-cache-1"
MAX_BYTES = 1 << 30
_PRUNE_EVERY = 64

_enabled = True


def set_enabled(enabled: bool) -> None:
    """Turns the cache of this process on or off."""
    global _enabled
    _enabled = enabled


def folder() -> pathlib.Path | None:
    given = os.environ.get("TILE_CACHE_DIR")
    if not _enabled or given == "":
        return None
    if given:
        return pathlib.Path(given)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(home) / "tile"


@functools.cache
def _identity(path: str) -> str:
    """A file as far as it can be told without reading it."""
    try:
        status = os.stat(path)
    except OSError:
        return path
    return f"{path}:{status.st_size}:{status.st_mtime_ns}"


@functools.cache
def _compiler_identity() -> str:
    api = library.compiler()
    return f"{library.text(api.tile_version())} {_identity(api._name)}"


def key(source: str, chip: str, ptxas: str | None, first_variant: bool) -> str:
    parts = [FORMAT, source, chip, _compiler_identity(), _identity(ptxas) if ptxas else "",
             str(first_variant)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _path(key_text: str) -> pathlib.Path | None:
    root = folder()
    return None if root is None else root / key_text[:2] / (key_text + ".tile")


def load(key_text: str) -> Image | None:
    """The result of a key; None where there is none, or it cannot be read."""
    from tile.frontend.errors import Location
    from tile.runtime.compiler import Image, Message

    path = _path(key_text)
    if path is None:
        return None
    try:
        data = path.read_bytes()
        head, _, body = data.partition(b"\n")
        info = json.loads(head)
        if info["format"] != FORMAT or len(body) != sum(info["sizes"]):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    parts, at = [], 0
    for size in info["sizes"]:
        parts.append(body[at:at + size])
        at += size
    with contextlib.suppress(OSError):
        os.utime(path)
    messages = [Message(m[0], m[1], Location(*m[2]) if m[2] else None, m[3])
                for m in info["messages"]]
    return Image(parts[0], parts[1], parts[2] or None, info["chip"], messages)


def store(key_text: str, name: str, image: Image) -> None:
    """Keeps a result. A disk that is full or read-only is no error."""
    path = _path(key_text)
    if path is None:
        return
    parts = [image.metadata, image.ptx, image.cubin or b""]
    info: dict[str, Any] = {
        "format": FORMAT, "name": name, "chip": image.chip, "sizes": [len(p) for p in parts],
        "messages": [[m.severity, m.code,
                      [m.location.file, m.location.line, m.location.column]
                      if m.location else None, m.text] for m in image.messages]}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(info).encode() + b"\n")
            for part in parts:
                file.write(part)
        os.replace(temporary, path)
    except OSError:
        return
    if int(key_text[:4], 16) % _PRUNE_EVERY == 0:
        prune(MAX_BYTES)


def entries() -> list[tuple[pathlib.Path, int, float]]:
    """Files with sizes and times of last use, the oldest first."""
    root = folder()
    result = []
    for path in root.glob("??/*.tile") if root is not None else []:
        with contextlib.suppress(OSError):
            status = path.stat()
            result.append((path, status.st_size, status.st_mtime))
    return sorted(result, key=lambda entry: (entry[2], str(entry[0])))


def prune(max_bytes: int) -> int:
    """Removes what was used longest ago until no more than `max_bytes` are left;
    how many files that were."""
    found = entries()
    total, removed = sum(size for _, size, _ in found), 0
    for path, size, _ in found:
        if total <= max_bytes:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            removed += 1
        total -= size
    return removed


def describe(path: pathlib.Path) -> str:
    """A line about a file of the cache."""
    try:
        with path.open("rb") as file:
            info = json.loads(file.readline())
        size = path.stat().st_size
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
        return f"{path.stem[:12]}  {used}  {size:>9,}  {info['chip']:<7} {info['name']}"
    except (OSError, ValueError, KeyError):
        return f"{path.stem[:12]}  unreadable"
