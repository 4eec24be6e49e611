"""What measure.py measures, as a type, and the tensors of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass
class Case:
    """A call of ours beside one of torch. `flops` or `bytes` is what a call has to do;
    `wanted` gives the right result where `rival` computes something else that takes as
    long, or does not exist."""

    shape: str
    call: Callable[[], Any]
    rival: Callable[[], Any] | None
    against: str = ""
    wanted: Callable[[], Any] | None = None
    flops: float = 0.0
    bytes: float = 0.0
    tolerance: float = 0.02


class Maker:
    """Makes tensors on a device; `pick` gives small sizes where they are asked for."""

    def __init__(self, device: str, is_small: bool):
        import torch

        self.torch, self.device, self.is_small = torch, device, is_small
        torch.manual_seed(0)

    def pick(self, real: Any, small: Any) -> Any:
        return small if self.is_small else real

    def normal(self, *shape: int, dtype: str = "float16", scale: float = 1.0) -> Any:
        values = self.torch.randn(shape, device=self.device) * scale
        return values.to(getattr(self.torch, dtype))

    def uniform(self, *shape: int) -> Any:
        return self.torch.rand(shape, device=self.device)

    def ints(self, low: int, high: int, *shape: int, dtype: str = "int32") -> Any:
        values = self.torch.randint(low, high, shape, device=self.device)
        return values.to(getattr(self.torch, dtype))

    def zeros(self, *shape: int, dtype: str = "float32") -> Any:
        return self.torch.zeros(shape, device=self.device, dtype=getattr(self.torch, dtype))

    def of(self, array: Any) -> Any:
        """An array of numpy on the device."""
        return self.torch.from_numpy(array).to(self.device)

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function by torch.compile: rows are read once, as ours are."""
        return function if self.is_small else self.torch.compile(function, dynamic=False)
