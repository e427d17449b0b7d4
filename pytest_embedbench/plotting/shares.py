"""Shares over a quantity: groups with their intervals, and each outcome as a tick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.plotting.axes import Scale, around
from pytest_embedbench.plotting.marks import (
    BLUE,
    GRID,
    INK,
    RULE,
    SOFT,
    framed,
    label,
    line,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH_PX, _HEIGHT_PX = 560, 380
_LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 60, 540, 70, 310
_TICK_PX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroup:
    """What was so from ``low`` to ``high``: a share, and where it may be."""

    low: float
    high: float
    share: float
    interval: tuple[float, float] | None
    text: str


def draw_shares(
    title: str,
    along: str,
    groups: Sequence[ShareGroup],
    outcomes: Sequence[tuple[float, bool]],
) -> str:
    """Return the picture as SVG text.

    Groups are lines from their lowest value to their highest at the height of their
    share; of ``outcomes`` those that are true are ticks at the top, others at the foot.
    """
    x = Scale(*around(value for value, _ in outcomes), _LEFT_PX, _RIGHT_PX)
    y = Scale(0.0, 1.0, _BOTTOM_PX, _TOP_PX)
    marks = [*_axes(x, y, along), *(_outcome(x, *each) for each in outcomes)]
    for group in groups:
        marks += _group(group, x, y)
    return framed(title, marks, width_px=_WIDTH_PX, height_px=_HEIGHT_PX, left_px=14)


def _axes(x: Scale, y: Scale, along: str) -> list[str]:
    marks: list[str] = []
    for share in y.ticks(5):
        colour = GRID if share else RULE
        marks.append(line((_LEFT_PX, y(share)), (_RIGHT_PX, y(share)), colour))
        marks.append(label(_LEFT_PX - 8, y(share) + 4, f"{share:.0%}", SOFT, "end"))
    for value in x.ticks(6):
        at = x(value)
        marks.append(line((at, _BOTTOM_PX), (at, _BOTTOM_PX + 4), RULE))
        marks.append(label(at, _BOTTOM_PX + 30, f"{value:,g}", SOFT, "middle"))
    middle_px = (_LEFT_PX + _RIGHT_PX) / 2
    return [*marks, label(middle_px, _HEIGHT_PX - 18, along, INK, "middle")]


def _outcome(x: Scale, value: float, so: bool) -> str:  # noqa: FBT001  # as in a table
    end_px = _TOP_PX - 4 if so else _BOTTOM_PX + 4
    far_px = end_px - _TICK_PX if so else end_px + _TICK_PX
    return line((x(value), end_px), (x(value), far_px), BLUE if so else SOFT)


def _group(group: ShareGroup, x: Scale, y: Scale) -> list[str]:
    left, right, at = x(group.low), x(group.high), y(group.share)
    middle = (left + right) / 2
    wide = line((left, at), (right, at), BLUE).replace("/>", ' stroke-width="3"/>')
    dot = f'<circle cx="{middle:.1f}" cy="{at:.1f}" r="4" fill="{BLUE}"/>'
    marks = [wide, dot]
    if group.interval is not None:
        low, high = map(y, group.interval)
        marks.append(line((middle, low), (middle, high), BLUE))
        marks += [
            line((middle - 4, end), (middle + 4, end), BLUE) for end in (low, high)
        ]
    return [*marks, label(middle + 8, at - 6, group.text, INK, "start")]
