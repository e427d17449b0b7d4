"""Plants on the pins of a simulated Uno, which an ADC reads and PWM drives."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from embedbench_plants.heater_ntc import HeaterNtc
from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.coupling import Coupling
from pytest_embedbench.bench.plant_pins import ActsBy, PlantPins, SensedBy
from pytest_embedbench.bench.scenario import Scenario
from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.faults import Drop, Fault, InjectionPoint, Reset, StuckAt
from tests.e2e.avr_firmware import avr_image, boot, simavr
from tests.support.diagrams import UNO, diagram_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.e2e.avr_firmware import Boot

    Warm = Callable[[], Bench]

__all__ = ["avr_image", "boot", "simavr"]

SENSED = SensedBy(line="SENSE TEMP", part="ntc1", control="temperature", scale=0.001)
ACTED = ActsBy(line="ACT HEATER", part="fet1", observable="on_share", scale=100)
PINS = Coupling(pins=PlantPins((SENSED,), (ACTED,)))


@pytest.fixture
def warm(boot: Boot, tmp_path: Path) -> Iterator[Warm]:
    """Return a function that boots a thermostat, each on a bench of its own."""
    diagram = tmp_path / "diagram.json"
    parts = {"ntc1": "wokwi-ntc-temperature-sensor", "fet1": "embedbench-mosfet"}
    wires = ("uno:5V - ntc1:VCC", "uno:GND.1 - ntc1:GND", "uno:A0 - ntc1:OUT")
    gate = ("uno:9 - fet1:G", "uno:GND.2 - fet1:S")
    window = {"fet1": {"window": "250"}}
    text = diagram_text({**UNO, **parts}, *wires, *gate, attrs=window)
    diagram.write_text(text)
    with ExitStack() as opened:

        def on_bench() -> Bench:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            bench = Bench(boot("thermostat", diagram=str(diagram)), folder)
            opened.callback(bench.close)
            bench.expect("^BOOTED$", within_ms=10)
            return bench

        yield on_bench


def files_of(bench: Bench) -> dict[str, bytes]:
    bench.close()
    return {it.name: it.read_bytes() for it in bench.folder.iterdir()}


def test_a_body_is_kept_warm_by_voltage_and_pwm(warm: Warm) -> None:
    bench = warm()
    loop = bench.connect(HeaterNtc(body_mc=33_000), coupling=PINS)
    bench.run_for(60_000)
    duties = {sample.state.heater_pct for sample in loop.samples}
    assert {0, 30, 100} <= duties
    settled = [s.state.body_mc for s in loop.samples if s.at_ms > 40_000]
    assert min(settled) > 35_000
    assert max(settled) < 39_500


@pytest.mark.parametrize("step_ms", [7, 100, 999])
def test_all_files_are_equal_however_time_is_cut(warm: Warm, step_ms: int) -> None:
    whole, cut = warm(), warm()
    for bench, steps_ms in (
        (whole, [6_000]),
        (cut, [*[step_ms] * (6_000 // step_ms), 6_000 % step_ms]),
    ):
        bench.connect(HeaterNtc(body_mc=35_000), coupling=PINS)
        for each_ms in steps_ms:
            bench.run_for(each_ms)
    assert files_of(cut) == files_of(whole)


@pytest.mark.parametrize("lost", ["reset", "power_cycle"])
def test_a_start_in_mid_loop_lets_the_heater_go_and_the_part_as_it_is(
    warm: Warm, lost: str
) -> None:
    bench = warm()
    loop = bench.connect(HeaterNtc(body_mc=25_000), coupling=PINS)
    bench.run_for(2_125)
    before = loop.state
    getattr(bench, lost)()
    bench.expect("^BOOTED$", within_ms=10)
    bench.run_for(2_000)
    assert loop.state.body_mc > before.body_mc
    assert loop.state.heater_pct == 100
    assert sum(line == "ACT HEATER 100" for each in loop.replies for line in each.lines)


def test_faults_act_on_pins(warm: Warm) -> None:
    faults = (
        Fault(InjectionPoint.SENSORS, StuckAt(value="90000"), from_ms=3_000),
        Fault(InjectionPoint.SENSORS, Drop(), from_ms=1_000, until_ms=2_000),
        Fault(InjectionPoint.RESET_PIN, Reset(at_ms=(2_500,))),
    )
    scenario = Scenario(
        name="stuck", max_steps=24, initial={"body_mc": 30_000}, faults=faults
    )
    bench = warm()
    run = bench.run(scenario, HeaterNtc, coupling=PINS)
    assert run.fault_counts == (12, 4, 1)
    assert {s.state.heater_pct for s in run.samples if s.at_ms > 3_500} == {0}
    assert {s.state.heater_pct for s in run.samples if 500 < s.at_ms < 2_500} == {100}


@pytest.mark.parametrize(
    ("pins", "message"),
    [
        (PlantPins((SensedBy(line="SENSE TEMP", part="ntc", control="x"),)), "'ntc'"),
        (PlantPins((SensedBy(line="SENSE TEMP", part="ntc1", control="x"),)), "'x'"),
        (PlantPins((), (ActsBy(line="ACT", part="fet1", observable="on"),)), "'on'"),
    ],
)
def test_what_the_circuit_has_not_is_named(
    warm: Warm, pins: PlantPins, message: str
) -> None:
    bench = warm()
    with pytest.raises(UnknownName, match=message):
        bench.connect(HeaterNtc(), coupling=Coupling(pins=pins))


def test_a_control_out_of_range_in_mid_run_names_line_and_part(warm: Warm) -> None:
    bench = warm()
    loop = bench.connect(HeaterNtc(), coupling=PINS)
    bench.run_for(1_000)
    loop.change(body_mc=126_000)
    with pytest.raises(ConfigError, match=r"'SENSE TEMP 126000' .* ntc1: temperature"):
        bench.run_for(1_000)
