"""How a part is drawn as it is: lit, turned, with what it shows."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from pytest_embedbench.circuits.svg import shortened, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_embedbench.wiring.part_model import Reading
    from pytest_embedbench.wiring.part_type import PartType

    Rgb = tuple[int, int, int]

ROOM_PX = 154
"""How wide what is drawn may be."""
COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}|[a-zA-Z]+")
_INK, _DARK, _LIT = "#222222", "#101820", "#9fe8ff"
_LINE_PX, _LONGEST = 14, 27
_RGB, _MOST_PX = 3, 8
_PRESSED = "pressed"
_SHAPE_PX, _BELOW_PX = 26, 5


class Drawing(NamedTuple):
    """Something to be drawn at a corner: how high it is, and its elements."""

    height_px: float
    lines: tuple[str, ...] = ()


class PartState(NamedTuple):
    """What is seen of a part, and which controls a test has set."""

    readings: Mapping[str, Reading]
    controls: Mapping[str, float]


def draw_state(kind: PartType, attrs: Mapping[str, str], state: PartState) -> Drawing:
    """Return a part's state: pictures of what is a picture, the rest in words."""
    drawings = [
        drawing
        for name, value in state.readings.items()
        for drawing in _reading(name, value, kind.attr(attrs, "color"))
    ]
    for name, value in state.controls.items():
        is_held = name == _PRESSED and bool(value)
        drawings.append(_words("held down" if is_held else f"set: {name} {value:g}"))
    lines: list[str] = []
    top_px = 0.0
    for height_px, elements in drawings:
        lines += [f'<g transform="translate(0 {top_px:g})">', *elements, "</g>"]
        top_px += height_px
    return Drawing(top_px + _BELOW_PX if lines else 0, tuple(lines))


def _reading(name: str, value: Reading, color: str) -> Iterator[Drawing]:
    rows = _rows_of_rgb(value)
    if rows is not None:
        yield _grid([[_hex(pixel) for pixel in row] for row in rows], name)
    elif _is_rows_of_bool(value):
        yield _grid([[_LIT if it else "" for it in row] for row in value], name)
    elif name == "text":
        rows_of_text = value if isinstance(value, tuple) else (value,)
        yield _screen([str(row) for row in rows_of_text])
    elif name == "brightness" and isinstance(value, int | float):
        lit = color if COLOR.fullmatch(color) else "red"
        yield _lamps([(lit, float(value))], f"{name}: {value:.2f}")
    elif name == "brightnesses" and isinstance(value, tuple):
        lit = color if COLOR.fullmatch(color) else "red"
        yield _lamps([(lit, _share(it)) for it in value], "")
    elif name == "rgb" and isinstance(value, tuple):
        shares = [_share(it) for it in value]
        mixed = "#" + "".join(f"{round(255 * share):02x}" for share in shares)
        told = ", ".join(f"{share:.2f}" for share in shares)
        yield _lamps([(mixed, 1.0 if any(shares) else 0.0)], f"{name}: {told}")
    elif name == "angle_deg" and isinstance(value, int | float):
        yield _dial(float(value), f"{name}: {value:.5g}")
    elif not _is_nested(value) and _worded(value):
        yield _words(f"{name}: {_worded(value)}")


def _worded(value: Reading) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.5g}"
        case bytes():
            return value.hex(" ")
        case tuple():
            return " ".join(map(_worded, value))
        case _:
            return str(value)


def _share(value: Reading) -> float:
    share = float(value) if isinstance(value, int | float) else 0.0
    return min(1.0, max(0.0, share))


def _is_nested(value: Reading) -> bool:
    return isinstance(value, tuple) and any(isinstance(it, tuple) for it in value)


def _is_rows_of_bool(value: Reading) -> TypeGuard[tuple[tuple[bool, ...], ...]]:
    return (
        isinstance(value, tuple)
        and bool(value)
        and all(
            isinstance(row, tuple) and row and all(isinstance(it, bool) for it in row)
            for row in value
        )
    )


def _is_rgb(value: Reading) -> TypeGuard[Rgb]:
    return (
        isinstance(value, tuple)
        and len(value) == _RGB
        and all(type(it) is int for it in value)
    )


def _rows_of_rgb(value: Reading) -> list[list[Rgb]] | None:
    """Return pixels in rows, those of a chain in rows of eight."""
    if not isinstance(value, tuple) or not value:
        return None
    if all(map(_is_rgb, value)):
        chain = [it for it in value if _is_rgb(it)]
        return [chain[index : index + 8] for index in range(0, len(chain), 8)]
    rows: list[list[Rgb]] = []
    for row in value:
        pixels = [it for it in row if _is_rgb(it)] if isinstance(row, tuple) else []
        if not isinstance(row, tuple) or len(pixels) != len(row):
            return None
        rows.append(pixels)
    return rows


def _hex(pixel: Rgb) -> str:
    return "#" + "".join(f"{min(255, max(0, it)):02x}" for it in pixel)


def _words(text: str) -> Drawing:
    how = f'font-size="11" fill="{_INK}"'
    return Drawing(_LINE_PX, (text_at(0, 10, shortened(text, _LONGEST), how),))


def _screen(rows: Sequence[str]) -> Drawing:
    """Draw rows of characters as a display; what it was taught itself is a box."""
    width = max(map(len, rows), default=0)
    size_px = min(12.0, ROOM_PX / max(1, width) / 0.62)
    high_px = len(rows) * (size_px + 3) + 5
    how = (
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" fill="{_LIT}" '
        f'font-size="{size_px:.1f}" xml:space="preserve"'
    )
    shown = ["".join(it if it.isprintable() else "▯" for it in row) for row in rows]
    lines = [
        text_at(3, round((index + 1) * (size_px + 3), 1), row, how)
        for index, row in enumerate(shown)
        if row.strip()
    ]
    back = f'<rect width="{ROOM_PX}" height="{high_px:.1f}" rx="2" fill="{_DARK}"/>'
    return Drawing(high_px + 4, (back, *lines))


def _grid(rows: Sequence[Sequence[str]], name: str) -> Drawing:
    """Draw pixels; neighbours of one color are one element, dark ones none."""
    columns = max(map(len, rows))
    size_px = min(_MOST_PX, round(ROOM_PX / columns, 2))
    wide_px, high_px = size_px * columns, size_px * len(rows)
    back = (
        f'<rect width="{wide_px:g}" height="{high_px:g}" fill="{_DARK}">'
        f"<title>{name}</title></rect>"
    )
    lines = [back]
    for at, row in enumerate(rows):
        begins = 0
        for ends in range(1, len(row) + 1):
            if ends == len(row) or row[ends] != row[begins]:
                if row[begins] and row[begins] != "#000000":
                    lines.append(
                        f'<rect x="{begins * size_px:g}" y="{at * size_px:g}" '
                        f'width="{(ends - begins) * size_px:g}" '
                        f'height="{size_px:g}" fill="{row[begins]}"/>'
                    )
                begins = ends
    return Drawing(high_px + 4, tuple(lines))


def _lamps(lamps: Sequence[tuple[str, float]], told: str) -> Drawing:
    lines: list[str] = []
    step_px = min(_SHAPE_PX, ROOM_PX / max(1, len(lamps)))
    radius_px = min(8.0, step_px / 2 - 1)
    for index, (color, share) in enumerate(lamps):
        where = f'cx="{step_px * (index + 0.5):g}" cy="{_SHAPE_PX / 2:g}"'
        glow_px = min(12.0, step_px / 2)
        if share:
            lines.append(
                f'<circle {where} r="{glow_px:g}" fill="{color}" '
                f'opacity="{0.35 * share:.2f}"/>'
            )
        lines.append(
            f'<circle {where} r="{radius_px:g}" fill="{color}" stroke="{_INK}" '
            f'fill-opacity="{share:.2f}"/>'
        )
    lines.append(text_at(_SHAPE_PX + 6, 17, told, f'font-size="11" fill="{_INK}"'))
    return Drawing(_SHAPE_PX, tuple(lines))


def _dial(angle_deg: float, told: str) -> Drawing:
    """Draw where a shaft points: 0 to the right, as angles are counted."""
    middle_px, radius_px = _SHAPE_PX / 2, 10
    turn = math.radians(angle_deg)
    x_px = middle_px + radius_px * math.cos(turn)
    y_px = middle_px - radius_px * math.sin(turn)
    where = f'cx="{middle_px:g}" cy="{middle_px:g}"'
    hand = f'd="M{middle_px:g} {middle_px:g}L{x_px:.1f} {y_px:.1f}"'
    lines = (
        f'<circle {where} r="{radius_px}" fill="none" stroke="{_INK}"/>',
        f'<path {hand} stroke="{_INK}" stroke-width="2.5"/>',
        text_at(_SHAPE_PX + 6, 17, told, f'font-size="11" fill="{_INK}"'),
    )
    return Drawing(_SHAPE_PX, lines)
