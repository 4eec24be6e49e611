"""Runs the examples on a GPU at shapes as models have them, compares with torch, and
writes what it found as JSON, of which table.py makes the second table of README.md.

    python measure.py OUT.json [NAME …]          on a GPU
    python measure.py --small OUT.json [NAME …]  on the emulator, in small shapes

Ours and torch's are timed in turns, with the L2 cache emptied before each run; the
best of three medians counts. What `right` means: no element is further from torch's
than `tolerance`, in parts of its own size plus the mean size of all.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import json
import os
import pathlib
import sys
import traceback
from collections.abc import Iterator
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
ROUNDS = 3
SETS = ("real_products", "real_attention", "real_rows")


def cases() -> dict[str, Any]:
    """What is measured, by name: functions that make a Case."""
    return {name: make for module in SETS
            for name, make in importlib.import_module(module).CASES.items()}


def tuple_of(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def distance(actual: Any, wanted: Any) -> float:
    """How far the worst element is away, in parts of its size plus the mean size."""
    a, b = actual.double().reshape(-1), wanted.double().reshape(-1)
    if a.shape != b.shape:
        raise ValueError(f"shape {list(actual.shape)}, expected {list(wanted.shape)}")
    same = a == b  # infinities, too
    mean = b[b.isfinite()].square().mean().sqrt() if b.isfinite().any() else 0.0
    parts = (a - b).abs() / (b.abs() + mean + 1e-30)
    return float(parts.masked_fill(same, 0).nan_to_num(nan=float("inf")).max())


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """One process at a time measures, where TILE_MEASURE_LOCK names a file."""
    path = os.environ.get("TILE_MEASURE_LOCK")
    if not path:
        yield
        return
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def times(case: Any, is_small: bool) -> dict[str, float]:
    """Milliseconds of ours and of torch's."""
    from tile.profiler import do_bench

    result: dict[str, float] = {}
    for _ in range(1 if is_small else ROUNDS):
        for key, call in (("ms", case.call), ("torch_ms", case.rival)):
            if call is not None:
                ms = do_bench(call, 10, 30)
                result[key] = min(ms, result.get(key, ms))
    return result


def measure(name: str, make: Any, is_small: bool) -> dict[str, Any]:
    """What a case gave. Errors become `error`. TILE_MEASURE_WARM=1 fills caches alone."""
    import real

    is_warm = bool(os.environ.get("TILE_MEASURE_WARM"))
    entry: dict[str, Any] = {"name": name}
    try:
        if not is_small:
            import torch

            torch.zeros(1, device="cuda")  # the context is made before others have to wait
        with alone():
            case = make(real.Maker("cpu" if is_small else "cuda", is_small))
            entry |= {"shape": case.shape, "against": case.against}
            found, wanted = tuple_of(case.call()), tuple_of((case.wanted or case.rival)())
            worst = max(distance(a, b) for a, b in zip(found, wanted, strict=True))
            entry |= {"worst": worst, "right": worst <= case.tolerance}
            del found, wanted
            if is_warm:
                return entry
            if is_small:
                case.rival = None
            entry |= times(case, is_small)
        work, unit = (case.flops, "TFLOP/s") if case.flops else (case.bytes, "TB/s")
        entry |= {"rate": work / entry["ms"] / 1e9, "unit": unit}
        if "torch_ms" in entry:
            entry["ratio"] = entry["torch_ms"] / entry["ms"]
    except Exception as error:
        entry |= {"right": False, "error": f"{type(error).__name__}: {error}".splitlines()[0],
                  "trace": traceback.format_exc()[-1500:]}
    return entry


def machine() -> dict[str, str]:
    """What it was measured with."""
    import torch

    import tile

    on = torch.cuda.get_device_name() if torch.cuda.is_available() else "the emulator"
    return {"device": on, "torch": torch.__version__, "tile": tile.__version__}


def main(arguments: list[str]) -> int:
    is_small = "--small" in arguments
    path, *names = [a for a in arguments if not a.startswith("--")]
    if is_small:
        os.environ["TILE_EMULATE"] = "1"
    known = cases()
    entries = []
    for name in names or sorted(known):
        entries.append(measure(name, known[name], is_small))
        print({k: v for k, v in entries[-1].items() if k != "trace"}, flush=True)
    pathlib.Path(path).write_text(json.dumps({**machine(), "cases": entries}, indent=1) + "\n")
    return sum(not e["right"] for e in entries)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
