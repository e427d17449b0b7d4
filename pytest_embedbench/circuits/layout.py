"""Where the parts of a circuit and their pins are in its picture, in pixels.

The board is on the left, then come columns: what is joined with it, what is joined with
that, and so on; in a column, parts are where what they are joined with is. Where a file
puts them does not matter, for our boxes have sizes of their own. What only joins, such
as breadboards and symbols of ground and supply, is no box.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.wiring.diagram import SERIAL_MONITOR, Endpoint
from pytest_embedbench.wiring.netlist import known_parts
from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.checking import DiagramReport
    from pytest_embedbench.wiring.diagram import DiagramPart
    from pytest_embedbench.wiring.netlist import Netlist
    from pytest_embedbench.wiring.part_type import PartType

BOX_WIDTH_PX = 170
_HEAD_PX = 46
_PIN_PX = 18
_MARGIN_PX = 24
_BETWEEN_PX = 16
_GUTTER_PX = 130
_NO_BOX = {PinRole.HOLE, PinRole.GROUND, PinRole.SUPPLY}


class PinPlace(NamedTuple):
    """Where a pin is, and where its wire begins: to the right, or to the left."""

    x_px: int
    y_px: int
    is_right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PartBox:
    """A part as it is drawn: its upper left corner, and its pins from the top down."""

    part: DiagramPart
    kind: PartType
    left_px: int
    top_px: int
    left_pins: tuple[str, ...]
    right_pins: tuple[str, ...]
    room_px: int = 0
    """How high is what it shows, under its pins."""

    @property
    def room_top_px(self) -> int:
        """Where what it shows begins."""
        return self.top_px + self.height_px - self.room_px

    @property
    def height_px(self) -> int:
        """How high it is."""
        rows = max(len(self.left_pins), len(self.right_pins))
        return _HEAD_PX + _PIN_PX * rows + self.room_px

    def places(self) -> dict[str, PinPlace]:
        """Return where its pins are."""
        right_px = self.left_px + BOX_WIDTH_PX
        sides = ((self.left_px, self.left_pins), (right_px, self.right_pins))
        return {
            pin: PinPlace(x_px, self.top_px + _HEAD_PX + _PIN_PX * row, bool(side))
            for side, (x_px, pins) in enumerate(sides)
            for row, pin in enumerate(pins)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitLayout:
    """All boxes, none over another; where their pins are; how large the picture is."""

    boxes: tuple[PartBox, ...]
    places: Mapping[Endpoint, PinPlace]
    width_px: int
    height_px: int


class _Drawn(NamedTuple):
    part: DiagramPart
    kind: PartType
    pins: tuple[str, ...]

    def ends(self) -> list[Endpoint]:
        return [Endpoint(self.part.id, pin) for pin in self.pins]


def lay_out(
    report: DiagramReport,
    catalogue: PartCatalogue,
    rooms_px: Mapping[str, int] | None = None,
) -> CircuitLayout:
    """Place the parts that are boxes, with so much room for what they show, by id."""
    rooms_px = rooms_px or {}
    drawn = _drawn(report, catalogue)
    signals = _signals(report.netlist, drawn)
    columns = _columns(drawn, signals)
    boxes: list[PartBox] = []
    places: dict[Endpoint, PinPlace] = {}
    left_px = _MARGIN_PX
    for number in sorted({*columns.values()}):
        column = [it for it in drawn if columns[it.part.id] == number]
        heights = {it.part.id: _aim_px(it, signals, places) for it in column}
        top_px = _MARGIN_PX
        for it in sorted(column, key=lambda one: heights[one.part.id]):
            box = replace(
                _box(it, left_px, top_px, signals, columns),
                room_px=rooms_px.get(it.part.id, 0),
            )
            boxes.append(box)
            here = box.places().items()
            places |= {Endpoint(it.part.id, pin): place for pin, place in here}
            top_px += box.height_px + _BETWEEN_PX
        left_px += BOX_WIDTH_PX + _GUTTER_PX
    right_px = max((it.left_px + BOX_WIDTH_PX for it in boxes), default=_MARGIN_PX)
    bottom_px = max((it.top_px + it.height_px for it in boxes), default=_MARGIN_PX)
    return CircuitLayout(
        boxes=tuple(boxes),
        places=places,
        # A name of a supply may stand right of the last box.
        width_px=right_px + 2 * _MARGIN_PX,
        height_px=bottom_px + _MARGIN_PX,
    )


def _drawn(report: DiagramReport, catalogue: PartCatalogue) -> list[_Drawn]:
    """Return what is a box: of boards and the serial monitor the pins in use."""
    used = {
        pin.endpoint
        for net in report.netlist.nets
        if len(net.pins) > 1
        for pin in net.pins
    }
    drawn: list[_Drawn] = []
    for part, kind in known_parts(report.diagram, catalogue).values():
        pins = tuple(kind.pins_with(part.attrs))
        if kind.board or part.id == SERIAL_MONITOR:
            pins = tuple(pin for pin in pins if Endpoint(part.id, pin) in used)
        if kind.pins and all(pin.role in _NO_BOX for pin in kind.pins):
            continue
        if pins or part.id != SERIAL_MONITOR:
            drawn.append(_Drawn(part, kind, pins))
    return drawn


def _signals(
    netlist: Netlist, drawn: Iterable[_Drawn]
) -> dict[Endpoint, list[Endpoint]]:
    """Return for each pin the others of its net, where that is no ground or supply."""
    shown = {end for it in drawn for end in it.ends()}
    signals: dict[Endpoint, list[Endpoint]] = {}
    for net in netlist.nets:
        if not net.has(PinRole.GROUND, PinRole.SUPPLY):
            ends = [pin.endpoint for pin in net.pins if pin.endpoint in shown]
            for end in ends:
                signals[end] = [other for other in ends if other != end]
    return signals


def _columns(
    drawn: Sequence[_Drawn], signals: Mapping[Endpoint, Sequence[Endpoint]]
) -> dict[str, int]:
    """Return the column of each part: its distance from the board, else the first.

    What is behind a resistor stands behind it, even where another pin of it is nearer.
    """
    neighbours: dict[str, set[str]] = defaultdict(set)
    for end, others in signals.items():
        neighbours[end.part].update(other.part for other in others)
    columns = {it.part.id: 0 for it in drawn if it.kind.board}
    reached = list(columns)
    for here in reached:
        further = sorted(neighbours[here] - columns.keys())
        columns |= dict.fromkeys(further, columns[here] + 1)
        reached.extend(further)
    columns = {it.part.id: columns.get(it.part.id, 1) for it in drawn}
    resistors = {it.part.id: columns[it.part.id] for it in drawn if it.kind.resistors}
    for name, column in columns.items():
        before = [resistors[it] for it in neighbours[name] if it in resistors]
        if column > 0 and before and name not in resistors:
            columns[name] = max(column, min(before) + 1)
    return columns


def _aim_px(
    it: _Drawn,
    signals: Mapping[Endpoint, Sequence[Endpoint]],
    places: Mapping[Endpoint, PinPlace],
) -> float:
    """Return how high what it is joined with stands; what is joined to none, low."""
    heights = [
        places[other].y_px
        for end in it.ends()
        for other in signals.get(end, ())
        if other in places
    ]
    return sum(heights) / len(heights) if heights else float("inf")


def _box(
    it: _Drawn,
    left_px: int,
    top_px: int,
    signals: Mapping[Endpoint, Sequence[Endpoint]],
    columns: Mapping[str, int],
) -> PartBox:
    here = columns[it.part.id]
    right: list[str] = []
    for end in it.ends():
        there = [columns[other.part] for other in signals.get(end, ())]
        if it.kind.board or (there and min(there) > here):
            right.append(end.pin)
    return PartBox(
        part=it.part,
        kind=it.kind,
        left_px=left_px,
        top_px=top_px,
        left_pins=tuple(pin for pin in it.pins if pin not in right),
        right_pins=tuple(right),
    )
