"""Random numbers: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as
1, 2, 3", 2011), whose n-th number is a function of seed, sequence and n.

Number n of a sequence is word n % 4 of block n // 4, as in cuRAND. Each thread counts its
own numbers. In T.Parallel, whose elements are in no order, element e of a loop (counted in
the order of rows) takes number e after those before the loop: which thread runs it does
not matter.
"""

from __future__ import annotations

import math
from typing import Any

from tile.dtypes import BY_NAME
from tile.frontend import buffers, context, elements, scalars, uniform
from tile.frontend.buffers import LOCAL
from tile.frontend.errors import fail, unsupported
from tile.frontend.scalars import Value
from tile.language import math as functions

_U32, _U64, _F32 = BY_NAME["uint32"], BY_NAME["uint64"], BY_NAME["float32"]
_PHILOX = "curandStatePhilox4_32_10_t"
_ROUNDS = 10
_FACTORS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)  # of the key, from round to round


class _State:
    """Of each thread: seed, sequence and the number that comes next."""

    def __init__(self) -> None:
        self.words = buffers.allocate(LOCAL, [3], _U64, "random")
        self.varies = False  # from thread to thread

    def set(self, place: int, value: Any) -> None:
        elements.store(self.words, [place], value)

    def get(self, place: int) -> Value:
        return buffers.load(self.words, [place])


def rng_init(seed: Any, seq: Any = 0, off: Any = 0, generator: str = _PHILOX) -> None:
    """The numbers that follow are those of `seed` and of the sequence `seq`, from number
    `off` on."""
    kernel = context.block_level("T.rng_init")
    if generator != _PHILOX:
        unsupported(f"T.rng_init of {generator}", f"use {_PHILOX!r}")
    numbers = [_to_u64(number, name) for number, name in ((seed, "seed"), (seq, "sequence"),
                                                          (off, "offset"))]
    if kernel.random is None:
        kernel.random = _State()
    state = kernel.random
    state.varies |= uniform.varies(numbers)
    for place, number in enumerate(numbers):
        state.set(place, number)


def _to_u64(value: Any, name: str) -> Value:
    value = scalars.plain(value)
    if isinstance(value, int):
        return scalars.number(value % 2**64, _U64)
    if isinstance(value, float) or (isinstance(value, Value) and value.dtype.is_float):
        fail(f"the {name} of T.rng_init is a float", "give an integer")
    return scalars.cast(scalars.to_value(value), _U64)


# -- Which number -------------------------------------------------------------

def _next(what: str) -> tuple[_State, Value]:
    """Takes a number."""
    kernel = context.kernel(what)
    state = kernel.random
    if state is None:
        fail(f"{what} before T.rng_init", "write T.rng_init(seed, sequence, offset) first")
    loop = context.current().elements
    if loop is not None:
        return state, _of_element(state, loop, what)
    number = state.get(2)
    state.set(2, scalars.binary("+", number, 1))
    return state, number


def _of_element(state: _State, loop: context.ElementLoop, what: str) -> Value:
    function = context.current()
    kernel = context.kernel(what)
    if any(block.is_loop for block in function.blocks[loop.depth:]):
        unsupported(f"{what} in a loop in T.Parallel", "make the loop an index of T.Parallel")
    if state.varies and math.prod(kernel.threads) > 1:
        fail(f"{what} in T.Parallel after a T.rng_init that depends on the thread",
             "leave the thread out of it: element e of the loop takes number e from the offset on")
    if loop.draws is None:
        loop.draws = 0
        loop.after.append(lambda: state.set(2, scalars.binary(
            "+", state.get(2), (loop.draws or 0) * math.prod(loop.extents))))
    place: Any = loop.draws
    for index, extent in zip(loop.indices, loop.extents, strict=True):
        place = scalars.binary("+", scalars.binary("*", place, extent), index)
    loop.draws += 1
    return scalars.binary("+", state.get(2), scalars.cast(scalars.to_value(place), _U64))


# -- Philox -------------------------------------------------------------------

def _halves(value: Value) -> list[Value]:
    return [scalars.cast(value, _U32), scalars.cast(scalars.binary(">>", value, 32), _U32)]


def _product(x: Value, factor: int) -> list[Value]:
    """Low and high word."""
    return _halves(scalars.binary("*", scalars.cast(x, _U64), factor))


def _block(state: _State, number: Value) -> list[Value]:
    """The four numbers of the block of `number`."""
    counter = _halves(scalars.binary(">>", number, 2)) + _halves(state.get(1))
    key = _halves(state.get(0))
    for turn in range(_ROUNDS):
        if turn:
            key = [scalars.binary("+", k, step) for k, step in zip(key, _STEPS, strict=True)]
        low, high = zip(*(_product(counter[2 * i], _FACTORS[i]) for i in range(2)), strict=True)
        counter = [scalars.binary("^", scalars.binary("^", high[1], counter[1]), key[0]), low[1],
                   scalars.binary("^", scalars.binary("^", high[0], counter[3]), key[1]), low[0]]
    return counter


def _word(words: list[Value], number: Value) -> Value:
    place = scalars.binary("&", number, 3)
    result = words[3]
    for at in (2, 1, 0):
        is_here = scalars.compare("==", place, at)
        result = scalars.select(is_here, words[at], result)
    return result


def rng_rand() -> Value:
    """The next number: an uint32 of which each is as likely."""
    state, number = _next("T.rng_rand")
    return _word(_block(state, number), number)


def rng_rand_float(bit: int = 32, dist: str = "uniform") -> Any:
    """A float32 in (0, 1], or with `dist="normal"` of mean 0 and deviation 1."""
    if bit != 32:
        unsupported(f"T.rng_rand_float of {bit} bits", "use float32")
    if dist not in ("uniform", "normal"):
        fail(f"T.rng_rand_float of the distribution {dist!r}", "use 'uniform' or 'normal'")
    state, number = _next("T.rng_rand_float")
    words = _block(state, number)
    if dist == "uniform":
        return _unit(_word(words, number))
    return _normal(words, number)


def _unit(word: Value) -> Any:
    """In (0, 1]."""
    return scalars.binary("+", scalars.binary("*", scalars.cast(word, _F32), 2.0**-32), 2.0**-33)


def _normal(words: list[Value], number: Value) -> Any:
    """Two numbers make two (Box and Muller): the even one the sine, the odd one the
    cosine."""
    is_late = scalars.compare("!=", scalars.binary("&", number, 2), 0)
    radius, angle = (_unit(scalars.select(is_late, words[2 + i], words[i])) for i in range(2))
    length = functions.sqrt(scalars.binary("*", functions.log(radius), -2.0))
    turn = scalars.binary("*", angle, 2 * math.pi)
    is_odd = scalars.compare("!=", scalars.binary("&", number, 1), 0)
    wave = scalars.select(is_odd, functions.cos(turn), functions.sin(turn))
    return scalars.binary("*", length, wave)
