"""Tile IR to PTX, cubin and metadata, by the C API and a cache on disk."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import json
import math
import os
import shutil
import threading
from typing import Any

from tile.frontend.errors import CompileError, Location
from tile.runtime import cache, library
from tile.runtime.library import text
from tile.runtime.wording import cure_of, in_words


@dataclasses.dataclass
class Message:
    """What the compiler says beside its result: remarks, warnings."""

    severity: int
    code: str
    location: Location | None
    text: str

    def __str__(self) -> str:
        word = ("note", "remark", "warning", "error", "output")[self.severity]
        where = f"{self.location}: " if self.location else ""
        code = f"[{self.code}] " if self.code else ""
        return f"{where}{word}: {code}{self.text}"


@dataclasses.dataclass
class Image:
    """One function, compiled."""

    metadata: bytes
    ptx: bytes
    cubin: bytes | None
    chip: str
    messages: list[Message]

    @functools.cached_property
    def written(self) -> frozenset[str]:
        """Names of the tensors that a kernel writes."""
        arguments = json.loads(self.metadata)["args"]
        return frozenset(a["name"] for a in arguments if a.get("mutable"))


    @functools.cached_property
    def counts_on_rows(self) -> bool:
        """Whether a variant needs rows, not only where they begin, to be multiples."""
        variants = (v for launch in json.loads(self.metadata)["launches"]
                    for v in launch["variants"])
        return any(r["text"].startswith("extent") and r["text"].endswith("bytes")
                   for v in variants for r in v["requires"])


def _message(diagnostic: Any) -> Message:
    line = diagnostic.line
    place = Location(text(diagnostic.file), line, diagnostic.column) if line else None
    return Message(diagnostic.severity, text(diagnostic.code), place, text(diagnostic.text))


def _raise(diagnostic: Any) -> None:
    message = _message(diagnostic)
    notes = []
    for number in range(diagnostic.num_notes):
        note = _message(diagnostic.notes[number].contents)
        text_of_note = in_words(note.text)
        notes.append(f"{note.location}: {text_of_note}" if note.location else text_of_note)
    raise CompileError(in_words(message.text), message.location, cure_of(message.text),
                       tuple(notes))


class Compiler:
    """A compiler of the C API, for one chip. Not for several threads at a time."""

    def __init__(self, chip: str):
        self.api = library.compiler()
        self.lock = threading.Lock()
        self.errors: list[CompileError] = []
        self.messages: list[Message] = []
        self.handle = self.api.tile_compiler_create(None)
        self.on_diagnostic = library.DiagnosticFn(self._receive)
        self.api.tile_compiler_set_diagnostics(self.handle, self.on_diagnostic, None)
        if not self.api.tile_compiler_set_chip(self.handle, chip.encode()):
            raise self.errors[0]
        self.chip = chip

    def _receive(self, pointer: Any, _: Any) -> None:
        diagnostic = pointer.contents
        if diagnostic.severity != library.ERROR:
            self.messages.append(_message(diagnostic))
            return
        try:
            _raise(diagnostic)
        except CompileError as error:
            self.errors.append(error)

    def compile(self, name: str, source: str, ptxas: str | None, first_variant: bool) -> Image:
        with self.lock:
            self.errors, self.messages = [], []
            products = library.METADATA | library.PTX | (library.CUBIN if ptxas else 0)
            self.api.tile_compiler_set_products(self.handle, products)
            self.api.tile_compiler_set_ptxas(self.handle, ptxas.encode() if ptxas else None, 0)
            count = 1 if first_variant else 0
            self.api.tile_compiler_set_variants(self.handle, (ctypes.c_uint * 1)(1), count)
            data = source.encode()
            program = self.api.tile_compile(self.handle, name.encode(), data, len(data))
            if not program:
                raise self._error(name)
            try:
                return self._image(program)
            finally:
                self.api.tile_program_destroy(program)

    def stages(self, name: str, source: str) -> list[tuple[str, str]]:
        """The program after each pass, as pairs of the pass and its text with
        locations; of the variant that counts on aligned tensors."""
        found: list[tuple[str, str]] = []

        def receive(file_name: bytes, data: Any, size: int, _: Any) -> None:
            found.append((text(file_name).partition("-")[2], text(ctypes.string_at(data, size))))

        on_stage = library.StageFn(receive)
        with self.lock:
            self.api.tile_compiler_set_stages(self.handle, on_stage, None)
            self.api.tile_compiler_set_stage_locations(self.handle, True)
        try:
            self.compile(name, source, None, True)
        finally:
            with self.lock:
                self.api.tile_compiler_set_stages(self.handle, library.StageFn(), None)
        return found

    def places(self, layout: str, shape: tuple[int, ...],
               elem_bits: int) -> tuple[library.LayoutFacts, list[int]]:
        """Where each element of a tile lies, in the order of rows: its byte in shared
        memory, or register + 2^16 lane + 2^24 warp."""
        count = math.prod(shape)
        facts, places = library.LayoutFacts(), (ctypes.c_int64 * count)()
        with self.lock:
            self.errors = []
            if not self.api.tile_compiler_find_places(
                    self.handle, layout.encode(), (ctypes.c_int64 * len(shape))(*shape),
                    len(shape), elem_bits, places, count, ctypes.byref(facts)):
                raise self._error(f"the layout {layout}")
        return facts, list(places)

    def _error(self, name: str) -> CompileError:
        if not self.errors:
            return CompileError(f"{name} cannot be compiled")
        first = self.errors[0]
        more = tuple(f"{e.location}: {e.message}" for e in self.errors[1:4])
        return CompileError(first.message, first.location, first.cure, first.notes + more)

    def _image(self, program: Any) -> Image:
        def product(kind: int) -> bytes | None:
            return self.api.tile_program_product(program, 0, kind).value()

        return Image(product(library.METADATA) or b"", product(library.PTX) or b"",
                     product(library.CUBIN), self.chip, list(self.messages))


_local = threading.local()


def compiler_for(chip: str) -> Compiler:
    """One for each thread, process and chip."""
    table = getattr(_local, "table", None)
    if table is None or _local.process != os.getpid():
        _local.table = table = {}
        _local.process = os.getpid()
    if chip not in table:
        table[chip] = Compiler(chip)
    return table[chip]


def _find_tool(name: str, variable: str) -> str | None:
    given = os.environ.get(variable)
    if given is not None:
        return given or None
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    return shutil.which(name) or shutil.which(name, path=os.path.join(home, "bin"))


@functools.cache
def find_ptxas() -> str | None:
    """NVIDIA's assembler: TILE_PTXAS, PATH, or where CUDA is installed."""
    return _find_tool("ptxas", "TILE_PTXAS")


def find_disassembler() -> str | None:
    """NVIDIA's disassembler: TILE_NVDISASM, PATH, or where CUDA is installed."""
    return _find_tool("nvdisasm", "TILE_NVDISASM")


def chips() -> list[str]:
    """What can be compiled for."""
    api = library.compiler()
    result: list[str] = []
    while name := api.tile_chip_at(len(result)):
        result.append(text(name))
    return result


def compile_text(name: str, source: str, chip: str, assemble: bool = False,
                 first_variant: bool = False) -> Image:
    """Compiles a module of one function. `assemble` asks for a cubin, too, where
    there is an assembler; `first_variant` for the variant that counts on aligned
    tensors, alone. Errors: CompileError at the user's line."""
    ptxas = find_ptxas() if assemble else None
    key = cache.key(source, chip, ptxas, first_variant)
    found = cache.load(key)
    if found is not None:
        return found
    image = compiler_for(chip).compile(name, source, ptxas, first_variant)
    cache.store(key, name, image)
    return image
