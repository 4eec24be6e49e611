"""Helpers for sizes, in Python."""

from __future__ import annotations

from typing import Any


def cdiv(a: Any, b: Any) -> Any:
    """a / b, rounded up; of sizes of run time, too."""
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    from tile.language.math import ceildiv

    return ceildiv(a, b)


def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not below n."""
    return 1 << max(n - 1, 0).bit_length()
