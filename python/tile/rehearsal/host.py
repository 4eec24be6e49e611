"""torch as if it had a GPU, whose memory is the host's.

Devices that a program names "cuda" are the CPU; what `torch.cuda` says is true of the
chip that kernels are compiled for, and of the emulator.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import time
import types
from collections.abc import Iterator
from typing import Any

from tile.runtime import device, library, reach


@contextlib.contextmanager
def without_gpu() -> Iterator[None]:
    """Programs inside find a GPU that is none. Without torch there is nothing to do."""
    if importlib.util.find_spec("torch") is None:
        yield
        return
    import torch

    changed = [(torch.cuda, name, value) for name, value in _cuda_names(torch).items()]
    changed.append((torch, "set_default_device", _set_default_device(torch)))
    changed.append((torch, "Generator", _generator(torch)))
    changed.append((torch, "compile", _compile))
    changed += [(torch.cuda.profiler, name, _nothing()) for name in ("start", "stop")]
    changed += [(torch.cuda.nvtx, name, _nothing())
                for name in ("range_push", "range_pop", "range_start", "range_end", "mark")]
    before = [(owner, name, getattr(owner, name, None)) for owner, name, _ in changed]
    for owner, name, value in changed:
        setattr(owner, name, value)
    try:
        with _mode(torch):
            yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def _on_host(value: Any, torch: Any) -> Any:
    """The CPU for a GPU; everything else as it is."""
    if isinstance(value, str):
        return "cpu" if value == "cuda" or value.startswith("cuda:") else value
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


def _mode(torch: Any) -> Any:
    """Every function of torch that is called inside gets the CPU for a GPU."""
    from torch.overrides import TorchFunctionMode

    is_cuda = torch.Tensor.is_cuda.__get__

    class Host(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, kinds: Any, args: Any = (),
                               kwargs: Any = None) -> Any:
            if function is torch.Tensor.cuda:
                return args[0]
            if function is torch.Tensor.data_ptr and args[0].device.type == "cpu":
                reach.remember(args[0])  # for a table of addresses
            if function == is_cuda:
                return True
            named = {k: _on_host(v, torch) for k, v in (kwargs or {}).items()}
            if isinstance(named.get("device"), int):
                named["device"] = "cpu"
            named.pop("pin_memory", None)
            return function(*(_on_host(a, torch) for a in args), **named)

    return Host()


def _set_default_device(torch: Any) -> Any:
    original = torch.set_default_device
    return lambda place: original(_on_host(place, torch))


def _generator(torch: Any) -> Any:
    class Generator(torch.Generator):  # type: ignore[misc]
        def __new__(cls, device: Any = "cpu") -> Any:
            return super().__new__(cls, _on_host(device, torch))

    return Generator


def _compile(function: Any = None, **ignored: Any) -> Any:
    """torch.compile, which would ask the GPU: functions stay as they are."""
    return function if function is not None else _compile


def _nothing() -> Any:
    """A function that does nothing, of its own: torch keeps tables of them."""
    return lambda *ignored, **options: None


class _Event:
    """A moment of the host's clock."""

    def __init__(self, *ignored: Any, **options: Any):
        self.seconds = 0.0

    def record(self, *ignored: Any) -> None:
        self.seconds = time.perf_counter()

    def elapsed_time(self, end: _Event) -> float:
        return (end.seconds - self.seconds) * 1e3

    def synchronize(self) -> None:
        """Nothing is under way."""

    wait = synchronize

    def query(self) -> bool:
        return True


class _Stream(_Event):
    cuda_stream = 0

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *ignored: Any) -> None:
        """Nothing is under way."""

    def wait_stream(self, other: Any) -> None:
        """Nothing is under way."""

    wait_event = record_event = wait_stream


def _capability() -> tuple[int, int]:
    """(9, 0) of sm_90a."""
    name = os.environ.get("TILE_TARGET") or library.text(library.compiler().tile_chip_default())
    digits = "".join(c for c in name if c.isdigit())
    return int(digits[:-1]), int(digits[-1])


def _properties(*ignored: Any) -> types.SimpleNamespace:
    major, minor = _capability()
    return types.SimpleNamespace(
        name="Tile's emulator", major=major, minor=minor, total_memory=80 << 30, warp_size=32,
        multi_processor_count=device.settings.get().num_sms,
        shared_memory_per_block_optin=(227 if major >= 9 else 163) << 10,
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536,
        L2_cache_size=50 << 20, gcnArchName="")


def _cuda_names(torch: Any) -> dict[str, Any]:
    def stream(*ignored: Any, **options: Any) -> _Stream:
        return _Stream()

    names = ("synchronize", "empty_cache", "set_device", "reset_peak_memory_stats", "init",
             "manual_seed", "manual_seed_all")
    return {
        **{name: _nothing() for name in names},
        "is_available": lambda: True, "is_initialized": lambda: True,
        "device_count": lambda: 1, "current_device": lambda: 0,
        "get_device_name": lambda *_: _properties().name,
        "get_device_capability": lambda *_: _capability(),
        "get_device_properties": _properties,
        "Event": _Event, "Stream": _Stream, "stream": stream,
        "current_stream": stream, "default_stream": stream, "device": stream,
        "memory_allocated": lambda *_: 0, "max_memory_allocated": lambda *_: 0,
    }
