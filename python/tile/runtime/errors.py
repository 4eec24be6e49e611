"""What goes wrong when a kernel runs."""

from __future__ import annotations

import dataclasses

from tile.frontend.errors import Location, TileError


@dataclasses.dataclass(frozen=True)
class Finding:
    """A rule that a kernel broke on the emulator (docs/Emulator.md)."""

    kind: str
    message: str
    text: str
    location: Location | None  # of the user's source
    earlier: Location | None  # of the access that it is not ordered after
    cause: str


class LaunchError(TileError):
    """A kernel cannot be launched: memory, threads, the driver."""


class EmulatorError(TileError):
    """A kernel did something wrong on the emulator; `findings` says what."""

    def __init__(self, text: str, findings: tuple[Finding, ...] = ()):
        self.findings = findings
        super().__init__(text)


class RaceError(EmulatorError):
    """Two accesses to the same memory without order between them."""


class DeadlockError(EmulatorError):
    """Threads wait for what never happens."""


class OutOfBoundsError(EmulatorError):
    """An access outside of a tensor or a tile, or at a wrong address."""


class UndefinedValueError(EmulatorError):
    """A value that nothing has written decides about something."""


class AssertionFailedError(EmulatorError):
    """T.device_assert, or another trap."""


_KINDS = {
    "data-race": RaceError, "global-write-conflict": RaceError, "proxy-fence": RaceError,
    "DEADLOCK": DeadlockError, "LIVELOCK": DeadlockError, "no-progress": DeadlockError,
    "out-of-bounds": OutOfBoundsError, "misaligned": OutOfBoundsError,
    "uninitialised-read": UndefinedValueError, "undefined-register": UndefinedValueError,
    "trap": AssertionFailedError,
}


def make_error(findings: list[Finding], message: str) -> EmulatorError:
    """The error of the first finding, with the user's lines."""
    if not findings:
        return EmulatorError(message)
    first = findings[0]
    lines = []
    for finding in findings[:4]:
        text = finding.text.rstrip()
        if finding.location is not None:
            text += f"\n  at {finding.location}{finding.location.excerpt()}"
        if finding.earlier is not None and finding.earlier != finding.location:
            text += f"\n  after {finding.earlier}{finding.earlier.excerpt()}"
        lines.append(text)
    if len(findings) > 4:
        lines.append(f"and {len(findings) - 4} more findings")
    return _KINDS.get(first.kind, EmulatorError)("\n".join(lines), tuple(findings))
