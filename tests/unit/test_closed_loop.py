"""The closed loop, around a firmware that does its job."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from embedbench_plants.pressure_vessel_interlock import (
    PressureVesselInterlock,
    VesselState,
)
from embedbench_plants.tank_fill_drain import TankFillDrain, TankState
from pytest_embedbench.bench.artifacts import trace_csv
from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.closed_loop import ClosedLoop
from pytest_embedbench.bench.coupling import Coupling, Grouping
from pytest_embedbench.bench.scenario import (
    Injection,
    PlantEvent,
    Scenario,
    load_scenarios,
)
from pytest_embedbench.errors import (
    ConfigError,
    FirmwareCrash,
    FirmwareFlood,
    InvariantBroken,
)
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    Firmware,
    LoopbackBoard,
    LoopbackUart,
    line_shell,
    tank_firmware,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    PutOnBench = Callable[[Firmware], Bench]

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "data" / "golden_paper_profile.json").read_text()
)
AS_PUBLISHED = Coupling(firmware_ms_per_tick=150)
SCENARIOS = {
    "smoke": Scenario(name="smoke", max_steps=8, frames_until_ms=0),
    "happy_path": Scenario(name="happy_path", max_steps=28),
    "sensor_timeout": Scenario(
        name="sensor_timeout", max_steps=22, frames_until_ms=300
    ),
    "malformed_frame": Scenario(
        name="malformed_frame",
        max_steps=10,
        frames_until_ms=0,
        inject=(Injection(at_ms=100, line="SENSE LEVEL banana"),),
    ),
}


class RestlessBoard(LoopbackBoard):
    """A board whose clock runs on between two steps, as the host's does."""

    def now_us(self) -> int:
        self.uart.now_us += 1000
        return self.uart.now_us


def pump_is_off_again(loop: ClosedLoop[TankState]) -> bool:
    seen = [sample.state.pump_on for sample in loop.samples]
    return any(seen) and not seen[-1]


def something_was_done(loop: ClosedLoop[TankState]) -> bool:
    return any(line.startswith("ACT") for reply in loop.replies for line in reply.lines)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_published_run_comes_out(name: str, bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    bench.wait_for_boot()
    run = bench.run(
        SCENARIOS[name],
        TankFillDrain,
        stop_when=something_was_done if name == "smoke" else pump_is_off_again,
        coupling=AS_PUBLISHED,
    )
    golden = GOLDEN["tank_fill_drain"][name]
    trace = [[at_ms, state.level, state.pump_on] for at_ms, state in run.samples]
    assert trace == golden["trace"]
    assert run.metrics == golden["metrics"]
    assert run.stopped_early


def test_a_reaction_is_measured_in_firmware_time(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    bench.wait_for_boot()
    run = bench.run(SCENARIOS["sensor_timeout"], TankFillDrain)
    reaction_ms = run.reaction_ms(
        is_safe=lambda state: not state.pump_on, not_before_ms=1000
    )
    assert reaction_ms == 1100.0
    assert run.last_frame_us is not None


def test_a_safe_line_too_early_is_no_reaction(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    bench.wait_for_boot()
    run = bench.run(SCENARIOS["malformed_frame"], TankFillDrain)
    assert run.reaction_ms(is_safe=lambda state: not state.pump_on) == 150.0
    assert (
        run.reaction_ms(is_safe=lambda state: not state.pump_on, not_before_ms=1000)
        is None
    )


def obedient(*replies: tuple[str, ...]) -> Firmware:
    """Return a firmware that answers every first line it hears with the next reply."""

    def make() -> Callable[[str, int], tuple[str, ...] | None]:
        left = list(replies)

        def step(line: str, now_ms: int) -> tuple[str, ...] | None:
            del now_ms
            return left.pop(0) if line.startswith("SENSE PRESS") and left else None

        return step

    return line_shell(("DBG BOOTED",), make)


PRESSURIZE = ("ACT VENT CLOSED", "ACT COMPRESSOR ON", "DBG STATE PRESSURIZING")


@pytest.mark.parametrize(
    ("grouping", "sample_count"), [(Grouping.LINE, 5), (Grouping.BURST, 4)]
)
def test_lines_are_given_one_by_one_or_as_bursts(
    grouping: Grouping, sample_count: int, bench_with: PutOnBench
) -> None:
    bench = bench_with(obedient(PRESSURIZE))
    bench.run_for(10)
    run = bench.run(
        Scenario(name="two", max_steps=2, initial={"pressure_kpa": 20}),
        PressureVesselInterlock,
        coupling=Coupling(grouping=grouping),
    )
    assert len(run.samples) == sample_count
    assert [state.pressure_kpa for _, state in run.samples][-2:] == [28, 36]


def test_a_burst_on_the_wire_as_a_tick_ends_takes_effect_as_one(
    bench_with: PutOnBench,
) -> None:
    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        yield 94
        said = "\n".join((*PRESSURIZE, "")).encode()
        for start in range(0, len(said), 3):
            uart.write(said[start : start + 3])
            yield 1

    bench = bench_with(firmware)
    run = bench.run(
        Scenario(name="late", max_steps=2, initial={"pressure_kpa": 20}),
        PressureVesselInterlock,
        coupling=Coupling(grouping=Grouping.BURST),
    )
    states = {(s.state.vent_open, s.state.compressor_on) for s in run.samples}
    assert states == {(True, False), (False, True)}
    assert [reply.lines for reply in run.replies] == [PRESSURIZE]


def test_a_plant_that_stands_still_is_sampled_in_every_tick(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(obedient())
    still = Scenario(name="empty", max_steps=4, initial={"level": 0})
    run = bench.run(still, TankFillDrain)
    assert {sample.state for sample in run.samples} == {TankState(level=0)}
    assert [sample.at_ms for sample in run.samples] == [0, 100, 200, 300, 400]


def test_events_come_before_frames_and_injections_after(bench_with: PutOnBench) -> None:
    bench = bench_with(obedient())
    run = bench.run(
        Scenario(
            name="door",
            max_steps=2,
            events=(PlantEvent(at_ms=100, changes={"door_closed": False}),),
            inject=(Injection(at_ms=100, line="SENSE DOOR AJAR"),),
        ),
        PressureVesselInterlock,
    )
    assert [(entry.plant_ms, entry.text) for entry in run.stimuli] == [
        (0, "SENSE PRESS 18"),
        (0, "SENSE DOOR CLOSED"),
        (100, "door_closed = False"),
        (100, "SENSE PRESS 2"),
        (100, "SENSE DOOR OPEN"),
        (100, "SENSE DOOR AJAR"),
    ]


def test_each_stream_of_frames_has_a_gate_of_its_own(bench_with: PutOnBench) -> None:
    bench = bench_with(obedient())
    loop = bench.connect(PressureVesselInterlock())
    loop.streams_until_ms["SENSE DOOR"] = 100
    bench.run_for(300)
    loop.streams_until_ms["SENSE DOOR"] = None
    loop.frames_until_ms = loop.plant_ms - 1
    bench.run_for(100)
    assert [(entry.plant_ms, entry.text) for entry in loop.stimuli] == [
        (0, "SENSE PRESS 18"),
        (0, "SENSE DOOR CLOSED"),
        (100, "SENSE PRESS 2"),
        (100, "SENSE DOOR CLOSED"),
        (200, "SENSE PRESS 0"),
        (300, "SENSE DOOR CLOSED"),
    ]


def test_a_run_knows_the_last_frame_of_each_stream(bench_with: PutOnBench) -> None:
    bench = bench_with(obedient())
    silent_door = {"SENSE DOOR": 200}
    run = bench.run(
        Scenario(name="door", max_steps=8, streams_until_ms=silent_door),
        PressureVesselInterlock,
    )
    assert run.last_frame_of("SENSE DOOR") == 200_000
    assert run.last_frame_of("SENSE PRESS") == run.last_frame_us == 700_000
    assert run.last_frame_of("SENSE") == 700_000
    assert run.last_frame_of("SENSE TEMP") is None


def test_a_reaction_can_be_measured_from_one_streams_last_frame(
    bench_with: PutOnBench,
) -> None:
    def venting(uart: LoopbackUart) -> Generator[int, None, None]:
        yield 500
        uart.write(b"ACT VENT OPEN\n")
        while True:
            yield 100

    bench = bench_with(venting)
    run = bench.run(
        Scenario(name="door", max_steps=8, streams_until_ms={"SENSE DOOR": 0}),
        PressureVesselInterlock,
    )

    def is_safe(state: VesselState) -> bool:
        return state.vent_open

    reaction_ms = run.reaction_ms(is_safe=is_safe, stream="SENSE DOOR")
    assert reaction_ms == pytest.approx(500, abs=20)


@pytest.mark.parametrize("stream", ["SENSE TEMP", "SENSE PRE", "DOOR"])
def test_a_gate_for_a_stream_that_is_not_there_is_refused(
    stream: str, bench_with: PutOnBench
) -> None:
    bench = bench_with(obedient())
    scenario = Scenario(name="x", max_steps=1, streams_until_ms={stream: 0})
    with pytest.raises(
        ConfigError,
        match=f"'x': frames: no sensor line begins with '{stream}'; the plant says: "
        "SENSE PRESS 18, SENSE DOOR CLOSED",
    ):
        bench.run(scenario, PressureVesselInterlock)


def test_a_gate_that_is_set_while_a_loop_runs_is_refused_the_same(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(obedient())
    loop = bench.connect(PressureVesselInterlock())
    bench.run_for(100)
    loop.streams_until_ms["NIX"] = 5
    with pytest.raises(
        ConfigError, match="streams_until_ms: no sensor line begins with 'NIX'; the pl"
    ):
        bench.run_for(100)


def test_a_reaction_to_a_stream_that_never_was_is_refused(
    bench_with: PutOnBench,
) -> None:
    run = bench_with(obedient()).run(
        Scenario(name="x", max_steps=2), PressureVesselInterlock
    )
    with pytest.raises(
        ConfigError, match="begins with 'NIX'; sent: SENSE PRESS, SENSE DOOR"
    ):
        run.reaction_ms(is_safe=bool, stream="NIX")


def test_an_event_on_a_field_that_is_not_there_is_refused(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(tank_firmware)
    event = PlantEvent(at_ms=0, changes={"door": False})
    with pytest.raises(
        ConfigError, match="no field 'door' to set; it has: level, pump_on"
    ):
        bench.run(Scenario(name="x", max_steps=1, events=(event,)), TankFillDrain)


def test_a_start_value_that_the_plant_has_not_is_refused(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(tank_firmware)
    scenario = Scenario(name="x", max_steps=1, initial={"depth": 3})
    with pytest.raises(ConfigError, match=r"scenario 'x': .*depth"):
        bench.run(scenario, TankFillDrain)


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ("tank_fill_drain", r"a name: give plant\('tank_fill_drain'\)"),
        (TankFillDrain, r"the class of one: give TankFillDrain\(\)"),
        (None, "None is no plant: it has no .*tick_ms"),
    ],
)
def test_what_is_no_plant_is_not_connected(
    plant: Any,  # noqa: ANN401  # whatever a test may give
    said: str,
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(tank_firmware)
    with pytest.raises(ConfigError, match=said):
        bench.connect(plant)
    bench.connect(TankFillDrain())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {"invariants": ["level < 5"]},
            r"invariants = \['level < 5'\]: must be a table",
        ),
        ({"invariants": {"it holds": True}}, "'it holds': True is no function"),
        ({"coupling": 150}, r"coupling = 150: give Coupling\(...\)"),
    ],
)
def test_what_a_loop_is_given_is_looked_at(
    words: dict[str, Any], said: str, bench_with: PutOnBench
) -> None:
    bench = bench_with(tank_firmware)
    with pytest.raises(ConfigError, match=said):
        bench.connect(TankFillDrain(), **words)


@pytest.mark.parametrize("tick_ms", [0, -1, 1.5, True])
def test_a_tick_lasts_whole_milliseconds(tick_ms: Any) -> None:  # noqa: ANN401
    with pytest.raises(ConfigError, match=r"firmware_ms_per_tick = .*, 1 or more"):
        Coupling(firmware_ms_per_tick=tick_ms)


def test_a_grouping_is_no_text() -> None:
    with pytest.raises(ConfigError, match=r"'burst': must be Grouping.LINE or"):
        Coupling(grouping="burst")  # type: ignore[arg-type]


ONE_STEP = Scenario(name="x", max_steps=1)


@pytest.mark.parametrize(
    ("scenario", "plant", "stop_when", "said"),
    [
        ("x", TankFillDrain, None, r"'x' is no scenario: give scenario\('name'\)"),
        (ONE_STEP, TankFillDrain(), None, "makes no plant: a run makes its own"),
        (ONE_STEP, "tank_fill_drain", None, "'tank_fill_drain' makes no plant"),
        (ONE_STEP, TankFillDrain, 5, "stop_when = 5: give a function of the loop"),
    ],
)
def test_what_a_run_is_given_is_looked_at(
    scenario: Any,  # noqa: ANN401
    plant: Any,  # noqa: ANN401
    stop_when: Any,  # noqa: ANN401
    said: str,
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(tank_firmware)
    with pytest.raises(ConfigError, match=said):
        bench.run(scenario, plant, stop_when=stop_when)


def test_recovery_is_due_in_time_that_goes_on(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    run = bench.run(ONE_STEP, TankFillDrain)
    with pytest.raises(ConfigError, match="within_ms = -5: must be a whole number"):
        run.check_recovered({"it is": lambda _: True}, within_ms=-5)
    with pytest.raises(ConfigError, match="'it is': True is no function"):
        run.check_recovered({"it is": True}, within_ms=5)  # type: ignore[dict-item]


def test_an_injected_line_is_text(bench_with: PutOnBench) -> None:
    loop = bench_with(tank_firmware).connect(TankFillDrain())
    with pytest.raises(ConfigError, match=r"inject\(5\): give the text of a line"):
        loop.inject(5)  # type: ignore[arg-type]


def test_a_broken_invariant_says_which_when_and_with_what(
    bench_with: PutOnBench, tmp_path: Path
) -> None:
    bench = bench_with(tank_firmware)
    bench.wait_for_boot()
    with pytest.raises(InvariantBroken) as caught:
        bench.run(
            SCENARIOS["happy_path"],
            TankFillDrain,
            invariants={"level stays below 40": lambda state: state.level < 40},
        )
    bench.close()
    message = str(caught.value)
    assert message.startswith(
        "level stays below 40: does not hold at 400 ms of plant time, "
        "with TankState(level=40, pump_on=True)"
    )
    assert (tmp_path / "trace.csv").read_text().endswith("400,40,True\n")


def test_a_connected_plant_lives_along_with_every_wait(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    loop = bench.connect(TankFillDrain(level=20))
    bench.expect("ACT PUMP ON", within_ms=300)
    bench.expect("ACT PUMP OFF", within_ms=2000)
    assert loop.state.level > 80
    bench.run_for(500)
    assert not loop.state.pump_on


def test_a_plant_stops_with_its_firmware(bench_with: PutOnBench) -> None:
    def dying(uart: LoopbackUart) -> Generator[int, None, None]:
        del uart
        yield 150
        raise FirmwareCrash("hard fault")

    loop = bench_with(dying).connect(TankFillDrain(level=20))
    loop.advance(1000)
    assert (loop.plant_ms, loop.state.level) == (200, 18)


def test_a_burst_is_stamped_with_its_last_line(bench_with: PutOnBench) -> None:
    def slow(uart: LoopbackUart) -> Generator[int, None, None]:
        for line in (b"ACT PUMP ON\n", b"DBG STATE FILLING\n", b"ACT PUMP OFF\n"):
            yield 9
            uart.write(line)
            yield 0

    loop = bench_with(slow).connect(
        TankFillDrain(level=20), coupling=Coupling(grouping=Grouping.BURST)
    )
    loop.advance(100)
    assert [(reply.at_us, len(reply.lines)) for reply in loop.replies] == [(27_000, 3)]


def test_a_connected_plant_can_be_disturbed(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    loop = bench.connect(TankFillDrain(level=50))
    bench.run_for(500)
    loop.change(level=10)
    bench.expect("ACT PUMP ON", within_ms=200)
    loop.inject("SENSE LEVEL banana")
    bench.expect("ACT PUMP OFF", within_ms=200)


def test_how_time_is_cut_does_not_matter_to_a_plant(
    bench_with: PutOnBench, tmp_path: Path
) -> None:
    def trace(step_ms: int) -> list[Any]:
        bench = bench_with(tank_firmware)
        loop = bench.connect(TankFillDrain(level=20))
        for _ in range(3000 // step_ms):
            bench.run_for(step_ms)
        bench.close()
        for path in tmp_path.iterdir():
            path.unlink()
        return list(loop.samples)

    assert trace(1000) == trace(30) == trace(5)


def test_one_plant_at_a_time(bench_with: PutOnBench) -> None:
    bench = bench_with(tank_firmware)
    bench.connect(TankFillDrain())
    with pytest.raises(ConfigError, match="connected to this bench already"):
        bench.connect(TankFillDrain())


def test_a_crash_ends_the_run_and_leaves_the_evidence(
    bench_with: PutOnBench, tmp_path: Path
) -> None:
    def crashing(uart: LoopbackUart) -> Generator[int, None, None]:
        uart.write(b"ACT PUMP ON\n")
        yield 250
        raise FirmwareCrash("segmentation fault at 0x0")

    bench = bench_with(crashing)
    with pytest.raises(FirmwareCrash):
        bench.run(SCENARIOS["happy_path"], TankFillDrain)
    bench.close()
    assert "FirmwareCrash: segmentation" in (tmp_path / "transcript.log").read_text()
    assert (tmp_path / "trace.csv").read_text().splitlines()[-1] == "200,30,True"


def test_a_trace_can_be_read_while_it_grows_and_is_whole_at_the_end(
    bench_with: PutOnBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0
    monkeypatch.setattr(
        "pytest_embedbench.bench.growing_files.host_now_s", lambda: now_s
    )
    bench = bench_with(tank_firmware)
    bench.wait_for_boot()
    loop = bench.connect(TankFillDrain(level=20))
    bench.run_for(300)
    assert not (tmp_path / "trace.csv").exists()
    now_s = 0.5
    bench.run_for(300)
    early = (tmp_path / "trace.csv").read_text()
    assert early.startswith("timestamp_ms,level,pump_on\n0,20,")
    assert early.endswith("\n")
    bench.run_for(300)
    bench.close()
    whole = (tmp_path / "trace.csv").read_text()
    assert whole == trace_csv(loop.samples)
    assert whole.startswith(early)
    assert len(whole) > len(early)


def test_a_flood_ends_the_run(bench_with: PutOnBench) -> None:
    def flooding(uart: LoopbackUart) -> Generator[int, None, None]:
        while True:
            uart.write(b"x" * 119 + b"\n")
            yield 10

    bench = bench_with(flooding)
    with pytest.raises(FirmwareFlood):
        bench.run(SCENARIOS["happy_path"], TankFillDrain)


def test_equal_runs_leave_equal_bytes(bench_with: PutOnBench, tmp_path: Path) -> None:
    def files() -> dict[str, bytes]:
        bench = bench_with(tank_firmware)
        bench.wait_for_boot()
        bench.run(SCENARIOS["happy_path"], TankFillDrain)
        bench.close()
        found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        for path in tmp_path.iterdir():
            path.unlink()
        return found

    first = files()
    assert set(first) == {"transcript.log", "trace.csv", "metrics.json", "plot.svg"}
    assert files() == first


def test_a_plant_gets_its_whole_ticks_where_time_is_the_hosts(tmp_path: Path) -> None:
    bench = Bench(RestlessBoard(LOOPBACK_SPEC, tank_firmware), tmp_path)
    bench.wait_for_boot()
    loop = bench.connect(TankFillDrain(level=20))
    bench.run_for(4 * 100)
    assert (loop.plant_ms, loop.state.level) == (400, 40)
    bench.close()


@pytest.mark.parametrize("at_ms", [401, 500, 25_000])
@pytest.mark.parametrize(
    ("key", "entry"),
    [("events", "set = { level = 0 }"), ("inject", 'line = "SENSE LEVEL banana"')],
)
def test_what_comes_after_the_end_of_a_scenario_is_a_mistake_in_it(
    bench_with: PutOnBench, tmp_path: Path, key: str, entry: str, at_ms: int
) -> None:
    file = tmp_path / "scenarios.toml"
    rows = f"[{{ at_ms = 400, {entry} }}, {{ at_ms = {at_ms}, {entry} }}]"
    file.write_text(f"[leak]\nmax_steps = 5\n{key} = {rows}\n")
    leak = load_scenarios(file)["leak"]
    with pytest.raises(ConfigError) as refused:
        bench_with(tank_firmware).run(leak, TankFillDrain)
    assert str(refused.value).startswith(f"{file}: leak.{key}[1].at_ms = {at_ms}: ")
    assert "the scenario ends at 500 ms" in str(refused.value)


def test_what_comes_with_the_last_step_of_a_scenario_takes_place(
    bench_with: PutOnBench,
) -> None:
    event = PlantEvent(at_ms=400, changes={"level": 0})
    last = Scenario(name="last", max_steps=5, events=(event,))
    run = bench_with(tank_firmware).run(last, TankFillDrain)
    assert [seen.plant_ms for seen in run.stimuli if seen.text == "level = 0"] == [400]
    with pytest.raises(ConfigError, match=r"scenario 'last'\.events\[0\]\.at_ms = 400"):
        replace(last, max_steps=4).check_in_time(100)
