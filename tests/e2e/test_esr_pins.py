"""Pins of a real firmware: what it is seen to do with them, and other ones for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench import Rig
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.contracts import HasPinUse
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.board_pins import BoardPins
from pytest_embedbench.esr.model import EsrCase, Outcome, PinMove
from pytest_embedbench.esr.pin_tables import patched
from pytest_embedbench.esr.search import search
from pytest_embedbench.model import Level
from pytest_embedbench.pins import PinJob
from pytest_embedbench.wiring.reading import read_diagram
from tests.support.diagrams import UNO, diagram_text
from tests.support.esr_trial import BenchTrial

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.model import FirmwareImage
    from tests.e2e.circuit_bench import Wired

LIGHT = {**UNO, "btn": "wokwi-pushbutton", "led": "wokwi-led"}
STEADY = {"btn": {"bounce": "0"}}


def wires(button: str, light: str) -> tuple[str, ...]:
    ends = f"uno:{button} - btn:1.l", "btn:2.l - uno:GND.1", f"uno:{light} - led:A"
    return (*ends, "led:C - uno:GND.2")


def seen(wired: Wired, mode: str, *drawn: str) -> dict[str, set[str]]:
    """Return what is done in a mode of the sketch in its first 100 ms."""
    bench, _ = wired(mode, {}, *drawn)
    board: Any = bench.board
    assert isinstance(board, HasPinUse)
    board.watch_pins()
    bench.run_for(100)
    jobs = board.pin_use().jobs
    return {pin: {job.value for job in its} for pin, its in jobs.items()}


def test_inputs_and_outputs_of_the_core_are_seen(wired: Wired) -> None:
    jobs = seen(wired, "b")
    assert jobs["D2"] == {PinJob.PULL_UP.value, PinJob.READ.value}
    assert jobs["D13"] == {PinJob.OUTPUT.value}
    assert not {"D3", "D12", "A0"} & set(jobs)


def test_interrupts_and_channels_are_seen(wired: Wired) -> None:
    assert PinJob.INTERRUPT.value in seen(wired, "i")["D2"]
    assert seen(wired, "a")["A0"] == {PinJob.ANALOG.value}


def test_a_board_that_is_not_watched_says_so(wired: Wired) -> None:
    bench, _ = wired("b", {})
    board: Any = bench.board
    with pytest.raises(ConfigError, match=r"call watch_pins\(\) before time goes on"):
        board.pin_use()


def the_button_switches_the_light(bench: Bench, circuit: Circuit) -> None:
    bench.expect("ready", within_ms=100)
    bench.uart.send_bytes(b"b")
    bench.run_for(30)
    assert circuit["led"].level("A") is Level.LOW
    circuit["btn"].hold()
    bench.run_for(30)
    assert circuit["led"].level("A") is Level.HIGH


@pytest.mark.parametrize(
    ("button", "light", "outcome", "told"),
    [
        ("2", "13", Outcome.STRICT, []),
        ("2", "12", Outcome.PERMISSIVE_CONFIRMED, ["pin 13 -> 12"]),
        ("7", "4", Outcome.PERMISSIVE_CONFIRMED, ["pin 13 -> 4", "pin 2 -> 7"]),
    ],
)
def test_an_image_without_source_is_confirmed_by_the_tables_of_its_core(
    circuit_image: Callable[[str], FirmwareImage],
    tmp_path: Path,
    button: str,
    light: str,
    outcome: Outcome,
    told: list[str],
) -> None:
    rig = Rig()
    spec = rig.registry.board("uno")
    text = diagram_text(LIGHT, *wires(button, light), attrs=STEADY)
    case = EsrCase(
        name="light",
        board=spec,
        diagram=read_diagram(text, "diagram.json").diagram,
        image=circuit_image("uno").elf_path,
    )
    check = the_button_switches_the_light
    result = search(case, BenchTrial(rig, spec, text, check, tmp_path))
    assert result.outcome is outcome, result.evidence
    assert [str(it) for it in result.corrections] == told


def test_an_image_without_the_tables_cannot_be_corrected(tmp_path: Path) -> None:
    (tmp_path / "it.elf").write_bytes(b"\x7fELF and nothing else")
    pins = BoardPins(Registry().board("uno"))
    assert patched(tmp_path / "it.elf", [PinMove("13", "12")], pins) is None
