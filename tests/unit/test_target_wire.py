"""What goes over the UART to a driver on a board: as little as will do."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import pytest

from pytest_embedbench.errors import ConfigError, FirmwareCrash, FirmwareReset
from pytest_embedbench.grading.target import wire
from pytest_embedbench.grading.target.talk import Talk
from pytest_embedbench.grading.target.wire import HELLO, Wire
from pytest_embedbench.grading.task import ControllerApi
from pytest_embedbench.model import BoardSpec, Chunk, UartSpec

API = ControllerApi(
    kinds=("LEVEL", "FAULT"),
    values=("level", "flow"),
    actuators=("pump_on", "drain_open"),
    serialisers=("pump",),
    states=("SAFE", "BUSY", "DONE"),
)
SPEC = BoardSpec(
    name="slow",
    engine="none",
    mcu="none",
    cpu_hz=1,
    uarts=(UartSpec(name="uart0", baud_bps=115_200),),
    environments=(),
)


def packed(*rows: tuple[int, ...]) -> bytes:
    """Return rows as the host stage has them: kind, time, two values."""
    return b"".join(
        struct.pack("=iIii", kind, now_ms, *[*values, 0, 0][:2])
        for kind, now_ms, *values in rows
    )


def sent(*rows: tuple[int, ...], one_by_one: bool = False) -> list[bytes]:
    requests = Wire(API).steps(packed(*rows), one_by_one=one_by_one)
    return [request.data for request in requests]


@pytest.mark.parametrize(
    ("row", "data"),
    [
        pytest.param((0, 0), b"\x80", id="idle-at-once"),
        pytest.param((0, 50), b"\xa0\x32", id="idle"),
        pytest.param((1, 50, 20), b"\xb1\x32\x14\x00", id="a-value"),
        pytest.param((2, 300), b"\xc2\x2c\x01", id="later-by-16-bits"),
        pytest.param((0, 1 << 31), b"\xe0\x00\x00\x00\x80", id="later-by-32-bits"),
        pytest.param((1, 0, 254), b"\x91\xfe\xfe\x00\x00", id="a-value-of-16-bits"),
        pytest.param((1, 0, -1), b"\x91\xfe\xff\xff\x00", id="a-negative-value"),
        pytest.param(
            (1, 0, 65_556), b"\x91\xff\x14\x00\x01\x00\x00", id="a-value-of-32-bits"
        ),
        pytest.param((20, 0), b"\x8f\x14", id="more-kinds-than-a-nibble-has"),
    ],
)
def test_a_row_is_as_short_as_it_can_be(row: tuple[int, ...], data: bytes) -> None:
    assert sent(row) == [data]


def test_rows_that_come_again_are_told_by_how_many_and_how_often() -> None:
    period = [(0, 50), (1, 50, 20)]
    rows = [
        (kind, now_ms + 50 * n, *values)
        for n in range(100)
        for kind, now_ms, *values in period
    ]
    assert sent(*rows) == [b"\xa0\x32", b"\x91\x14\x00", b"\x04\x02\x63"]
    assert len(sent(*rows, one_by_one=True)) == 200


def test_time_goes_on_over_requests_until_the_driver_is_restarted() -> None:
    spoken = Wire(API)
    first, second = (
        next(iter(spoken.steps(packed((0, now_ms))))).data for now_ms in (100, 150)
    )
    assert (first, second) == (b"\xa0\x64", b"\xa0\x32")
    spoken.restart()
    assert next(iter(spoken.steps(packed((0, 100))))).data == first


def test_answers_come_back_as_the_host_stages_driver_gives_them() -> None:
    busy = (2 << 2 | 0b10) << 1 | 1  # BUSY, the pump on, changed
    unknown = 0
    answer = Wire(API).stepped([bytes((busy,)), bytes((3, unknown, 1, busy))])
    one = struct.pack("=BbBB", 1, 1, 1, 0)
    none = struct.pack("=BbBB", 0, -1, 0, 0)
    assert answer == one + 3 * none + one


def test_what_the_driver_has_no_room_for_is_told() -> None:
    with pytest.raises(ConfigError, match=r"a line of 241 bytes: .* host_only"):
        wire.parse(API, b"x" * 241)
    with pytest.raises(ConfigError, match="a buffer of 256 bytes"):
        wire.serialise(struct.pack("=iiI", 0, 1, 256))


@dataclass
class Scripted:
    """A board whose driver says what the test says, in one piece each millisecond."""

    says: list[bytes]
    spec: BoardSpec = SPEC
    heard: bytearray = field(default_factory=bytearray)
    _due: list[Chunk] = field(default_factory=list[Chunk])

    def link(self, uart: str = "") -> Scripted:
        del uart
        return self

    def send(self, data: bytes) -> None:
        self.heard += data

    def receive(self) -> list[Chunk]:
        due, self._due = self._due, []
        return due

    def now_us(self) -> int:
        return 0

    def advance(self, duration_ms: int) -> None:
        del duration_ms
        if self.says:
            self._due.append(Chunk(0, self.says.pop(0)))

    def close(self) -> None:
        """Nothing is open."""


def talk(*says: bytes) -> Talk:
    rows = [*Wire(API).steps(packed((0, 50), (1, 75, 20), (0, 100)))]
    return Talk(
        Scripted([*says]),
        [lambda _: "in controller_init"],
        rows,
        lambda begun: f"in step {begun}",
    )


def test_a_talk_ends_with_all_answers_however_they_come_in() -> None:
    assert talk(b"\x01", b"\x07", b"\x08\x09", b"\x05").run() == [
        b"\x07",
        b"\x08",
        b"\x09",
    ]


@pytest.mark.parametrize(
    ("says", "step"),
    [
        pytest.param([HELLO + b"\x06"], "in controller_init", id="in-init"),
        pytest.param([b"\x01\x07", HELLO + b"\x06"], "in step 2", id="in-a-step"),
    ],
)
def test_a_board_that_restarts_in_the_middle_is_told_with_the_step(
    says: list[bytes], step: str
) -> None:
    with pytest.raises(FirmwareReset, match=f"{step}: slow has restarted"):
        talk(*says).run()


def test_bytes_that_nobody_asked_for_are_the_submissions() -> None:
    with pytest.raises(FirmwareCrash, match="it writes to the UART of slow itself"):
        talk(b"\x01\x07?\x08\x09\x05").run()
