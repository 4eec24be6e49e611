"""The roofline of a kernel: what it computes for each byte that it moves, beside
what a GPU can do."""

from __future__ import annotations

import dataclasses
import math

from tile.pictures.svg import COLOURS, INK, MUTED, Canvas, Picture

LEFT, TOP, WIDTH, HEIGHT = 80, 56, 560, 300


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a GPU can do at most, from NVIDIA's data sheets: dense products of f16 in
    TFLOP/s, memory in TB/s. Products of other types are multiples."""

    name: str
    tflops_f16: float
    memory_tbs: float


# By chip: A100 (80 GB, SXM), L40S, H200 (SXM), B200.
LIMITS = {"sm_80": Limits("A100", 312, 2.04), "sm_86": Limits("A40", 150, 0.70),
          "sm_89": Limits("L40S", 362, 0.86), "sm_90": Limits("H200", 989, 4.8),
          "sm_90a": Limits("H200", 989, 4.8), "sm_100a": Limits("B200", 2250, 8.0)}
# Of products by the type of their factors, beside those of f16.
FACTORS = {"f16": 1.0, "bf16": 1.0, "tf32": 0.5, "e4m3": 2.0, "e5m2": 2.0, "s8": 2.0, "u8": 2.0,
           "f64": 0.07}


@dataclasses.dataclass(frozen=True)
class Work:
    """What a call does: operations of products (a multiply-add is two) and bytes of
    global memory that it asks for, as the emulator counts them."""

    operations: float
    num_bytes: float
    factor_type: str = "f16"

    @property
    def intensity(self) -> float:
        return self.operations / max(self.num_bytes, 1)


def read_statistics(text: str) -> Work:
    """The work in the emulator's statistics."""
    products: dict[str, int] = {}
    num_bytes, section = 0, ""
    for line in text.splitlines():
        words = line.split()
        if line.startswith("  ") and not line.startswith("    "):
            section = line.strip()
        elif section.startswith("matrix products") and len(words) == 3:
            kind = words[0].split(".")[1] if "." in words[0] else words[0]
            products[kind] = products.get(kind, 0) + int(words[2])
        elif section == "bytes" and words[:1] == ["global"]:
            num_bytes += int(words[-1])
    main = max(products, key=lambda k: products[k], default="f16")
    return Work(2 * sum(products.values()), num_bytes, main)


def draw(work: Work, chip: str, milliseconds: float | None = None, name: str = "") -> Picture:
    """Both axes are logarithmic. Without a time there is a line where the kernel
    would be, and no point."""
    limits = LIMITS[chip]
    peak = limits.tflops_f16 * FACTORS.get(work.factor_type, 1.0)
    ridge = peak / limits.memory_tbs
    low, high = min(work.intensity, ridge) / 8, max(work.intensity, ridge) * 8
    low = max(low, 1e-3)
    bottom = min(limits.memory_tbs * low, peak / 1000)
    canvas = Canvas()

    def x(intensity: float) -> float:
        return LEFT + WIDTH * math.log(max(intensity, low) / low) / math.log(high / low)

    def y(tflops: float) -> float:
        return TOP + HEIGHT * (1 - math.log(max(tflops, bottom) / bottom)
                               / math.log(2 * peak / bottom))

    roof = min(peak, work.intensity * limits.memory_tbs)
    title = f"roofline of {name or 'a kernel'} on {limits.name}"
    facts = f"{work.operations:.4g} operations, {work.num_bytes:.4g} bytes: " \
            f"{work.intensity:.4g} operations per byte, at most {roof:.4g} TFLOP/s"
    canvas.text(8, 20, title, 13)
    canvas.text(8, 38, facts, 11, MUTED)
    canvas.rect(LEFT, TOP, WIDTH, HEIGHT, "#f8f9fa")
    canvas.line(x(low), y(low * limits.memory_tbs), x(ridge), y(peak), INK, 2)
    canvas.line(x(ridge), y(peak), x(high), y(peak), INK, 2)
    canvas.text(LEFT - 6, y(peak) + 4, f"{peak:.4g}", 10, MUTED, "end")
    canvas.text(LEFT - 6, TOP + HEIGHT, f"{bottom:.2g}", 10, MUTED, "end")
    canvas.text(x(ridge), TOP + HEIGHT + 16, f"{ridge:.0f}", 10, MUTED, "middle")
    canvas.text(LEFT + WIDTH / 2, TOP + HEIGHT + 32, "operations per byte", 11, MUTED, "middle")
    canvas.text(8, TOP - 6, "TFLOP/s", 11, MUTED)
    at = x(work.intensity)
    canvas.line(at, TOP, at, TOP + HEIGHT, COLOURS[0], dashes="4 3")
    if milliseconds:
        reached = work.operations / milliseconds / 1e9
        canvas.rect(at - 5, y(reached) - 5, 10, 10, COLOURS[5],
                    f"{reached:.4g} TFLOP/s, {reached / roof:.0%} of the roof",
                    tflops=f"{reached:.6g}")
        canvas.text(at + 10, y(reached) + 4, f"{reached:.4g} TFLOP/s, {reached / roof:.0%}", 11)
    return canvas.picture(title, facts)
