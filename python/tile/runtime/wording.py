"""Messages of the compiler in words of the language: users of Python know T.copy,
not the op that it became."""

from __future__ import annotations

import re

# Ops that have no function of the same name.
_OPS = {
    "scf.for": "the loop", "scf.while": "the loop", "scf.if": "the `if`",
    "gpu.launch": "T.Kernel", "func.func": "the function", "tile.parallel": "T.Parallel",
    "tile.alloc": "the tile", "tile.region": "the window", "tile.reduce": "the reduction",
    "tile.scan": "the scan", "tile.atomic": "the atomic update", "tile.arrange": "T.copy",
    "tile.im2col": "T.c2d_im2col", "tile.barrier_alloc": "the barrier",
    "tile.barrier_init": "the barrier", "tile.barrier_wait": "the wait",
    "tile.barrier_arrive": "the arrival", "tile.barrier_expect": "the arrival",
    "tile.barrier_sync": "T.sync_threads", "tile.specialize": "T.ws", "tile.role": "T.ws",
    "memref.load": "the load", "memref.store": "the store", "memref.atomic_rmw":
    "the atomic update", "memref.reinterpret_cast": "T.view", "tile.num_stages": "num_stages",
    "tile.kernel_config": "T.Kernel",
}
_FUNCTIONS = ("copy", "fill", "gemm", "gemm_sp", "transpose", "view", "any_of", "all_of", "print")
_NAME = re.compile(r"'?\b((?:scf|gpu|func|memref|tile)\.[a-z_0-9]+)\b'?( op\b)?")

# Cures for what the compiler says, by words that the message has.
_CURES = {
    "bytes of shared memory; a block": "use smaller tiles, or fewer stages",
    "is executed depending on a value that differs": "test what the whole block has in common, "
    "or an element's own index in T.Parallel",
    "takes a value that differs between the threads": "use a place that the whole block has in "
    "common, or elements in T.Parallel",
    "registers per thread;": "use smaller fragments, or more threads",
}


def cure_of(text: str) -> str | None:
    """What helps against an error of the compiler, where that is the same for all."""
    return next((cure for words, cure in _CURES.items() if words in text), None)


def in_words(text: str) -> str:
    """The same message about statements in place of ops. Names of passes and remarks,
    which have a hyphen, stay."""
    def name(match: re.Match[str]) -> str:
        op = match[1]
        if op in _OPS:
            return _OPS[op]
        short = op.partition(".")[2]
        return f"T.{short}" if op.startswith("tile.") and short in _FUNCTIONS else match[0]

    return _NAME.sub(name, text)
