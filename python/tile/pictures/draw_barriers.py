"""The graph of barriers: who fills what for whom."""

from __future__ import annotations

from tile.pictures.anatomy import BLOCK, Anatomy, Barrier
from tile.pictures.svg import INK, MUTED, Canvas, Picture, colour

BOX_W, BOX_H, GAP_Y, LEFT, RIGHT, TOP = 150, 46, 22, 16, 470, 60
MIDDLE, MIDDLE_W = 220, 196


def draw(anatomy: Anatomy) -> Picture:
    """Roles on both sides, mbarriers between them: an arrow goes from who arrives
    to the barrier, and from there to who waits."""
    canvas = Canvas()
    roles = anatomy.roles or {BLOCK: anatomy.num_threads // 32}
    title = f"barriers: {len(anatomy.barriers)} groups of mbarriers, " \
            f"{len(roles)} role{'s' * (len(roles) > 1)}"
    canvas.text(8, 20, title, 13)
    canvas.text(8, 38, "from who arrives to who waits", 11, MUTED)
    places: dict[str, tuple[float, float]] = {}
    for number, (role, warps) in enumerate(roles.items()):
        x = LEFT if number % 2 else RIGHT
        y = TOP + number // 2 * (BOX_H + GAP_Y)
        places[role] = x, y
        _role(canvas, anatomy, role, warps, x, y, number)
    places.setdefault(BLOCK, next(iter(places.values())))
    for number, barrier in enumerate(anatomy.barriers):
        _barrier(canvas, barrier, places, TOP + number * (BOX_H + GAP_Y))
    return canvas.picture(title, "; ".join(_sentence(b) for b in anatomy.barriers))


def _sentence(barrier: Barrier) -> str:
    """A barrier in words."""
    return (f"{barrier.name}: {', '.join(barrier.arrivers) or 'nobody'} arrives, "
            f"{', '.join(barrier.waiters) or 'nobody'} waits")


def _role(canvas: Canvas, anatomy: Anatomy, role: str, warps: int, x: float, y: float,
          number: int) -> None:
    count = sum(op.name == "tile.barrier_sync" and op.role == role for op in anatomy.ops)
    canvas.rect(x, y, BOX_W, BOX_H, colour(number), f"{role}: {warps} warps", role=role,
                warps=warps, thread_barriers=count)
    canvas.text(x + BOX_W / 2, y + 19, f"{role}, {warps} warp{'s' * (warps > 1)}", 12, "#ffffff",
                "middle")
    canvas.text(x + BOX_W / 2, y + 36, f"{count} thread barriers", 10, "#ffffff", "middle")


def _barrier(canvas: Canvas, barrier: Barrier, places: dict[str, tuple[float, float]],
             y: float) -> None:
    canvas.rect(MIDDLE, y, MIDDLE_W, BOX_H, "#ffffff", _sentence(barrier), INK,
                barrier=barrier.name, slots=barrier.slots, arrivals=barrier.arrivals)
    canvas.text(MIDDLE + MIDDLE_W / 2, y + 19, barrier.name, 11, anchor="middle")
    facts = f"{barrier.slots} slot{'s' * (barrier.slots > 1)}, {barrier.arrivals} arrival" \
            f"{'s' * (barrier.arrivals > 1)}"
    if barrier.bytes:
        facts += f", {barrier.bytes:,} bytes"
    canvas.text(MIDDLE + MIDDLE_W / 2, y + 36, facts, 10, MUTED, "middle")
    for role in barrier.arrivers:
        _arrow(canvas, places[role], y, True)
    for role in barrier.waiters:
        _arrow(canvas, places[role], y, False)


def _arrow(canvas: Canvas, place: tuple[float, float], y: float, is_arrival: bool) -> None:
    x, role_y = place
    is_left = x < MIDDLE
    role_x = x + BOX_W if is_left else x
    barrier_x = MIDDLE if is_left else MIDDLE + MIDDLE_W
    shift = BOX_H / 3 if is_arrival else 2 * BOX_H / 3
    ends = (role_x, role_y + shift), (barrier_x, y + shift)
    (x1, y1), (x2, y2) = ends if is_arrival else ends[::-1]
    canvas.arrow(x1, y1, x2, y2)
