"""Names that files import from here."""

from tile.math import cdiv, next_power_of_2

__all__ = ["cdiv", "next_power_of_2"]
