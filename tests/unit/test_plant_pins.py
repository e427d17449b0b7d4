"""Plants that sense and act through a circuit: here one of two made-up parts."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from embedbench_plants.heater_ntc import HeaterNtc, HeaterState
from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.closed_loop import ClosedLoop
from pytest_embedbench.bench.coupling import Coupling, Grouping
from pytest_embedbench.bench.plant_pins import ActsBy, PlantPins, SensedBy
from pytest_embedbench.bench.scenario import Injection, PlantEvent, Scenario
from pytest_embedbench.errors import (
    BoardLacks,
    ConfigError,
    FaultNeverFired,
    FirmwareCrash,
    InvariantBroken,
    UnknownName,
)
from pytest_embedbench.faults import (
    Delay,
    Drop,
    Fault,
    Fragment,
    InjectionPoint,
    Reset,
    StuckAt,
)
from pytest_embedbench.model import Direction
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    LoopbackBoard,
    LoopbackUart,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from pytest_embedbench.bench.run import Run
    from pytest_embedbench.wiring.part_model import Reading

    Wire = Callable[..., Bench]
    Thermostat = Callable[[LoopbackUart], Generator[int, None, None]]

SENSED = SensedBy(
    line="SENSE TEMP", part="ntc1", control="temperature", scale=0.001, offset=0.5
)
ACTED = ActsBy(line="ACT HEATER", part="fet1", observable="on_share", scale=100)
PINS = Coupling(pins=PlantPins((SENSED,), (ACTED,)))
RANGES = {("ntc1", "temperature"): (-55, 125), ("ntc1", "other"): (0, 1)}


@dataclass
class FakeCircuit:
    """What is set, and what is seen: a thermistor and a transistor."""

    set_to: list[tuple[str, str, float]] = field(
        default_factory=list[tuple[str, str, float]]
    )
    seen: dict[tuple[str, str], Reading] = field(
        default_factory=lambda: {("fet1", "on_share"): 0.0, ("lcd1", "text"): ("", "")}
    )

    def check_control(self, part: str, name: str) -> None:
        if (part, name) not in RANGES:
            raise UnknownName("control", name, [each for _, each in RANGES])

    def control(self, part: str, name: str, value: float) -> None:
        lowest, highest = RANGES[part, name]
        if not lowest <= value <= highest:
            raise ConfigError(f"{part}: {name} cannot be {value:g}")
        self.set_to.append((part, name, value))

    def observe(self, part: str, name: str) -> Reading:
        if (part, name) not in self.seen:
            raise UnknownName("part of the circuit", part, [it for it, _ in self.seen])
        return self.seen[part, name]

    @property
    def temperatures(self) -> list[float]:
        return [value for part, _, value in self.set_to if part == "ntc1"]


class WiredBoard(LoopbackBoard):
    """A board whose firmware sees the circuit."""

    circuit: Any


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[Wire]:
    """Return a function that boots a thermostat in the circuit, each in a folder."""
    with ExitStack() as opened:

        def boot(
            thermostat: Callable[[FakeCircuit], Thermostat] | None = None,
        ) -> Bench:
            circuit = FakeCircuit()
            made = (thermostat or heats_below_25)(circuit)
            board = WiredBoard(LOOPBACK_SPEC, made)
            board.circuit = circuit
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            bench = Bench(board, folder)
            opened.callback(bench.close)
            return bench

        yield boot


def heats_below_25(circuit: FakeCircuit) -> Thermostat:
    def run(uart: LoopbackUart) -> Generator[int, None, None]:
        circuit.seen["fet1", "on_share"] = 0.0
        uart.write(b"BOOTED\n")
        while True:
            yield 10
            felt = circuit.temperatures[-1] if circuit.set_to else 100.0
            circuit.seen["fet1", "on_share"] = float(felt < 25)

    return run


def flickers(circuit: FakeCircuit) -> Thermostat:
    """Show something else every 10 ms."""

    def run(uart: LoopbackUart) -> Generator[int, None, None]:
        while True:
            yield 10
            circuit.seen["fet1", "on_share"] = uart.now_ms // 10 % 7 / 10

    return run


def circuit_of(bench: Bench) -> FakeCircuit:
    circuit: FakeCircuit = cast("WiredBoard", bench.board).circuit
    return circuit


def noted(bench: Bench) -> list[str]:
    return [
        line.payload.decode()
        for _, line in bench.transcript.since(0)
        if line.direction is Direction.BENCH
    ]


def sent(bench: Bench) -> list[bytes]:
    return [
        line.payload
        for _, line in bench.transcript.since(0)
        if line.direction is Direction.TO_FIRMWARE
    ]


def talk(bench: Bench) -> str:
    return "".join(f"{line}\n" for _, line in bench.transcript.since(0))


def acted(loop: ClosedLoop[HeaterState]) -> list[tuple[int, str]]:
    return [
        (each.plant_ms, line)
        for each in loop.replies
        for line in each.lines
        if line.startswith("ACT")
    ]


def test_what_it_senses_sets_a_control_and_what_is_seen_is_said(wired: Wire) -> None:
    bench = wired()
    loop = bench.connect(HeaterNtc(), coupling=PINS)
    bench.run_for(500)
    circuit = circuit_of(bench)
    assert circuit.set_to[0] == ("ntc1", "temperature", 22.5)
    assert len(circuit.set_to) == 2
    assert acted(loop) == [(0, "ACT HEATER 100")]
    assert loop.state.heater_pct == 100
    assert sent(bench) == []
    assert noted(bench)[:2] == [
        "plant -> circuit: SENSE TEMP 22000",
        "circuit -> plant: ACT HEATER 100",
    ]


def test_what_does_not_change_is_not_told_again(wired: Wire) -> None:
    bench = wired()
    loop = bench.connect(HeaterNtc(body_mc=30_000, ambient_mc=30_000), coupling=PINS)
    bench.run_for(5_000)
    assert len(circuit_of(bench).set_to) == 20
    assert acted(loop) == [(0, "ACT HEATER 0")]
    assert len(noted(bench)) == 2


def test_it_lives_as_over_a_uart(wired: Wire) -> None:
    bench = wired()
    loop = bench.connect(HeaterNtc(), coupling=PINS)
    bench.run_for(60_000)
    plant, heater_on = HeaterNtc(), True
    state = plant.initial()
    for _ in range(240):
        heater_on = state.body_mc / 1000 + 0.5 < 25
        state = plant.step(plant.actuate(state, f"ACT HEATER {100 * heater_on}"))
    assert loop.state == state


@pytest.mark.parametrize("step_ms", [1, 10, 70, 100, 1000])
def test_it_makes_no_difference_how_time_is_cut(wired: Wire, step_ms: int) -> None:
    whole = wired(flickers)
    all_at_once = whole.connect(HeaterNtc(), coupling=PINS)
    whole.run_for(7_000)
    cut = wired(flickers)
    loop = cut.connect(HeaterNtc(), coupling=PINS)
    for _ in range(7_000 // step_ms):
        cut.run_for(step_ms)
    assert loop.samples == all_at_once.samples
    assert acted(loop) == acted(all_at_once)
    assert talk(cut) == talk(whole)


@pytest.mark.parametrize("grouping", Grouping)
def test_it_is_told_at_the_end_of_the_tick_in_which_it_is_seen(
    wired: Wire, grouping: Grouping
) -> None:
    bench = wired()
    coupling = replace(PINS, grouping=grouping)
    loop = bench.connect(HeaterNtc(), coupling=coupling)
    bench.run_for(250)
    assert acted(loop) == [(0, "ACT HEATER 100")]


def test_what_the_firmware_says_reaches_the_plant_too(wired: Wire) -> None:
    def talks(_circuit: FakeCircuit) -> Thermostat:
        def run(uart: LoopbackUart) -> Generator[int, None, None]:
            yield 100
            uart.write(b"ACT HEATER 30\n")

        return run

    bench = wired(talks)
    loop = bench.connect(HeaterNtc(), coupling=Coupling(pins=PlantPins((SENSED,))))
    bench.run_for(250)
    assert loop.state.heater_pct == 30


def test_lines_that_no_part_senses_are_sent(wired: Wire) -> None:
    bench = wired()
    loop = bench.connect(HeaterNtc(), coupling=Coupling(pins=PlantPins((), (ACTED,))))
    loop.inject("HELLO")
    bench.run_for(250)
    assert sent(bench) == [b"HELLO", b"SENSE TEMP 22000"]


def test_yes_and_no_are_1_and_0(wired: Wire) -> None:
    bench = wired()
    circuit_of(bench).seen["fet1", "is_on"] = True
    act = replace(ACTED, observable="is_on", scale=40, offset=2)
    loop = bench.connect(HeaterNtc(), coupling=Coupling(pins=PlantPins((), (act,))))
    bench.run_for(250)
    assert loop.state.heater_pct == 42


def run(bench: Bench, scenario: Scenario) -> Run[HeaterState]:
    return bench.run(scenario, HeaterNtc, coupling=PINS)


def test_a_scenario_goes_through_pins(wired: Wire) -> None:
    bench = wired()
    events = (PlantEvent(at_ms=1000, changes={"sensor_open": True}),)
    injected = (Injection(at_ms=500, line="SETPOINT 3"),)
    made = run(
        bench,
        Scenario(
            name="loss",
            max_steps=8,
            initial={"body_mc": 23_000},
            events=events,
            inject=injected,
            frames_until_ms=1500,
        ),
    )
    felt = circuit_of(bench).temperatures
    assert felt[0] == 23.5
    assert felt[4:] == [-54.5] * 3
    assert sent(bench) == [b"SETPOINT 3"]
    assert made.metrics["initial_body_mc"] == 23_000


def test_trace_and_metrics_are_written_and_equal_in_equal_runs(wired: Wire) -> None:
    files: list[dict[str, bytes]] = []
    for _ in range(2):
        bench = wired()
        bench.connect(HeaterNtc(), coupling=PINS)
        bench.run_for(2_000)
        bench.reset()
        bench.run_for(2_000)
        bench.close()
        files.append({it.name: it.read_bytes() for it in bench.folder.iterdir()})
    assert files[0] == files[1]
    assert {"trace.csv", "metrics.json", "transcript.log"} <= files[0].keys()
    assert b"body_mc" in files[0]["trace.csv"]
    assert json.loads(files[0]["metrics.json"])


def test_a_reset_in_the_middle_is_seen_by_the_plant(wired: Wire) -> None:
    def heats_once(circuit: FakeCircuit) -> Thermostat:
        def run(_uart: LoopbackUart) -> Generator[int, None, None]:
            circuit.seen["fet1", "on_share"] = 0.0
            yield 600
            circuit.seen["fet1", "on_share"] = 1.0

        return run

    bench = wired(heats_once)
    loop = bench.connect(HeaterNtc(), coupling=PINS)
    bench.run_for(1_100)
    bench.reset()
    bench.run_for(1_000)
    assert acted(loop) == [
        (0, "ACT HEATER 0"),
        (500, "ACT HEATER 100"),
        (1000, "ACT HEATER 0"),
        (1500, "ACT HEATER 100"),
    ]


def test_an_invariant_holds_through_pins(wired: Wire) -> None:
    bench = wired()
    limits = {"off": lambda state: state.heater_pct == 0}
    bench.connect(HeaterNtc(), coupling=PINS, invariants=limits)
    with pytest.raises(InvariantBroken, match="ACT HEATER 100"):
        bench.run_for(1_000)


def test_a_dead_board_shows_nothing(wired: Wire) -> None:
    def dies(circuit: FakeCircuit) -> Thermostat:
        def run(_uart: LoopbackUart) -> Generator[int, None, None]:
            yield 600
            circuit.seen.clear()
            raise FirmwareCrash("it fell")

        return run

    bench = wired(dies)
    loop = bench.connect(HeaterNtc(), coupling=PINS)
    with pytest.raises(FirmwareCrash):
        bench.run_for(1_000)
    assert acted(loop) == [(0, "ACT HEATER 0")]
    bench.reset()
    circuit_of(bench).seen["fet1", "on_share"] = 0.5
    bench.run_for(500)
    assert acted(loop)[1:] == [(500, "ACT HEATER 50")]


# ------------------------------------------------------------------------ faults
def faulty(bench: Bench, *faults: Fault) -> Run[HeaterState]:
    return run(bench, Scenario(name="faulty", max_steps=8, faults=faults))


def test_a_reading_that_is_lost_leaves_the_part_as_it_was(wired: Wire) -> None:
    bench = wired()
    fault = Fault(InjectionPoint.SENSORS, Drop(), from_ms=500, until_ms=1000)
    faulty(bench, fault)
    assert len(circuit_of(bench).set_to) == 6


def test_a_stuck_reading_sets_the_part_to_it(wired: Wire) -> None:
    bench = wired()
    faulty(bench, Fault(InjectionPoint.SENSORS, StuckAt(value="90000")))
    assert circuit_of(bench).temperatures == [90.5] * 8


def test_a_late_reading_sets_the_part_late(wired: Wire) -> None:
    bench = wired()
    made = faulty(bench, Fault(InjectionPoint.SENSORS, Delay(by_ms=130)))
    assert talk(bench).count("circuit: SENSE TEMP") == 7
    assert made.stimuli[0].at_us == 130_000


def test_an_actuator_that_is_deaf_does_not_hear_of_the_circuit(wired: Wire) -> None:
    bench = wired()
    made = faulty(bench, Fault(InjectionPoint.ACTUATORS, Drop(), until_ms=1000))
    assert {sample.state.heater_pct for sample in made.samples} == {0}


def test_a_stuck_actuator_is_a_number_too(wired: Wire) -> None:
    bench = wired()
    made = faulty(bench, Fault(InjectionPoint.ACTUATORS, StuckAt(value="7")))
    assert made.samples[-1].state.heater_pct == 7


def test_the_reset_button_is_pressed_beside_pins(wired: Wire) -> None:
    bench = wired()
    faulty(bench, Fault(InjectionPoint.RESET_PIN, Reset(at_ms=(1000,))))
    assert talk(bench).count("BOOTED") == 2


def test_no_fault_of_the_wire_meets_what_a_part_senses(wired: Wire) -> None:
    bench = wired()
    fault = Fault(InjectionPoint.WIRE, Fragment(gap_ms=20))
    with pytest.raises(FaultNeverFired):
        faulty(bench, fault)
    assert len(circuit_of(bench).set_to) == 8
    other = wired()
    scenario = Scenario(
        name="both",
        max_steps=4,
        faults=(fault,),
        inject=(Injection(at_ms=250, line="SETPOINT 3"),),
    )
    run(other, scenario)
    assert b"".join(sent(other)) == b"SETPOINT 3"
    assert len(circuit_of(other).set_to) == 4


# ------------------------------------------------------------------------ mistakes
def pins(*senses: SensedBy, acts: Sequence[ActsBy] = ()) -> Coupling:
    return Coupling(pins=PlantPins(senses, tuple(acts)))


def test_a_board_without_a_circuit_is_told_so(tmp_path: Path) -> None:
    bench = Bench(LoopbackBoard(LOOPBACK_SPEC, lambda _: iter(())), tmp_path)  # type: ignore[arg-type,return-value]
    with pytest.raises(BoardLacks, match="has no circuit around it"):
        bench.connect(HeaterNtc(), coupling=PINS)
    bench.close()


@pytest.mark.parametrize(
    ("coupling", "culprit"),
    [
        (pins(replace(SENSED, part="ntc2")), "temperature"),
        (pins(replace(SENSED, control="heat")), "heat"),
        (pins(acts=[replace(ACTED, part="fet2")]), "fet2"),
    ],
)
def test_what_is_not_in_the_circuit_is_refused_before_time_passes(
    wired: Wire, coupling: Coupling, culprit: str
) -> None:
    bench = wired()
    with pytest.raises(UnknownName, match=culprit):
        bench.connect(HeaterNtc(), coupling=coupling)
    assert bench.uart.now_us == 0


@pytest.mark.parametrize(
    ("coupling", "message"),
    [
        (
            pins(replace(SENSED, line="SENSE TMP")),
            "begins with 'SENSE TMP', which ntc1 is to .* says: SENSE TEMP 22000",
        ),
        (
            pins(acts=[ActsBy(line="ACT HEATER", part="lcd1", observable="text")]),
            r"lcd1: text is \('', ''\), and a plant needs a number",
        ),
    ],
)
def test_what_means_nothing_to_the_plant_is_refused(
    wired: Wire, coupling: Coupling, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        wired().connect(HeaterNtc(), coupling=coupling)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("hot", "'SENSE TEMP hot' of the plant, which ntc1 is to sense: it needs one"),
        ("nan", "'SENSE TEMP nan' of the plant, .* cannot be nan"),
        ("900000", "'SENSE TEMP 900000' of .*: ntc1: temperature cannot be 900.5"),
    ],
)
def test_what_no_part_can_sense_is_an_error_that_names_line_and_part(
    wired: Wire, value: str, message: str
) -> None:
    fault = Fault(InjectionPoint.SENSORS, StuckAt(value=value), from_ms=500)
    with pytest.raises(ConfigError, match=message):
        faulty(wired(), fault)


SHORTER = replace(SENSED, line="SENSE", part="ntc2")
OTHER = replace(SENSED, line="SENSE OTHER")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"senses": (SENSED, replace(SENSED, part="ntc2"))}, "'SENSE TEMP' is sensed"),
        ({"senses": (SENSED, SHORTER)}, "what begins with both can go to one only"),
        ({"senses": (SENSED, OTHER)}, "would both set temperature of ntc1"),
        ({"acts": (ACTED, replace(ACTED, part="fet2"))}, "give each a line of its own"),
        ({"senses": SENSED}, r"give a tuple, \(SensedBy\(...\),\)"),
        ({"acts": (SENSED,)}, r"give a tuple, \(ActsBy\(...\),\)"),
    ],
)
def test_pins_that_contradict_each_other_are_refused(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        PlantPins(**given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"line": ""}, "give the words of a line"),
        ({"line": 7}, "give the text of a line"),
        ({"scale": "0.1"}, "scale and offset are numbers, not '0.1'"),
        ({"offset": float("nan")}, "scale and offset are numbers, not nan"),
        ({"scale": True}, "scale and offset are numbers, not True"),
    ],
)
def test_a_line_without_words_and_factors_that_are_none_are_refused(
    change: dict[str, Any], message: str
) -> None:
    for one in (SENSED, ACTED):
        with pytest.raises(ConfigError, match=message):
            replace(one, **change)


def test_pins_that_are_none_are_refused() -> None:
    anything: Any = (SENSED,)
    with pytest.raises(ConfigError, match="must be PlantPins"):
        Coupling(pins=anything)
