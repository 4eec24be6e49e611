"""Devices: a GPU with its current context, or the emulator."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import dataclasses
import functools
import os
import threading
from collections.abc import Iterator
from typing import Any

from tile.frontend.errors import Location
from tile.runtime import library, reach
from tile.runtime.compiler import Image, Message
from tile.runtime.errors import Finding, LaunchError, make_error
from tile.runtime.library import text

SCHEDULES = ("mixed", "eager", "lazy", "random", "priority")


@dataclasses.dataclass(frozen=True)
class EmulatorSettings:
    """How kernels run on the emulator."""

    seed: int = 0
    schedule: str = "mixed"
    detect_races: bool = True
    pedantic: bool = False
    num_threads: int = 1
    num_sms: int = 132
    statistics: bool = False
    trace: bool = False
    max_instructions: int = 0
    co_resident: bool = False


settings: contextvars.ContextVar[EmulatorSettings] = contextvars.ContextVar(
    "settings", default=EmulatorSettings())


# Whether a program is only to be run, without a choice of what is fast (tile.rehearsal).
is_rehearsal: contextvars.ContextVar[bool] = contextvars.ContextVar("rehearsal", default=False)


@contextlib.contextmanager
def emulator(**options: Any) -> Iterator[EmulatorSettings]:
    """Kernels that run on the emulator inside run so: `with tile.emulator(seed=3):`."""
    changed = dataclasses.replace(settings.get(), **options)
    if changed.schedule not in SCHEDULES:
        raise ValueError(f"schedule {changed.schedule!r}; known are {', '.join(SCHEDULES)}")
    token = settings.set(changed)
    try:
        yield changed
    finally:
        settings.reset(token)


def is_forced() -> bool:
    """TILE_EMULATE=1: the emulator runs everything."""
    return os.environ.get("TILE_EMULATE", "") not in ("", "0")


class Device:
    """A device of the C API, with the modules that are loaded on it."""

    def __init__(self) -> None:
        self.api = library.runner()
        self.messages: list[Message] = []
        self.on_diagnostic = library.DiagnosticFn(self._receive)
        self.modules: dict[int, tuple[Image, Any]] = {}
        self.lock = threading.RLock()
        self.handle = self._create()
        if not self.handle:
            raise LaunchError(self._last_error("there is no device"))

    def _create(self) -> Any:
        raise NotImplementedError

    def _receive(self, pointer: Any, _: Any) -> None:
        diagnostic = pointer.contents
        place = Location(text(diagnostic.file), diagnostic.line, diagnostic.column) \
            if diagnostic.line else None
        self.messages.append(Message(diagnostic.severity, text(diagnostic.code), place,
                                     text(diagnostic.text)))

    def _last_error(self, otherwise: str) -> str:
        errors = [str(m.text) for m in self.messages if m.severity == library.ERROR]
        return "\n".join(errors) or otherwise

    def module(self, name: str, image: Image) -> Any:
        """A function that is loaded; it stays so as long as the device."""
        found = self.modules.get(id(image))
        if found is not None:
            return found[1]
        self.messages.clear()
        code = self.image_of(image)
        handle = self.api.tile_module_create(self.handle, name.encode(), image.metadata,
                                             len(image.metadata), code, len(code))
        if not handle:
            raise LaunchError(self._last_error(f"{name} cannot be loaded"))
        self.modules[id(image)] = image, handle
        return handle

    def image_of(self, image: Image) -> bytes:
        return image.ptx

    def launch(self, name: str, image: Image, arguments: Any, stream: int | None) -> None:
        with self.lock:
            module = self.module(name, image)
            self.messages.clear()
            if not self.api.tile_module_launch(module, stream, arguments, len(arguments)):
                self._fail(name)

    def _fail(self, name: str) -> None:
        raise LaunchError(self._last_error(f"{name} cannot be launched"))

    def close(self) -> None:
        for _, handle in self.modules.values():
            self.api.tile_module_destroy(handle)
        self.modules.clear()
        if self.handle:
            self.api.tile_device_destroy(self.handle)
            self.handle = None


class Emulator(Device):
    """A device of its own for each setting. What it finds wrong ends it."""

    def __init__(self, options: EmulatorSettings):
        self.options = options
        self.output = ""
        super().__init__()

    def _create(self) -> Any:
        emu = library.EmuOptions()
        self.api.tile_emu_options_init(ctypes.byref(emu))
        o = self.options
        emu.seed, emu.schedule = o.seed, SCHEDULES.index(o.schedule)
        emu.detect_races, emu.pedantic = o.detect_races, o.pedantic
        emu.num_threads, emu.num_sms = o.num_threads, o.num_sms
        emu.collect_statistics, emu.trace = o.statistics, o.trace
        emu.max_instructions, emu.co_resident = o.max_instructions, o.co_resident
        return self.api.tile_device_create_emulator(ctypes.byref(emu), self.on_diagnostic, None)

    def launch(self, name: str, image: Image, arguments: Any, stream: int | None) -> None:
        reached = reach.map_into(self.api, self.api.tile_device_emulator(self.handle), arguments)
        try:
            super().launch(name, image, arguments, stream)
        finally:
            if self.handle:  # what was found wrong ends it
                reach.unmap(self.api, self.api.tile_device_emulator(self.handle), reached)
        self._show_output()

    def _show_output(self) -> None:
        lines = [m.text for m in self.messages if m.severity == library.OUTPUT]
        self.output = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
        if self.output:
            print(self.output, end="", flush=True)

    def _fail(self, name: str) -> None:
        self._show_output()
        emu = self.api.tile_device_emulator(self.handle)
        count = self.api.tile_emu_num_findings(emu)
        findings = []
        for number in range(count):
            pointer = self.api.tile_emu_finding(emu, number)
            if not pointer:
                break
            findings.append(_finding(pointer.contents))
        message = self._last_error(f"{name} cannot be launched")
        if not findings:
            raise LaunchError(message)
        forget(self)
        raise make_error(findings, message)

    def statistics(self) -> str:
        return text(self.api.tile_emu_statistics_text(self.api.tile_device_emulator(self.handle)))

    def num_instructions(self) -> int:
        """Instructions of warps since the beginning."""
        emu = self.api.tile_device_emulator(self.handle)
        return int(self.api.tile_emu_stats(emu).num_warp_instructions)

    def trace(self) -> str:
        return text(self.api.tile_emu_trace_json(self.api.tile_device_emulator(self.handle)))


def _finding(found: Any) -> Finding:
    def place(file: bytes | None, line: int) -> Location | None:
        return Location(text(file), line, 1) if file and line else None

    return Finding(text(found.kind), text(found.message), text(found.text),
                   place(found.source_file, found.source_line),
                   place(found.earlier.source_file, found.earlier.source_line),
                   text(found.cause))


@functools.cache
def _driver() -> Any:
    """The driver, where it says what is asked of it below."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        for name in ("cuCtxGetCurrent", "cuCtxGetDevice", "cuDevicePrimaryCtxRetain"):
            getattr(driver, name)
    except (OSError, AttributeError):
        return None
    return driver


def _context(number: int) -> ctypes.c_void_p | None:
    """The context of a GPU: the current one if it is of this GPU, else its primary one,
    which torch and others use, in threads that have none yet, too; it is kept for good.
    None, which stands for the current one, where the driver does not say."""
    driver = _driver()
    context, device = ctypes.c_void_p(), ctypes.c_int(-1)
    if driver is None or driver.cuCtxGetCurrent(ctypes.byref(context)):
        return None
    if context and not driver.cuCtxGetDevice(ctypes.byref(device)) and device.value == number:
        return context
    if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), number):
        return None
    return context


class Cuda(Device):
    """A GPU by its number."""

    def __init__(self, number: int):
        self.number = number
        super().__init__()

    def _create(self) -> Any:
        return self.api.tile_device_create_cuda(_context(self.number), self.on_diagnostic, None)

    def image_of(self, image: Image) -> bytes:
        return image.cubin or image.ptx

    @property
    def chip(self) -> str:
        return text(self.api.tile_device_chip(self.handle))


_local = threading.local()


def _table() -> dict[Any, Device]:
    if getattr(_local, "process", None) != os.getpid():
        _local.process, _local.table = os.getpid(), {}
    return _local.table


def emulator_device() -> Emulator:
    """The emulator of this thread with the settings of now."""
    options, table = settings.get(), _table()
    if options not in table:
        table[options] = Emulator(options)
    return table[options]  # type: ignore[return-value]


def cuda_device(number: int) -> Cuda:
    """GPU `number`, in a context of this thread, or its primary one."""
    table = _table()
    if number not in table:
        table[number] = Cuda(number)
    return table[number]  # type: ignore[return-value]


def forget(device: Device) -> None:
    """Ends a device; the next call makes another one."""
    table = _table()
    for key, value in list(table.items()):
        if value is device:
            del table[key]
    device.close()
