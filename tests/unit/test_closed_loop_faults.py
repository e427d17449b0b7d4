"""The closed loop with faults in it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from embedbench_plants.tank_fill_drain import TankFillDrain, TankState
from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.coupling import Coupling
from pytest_embedbench.bench.scenario import Injection, Scenario
from pytest_embedbench.errors import ConfigError, FaultNeverFired, InvariantBroken
from pytest_embedbench.faults import (
    BitErrors,
    Coalesce,
    Delay,
    Drop,
    Fault,
    Fragment,
    InjectionPoint,
    Noise,
    Reset,
    StuckAt,
)
from pytest_embedbench.model import Direction, StimulusKind
from pytest_embedbench.testing import Firmware, LoopbackUart, tank_firmware

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from pytest_embedbench.bench.run import Run

    PutOnBench = Callable[[Firmware], Bench]
    RunWith = Callable[..., Run[TankState]]

DAY = Scenario(name="day", max_steps=60, initial={"level": 55})


@pytest.fixture
def run_with(bench_with: PutOnBench, tmp_path: Path) -> RunWith:
    """A function that runs a day of the tank with faults, each on a fresh board."""

    def run(*faults: Fault, scenario: Scenario = DAY) -> Run[TankState]:
        bench = bench_with(tank_firmware)
        bench.wait_for_boot()
        made = bench.run(replace(scenario, faults=faults), TankFillDrain)
        taken_away(bench, tmp_path)
        return made

    return run


def taken_away(bench: Bench, folder: Path) -> dict[str, bytes]:
    """Close a bench, and return its files, which are gone then."""
    bench.close()
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        path.unlink()
    return files


def frames(run: Run[TankState]) -> list[tuple[int, str]]:
    return [
        (entry.plant_ms, entry.text)
        for entry in run.stimuli
        if entry.kind is StimulusKind.FRAME
    ]


def test_a_reading_that_is_lost_is_not_sent(run_with: RunWith) -> None:
    run = run_with(Fault(InjectionPoint.SENSORS, Drop(), from_ms=200, until_ms=500))
    assert [at_ms for at_ms, _ in frames(run)][:4] == [0, 100, 500, 600]
    assert run.fault_counts == (3,)


def test_the_firmware_reacts_to_what_a_stuck_sensor_says(run_with: RunWith) -> None:
    fault = Fault(
        InjectionPoint.SENSORS, StuckAt(value="10"), stream="SENSE LEVEL", until_ms=800
    )
    run = run_with(fault)
    assert max(sample.state.level for sample in run.samples) == 95
    assert frames(run)[7:9] == [(700, "SENSE LEVEL 10"), (800, "SENSE LEVEL 95")]


def test_a_late_reading_carries_the_time_at_which_it_was_sent(
    run_with: RunWith,
) -> None:
    run = run_with(Fault(InjectionPoint.SENSORS, Delay(by_ms=130)))
    first, second, *_ = run.stimuli
    assert (first.plant_ms, first.text) == (100, "SENSE LEVEL 55")
    assert second.at_us - first.at_us == 100_000


def test_writes_are_cut_and_joined_on_the_wire(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    bench.wait_for_boot()
    began_us = bench.board.now_us()
    faults = (
        Fault(InjectionPoint.WIRE, Coalesce(count=2), until_ms=200),
        Fault(InjectionPoint.WIRE, Fragment(gap_ms=20), from_ms=200),
    )
    bench.run(replace(DAY, max_steps=3, faults=faults), TankFillDrain)
    written = [
        (line.at_us - began_us, line.payload)
        for _, line in bench.transcript.since(0)
        if line.direction is Direction.TO_FIRMWARE
    ]
    assert written[0] == (100_000, b"SENSE LEVEL 55\nSENSE LEVEL 54")
    assert [at_us for at_us, _ in written[1:]] == [200_000, 220_000]
    assert b"".join(data for _, data in written[1:]) == b"SENSE LEVEL 53"


def test_injected_lines_meet_the_faults_of_the_wire_and_no_others(
    run_with: RunWith,
) -> None:
    injected = replace(DAY, inject=(Injection(at_ms=100, line="SENSE LEVEL 10"),))
    run = run_with(Fault(InjectionPoint.SENSORS, Drop()), scenario=injected)
    assert any(sample.state.pump_on for sample in run.samples)
    run = run_with(Fault(InjectionPoint.WIRE, Drop()), scenario=injected)
    assert not any(sample.state.pump_on for sample in run.samples)


def test_an_actuator_lags(run_with: RunWith) -> None:
    low = replace(DAY, initial={"level": 20})
    prompt, late = (
        run_with(*faults, scenario=low)
        for faults in ((), [Fault(InjectionPoint.ACTUATORS, Delay(by_ms=300))])
    )

    def started_ms(run: Run[TankState]) -> int:
        return next(at_ms for at_ms, state in run.samples if state.pump_on)

    assert started_ms(late) - started_ms(prompt) == 300


def test_a_reset_in_mid_run_is_no_fault_of_the_firmware(run_with: RunWith) -> None:
    low = replace(DAY, initial={"level": 20})
    run = run_with(Fault(InjectionPoint.RESET_PIN, Reset(at_ms=(450,))), scenario=low)
    assert run.fault_counts == (1,)
    off = next(at for at, state in run.samples if at > 300 and not state.pump_on)
    assert off == 400, "the pump ran on after the reset"


def test_a_run_with_a_fault_that_never_fired_is_no_run(run_with: RunWith) -> None:
    late = Fault(InjectionPoint.SENSORS, Drop(), from_ms=60_000)
    with pytest.raises(
        FaultNeverFired, match=r"Drop\(one_in=1\) at sensors, from 6000"
    ):
        run_with(late)


def test_a_broken_invariant_counts_more_than_a_fault_that_came_too_late(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(tank_firmware)
    bench.wait_for_boot()
    faults = (Fault(InjectionPoint.SENSORS, Drop(), from_ms=60_000),)
    with pytest.raises(InvariantBroken):
        bench.run(
            replace(DAY, faults=faults),
            TankFillDrain,
            invariants={"never below 50": lambda state: state.level >= 50},
        )


def test_faults_need_one_time(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    scenario = replace(DAY, faults=(Fault(InjectionPoint.SENSORS, Drop()),))
    coupling = Coupling(firmware_ms_per_tick=150)
    with pytest.raises(ConfigError, match="100 ms of the plant's and 150 ms of the"):
        bench.run(scenario, TankFillDrain, coupling=coupling)


CHAOS = (
    Fault(InjectionPoint.SENSORS, Noise(up_to=9), until_ms=4000),
    Fault(InjectionPoint.SENSORS, Delay(by_ms=30, jitter_ms=200), until_ms=4000),
    Fault(InjectionPoint.WIRE, BitErrors(one_in=30), until_ms=4000),
    Fault(InjectionPoint.WIRE, Fragment(gap_ms=15), until_ms=4000),
    Fault(InjectionPoint.ACTUATORS, Drop(one_in=3), until_ms=4000),
    Fault(InjectionPoint.RESET_PIN, Reset(at_ms=(2222,))),
)


def test_equal_seeds_leave_equal_bytes(bench_with: PutOnBench, tmp_path: Path) -> None:
    def files(seed: int) -> dict[str, bytes]:
        bench = bench_with(tank_firmware)
        bench.wait_for_boot()
        bench.run(replace(DAY, faults=CHAOS, seed=seed), TankFillDrain)
        return taken_away(bench, tmp_path)

    first = files(1)
    assert files(1) == first
    other = files(2)
    assert other["transcript.log"] != first["transcript.log"]
    assert (
        b"--   fault: Noise(up_to=9, within=None) at sensors, from 0 ms to 4000 ms "
        b"(seed 1)\n"
    ) in first["transcript.log"]


@pytest.mark.parametrize("step_ms", [5, 30, 1000])
def test_how_time_is_cut_does_not_matter_to_faults(
    step_ms: int, bench_with: PutOnBench, tmp_path: Path
) -> None:
    def story(step_ms: int) -> tuple[list[Any], list[Any], list[int]]:
        bench = bench_with(talkative)
        loop = bench._loop(
            TankFillDrain(level=55),
            replace(DAY, faults=CHAOS, seed=5),
            Coupling(),
            None,
        )
        for _ in range(3000 // step_ms):
            loop.advance(step_ms)
        taken_away(bench, tmp_path)
        return loop.samples, loop.stimuli, loop.pipeline.counts

    assert story(step_ms) == story(100)


def talkative(uart: LoopbackUart) -> Generator[int, None, None]:
    """Answers every 70 ms, whatever it heard."""
    while True:
        heard = uart.read()
        uart.write(b"ACT PUMP ON\n" if len(heard) % 2 else b"ACT PUMP OFF\n")
        yield 70


def test_a_run_says_whether_all_was_well_again_in_time(run_with: RunWith) -> None:
    low = replace(DAY, initial={"level": 20})
    run = run_with(Fault(InjectionPoint.SENSORS, Drop(), until_ms=600), scenario=low)
    assert run.last_fault_ms == 500
    level_20 = {"the level is 20": lambda state: state.level >= 20}
    run.check_recovered(level_20, within_ms=200)
    complaint = "the level is 20 again, 100 ms after the faults: does not hold at 700"
    with pytest.raises(InvariantBroken, match=complaint) as caught:
        run.check_recovered(level_20, within_ms=100)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.invariant, str(copy)) == (caught.value.invariant, str(caught.value))
    with pytest.raises(ConfigError, match="ends at 6000 ms, and recovery is due at"):
        run.check_recovered(level_20, within_ms=5500)
