"""The C libraries: libtile compiles, libtile-run runs.

They are opened when they are first needed, not when the package is imported.
Structures are those of Tile/Compiler.h, Tile/Run.h and Tile/Emulator.h.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from ctypes import (
    POINTER,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)

METADATA, MLIR, LLVM, PTX, CUBIN = 1, 2, 4, 8, 16
NOTE, REMARK, WARNING, ERROR, OUTPUT = range(5)
ARG_TENSOR, ARG_INT, ARG_FLOAT = range(3)


class Diagnostic(ctypes.Structure):
    pass


Diagnostic._fields_ = [
    ("severity", c_int), ("code", c_char_p), ("file", c_char_p), ("line", c_int),
    ("column", c_int), ("text", c_char_p), ("source_line", c_char_p),
    ("notes", POINTER(POINTER(Diagnostic))), ("num_notes", c_size_t), ("is_internal", c_bool)]
DiagnosticFn = ctypes.CFUNCTYPE(None, POINTER(Diagnostic), c_void_p)
StageFn = ctypes.CFUNCTYPE(None, c_char_p, c_void_p, c_size_t, c_void_p)


class LayoutFacts(ctypes.Structure):
    _fields_ = [("is_fragment", c_bool), ("num_registers", c_int), ("num_lanes", c_int),
                ("num_warps", c_int), ("num_copies", c_int), ("size_bytes", c_uint64)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size_bytes", c_size_t)]

    def value(self) -> bytes | None:
        return ctypes.string_at(self.data, self.size_bytes) if self.data else None


class DLDevice(ctypes.Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", DLDevice), ("ndim", c_int32),
                ("dtype", DLDataType), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class LaunchArg(ctypes.Structure):
    _fields_ = [("kind", c_int), ("tensor", c_void_p), ("integer", c_int64), ("real", c_double)]


class EmuOptions(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("schedule", c_int), ("detect_races", c_bool),
                ("pedantic", c_bool), ("num_threads", c_int), ("max_instructions", c_uint64),
                ("max_memory_bytes", c_uint64), ("max_findings", c_int),
                ("num_priority_changes", c_int), ("num_sms", c_int),
                ("registers_per_thread", c_int), ("co_resident", c_bool),
                ("collect_statistics", c_bool), ("trace", c_bool), ("progress", c_void_p),
                ("progress_data", c_void_p)]


class Status(ctypes.Structure):
    _fields_ = [("code", c_int), ("message", c_char * 1000)]


class EmuStats(ctypes.Structure):
    _fields_ = [("num_warp_instructions", c_uint64), ("num_lane_instructions", c_uint64),
                ("num_async_ops", c_uint64)]


class EmuPlace(ctypes.Structure):
    _fields_ = [("ptx_line", c_uint32), ("opcode", c_char_p), ("source_file", c_char_p),
                ("source_line", c_uint32)]


class EmuFinding(ctypes.Structure):
    _fields_ = [("kind", c_char_p), ("text", c_char_p), ("ptx_line", c_uint32),
                ("count", c_uint64), ("is_pedantic", c_bool), ("message", c_char_p),
                ("history", c_char_p), ("cause", c_char_p), ("kernel", c_char_p),
                ("opcode", c_char_p), ("source_file", c_char_p), ("source_line", c_uint32),
                ("has_cta", c_bool), ("has_warp", c_bool), ("ctaid", c_uint32 * 3),
                ("warp", c_uint32), ("lanes", c_uint32), ("memory_space", c_char_p),
                ("memory_name", c_char_p), ("memory_offset", c_uint64), ("earlier", EmuPlace),
                ("other_lines", POINTER(c_uint32)), ("num_other_lines", c_size_t)]


_COMPILER = {
    "tile_compiler_create": (c_void_p, [c_void_p]),
    "tile_compiler_destroy": (None, [c_void_p]),
    "tile_compiler_set_diagnostics": (None, [c_void_p, DiagnosticFn, c_void_p]),
    "tile_compiler_set_remarks": (None, [c_void_p, c_bool]),
    "tile_compiler_set_chip": (c_bool, [c_void_p, c_char_p]),
    "tile_compiler_set_products": (None, [c_void_p, c_uint]),
    "tile_compiler_set_ptxas": (c_bool, [c_void_p, c_char_p, c_uint]),
    "tile_compiler_set_line_info": (None, [c_void_p, c_bool]),
    "tile_compiler_set_variants": (c_bool, [c_void_p, POINTER(c_uint), c_size_t]),
    "tile_compiler_set_stages": (None, [c_void_p, StageFn, c_void_p]),
    "tile_compiler_set_stage_locations": (None, [c_void_p, c_bool]),
    "tile_compiler_find_places": (c_bool, [c_void_p, c_char_p, POINTER(c_int64), c_int, c_int,
                                           POINTER(c_int64), c_size_t, POINTER(LayoutFacts)]),
    "tile_compile": (c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "tile_program_destroy": (None, [c_void_p]),
    "tile_program_num_functions": (c_size_t, [c_void_p]),
    "tile_program_product": (Bytes, [c_void_p, c_size_t, c_uint]),
    "tile_program_account": (c_char_p, [c_void_p]),
    "tile_program_phase": (c_char_p, [c_void_p, c_size_t, POINTER(c_double)]),
    "tile_chip_default": (c_char_p, []),
    "tile_chip_at": (c_char_p, [c_size_t]),
    "tile_version": (c_char_p, []),
}
_RUN = {
    "tile_device_create_cuda": (c_void_p, [c_void_p, DiagnosticFn, c_void_p]),
    "tile_device_create_emulator": (c_void_p, [POINTER(EmuOptions), DiagnosticFn, c_void_p]),
    "tile_device_destroy": (None, [c_void_p]),
    "tile_device_chip": (c_char_p, [c_void_p]),
    "tile_device_name": (c_char_p, [c_void_p]),
    "tile_device_emulator": (c_void_p, [c_void_p]),
    "tile_device_wait": (c_bool, [c_void_p, c_void_p]),
    "tile_module_create": (c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t]),
    "tile_module_destroy": (None, [c_void_p]),
    "tile_module_launch": (c_bool, [c_void_p, c_void_p, POINTER(LaunchArg), c_size_t]),
    "tile_emu_map_host": (Status, [c_void_p, c_void_p, c_size_t, c_char_p]),
    "tile_emu_free": (Status, [c_void_p, c_void_p]),
    "tile_emu_options_init": (None, [POINTER(EmuOptions)]),
    "tile_emu_num_findings": (c_size_t, [c_void_p]),
    "tile_emu_finding": (POINTER(EmuFinding), [c_void_p, c_size_t]),
    "tile_emu_report": (c_char_p, [c_void_p]),
    "tile_emu_statistics_text": (c_char_p, [c_void_p]),
    "tile_emu_trace_json": (c_char_p, [c_void_p]),
    "tile_emu_stats": (EmuStats, [c_void_p]),
    "tile_emu_output": (c_char_p, [c_void_p]),
}


def folders() -> list[pathlib.Path]:
    """Where libraries may be: TILE_LIBRARY_PATH, the package, a build tree."""
    package = pathlib.Path(__file__).resolve().parent.parent
    given = os.environ.get("TILE_LIBRARY_PATH")
    first = [pathlib.Path(given)] if given else []
    return [*first, package / "lib", package.parent.parent / "build" / "lib"]


def _open(names: list[str], functions: dict) -> ctypes.CDLL:
    places = folders()
    for folder in places:
        for name in names:
            path = folder / name
            if path.exists():
                library = ctypes.CDLL(str(path))
                for function, (result, arguments) in functions.items():
                    entry = getattr(library, function)
                    entry.restype, entry.argtypes = result, arguments
                return library
    searched = ", ".join(str(f) for f in places)
    raise ImportError(f"{names[0]} is in none of {searched}; set TILE_LIBRARY_PATH")


@functools.cache
def compiler() -> ctypes.CDLL:
    """libtile, or the one that has MLIR inside."""
    return _open(["libtile.so.0", "libtile-static.so.0"], _COMPILER)


@functools.cache
def runner() -> ctypes.CDLL:
    """libtile-run."""
    return _open(["libtile-run.so.0", "libtile-run.so"], _RUN)


def text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")
