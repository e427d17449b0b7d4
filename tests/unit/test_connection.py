"""A port that misbehaves costs a test no more than its budget."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.errors import BoardLost
from pytest_embedbench.lab.ports.connection import Connection
from pytest_embedbench.lab.ports.discovery import PortQuery, ResolvedPort
from pytest_embedbench.lab.ports.reader import PortReader

if TYPE_CHECKING:
    from pytest_embedbench.lab.ports.opening import SerialHandle

HERE = ResolvedPort(
    query=PortQuery(port="/dev/ttyACM0"),
    address="/dev/ttyACM0",
    key="device-a600",
    reconnect=PortQuery(port="/dev/ttyACM0"),
)


@dataclass(slots=True)
class StubbornWire:
    """A port whose reads are quick and whose close takes as long as it likes."""

    trouble: Exception | None = None
    closes: threading.Event = field(default_factory=threading.Event)
    _awake: threading.Event = field(default_factory=threading.Event)

    def exchange(self, outgoing: bytes, wait_s: float) -> tuple[bytes, int]:
        if self.trouble is not None:
            raise self.trouble
        self._awake.wait(wait_s)
        return b"", len(outgoing)

    def wake(self) -> None:
        self._awake.set()

    def close(self) -> None:
        self.closes.wait()


def connected(wire: StubbornWire) -> Connection:
    def start(found: ResolvedPort) -> tuple[SerialHandle, PortReader]:
        del found
        return cast("SerialHandle", None), PortReader(wire, takes_within_s=1).start()

    return Connection(HERE, start, reappears_within_s=0, closes_within_s=0.05)


def test_a_port_that_does_not_close_costs_only_its_budget() -> None:
    # B6: an ESP32-C3's CDC took 30 seconds.
    wire = StubbornWire()
    connection = connected(wire)
    with pytest.raises(BoardLost, match=r"/dev/ttyACM0 does not close within 0\.05 s"):
        connection.close()
    wire.closes.set()


def test_a_reader_never_dies_in_silence() -> None:
    # U1, U2: whatever has ended it is told, if nobody ever thought of it.
    wire = StubbornWire(trouble=UnicodeDecodeError("ascii", b"\xff", 0, 1, "no"))
    wire.closes.set()
    with pytest.raises(BoardLost, match="'ascii' codec can't decode byte 0xff"):
        connected(wire).wait(5)
