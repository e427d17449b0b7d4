"""What a failing assert prints of an object: one short line that says what it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from embedbench_plants.tank_fill_drain import TankFillDrain
from pytest_embedbench.bench.overrides import parse_override
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.scenario import Injection, PlantEvent, Scenario
from pytest_embedbench.console import CommandResult
from pytest_embedbench.faults import Drop, Fault, FaultPipeline, InjectionPoint
from pytest_embedbench.grading.properties.replay import Replayed
from pytest_embedbench.grading.task import Suite, load_task
from pytest_embedbench.model import (
    FirmwareImage,
    FirmwareSource,
    Level,
    PinEvent,
    PinTrace,
    PwmEvent,
)
from pytest_embedbench.testing import LOOPBACK_SPEC, LoopbackUart, tank_firmware

if TYPE_CHECKING:
    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.testing import Firmware

LONGEST = 100
SUITES = Path(__file__).parents[2] / "example_suites"
TASKS = sorted(SUITES.rglob("task.toml"))
DAY = Scenario(
    name="day",
    max_steps=40,
    inject=(Injection(at_ms=100, line="SENSE LEVEL banana"),) * 3,
    events=(PlantEvent(at_ms=300, changes={"level": 20}),),
    faults=(Fault(InjectionPoint.SENSORS, Drop()),),
)


def talkative(uart: LoopbackUart) -> Generator[int, None, None]:
    while True:
        yield 10
        uart.write(b"LOG " + b"x" * 50 + b"\n")


@pytest.fixture
def bench(bench_with: Callable[[Firmware], Bench]) -> Bench:
    made = bench_with(talkative)
    made.run_for(1_000)
    return made


def test_a_bench_is_its_board_the_time_and_how_much_was_said(bench: Bench) -> None:
    assert repr(bench) == "<Bench with loopback at 1.000000 s: 100 lines>"
    assert repr(bench.board) == "<board loopback on loopback>"
    assert repr(bench.uart) == "<UartSession with loopback at 1.000000 s: 100 lines>"
    assert repr(bench.uart.recorder) == "<Recorder of loopback: 100 lines>"
    assert repr(bench.transcript) == "<Transcript of 100 lines>"
    assert repr(bench.dut) == f"<Dut at line 0 of {bench.uart!r}>"
    assert repr(bench.board.link()) == (
        "LoopbackLink(board=<LoopbackBoard loopback at 1.000000 s>)"
    )


def test_a_match_is_what_was_found_and_when(bench: Bench) -> None:
    assert repr(bench.expect(r"x+", within_ms=100)) == (
        "<Match of 'xxxxxxxxxxxx...xxxxxxxxxxxxx' in 'LOG xxxxxxxx...xxxxxxxxxxxxx' "
        "at 0.010000 s>"
    )


def test_a_run_is_its_scenario_and_how_much_was_seen(
    bench_with: Callable[[Firmware], Bench],
) -> None:
    bench = bench_with(tank_firmware)
    run = bench.run(Scenario(name="day", max_steps=40), TankFillDrain)
    counts = f"{len(run.samples)} samples"
    assert repr(run) == (
        f"<Run 'day' up to 4000 ms: {counts}, {len(run.replies)} replies>"
    )
    assert repr(bench.loops[0]) == f"<ClosedLoop 'day' at 4000 ms: {counts}>"


OBJECTS = {
    "<Scenario 'day': 40 steps, 4 done to it, 1 faults>": DAY,
    "<FaultPipeline of 1 faults, seed 7>": FaultPipeline(DAY.faults, 7),
    "<Registry: 0 overrides>": Registry(),
    "<Registry with lab.toml: 1 overrides>": Registry(
        lab=Path("/a/place/far/away/lab.toml"), overrides=(parse_override("uno.a=1"),)
    ),
    "<BoardSpec loopback: python on loopback>": LOOPBACK_SPEC,
    "<FirmwareSource tank for 'uno': 2 files laid over it>": FirmwareSource(
        project_dir=Path("/a/place/far/away/tank"),
        environment="uno",
        overlay={"src/a.c": Path("a.c"), "src/b.c": Path("b.c")},
    ),
    "<FirmwareImage firmware.elf for 'uno': sha256 00000000fade>": FirmwareImage(
        environment="uno",
        elf_path=Path("/a/place/far/away/firmware.elf"),
        sha256="00000000fade" + "0" * 52,
        key="1" * 64,
        artifacts={"firmware.hex": Path("/a/place/far/away/firmware.hex")},
    ),
    "<PinTrace of 9000 edges, 2 PWM settings>": PinTrace(
        (PinEvent(0, "D2", Level.HIGH),) * 9000, (PwmEvent(0, "D3", 1.0, 0.5),) * 2
    ),
    "<Suite tank_fill_drain>": Suite(
        root=SUITES / "tank_fill_drain",
        task=load_task(SUITES / "tank_fill_drain" / "task.toml"),
    ),
    "<Replayed up to 1.500000 s: 0 lines>": Replayed(ended_us=1_500_000),
    "<CommandResult of 'ls -l /one//...89/0123456789': status 2, "
    "b'total 0\\nto... 0\\ntotal 0\\n'>": CommandResult(
        command="ls -l /one/" + "/0123456789" * 10, status=2, output=b"total 0\n" * 999
    ),
}


@pytest.mark.parametrize("shown", OBJECTS)
def test_an_object_says_what_it_is_in_a_line(shown: str) -> None:
    assert repr(OBJECTS[shown]) == shown


@pytest.mark.parametrize("file", TASKS, ids=lambda file: file.parent.name)
def test_a_task_is_its_name(file: Path) -> None:
    task = load_task(file)
    assert re.fullmatch(rf"<Task {task.name}: \d sensors>", repr(task))
    for part in (task.controller, *task.sensors):
        assert len(repr(part)) <= LONGEST
