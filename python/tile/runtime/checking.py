"""`kernel.check`: the same call under several schedules of the emulator."""

from __future__ import annotations

from typing import Any

from tile.runtime import device, tensors
from tile.runtime.errors import EmulatorError

SCHEDULES = ("mixed", "eager", "lazy", "random", "priority")


class ResultError(EmulatorError):
    """Two runs of a kernel gave different results."""


def _copied(value: Any) -> Any:
    if not tensors.is_array(value):
        return value
    if hasattr(value, "detach"):
        return value.detach().cpu().clone()
    import numpy

    return numpy.array(value)


def _as_bytes(value: Any) -> bytes:
    import numpy

    array = value.view(-1).numpy() if hasattr(value, "detach") else value
    return numpy.ascontiguousarray(array).tobytes()


def check(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], seeds: int) -> Any:
    """Runs `kernel` with copies of the arguments once per seed. Every run must be
    without findings, and leave the same bits in every tensor."""
    first, wanted = None, None
    for seed in range(max(seeds, 1)):
        values = [_copied(a) for a in args]
        named = {k: _copied(v) for k, v in kwargs.items()}
        with device.emulator(seed=seed, schedule=SCHEDULES[seed % len(SCHEDULES)]):
            result = kernel(*values, **named)
        results = result if isinstance(result, tuple) else () if result is None else (result,)
        found = [_as_bytes(v) for v in (*values, *named.values(), *results) if tensors.is_array(v)]
        if wanted is None:
            first, wanted = result, found
        elif found != wanted:
            raise ResultError(f"{kernel.name}: results differ between the schedules of seed 0 and "
                              f"seed {seed}; sums of floats that are updated atomically may, "
                              "others may not")
    return first
