"""The nouns of a drawn circuit: parts, their pins, and the wires between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

SERIAL_MONITOR = "$serialMonitor"
"""A part that is in every diagram, drawn or not: pins ``RX`` and ``TX``."""


class Endpoint(NamedTuple):
    """A pin of a part, which a diagram writes as ``part:pin``."""

    part: str
    pin: str

    def __str__(self) -> str:
        return f"{self.part}:{self.pin}"


class DiagramWire(NamedTuple):
    """A wire as it is drawn; ``line`` is where its file says so."""

    start: Endpoint
    end: Endpoint
    color: str = ""
    route: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagramPart:
    """A part as it is drawn, in pixels and degrees; ``line`` is where its file says so.

    ``attrs`` are as text, also where the file has numbers.
    """

    id: str
    type: str
    attrs: Mapping[str, str] = field(default_factory=dict[str, str])
    left: float = 0
    top: float = 0
    rotate: float = 0
    is_hidden: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialMonitor:
    """How the terminal beside the circuit behaves; ``""`` where nothing is said."""

    display: str = ""
    newline: str = ""
    convert_eol: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """A circuit as a file of version 1 has it, and the text of that file.

    ``dependencies`` are names and versions of libraries, as they stand there.
    """

    file: str
    text: str
    parts: tuple[DiagramPart, ...] = ()
    wires: tuple[DiagramWire, ...] = ()
    author: str = ""
    editor: str = ""
    serial_monitor: SerialMonitor = SerialMonitor()
    dependencies: Mapping[str, str] = field(default_factory=dict[str, str])

    def __repr__(self) -> str:
        drawn = f"{len(self.parts)} parts, {len(self.wires)} wires"
        return f"<Diagram {self.file}: {drawn}>"
