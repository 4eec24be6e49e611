"""Layouts of tiles. The compiler chooses them, so these are wishes of files that
were written for another compiler; no result depends on them."""

from __future__ import annotations

from typing import Any


class Layout:
    """A map from elements to places."""

    def __init__(self, shape: Any, forward: Any = None, **ignored: Any):
        self.shape, self.forward = tuple(shape), forward


class Fragment(Layout):
    """A map from elements to threads and registers."""

    def __init__(self, shape: Any, forward_fn: Any = None, forward_thread_fn: Any = None,
                 replicate: int = 1, **ignored: Any):
        super().__init__(shape, forward_fn or forward_thread_fn)
        self.replicate = replicate


def make_swizzled_layout(buffer: Any, *args: Any, **kwargs: Any) -> Layout:
    """A layout without bank conflicts, as the compiler gives every tile."""
    return Layout(getattr(buffer, "shape", ()))


make_wgmma_swizzled_layout = make_swizzled_layout
make_full_bank_swizzled_layout = make_swizzled_layout
make_half_bank_swizzled_layout = make_swizzled_layout
make_quarter_bank_swizzled_layout = make_swizzled_layout
make_linear_layout = make_swizzled_layout
