"""Strategies: what could come in over the wire, and when."""

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.checks.protocol_checks import FAULT
from pytest_embedbench.grading.task import Task

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.grading.task import Sensor

_USUAL_MS = (100, 50, 100, 200, 300)
_LONGEST_MS = 2000
_NEAR = (-1, 0, 1, -5, 5)
_NEAR_MS = (-50, -1, 0, 1, 50)
_OTHERS = ("HELLO WORLD", "SENSE", "sense level 20", FAULT + " 1")
_NO_NUMBERS = ("", " banana", " 20.5", " 20 5", " 0x14", " 99999999999999")


class Exchange(NamedTuple):
    """Lines that are sent at once, ``after_ms`` after the ones before."""

    after_ms: int
    lines: tuple[str, ...]


Sequence = _Sequence[Exchange]
"""What a firmware is told, from when it is up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One sensor's lines: ``line``, then a value; those of ``around`` matter most."""

    line: str
    lowest: int = 0
    highest: int = 100
    around: tuple[int, ...] = ()
    words: tuple[str, ...] = ()


def firmware_sequences(
    about: Plant[Any] | Task, *, max_exchanges: int = 40, max_ms: int = 60_000
) -> SearchStrategy[Sequence]:
    """Return a strategy for what a firmware could be told.

    Values lie around thresholds, gaps around timeouts; streams are interleaved, come
    together or fall silent; some lines are malformed, faults, or somebody else's.

    Args:
        about: A task, whose ``task.toml`` has sensors and timeouts; or a plant, whose
            ``sense`` and ``thresholds`` tell as much.
        max_exchanges: How often something is sent, at most.
        max_ms: How long it takes in all, at most.
    """
    lines = sensor_lines(about)
    timeouts_ms = about.timeouts_ms if isinstance(about, Task) else (1000,)
    edges = [ms + near for ms in timeouts_ms for near in _NEAR_MS]
    gaps = st.one_of(
        st.sampled_from(_USUAL_MS),
        st.sampled_from(edges),
        st.integers(10, _LONGEST_MS),
    )
    bursts = st.lists(lines, min_size=1, max_size=3).map(tuple)
    exchanges = st.lists(st.builds(Exchange, gaps, bursts), max_size=max_exchanges)
    return exchanges.map(lambda made: _within(made, max_ms))


def sensor_lines(about: Plant[Any] | Task) -> SearchStrategy[str]:
    """Return a strategy for single lines: two of three are valid readings."""
    streams = streams_of(about)
    valid = st.one_of([_readings(stream) for stream in streams])
    bad = st.one_of([_malformed(stream) for stream in streams])
    others = st.sampled_from((FAULT, FAULT, *_OTHERS))
    return st.one_of(valid, valid, valid, valid, bad, others)


def streams_of(about: Plant[Any] | Task) -> list[Stream]:
    """Return the sensor streams of a task, or those that a plant shows.

    Raises:
        ConfigError: there are none.
    """
    if isinstance(about, Task):
        streams = [_declared(sensor) for sensor in about.sensors]
    else:
        streams = _shown(about)
    if not streams:
        name = about.name if isinstance(about, Task) else type(about).__name__
        raise ConfigError(f"{name}: no sensors: a task declares them as [[sensor]]")
    return streams


def _declared(sensor: Sensor) -> Stream:
    return Stream(
        line=sensor.line,
        lowest=sensor.lowest,
        highest=sensor.highest,
        around=sensor.around,
        words=tuple(sensor.words),
    )


def _shown(plant: Plant[Any]) -> list[Stream]:
    """Find out what each field of the state says on the wire: change it, and look."""
    state = plant.initial()
    streams: list[Stream] = []
    for each in fields(state):
        value = getattr(state, each.name)
        other = not value if isinstance(value, bool) else value + 1
        changed = replace(state, **{each.name: other})
        pairs = zip(plant.sense(state), plant.sense(changed), strict=False)
        for ours, theirs in pairs:
            if ours != theirs:
                around = plant.thresholds.get(each.name, ())
                streams.append(_stream(ours, theirs, around, is_word=value is other))
    return streams


def _stream(
    ours: str, theirs: str, around: tuple[int, ...], *, is_word: bool
) -> Stream:
    line, _, word = ours.rpartition(" ")
    if is_word or not word.lstrip("-").isdigit():
        return Stream(line=line, words=(word, theirs.rpartition(" ")[2]))
    return Stream(line=line, around=around)


def _readings(stream: Stream) -> SearchStrategy[str]:
    if stream.words:
        return st.sampled_from(stream.words).map(f"{stream.line} {{}}".format)
    near = {limit + by for limit in stream.around for by in _NEAR}
    near |= {stream.lowest, stream.highest}
    numbers = sorted(n for n in near if stream.lowest <= n <= stream.highest)
    values = st.one_of(
        st.sampled_from(numbers), st.integers(stream.lowest, stream.highest)
    )
    return values.map(f"{stream.line} {{}}".format)


def _malformed(stream: Stream) -> SearchStrategy[str]:
    if stream.words:
        return st.sampled_from([f"{stream.line} AJAR", stream.line])
    outside = (f" {stream.lowest - 1}", f" {stream.highest + 1}")
    return st.sampled_from((*_NO_NUMBERS, *outside)).map(f"{stream.line}{{}}".format)


def _within(made: _Sequence[Exchange], max_ms: int) -> tuple[Exchange, ...]:
    kept: list[Exchange] = []
    for exchange in made:
        max_ms -= exchange.after_ms
        if max_ms < 0:
            break
        kept.append(exchange)
    return tuple(kept)
