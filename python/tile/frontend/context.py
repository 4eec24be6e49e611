"""The function that is being built: blocks, names, constants, the current line.

A thread builds one function at a time; functions of the language, which are
called from kernels, find it here.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import threading
from collections.abc import Iterator
from typing import Any

from tile.dtypes import INDEX, DType
from tile.frontend import affine
from tile.frontend.errors import Location, fail
from tile.frontend.ir import Block, Op


@dataclasses.dataclass
class Kernel:
    """A launch whose body is being built."""

    grid: list[Any]
    threads: list[int]
    blocks: list[Any] = dataclasses.field(default_factory=list)  # their ids
    constants: Block = dataclasses.field(default_factory=Block)
    entry: Block = dataclasses.field(default_factory=Block)  # configuration, tiles
    pool: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    thread_ids: dict[int, Any] = dataclasses.field(default_factory=dict)
    swizzle: str | None = None  # attributes of tile.block_swizzle
    config: dict[str, str] = dataclasses.field(default_factory=dict)
    safe_values: dict[int, Any] = dataclasses.field(default_factory=dict)  # by id of tensor
    depth: int = 0  # of control flow around statements of the whole block
    roles: list[Any] = dataclasses.field(default_factory=list)  # first warp, op
    roles_op: Op | None = None
    role_registers: int | None = None
    cluster: list[int] | None = None  # blocks of one in x, y and z
    random: Any = None  # state of the numbers of T.rng_init


@dataclasses.dataclass(frozen=True)
class Shift:
    """An index of a loop over elements that counts places of a fragment: those of the
    user's loop are `ahead`, a polynomial as pairs, less."""

    number: int
    ahead: tuple[tuple[affine.Term, int], ...]
    extent: int


@dataclasses.dataclass
class ElementLoop:
    """A tile.parallel whose body is being built."""

    indices: list[Any]
    extents: list[int]
    before: list[Op] = dataclasses.field(default_factory=list)  # what stands before it
    after: list[Any] = dataclasses.field(default_factory=list)  # called after it
    uses: dict[int, Any] = dataclasses.field(default_factory=dict)  # of fragments, by id
    stand_ins: dict[int, Any] = dataclasses.field(default_factory=dict)  # shared tiles for them
    depth: int = 0  # number of blocks that are open in its body
    shifts: dict[int, Shift] = dataclasses.field(default_factory=dict)  # by number of the index
    known: frozenset[str] = frozenset()  # names of variables that were there before it
    draws: int | None = None  # random numbers of an element; None: no place is counted


class Function:
    """A host function that is being built."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self.options = options or {}
        self.constants, self.body = Block(), Block()
        self.pool: dict[tuple[str, str], str] = {}
        self.blocks = [self.body]
        self.names: dict[str, int] = {}
        self.ranges = affine.Ranges()
        self.kernel: Kernel | None = None
        self.elements: ElementLoop | None = None
        self.location: Location | None = None
        self.depth = 0  # of control flow in the kernel
        self.prologue = Block()  # sizes of tensors
        self.arguments: list[Any] = []  # in the order of the host function
        self.symbols: dict[str, Any] = {}  # sizes of run time by name
        self.user_names: set[str] = set()  # SSA names that are those of variables
        self.conditions: dict[str, list[affine.Poly]] = {}
        self.interpreter: Any = None  # of an eager function
        self.guards: list[Any] = []  # values that the control flow around depends on
        self.varying: set[str] = set()  # arguments of loops that differ between threads

    def name(self, base: str) -> str:
        """An SSA name that no other value has; `base` where it is free."""
        base = re.sub(r"\W", "_", base) or "v"
        if base[0].isdigit():
            base = "v" + base
        count = self.names.get(base, 0)
        self.names[base] = count + 1
        if count == 0:
            return "%" + base
        return self.name(f"{base}_{count}")

    def append(self, op: Op) -> Op:
        return self.blocks[-1].append(op)

    def rename(self, block: Block, name: str, base: str) -> str:
        """Gives the result of the last op of `block` the name of a variable, where
        it is `name` and no variable has it yet. Returns its name."""
        last = block.ops[-1] if block.ops else None
        if last is None or name in self.user_names or not last.text.startswith(name + " = "):
            return name
        result = self.name(base)
        text = last.text[len(name):]
        last.text = result + text
        if last.is_pure and not last.regions:
            block.known[text[len(" = "):]] = result
        self.user_names.add(result)
        if name in self.ranges.bounds:
            self.ranges.bounds[result] = self.ranges.bounds.pop(name)
        if name in self.conditions:
            self.conditions[result] = self.conditions.pop(name)
        self._forget(name)
        return result

    def _forget(self, name: str) -> None:
        """A name that is free again, where it was given last."""
        base, _, number = name[1:].rpartition("_")
        if base and number.isdigit() and self.names.get(base) == int(number) + 1:
            self.names[base] -= 1
            self.names.pop(name[1:], None)
        elif self.names.get(name[1:]) == 1:
            del self.names[name[1:]]

    def snapshot(self) -> Any:
        """What an attempt may change beside the block that it fills."""
        kernel = self.kernel
        pools = [self.pool] + ([kernel.pool] if kernel else [])
        blocks = [self.constants, self.prologue] + (
            [kernel.constants, kernel.entry] if kernel else [])
        return (dict(self.names), [dict(p) for p in pools], [len(b.ops) for b in blocks],
                set(self.user_names), pools, blocks, dict(self.ranges.bounds),
                dict(self.conditions))

    def restore(self, snapshot: Any) -> None:
        names, contents, lengths, user_names, pools, blocks, bounds, conditions = snapshot
        self.names, self.user_names = dict(names), set(user_names)
        self.ranges.bounds, self.conditions = dict(bounds), dict(conditions)
        for pool, content in zip(pools, contents, strict=True):
            pool.clear()
            pool.update(content)
        for block, length in zip(blocks, lengths, strict=True):
            del block.ops[length:]


_state = threading.local()


def current() -> Function:
    """The function that is being built. Errors: a statement of the language
    outside of kernels."""
    function = maybe_current()
    if function is None:
        fail("this is for kernels: functions with @tile.jit, @T.prim_func or @T.macro",
             "call it in one of these")
    return function


def maybe_current() -> Function | None:
    stack = getattr(_state, "stack", None)
    return stack[-1] if stack else None


@contextlib.contextmanager
def building(function: Function) -> Iterator[Function]:
    if not hasattr(_state, "stack"):
        _state.stack = []
    _state.stack.append(function)
    try:
        yield function
    finally:
        _state.stack.pop()


def location() -> Location | None:
    function = maybe_current()
    return function.location if function else None


@contextlib.contextmanager
def at(place: Location) -> Iterator[None]:
    """Ops and errors inside are of this place."""
    function = current()
    before, function.location = function.location, place
    try:
        yield
    finally:
        function.location = before


@contextlib.contextmanager
def into(block: Block, *guards: Any) -> Iterator[Block]:
    """Ops inside go to `block`; facts about values end with it. Whether and how often it
    is carried out depends on `guards`."""
    function = current()
    function.blocks.append(block)
    num_guards = len(function.guards)
    function.guards.extend(guards)
    num_facts = len(function.ranges.facts)
    function.depth += 1
    try:
        yield block
    finally:
        function.depth -= 1
        del function.ranges.facts[num_facts:]
        del function.guards[num_guards:]
        function.blocks.pop()


@contextlib.contextmanager
def on_host() -> Iterator[None]:
    """Ops inside are of the host, before the kernel that is being built."""
    function = current()
    blocks, function.blocks = function.blocks, [function.body]
    try:
        yield
    finally:
        function.blocks = blocks


def kernel(what: str) -> Kernel:
    """The kernel that is being built. Errors: `what` stands outside of it."""
    function = current()
    if function.kernel is None:
        fail(f"{what} stands outside of a kernel", "put it under `with T.Kernel(...)`")
    return function.kernel


def block_level(what: str) -> Kernel:
    """The same for statements that the whole block does."""
    result = kernel(what)
    if current().elements is not None:
        fail(f"{what} is done by the whole block and cannot stand in T.Parallel",
             "move it out of the loop over elements")
    return result


def emit(text: str, *, pure: bool = False) -> Op:
    """Adds an op without results to the current block."""
    function = current()
    return function.append(Op(text, function.location, is_pure=pure))


def emit_value(text: str, base: str = "v", *, pure: bool = True) -> str:
    """Adds an op with one result, or takes that of the same op before; returns
    its name."""
    function = current()
    if pure:
        for block in function.blocks:
            if text in block.known:
                return block.known[text]
    name = function.name(base)
    function.append(Op(f"{name} = {text}", function.location, is_pure=pure))
    if pure:
        function.blocks[-1].known[text] = name
    return name


def emit_entry(text: str, base: str) -> str:
    """The same at the beginning of the kernel."""
    function = current()
    assert function.kernel is not None
    name = function.name(base)
    function.kernel.entry.append(Op(f"{name} = {text}", function.location))
    return name


def constant(text: str, dtype: DType, base: str) -> str:
    """The name of a constant, which stands once at the beginning: indices at that
    of the function, others at that of the kernel."""
    function = current()
    kernel_now = None if dtype is INDEX else function.kernel
    pool = kernel_now.pool if kernel_now else function.pool
    block = kernel_now.constants if kernel_now else function.constants
    assert dtype.mlir is not None
    key = (text, dtype.mlir)
    if key not in pool:
        pool[key] = function.name(base)
        typed = text if dtype.is_bool else f"{text} : {dtype.mlir}"
        block.append(Op(f"{pool[key]} = arith.constant {typed}", function.location, is_pure=True))
    return pool[key]


def index_constant(value: int) -> str:
    return constant(str(value), INDEX, f"c{value}" if value >= 0 else f"cm{-value}")
