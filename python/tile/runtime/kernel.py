"""Kernels that are compiled: checking arguments, allocating results, launching."""

from __future__ import annotations

import ctypes
import dataclasses
import os
from typing import Any

from tile.dtypes import BY_NAME, DType, article
from tile.frontend.errors import CompileError
from tile.frontend.program import Parameter, Program
from tile.frontend.types import Dynamic, TensorType
from tile.runtime import compiler, device, fast, library, tensors
from tile.runtime.compiler import Image, Message
from tile.runtime.tensors import ArgumentError, Array

ALIGNMENT_BYTES = 16


@dataclasses.dataclass
class _Bound:
    """Arguments of a call as the launcher takes them."""

    arguments: Any  # array of LaunchArg
    arrays: dict[str, Array]
    values: list[Any]  # in the order of parameters
    keep: list[Any]
    is_aligned: bool
    has_whole_rows: bool  # multiples of 16 bytes


def _memory_type(dtype: DType) -> DType:
    """What the launcher is told of a tensor: codes are bytes."""
    return BY_NAME["uint8"] if dtype.is_coded else dtype


def _is_without_effect(error: CompileError) -> bool:
    return error.message.startswith("nothing to compile")


class JITKernel:
    """A kernel for one chip. Called with tensors and numbers, it runs."""

    def __init__(self, program: Program, target: str | None = None,
                 out_idx: list[int] | None = None):
        self.program, self.target = program, target
        self.parameters = [dataclasses.replace(p) for p in program.parameters]
        for place in out_idx or []:
            self._make_output(place)
        self.inputs = [p for p in self.parameters if not p.is_output]
        self.results = program.results if program.results is not None else \
            [i for i, p in enumerate(self.parameters) if p.is_output]
        self.images: dict[tuple[str, bool, bool], Image] = {}
        self.__name__ = program.name
        self._fast: Any = None  # takes calls like the last one

    def _make_output(self, place: int) -> None:
        count = len(self.parameters)
        if not -count <= place < count:
            raise CompileError(f"out_idx {place} of {self.program.name}, which has {count} "
                               "arguments")
        parameter = self.parameters[place]
        if not isinstance(parameter.type, TensorType):
            raise CompileError(f"out_idx {place} is {parameter.name}, which is no tensor")
        parameter.is_output = True

    # -- What was compiled ----------------------------------------------------

    @property
    def ir(self) -> str:
        """Tile IR."""
        return self.program.readable

    @property
    def name(self) -> str:
        return self.program.name

    def chip(self, on: device.Device | None = None) -> str:
        """What is compiled for: the target that was asked for, the GPU's chip, or
        the compiler's default."""
        if self.target:
            return self.target
        if isinstance(on, device.Cuda):
            return on.chip
        return os.environ.get("TILE_TARGET") or library.text(
            library.compiler().tile_chip_default())

    def image(self, chip: str | None = None, assemble: bool = False,
              aligned: bool = False) -> Image:
        """What was compiled for a chip; `aligned`: only for tensors whose rows and
        addresses are multiples of 16 bytes."""
        chip = chip or self.chip()
        key = chip, assemble, aligned
        if key not in self.images:
            try:
                self.images[key] = compiler.compile_text(self.name, self.program.text, chip,
                                                         assemble, aligned)
            except CompileError as error:
                if error.location is not None and not _is_without_effect(error):
                    raise
                raise self._located(error) from error
        return self.images[key]

    def _located(self, error: CompileError) -> CompileError:
        """An error of the program as a whole is one of its function."""
        place = self.program.place
        if _is_without_effect(error):
            return CompileError(f"{self.name} has no effect: its kernels write to no tensor",
                                place, "store results with T.copy, or C[i, j] = …")
        return CompileError(error.message, place, error.cure, error.notes)

    @property
    def ptx(self) -> str:
        return self.image().ptx.decode()

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """PTX."""
        return self.ptx

    @property
    def remarks(self) -> list[Message]:
        """What the compiler declined to do, and why, at the user's lines."""
        return self.image().messages

    # -- Calls ----------------------------------------------------------------

    def __call__(self, *args: Any, stream: int | None = None, **kwargs: Any) -> Any:
        if self._fast is not None and stream is None and not kwargs:
            result = self._fast(*args)
            if result is not NotImplemented:
                return result
        values = self._by_name(args, kwargs)
        bound = self._bind(values)
        self._launch(bound, stream)
        return self._returned(bound.values)

    def _by_name(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        names = [p.name for p in self.inputs]
        if len(args) > len(names):
            every = [p.name for p in self.parameters]
            if len(args) == len(every) and not kwargs:
                return dict(zip(every, args, strict=True))
            raise ArgumentError(f"{self.name} takes {len(names)} arguments "
                                f"({', '.join(names)}), got {len(args)}")
        values = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in {p.name for p in self.parameters}:
                raise ArgumentError(f"{self.name} has no argument {name}; it has "
                                    f"{', '.join(names)}")
            if name in values:
                raise ArgumentError(f"{self.name} got {name} twice")
            values[name] = value
        missing = [n for n in names if n not in values]
        if missing:
            raise ArgumentError(f"{self.name} misses {', '.join(missing)}")
        return values

    def _bind(self, values: dict[str, Any]) -> _Bound:
        sizes: dict[str, int] = {}
        arrays: dict[str, Array] = {}
        for parameter in self.parameters:
            if parameter.name in values and isinstance(parameter.type, TensorType):
                arrays[parameter.name] = self._check_tensor(
                    parameter, values[parameter.name], sizes)
        self._check_sizes(arrays, sizes)
        template = next((values[n] for n in arrays), None)
        for parameter in self.parameters:
            if parameter.is_output and parameter.name not in values:
                assert isinstance(parameter.type, TensorType)
                shape = tuple(self._size(s, sizes) for s in parameter.type.shape)
                shape, dtype = tensors.memory_of(shape, parameter.type.dtype)
                values[parameter.name] = tensors.new_like(template, shape, dtype)
                array = tensors.describe(values[parameter.name], parameter.name)
                array.dtype = _memory_type(dtype)
                arrays[parameter.name] = array
        return self._pack(values, arrays)

    def _size(self, size: Any, sizes: dict[str, int]) -> int:
        return size.known(sizes) if isinstance(size, Dynamic) else int(size)

    def _check_tensor(self, parameter: Parameter, value: Any, sizes: dict[str, int]) -> Array:
        kind, name = parameter.type, f"{self.name}: argument {parameter.name}"
        assert isinstance(kind, TensorType)
        if not tensors.is_array(value):
            raise ArgumentError(f"{name}: expected a tensor, got {value!r}")
        array = tensors.describe(value, name)
        if not tensors.fits(array.dtype, kind.dtype):
            raise ArgumentError(f"{name}: expected elements of {kind.dtype}, got {array.dtype}")
        sizes_of_kind, dtype = tensors.memory_of(kind.shape, kind.dtype)
        array.dtype = _memory_type(dtype)
        if len(array.shape) != len(kind.shape):
            raise ArgumentError(f"{name}: expected {len(kind.shape)} dimensions, got shape "
                                f"{list(array.shape)}")
        for dim, (size, extent) in enumerate(zip(sizes_of_kind, array.shape, strict=True)):
            if isinstance(size, Dynamic) and size.operation is None:
                if sizes.setdefault(size.name, extent) != extent:
                    raise ArgumentError(f"{name}: size {dim} is {extent}, but {size.name} is "
                                        f"{sizes[size.name]}")
            elif isinstance(size, Dynamic):
                inverse = size.inverse()
                if inverse is not None:
                    symbol, op, number = inverse
                    sizes.setdefault(symbol, extent + (number if op == "+" else -number))
            elif size != extent:
                why = f", for two of {kind.dtype} are in a byte" \
                    if kind.dtype.is_packed and dim == len(array.shape) - 1 else ""
                raise ArgumentError(f"{name}: expected size {size} in dimension {dim}{why}, got "
                                    f"shape {list(array.shape)}")
        self._check_strides(name, kind, array)
        return array

    def _check_strides(self, name: str, kind: TensorType, array: Array) -> None:
        if kind.strides is None:
            if not array.is_contiguous():
                raise ArgumentError(
                    f"{name}: expected rows without gaps, got strides {list(array.strides)}; "
                    "copy it with .contiguous() or np.ascontiguousarray, or make the argument "
                    "a T.StridedTensor")
            return
        for dim, (wanted, stride) in enumerate(zip(kind.strides, array.strides, strict=True)):
            if wanted is not None and wanted != stride and array.shape[dim] > 1:
                raise ArgumentError(f"{name}: expected stride {wanted} in dimension {dim}, got "
                                    f"{list(array.strides)}")

    def _check_sizes(self, arrays: dict[str, Array], sizes: dict[str, int]) -> None:
        """Sizes that are expressions of others."""
        for parameter in self.parameters:
            if parameter.name not in arrays or not isinstance(parameter.type, TensorType):
                continue
            for dim, size in enumerate(parameter.type.shape):
                if isinstance(size, Dynamic) and size.operation is not None:
                    extent = arrays[parameter.name].shape[dim]
                    if size.known(sizes) != extent:
                        raise ArgumentError(
                            f"{self.name}: argument {parameter.name}: size {dim} is {extent}, "
                            f"but {size} is {size.known(sizes)}")

    def _pack(self, values: dict[str, Any], arrays: dict[str, Array]) -> _Bound:
        packed = (library.LaunchArg * len(self.parameters))()
        keep: list[Any] = []
        is_aligned = has_whole_rows = True
        for entry, parameter in zip(packed, self.parameters, strict=True):
            if isinstance(parameter.type, DType):
                self._pack_number(entry, parameter, values[parameter.name])
                continue
            array = arrays[parameter.name]
            tensor, memory = array.to_dl()
            keep += [tensor, memory]
            entry.kind, entry.tensor = library.ARG_TENSOR, ctypes.addressof(tensor)
            size = array.dtype.size_bytes
            is_aligned &= array.address % ALIGNMENT_BYTES == 0 and 0 not in array.shape and all(
                s * size % ALIGNMENT_BYTES == 0 for s in array.strides[:-1])
            has_whole_rows &= not array.shape or array.shape[-1] * size % ALIGNMENT_BYTES == 0
        ordered = [values[p.name] for p in self.parameters]
        return _Bound(packed, arrays, ordered, keep, is_aligned, has_whole_rows)

    def _pack_number(self, entry: Any, parameter: Parameter, value: Any) -> None:
        kind = parameter.type
        assert isinstance(kind, DType)
        name = f"{self.name}: argument {parameter.name}"
        if tensors.is_array(value) and getattr(value, "ndim", 1) == 0:
            value = value.item()
        if not isinstance(value, (bool, int, float)) and not hasattr(value, "__index__"):
            raise ArgumentError(f"{name}: expected a number, got {type(value).__name__}")
        if kind.is_float:
            entry.kind, entry.real = library.ARG_FLOAT, float(value)
            return
        if isinstance(value, float) and not value.is_integer():
            raise ArgumentError(f"{name}: expected {article(kind)} {kind}, got {value}")
        low, high = kind.bounds()
        if not low <= int(value) <= high:
            raise ArgumentError(f"{name}: {int(value)} does not fit {kind}")
        entry.kind, entry.integer = library.ARG_INT, int(value)

    def _device(self, bound: _Bound) -> tuple[device.Device, int | None]:
        on_gpu = [a for a in bound.arrays.values() if a.device != tensors.CPU]
        if device.is_forced() or not on_gpu:
            if on_gpu:
                raise ArgumentError(f"{self.name}: the emulator takes tensors in memory of the "
                                    "program, got one on a GPU")
            return device.emulator_device(), None
        if len(on_gpu) < len(bound.arrays):
            raise ArgumentError(f"{self.name}: some tensors are on a GPU and others are not")
        numbers = {a.device_id for a in on_gpu}
        if len(numbers) > 1:
            raise ArgumentError(f"{self.name}: tensors are on GPUs {sorted(numbers)}")
        number = numbers.pop()
        stream_of = fast.torch_stream()
        return device.cuda_device(number), stream_of(number) if stream_of else None

    def _launch(self, bound: _Bound, stream: int | None) -> None:
        on, current = self._device(bound)
        chip, assemble, is_aligned = self.chip(on), isinstance(on, device.Cuda), bound.is_aligned
        image = self.image(chip, assemble, is_aligned)
        if is_aligned and image.counts_on_rows and not bound.has_whole_rows:
            is_aligned = False
            image = self.image(chip, assemble)
        for parameter, array in bound.arrays.items():
            if not array.is_writable and parameter in image.written:
                raise ArgumentError(f"{self.name}: argument {parameter}: the kernel writes it, but "
                                    "the array is read-only")
        on.launch(self.name, image, bound.arguments, stream if stream is not None else current)
        if isinstance(on, device.Cuda):
            self._fast = fast.make_launcher(
                self, on, on.module(self.name, image), bound.values,
                fast.Counts(is_aligned, is_aligned and image.counts_on_rows),
                fast.torch_stream(), fast.torch_empty())

    def _returned(self, values: list[Any]) -> Any:
        results = [values[i] for i in self.results]
        if not results:
            return None
        return tuple(results) if len(results) > 1 or self.program.returns_tuple else results[0]

    # -- Around it ------------------------------------------------------------

    def check(self, *args: Any, seeds: int = 4, **kwargs: Any) -> Any:
        """Runs on the emulator under adverse schedules, on copies of the arguments,
        and compares the results of all runs. Errors: what the emulator finds, and
        results that differ. Returns those of the first run."""
        from tile.runtime import checking

        return checking.check(self, args, kwargs, seeds)

    def get_profiler(self, tensor_supply_type: Any = None) -> Any:
        """A Profiler with arguments that it makes itself."""
        from tile.profiler import Profiler, TensorSupplyType

        return Profiler(self, tensor_supply_type or TensorSupplyType.Auto)

    def profile(self, *args: Any, **kwargs: Any) -> Any:
        """GPU time in milliseconds, or without a GPU a Profile of the emulator."""
        from tile.profiler import profile

        return profile(self, args, kwargs)
