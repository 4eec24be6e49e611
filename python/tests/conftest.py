"""Fixtures: each kernel runs on the emulator for both targets."""

from __future__ import annotations

import importlib.util
import itertools
import os
import sys
import textwrap

import numpy as np
import pytest

os.environ["TILE_EMULATE"] = "1"
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TARGETS = ("sm_80", "sm_90a")
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def no_disk_cache(monkeypatch):
    """Tests see what the compiler makes now."""
    monkeypatch.setenv("TILE_CACHE_DIR", "")


@pytest.fixture(params=TARGETS)
def target(request, monkeypatch):
    """A chip; kernels that name none are compiled for it."""
    monkeypatch.setenv("TILE_TARGET", request.param)
    return request.param


@pytest.fixture
def one_target(monkeypatch):
    """The default chip alone, for what no chip changes."""
    monkeypatch.setenv("TILE_TARGET", "sm_90a")
    return "sm_90a"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def module(tmp_path):
    """Makes a module of a text, with `T`, `tile` and `np`."""
    def make(text: str):
        name = f"kernels_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        head = "import numpy as np\nimport tile\nimport tile.language as T\n\n"
        path.write_text(head + textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(name, path)
        result = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(result)
        return result

    return make


def ints(rng, shape, dtype=np.float32, low=-2, high=3):
    """Small integers, whose sums are exact."""
    return rng.integers(low, high, shape).astype(dtype)
