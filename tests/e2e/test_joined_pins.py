"""Boards whose pins are joined: what one does at its pin, the other sees."""

from __future__ import annotations

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


@pytest.mark.parametrize("directly", [True, False], ids=["directly", "over the bench"])
def test_pulses_cross_exactly_and_an_interrupt_counts_them(
    boot: Boot,
    bench_of: BenchOf,
    monkeypatch: pytest.MonkeyPatch,
    directly: bool,  # noqa: FBT001  # a parameter
) -> None:
    if not directly:
        monkeypatch.setattr(joined_time, "together", lambda _boards: None)
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


def test_pwm_crosses_edge_by_edge(boot: Boot, bench_of: BenchOf) -> None:
    dimmer = bench_of(boot("beats", "-DROLE=3"))
    counter = bench_of(boot("beats", "-DROLE=1"))
    connect_pins((dimmer, "D6"), (counter, "D2"))
    dimmer.run_for(20)
    rises = [at for at, level in edges_of(counter, "D2") if level is Level.HIGH]
    falls = [at for at, level in edges_of(counter, "D2") if level is Level.LOW]
    assert {after - at for at, after in pairwise(rises)} == {1024}
    assert falls[-1] - rises[-1] in {256, 256 - 1024}
    counter.send("?")
    counter.expect("^EDGES (19|2[0-9])$", within_ms=10)


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
        node.run_for(10)


def test_the_pin_of_another_board_is_not_driven_by_a_test(
    boot: Boot, bench_of: BenchOf
) -> None:
    left, right = bench_of(boot("beats")), bench_of(boot("beats", "-DROLE=1"))
    connect_pins((left, "D7"), (right, "D2"))
    with pytest.raises(ConfigError, match="pin D2 is joined to another board's"):
        under_test(right.board).drive_pin("D2", Level.HIGH)
    with pytest.raises(ConfigError, match=r"uno\.D2 is joined already"):
        connect_pins((left, "D6"), (right, "D2"))
    with pytest.raises(ConfigError, match="uno has no pin 'Q9'; it has: D0, D1"):
        connect_pins((left, "Q9"), (right, "D4"))
    with pytest.raises(ConfigError, match="are of one board; boot two boards"):
        connect_pins((left, "D4"), (left, "D5"))
    connect_uarts(left.uart, right.uart)  # beside the pins
    left.run_for(5)
    assert "serial0 is joined to uno.serial0" in left.transcript_path.read_text()
