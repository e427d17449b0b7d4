"""What a line means to a controller: the protocol's rules, told a second time.

A firmware's parser is compared with this one, so neither is made from the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.host.calling import IDLE
from pytest_embedbench.grading.host.history import fields
from pytest_embedbench.grading.host.line_protocol import IGNORED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.grading.host.line_protocol import LineProtocol
    from pytest_embedbench.grading.task import Sensor, Task

FAULT = "FAULT SENSOR_TIMEOUT"
FAULT_KIND = "SENSOR_TIMEOUT"
_USABLE_CHARACTERS = 127
_BLANKS = re.compile(r"[ \t]+")
_SPACE = " \t\n\v\f\r"
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")


class Input(NamedTuple):
    """A line as a controller gets it: its kind, and the value it has, if any."""

    kind: str
    value: str = ""
    number: int = 0


def check_lines(protocol: LineProtocol, task: Task, lines: Iterable[str]) -> None:
    """Insist that a task's parser takes lines for what they are.

    It has to say of which kind one is, twice, and its value if it has one.

    Raises:
        WrongOutput: it takes one for something else.
        FirmwareFault: it crashed, or did not come back.
    """
    for line in lines:
        parsed, told = protocol.parse(line), meaning(line, task.sensors)
        read = {"result": parsed.result, "kind": parsed.kind}
        due: dict[str, object] = {"result": IGNORED, "kind": IDLE}
        if told is not None:
            due = {"result": told.kind, "kind": told.kind}
            if told.value:
                read[told.value] = getattr(parsed, told.value)
                due[told.value] = told.number
        if read != due:
            raise WrongOutput(
                f"protocol_parse_line({line!r}) gives {fields(read)}; "
                f"it has to give {fields(due)}"
            )


def check_written(
    protocol: LineProtocol, actuator: str, *, on: bool, line: str
) -> None:
    """Insist that an actuator's line is written where it fits, and nowhere else.

    Raises:
        WrongOutput: it is not, or is another.
        FirmwareFault: more was written than fits, or it crashed.
    """
    needed_bytes = len(line) + 1
    for size_bytes in (0, 1, needed_bytes - 1, needed_bytes, needed_bytes + 1, 128):
        written = protocol.serialise(actuator, on=on, size_bytes=size_bytes)
        due = line if size_bytes >= needed_bytes else None
        if written != due:
            raise WrongOutput(
                f"protocol_serialize_act_{actuator}({on}) into {size_bytes} bytes "
                f"writes {written!r}; it has to write {due!r}"
            )


def check_refused(
    protocol: LineProtocol, actuator: str, *, on: bool, line: str
) -> None:
    """Insist that an actuator's line leaves a buffer alone into which it does not fit.

    Raises:
        WrongOutput: something is written.
        FirmwareFault: as ``check_written``.
    """
    for size_bytes in (1, len(line) // 2, len(line) - 1, len(line)):
        if left := protocol.left_behind(actuator, on=on, size_bytes=size_bytes):
            raise WrongOutput(
                f"protocol_serialize_act_{actuator}({on}) into {size_bytes} bytes does "
                f"not fit and writes {left!r}; it has to write nothing"
            )


def meaning(line: str, sensors: Iterable[Sensor]) -> Input | None:
    """Return what a line comes to; nothing, if it is ignored."""
    words = _BLANKS.split(line[:_USABLE_CHARACTERS].strip(_SPACE))
    if " ".join(words) == FAULT:
        return Input(FAULT_KIND)
    for sensor in sensors:
        begin = sensor.line.split()
        if words[: len(begin)] == begin:
            rest = words[len(begin) :]
            return _of_word(rest, sensor) if sensor.words else _of_number(rest, sensor)
    return None


def _of_number(rest: list[str], sensor: Sensor) -> Input:
    if len(rest) == 1 and _WHOLE_NUMBER.fullmatch(rest[0]):
        number = int(rest[0])
        if sensor.lowest <= number <= sensor.highest:
            return Input(sensor.kind, sensor.value, number)
    return Input(sensor.invalid)


def _of_word(rest: list[str], sensor: Sensor) -> Input | None:
    """Read the value of a sensor with words.

    Another word is malformed; without a word, or with several, the line is ignored.
    """
    if len(rest) != 1:
        return None
    if rest[0] not in sensor.words:
        return Input(sensor.invalid)
    number = list(sensor.words).index(rest[0])
    return Input(sensor.words[rest[0]], sensor.value, number)
