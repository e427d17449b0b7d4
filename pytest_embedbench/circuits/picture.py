"""A picture of a circuit as SVG: boxes of our own, and what joins them."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.circuits.layout import BOX_WIDTH_PX, lay_out
from pytest_embedbench.circuits.live_parts import COLOR, Drawing
from pytest_embedbench.circuits.svg import FONT, safe, shortened, text_at
from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_embedbench.circuits.layout import CircuitLayout, PartBox, PinPlace
    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.checking import DiagramReport

_INK, _PAPER, _QUIET, _ALARM = "#222222", "#ffffff", "#767676", "#d55e00"
_WIRE = "#009e73"
_LONGEST_TEXT = 24
_BEND_PX = 60


def draw_circuit(
    report: DiagramReport,
    catalogue: PartCatalogue,
    shows: Mapping[str, Drawing] | None = None,
) -> str:
    """Return the picture; equal diagrams give equal bytes.

    Ground and supplies are words at the pins, other nets are lines in the color of
    their first wire. Parts with findings have a border that warns, and say why when
    pointed at. ``shows`` is what parts show under their pins, by id.
    """
    shows = shows or {}
    rooms_px = {part: math.ceil(it.height_px) for part, it in shows.items()}
    layout = lay_out(report, catalogue, rooms_px)
    size = f'width="{layout.width_px}" height="{layout.height_px}"'
    view = f'viewBox="0 0 {layout.width_px} {layout.height_px}"'
    told: dict[str, list[str]] = defaultdict(list)
    for finding in report.findings:
        told[finding.part].append(finding.text)
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} '
            f'font-family="{FONT}" font-size="12" fill="{_INK}">'
        ),
        f"<title>{safe(report.diagram.file)}</title>",
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
        *_wires(report, layout),
        *(
            line
            for box in layout.boxes
            for line in _box(box, told, shows.get(box.part.id, Drawing(0)))
        ),
        *_supplies(report, layout),
        "</svg>\n",
    ]
    return "\n".join(lines)


def _wires(report: DiagramReport, layout: CircuitLayout) -> Iterator[str]:
    """Yield lines from the first pin of each net to the others, under the boxes."""
    index = report.netlist.index
    colors: dict[int, str] = {}
    for wire in report.diagram.wires:
        if wire.start in index and COLOR.fullmatch(wire.color):
            colors.setdefault(index[wire.start], wire.color)
    # Where a color is none that is known, that of the group counts.
    yield f'<g fill="none" stroke="{_WIRE}" stroke-width="2">'
    for number, net in enumerate(report.netlist.nets):
        places = [layout.places.get(pin.endpoint) for pin in net.pins]
        seen = sorted(place for place in places if place is not None)
        if net.has(PinRole.GROUND, PinRole.SUPPLY) or not seen:
            continue
        first, *others = seen
        for other in others:
            ends = f"M{first.x_px} {first.y_px}C{_bend(first)} {_bend(other)}"
            path = f"{ends} {other.x_px} {other.y_px}"
            color = colors.get(number, _WIRE)
            name = safe(net.name)
            yield f'<path d="{path}" stroke="{color}"><title>{name}</title></path>'
    yield "</g>"


def _bend(place: PinPlace) -> str:
    away_px = _BEND_PX if place.is_right else -_BEND_PX
    return f"{place.x_px + away_px} {place.y_px}"


def _supplies(report: DiagramReport, layout: CircuitLayout) -> Iterator[str]:
    """Yield the name of a ground or supply at each pin that is joined with it."""
    halo = f'stroke="{_PAPER}" stroke-width="3" paint-order="stroke"'
    yield f'<g font-size="11" font-weight="bold" fill="{_QUIET}" {halo}>'
    for net in report.netlist.nets:
        if not net.has(PinRole.GROUND, PinRole.SUPPLY):
            continue
        for pin in net.pins:
            if place := layout.places.get(pin.endpoint):
                away, anchor = (8, "start") if place.is_right else (-8, "end")
                how = f'text-anchor="{anchor}"'
                yield _text(place.x_px + away, place.y_px + 4, net.name, how)
    yield "</g>"


def _box(box: PartBox, told: Mapping[str, list[str]], shown: Drawing) -> Iterator[str]:
    left, top = box.left_px, box.top_px
    findings = told.get(box.part.id, [])
    border = f'stroke="{_ALARM}" stroke-width="3"' if findings else f'stroke="{_INK}"'
    size = f'width="{BOX_WIDTH_PX}" height="{box.height_px}"'
    yield "<g>"
    if findings:
        yield f"<title>{safe(chr(10).join(findings))}</title>"
    yield f'<rect x="{left}" y="{top}" {size} rx="6" fill="{_PAPER}" {border}/>'
    yield _text(left + 8, top + 16, box.part.id, 'font-weight="bold"')
    yield _text(left + 8, top + 30, _kind(box), f'fill="{_QUIET}" font-size="10"')
    color = box.part.attrs.get("color", "")
    if COLOR.fullmatch(color):
        spot = f'cx="{left + BOX_WIDTH_PX - 14}" cy="{top + 13}" r="6"'
        yield f'<circle {spot} stroke="{_INK}" fill="{color}"/>'
    for pin, place in box.places().items():
        inside, anchor = (-8, "end") if place.is_right else (8, "start")
        how = f'text-anchor="{anchor}" font-size="11"'
        yield f'<circle cx="{place.x_px}" cy="{place.y_px}" r="3"/>'
        yield _text(place.x_px + inside, place.y_px + 4, pin, how)
    if shown.lines:
        yield f'<g transform="translate({left + 8} {box.room_top_px})">'
        yield from shown.lines
        yield "</g>"
    yield "</g>"


def _kind(box: PartBox) -> str:
    value = box.kind.attr(box.part.attrs, "value") if box.kind.resistors else ""
    return f"{box.kind.title}, {value} ohm" if value else box.kind.title


def _text(x_px: int, y_px: int, text: str, how: str) -> str:
    return text_at(x_px, y_px, shortened(text, _LONGEST_TEXT), how)
