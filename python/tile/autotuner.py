"""`@tile.autotune`: tries configurations and keeps the best.

Kernels are compiled side by side by any executor of `concurrent.futures`, and
measured in turns, so that no configuration has the cold GPU for itself. Without
a GPU they are ranked by the instructions that the emulator counts, which says
less. The choice is kept on disk, by source, arguments and device.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import dataclasses
import functools
import hashlib
import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tile.compiling import JITFunction
from tile.frontend.errors import CompileError, TileError
from tile.profiler import TensorSupplyType
from tile.runtime import cache, device, tensors

ROUNDS = 3
_inputs: contextvars.ContextVar[tuple[Any, ...]] = contextvars.ContextVar("inputs", default=())


@dataclasses.dataclass
class Trial:
    """A configuration and what came of it: lower scores are better; `error` says
    why there is none."""

    config: dict[str, Any]
    score: float | None = None
    error: str | None = None


class Tuned:
    """A function under @tile.autotune. `trials` has those of the last search."""

    def __init__(self, function: JITFunction, configs: Any, key: Iterable[str] | None,
                 executor: concurrent.futures.Executor | None, progress: bool,
                 warmup: float, rep: float):
        self.function, self.configs = function, configs
        self.key_names = list(key) if key is not None else None
        self.executor, self.progress = executor, progress
        self.warmup, self.rep = warmup, rep
        self.supply = TensorSupplyType.Auto
        self.best: dict[Any, dict[str, Any]] = {}
        self.trials: list[Trial] = []
        self.variants: dict[str, JITFunction] = {}
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        config = self._config(args, kwargs)
        function, rest = self._variant(config)
        result = function(*args, **kwargs, **rest)
        return result if function.is_eager else self._labelled(result, config)

    def compile(self, *args: Any, **kwargs: Any) -> Any:
        """The kernel of the best configuration; `config` and `latency` say which
        and how good."""
        if self.function.is_eager and not any(tensors.is_array(v) for v in args):
            args = (*_inputs.get(), *args)
        config = self._config(args, kwargs)
        function, rest = self._variant(config)
        return self._labelled(function.compile(*args, **kwargs, **rest), config)

    def _labelled(self, kernel: Any, config: dict[str, Any]) -> Any:
        kernel.config = config
        kernel.latency = next((t.score for t in self.trials if t.config == config), None)
        kernel.ref_latency = None
        return kernel

    def _variant(self, config: dict[str, Any]) -> tuple[JITFunction, dict[str, Any]]:
        """The function with the pass_configs of a configuration, and its arguments."""
        rest = dict(config)
        options = rest.pop("pass_configs", None)
        if not options:
            return self.function, rest
        key = repr(options)
        if key not in self.variants:
            f = self.function
            self.variants[key] = JITFunction(f.function, f.out_idx, f.target,
                                             {**(f.pass_configs or {}), **options})
        return self.variants[key], rest

    # -- The choice -----------------------------------------------------------

    def _config(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        key = self._key(args, kwargs)
        if key not in self.best:
            stored = self._stored(key)
            if stored is not None:
                self.trials = [stored]
            self.best[key] = stored.config if stored else self._search(key, args, kwargs)
        return self.best[key]

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        parts: list[Any] = []
        for name, value in self._given(args, kwargs).items():
            if self.key_names is not None and name not in self.key_names:
                continue
            if tensors.is_array(value):
                array = tensors.describe(value, name)
                parts.append((name, array.shape, str(array.dtype), array.device))
            else:
                parts.append((name, repr(value)))
        return repr(parts)

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments of a call by name, sizes of T.const among them."""
        known = self.function.signature.parameters
        bound = self.function.signature.bind_partial(
            *args, **{k: v for k, v in kwargs.items() if k in known})
        return {**bound.arguments, **{k: v for k, v in kwargs.items() if k not in known}}

    def _candidates(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[dict[str, Any]]:
        configs = self.configs
        if callable(configs):
            wanted = inspect.signature(configs).parameters
            configs = configs(*args, **kwargs) if wanted else configs()
        if not configs:
            raise CompileError(f"autotune of {self.function.__name__} has no configurations")
        given = self._given(args, kwargs)
        result: list[dict[str, Any]] = []
        for config in configs:
            left = {k: v for k, v in config.items() if k not in given}
            if left not in result:
                result.append(left)
        return result

    def _search(self, key: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        self.trials = [Trial(c) for c in self._candidates(args, kwargs)]
        if self.trials == [Trial({})]:
            return {}  # the call itself has chosen
        if device.is_rehearsal.get():
            return self._first(args, kwargs)
        self._compile_all(args, kwargs)
        for number in range(ROUNDS if self._on_gpu(args, kwargs) else 1):
            for trial in self.trials:
                if trial.error is None:
                    self._measure(trial, args, kwargs)
                    self._report(number)
        good = [t for t in self.trials if t.error is None and t.score is not None]
        if not good:
            raise self._nothing_works()
        best = min(good, key=lambda t: t.score or 0.0)
        self._store(key, best)
        return best.config

    def _first(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The first configuration that compiles: enough where nothing is measured."""
        for trial in self.trials:
            try:
                function, rest = self._variant(trial.config)
                function.compile(*args, **kwargs, **rest).image()
                trial.score = math.nan  # nobody has measured it
                return trial.config
            except TileError as error:
                trial.error = str(error).splitlines()[0]
        raise self._nothing_works()

    def _nothing_works(self) -> CompileError:
        reasons = "\n".join(f"  {t.config}: {t.error}" for t in self.trials)
        return CompileError(f"no configuration of {self.function.__name__} works:\n{reasons}")

    def _compile_all(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        def build(trial: Trial) -> None:
            try:
                function, rest = self._variant(trial.config)
                function.compile(*args, **kwargs, **rest).image()
            except TileError as error:
                trial.error = str(error).splitlines()[0]

        if self.executor is not None:
            list(self.executor.map(build, self.trials))
            return
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(build, self.trials))

    def _on_gpu(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        from tile.profiler import _cuda

        if not self.function.is_eager:
            return _cuda() is not None
        return not device.is_forced() and any(
            tensors.is_array(v) and tensors.describe(v, "").device != tensors.CPU
            for v in (*args, *kwargs.values()))

    def _measure(self, trial: Trial, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        from tile.profiler import do_bench

        try:
            call = self._call(trial, args, kwargs)
            if self._on_gpu(args, kwargs):
                score = do_bench(call, self.warmup / ROUNDS, self.rep / ROUNDS)
            else:
                score = self._count(call)
        except TileError as error:
            trial.error = str(error).splitlines()[0]
            return
        trial.score = score if trial.score is None else min(trial.score, score)

    def _call(self, trial: Trial, args: tuple[Any, ...],
              kwargs: dict[str, Any]) -> Callable[[], Any]:
        """A call to be measured; kernels of a factory get tensors that are made up."""
        function, rest = self._variant(trial.config)
        if function.is_eager and any(tensors.is_array(v) for v in (*args, *kwargs.values())):
            # Sizes of T.const are those of the tensors.
            named = {k: v for k, v in kwargs.items() if k in function.signature.parameters}
            return lambda: function(*args, **named, **rest)
        kernel = function.compile(*args, **kwargs, **rest)
        inputs = _inputs.get() or kernel.get_profiler(self.supply).inputs()
        return lambda: kernel(*inputs)

    def _count(self, call: Callable[[], Any]) -> float:
        with device.emulator(detect_races=False):
            on = device.emulator_device()
            before = on.num_instructions()
            call()
            return float(on.num_instructions() - before)

    def _report(self, number: int) -> None:
        if self.progress:
            done = sum(t.score is not None or t.error is not None for t in self.trials)
            sys.stderr.write(f"\rautotune {self.function.__name__}: {done} of {len(self.trials)}, "
                             f"round {number + 1}")
            sys.stderr.flush()

    # -- On disk --------------------------------------------------------------

    def _path(self, key: str) -> Any:
        root = cache.folder()
        if root is None:
            return None
        source = inspect.getsource(self.function.function)
        digest = hashlib.sha256(f"{source}\0{key}\0{self.configs!r}".encode()).hexdigest()
        return root / "tuned" / f"{digest}.json"

    def _stored(self, key: str) -> Trial | None:
        path = self._path(key)
        with contextlib.suppress(OSError, ValueError, AttributeError, KeyError):
            found = json.loads(path.read_text())
            return Trial(found["config"], found["score"])
        return None

    def _store(self, key: str, best: Trial) -> None:
        path = self._path(key)
        if path is None:
            return
        with contextlib.suppress(OSError, TypeError):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(f".{os.getpid()}")
            temporary.write_text(json.dumps({"config": best.config, "score": best.score}))
            os.replace(temporary, path)


def autotune(configs: Any = None, key: Iterable[str] | None = None, warmup: float = 25,
             rep: float = 100, timeout: float | None = None,
             executor: concurrent.futures.Executor | None = None, progress: bool | None = None,
             **ignored: Any) -> Callable[[Any], Tuned]:
    """Decorator above @tile.jit. `configs` is a list of keyword arguments, or a
    function that gives one; `key` names the arguments that the choice depends on,
    all of them by default."""
    def decorate(function: Any) -> Tuned:
        if not isinstance(function, JITFunction):
            raise CompileError("@tile.autotune stands above @tile.jit")
        show = sys.stderr.isatty() if progress is None else progress
        return Tuned(function, configs or [{}], key, executor, show, warmup, rep)

    return decorate


@contextlib.contextmanager
def set_autotune_inputs(*inputs: Any) -> Iterator[None]:
    """Kernels that are tuned inside are measured with these tensors."""
    given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) else inputs
    token = _inputs.set(tuple(given))
    try:
        yield
    finally:
        _inputs.reset(token)


@dataclasses.dataclass
class Result:
    """What AutoTuner.run found."""

    config: dict[str, Any]
    kernel: Any
    latency: float | None
    ref_latency: float | None = None


class AutoTuner:
    """The same as @tile.autotune, for a factory that is not decorated:
    `AutoTuner.from_kernel(factory, configs).set_compile_args(out_idx=[-1]).run()`."""

    def __init__(self, kernel: Any, configs: Any):
        self.kernel, self.configs = kernel, configs
        self.compile_args: dict[str, Any] = {}
        self.supply, self.reference = TensorSupplyType.Auto, None

    @classmethod
    def from_kernel(cls, kernel: Any, configs: Any) -> AutoTuner:
        return cls(kernel, configs)

    def set_compile_args(self, out_idx: Any = None, target: Any = None,
                         pass_configs: Any = None, **ignored: Any) -> AutoTuner:
        self.compile_args = {"out_idx": out_idx, "target": target, "pass_configs": pass_configs}
        return self

    def set_profile_args(self, supply_type: TensorSupplyType = TensorSupplyType.Auto,
                         ref_prog: Any = None, **ignored: Any) -> AutoTuner:
        self.supply, self.reference = supply_type, ref_prog
        return self

    def run(self, warmup: float = 25, rep: float = 100, **ignored: Any) -> Result:
        """Tries the configurations and measures the reference beside the best."""
        tuned = autotune(self.configs, warmup=warmup, rep=rep)(
            JITFunction(self.kernel, **self.compile_args))
        tuned.supply = self.supply
        kernel = tuned()
        profiler = kernel.get_profiler(self.supply)
        reference = profiler.do_bench(self.reference, warmup, rep) if self.reference else None
        return Result(kernel.config, kernel, kernel.latency, reference)
