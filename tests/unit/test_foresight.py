"""Looking ahead in a closed loop: fewer exchanges, and nothing else is different."""

from __future__ import annotations

import math
from collections import deque
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from embedbench_plants.tank_fill_drain import TankFillDrain, TankState
from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.blind_talk import in_turns
from pytest_embedbench.bench.coupling import Coupling, Grouping
from pytest_embedbench.bench.scenario import Injection, PlantEvent, Scenario
from pytest_embedbench.errors import (
    EmbedbenchError,
    FirmwareCrash,
    FirmwareFault,
    ForbiddenOutput,
    InvariantBroken,
)
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    LoopbackBoard,
    LoopbackUart,
    tank_firmware,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from pytest_embedbench.bench.closed_loop import ClosedLoop
    from pytest_embedbench.bench.run import Run
    from pytest_embedbench.model import BoardSpec, Chunk
    from pytest_embedbench.testing import Firmware


@dataclass(slots=True)
class Done:
    """A stretch that has been run."""

    asked: tuple[bytes, int]
    now_us: int
    chunks: list[Chunk]
    fault: FirmwareFault | None = None


class AheadBoard:
    """A loopback board that runs ahead, and counts how often it is made to run."""

    virtual_time = True

    def __init__(self, firmware: Firmware, *, is_able: bool = True) -> None:
        self.inner = LoopbackBoard(LOOPBACK_SPEC, firmware)
        self.is_able = is_able
        self.exchange_count = 0
        self.sent = b""
        self.foreseen: list[tuple[bytes, int]] = []
        self.expected: Sequence[bytes] = ()
        self.done: deque[Done] = deque()
        self.heard: list[Chunk] = []
        self.at_us = 0

    @property
    def spec(self) -> BoardSpec:
        return self.inner.spec

    def link(self, uart: str = "") -> AheadBoard:
        assert uart in ("", "uart0")
        return self

    def send(self, data: bytes) -> None:
        self.sent += data

    def receive(self) -> list[Chunk]:
        heard, self.heard = self.heard, []
        return heard

    def now_us(self) -> int:
        return self.at_us

    def foresee(
        self, stretches: Sequence[tuple[bytes, int]], expected: Sequence[bytes]
    ) -> None:
        if self.is_able:
            self.foreseen, self.expected = list(stretches), expected

    def is_ahead(self) -> bool:
        return bool(self.done)

    def advance(self, duration_ms: int) -> None:
        asked, self.sent = (self.sent, duration_ms), b""
        if not self.done:
            self.exchange_count += 1
            foreseen, self.foreseen = self.foreseen, []
            self._run(foreseen if foreseen[:1] == [asked] else [asked])
        done = self.done.popleft()
        assert done.asked == asked
        self.at_us = done.now_us
        self.heard += done.chunks
        if done.fault is not None:
            raise done.fault

    def _run(self, stretches: Sequence[tuple[bytes, int]]) -> None:
        link = self.inner.link()
        for data, duration_ms in stretches:
            link.send(data)
            fault = None
            try:
                self.inner.advance(duration_ms)
            except FirmwareFault as error:
                fault = error
            chunks = link.receive()
            asked = data, duration_ms
            self.done.append(Done(asked, self.inner.now_us(), chunks, fault))
            if fault or not all(chunk.data in self.expected for chunk in chunks):
                return

    def close(self) -> None:
        self.inner.close()


@dataclass(slots=True)
class Played:
    """What came of a run."""

    run: Run[Any] | None = None
    error: EmbedbenchError | ZeroDivisionError | None = None
    transcript: str = ""
    now_us: int = 0
    exchange_count: int = 0
    is_ahead: bool = False
    loops: list[ClosedLoop[Any]] = field(default_factory=list["ClosedLoop[Any]"])


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., Played]:
    """Return a function that runs a scenario, ahead or tick by tick."""

    def played(
        scenario: Scenario,
        *,
        is_able: bool,
        firmware: Firmware = tank_firmware,
        plant: Callable[..., Any] = TankFillDrain,
        **how: Any,  # noqa: ANN401  # as ``Bench.run`` takes it
    ) -> Played:
        board = AheadBoard(firmware, is_able=is_able)
        folder = tmp_path / f"able-{is_able}"
        folder.mkdir()
        seen = Played()
        with closing(Bench(board, folder)) as bench:
            bench.wait_for_boot()
            before = board.exchange_count
            try:
                seen.run = bench.run(scenario, plant, **how)
            except (EmbedbenchError, ZeroDivisionError) as error:
                seen.error = error
            seen.exchange_count = board.exchange_count - before
            seen.now_us, seen.is_ahead = board.now_us(), board.is_ahead()
            seen.loops = bench.loops
        seen.transcript = (folder / "transcript.log").read_text(encoding="utf-8")
        return seen

    return played


def insist_same(ahead: Played, plain: Played) -> None:
    assert ahead.transcript == plain.transcript
    assert ahead.run == plain.run
    errors = [str(each.error).partition("\ntranscript: ")[0] for each in (ahead, plain)]
    assert errors[0] == errors[1]
    assert ahead.now_us == plain.now_us
    assert not ahead.is_ahead
    for one, other in zip(ahead.loops, plain.loops, strict=True):
        assert one.samples == other.samples
        assert one.replies == other.replies
        assert one.stimuli == other.stimuli


SCENARIOS = {
    "minute": Scenario(name="minute", max_steps=600),
    "events": Scenario(
        name="events",
        max_steps=200,
        events=(PlantEvent(at_ms=7000, changes={"level": 20}),),
        inject=(Injection(at_ms=3300, line="SENSE LEVEL banana"),),
    ),
    "silence": Scenario(name="silence", max_steps=200, frames_until_ms=6000),
    "one_silent": Scenario(
        name="one_silent", max_steps=200, streams_until_ms={"SENSE LEVEL": 6000}
    ),
}


@pytest.mark.parametrize("grouping", Grouping)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_is_the_same_with_a_fraction_of_the_exchanges(
    play: Callable[..., Played], name: str, grouping: Grouping
) -> None:
    how = {"coupling": Coupling(grouping=grouping)}
    ahead = play(SCENARIOS[name], is_able=True, **how)
    plain = play(SCENARIOS[name], is_able=False, **how)
    insist_same(ahead, plain)
    assert plain.exchange_count == SCENARIOS[name].max_steps
    assert ahead.exchange_count < plain.exchange_count / 4


def test_a_loop_that_is_asked_whether_to_stop_goes_tick_by_tick(
    play: Callable[..., Played],
) -> None:
    def stop(loop: ClosedLoop[TankState]) -> bool:
        return loop.plant_ms == 5000

    ahead = play(SCENARIOS["minute"], is_able=True, stop_when=stop)
    insist_same(ahead, play(SCENARIOS["minute"], is_able=False, stop_when=stop))
    assert ahead.exchange_count == 51


def test_a_broken_invariant_finds_the_board_where_it_is(
    play: Callable[..., Played],
) -> None:
    how = {"invariants": {"not too full": lambda state: state.level < 64}}
    ahead = play(SCENARIOS["minute"], is_able=True, **how)
    insist_same(ahead, play(SCENARIOS["minute"], is_able=False, **how))
    assert isinstance(ahead.error, InvariantBroken)


def test_a_line_that_is_looked_out_for_is_expected_no_more(tmp_path: Path) -> None:
    board = AheadBoard(tank_firmware)
    with closing(Bench(board, tmp_path)) as bench:
        bench.wait_for_boot()
        loop = bench.connect(TankFillDrain())
        loop.advance(1000)
        begins_us = board.now_us()
        bench.uart.forbid("^ACT PUMP ON$")
        loop.advance(1000)
        with pytest.raises(ForbiddenOutput):
            bench.expect("never", within_ms=10)
    assert board.now_us() - begins_us == 100_000
    assert not board.is_ahead()


@dataclass(slots=True)
class Repeated:
    """What came of lines that were sent once in each tick."""

    loop: ClosedLoop[TankState]
    transcript: str
    error: str
    exchange_count: int
    is_ahead: bool


@pytest.fixture
def repeated(tmp_path: Path) -> Callable[..., Repeated]:
    """Return a function that repeats a line in a connected loop, or has it sent."""

    def by(
        name: str,
        send: Callable[[Bench, ClosedLoop[TankState]], None],
        firmware: Firmware = tank_firmware,
        **how: Any,  # noqa: ANN401  # as ``Bench.connect`` takes it
    ) -> Repeated:
        board, error = AheadBoard(firmware), ""
        folder = tmp_path / name
        folder.mkdir()
        with closing(Bench(board, folder)) as bench:
            bench.wait_for_boot()
            loop = bench.connect(TankFillDrain(), **how)
            loop.advance(500)
            before = board.exchange_count
            try:
                send(bench, loop)
            except EmbedbenchError as raised:
                error = str(raised).partition("\ntranscript: ")[0]
            count = board.exchange_count - before
            is_ahead = board.is_ahead()
            if not error:
                loop.advance(300)
        transcript = (folder / "transcript.log").read_text(encoding="utf-8")
        return Repeated(loop, transcript, error, count, is_ahead)

    return by


def insist_as_repeated(ahead: Repeated, plain: Repeated) -> None:
    assert ahead.transcript == plain.transcript
    assert ahead.error == plain.error
    assert not ahead.is_ahead
    assert ahead.loop.state == plain.loop.state
    assert ahead.loop.samples == plain.loop.samples
    assert ahead.loop.replies == plain.loop.replies
    assert ahead.loop.stimuli == plain.loop.stimuli


REPEATED = {
    "alone": ("SENSE LEVEL 50", -1, 0),
    "beside the plant's": ("SENSE LEVEL 50", None, 0),
    "nobody's": ("HELLO", -1, 0),
    "bad": ("SENSE LEVEL banana", None, 0),
    "until the plant falls silent": ("HELLO", 3000, 0),
    "in the middle of a tick": ("SENSE LEVEL 50", None, 40),
}


@pytest.mark.parametrize("case", REPEATED)
def test_a_line_that_is_repeated_is_as_one_sent_in_each_tick(
    repeated: Callable[..., Repeated], case: str
) -> None:
    line, until_ms, into_tick_ms = REPEATED[case]

    def repeat(_: Bench, loop: ClosedLoop[TankState]) -> None:
        loop.frames_until_ms = until_ms
        loop.advance(into_tick_ms)
        loop.repeat(line, ticks=100)

    def send(bench: Bench, loop: ClosedLoop[TankState]) -> None:
        loop.frames_until_ms = until_ms
        loop.advance(into_tick_ms)
        for _ in range(100):
            loop.inject(line)
            bench.run_for(loop.plant.tick_ms)

    ahead, plain = repeated("ahead", repeat), repeated("plain", send)
    insist_as_repeated(ahead, plain)
    if not into_tick_ms:
        assert plain.exchange_count == 100
        assert ahead.exchange_count < 50


@pytest.mark.parametrize("kind", ["crash", "invariant", "forbidden"])
def test_what_goes_wrong_while_a_line_is_repeated_is_raised_when_it_does(
    repeated: Callable[..., Repeated], kind: str
) -> None:
    def crashes(uart: LoopbackUart) -> Generator[int, None, None]:
        works = tank_firmware(uart)
        while uart.now_us < 4_950_000:
            yield next(works)
        raise FirmwareCrash("it has crashed")

    def repeat(bench: Bench, loop: ClosedLoop[TankState]) -> None:
        watch(bench)
        loop.repeat("HELLO", ticks=200)

    def send(bench: Bench, loop: ClosedLoop[TankState]) -> None:
        watch(bench)
        for _ in range(200):
            loop.inject("HELLO")
            bench.run_for(loop.plant.tick_ms)

    def watch(bench: Bench) -> None:
        if kind == "forbidden":
            bench.uart.forbid("^ACT PUMP OFF$")

    how: dict[str, Any] = {}
    if kind == "crash":
        how["firmware"] = crashes
    if kind == "invariant":
        how["invariants"] = {"not too full": lambda state: state.level < 78}
    ahead, plain = repeated("ahead", repeat, **how), repeated("plain", send, **how)
    insist_as_repeated(ahead, plain)
    assert ahead.error
    assert ahead.exchange_count < plain.exchange_count / 2


def test_a_crash_ahead_comes_when_it_is_due(play: Callable[..., Played]) -> None:
    def crashes(uart: LoopbackUart) -> Generator[int, None, None]:
        works = tank_firmware(uart)
        while uart.now_us < 9_950_000:
            yield next(works)
        raise FirmwareCrash("it has crashed")

    ahead = play(SCENARIOS["minute"], is_able=True, firmware=crashes)
    plain = play(SCENARIOS["minute"], is_able=False, firmware=crashes)
    insist_same(ahead, plain)
    assert isinstance(ahead.error, FirmwareCrash)
    assert ahead.exchange_count < plain.exchange_count / 3


@pytest.mark.parametrize("ends_us", [0, 4_950_000])
def test_turns_are_the_same_with_a_fraction_of_the_exchanges(
    tmp_path: Path, ends_us: int
) -> None:
    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        works = tank_firmware(uart)
        while not ends_us or uart.now_us < ends_us:
            yield next(works)
        raise FirmwareCrash("it has crashed")

    levels = [*range(20, 80, 2), *range(80, 20, -2)]
    turns = [((f"SENSE LEVEL {level}", "HELLO"), 250) for level in levels]
    seen: list[tuple[str, list[int], int]] = []
    exchange_counts: list[int] = []
    for is_able in (True, False):
        board = AheadBoard(firmware, is_able=is_able)
        folder = tmp_path / f"able-{is_able}"
        folder.mkdir()
        stamps_us: list[int] = []
        with closing(Bench(board, folder)) as bench, suppress(FirmwareCrash):
            bench.wait_for_boot()
            stamps_us += [board.now_us() for _ in in_turns(bench.uart, turns)]
        exchange_counts.append(board.exchange_count)
        transcript = (folder / "transcript.log").read_text(encoding="utf-8")
        seen.append((transcript, stamps_us, board.now_us()))
    assert seen[0] == seen[1]
    assert seen[0][0].count("SENSE LEVEL") == (20 if ends_us else len(turns))
    assert exchange_counts[0] < exchange_counts[1] / 4


class Leaking(TankFillDrain):
    """A tank that cannot be filled beyond half."""

    def step(self, state: TankState) -> TankState:
        return replace(super().step(state), level=state.level + 1 // (state.level < 50))


class Trembling(TankFillDrain):
    """A tank whose level is zero from above and from below by turns, and says so."""

    def step(self, state: TankState) -> TankState:
        level: Any = math.copysign(0.0, -math.copysign(1.0, state.level))
        return replace(state, level=level)

    def sense(self, state: TankState) -> tuple[str, ...]:
        return "SENSE LEVEL 30", f"NOTE {state.level:g}"


class Forgetful(TankFillDrain):
    """A tank that is not pure: what it says is another thing each time."""

    def sense(self, state: TankState) -> tuple[str, ...]:
        calls.append(state)
        return (f"SENSE LEVEL {30 + len(calls) % 3}",)


calls: list[TankState] = []


def test_an_error_of_the_plants_comes_when_it_is_due(
    play: Callable[..., Played],
) -> None:
    ahead = play(SCENARIOS["minute"], is_able=True, plant=Leaking)
    insist_same(ahead, play(SCENARIOS["minute"], is_able=False, plant=Leaking))
    assert isinstance(ahead.error, ZeroDivisionError)


def test_states_that_are_equal_and_read_differently_are_told_apart(
    play: Callable[..., Played],
) -> None:
    ahead = play(SCENARIOS["minute"], is_able=True, plant=Trembling)
    insist_same(ahead, play(SCENARIOS["minute"], is_able=False, plant=Trembling))
    assert ahead.error is None
    assert ahead.exchange_count < 150


def test_nobody_looks_ahead_for_a_plant_that_is_not_pure(
    play: Callable[..., Played],
) -> None:
    ahead = play(SCENARIOS["minute"], is_able=True, plant=Forgetful)
    assert ahead.error is None
    assert ahead.exchange_count == 600
