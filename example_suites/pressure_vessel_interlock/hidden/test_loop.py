"""In closed loop: firmware and plant in one time, every actuator at every sample."""

import pytest

from pytest_embedbench import Coupling, Grouping
from pytest_embedbench.grading.checks import (
    answer,
    repeat_only,
    safe_after_ms,
    switches,
)

pytestmark = [pytest.mark.profile("full"), pytest.mark.needs("virtual-time")]

LOW_KPA, HIGH_KPA = 40, 60
STALE_MS, STALE_AT_LATEST_MS, ONE_STALE_AT_LATEST_MS = 1000, 1150, 1200
TICK_MS = 100
COUPLING = Coupling(grouping=Grouping.BURST)
LIMITS = {
    "V18: compressor on with the vent open": lambda state: (
        not (state.compressor_on and state.vent_open)
    ),
    "V18: compressor on with the door open": lambda state: (
        state.door_closed or not state.compressor_on
    ),
}
BAD_LINES = [
    "SENSE PRESS banana",
    "SENSE PRESS",
    "SENSE PRESS -1",
    "SENSE PRESS 121",
    "SENSE PRESS 20.5",
    "SENSE PRESS 20 5",
    "SENSE DOOR AJAR",
    "SENSE DOOR closed",
]


@pytest.fixture
def run(bench, scenario, plant):
    """A function that runs a scenario, both limits kept at every sample."""

    def run_scenario(name):
        bench.wait_for_boot()
        return bench.run(scenario(name), plant, coupling=COUPLING, invariants=LIMITS)

    return run_scenario


@pytest.fixture
def connect(bench, plant):
    """A function that connects a plant, both limits kept at every sample."""

    def connect_at(pressure_kpa):
        bench.wait_for_boot()
        return bench.connect(
            plant(pressure_kpa=pressure_kpa), coupling=COUPLING, invariants=LIMITS
        )

    return connect_at


@pytest.fixture
def loop(bench, connect):
    """A vessel that fills: it is at 34 and the compressor runs."""
    loop = connect(18)
    bench.run_for(2 * TICK_MS)
    assert (loop.state.pressure_kpa, loop.state.compressor_on) == (34, True)
    return loop


def is_safe(state):
    return state.vent_open and not state.compressor_on


def vented_until_low(bench, loop):
    """Insist that it stays safe down to 40, and that the compressor runs below."""
    while loop.state.pressure_kpa >= LOW_KPA:
        bench.run_for(TICK_MS)
        assert is_safe(loop.state), f"not safe at {loop.state.pressure_kpa} kPa"
    bench.run_for(TICK_MS)
    assert loop.state.compressor_on, "a low pressure did not start the compressor"


@pytest.mark.brief("V4", "V5", "V6", "V18")
def test_the_vessel_fills_and_is_kept_between_its_edges(run):
    filled = run("fill")
    levels = {sample.at_ms: sample.state.pressure_kpa for sample in filled.samples}
    assert [levels[at_ms] for at_ms in (100, 200, 300, 600)] == [26, 34, 42, 66]
    for actuator in ("compressor_on", "vent_open"):
        switched = switches(filled.samples, actuator)
        assert len(switched) > 20, f"{actuator} hardly ever switched"
        for state in switched:
            edge = (
                state.pressure_kpa > HIGH_KPA
                if is_safe(state)
                else state.pressure_kpa < LOW_KPA
            )
            assert edge, f"{actuator} switched in {state}"
    assert filled.metrics["min_pressure_kpa"] == 18
    assert filled.metrics["max_pressure_kpa"] == 66


@pytest.mark.brief("V5", "V6", "V16")
def test_the_vessel_is_relieved_down_through_the_band(run):
    relieved = run("relieve")
    switched = switches(relieved.samples, "compressor_on")
    assert [state.pressure_kpa for state in switched[:2]] == [24, 64]


@pytest.mark.brief("V3", "V7", "V16", "V18")
def test_an_open_door_makes_it_safe_and_a_closed_one_lets_the_pressure_decide(run):
    opened = run("door")
    states = {sample.at_ms: sample.state for sample in opened.samples}
    assert states[200].compressor_on, "the compressor never ran"
    assert all(is_safe(states[at_ms]) for at_ms in range(300, 800, 100))
    assert [states[at_ms].pressure_kpa for at_ms in (600, 700, 800)] == [60, 44, 28]
    assert states[800].compressor_on, "a low pressure did not start the compressor"


@pytest.mark.brief("V3", "V4", "V7")
def test_a_door_that_closes_at_low_pressure_starts_the_compressor_at_once(bench, loop):
    loop.change(door_closed=False)
    bench.run_for(TICK_MS)
    assert is_safe(loop.state), "the compressor ran on with the door open"
    bench.run_for(TICK_MS)
    loop.change(door_closed=True)
    bench.run_for(TICK_MS)
    assert loop.state.compressor_on, "the closed door did not start the compressor"


@pytest.mark.brief("V11", "V12", "V20")
def test_silence_makes_it_safe_after_a_second(run):
    silent = run("silence")
    assert silent.samples[1].state.compressor_on, "the compressor never ran"
    after_ms = safe_after_ms(silent, "DOOR", is_safe)
    assert after_ms is not None, "not safe at the end"
    assert STALE_MS <= after_ms <= STALE_AT_LATEST_MS, f"safe after {after_ms} ms"


@pytest.mark.brief("V11", "V12", "V19", "V20")
@pytest.mark.parametrize(
    ("silent", "line"), [("PRESS", "SENSE DOOR CLOSED"), ("DOOR", "SENSE PRESS 50")]
)
def test_each_sensor_goes_stale_on_its_own(bench, loop, silent, line):
    repeat_only(bench, loop, line, ticks=15)
    after_ms = safe_after_ms(loop, silent, is_safe)
    assert after_ms is not None, f"{silent} went stale and it was not left safe"
    assert STALE_MS <= after_ms <= ONE_STALE_AT_LATEST_MS, f"safe after {after_ms} ms"


@pytest.mark.brief("V11", "V12", "V15", "V16")
@pytest.mark.parametrize("line", ["SENSE DOOR CLOSED", "SENSE PRESS 50"])
def test_a_sensor_that_comes_back_in_the_band_starts_nothing(bench, loop, line):
    repeat_only(bench, loop, line, ticks=20)
    assert is_safe(loop.state)
    loop.change(pressure_kpa=58)
    loop.frames_until_ms = None
    vented_until_low(bench, loop)


@pytest.mark.brief("V13", "V14", "V19")
def test_a_short_silence_is_no_fault(bench, loop):
    loop.frames_until_ms = loop.plant_ms - 1
    for _ in range(8):
        bench.run_for(TICK_MS)
        assert loop.state.compressor_on, "safe before 1000 ms of silence"


@pytest.mark.brief("V8", "V9", "V15", "V16", "L1", "L2", "L3", "L4")
@pytest.mark.parametrize("line", BAD_LINES)
def test_a_malformed_reading_makes_it_safe_until_it_may_run_again(bench, loop, line):
    loop.inject(line)
    loop.frames_until_ms = loop.plant_ms - 1
    bench.run_for(TICK_MS)
    assert is_safe(loop.state), "not safe after the malformed reading"
    loop.change(pressure_kpa=58)
    loop.frames_until_ms = None
    vented_until_low(bench, loop)


@pytest.mark.brief("V8", "V9", "V15")
@pytest.mark.parametrize(
    ("bad", "other"),
    [
        ("SENSE PRESS 121", "SENSE DOOR CLOSED"),
        ("SENSE DOOR AJAR", "SENSE PRESS 20"),
    ],
)
def test_the_other_sensor_does_not_end_what_a_malformed_reading_began(
    bench, loop, bad, other
):
    loop.inject(bad)
    repeat_only(bench, loop, other, ticks=5)
    assert is_safe(loop.samples[-1].state), "the compressor came back"
    assert not any(r.state.compressor_on for r in loop.replies if r.plant_ms >= 200)


@pytest.mark.brief("V8", "V9", "V10", "V15", "L5")
@pytest.mark.parametrize("name", ["fault", "malformed_pressure", "malformed_door"])
def test_a_bad_line_makes_it_safe_within_a_frame_and_for_good(run, name):
    bad = run(name)
    assert bad.samples[1].state.compressor_on, "the compressor never ran"
    assert all(is_safe(s.state) for s in bad.samples if s.at_ms > TICK_MS)


@pytest.mark.brief("V19", "L6")
def test_lines_of_others_neither_count_nor_disturb(bench, loop):
    for line in ("SENSE TEMP 20", "SENSE DOOR", "SENSE DOOR OPEN NOW"):
        repeat_only(bench, loop, line, ticks=3)
        assert loop.state.compressor_on, f"{line} made it safe"
    repeat_only(bench, loop, "HELLO WORLD", ticks=3)
    assert is_safe(loop.state), "an ignored line kept the compressor running"


@pytest.mark.brief("V1", "V2", "L8")
@pytest.mark.parametrize("line", ["HELLO WORLD", "SENSE PRESS 20", "SENSE DOOR CLOSED"])
def test_it_is_safe_after_start_up_until_both_have_come_in(bench, connect, line):
    loop = connect(50)
    repeat_only(bench, loop, line, ticks=15)
    assert all(is_safe(sample.state) for sample in loop.samples)


@pytest.mark.brief("V1", "V16")
def test_a_vessel_that_starts_within_the_band_is_vented_first(bench, connect):
    loop = connect(60)
    vented_until_low(bench, loop)


@pytest.mark.needs("reset")
@pytest.mark.brief("V1", "V16")
def test_it_is_safe_after_a_restart(bench, loop):
    loop.change(pressure_kpa=58)
    bench.reset()
    bench.wait_for_boot()
    vented_until_low(bench, loop)


@pytest.mark.brief("L6", "L9")
def test_every_line_is_answered_whether_anything_has_changed_or_not(bench):
    bench.wait_for_boot()
    bench.run_for(TICK_MS)
    for line, compressor, vent, state in (
        ("SENSE DOOR CLOSED", "OFF", "OPEN", "SAFE_VENT"),
        ("SENSE PRESS 39", "ON", "CLOSED", "PRESSURIZING"),
        ("SENSE PRESS 39", "ON", "CLOSED", "PRESSURIZING"),
        ("SENSE PRESS 60", "ON", "CLOSED", "HOLDING"),
        ("SENSE PRESS 61", "OFF", "OPEN", "RELIEVING"),
        ("SENSE PRESS 40", "OFF", "OPEN", "HOLDING"),
        ("SENSE DOOR OPEN", "OFF", "OPEN", "SAFE_VENT"),
        ("SENSE DOOR OPEN", "OFF", "OPEN", "SAFE_VENT"),
        ("FAULT SENSOR_TIMEOUT", "OFF", "OPEN", "SAFE_VENT"),
    ):
        expected = [
            f"ACT COMPRESSOR {compressor}",
            f"ACT VENT {vent}",
            f"DBG STATE {state}",
        ]
        assert answer(bench, line) == expected, f"to {line}"
    assert answer(bench, "SENSE DOOR") == []


@pytest.mark.brief("V11", "V12", "V17", "V20")
def test_stale_readings_are_said_just_once(bench):
    bench.wait_for_boot()
    bench.run_for(TICK_MS)
    bench.uart.skip()
    bench.send("SENSE DOOR CLOSED")
    bench.send("SENSE PRESS 50")
    bench.expect("^DBG STATE HOLDING$", within_ms=TICK_MS)
    bench.expect_silence(for_ms=STALE_MS - TICK_MS, ignoring="^DBG HEARTBEAT$")
    bench.expect("^ACT VENT OPEN$", within_ms=250)
    bench.expect("^DBG STATE SAFE_VENT$", within_ms=5)
    bench.expect_silence(for_ms=2 * STALE_MS, ignoring="^DBG HEARTBEAT$")
