"""A task's line protocol, and how its controller gets into the shell."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.sources.names import listed, type_of, words_of
from pytest_embedbench.grading.sources.templates import (
    APP_C,
    PROTOCOL_C,
    PROTOCOL_H,
    READ_NUMBER,
    READ_WORD,
    SERIALISER,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.grading.task import ControllerApi, Sensor, Task

_COLUMNS = 88


def app_c(task: Task, api: ControllerApi) -> str:
    """Return what hands lines to the controller, and sends what it says."""
    values = _assignments(task.sensors)
    return APP_C.substitute(
        cases="\n".join(
            f"    case PROTOCOL_PARSE_{kind}:\n"
            f"        input->kind = CONTROLLER_INPUT_{kind};\n"
            f"{values.get(kind, '')}        return true;"
            for kind in api.kinds
        ),
        sends="\n".join(
            f"    shell_send_if(protocol_serialize_act_{name}"
            f"(output->{value}, line, sizeof line), line);"
            for name, value in zip(api.serialisers, api.actuators, strict=True)
        ),
        safe_lines="".join(f"{line}\\n" for line in task.safe_lines),
    )


def protocol_h(task: Task, api: ControllerApi) -> str:
    """Return the line protocol's names."""
    is_submitted = "src/protocol.h" in task.edit_surface
    numeric = [sensor for sensor in task.sensors if not sensor.words]
    return PROTOCOL_H.substitute(
        role=(
            ": part of a submission, and finished."
            if is_submitted
            else ". Fixed: not part of a submission."
        ),
        ranges="\n".join(
            f"#define {_limit(sensor, 'MIN')} {sensor.lowest}\n"
            f"#define {_limit(sensor, 'MAX')} {sensor.highest}"
            for sensor in numeric
        ),
        kinds=listed("PROTOCOL_INPUT_", api.kinds),
        members="\n".join(
            f"    {type_of(value, task.sensors)} {value};" for value in api.values
        ),
        results=listed("PROTOCOL_PARSE_", api.kinds),
        serialisers="\n".join(
            f"bool protocol_serialize_act_{name}"
            f"(bool {actuator}, char *buffer, size_t buffer_size);"
            for name, actuator in zip(api.serialisers, api.actuators, strict=True)
        ),
    )


def protocol_c(task: Task, api: ControllerApi) -> str:
    """Return what reads and writes lines."""
    worded = [sensor for sensor in task.sensors if sensor.words]
    readers = "\n".join(_word_reader(sensor) for sensor in worded)
    return PROTOCOL_C.substitute(
        words=f"\n#include <string.h>\n\n{readers}" if worded else "",
        sensors="\n".join(_reading(sensor) for sensor in task.sensors),
        serialisers="\n".join(
            SERIALISER.substitute(
                name=name, actuator=actuator, write=_write(name, actuator)
            )
            for name, actuator in zip(api.serialisers, api.actuators, strict=True)
        ),
    )


def _assignments(sensors: Iterable[Sensor]) -> Mapping[str, str]:
    """Return what ``app_read`` copies of a line, by its kind."""
    copied: dict[str, str] = {}
    for sensor in sensors:
        start = f"        input->{sensor.value} = "
        if not sensor.words:
            copied[sensor.kind] = f"{start}read.{sensor.value};\n"
        for number, kind in enumerate(sensor.words.values()):
            copied[kind] = f"{start}{_constant(number, sensor)};\n"
    return copied


def _reading(sensor: Sensor) -> str:
    verb, name = _begin(sensor)
    if sensor.words:
        return (
            f'    if (frame_begins(frame, "{verb}", "{name}")'
            " && frame->count == 3U) {\n"
            f"        return read_{name.lower()}(frame->words[2], input);\n"
            "    }"
        )
    return READ_NUMBER.substitute(
        verb=verb,
        name=name,
        reading="\n".join(
            textwrap.wrap(
                f"frame_value(frame, {_limit(sensor, 'MIN')}, {_limit(sensor, 'MAX')}, "
                f"&input->{sensor.value})",
                _COLUMNS,
                initial_indent="        return ",
                subsequent_indent=" " * len("        return frame_value("),
            )
        ),
        kind=sensor.kind,
        invalid=sensor.invalid,
    )


def _word_reader(sensor: Sensor) -> str:
    def branch(number: int, word: str, kind: str) -> Iterator[str]:
        yield f'    if (strcmp(word, "{word}") == 0) {{'
        if number:
            yield f"        input->{sensor.value} = {_constant(number, sensor)};"
        yield f"        return PROTOCOL_INPUT_{kind};"
        yield "    }"

    lines = (
        line
        for number, (word, kind) in enumerate(sensor.words.items())
        for line in branch(number, word, kind)
    )
    return READ_WORD.substitute(
        name=_begin(sensor)[1].lower(),
        words="\n".join(lines),
        invalid=sensor.invalid,
    )


def _limit(sensor: Sensor, end: str) -> str:
    """Return the macro of an end of its range, with the unit that its value has."""
    unit = sensor.value.upper().removeprefix(sensor.kind)
    return f"PROTOCOL_{sensor.kind}_{end}{unit}"


def _constant(number: int, sensor: Sensor) -> str:
    is_boolean = type_of(sensor.value, [sensor]) == "bool"
    return ("false", "true")[number] if is_boolean else str(number)


def _begin(sensor: Sensor) -> list[str]:
    """Return the two words that its lines begin with."""
    words = sensor.line.split()
    if len(words) != len(("SENSE", "LEVEL")):
        message = f"sensor.line: {sensor.line!r}: no C is made for lines that do not "
        raise ConfigError(f"{message}begin with two words")
    return words


def _write(name: str, actuator: str) -> str:
    true, false = words_of(actuator)
    return (
        f'    return frame_write(buffer, buffer_size, "ACT {name.upper()} ", '
        f'{actuator} ? "{true}" : "{false}");'
    )
