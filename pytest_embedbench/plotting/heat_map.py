"""Shares as a grid of squares: the darker one, the more of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.plotting.marks import GRID, INK, framed, label

if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTER_PX, _HEAD_PX, _FOOT_PX, _RIGHT_PX = 7, 84, 16, 20
_ROW_PX, _LEAST_COLUMN_PX = 34, 64
_PALE, _DARK = (234, 242, 248), (0, 90, 140)
_WHITE_TEXT_FROM = 0.55


class HeatCell(NamedTuple):
    """A share from 0 to 1, ``None`` if there is none, and what is written on it."""

    share: float | None
    text: str


def draw_heat_map(
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[HeatCell]]],
) -> str:
    """Return the picture as SVG text; equal cells give equal bytes."""
    left_px = 24 + _LETTER_PX * max([len(name) for name, _ in rows], default=0)
    column_px = max([_LEAST_COLUMN_PX, *(12 + _LETTER_PX * len(c) for c in columns)])
    width_px = max(420, left_px + column_px * len(columns) + _RIGHT_PX)
    height_px = _HEAD_PX + _ROW_PX * len(rows) + _FOOT_PX
    marks = [
        label(left_px + column_px * (number + 0.5), _HEAD_PX - 10, name, INK, "middle")
        for number, name in enumerate(columns)
    ]
    for number, (name, cells) in enumerate(rows):
        top_px = _HEAD_PX + _ROW_PX * number
        marks.append(label(left_px - 10, top_px + 21, name, INK, "end"))
        for place, cell in enumerate(cells):
            marks += _square(cell, left_px + column_px * place, top_px, column_px)
    return framed(title, marks, width_px=width_px, height_px=height_px, left_px=14)


def _square(cell: HeatCell, x_px: int, y_px: int, width_px: int) -> list[str]:
    colour = GRID if cell.share is None else _shade(cell.share)
    dark = cell.share is not None and cell.share >= _WHITE_TEXT_FROM
    square = (
        f'<rect x="{x_px + 1}" y="{y_px + 1}" width="{width_px - 2}" '
        f'height="{_ROW_PX - 2}" fill="{colour}"/>'
    )
    middle_px, ink = x_px + width_px / 2, "white" if dark else INK
    return [square, label(middle_px, y_px + 21, cell.text, ink, "middle")]


def _shade(share: float) -> str:
    parts = (round(a + share * (b - a)) for a, b in zip(_PALE, _DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)
