"""Lines of a task, well and badly formed: each kind for a check of its own.

What a line means says ``protocol_checks.meaning``.
"""

from __future__ import annotations

from itertools import chain, product
from typing import TYPE_CHECKING

from pytest_embedbench.grading.checks.protocol_checks import FAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.grading.task import Sensor, Task

_SPACINGS = (" {}", "\t{}", "{} ", "{}\t", " \t {}\t ", "{}\r\n")
_NOT_NUMBERS = (
    *("banana", "x", "1x", "x1", "20.5", "20.0", "2e1", "0x14", "1,0", "2O", "²"),
    *("+", "-", "--1", "+-1", "1-", "1+", "NAN"),
)
_NOT_WORDS = ("AJAR", "1", "0", "ON", "_")
_STRIPPED = ("\v", "\f")
_ODD = (*_STRIPPED, "\x1f", "\x7f", "\udc80", "\udca0", "\udcff", "\xa0")
"""Bytes that are no blanks, though some functions take them for space or for signs; a
lone surrogate is one byte from 0x80 on."""
_WORD_BITS = (8, 16, 32, 64)
_LONGEST = 127
"""Characters in a line; with more, it does not come this far."""


def readings(task: Task) -> Iterator[str]:
    """Yield valid lines: every value, with a sign and leading zeros too."""
    for sensor in task.sensors:
        yield from (f"{sensor.line} {value}" for value in _values(sensor))


def malformed(task: Task) -> Iterator[str]:
    """Yield lines that begin as a reading does and are none.

    Numbers are among them that are in range if only their last bits are looked at.
    """
    for sensor in task.sensors:
        yield from (f"{sensor.line} {value}" for value in _no_values(sensor))
        if not sensor.words:
            value = next(_values(sensor))
            yield from (sensor.line, f"{sensor.line} {value} {value}")
            yield from (f"{sensor.line} {value} x", f"{sensor.line} - {value}")


def faults() -> Iterator[str]:
    """Yield the line by which sensors report a failure of their own."""
    yield from (FAULT, *(spacing.format(FAULT) for spacing in _SPACINGS))


def ignored(task: Task) -> Iterator[str]:
    """Yield lines that are nobody's."""
    yield from ("", " ", "HELLO WORLD", "SENSE", "SENSE FLOW 20", "ACT", "DBG BOOTED")
    yield from ("FAULT", "FAULT SENSOR", "SENSOR_TIMEOUT", f"{FAULT} 1", f"{FAULT}S")
    yield from (FAULT.replace(" ", "_"), f"x {FAULT}")
    for sensor in task.sensors:
        value = next(_values(sensor))
        verb, name = sensor.line.split()
        for begin in (name, f"{verb}{name}", f"x{verb} {name}", f"x {verb} {name}"):
            yield f"{begin} {value}"
        for other in (f"{name}S", name[:-1], f"{name[:-1]}_"):
            yield f"{verb} {other} {value}"
        yield f"{sensor.line}{value}"
        if sensor.words:
            yield from (sensor.line, f"{sensor.line} {value} NOW")
            yield f"{sensor.line} {_NOT_WORDS[0]} NOW"


def spaced(task: Task) -> Iterator[str]:
    """Yield lines with space where it does not count, up to the longest there are."""
    for sensor in task.sensors:
        for value in (next(_values(sensor)), _NOT_WORDS[0]):
            line = f"{sensor.line} {value}"
            yield from (spacing.format(line) for spacing in _SPACINGS)
            yield from (line.replace(" ", space) for space in ("\t", "  ", " \t "))
            yield from (line.rjust(_LONGEST), line.ljust(_LONGEST))


def miscased(task: Task) -> Iterator[str]:
    """Yield lines whose words are right but for their case."""
    yield from (FAULT.lower(), FAULT.title(), FAULT[:-1] + FAULT[-1].lower())
    for sensor in task.sensors:
        value = next(_values(sensor))
        verb, name = sensor.line.split()
        for begin in (verb.lower(), verb.title()):
            yield f"{begin} {name} {value}"
        for end in (name.lower(), name.title(), name[:-1] + name[-1].lower()):
            yield f"{verb} {end} {value}"
        for word in sensor.words:
            yield from (
                f"{sensor.line} {word.lower()}",
                f"{sensor.line} {word.title()}",
            )


def odd(task: Task) -> Iterator[str]:
    """Yield lines with an odd byte inside a word, between two, and behind a value.

    It is part of the word that it is in: no blank, and nothing to skip.
    """
    for sensor, byte in product(task.sensors, _ODD):
        value = next(_values(sensor))
        verb, name = sensor.line.split()
        yield from (f"{verb}{byte}{name} {value}", f"{sensor.line}{byte}{value}")
        yield from (f"{verb} {byte}{name} {value}", f"{verb} {name}{byte} {value}")
        yield from (f"{verb[0]}{byte}{verb[1:]} {name} {value}",)
        for odd_value in (f"{byte}{value}", f"{value[:1]}{byte}{value}"):
            yield f"{sensor.line} {odd_value}"
        yield f"{sensor.line} {value}{byte} {value}"
        if byte not in _STRIPPED:
            yield from (f"{sensor.line} {value}{byte}", f"{byte}{sensor.line} {value}")
    for byte in _ODD:
        yield FAULT.replace(" ", byte)
        yield f"{FAULT[:-1]}{byte}{FAULT[-1]}"


def all_lines(task: Task) -> Iterator[str]:
    """Yield all of them."""
    of_task = (readings, malformed, ignored, spaced, miscased, odd)
    return chain(faults(), *(lines(task) for lines in of_task))


def _values(sensor: Sensor) -> Iterator[str]:
    if sensor.words:
        yield from sensor.words
        return
    low, high = sensor.lowest, sensor.highest
    yield from map(str, range(low, high + 1))
    yield from (f"+{low}", f"+{high}", f"0{low}", f"00{high}", f"+0{high}")
    yield str(high).zfill(_LONGEST - len(sensor.line) - 1)
    if low == 0:
        yield "-0"


def _no_values(sensor: Sensor) -> Iterator[str]:
    if sensor.words:
        yield from _NOT_WORDS
        for word in sensor.words:
            yield from (word[:-1], f"{word}S", f"{word},")
        return
    low, high = sensor.lowest, sensor.highest
    yield from _NOT_NUMBERS
    yield from map(str, (low - 2, low - 1, high + 1, high + 2, -high, high * 10))
    for bits in _WORD_BITS:
        for value in (low, (low + high) // 2, high):
            yield from map(str, (value + 2**bits, value - 2**bits))
