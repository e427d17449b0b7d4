"""Faults: each effect by itself, and chains of them."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.errors import ConfigError, FaultNeverFired
from pytest_embedbench.faults import (
    BitErrors,
    Coalesce,
    Decimate,
    Delay,
    Drift,
    Drop,
    DutyLimit,
    Effect,
    Fault,
    FaultPipeline,
    Fragment,
    InjectionPoint,
    Message,
    Noise,
    Reset,
    Saturate,
    SeededRandom,
    StuckAt,
    Tick,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TICK_MS = 100
SENSORS, WIRE, ACTUATORS = (
    InjectionPoint.SENSORS,
    InjectionPoint.WIRE,
    InjectionPoint.ACTUATORS,
)

Traffic = list[list[bytes]]
"""What sets out in each tick."""


def through(
    pipeline: FaultPipeline, at: InjectionPoint, traffic: Traffic
) -> list[Sequence[Message]]:
    """Return what passes in each tick, with two quiet ticks at the end."""
    return [
        pipeline.apply(
            at,
            tick,
            TICK_MS,
            [
                Message(tick * TICK_MS * 1000, rank, data)
                for rank, data in enumerate(line)
            ],
        )
        for tick, line in enumerate([*traffic, [], []])
    ]


def data(passed: Iterable[Sequence[Message]]) -> Traffic:
    return [[each.data for each in tick] for tick in passed]


def becomes(
    effect: Effect[Any],
    traffic: Traffic,
    at: InjectionPoint = SENSORS,
    *,
    stream: str = "",
    from_ms: int = 0,
    until_ms: int | None = None,
) -> Traffic:
    fault = Fault(at, effect, stream=stream, from_ms=from_ms, until_ms=until_ms)
    return data(through(FaultPipeline([fault]), at, traffic))[: len(traffic)]


def levels(*values: int | str) -> Traffic:
    return [[f"SENSE LEVEL {value}".encode()] for value in values]


# ------------------------------------------------------------------------- values


def test_a_stuck_sensor_says_what_it_said_first() -> None:
    assert becomes(StuckAt(), levels(20, 25, 30)) == levels(20, 20, 20)


def test_a_sensor_may_be_stuck_at_a_value() -> None:
    assert becomes(StuckAt(value="99"), levels(20, 25)) == levels(99, 99)


def test_each_stuck_sensor_has_its_own_value() -> None:
    first, then = [b"SENSE DOOR OPEN", b"SENSE P 1"], [b"SENSE DOOR SHUT", b"SENSE P 2"]
    assert becomes(StuckAt(), [first, then]) == [first, first]


def test_a_sensor_drifts_by_the_second() -> None:
    traffic = levels(*[50] * 21)
    for per_s, expected in ((3, [50, 53, 56]), (-3, [50, 47, 44])):
        assert becomes(Drift(per_s=per_s), traffic)[::10] == levels(*expected)


def test_a_drift_begins_with_the_fault() -> None:
    drifted = becomes(Drift(per_s=10), levels(*[50] * 8), from_ms=500)
    assert drifted == levels(50, 50, 50, 50, 50, 50, 51, 52)


def test_what_saturates_stays_in_its_range() -> None:
    assert becomes(Saturate(low=10, high=60), levels(5, 10, 61)) == levels(10, 10, 60)


def test_a_sensor_cannot_say_more_than_its_range_allows() -> None:
    assert becomes(Drift(per_s=100, within=(0, 55)), levels(50, 50)) == levels(50, 55)
    noisy = becomes(Noise(up_to=50, within=(0, 100)), levels(*range(101)))
    assert all(0 <= int(line[0].split()[-1]) <= 100 for line in noisy)


def test_noise_reaches_both_of_its_ends_and_no_further() -> None:
    noisy = becomes(Noise(up_to=2), levels(*[50] * 200))
    assert {line[0] for line in noisy} == {
        line[0] for line in levels(48, 49, 50, 51, 52)
    }


@pytest.mark.parametrize("word", ["banana", "CLOSED", "20.5", "0x14", ""])
def test_what_is_no_number_is_left_alone(word: str) -> None:
    for effect in (Noise(up_to=3), Drift(per_s=100), Saturate(low=0, high=1)):
        assert becomes(effect, levels(word, word)) == levels(word, word)


# ------------------------------------------------------------------------ traffic


def test_all_is_lost_or_some() -> None:
    assert becomes(Drop(), levels(1, 2)) == [[], []]
    kept = sum(map(len, becomes(Drop(one_in=4), levels(*range(1000)))))
    assert 700 < kept < 800


def test_a_thin_stream_is_a_slow_one() -> None:
    assert becomes(Decimate(every=3), levels(0, 1, 2, 3, 4)) == [
        *levels(0),
        [],
        [],
        *levels(3),
        [],
    ]


def test_what_is_late_comes_when_it_is_due() -> None:
    fault = Fault(SENSORS, Delay(by_ms=150), until_ms=500)
    passed = through(FaultPipeline([fault]), SENSORS, levels(1, 2))
    assert data(passed) == [[], *levels(1, 2), []]
    assert passed[1][0].at_us == 150_000


def test_jitter_never_overtakes() -> None:
    late = through(
        FaultPipeline([Fault(SENSORS, Delay(by_ms=50, jitter_ms=400))]),
        SENSORS,
        levels(*range(50)),
    )
    stamps = [each.at_us for tick in late for each in tick]
    assert [line for tick in data(late) for line in tick] == [
        line for (line,) in levels(*range(50))
    ][: len(stamps)]
    assert stamps == sorted(stamps)
    assert len(set(stamps)) < len(stamps), "nothing ever caught up"


def test_a_fault_that_is_over_lets_go_before_anything_else_passes() -> None:
    for effect in (Delay(by_ms=1000), Coalesce(count=9)):
        given = becomes(effect, [[b"1\n"], [b"2\n"], [b"3\n"]], WIRE, until_ms=200)
        assert given[:2] == [[], []]
        assert b"".join(given[2]) == b"1\n2\n3\n"


def test_writes_are_torn_and_keep_their_order() -> None:
    fault = Fault(WIRE, Fragment(gap_ms=30))
    (first, *_) = through(
        FaultPipeline([fault]), WIRE, [[b"PRESS 20\n", b"DOOR OPEN\n"]]
    )
    assert b"".join(each.data for each in first) == b"PRESS 20\nDOOR OPEN\n"
    assert [each.at_us for each in first] == [0, 30_000, 30_000, 60_000]


def test_a_write_of_two_bytes_is_torn_between_them_and_one_of_one_is_not() -> None:
    for seed in range(20):
        pipeline = FaultPipeline([Fault(WIRE, Fragment(gap_ms=10))], seed)
        first, *_ = data(through(pipeline, WIRE, [[b"ab", b"c"]]))
        assert first == [b"a", b"b", b"c"]


def test_writes_are_merged_into_one() -> None:
    assert becomes(Coalesce(count=2), [[b"1\n"], [b"2\n"], [b"3\n"]], WIRE) == [
        [],
        [b"1\n2\n"],
        [],
    ]


def test_a_bit_is_wrong_once_in_so_many_bytes() -> None:
    sent = bytes(8000)
    ((received,),) = becomes(BitErrors(one_in=20), [[sent]], WIRE)
    flipped = Counter(received)
    assert set(flipped) == {0, *(1 << bit for bit in range(8))}
    assert 300 < len(sent) - flipped[0] < 500


# ---------------------------------------------------------------- actuators, board

PUMP = DutyLimit(on="ACT PUMP ON", off="ACT PUMP OFF", on_ticks=1, of_ticks=2)
ON, OFF = b"ACT PUMP ON", b"ACT PUMP OFF"


def test_an_actuator_runs_for_a_share_of_the_time() -> None:
    assert becomes(PUMP, [[ON], [], [], [ON], [OFF], []], ACTUATORS) == [
        [ON],
        [OFF],
        [ON],
        [ON, OFF],
        [OFF],
        [],
    ]


def test_an_actuator_that_may_not_run_is_switched_off_after_all_else() -> None:
    pipeline = FaultPipeline([Fault(ACTUATORS, PUMP)])
    said = Message(199_999, 0, ON)
    passed = pipeline.apply(ACTUATORS, 1, TICK_MS, [said])
    assert [each.data for each in passed] == [ON, OFF]


def test_an_actuator_may_be_without_power_for_all_the_time() -> None:
    dead = DutyLimit(on="ACT PUMP ON", off="ACT PUMP OFF", on_ticks=0, of_ticks=2)
    assert becomes(dead, [[ON], [], [ON]], ACTUATORS) == [[ON, OFF], [], [ON, OFF]]


def test_an_actuator_does_again_what_it_is_told_when_the_fault_is_over() -> None:
    assert becomes(PUMP, [[ON], [], [], []], ACTUATORS, until_ms=200) == [
        [ON],
        [OFF],
        [ON],
        [],
    ]
    assert becomes(PUMP, [[ON], [], [OFF]], ACTUATORS, until_ms=200)[2] == [ON, OFF]


def test_the_button_is_pressed_when_it_is_time() -> None:
    pipeline = FaultPipeline(
        [Fault(InjectionPoint.RESET_PIN, Reset(at_ms=(0, 150, 160)))]
    )
    passed = through(pipeline, InjectionPoint.RESET_PIN, [[], []])
    assert [[each.at_us for each in tick] for tick in passed] == [
        [0],
        [150_000, 160_000],
        [],
        [],
    ]


def test_a_button_that_is_pressed_between_two_ticks_is_pressed_once() -> None:
    pipeline = FaultPipeline([Fault(InjectionPoint.RESET_PIN, Reset(at_ms=(100,)))])
    passed = through(pipeline, InjectionPoint.RESET_PIN, [[], []])
    assert [[each.at_us for each in tick] for tick in passed] == [[], [100_000], [], []]


# ----------------------------------------------------------------------- pipelines


def test_two_faults_of_a_kind_have_each_their_own_luck() -> None:
    names = ("SENSE TEMP", "SENSE LEVEL")
    faults = [Fault(SENSORS, Noise(up_to=50), stream=name) for name in names]
    traffic = [[f"{name} 50".encode() for name in names] for _ in range(20)]
    passed = data(through(FaultPipeline(faults), SENSORS, traffic))
    temp, level = (
        [tick[place].split()[-1] for tick in passed if tick] for place in (0, 1)
    )
    assert temp != level


def test_what_passes_at_one_time_keeps_its_order() -> None:
    pipeline = FaultPipeline([Fault(SENSORS, Noise(up_to=1), stream="SENSE LEVEL")])
    (passed, *_) = data(
        through(pipeline, SENSORS, [[b"SENSE TEMP 1", b"SENSE LEVEL 2"]])
    )
    assert [line.split()[1] for line in passed] == [b"TEMP", b"LEVEL"]


def test_a_fault_acts_on_its_stream_and_in_its_time_only() -> None:
    both = [b"SENSE TEMP 20", b"SENSE TEMPERATURE 20"]
    lost = [b"SENSE TEMPERATURE 20"]
    given = becomes(Drop(), [both] * 4, stream="SENSE TEMP", from_ms=100, until_ms=300)
    assert given == [both, lost, lost, both]


def test_what_is_left_alone_keeps_its_place() -> None:
    three = [b"A 1", b"B 1", b"C 1"]
    assert becomes(Saturate(low=7, high=9), [three], stream="A") == [
        [b"A 7", b"B 1", b"C 1"]
    ]


def test_faults_act_in_their_order() -> None:
    drift, stuck = Fault(SENSORS, Drift(per_s=10)), Fault(SENSORS, StuckAt())
    traffic = levels(50, 60)
    stuck_first = data(through(FaultPipeline([stuck, drift]), SENSORS, traffic))
    drift_first = data(through(FaultPipeline([drift, stuck]), SENSORS, traffic))
    assert stuck_first[:2] == levels(50, 51)
    assert drift_first[:2] == levels(50, 50)


def test_a_fault_that_changed_nothing_makes_a_run_invalid() -> None:
    faults = [
        Fault(SENSORS, Noise(up_to=5), stream="SENSE LEVEL"),
        Fault(SENSORS, StuckAt(), stream="SENSE LEVLE"),
        Fault(ACTUATORS, Drop()),
    ]
    pipeline = FaultPipeline(faults, seed=3)
    through(pipeline, SENSORS, levels(20, 25))
    assert pipeline.counts[1:] == [0, 0]
    with pytest.raises(FaultNeverFired) as caught:
        pipeline.check_fired()
    assert caught.value.faults == (str(faults[1]), str(faults[2]))
    assert "changed nothing in it (seed 3)" in str(caught.value)
    assert "StuckAt(value='') at sensors of 'SENSE LEVLE', from 0 ms on" in str(
        caught.value
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_sensor_that_is_stuck_at_the_truth_is_no_fault() -> None:
    pipeline = FaultPipeline([Fault(SENSORS, StuckAt())])
    through(pipeline, SENSORS, levels(20, 20, 20))
    with pytest.raises(FaultNeverFired):
        pipeline.check_fired()


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Noise(up_to=0), "is none"),
        (lambda: Decimate(every=1), "leaves nothing out"),
        (lambda: DutyLimit(on="1", off="0", on_ticks=2, of_ticks=2), "limits nothing"),
        (lambda: Fault(SENSORS, Drop(), from_ms=5, until_ms=5), "before it begins"),
        (lambda: Fault(WIRE, Drop(), stream="X"), "leave the stream away"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(
    make: Callable[[], object], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make()


lines = st.one_of(
    st.integers(-5, 120).map(lambda value: f"SENSE LEVEL {value}".encode()),
    st.sampled_from([b"SENSE DOOR OPEN", b"FAULT SENSOR_TIMEOUT", b"SENSE LEVEL"]),
)
traffics = st.lists(st.lists(lines, max_size=3), max_size=12)
values: st.SearchStrategy[Effect[Any]] = st.one_of(
    st.integers(1, 30).map(lambda n: Noise(up_to=n)),
    st.integers(-20, 20).map(lambda n: Drift(per_s=n)),
    st.just(StuckAt()),
    st.just(Saturate(low=10, high=60)),
)
queues: st.SearchStrategy[Effect[Any]] = st.one_of(
    st.builds(Delay, by_ms=st.integers(0, 300), jitter_ms=st.integers(0, 300)),
    st.integers(1, 4).map(lambda n: Coalesce(count=n)),
    st.integers(0, 250).map(lambda n: Fragment(gap_ms=n)),
)
losses: st.SearchStrategy[Effect[Any]] = st.one_of(
    st.integers(1, 4).map(lambda n: Drop(one_in=n)),
    st.integers(2, 4).map(lambda n: Decimate(every=n)),
)
effects = st.one_of(values, queues, losses)
windows = st.tuples(st.integers(0, 5), st.integers(1, 7)).map(
    lambda pair: {"from_ms": pair[0] * 100, "until_ms": sum(pair) * 100}
)
faults = st.builds(
    lambda effect, window: Fault(SENSORS, effect, **window), effects, windows
)
seeds = st.integers(0, 2**32)


@given(st.lists(faults, max_size=4), traffics, seeds)
def test_the_same_seed_gives_the_same_and_every_change_counts(
    chosen: list[Fault], traffic: Traffic, seed: int
) -> None:
    first, second = FaultPipeline(chosen, seed), FaultPipeline(chosen, seed)
    passed = through(first, SENSORS, traffic)
    assert passed == through(second, SENSORS, traffic)
    assert first.counts == second.counts
    untouched = through(FaultPipeline([], seed), SENSORS, traffic)
    if not any(first.counts):
        assert passed == untouched


@given(st.lists(faults, min_size=1, max_size=4), traffics, seeds)
def test_what_passes_does_so_in_its_tick_and_in_order(
    chosen: list[Fault], traffic: Traffic, seed: int
) -> None:
    for tick, passed in enumerate(
        through(FaultPipeline(chosen, seed), SENSORS, traffic)
    ):
        stamps = [each.at_us for each in passed]
        assert stamps == sorted(stamps)
        assert all(tick * 100_000 <= at_us < (tick + 1) * 100_000 for at_us in stamps)


@given(faults, faults, traffics)
def test_a_chain_is_its_faults_one_after_the_other(
    first: Fault, second: Fault, traffic: Traffic
) -> None:
    together = FaultPipeline([first, second], seed=1)
    # A fault's chance is that of its place in the pipeline: nothing in the first.
    alone = [
        FaultPipeline([first], seed=1),
        FaultPipeline([Fault(WIRE, Drop()), second], seed=1),
    ]
    for tick, set_out in enumerate(traffic):
        passing: Sequence[Message] = [
            Message(tick * 100_000, rank, line) for rank, line in enumerate(set_out)
        ]
        expected = passing
        for pipeline in alone:
            expected = pipeline.apply(SENSORS, tick, TICK_MS, expected)
        assert together.apply(SENSORS, tick, TICK_MS, passing) == expected


@given(queues, st.lists(st.lists(st.binary(max_size=9), max_size=3), max_size=8), seeds)
def test_queues_lose_no_byte_and_keep_the_order(
    effect: Effect[Any], traffic: Traffic, seed: int
) -> None:
    pipeline = FaultPipeline([Fault(WIRE, effect, until_ms=500)], seed)
    passed = through(pipeline, WIRE, traffic + [[]] * 6)
    sent = b"".join(line for tick in traffic for line in tick)
    assert b"".join(line for tick in data(passed) for line in tick) == sent


@given(st.integers(1, 30), st.lists(st.integers(-200, 200)), seeds)
def test_noise_stays_within_its_bounds(up_to: int, true: list[int], seed: int) -> None:
    pipeline = FaultPipeline([Fault(SENSORS, Noise(up_to=up_to))], seed)
    passed = data(through(pipeline, SENSORS, levels(*true)))
    read = [int(line.split()[-1]) for tick in passed for line in tick]
    assert all(abs(a - b) <= up_to for a, b in zip(true, read, strict=True))


# -------------------------------------------------------------------------- chance


def test_random_numbers_are_the_same_everywhere() -> None:
    # The first numbers of the published SplitMix64 with the state 0.
    rng = SeededRandom(0)
    assert [rng.below(2**64) for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


def test_the_old_name_of_a_ticks_random_numbers_works_for_one_more_release() -> None:
    tick = Tick(0, 100, True, SeededRandom(7))  # noqa: FBT003  # as a pipeline makes it
    with pytest.warns(DeprecationWarning, match=r"called Tick\.rng now"):
        assert tick.dice is tick.rng


def test_each_key_has_a_stream_of_its_own() -> None:
    keys = [
        (seed, fault, tick) for seed in range(5) for fault in (0, 1) for tick in (0, 1)
    ]
    assert len({SeededRandom.of(*key).below(2**64) for key in keys}) == len(keys)


@given(seeds, st.integers(1, 40))
def test_every_side_comes_up_and_none_that_is_not_there(seed: int, sides: int) -> None:
    rng = SeededRandom.of(seed)
    seen = {rng.below(sides) for _ in range(40 * sides)}
    assert seen == set(range(sides))
