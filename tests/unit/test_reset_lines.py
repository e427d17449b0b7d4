"""What a reset sequence does to a board: its lines over time, and the circuit behind.

The port writes down each state of its lines and when it began, on a clock that only the
sequence's own waits move. What lasts no time at all is gone before a chip sees it: EN
rises over a capacitor.
"""

from __future__ import annotations

import fcntl
import math
import struct
import termios
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_embedbench.flashing import RESETS, press

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ALL_STATES = list(product((False, True), repeat=2))
"""What the lines may be like before: an operating system asserts both at opening."""


class Lines(NamedTuple):
    """A state of the lines, and how long it lasts."""

    dtr: bool
    rts: bool
    for_ms: float = math.inf


@dataclass
class Port:
    """A serial port that sets one line at a time."""

    dtr: bool
    rts: bool
    now_s: float = 0.0
    states: list[tuple[float, bool, bool]] = field(default_factory=list)

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if name in ("dtr", "rts") and "states" in vars(self):
            self.states.append((self.now_s, self.dtr, self.rts))

    def wait(self, duration_s: float) -> None:
        self.now_s += duration_s

    def walk(self, sequence: str) -> list[Lines]:
        """Press; return the states that lasted, the first ones from before."""
        self.states.append((0.0, self.dtr, self.rts))
        press(self, sequence, self.wait)
        ends_s = [*(at_s for at_s, _, _ in self.states[1:]), math.inf]
        return [
            Lines(dtr, rts, round((end_s - at_s) * 1000, 3))
            for (at_s, dtr, rts), end_s in zip(self.states, ends_s, strict=True)
            if end_s > at_s
        ]


class KernelPort(Port):
    """A port whose driver can set both lines in one call."""

    FILENO = 1 << 20

    def fileno(self) -> int:
        return self.FILENO

    def ioctl(self, descriptor: int, request: int, word: bytearray | bytes) -> None:
        assert descriptor == self.FILENO
        if request == termios.TIOCMGET:
            lines = termios.TIOCM_DTR * self.dtr | termios.TIOCM_RTS * self.rts
            word[:] = struct.pack("I", lines | termios.TIOCM_CTS)  # type: ignore[index]
            return
        assert request == termios.TIOCMSET
        (lines,) = struct.unpack("I", word)
        assert lines & termios.TIOCM_CTS, "the other lines stay as they are"
        both = bool(lines & termios.TIOCM_DTR), bool(lines & termios.TIOCM_RTS)
        vars(self).update(dtr=both[0], rts=both[1])
        self.states.append((self.now_s, *both))


class Start(NamedTuple):
    """A chip came out of reset: how long it was held, and what it starts."""

    held_ms: float
    what: str


def circuit(states: list[Lines]) -> Iterator[Start]:
    """Two transistors: RTS pulls EN and DTR pulls IO0, each while the other rests."""
    held_ms = 0.0
    for state in states:
        if state.rts and not state.dtr:
            held_ms += state.for_ms
        elif held_ms:
            yield Start(held_ms, "bootloader" if state.dtr else "program")
            held_ms = 0.0


def usb_jtag(states: list[Lines]) -> Iterator[Start]:
    """A chip that reads the lines itself (ESP32-C3's manual, USB Serial/JTAG)."""
    download, held_ms = False, 0.0
    for state in states:
        match state.dtr, state.rts:
            case False, True:
                held_ms += state.for_ms
                continue
            case True, False:
                download = True
        if held_ms:
            yield Start(held_ms, "bootloader" if download else "program")
            held_ms = 0.0
        if not state.dtr and not state.rts:
            download = False


def capacitor(states: list[Lines]) -> Iterator[Start]:
    """A capacitor on DTR: its falling edge resets, if it had time to charge."""
    for before, after in pairwise(states):
        if after.dtr and not before.dtr:
            yield Start(before.for_ms, "bootloader")


CIRCUITS: dict[str, Callable[[list[Lines]], Iterator[Start]]] = {
    "esp32-classic": circuit,
    "esp32-unix-tight": circuit,
    "esp32-usb-jtag": usb_jtag,
}
HELD_MS = {"esp32-classic": 100, "esp32-unix-tight": 100, "esp32-usb-jtag": 200}
ESP_STATES = [(*each, name) for each in ALL_STATES for name in CIRCUITS]


def test_every_sequence_of_ours_has_its_circuit_here() -> None:
    assert set(RESETS) == {*CIRCUITS, "arduino"}


@pytest.mark.parametrize(("dtr", "rts", "name"), ESP_STATES)
def test_an_esp_is_started_once_and_let_go(*, dtr: bool, rts: bool, name: str) -> None:
    states = Port(dtr, rts).walk(RESETS[name].run)
    starts = list(CIRCUITS[name](states))
    held_ms = HELD_MS[name]
    assert starts == [Start(held_ms, "program")]
    assert states[-1] == Lines(dtr=False, rts=False), "EN and IO0 are let go"


@pytest.mark.parametrize(("dtr", "rts", "name"), ESP_STATES)
def test_an_esps_bootloader_is_started_once_and_let_go(
    *, dtr: bool, rts: bool, name: str
) -> None:
    states = Port(dtr, rts).walk(RESETS[name].bootloader)
    starts = list(CIRCUITS[name](states))
    assert starts == [Start(100, "bootloader")]
    assert states[-1] == Lines(dtr=False, rts=False), "EN and IO0 are let go"


@pytest.mark.parametrize("name", ["esp32-classic", "esp32-unix-tight"])
def test_io0_is_held_until_the_bootloader_has_looked(name: str) -> None:
    *_, reset, strapped, free = Port(dtr=False, rts=False).walk(RESETS[name].bootloader)
    assert reset == Lines(dtr=False, rts=True, for_ms=100)
    assert strapped == Lines(dtr=True, rts=False, for_ms=50)
    assert free == Lines(dtr=False, rts=False)


@pytest.mark.parametrize(("dtr", "rts"), ALL_STATES)
@pytest.mark.parametrize("mode", ["run", "bootloader"])
def test_an_arduino_gets_one_edge_of_a_charged_capacitor(
    *, dtr: bool, rts: bool, mode: str
) -> None:
    states = Port(dtr, rts).walk(getattr(RESETS["arduino"], mode))
    assert list(capacitor(states)) == [Start(50, "bootloader")]
    assert states[-1].dtr, "or opening the port again would reset it again"


@pytest.mark.parametrize(
    ("broken", "starts"),
    [
        ("D0|R1|W0.1", []),
        ("D0|R1|W0.1|R0|R1|W0.1|R0", [Start(200, "program")]),
        ("D0|R1|W0.1|R0|W0.1|R1|W0.1|R0", [Start(100, "program")] * 2),
        ("D0|R1|W0.1|D1|R0|W0.05|D0", [Start(100, "bootloader")]),
        ("D0|R1|R0", []),
    ],
)
def test_the_circuit_tells_what_is_wrong(broken: str, starts: list[Start]) -> None:
    assert list(circuit(Port(dtr=False, rts=False).walk(broken))) == starts


@pytest.fixture
def kernel_port(monkeypatch: pytest.MonkeyPatch) -> KernelPort:
    port = KernelPort(dtr=True, rts=True)
    monkeypatch.setattr(fcntl, "ioctl", port.ioctl)
    return port


def test_both_lines_are_set_in_one_call_where_the_driver_can(
    kernel_port: KernelPort,
) -> None:
    kernel_port.walk(RESETS["esp32-unix-tight"].bootloader)
    assert [both for _, *both in kernel_port.states] == [
        [True, True],
        *([False, False], [True, True], [False, True]),
        *([True, False], [False, False]),
    ], "EN never rises while IO0 is let go"


def test_where_it_cannot_dtr_comes_first() -> None:
    port = Port(dtr=False, rts=True)
    port.walk("U1,0")
    assert port.states[1:] == [(0.0, True, True), (0.0, True, False)]
