"""Shares as bars, side by side in groups, with intervals as whiskers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.plotting.axes import Scale
from pytest_embedbench.plotting.marks import (
    BLUE,
    GREEN,
    GRID,
    INK,
    ORANGE,
    RULE,
    SOFT,
    framed,
    label,
    line,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

COLOURS = (BLUE, GREEN, ORANGE)
_LEFT_PX, _RIGHT_PX, _HEAD_PX, _FOOT_PX = 60, 20, 84, 64
_PANEL_PX, _BAR_PX, _GAP_PX = 240, 30, 60


class Bar(NamedTuple):
    """A share from 0 to 1, if there is one, and where it may be."""

    share: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class BarGroup:
    """Bars of one thing, in the order of the legend, and a line of text below them."""

    name: str
    bars: Sequence[Bar]
    below: str


def draw_bars(title: str, legend: Sequence[str], groups: Sequence[BarGroup]) -> str:
    """Return the picture as SVG text; equal groups give equal bytes."""
    texts = [text for group in groups for text in (group.name, group.below)]
    wide_px = max([_BAR_PX * len(legend), *(7 * len(text) for text in texts)])
    step_px = wide_px + _GAP_PX
    width_px = max(420, _LEFT_PX + step_px * len(groups) + _RIGHT_PX)
    y = Scale(0.0, 1.0, _HEAD_PX + _PANEL_PX, _HEAD_PX)
    marks = [*_axis(y, width_px - _RIGHT_PX), *_legend(legend)]
    for number, group in enumerate(groups):
        middle_px = _LEFT_PX + step_px * (number + 0.5)
        marks += _group(group, middle_px, y)
    height_px = _HEAD_PX + _PANEL_PX + _FOOT_PX
    return framed(
        title, marks, width_px=width_px, height_px=height_px, left_px=_LEFT_PX
    )


def _axis(y: Scale, right_px: float) -> list[str]:
    marks: list[str] = []
    for share in y.ticks(5):
        colour = GRID if share else RULE
        marks.append(line((_LEFT_PX, y(share)), (right_px, y(share)), colour))
        marks.append(label(_LEFT_PX - 8, y(share) + 4, f"{share:.0%}", SOFT, "end"))
    return marks


def _legend(legend: Sequence[str]) -> list[str]:
    marks: list[str] = []
    x_px = float(_LEFT_PX)
    for name, colour in zip(legend, COLOURS, strict=False):
        marks.append(
            f'<rect x="{x_px:.1f}" y="46" width="12" height="12" fill="{colour}"/>'
        )
        marks.append(label(x_px + 18, 56, name, INK, "start"))
        x_px += 40 + 7 * len(name)
    return marks


def _group(group: BarGroup, middle_px: float, y: Scale) -> list[str]:
    marks: list[str] = []
    left_px = middle_px - _BAR_PX * len(group.bars) / 2
    for number, bar in enumerate(group.bars):
        x_px = left_px + _BAR_PX * number
        if bar.share is not None:
            top_px, colour = y(bar.share), COLOURS[number % len(COLOURS)]
            marks.append(
                f'<rect x="{x_px + 2:.1f}" y="{top_px:.1f}" width="{_BAR_PX - 4}" '
                f'height="{y(0.0) - top_px:.1f}" fill="{colour}"/>'
            )
        if bar.interval is not None:
            marks += _whisker(
                x_px + _BAR_PX / 2, y(bar.interval[0]), y(bar.interval[1])
            )
    base_px = y(0.0)
    marks.append(label(middle_px, base_px + 20, group.name, INK, "middle"))
    marks.append(label(middle_px, base_px + 40, group.below, SOFT, "middle"))
    return marks


def _whisker(x_px: float, low_px: float, high_px: float) -> list[str]:
    ends = [line((x_px - 4, at), (x_px + 4, at), INK) for at in (low_px, high_px)]
    return [line((x_px, low_px), (x_px, high_px), INK), *ends]
