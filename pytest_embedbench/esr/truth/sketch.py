"""A sketch with its circuit and check, and what ``pins.toml`` says of its pins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.toml_schema import check_keys, read_table, rows, subtable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MANIFEST = "pins.toml"
SOURCE = "src/main.cpp"
DIAGRAM = "diagram.json"
KINDS = (
    *("out", "pwm", "in", "inout", "interrupt"),
    *("analog", "channel", "bit", "first", "last"),
)
"""What a signal is: ``channel`` is an analog input by number, ``bit`` one of a port,
``first`` and ``last`` are the ends of a range of pins."""
_SLOT = re.compile(r"<(\w+)>")


class PinConstant(NamedTuple):
    """A pin constant: its name in the manifest, its value, and what it is for."""

    name: str
    pin: str
    kind: str


class LogicBug(NamedTuple):
    """A mistake that has nothing to do with pins: text that takes another's place."""

    old: str
    new: str


class UnfitPin(NamedTuple):
    """A pin to which a signal can be wired, and where it can never work."""

    signal: str
    pin: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A sketch whose pin constants are known by name.

    ``lines`` are all places where pins stand, with ``<signal>`` for each; ``blocks``
    are signals that belong together, such as the segments of a digit. ``bus`` are pins
    that a library holds, and ``serial`` says that the sketch talks on pins 0 and 1.
    """

    folder: Path
    text: str
    diagram: str
    lines: Sequence[str]
    signals: Mapping[str, PinConstant]
    blocks: Mapping[str, Sequence[str]]
    bugs: Sequence[LogicBug]
    unfit: Sequence[UnfitPin]
    serial: bool
    bus: Sequence[str]

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    def with_pins(self, pins: Mapping[str, str]) -> str:
        """Return the text with other pins for some signals."""
        old = {signal.name: signal.pin for signal in self.signals.values()}
        begun = {self.text.index(filled(line, old)): line for line in self.lines}
        text, end = "", 0
        for begin in sorted(begun):
            line = begun[begin]
            text += self.text[end:begin] + filled(line, {**old, **pins})
            end = begin + len(filled(line, old))
        return text + self.text[end:]

    def rewired(self, signal: str, pin: str) -> str:
        """Return the diagram with a signal's wire at another pin of the board."""
        return self.diagram.replace(f'"uno:{self.signals[signal].pin}"', f'"uno:{pin}"')


def filled(line: str, pins: Mapping[str, str]) -> str:
    """Return a line of the manifest with its pins in place of their names."""
    return _SLOT.sub(lambda slot: pins[slot[1]], line)


def read_sketch(folder: Path) -> Sketch:
    """Read a folder with a sketch and what is known of its pins.

    Raises:
        ConfigError: the manifest is wrong, or its lines are not the sketch's.
    """
    file = folder / MANIFEST
    table: Mapping[str, Any] = read_table(file)
    check_keys(
        str(file),
        "",
        table,
        required={"lines": list, "signals": dict, "logic": list},
        optional={"blocks": dict, "unfit": list, "serial": bool, "bus": list},
    )
    signals = {
        name: _signal(file, name, entry) for name, entry in table["signals"].items()
    }
    sketch = Sketch(
        folder=folder,
        text=_text(folder / SOURCE),
        diagram=_text(folder / DIAGRAM),
        lines=tuple(table["lines"]),
        signals=signals,
        blocks={name: tuple(names) for name, names in table.get("blocks", {}).items()},
        bugs=tuple(
            LogicBug(row["old"], row["new"])
            for _, row in rows(str(file), "logic", table["logic"])
        ),
        unfit=tuple(
            UnfitPin(row["signal"], row["pin"], row["why"])
            for _, row in rows(str(file), "unfit", table.get("unfit", []))
        ),
        serial=table.get("serial", False),
        bus=tuple(table.get("bus", [])),
    )
    _check(file, sketch)
    return sketch


def _signal(file: Path, name: str, entry: object) -> PinConstant:
    where = f"signals.{name}"
    table = subtable(str(file), where, entry)
    check_keys(str(file), f"{where}.", table, required={"pin": str, "kind": str})
    if table["kind"] not in KINDS:
        known = ", ".join(KINDS)
        raise ConfigError(f"{file}: {where}.kind: {table['kind']!r}; known: {known}")
    return PinConstant(name, table["pin"], table["kind"])


def _check(file: Path, sketch: Sketch) -> None:
    """Insist that the manifest and the sketch say the same."""
    old = {signal.name: signal.pin for signal in sketch.signals.values()}
    named = {name for line in sketch.lines for name in _SLOT.findall(line)}
    named |= {name for names in sketch.blocks.values() for name in names}
    named |= {unfit.signal for unfit in sketch.unfit}
    if strange := sorted(named - set(old)):
        raise ConfigError(f"{file}: {strange[0]!r} is none of its signals")
    texts = [filled(line, old) for line in sketch.lines]
    for text in [*texts, *(bug.old for bug in sketch.bugs)]:
        if (count := sketch.text.count(text)) != 1:
            raise ConfigError(
                f"{file}: {text!r} stands {count} times in {SOURCE}, not once"
            )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from error
