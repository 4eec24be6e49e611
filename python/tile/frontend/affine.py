"""Integer expressions as polynomials of SSA values.

What two expressions differ by is often a constant although neither is one:
`A[k * 64:(k + 1) * 64]` has 64 columns. And what bounds an index often shows
that it lies in a tensor, so that no guard is needed.
"""

from __future__ import annotations

import math

# A term is the sorted tuple of the names that are multiplied, () the constant.
Term = tuple[str, ...]
Poly = dict[Term, int]

MAX_TERMS = 12
INFINITY = math.inf


def constant(value: int) -> Poly:
    return {(): value} if value else {}


def symbol(name: str) -> Poly:
    return {(name,): 1}


def add(a: Poly, b: Poly, factor: int = 1) -> Poly | None:
    """a + factor * b; None when it would be long."""
    result = dict(a)
    for term, coefficient in b.items():
        total = result.get(term, 0) + factor * coefficient
        if total:
            result[term] = total
        else:
            result.pop(term, None)
    return result if len(result) <= MAX_TERMS else None


def multiply(a: Poly, b: Poly) -> Poly | None:
    if len(a) * len(b) > MAX_TERMS:
        return None
    result: Poly = {}
    for x, m in a.items():
        for y, n in b.items():
            term = tuple(sorted(x + y))
            total = result.get(term, 0) + m * n
            if total:
                result[term] = total
            else:
                result.pop(term, None)
    return result


def constant_of(a: Poly | None) -> int | None:
    """The value of a constant polynomial."""
    if a is None:
        return None
    if not a:
        return 0
    return a[()] if len(a) == 1 and () in a else None


class Ranges:
    """What is known of SSA values: bounds, and polynomials that are at most 0."""

    def __init__(self) -> None:
        self.bounds: dict[str, tuple[float, float]] = {}
        self.facts: list[Poly] = []

    def set(self, name: str, low: float, high: float) -> None:
        self.bounds[name] = (low, high)

    def of_term(self, term: Term) -> tuple[float, float]:
        low, high = 1.0, 1.0
        for name in term:
            a, b = self.bounds.get(name, (-INFINITY, INFINITY))
            corners = [_times(x, y) for x in (low, high) for y in (a, b)]
            low, high = min(corners), max(corners)
        return low, high

    def of(self, poly: Poly | None) -> tuple[float, float]:
        """Bounds of a polynomial."""
        if poly is None:
            return -INFINITY, INFINITY
        low = high = 0.0
        for term, coefficient in poly.items():
            a, b = self.of_term(term)
            a, b = _times(a, coefficient), _times(b, coefficient)
            low, high = low + min(a, b), high + max(a, b)
        return low, high

    def at_most_zero(self, poly: Poly | None) -> bool:
        """Whether the polynomial is known to be at most 0: by bounds, or with
        one of the facts."""
        if poly is None:
            return False
        if self.of(poly)[1] <= 0:
            return True
        for fact in self.facts:
            rest = add(poly, fact, -1)
            if rest is not None and self.of(rest)[1] <= 0:
                return True
        return False


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b
