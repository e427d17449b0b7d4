"""A board is the same here and at a server: the same talk gives the same transcript."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_embedbench import Level, Rig
from pytest_embedbench.circuits.live import open_circuit
from pytest_embedbench.circuits.scenario import read_scenario
from tests.e2e.avr_firmware import avr_image, simavr
from tests.support.diagrams import diagram_text
from tests.support.wokwi_talk import TOKEN, wokwi_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.engines.simavr import Simavr
    from tests.e2e.avr_firmware import Build

__all__ = ["avr_image", "simavr"]

DIAGRAM = diagram_text(
    {"uno": "wokwi-arduino-uno", "btn": "wokwi-pushbutton", "led": "wokwi-led"},
    *("uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
    *("uno:13 - led:A", "led:C - uno:GND.2"),
    attrs={"btn": {"bounce": "0"}},
)


class WiredBench(NamedTuple):
    bench: Bench
    circuit: Circuit


@pytest.fixture
def both(
    simavr: Simavr,
    avr_image: Build,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[list[WiredBench]]:
    """The same circuit here and at a server."""
    assert simavr.missing() is None
    file, rig, image = tmp_path / "diagram.json", Rig(), avr_image("button")
    file.write_text(DIAGRAM)
    with ExitStack() as opened:
        server = opened.enter_context(wokwi_server())
        monkeypatch.setenv("WOKWI_CLI_SERVER", server.url)
        monkeypatch.setenv("WOKWI_CLI_TOKEN", TOKEN)
        found: list[WiredBench] = []
        for name in ("uno", "wokwi-uno"):
            spec = rig.registry.board(name)
            spec = replace(spec, options={**spec.options, "diagram": str(file)})
            folder = tmp_path / name
            folder.mkdir()
            bench = opened.enter_context(rig.bench(spec, image, folder=folder))
            assert bench.board.spec.name == name
            found.append(WiredBench(bench, open_circuit(bench)))
        yield found


def told(bench: Bench) -> list[tuple[int, str, bytes]]:
    lines = bench.uart.transcript.since(0)
    return [(it.at_us, it.direction.value, it.payload) for _, it in lines]


def talk(bench: Bench, circuit: Circuit) -> list[object]:
    """Do all that a server can, and return what was seen."""
    bench.expect("^ready$", within_ms=100)
    bench.send("hello")
    bench.expect("^hello$", within_ms=100)
    seen: list[object] = [circuit.level("led:A")]
    circuit["btn"].hold()
    seen.append(circuit.wait_serial("lit", within_ms=20))
    seen += [circuit.level("led:A"), circuit.voltage_mv("uno:13")]
    circuit["btn"].press(duration_ms=5)
    bench.expect("^dark$", within_ms=20)
    bench.reset()
    bench.expect("^ready$", within_ms=100)
    circuit["btn"].hold()
    seen.append(circuit.wait_pin("led:A", Level.HIGH, within_ms=20))
    bench.expect("^lit$", within_ms=20)
    return seen


def test_a_talk_goes_the_same_way(both: list[WiredBench]) -> None:
    here, there = both
    assert talk(*here) == talk(*there)
    assert told(here.bench) == told(there.bench)


def test_a_scenario_goes_the_same_way(both: list[WiredBench]) -> None:
    document = {
        "version": 1,
        "steps": [
            {"wait-serial": "ready"},
            {"write-serial": "hello\n"},
            {"wait-serial": "hello"},
            {"delay": "2.5ms"},
            {"expect-pin": {"part-id": "led", "name": "A", "value": 0}},
            {"set-control": {"part-id": "btn", "name": "pressed", "value": 1}},
            {"delay": "1500us"},
            {"expect-pin": {"part-id": "led", "name": "A", "value": 1}},
        ],
    }
    for bench, circuit in both:
        read_scenario(document, "it.test.yaml").run(circuit)
        bench.run_for(1)
    here, there = both
    assert told(here.bench) == told(there.bench)
    assert here.bench.uart.now_us == there.bench.uart.now_us
