"""A run as one picture: what the plant did, what the firmware did, what was done.

From top to bottom, over one axis of plant time: each measured quantity with its
thresholds, a lane for each actuator and door, and lanes for what came from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from pytest_embedbench.model import StimulusKind
from pytest_embedbench.plotting.axes import Scale, around, path, spans
from pytest_embedbench.plotting.marks import (
    BLUE,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PURPLE,
    RULE,
    SKY,
    SOFT,
    VERMILION,
    framed,
    label,
    line,
)
from pytest_embedbench.wire.transcript import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from dataclasses import Field

    from pytest_embedbench.model import Sample, Stimulus

WIDTH_PX = 880
LEFT_PX, RIGHT_PX = 150, 820
HEAD_PX, FOOT_PX = 52, 48
PANEL_PX, LOW_PANEL_PX, LANE_PX, GAP_PX = 170, 80, 24, 20
LABEL_PX = 12
"""How near labels may come to each other."""
CHARACTER_PX = 6.3
"""How wide a character of a note is, about."""
DOTTED_SAMPLES = 80
"""Runs with more samples are drawn without a dot for each."""

LANE_COLOURS = (GREEN, ORANGE, PURPLE, SKY)
NOTE_COLOURS = {StimulusKind.INJECTED: VERMILION, StimulusKind.EVENT: INK}
_UNITS = {
    "_c": "°C",
    "_kpa": "kPa",
    "_mv": "mV",
    "_ntu": "NTU",
    "_pct": "%",
    "_rpm": "rpm",
}


def draw(
    title: str,
    samples: Sequence[Sample[Any]],
    thresholds: Mapping[str, tuple[int, ...]],
    stimuli: Sequence[Stimulus],
) -> str:
    """Return the picture as SVG text; equal runs give equal bytes.

    The unit of a field is its metadata ``unit``, or what its name ends in.
    """
    start = samples[0].state
    quantities: list[Field[Any]] = []
    switches: list[str] = []
    for entry in fields(start):
        if isinstance(getattr(start, entry.name), bool):
            switches.append(entry.name)
        else:
            quantities.append(entry)
    picture = _Picture(title, samples)
    for entry in quantities:
        picture.panel(entry, thresholds.get(entry.name, ()))
    for index, name in enumerate(switches):
        picture.lane(name, LANE_COLOURS[index % len(LANE_COLOURS)])
    picture.frames([entry for entry in stimuli if entry.kind is StimulusKind.FRAME])
    picture.notes([entry for entry in stimuli if entry.kind in NOTE_COLOURS])
    return picture.finished()


@dataclass(slots=True)
class _Picture:
    """A drawing that grows downwards."""

    title: str
    samples: Sequence[Sample[Any]]
    x: Scale = field(init=False)
    _y_px: float = field(default=HEAD_PX, init=False)
    _under: list[str] = field(default_factory=list[str], init=False)
    _marks: list[str] = field(default_factory=list[str], init=False)

    def __post_init__(self) -> None:
        last_s = max(self.samples[-1].at_ms, 100) / 1000
        self.x = Scale(0.0, last_s, LEFT_PX, RIGHT_PX)

    def panel(self, entry: Field[Any], thresholds: tuple[int, ...]) -> None:
        """Draw one quantity over time; one without thresholds gets less room."""
        height_px = PANEL_PX if thresholds else LOW_PANEL_PX
        top_px, bottom_px = self._y_px, self._y_px + height_px
        values = [getattr(sample.state, entry.name) for sample in self.samples]
        y = Scale(*around([*values, *thresholds]), bottom_px, top_px)
        self._frame(y, top_px, bottom_px)
        label_px = bottom_px + LABEL_PX
        for value in sorted(thresholds):
            self._line(LEFT_PX, y(value), RIGHT_PX, y(value), SOFT, dash="5 4")
            label_px = min(y(value), label_px - LABEL_PX)
            self._text(RIGHT_PX + 6, label_px + 4, str(value), SOFT)
        points = [
            (self._at(sample.at_ms), y(value))
            for sample, value in zip(self.samples, values, strict=True)
        ]
        self._marks.append(
            f'<path d="{path(points)}" fill="none" stroke="{BLUE}" stroke-width="2" '
            'stroke-linejoin="round"/>'
        )
        if len(points) <= DOTTED_SAMPLES:
            self._marks += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.3" fill="{BLUE}"/>'
                for x, y in points
            ]
        self._caption(_worded(entry), (top_px + bottom_px) / 2)
        self._y_px = bottom_px + GAP_PX

    def lane(self, name: str, colour: str) -> None:
        """Draw when a switch was on."""
        points = [
            (self._at(sample.at_ms), bool(getattr(sample.state, name)))
            for sample in self.samples
        ]
        middle_px = self._lane(name.replace("_", " "))
        for start_px, end_px in spans(points):
            self._marks.append(
                f'<rect x="{start_px:.1f}" y="{middle_px - 7:.1f}" height="14" rx="2" '
                f'width="{max(1.5, end_px - start_px):.1f}" fill="{colour}"/>'
            )

    def frames(self, frames: Sequence[Stimulus]) -> None:
        """Draw when the plant reported to the firmware."""
        middle_px = self._lane("sensor frames")
        ticks = sorted(
            {f"{self._at(frame.plant_ms):.1f}" for frame in frames}, key=float
        )
        path_text = "".join(f"M{x},{middle_px - 5:.1f}v10" for x in ticks)
        self._marks.append(f'<path d="{path_text}" stroke="{SOFT}" stroke-width="1"/>')

    def notes(self, notes: Sequence[Stimulus]) -> None:
        """Draw what was done to firmware and plant: a hairline and its words."""
        free_from_px: list[float] = []
        for note in notes:
            x_px, text = self._at(note.plant_ms), printable(note.text.encode())
            width_px = CHARACTER_PX * len(text) + 16
            starts_px = min(x_px, max(LEFT_PX, WIDTH_PX - width_px))
            row = next(
                (row for row, free in enumerate(free_from_px) if free <= starts_px),
                len(free_from_px),
            )
            free_from_px[row : row + 1] = [starts_px + width_px]
            y_px = self._y_px + 12 + 16 * row
            colour = NOTE_COLOURS[note.kind]
            self._line(x_px, HEAD_PX, x_px, y_px, colour, dash="2 3")
            self._marks.append(
                f'<circle cx="{x_px:.1f}" cy="{y_px}" r="3.2" fill="{colour}"/>'
            )
            self._text(starts_px + 8, y_px + 4, text, colour)
        if notes:
            self._caption("injected, events", self._y_px + 12)
            self._y_px += 16 * len(free_from_px) + 8

    def finished(self) -> str:
        """Add the time axis and return the whole."""
        bottom_px = self._y_px + 4
        for at_s in self.x.ticks(10):
            x_px = self.x(at_s)
            self._under.append(line((x_px, HEAD_PX), (x_px, bottom_px), GRID))
            self._text(x_px, bottom_px + 16, f"{at_s:g}", SOFT, anchor="middle")
        self._under.append(line((LEFT_PX, bottom_px), (RIGHT_PX, bottom_px), RULE))
        middle_px = (LEFT_PX + RIGHT_PX) / 2
        self._text(middle_px, bottom_px + 36, "plant time (s)", INK, anchor="middle")
        marks = [*self._under, *self._marks]
        height_px = bottom_px + FOOT_PX
        return framed(
            self.title, marks, width_px=WIDTH_PX, height_px=height_px, left_px=LEFT_PX
        )

    def _at(self, plant_ms: int) -> float:
        return self.x(plant_ms / 1000)

    def _frame(self, y: Scale, top_px: float, bottom_px: float) -> None:
        for value in y.ticks(5 if bottom_px - top_px == PANEL_PX else 3):
            self._under.append(line((LEFT_PX, y(value)), (RIGHT_PX, y(value)), GRID))
            self._text(LEFT_PX - 8, y(value) + 4, f"{value:g}", SOFT, anchor="end")
        self._line(LEFT_PX, top_px, LEFT_PX, bottom_px, RULE)

    def _lane(self, caption: str) -> float:
        """Take room for a lane and return the middle of it."""
        middle_px = self._y_px + LANE_PX / 2
        self._under.append(line((LEFT_PX, middle_px), (RIGHT_PX, middle_px), RULE))
        self._caption(caption, middle_px)
        self._y_px += LANE_PX
        return middle_px

    def _caption(self, text: str, middle_px: float) -> None:
        self._text(12, middle_px + 4, text, INK)

    def _line(  # two points and how they are joined
        self, x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = ""
    ) -> None:
        self._marks.append(line((x1, y1), (x2, y2), colour, dash))

    def _text(
        self, x: float, y: float, text: str, colour: str, anchor: str = "start"
    ) -> None:
        self._marks.append(label(x, y, text, colour, anchor))


def _worded(entry: Field[Any]) -> str:
    """Return a field's name in words, with its unit."""
    unit = entry.metadata.get("unit", "")
    name = entry.name
    for ending, meant in _UNITS.items():
        if not unit and name.endswith(ending):
            unit, name = meant, name.removesuffix(ending)
    words = name.replace("_", " ")
    return f"{words} ({unit})" if unit else words
