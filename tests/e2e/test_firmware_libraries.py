"""The port and the shell behave alike on every board, built by PlatformIO."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.builders.platformio.core_setup import CoreSetup
from pytest_embedbench.contracts import Board
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.model import Chunk, FirmwareImage, FirmwareSource

EXACT = ("native", "uno", "mega")
"""Boards whose bytes take their time on the wire, to the microsecond."""
IN_TICKS = {
    "qemu-stm32f405": "qemu_stm32",
    "qemu-esp32": "esp32dev",
    "qemu-esp32c3": "esp32c3",
}
"""Boards that are looked at once in 10 ms, and the environments that they build."""
TANK = Path(__file__).parents[2] / "example_suites" / "tank_fill_drain"
BOOT_LINES = [b"DBG BOOTED\n", b"ACT PUMP OFF\n", b"DBG STATE SAFE_OFF\n"]
ON = [b"ACT PUMP ON\n", b"DBG STATE PUMPING\n"]
OFF = [b"ACT PUMP OFF\n", b"DBG STATE SAFE_OFF\n"]
TOO_LONG = b"DBG RX_LINE_TOO_LONG\n"
HEARTBEAT = b"DBG HEARTBEAT\n"

INI = """
[env:native]
platform = native
[env:uno]
platform = atmelavr
board = uno
[env:mega]
platform = atmelavr
board = megaatmega2560
"""
ECHO = r"""
#include "embedbench_port.h"

#include <stdlib.h>
#include <string.h>

static void say(const char *text)
{
    port_uart_write((const uint8_t *)text, strlen(text));
}

static void say_now(void)
{
    char number[12];

    say(ultoa_(port_now_ms(), number));
    say(" ");
}

void firmware_main(void)
{
    static uint8_t bytes[64];

    for (;;) {
        size_t count = port_uart_read(bytes, sizeof bytes, 50);

        if (count > 0 && bytes[0] == 'd') {
            say_now();
            port_delay_ms(123);
            say_now();
            say("slept\n");
        } else if (count > 0) {
            say_now();
            port_uart_write(bytes, count);
            say("\n");
        }
    }
}
"""
# Neither avr-libc nor glibc has this under the same name.
NUMBER = r"""
static char *ultoa_(unsigned long number, char *text)
{
    char digits[12];
    int count = 0;
    char *end = text;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) *end++ = digits[--count];
    *end = '\0';
    return text;
}
"""


@pytest.fixture(scope="module")
def build(
    seeded: CoreSetup, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[FirmwareSource], FirmwareImage]:
    folder = tmp_path_factory.mktemp("libraries")
    builder = PlatformIO(
        core_dir=seeded.core_dir, cache_dir=folder / "cache", offline=True
    )
    images: dict[tuple[Path, str], FirmwareImage] = {}

    def build_once(source: FirmwareSource) -> FirmwareImage:
        key = (source.project_dir, source.environment)
        if key not in images:
            images[key] = builder.build(source, folder / f"{len(images)}")
        return images[key]

    return build_once


@pytest.fixture(scope="module")
def echo_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("echo")
    (project / "src").mkdir()
    (project / "platformio.ini").write_text(INI)
    (project / "src" / "main.c").write_text(NUMBER + ECHO)
    return project


@pytest.fixture(params=(*EXACT, *IN_TICKS))
def boot(
    request: pytest.FixtureRequest,
    build: Callable[[FirmwareSource], FirmwareImage],
) -> Iterator[Callable[[FirmwareSource], Board]]:
    registry = Registry()
    spec = registry.board(request.param)
    engine = registry.engine(spec.engine)
    if (missing := engine.missing()) is not None:
        pytest.skip(str(missing))
    boards: list[Board] = []

    def boot_one(source: FirmwareSource) -> Board:
        environment = IN_TICKS.get(request.param, request.param)
        try:
            image = build(source.for_environment(environment))
        except ToolMissing as missing:
            pytest.skip(str(missing))
        boards.append(engine.boot(spec, image))
        return boards[-1]

    yield boot_one
    for board in boards:
        board.close()


@pytest.fixture
def tank(boot: Callable[[FirmwareSource], Board]) -> Board:
    """The reference solution, booted, its boot output read."""
    surface = ("src/controller.c", "src/controller.h")
    overlay = {name: TANK / "solution" / name for name in surface}
    board = boot(FirmwareSource(project_dir=TANK, overlay=overlay))
    board.advance(30)
    assert said(board)[-len(BOOT_LINES) :] == BOOT_LINES  # behind what a ROM says
    return board


@pytest.fixture
def echo(boot: Callable[[FirmwareSource], Board], echo_project: Path) -> Board:
    board = boot(FirmwareSource(project_dir=echo_project))
    board.advance(10)  # until its UART is up, it hears nothing
    return board


def said(board: Board) -> list[bytes]:
    return [chunk.data for chunk in board.link().receive()]


def ask(board: Board, data: bytes, within_ms: int = 100) -> list[bytes]:
    board.link().send(data)
    board.advance(within_ms)
    return said(board)


# ------------------------------------------------------------------------------ port
exact = pytest.mark.parametrize("boot", EXACT, indirect=True)


@exact
def test_the_clock_moves_in_ticks_of_10_ms(echo: Board) -> None:
    for offset_ms in (0, 3, 9):
        echo.advance(100 + offset_ms)
        (answer,) = ask(echo, b"x")
        read_ms = int(answer.split()[0])
        assert read_ms % 10 == 0
        assert 0 <= echo.now_us() // 1000 - 50 - read_ms <= 10


@exact
def test_a_read_ends_50_ms_after_the_last_byte(echo: Board) -> None:
    for pause_ms in (7, 20, 45):
        echo.advance(100 + pause_ms)
        echo.link().send(b"a")
        echo.advance(pause_ms)
        sent_us = echo.now_us()
        echo.link().send(b"b")
        echo.advance(100)
        chunks: list[Chunk] = list(echo.link().receive())
        text = chunks[-1].data
        assert text.endswith(b" ab\n")
        spent_us = chunks[-1].at_us - sent_us - 87 * (1 + len(text))
        assert 49_900 <= spent_us < 50_300


@exact
def test_a_full_buffer_ends_a_read_and_the_rest_is_kept(echo: Board) -> None:
    answers = ask(echo, b"x" * 64 + b"y" * 64, within_ms=150)
    assert [answer.split()[1] for answer in answers] == [b"x" * 64, b"y" * 64]
    assert int(answers[0].split()[0]) < 50


@exact
def test_a_delay_is_exact_to_a_tick(echo: Board) -> None:
    (answer,) = ask(echo, b"d", within_ms=300)
    before_ms, after_ms, _ = answer.split()
    assert int(after_ms) - int(before_ms) in (120, 130)


# ----------------------------------------------------------------------------- shell
def test_a_line_is_always_answered_and_silence_is_not(tank: Board) -> None:
    assert ask(tank, b"SENSE LEVEL 20\n") == ON
    assert ask(tank, b"SENSE LEVEL 20\n") == ON
    tank.advance(500)
    assert said(tank) == []


def test_lines_that_mean_nothing_get_no_answer(tank: Board) -> None:
    assert ask(tank, b"HELLO WORLD\nSENSE TEMP 20\n\n\r\n \nDBG BOOTED\n") == []


def test_carriage_returns_are_dropped_wherever_they_are(tank: Board) -> None:
    # U5: CRLF, lone CR, LFCR, split CR|LF
    assert ask(tank, b"SENSE LEVEL 20\r\n") == ON
    assert ask(tank, b"\n\rSENSE LEV\rEL 85\n") == OFF
    assert ask(tank, b"SENSE LEVEL 20\r") == []
    assert ask(tank, b"\n") == ON


def test_a_line_may_come_in_pieces(tank: Board) -> None:
    for piece in (b"SEN", b"SE LEVEL", b" 2"):
        assert ask(tank, piece) == []
    assert ask(tank, b"0\n") == ON


def test_lines_that_come_together_are_answered_in_order(tank: Board) -> None:
    burst = b"SENSE LEVEL 20\nSENSE LEVEL 85\nFAULT SENSOR_TIMEOUT\nSENSE LEVEL 1\n"
    assert ask(tank, burst) == ON + OFF + OFF + ON


def test_127_characters_are_a_line_and_128_are_too_many(tank: Board) -> None:
    padded = b"SENSE LEVEL 20".ljust(127)
    assert ask(tank, padded + b"\n") == ON
    assert ask(tank, padded + b" \n") == [TOO_LONG]
    assert ask(tank, b"SENSE LEVEL 85\n") == OFF


def test_what_follows_an_overflow_is_a_line_of_its_own(tank: Board) -> None:
    assert ask(tank, b"x" * 128 + b"SENSE LEVEL 20\n") == [TOO_LONG, *ON]


def test_a_long_burst_is_read_to_its_end(tank: Board) -> None:
    answers = ask(tank, b"x" * 128 * 8 + b"SENSE LEVEL 20\n", within_ms=300)
    assert answers == [TOO_LONG] * 8 + ON


def test_garbage_is_survived(tank: Board) -> None:
    # U2, U4: junk before a good frame costs that line at most.
    junk = bytes(byte for byte in range(256) if byte != ord("\n"))[:120]
    assert ask(tank, junk + b"\n" + junk[::-1] + b"\n") == []
    assert ask(tank, bytes(range(128, 240)) + b"\nSENSE LEVEL 20\n") == ON


def test_a_stale_level_is_reported_by_an_idle_step(tank: Board) -> None:
    sent_us = tank.now_us()
    assert ask(tank, b"SENSE LEVEL 20\n") == ON
    tank.advance(890)
    assert said(tank) == []
    tank.advance(160)
    chunks = [c for c in tank.link().receive() if c.data != HEARTBEAT]
    assert [chunk.data for chunk in chunks] == OFF
    assert 1_000_000 < chunks[0].at_us - sent_us < 1_150_000


def test_the_heart_beats_every_second(tank: Board) -> None:
    tank.advance(10_000)
    chunks = tank.link().receive()
    assert [chunk.data for chunk in chunks] == [HEARTBEAT] * 10
    stamps = [chunk.at_us for chunk in chunks]
    gaps = [later - stamp for stamp, later in pairwise(stamps)]
    assert all(1_000_000 <= gap < 1_070_000 for gap in gaps)
