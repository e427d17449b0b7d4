"""Waves as SVG: a lane for each net over one axis of time.

What changes faster than a pixel is a block. Colors follow the reader's: on paper,
and on a dark screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.circuits.shown import (
    MOST_CHANGES,
    columns,
    joined_nets,
    since,
)
from pytest_embedbench.circuits.svg import FONT, safe, shortened, text_at
from pytest_embedbench.wiring.net_log import FIGHT
from pytest_embedbench.wiring.net_waves import FLOATING, HIGH, LOW
from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.circuits.shown import Column
    from pytest_embedbench.wiring.net_waves import NetWaves

MOST_LANES = 60
_WIDTH_PX, _LEFT_PX, _RIGHT_PX = 880, 150, 860
_HEAD_PX, _FOOT_PX, _LANE_PX, _SWING_PX = 44, 46, 26, 14
_MOST_TICKS, _LONGEST_NAME = 8, 22
_STYLE = """\
.paper{fill:#ffffff} .ink{fill:#1f2933} .soft{fill:#5f6b76}
.grid{stroke:#eaedf0} .rule{stroke:#c3cad1}
.wave{stroke:#0072b2;fill:none;stroke-width:1.4} .many{fill:#0072b2}
.free{stroke:#8a949e;stroke-dasharray:3 3;fill:none} .fight{fill:#d55e00}
@media (prefers-color-scheme: dark){
.paper{fill:#14181d} .ink{fill:#e6eaee} .soft{fill:#9aa6b1}
.grid{stroke:#262c33} .rule{stroke:#3d4650}
.wave{stroke:#56b4e9} .many{fill:#56b4e9}
.free{stroke:#6b7783} .fight{fill:#ff8c42}
}"""
_UNITS = ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s"))


def draw_waves(waves: NetWaves, title: str = "waves") -> str:
    """Return the picture; equal records give equal bytes.

    Nets that never moved are left out, and so is what is too much to be drawn.
    """
    record = waves.record
    begins_ticks, why = since(waves, MOST_CHANGES)
    nets = _moved(waves, begins_ticks)
    left_out = len(nets) - MOST_LANES
    nets = nets[:MOST_LANES]
    bottom_px = _HEAD_PX + _LANE_PX * len(nets) + 6
    height_px = bottom_px + _FOOT_PX
    remarks = [why] if why else []
    remarks += [f"{left_out} nets more moved"] if left_out > 0 else []
    bounds_ticks = _bounds(begins_ticks, max(record.ends_ticks, begins_ticks + 1))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size(height_px)}>',
        f"<style>{_STYLE}</style>",
        f"<title>{safe(title)}</title>",
        '<rect class="paper" width="100%" height="100%"/>',
        text_at(12, 26, title, 'class="ink" font-size="15" font-weight="bold"'),
        text_at(_RIGHT_PX, 26, "; ".join(remarks), 'class="soft" text-anchor="end"'),
        *_axis(waves, bounds_ticks, bottom_px),
    ]
    for row, net in enumerate(nets):
        base_px = _HEAD_PX + _LANE_PX * row + _LANE_PX - 6
        name = record.netlist.nets[net].name
        short = shortened(name, _LONGEST_NAME)
        lines.append(text_at(12, base_px - 3, short, 'class="ink"'))
        lines += _lane(columns(waves, net, bounds_ticks), base_px)
    return "\n".join([*lines, "</svg>\n"])


def _moved(waves: NetWaves, begins_ticks: int) -> list[int]:
    nets = waves.record.netlist.nets
    return [
        net
        for net in joined_nets(waves)
        if not nets[net].has(PinRole.GROUND, PinRole.SUPPLY)
        and next(waves.changes(net, begins_ticks), None) is not None
    ]


def _bounds(begins_ticks: int, ends_ticks: int) -> list[int]:
    """Return where the pixels of the axis begin and end."""
    width_px = _RIGHT_PX - _LEFT_PX
    lasts = ends_ticks - begins_ticks
    return [begins_ticks + lasts * px // width_px for px in range(width_px + 1)]


def _axis(
    waves: NetWaves, bounds_ticks: Sequence[int], bottom_px: int
) -> Iterator[str]:
    first_s, last_s = (
        ticks / waves.record.ticks_per_us / 1e6
        for ticks in (bounds_ticks[0], bounds_ticks[-1])
    )
    step_s = _step(last_s - first_s)
    units = (it for it in reversed(_UNITS) if it[0] <= step_s * 10)
    unit_s, unit = next(units, _UNITS[0])
    for index in range(int(first_s / step_s), int(last_s / step_s) + 2):
        at_s = index * step_s
        if not first_s - step_s / 1000 <= at_s <= last_s + step_s / 1000:
            continue
        share = (at_s - first_s) / (last_s - first_s)
        x_px = round(_LEFT_PX + share * (_RIGHT_PX - _LEFT_PX), 1)
        yield f'<path class="grid" d="M{x_px} {_HEAD_PX}V{bottom_px}"/>'
        how = 'class="soft" text-anchor="middle"'
        yield text_at(x_px, bottom_px + 16, f"{at_s / unit_s:.9g}", how)
    yield f'<path class="rule" d="M{_LEFT_PX} {bottom_px}H{_RIGHT_PX}"/>'
    middle_px, how = (_LEFT_PX + _RIGHT_PX) // 2, 'class="ink" text-anchor="middle"'
    yield text_at(middle_px, bottom_px + 36, f"time since power on ({unit})", how)


def _step(lasts_s: float) -> float:
    """Return how far round times on the axis are from each other."""
    power = 1e-9
    while True:
        for nice in (1, 2, 5):
            if lasts_s / (nice * power) <= _MOST_TICKS:
                return nice * power
        power *= 10


def _lane(each: Iterator[Column], base_px: int) -> Iterator[str]:
    """Yield a line where a net is low or high, dashes where it floats, and blocks."""
    paths: dict[str, list[str]] = {"free": [], "wave": []}
    blocks: list[tuple[int, int, str]] = []
    pen = ""
    for x_px, column in enumerate(each, start=_LEFT_PX):
        kind = _kind(column)
        if kind in paths:
            y_px = _height(column.after, base_px)
            step = f"V{y_px}" if pen == kind else f"M{x_px} {y_px}"
            paths[kind] += [step, f"H{x_px + 1}"]
        else:
            _add(blocks, x_px, kind)
        pen = kind
    for kind, path in paths.items():
        if path:
            yield f'<path class="{kind}" d="{"".join(_plain(path))}"/>'
    top_px = base_px - _SWING_PX
    for begins_px, width_px, kind in blocks:
        yield (
            f'<rect class="{kind}" x="{begins_px}" y="{top_px}" width="{width_px}" '
            f'height="{_SWING_PX}" opacity="0.6"/>'
        )


def _kind(column: Column) -> str:
    """Return how a pixel of a lane is drawn."""
    if column.edges > 1:
        return "many"
    if FIGHT in {column.before, column.after}:
        return "fight"
    return "free" if column.after == FLOATING else "wave"


def _height(level: int, base_px: int) -> int:
    swings = {LOW: 0, HIGH: _SWING_PX}
    return base_px - swings.get(level, _SWING_PX // 2)


def _add(blocks: list[tuple[int, int, str]], x_px: int, kind: str) -> None:
    if blocks and blocks[-1][2] == kind and sum(blocks[-1][:2]) == x_px:
        begins_px, width_px, _ = blocks.pop()
        blocks.append((begins_px, width_px + 1, kind))
    else:
        blocks.append((x_px, 1, kind))


def _plain(path: list[str]) -> Iterator[str]:
    """Leave out steps that lead to where the pen is, or that another one goes on."""
    at, ahead = "", ""
    for step in path:
        if step[0] == "H":
            ahead = step
        elif step != at:
            yield ahead + step
            ahead = ""
            at = step if step[0] == "V" else f"V{step.split()[1]}"
    yield ahead


def _size(height_px: int) -> str:
    return (
        f'width="{_WIDTH_PX}" height="{height_px}" viewBox="0 0 {_WIDTH_PX} '
        f'{height_px}" font-family="{FONT}" font-size="12"'
    )
