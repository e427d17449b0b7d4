"""A port that misbehaves costs a test no more than its budget."""

from __future__ import annotations

import errno
import os
import socket
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import BoardLost
from pytest_embedbench.lab.ports.connection import Connection
from pytest_embedbench.lab.ports.discovery import PortQuery, ResolvedPort
from pytest_embedbench.lab.ports.reader import PortReader
from pytest_embedbench.lab.ports.stream import SelectStream

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


class Nothing:
    """What is closed beside a descriptor."""

    def reset_output_buffer(self) -> None: ...

    def close(self) -> None: ...


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


@dataclass(slots=True)
class GoneReader:
    """A reader whose port went ``gone_in_s`` from now, and that is back at once."""

    gone_in_s: float
    failure: Exception | None = field(
        default_factory=lambda: OSError(errno.EIO, "it has hung up")
    )
    failed_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.failed_s = host_now_s() + self.gone_in_s

    def settle(self) -> None: ...

    def take(self) -> list[object]:
        return []

    def unsent(self) -> bytes:
        return b""

    def send(self, data: bytes) -> None: ...

    def wait(self, duration_s: float) -> bool:
        del duration_s
        return self.failure is not None


def absences_after_a_reset(*gone_in_s: float) -> int:
    """Return how many absences are held against a board that was just reset."""
    readers = iter([*map(GoneReader, gone_in_s), GoneReader(0, failure=None)])

    def start(found: ResolvedPort) -> tuple[SerialHandle, PortReader]:
        del found
        return cast("SerialHandle", None), cast("PortReader", next(readers))

    here = replace(HERE, reconnect=PortQuery(port="loop://"))
    connection = Connection(here, start, reappears_within_s=60)
    connection.begin_reset()
    connection.end_reset()
    for _ in gone_in_s:
        connection.await_back()
    return len(connection.absences)


def test_a_port_that_goes_with_a_reset_is_excused_and_so_is_a_bootloader_after() -> (
    None
):
    assert absences_after_a_reset(0.1) == 0
    assert absences_after_a_reset(0.1, 8) == 0


def test_a_port_that_stays_when_its_board_is_reset_has_no_excuse_later() -> None:
    # A plug that was pulled soon after was the firmware's fault.
    assert absences_after_a_reset(5) == 1
    assert absences_after_a_reset(0.1, 61) == 1


def test_a_port_that_hung_up_says_so_whatever_has_its_name_now() -> None:
    board, port = os.openpty()
    stream = SelectStream(Nothing(), port)
    os.close(board)
    with pytest.raises(OSError, match="it has hung up") as gone:
        stream.exchange(b"", 5)
    assert gone.value.errno == errno.EIO
    stream.close()
    os.close(port)


def test_a_connection_that_the_server_ends_is_told_as_that() -> None:
    server, client = socket.socketpair()
    with client:
        server.close()
        stream = SelectStream(Nothing(), client.fileno())
        with pytest.raises(OSError, match="the other side has closed it"):
            stream.exchange(b"", 5)
        stream.close()
