"""Options of a compilation, by the names that files use."""

from __future__ import annotations

import enum
from typing import Any

from tile.frontend.errors import CompileError


class PassConfigKey(str, enum.Enum):
    """Keys of `pass_configs`."""

    TL_ENABLE_FAST_MATH = "tl.enable_fast_math"
    TL_DISABLE_FAST_MATH = "tl.disable_fast_math"
    TL_DISABLE_WARP_SPECIALIZED = "tl.disable_warp_specialized"
    TL_DISABLE_TMA_LOWER = "tl.disable_tma_lower"
    TL_DISABLE_THREAD_STORAGE_SYNC = "tl.disable_thread_storage_sync"
    TL_ENABLE_AGGRESSIVE_SHARED_MEMORY_MERGE = "tl.enable_aggressive_shared_memory_merge"
    TL_DISABLE_DATA_RACE_CHECK = "tl.disable_data_race_check"
    TL_CONFIG_INDEX_BITWIDTH = "tl.config_index_bitwidth"
    TL_DISABLE_SAFE_MEMORY_ACCESS = "tl.disable_safe_memory_legalize"
    TL_DISABLE_VECTORIZE_256 = "tl.disable_vectorize_256"
    TL_PTXAS_REGISTER_USAGE_LEVEL = "tl.ptxas_register_usage_level"
    TL_ENABLE_PTXAS_VERBOSE_OUTPUT = "tl.enable_ptxas_verbose_output"
    TL_LAYOUT_VISUALIZATION_ENABLE = "tl.layout_visualization_enable"
    TL_LAYOUT_VISUALIZATION_FORMATS = "tl.layout_visualization_formats"


def make_options(pass_configs: Any) -> dict[str, Any]:
    """What of `pass_configs` counts here. Keys that only say how another compiler
    works change nothing."""
    options: dict[str, Any] = {}
    for key, value in (pass_configs or {}).items():
        name = key.value if isinstance(key, enum.Enum) else str(key)
        if not name.startswith(("tl.", "tir.", "tirx.", "tile.", "cuda.")):
            raise CompileError(f"pass_configs has {name!r}", None,
                               "keys are those of tile.PassConfigKey")
        if name == "tl.enable_fast_math":
            options["fast_math"] = bool(value)
        elif name == "tl.disable_warp_specialized":
            options["no_roles"] = bool(value)
        elif name == "tl.disable_tma_lower":
            options["disable_tma"] = bool(value)
    return options
