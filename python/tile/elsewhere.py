"""Modules that files of other systems import names from, beside those that are here.

What is there, the table says; what is not can be imported, and is an error with a
cure where it is called: a file runs as far as it does without it.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any


def _refuse(name: str, cure: str) -> Any:
    def function(*_: Any, **__: Any) -> Any:
        from tile.frontend.errors import unsupported

        unsupported(f"{name} is not there", cure)

    function.__name__ = name
    return function


def num_sms() -> int:
    """Multiprocessors of the GPU, or of the emulator."""
    from tile.profiler import _cuda
    from tile.runtime import device

    torch = _cuda()
    if torch is None:
        return device.settings.get().num_sms
    return int(torch.cuda.get_device_properties(torch.cuda.current_device())
               .multi_processor_count)


def _compute_version(target: Any = None) -> str:
    """"9.0", of the GPU or of the chip that is compiled for without one."""
    from tile.runtime import library

    name = os.environ.get("TILE_TARGET") or library.text(library.compiler().tile_chip_default())
    digits = "".join(c for c in name if c.isdigit())
    return f"{digits[:-1]}.{digits[-1]}"


def _fp8(name: str = "e4m3") -> Any:
    """The 8-bit float of the GPU: "e4m3" or "e5m2"."""
    from tile.dtypes import to_dtype

    return to_dtype(f"{name}_float8")


def _kept_of(dtype: Any) -> tuple[int, int]:
    """How many of how many neighbours sparse products keep: 2 of 4, of 32 bits 1 of 2."""
    from tile.dtypes import to_dtype

    return (1, 2) if to_dtype(dtype).bits == 32 else (2, 4)


def _elements_of_code(dtype: Any, code_dtype: Any) -> int:
    """Elements of a dense row whose places one number of the codes names: a group of
    neighbours has 4 bits."""
    from tile.dtypes import to_dtype

    return to_dtype(code_dtype).bits // 4 * _kept_of(dtype)[1]


def _tensor_supply(supply: Any = None, **ignored: Any) -> Callable[[Any], Any]:
    """A function that makes a tensor for a parameter of a kernel."""
    from tile.profiler import TensorSupplyType, make_tensor

    return lambda parameter: make_tensor(
        tuple(parameter.shape), parameter.dtype, supply or TensorSupplyType.Auto)


def _torch_names() -> dict[Any, str]:
    """Names of torch's types, where the program uses torch."""
    from tile.dtypes import BY_NAME

    torch = sys.modules.get("torch")
    return {} if torch is None else {
        getattr(torch, name): name for name in BY_NAME if hasattr(torch, name)}


def _contents() -> dict[str, dict[str, Any]]:
    from tile import testing
    from tile.dtypes import BY_NAME, DType
    from tile.language.tiles import GemmWarpPolicy
    from tile.options import PassConfigKey
    from tile.profiler import TensorSupplyType

    roller = "list the configurations, with tile.autotune"
    by_hand = "use T.gemm, which picks the instructions"
    return {
        "tile.carver.arch": {
            "driver": types.SimpleNamespace(get_num_sms=num_sms),
            "CUDA": _refuse("CUDA", roller), "CDNA": _refuse("CDNA", roller)},
        "tile.carver.template": {"MatmulTemplate": _refuse("MatmulTemplate", roller),
                                 "ConvTemplate": _refuse("ConvTemplate", roller)},
        "tile.carver.roller.rasterization": {
            "NoRasterization": _refuse("NoRasterization", roller)},
        "tile.contrib.nvcc": {"get_target_compute_version": _compute_version},
        "tile.cuda.intrinsics": {
            "get_swizzle_layout": _refuse("get_swizzle_layout", by_hand),
            "make_mma_swizzle_layout": _refuse("make_mma_swizzle_layout", by_hand)},
        "tile.cuda.intrinsics.macro.mma_macro_generator": {
            "TensorCoreIntrinEmitter": _refuse("TensorCoreIntrinEmitter", by_hand),
            "INT4TensorCoreIntrinEmitter": _refuse("INT4TensorCoreIntrinEmitter", by_hand)},
        "tile.engine.callback": {"register_cuda_postproc_callback": _refuse(
            "register_cuda_postproc_callback", "there is no CUDA C++ to change")},
        "tile.language.dtypes": {
            "dtype": DType, "_TORCH_DTYPE_TO_STR": _torch_names()},
        "tile.cuda.intrinsics.sparse_layout": {
            "GROUP_CONFIG": {t: _kept_of(t) for t in BY_NAME.values() if t.bits in (8, 16, 32)},
            "get_e_factor": _elements_of_code,
            "get_e_replicate_factor": _refuse(
                "get_e_replicate_factor", "codes are stored once, in the order of rows")},
        "tile.language.fp8": {
            "determine_fp8_type": _fp8,
            "determine_torch_fp8_type": lambda name="e4m3": _fp8(name).as_torch()},
        "tile.tileop.base": {"GemmWarpPolicy": GemmWarpPolicy},
        "tile.tools": {"Analyzer": types.SimpleNamespace(analysis=_refuse(
            "Analyzer", "tile.pictures.roofline(kernel, …) counts operations and bytes"))},
        "tile.transform": {"PassConfigKey": PassConfigKey},
        "tile.utils.tensor": {"get_tensor_supply": _tensor_supply,
                              "TensorSupplyType": TensorSupplyType,
                              "torch_assert_close": testing.torch_assert_close},
    }


_PLACES = (
    "tile.carver.arch", "tile.carver.template", "tile.carver.roller.rasterization",
    "tile.contrib.nvcc", "tile.cuda.intrinsics",
    "tile.cuda.intrinsics.macro.mma_macro_generator", "tile.engine.callback",
    "tile.cuda.intrinsics.sparse_layout", "tile.language.dtypes", "tile.language.fp8",
    "tile.tileop.base", "tile.tools", "tile.transform", "tile.utils.tensor")
_NAMES = frozenset(
    ".".join(parts[:n]) for parts in (place.split(".") for place in _PLACES)
    for n in range(2, len(parts) + 1))


class _Finder:
    """Finds modules of the table, and those around them."""

    def find_spec(self, name: str, path: Sequence[str] | None = None,
                  target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name not in _NAMES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__.update(_contents().get(module.__name__, {}))


def install() -> None:
    """Makes the modules importable; those that are files come first."""
    sys.meta_path.append(_Finder())  # type: ignore[arg-type]
