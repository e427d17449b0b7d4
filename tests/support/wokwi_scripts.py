"""Three talks with the sketch of ``circuits.cpp``, for whoever can hold them.

A step is what is done, and up to when time passes then; after each it is noted what the
firmware has said since the last one, and what some pins show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.diagram import Endpoint

if TYPE_CHECKING:
    from pytest_embedbench.contracts import Board, BoardCircuit

PARTS = {
    "uno": "wokwi-arduino-uno",
    "btn": "wokwi-pushbutton",
    "led": "wokwi-led",
    "pot": "wokwi-potentiometer",
}
WIRES = (
    *("uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
    *("uno:13 - led:A", "led:C - uno:GND.2"),
    *("uno:A0 - pot:SIG", "uno:5V - pot:VCC", "uno:GND.3 - pot:GND"),
)
ATTRS = {"btn": {"bounce": "0"}, "pot": {"value": "0.5"}}


class Step(TypedDict, total=False):
    """One of a script; times are in ms since boot."""

    send: str
    control: tuple[str, str, float]
    until_ms: int


SCRIPTS: dict[str, list[Step]] = {
    "serial": [
        {"until_ms": 50},
        {"send": "t", "until_ms": 60},
        {"until_ms": 61},
        {"until_ms": 75},
    ],
    "pins": [
        {"until_ms": 1},
        {"until_ms": 50},
        {"send": "t", "until_ms": 70},
        *(Step(until_ms=at_ms) for at_ms in range(80, 180, 9)),
    ],
    "controls": [
        {"until_ms": 50},
        {"send": "a", "until_ms": 85},
        {"control": ("pot", "position", 0.25), "until_ms": 120},
        {"control": ("pot", "position", 1.0), "until_ms": 155},
        {"control": ("btn", "pressed", 1.0), "until_ms": 160},
        {"control": ("btn", "pressed", 0.0), "until_ms": 161},
    ],
}
PINS = ("uno:13", "uno:2", "led:A", "btn:1.l")

Transcript = list[list[Any]]


def hold(board: Board, circuit: BoardCircuit, steps: list[Step]) -> Transcript:
    """Go through a script with a board of the bench."""
    transcript: Transcript = []
    for step in steps:
        if "send" in step:
            board.link().send(step["send"].encode())
        if "control" in step:
            circuit.control(*step["control"])
        board.advance(step["until_ms"] - board.now_us() // 1000)
        said = b"".join(it.data for it in board.link().receive()).decode()
        ends = (Endpoint(*pin.split(":")) for pin in PINS)
        levels = [int(circuit.level(it) is Level.HIGH) for it in ends]
        transcript.append([board.now_us() * 1000, said, levels])
    return transcript
