"""Measuring kernels, and running them with arguments that are made up."""

from __future__ import annotations

import dataclasses
import enum
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

from tile.dtypes import BY_NAME, DType
from tile.frontend.types import Dynamic, TensorType
from tile.runtime import device, tensors


class TensorSupplyType(enum.Enum):
    """What tensors are filled with."""

    Auto = "auto"  # integers for integers, else Randn
    Integer = "integer"
    Uniform = "uniform"
    Normal = "normal"  # of mean -1: sums of products are far from 0
    Randn = "randn"
    Zero = "zero"
    One = "one"


def _cuda() -> Any:
    """torch, where it has a GPU and the emulator is not asked for."""
    if device.is_forced():
        return None
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


# -- Time ---------------------------------------------------------------------

def do_bench(fn: Callable[[], Any], warmup: float = 25, rep: float = 100,
             backend: str = "event", quantiles: Any = None, return_mode: str = "median",
             **ignored: Any) -> Any:
    """How long a call of `fn` takes, in milliseconds: between two events on the GPU
    with the L2 cache emptied before each run, else by the clock of the host. On a GPU
    that is the time of its kernels: calls are put into the queue while the GPU waits.
    `warmup` and `rep` are milliseconds, too."""
    torch = _cuda()
    times = _gpu_times(torch, fn, warmup, rep) if torch else _host_times(fn, warmup, rep)
    if quantiles is not None:
        ordered = sorted(times)
        return [ordered[min(int(q * len(ordered)), len(ordered) - 1)] for q in quantiles]
    pick: dict[str, Any] = {"median": statistics.median, "mean": statistics.fmean, "min": min,
                            "max": max}
    return pick[return_mode](times)


def _host_times(fn: Callable[[], Any], warmup: float, rep: float) -> list[float]:
    def once() -> float:
        start = time.perf_counter()
        fn()
        return (time.perf_counter() - start) * 1e3

    first = once()
    if device.is_forced():
        return [first]  # the emulator's time says nothing
    for _ in range(min(int(warmup / max(first, 1e-3)), 100)):
        once()
    return [once() for _ in range(max(1, min(int(rep / max(first, 1e-3)), 1000)))]


CYCLES_PER_SECOND = 2e9  # of a GPU, at most
QUEUED = 50  # calls of a batch: fewer launches than a stream takes without waiting


def _gpu_times(torch: Any, fn: Callable[[], Any], warmup: float, rep: float) -> list[float]:
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def once() -> tuple[Any, Any]:
        flush.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        fn()
        end.record()
        return start, end

    def batch(count: int, host: float) -> list[float]:
        # The GPU idles for as long as the host takes to queue the calls.
        torch.cuda._sleep(int(1.5 * host * count * CYCLES_PER_SECOND))
        pairs = [once() for _ in range(count)]
        torch.cuda.synchronize()
        return [start.elapsed_time(end) for start, end in pairs]

    def measure(count: int, host: float) -> list[float]:
        return [t for done in range(0, count, QUEUED)
                for t in batch(min(QUEUED, count - done), host)]

    fn()
    torch.cuda.synchronize()
    start = time.perf_counter()
    pair = once()
    host = min(time.perf_counter() - start, 1e-3)
    torch.cuda.synchronize()
    first = max(pair[0].elapsed_time(pair[1]), 1e-3)
    measure(max(1, min(int(warmup / first), 1000)), host)
    return measure(max(1, min(int(rep / first), 10000)), host)


# -- Kernels with arguments that are made up ----------------------------------

def _values(shape: tuple[int, ...], dtype: DType, supply: TensorSupplyType, seed: int) -> Any:
    import numpy

    rng = numpy.random.default_rng(seed)
    if supply is TensorSupplyType.Zero:
        return numpy.zeros(shape, numpy.float32)
    if supply is TensorSupplyType.One:
        return numpy.ones(shape, numpy.float32)
    integers = supply is TensorSupplyType.Integer or (
        supply is TensorSupplyType.Auto and not dtype.is_float)
    if dtype.is_bool:
        return rng.integers(0, 2, shape)
    if integers:
        return rng.integers(0 if dtype.kind == "uint" else -2, 3, shape)
    if supply is TensorSupplyType.Uniform:
        return rng.uniform(-1, 1, shape)
    values = rng.standard_normal(shape)
    return values - 1 if supply is TensorSupplyType.Normal else values


def _codes(shape: tuple[int, ...], dtype: DType) -> tuple[tuple[int, ...], DType]:
    """Bytes of small codes, which are small numbers."""
    return tensors.memory_of(shape, dtype)[0], BY_NAME["uint8"]


def make_tensor(shape: tuple[int, ...], dtype: DType, supply: TensorSupplyType,
                seed: int = 0) -> Any:
    """A tensor of torch on the GPU where there is one, else of torch if the program uses
    it, else of numpy."""
    if dtype.is_coded:
        shape, dtype = _codes(shape, dtype)
    values = _values(shape, dtype, supply, seed)
    torch = _cuda() or tensors.loaded("torch")
    if torch is not None:
        place = "cuda" if _cuda() is not None else "cpu"
        return torch.tensor(values, device=place).to(dtype.as_torch())
    result = tensors.new_like(None, shape, dtype)
    result[...] = values.astype(result.dtype)
    return result


class Profiler:
    """A kernel with arguments of its own making. Sizes of run time are those of
    `sizes`, by name."""

    def __init__(self, kernel: Any, supply: TensorSupplyType = TensorSupplyType.Auto,
                 sizes: dict[str, int] | None = None):
        self.kernel, self.supply, self.sizes = kernel, supply, sizes or {}

    def with_sizes(self, **sizes: int) -> Profiler:
        """The same with sizes of run time."""
        return Profiler(self.kernel, self.supply, {**self.sizes, **sizes})

    def inputs(self) -> list[Any]:
        """Arguments of a call."""
        result: list[Any] = []
        for number, parameter in enumerate(self.kernel.inputs):
            if not isinstance(parameter.type, TensorType):
                result.append(1)
                continue
            shape = tuple(s.known(self.sizes) if isinstance(s, Dynamic) else s
                          for s in parameter.type.shape)
            result.append(make_tensor(shape, parameter.type.dtype, self.supply, number))
        return result

    _get_inputs = inputs

    @property
    def func(self) -> Any:
        return self.kernel

    def run_once(self, func: Any = None) -> Any:
        """Calls the kernel, or `func`, once."""
        return (func or self.kernel)(*self.inputs())

    __call__ = run_once

    def do_bench(self, func: Any = None, warmup: float = 25, rep: float = 100,
                 input_tensors: Any = None, **options: Any) -> float:
        """Milliseconds of a call of the kernel, or of `func`."""
        inputs = list(input_tensors) if input_tensors is not None else self.inputs()
        return do_bench(lambda: (func or self.kernel)(*inputs), warmup, rep, **options)

    def assert_allclose(self, reference: Callable[..., Any], atol: float = 1e-2,
                        rtol: float = 1e-2, max_mismatched_ratio: float = 0.01,
                        **ignored: Any) -> None:
        """Fails where the kernel and `reference` differ on more than a part of
        their elements."""
        inputs = self.inputs()
        actual, wanted = self.kernel(*inputs), reference(*inputs)
        pairs = zip(_tuple(actual), _tuple(wanted), strict=True)
        for number, (a, b) in enumerate(pairs):
            _compare(number, _host(a), _host(b), atol, rtol, max_mismatched_ratio)


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _host(value: Any) -> Any:
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().float().cpu().numpy()
    return numpy.asarray(value).astype(numpy.float64)


def _compare(number: int, a: Any, b: Any, atol: float, rtol: float, ratio: float) -> None:
    import numpy

    if a.shape != b.shape:
        raise AssertionError(f"result {number} has shape {a.shape}, expected {b.shape}")
    wrong = ~numpy.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    if wrong.mean() > ratio if wrong.size else False:
        worst = numpy.unravel_index(numpy.argmax(numpy.where(wrong, abs(a - b), -1)), a.shape)
        raise AssertionError(
            f"result {number}: {int(wrong.sum())} of {wrong.size} elements differ; at "
            f"{tuple(int(i) for i in worst)} {a[worst]} is not {b[worst]}")


@dataclasses.dataclass
class Profile:
    """What a kernel did: milliseconds on a GPU, or counts and a trace of the
    emulator, which say nothing about time."""

    milliseconds: float | None = None
    statistics: str = ""
    trace: str = ""

    def save(self, path: Any) -> pathlib.Path:
        """Writes the trace, which https://ui.perfetto.dev shows."""
        target = pathlib.Path(path)
        target.write_text(self.trace)
        return target

    def __str__(self) -> str:
        if self.milliseconds is not None:
            return f"{self.milliseconds:.4f} ms"
        return self.statistics


def is_on_gpu(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call with these arguments runs on a GPU."""
    return not device.is_forced() and any(
        tensors.is_array(a) and tensors.describe(a, "").device != tensors.CPU
        for a in (*args, *kwargs.values()))


def emulated_profile(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Profile:
    """Counts and a trace of a call on the emulator."""
    with device.emulator(statistics=True, trace=True):
        on = device.emulator_device()
        device.forget(on)  # counts begin anew
        on = device.emulator_device()
        kernel(*args, **kwargs)
        return Profile(statistics=on.statistics(), trace=on.trace())


def profile(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Profile:
    """Runs a kernel and says what it did."""
    if is_on_gpu(args, kwargs):
        return Profile(milliseconds=do_bench(lambda: kernel(*args, **kwargs)))
    return emulated_profile(kernel, args, kwargs)
