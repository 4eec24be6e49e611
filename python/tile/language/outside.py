"""What the language of other files has and this one has not: an error each, with
what to do instead."""

from __future__ import annotations

from typing import Any

from tile.frontend.errors import unsupported

_CURES = {
    "import_source": "CUDA C++ is not compiled; write it in the language",
    "call_extern": "CUDA C++ is not compiled; write it in the language",
    "access_ptr": "name a window, such as A[i, j]",
    "address_of": "name a window, such as A[i, j]",
    "call_intrin": "write it in the language",
    "tvm_thread_allreduce": "use T.reduce_sum of a fragment, or T.warp_reduce_sum",
    "cluster_arrive": "use T.cluster_sync",
    "cluster_wait": "use T.cluster_sync",
    "tcgen05_gemm": "tensor memory is not there yet",
    "alloc_tmem": "tensor memory is not there yet",
    "dp4a": "use T.gemm of int8",
    "loop_break": "write `break`",
    "thread_return": "write `return`",
}


def _refuse(name: str) -> Any:
    def function(*_: Any, **__: Any) -> Any:
        unsupported(f"T.{name} is not there", _CURES[name])

    function.__name__ = name
    return function


FUNCTIONS = {name: _refuse(name) for name in _CURES}
