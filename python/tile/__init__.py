"""Tile: kernels for GPUs in Python, compiled without nvcc, on a GPU or on none.

    import tile
    import tile.language as T
"""

from __future__ import annotations

import importlib
from typing import Any

from tile import elsewhere

__version__ = "0.1.0"

elsewhere.install()

# Names by module; each is imported when it is first used.
_NAMES = {
    "jit": "tile.compiling", "compile": "tile.compiling", "JITFunction": "tile.compiling",
    "JITKernel": "tile.runtime.kernel",
    "PassConfigKey": "tile.options",
    "autotune": "tile.autotuner",
    "Profiler": "tile.profiler", "TensorSupplyType": "tile.profiler",
    "do_bench": "tile.profiler",
    "torch_op": "tile.torch_op",
    "DataType": "tile.dtypes",
    "cdiv": "tile.math", "next_power_of_2": "tile.math",
    "emulator": "tile.runtime.device", "pointers": "tile.runtime.reach",
    "TileError": "tile.frontend.errors", "CompileError": "tile.frontend.errors",
    "UnsupportedError": "tile.frontend.errors",
    "ArgumentError": "tile.runtime.tensors",
    "LaunchError": "tile.runtime.errors", "EmulatorError": "tile.runtime.errors",
    "RaceError": "tile.runtime.errors", "DeadlockError": "tile.runtime.errors",
    "OutOfBoundsError": "tile.runtime.errors", "UndefinedValueError": "tile.runtime.errors",
    "AssertionFailedError": "tile.runtime.errors",
    "chips": "tile.runtime.compiler",
}
_MODULES = ("language", "testing", "profiler", "autotuner", "math", "layout", "utils", "options",
            "runtime", "frontend", "pictures", "rehearsal")


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
    elif name in _MODULES:
        return importlib.import_module("tile." + name)
    else:
        raise AttributeError(f"module 'tile' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES, *_MODULES])


def disable_cache() -> None:
    """Compiles anew what this process asks for, and keeps nothing on disk."""
    from tile.runtime import cache

    cache.set_enabled(False)


def enable_cache() -> None:
    """Undoes disable_cache."""
    from tile.runtime import cache

    cache.set_enabled(True)


def set_log_level(level: Any) -> None:
    """There is no log: what the compiler says is in `kernel.remarks`."""
