"""Runs a program on the emulator and keeps which kernels it called, with the counts
and the trace of the first call of each."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from tile import rehearsal
from tile.profiler import Profile, emulated_profile
from tile.rehearsal import Plan
from tile.runtime.kernel import JITKernel


@dataclasses.dataclass
class Call:
    """A kernel, and what its first call did; None where nobody called it."""

    kernel: JITKernel
    profile: Profile | None = None


@dataclasses.dataclass
class Recording:
    calls: list[Call] = dataclasses.field(default_factory=list)
    error: str | None = None  # what ended the program


def run_file(plan: Plan) -> Recording:
    """Runs a file as a program. Kernels that it makes and does not call count, too."""
    result = Recording()
    with _observed(result.calls):
        names: dict[str, Any] = {}
        try:
            names = rehearsal.run(plan)
        except SystemExit as end:
            if end.code not in (None, 0):
                result.error = f"the program ended with status {end.code}"
        except Exception as error:
            result.error = f"{type(error).__name__}: {error}"
    called = [call.kernel for call in result.calls]
    for value in names.values():
        if isinstance(value, JITKernel) and value not in called:
            result.calls.append(Call(value))
    return result


@contextlib.contextmanager
def _observed(calls: list[Call]) -> Iterator[None]:
    """Calls of kernels inside are kept."""
    original = JITKernel.__call__

    def call(self: JITKernel, *args: Any, **kwargs: Any) -> Any:
        if any(found.kernel is self for found in calls):
            return original(self, *args, **kwargs)
        entry = Call(self)
        calls.append(entry)
        results: list[Any] = []
        entry.profile = emulated_profile(
            lambda *a, **k: results.append(original(self, *a, **k)), args, kwargs)
        return results[0]

    JITKernel.__call__ = call  # type: ignore[method-assign]
    try:
        yield
    finally:
        JITKernel.__call__ = original  # type: ignore[method-assign]
