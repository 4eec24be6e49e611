"""Help for tests of kernels."""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Callable
from typing import Any


def set_random_seed(seed: int = 42) -> None:
    """The same random numbers of Python, numpy and torch each time."""
    random.seed(seed)
    try:
        import numpy

        numpy.random.seed(seed)
    except ImportError:
        pass
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def has_cuda() -> bool:
    """Whether there is a GPU that the emulator does not stand for."""
    from tile.profiler import _cuda

    return _cuda() is not None


def _skip(function: Callable[..., Any], is_met: Callable[[], bool], reason: str) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not is_met():
            import unittest

            raise unittest.SkipTest(reason)
        return function(*args, **kwargs)

    return wrapper


def requires_cuda(function: Callable[..., Any]) -> Any:
    """Decorator of a test that needs a GPU; the emulator is one."""
    from tile.runtime import device

    return _skip(function, lambda: has_cuda() or device.is_forced(),
                 "there is no GPU; TILE_EMULATE=1 runs it on the emulator")


def requires_cuda_compute_version(major: int, minor: int = 0) -> Any:
    """Decorator of a test that needs a GPU of a version or a later one."""
    def decorate(function: Callable[..., Any]) -> Any:
        def is_met() -> bool:
            from tile.profiler import _cuda
            from tile.runtime import device

            torch = _cuda()
            if torch is None:
                return device.is_forced()
            return torch.cuda.get_device_capability() >= (major, minor)

        return _skip(function, is_met, f"there is no GPU of version {major}.{minor}")

    return decorate


requires_cuda_compute_version_ge = requires_cuda_compute_version


def assert_close(actual: Any, expected: Any, rtol: float = 1e-2, atol: float = 1e-3,
                 max_mismatched_ratio: float = 0.0, **ignored: Any) -> None:
    """Fails where arrays differ on more than a part of their elements."""
    from tile.profiler import _compare, _host

    _compare(0, _host(actual), _host(expected), atol, rtol, max_mismatched_ratio)


def torch_assert_close(actual: Any, expected: Any, rtol: float = 1e-2, atol: float = 1e-3,
                       max_mismatched_ratio: float = 1e-3, **ignored: Any) -> None:
    """The same, but one element of a thousand may differ."""
    assert_close(actual, expected, rtol, atol, max_mismatched_ratio)


def main() -> None:
    """Runs the tests of the file that calls it."""
    import inspect

    import pytest

    frame = inspect.stack()[1]
    sys.exit(pytest.main([frame.filename, *sys.argv[1:]]))
