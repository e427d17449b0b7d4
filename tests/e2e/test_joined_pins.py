"""Boards whose pins are joined: what one does at its pin, the other sees."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from vcd.reader import TokenKind, tokenize

from pytest_embedbench.bench import joined_time
from pytest_embedbench.bench.connect_pins import WIRE_DELAY_US, connect_pins
from pytest_embedbench.bench.connect_uarts import connect_uarts
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.errors import ConfigError, PinContention
from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, boot, simavr
from tests.e2e.test_joined_uarts import bench_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.contracts import Board
    from tests.e2e.avr_firmware import Boot

    BenchOf = Callable[[Board], Bench]

__all__ = ["avr_image", "bench_of", "boot", "simavr"]

PULSES = 5
LONELY = {
    "version": 1,
    "parts": [{"type": "wokwi-arduino-uno", "id": "uno"}],
    "connections": [],
}


def edges_of(bench: Bench, pin: str) -> list[tuple[int, Level]]:
    return [(edge.at_us, edge.level) for edge in bench.pins.events if edge.pin == pin]


def waves_of(path: Path) -> dict[str, list[tuple[int, Level]]]:
    """Return the edges in a file, as somebody else reads it."""
    levels = {"0": Level.LOW, "1": Level.HIGH, "z": Level.FLOATING}
    names, at_us = dict[str, str](), 0
    edges: dict[str, list[tuple[int, Level]]] = {}
    with path.open("rb") as file:
        for token in tokenize(file):
            if token.kind is TokenKind.VAR:
                names[token.var.id_code] = token.var.reference
            elif token.kind is TokenKind.CHANGE_TIME:
                at_us = token.time_change
            elif token.kind is TokenKind.CHANGE_SCALAR:
                pin = names[token.scalar_change.id_code]
                edges.setdefault(pin, []).append(
                    (at_us, levels[token.scalar_change.value])
                )
    return {pin: changes[1:] for pin, changes in edges.items()}  # without the start


def test_pulses_cross_exactly_and_equally_each_time(
    boot: Boot, bench_of: BenchOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pulses_cross(boot, bench_of)
    assert pulses_cross(boot, bench_of) == first
    monkeypatch.setattr(joined_time, "together", lambda _boards: None)
    assert pulses_cross(boot, bench_of) == first  # with the bench between them


def pulses_cross(boot: Boot, bench_of: BenchOf) -> list[bytes]:
    """Have pulses cross that an interrupt counts; return what benches have left."""
    node = bench_of(boot("beats", "-DROLE=0"))
    controller = bench_of(boot("beats", "-DROLE=1"))
    node.run_for(7)
    connect_pins((node, "D7"), (controller, "D2"))
    connect_pins((node, "D3"), (controller, "D3"), wire_delay_us=50)
    for bench in (node, controller):
        bench.expect("^READY$", within_ms=10)
    older_us = node.uart.now_us - controller.uart.now_us
    node.send("G")
    node.expect("^D3 0$", within_ms=20)  # pulled low by the other, against a pull-up
    controller.send("?")
    controller.expect(f"^EDGES {PULSES}$", within_ms=10)
    said = [each for each in edges_of(node, "D7") if each[0] > older_us]
    seen = edges_of(controller, "D2")[-len(said) :]
    assert len(said) == 2 * PULSES
    crossed = [(at_us - older_us + WIRE_DELAY_US, level) for at_us, level in said]
    assert crossed == seen
    (pulled,) = [at for at, level in edges_of(controller, "D3") if level is Level.LOW]
    assert (pulled + older_us + 50, Level.LOW) in edges_of(node, "D3")
    controller.reset()  # and so lets go of the line
    node.run_for(1)
    assert edges_of(node, "D3")[-1][1] is Level.HIGH
    edges = {pin: edges_of(node, pin) for pin in ("D7", "D3")}
    node.close()
    assert waves_of(node.folder / "pins.vcd") == edges
    assert edges_of(controller, "D3")[-1][1] is Level.HIGH  # the node's pull-up
    controller.run_for(1)
    assert edges_of(controller, "D3")[-1][1] is Level.FLOATING
    controller.close()
    return [
        (bench.folder / name).read_bytes()
        for bench in (node, controller)
        for name in ("transcript.log", "pins.vcd")
    ]


def test_pwm_crosses_edge_by_edge(boot: Boot, bench_of: BenchOf) -> None:
    dimmer = bench_of(boot("beats", "-DROLE=3"))
    counter = bench_of(boot("beats", "-DROLE=1"))
    dimmer.run_for(3)  # it has begun by then
    connect_pins((dimmer, "D6"), (counter, "D2"))
    dimmer.run_for(20)
    rises = [at for at, level in edges_of(counter, "D2") if level is Level.HIGH]
    falls = [at for at, level in edges_of(counter, "D2") if level is Level.LOW]
    assert {after - at for at, after in pairwise(rises)} == {1024}
    assert falls[-1] - rises[-1] in {256, 256 - 1024}
    counter.send("?")
    counter.expect("^EDGES (19|2[0-9])$", within_ms=10)


def test_edges_of_one_microsecond_stay_in_order(boot: Boot, bench_of: BenchOf) -> None:
    quick = bench_of(boot("beats", "-DROLE=3"))
    counter = bench_of(boot("beats", "-DROLE=1"))
    connect_pins((quick, "D7"), (counter, "A0"))
    quick.expect("^READY$", within_ms=10)
    quick.send("G")
    quick.run_for(2)
    counter.send("?")
    counter.expect("^A0 1023$", within_ms=10)
    quick.reset()  # an output that is high passes a pull-up on its way to nothing
    counter.run_for(1)
    said, seen = edges_of(quick, "D7"), edges_of(counter, "A0")
    assert [level for _, level in said][1:4] == [Level.HIGH, Level.LOW, Level.HIGH]
    assert said[3][0] - said[1][0] <= 1
    crossed = [(at_us + WIRE_DELAY_US, level) for at_us, level in said]
    assert seen[: len(crossed)] == crossed
    assert said[4][1] is Level.FLOATING


def test_two_outputs_against_each_other_are_a_fault(
    boot: Boot, bench_of: BenchOf
) -> None:
    node = bench_of(boot("beats", "-DROLE=0"))
    stubborn = bench_of(boot("beats", "-DROLE=2"))
    connect_pins((node, "D7"), (stubborn, "D2"))
    node.expect("^READY$", within_ms=10)
    node.run_for(5)  # both low: nothing fights
    node.send("G")
    fight = r"outputs work against each other since .* uno.D7 is HIGH and uno.D2 LOW"
    with pytest.raises(PinContention, match=fight):
        node.expect("^D3", within_ms=10)  # it says that, but 5 ms later
    with pytest.raises(PinContention, match=r"uno.D2 is LOW and uno.D7 HIGH"):
        stubborn.run_for(1)


def test_what_cannot_be_done_with_joined_pins_is_said(
    boot: Boot, bench_of: BenchOf, tmp_path: Path
) -> None:
    diagram = tmp_path / "diagram.json"
    left, right = bench_of(boot("beats")), bench_of(boot("beats", "-DROLE=1"))
    under_test(left.board).drive_pulses("D7", [80], then=Level.FLOATING)
    with pytest.raises(ConfigError, match="the test itself drives pin D7; let go"):
        connect_pins((left, "D7"), (right, "D2"))
    left.run_for(1)  # it has let go of it
    connect_pins((left, "D7"), (right, "D2"))
    connect_pins((left, "D8"), (right, "A0"))
    with pytest.raises(ConfigError, match="pin A0 is joined to another board's"):
        under_test(right.board).set_analog("A0", 2_500)
    with pytest.raises(ConfigError, match="pin D2 is joined to another board's"):
        under_test(right.board).drive_pin("D2", Level.HIGH)
    with pytest.raises(ConfigError, match=r"uno\.D2 is joined already"):
        connect_pins((left, "D6"), (right, "D2"))
    with pytest.raises(ConfigError, match="uno has no pin 'Q9'; it has: D0, D1"):
        connect_pins((left, "Q9"), (right, "D4"))
    with pytest.raises(ConfigError, match="are of one board; boot two boards"):
        connect_pins((left, "D4"), (left, "D5"))
    diagram.write_text(json.dumps(LONELY))
    wired = bench_of(boot("beats", diagram=str(diagram)))
    with pytest.raises(ConfigError, match=r"uno\.D2: it stands in a circuit; draw"):
        connect_pins((left, "D6"), (wired, "D2"))
    connect_pins((left, "D1"), (right, "D4"))
    assert any(
        "connect_uarts joins UARTs" in note for note in under_test(left.board).notes
    )
    connect_uarts(left.uart, right.uart)  # beside the pins
    left.run_for(5)
    assert "serial0 is joined to uno.serial0" in left.transcript_path.read_text()
