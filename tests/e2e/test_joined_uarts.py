"""Boards whose UARTs are joined: simulated AVRs, programs of this machine, QEMU."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_embedbench.bench import joined_time
from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.connect_uarts import connect_uarts
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.engines.native import Native
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.errors import ConfigError, ExpectTimeout, FirmwareCrash
from pytest_embedbench.model import NO_IMAGE, Direction
from tests.e2e.avr_firmware import avr_image, boot, simavr
from tests.e2e.native_firmware import HEAD, NativeCompiler, needs_gcc
from tests.e2e.qemu_boards import Workshop, built, skip_unless_installed, workshop
from tests.support.pty_board import PtyBoard, spec_for

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import FirmwareImage
    from pytest_embedbench.testing import LoopbackUart
    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "built", "simavr", "workshop"]

LINES = 20
RELAY = """
#include <stdio.h>
#include <stdlib.h>
void firmware_main(void)
{
    char line[24];
    size_t used = 0;

    say("READY\\n");
    for (;;) {
        uint8_t byte;

        if (port_uart_read(&byte, 1, 1000) != 1) continue;
        if (byte != '\\n') {
            line[used < sizeof line - 1 ? used++ : used] = (char)byte;
            continue;
        }
        line[used] = '\\0';
        used = 0;
        if (line[0] == 'N' && atol(line + 1) < 20) {
            snprintf(line, sizeof line, "N %ld\\n", atol(line + 1) + 1);
            say(line);
        }
    }
}
"""


class Heard(NamedTuple):
    """A line of a transcript, in the time since the boards were joined."""

    since_us: int
    text: str


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> FirmwareImage:
    return NativeCompiler(tmp_path_factory.mktemp("relay")).firmware(HEAD + RELAY)


@pytest.fixture
def bench_of(tmp_path: Path) -> Iterator[Callable[[Board], Bench]]:
    benches: list[Bench] = []

    def make(board: Board) -> Bench:
        folder = tmp_path / f"{len(benches)}"
        folder.mkdir()
        benches.append(Bench(board, folder, plots=False))
        return benches[-1]

    yield make
    for bench in benches:
        bench.close()


def lines_of(bench: Bench, direction: Direction, joined_us: int) -> list[Heard]:
    return [
        Heard(line.at_us - joined_us, line.payload.decode())
        for _, line in bench.transcript.since(0)
        if line.direction is direction and line.at_us > joined_us
    ]


def joined(left: Bench, right: Bench) -> tuple[int, int]:
    """Join two boards of different ages, and return their times then."""
    left.run_for(30)
    for bench in (left, right):
        bench.expect("^READY$", within_ms=500)
    connect_uarts(left.uart, right.uart)
    return left.uart.now_us, right.uart.now_us


@needs_gcc
@pytest.mark.parametrize("partner", ["uno", "native"])
def test_each_byte_is_heard_at_the_microsecond_at_which_it_is_out(
    boot: Boot,
    relay: FirmwareImage,
    bench_of: Callable[[Board], Bench],
    partner: str,
) -> None:
    left = bench_of(boot("relay"))
    other = Registry().board("native")
    right = bench_of(boot("relay") if partner == "uno" else Native().boot(other, relay))
    begun_us = joined(left, right)
    left.send("N 0")
    left.expect(f"^N {LINES - 1}$", within_ms=100)
    right.expect(f"^N {LINES}$", within_ms=100)
    left.run_for(5)
    assert right.uart.now_us - left.uart.now_us == begun_us[1] - begun_us[0]
    for one, other_one in ((0, 1), (1, 0)):
        benches = left, right
        said = lines_of(benches[one], Direction.FROM_FIRMWARE, begun_us[one])
        heard = lines_of(benches[other_one], Direction.TO_FIRMWARE, begun_us[other_one])
        assert len(said) == LINES // 2
        assert said == heard[-len(said) :]
    for bench in (left, right):
        stamps = [line.at_us for _, line in bench.transcript.since(0)]
        assert stamps == sorted(stamps)


def test_boards_that_hear_each_other_directly_say_what_they_say_over_the_bench(
    boot: Boot,
    bench_of: Callable[[Board], Bench],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[list[bytes]] = []
    for directly in (True, False):
        if not directly:
            monkeypatch.setattr(joined_time, "together", lambda _boards: None)
        left, right = bench_of(boot("relay")), bench_of(boot("relay"))
        joined(left, right)
        left.send("N 0")
        left.expect("^N 7$", within_ms=100)
        right.reset()  # in the middle of what it says or hears
        right.wait_for_boot("^READY$")
        right.send("N 9")
        right.expect(f"^N {LINES}$", within_ms=100)
        left.run_for(25)
        seen.append([bench.transcript_path.read_bytes() for bench in (left, right)])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("directly", [True, False], ids=["directly", "over the bench"])
def test_a_board_that_has_died_hears_nothing_until_it_is_reset(
    boot: Boot,
    bench_of: Callable[[Board], Bench],
    monkeypatch: pytest.MonkeyPatch,
    directly: bool,  # noqa: FBT001  # a parameter
) -> None:
    if not directly:
        monkeypatch.setattr(joined_time, "together", lambda _boards: None)
    dies, lives = bench_of(boot("faults", "-DFAULT=1")), bench_of(boot("relay"))
    connect_uarts(dies.uart, lives.uart)
    lives.run_for(19)
    lives.send("N 0")
    lives.run_for(81)
    with pytest.raises(FirmwareCrash, match=r"at 20\.522 ms"):
        dies.run_for(1)
    lives.send("N 1")
    lives.run_for(100)
    dies.reset()
    dies.run_for(3)
    lives.run_for(10)
    heard = lines_of(dies, Direction.TO_FIRMWARE, 0)
    assert heard == [Heard(520, "READY"), Heard(19_687, "N 1")]
    heard = lines_of(lives, Direction.TO_FIRMWARE, 0)
    assert [line.text for line in heard] == ["BOOT 1", "N 0", "N 1", "BOOT 2"]


@needs_gcc
@pytest.mark.parametrize("partner", ["uno", "native"])
def test_a_sender_at_another_speed_is_not_understood_and_named(
    boot: Boot,
    relay: FirmwareImage,
    bench_of: Callable[[Board], Bench],
    partner: str,
) -> None:
    slow = bench_of(boot("relay", "-DDIVISOR=207"))  # 9,615 Bd
    other = Registry().board("native")
    right = bench_of(boot("relay") if partner == "uno" else Native().boot(other, relay))
    slow.expect("^READY$", within_ms=500)
    connect_uarts(slow.uart, right.uart)
    slow.send("N 0")
    slow.expect("^N 1$", within_ms=100)
    with pytest.raises(ExpectTimeout):
        right.expect("^N 2$", within_ms=20)
    notes = "\n".join(right.uart.recorder.board.notes)
    assert "the other board sends at about 9620 Bd" in notes
    assert "a real one would read garbage" in notes


def test_a_sender_that_is_faster_than_its_datasheet_says_is_refused(
    boot: Boot, bench_of: Callable[[Board], Bench]
) -> None:
    fast, right = bench_of(boot("relay", "-DDIVISOR=1")), bench_of(boot("relay"))
    connect_uarts(fast.uart, right.uart)
    advice = r"uno.serial0 says a byte in 10 us, faster than the 115200 Bd .*monitor_sp"
    with pytest.raises(ConfigError, match=advice):
        right.run_for(10)


def test_who_speaks_at_once_on_a_bus_is_named(
    boot: Boot, bench_of: Callable[[Board], Bench]
) -> None:
    benches = [bench_of(boot("relay")) for _ in range(3)]
    connect_uarts(*[bench.uart for bench in benches])
    first, second, third = benches
    third.run_for(20)  # all say READY at once
    log = third.transcript_path.read_text()
    assert "uno.serial0 (no. 1 of 3) and uno.serial0 (no. 2 of 3) spoke at once" in log
    second.send("N 18")
    first.expect(f"^N {LINES}$", within_ms=100)
    assert third.transcript_path.read_text().count("spoke at once") == 1


def test_the_others_go_on_without_a_board_that_is_closed(
    boot: Boot, bench_of: Callable[[Board], Bench]
) -> None:
    left, right = bench_of(boot("relay")), bench_of(boot("relay"))
    joined(left, right)
    right.close()
    left.send("N 0")
    left.expect("^N 1$", within_ms=50)
    left.expect_silence(for_ms=50)
    log = left.transcript_path.read_text()
    assert "serial0 hears no more: uno.serial0 has been closed" in log


def test_equal_runs_of_an_emulated_board_and_a_simulated_one_are_equal(
    boot: Boot, workshop: Workshop, bench_of: Callable[[Board], Bench]
) -> None:
    skip_unless_installed("qemu-stm32f405")
    runs: list[list[list[Heard]]] = []
    for _ in range(2):
        left = bench_of(workshop.boot("qemu-stm32f405", RELAY))
        right = bench_of(boot("relay"))
        begun_us = joined(left, right)
        left.send("N 0")
        right.expect(f"^N {LINES}$", within_ms=300)
        left.run_for(5)
        runs.append(
            [
                lines_of(bench, direction, since_us)
                for bench, since_us in zip((left, right), begun_us, strict=True)
                for direction in (Direction.FROM_FIRMWARE, Direction.TO_FIRMWARE)
            ]
        )
    assert runs[0] == runs[1]
    said, heard, others, hears = ([line.text for line in part] for part in runs[0])
    assert said == hears == [f"N {n}" for n in range(1, LINES, 2)]
    assert others == heard[-len(others) :] == [f"N {n}" for n in range(2, LINES + 1, 2)]


def counts_on(uart: LoopbackUart) -> Generator[int, None, None]:
    """Whoever hears ``N`` and a number says the next one, up to LINES."""
    heard = b""
    while True:
        *lines, heard = (heard + uart.read()).split(b"\n")
        for number in [int(line[2:]) for line in lines if line.startswith(b"N ")]:
            if number < LINES:
                uart.write(b"N %d\n" % (number + 1))
        yield 1


def test_a_real_board_and_a_simulated_one_talk_in_host_time(
    boot: Boot,
    bench_of: Callable[[Board], Bench],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))
    desk = PtyBoard(counts_on)
    try:
        real = bench_of(SerialPort().boot(spec_for(desk.path), NO_IMAGE))
        simulated = bench_of(boot("relay"))
        simulated.expect("^READY$", within_ms=100)
        connect_uarts(real.uart, simulated.uart)
        simulated.send("N 0")
        real.expect(f"^N {LINES}$", within_ms=20_000)
        numbers = [int(line[2:]) for line in simulated.uart.heard() if line[0] == "N"]
        assert numbers == list(range(1, LINES, 2))
        real.close()
        simulated.expect_silence(for_ms=20)  # and goes on alone, in its own time
    finally:
        desk.close()
