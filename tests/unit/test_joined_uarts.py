"""Boards whose UARTs are joined live in one time, and their plants with them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from embedbench_plants.tank_fill_drain import TankFillDrain
from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.connect_uarts import connect_uarts
from pytest_embedbench.bench.coupling import Coupling
from pytest_embedbench.errors import BoardLost, ConfigError, FirmwareCrash
from pytest_embedbench.model import Direction
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    LoopbackBoard,
    LoopbackUart,
    tank_firmware,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    PutOnBench = Callable[..., Bench]


def counts(uart: LoopbackUart) -> Generator[int, None, None]:
    """Whoever hears a number says the next one."""
    while True:
        for line in uart.read().split():
            uart.write(b"%d\n" % (int(line) + 1))
        yield 1


def forwards(uart: LoopbackUart) -> Generator[int, None, None]:
    """What comes in goes out, as from a node that only passes on what it senses."""
    while True:
        uart.write(uart.read())
        yield 1


def quiet(uart: LoopbackUart) -> Generator[int, None, None]:
    del uart
    yield 1000


def crashes(uart: LoopbackUart) -> Generator[int, None, None]:
    yield 30
    uart.write(b"last words\n")
    raise FirmwareCrash("the firmware ran away")


def heard_by(bench: Bench) -> list[tuple[int, str]]:
    return [
        (line.at_us, line.payload.decode())
        for _, line in bench.transcript.since(0)
        if line.direction is Direction.TO_FIRMWARE
    ]


@pytest.mark.parametrize("exact", [True, False])
def test_two_boards_talk_and_each_transcript_has_both_directions(
    on_bench: PutOnBench,
    exact: bool,  # noqa: FBT001  # a parameter
) -> None:
    left, right = on_bench(counts, "left"), on_bench(counts, "right", exact=exact)
    left.run_for(40)
    connect_uarts(left.uart, right.uart)
    left.send("0")
    right.expect("^10$", within_ms=30)
    assert left.uart.heard()[:5] == ["1", "3", "5", "7", "9"]
    assert [text for _, text in heard_by(right)][:3] == ["1", "3", "5"]
    assert right.uart.now_us == left.uart.now_us - 40_000
    texts = [line.payload.decode() for _, line in left.transcript.since(0)]
    assert texts[:4] == ["uart0 is joined to right.uart0", "0", "1", "2"]


def test_on_a_bus_each_hears_all_others(on_bench: PutOnBench) -> None:
    benches = [on_bench(firmware) for firmware in (forwards, quiet, quiet)]
    connect_uarts(*[bench.uart for bench in benches])
    benches[0].send("hello")
    benches[2].run_for(10)
    for bench in benches[1:]:
        assert [text for _, text in heard_by(bench)] == ["hello"]
    assert benches[0].uart.heard() == ["hello"]


@pytest.mark.parametrize("leader", ["tank", "other"])
def test_a_plant_lives_along_whoever_waits(on_bench: PutOnBench, leader: str) -> None:
    tank, other = on_bench(tank_firmware), on_bench(quiet)
    connect_uarts(tank.uart, other.uart)
    tank.wait_for_boot()
    loop = tank.connect(TankFillDrain(level=20))
    (tank if leader == "tank" else other).run_for(777)
    alone = on_bench(tank_firmware)
    alone.wait_for_boot()
    same = alone.connect(TankFillDrain(level=20))
    alone.run_for(777)
    assert loop.samples == same.samples
    assert loop.replies == same.replies
    assert loop.stimuli == same.stimuli


def test_one_board_senses_a_plant_and_the_other_acts(on_bench: PutOnBench) -> None:
    node, controller = on_bench(forwards), on_bench(tank_firmware)
    connect_uarts(node.uart, controller.uart)
    controller.wait_for_boot()
    acts = Coupling(sensed_by=node.uart)
    loop = controller.connect(TankFillDrain(level=20), coupling=acts)
    controller.expect("^ACT PUMP ON$", within_ms=300)
    node.run_for(500)
    assert loop.state.pump_on
    assert loop.state.level > 20
    assert "SENSE LEVEL 20" in [text for _, text in heard_by(controller)]
    assert "SENSE LEVEL 20" in node.uart.heard()


def test_a_crash_is_the_fault_of_its_own_board(on_bench: PutOnBench) -> None:
    dies, lives = on_bench(crashes), on_bench(quiet)
    connect_uarts(dies.uart, lives.uart)
    lives.run_for(100)
    assert dies.uart.heard() == ["last words"]
    with pytest.raises(FirmwareCrash, match="ran away"):
        dies.run_for(1)
    lives.run_for(100)
    assert lives.uart.now_us == 200_000


def test_a_board_that_is_closed_says_so_and_the_other_goes_on(
    on_bench: PutOnBench,
) -> None:
    closed, lives = on_bench(quiet), on_bench(quiet)
    connect_uarts(closed.uart, lives.uart)
    closed.close()
    with pytest.raises(BoardLost, match="is closed"):
        closed.run_for(10)
    with pytest.raises(BoardLost, match="is closed"):
        closed.expect("anything", within_ms=10)
    assert lives.uart.now_us == 0
    lives.run_for(10)
    assert lives.uart.now_us == 10_000


def test_what_cannot_be_joined_is_told_in_a_sentence(on_bench: PutOnBench) -> None:
    one, two, three, four = (on_bench(counts, name) for name in ("a", "b", "c", "d"))
    closed = on_bench(counts, "e")
    closed.close()
    connect_uarts(one.uart, two.uart)
    refused = partial(pytest.raises, ConfigError)
    with refused(match="no UART of a bench; give bench.uart"):
        connect_uarts(three, four.uart)  # type: ignore[arg-type]
    with refused(match="of two benches or more"):
        connect_uarts(three.uart)
    with refused(match=r"c.uart0 and c.uart0 are of one board"):
        connect_uarts(three.uart, three.uart)
    with refused(match=r"a.uart0 is joined already; name all of a bus in one call"):
        connect_uarts(one.uart, three.uart)
    with refused(match=r"e.uart0 hears nobody: the loopback board is closed"):
        connect_uarts(three.uart, closed.uart)
    connect_uarts(three.uart, four.uart)
    three.run_for(10)


def test_speeds_that_are_known_and_differ_are_refused(tmp_path: Path) -> None:
    benches: list[Bench] = []
    for bps in (9_600, 115_200):
        (uart,) = LOOPBACK_SPEC.uarts
        said = (replace(uart, baud_bps=bps, said_by="test"),)
        folder = tmp_path / f"{bps}"
        folder.mkdir()
        board = LoopbackBoard(replace(LOOPBACK_SPEC, uarts=said), counts)
        benches.append(Bench(board, folder, plots=False))
    with pytest.raises(ConfigError, match="at 9600 and 115200 Bd: give both"):
        connect_uarts(*[bench.uart for bench in benches])
    for bench in benches:
        bench.close()


def test_a_plant_is_sensed_in_one_place_by_a_uart() -> None:
    with pytest.raises(ConfigError, match="sensed_by = 'left': give a bench's uart"):
        Coupling(sensed_by="left")  # type: ignore[arg-type]
