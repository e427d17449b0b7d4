"""The C of a task that follows from its ``task.toml``: its line protocol and its shell.

``embedbench generate`` writes these files into the task, where whoever writes a
controller reads them; nobody edits them.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
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
    from pathlib import Path

    from pytest_embedbench.grading.task import ControllerApi, Sensor, Task

_COLUMNS = 88
_WORDS = {"on": ("ON", "OFF"), "open": ("OPEN", "CLOSED"), "closed": ("CLOSED", "OPEN")}
"""What a line says of an actuator, by the end of its name."""


def sources(task: Task) -> Mapping[str, str]:
    """Return the files that follow from ``task.toml``, by their paths in the task.

    Raises:
        ConfigError: it does not say enough: no C interface, no sensors, no
            ``safe_lines``, or an actuator by whose name its line cannot be told.
    """
    api = task.controller
    if api is None or not task.sensors or not task.safe_lines:
        raise ConfigError(
            f"{task.name}: no C can be made from its task.toml: it needs [controller], "
            "[[sensor]] and task.safe_lines"
        )
    is_submitted = "src/protocol.h" in task.edit_surface
    role = ": part of a submission, and finished."
    return {
        "src/app.c": _app(task, api),
        "src/protocol.h": _header(
            task, api, role if is_submitted else ". Fixed: not part of a submission."
        ),
        "src/protocol.c": _protocol(task, api),
    }


def write_sources(task: Task, folder: Path) -> list[Path]:
    """Write them into the task's folder; return those that were not so already.

    Raises:
        ConfigError: as ``sources``.
    """
    written: list[Path] = []
    for path, text in sources(task).items():
        file = folder / path
        if not file.is_file() or file.read_text("utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            written.append(file)
    return written


def _app(task: Task, api: ControllerApi) -> str:
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


def _header(task: Task, api: ControllerApi, role: str) -> str:
    numeric = [sensor for sensor in task.sensors if not sensor.words]
    return PROTOCOL_H.substitute(
        role=role,
        ranges="\n".join(
            f"#define {_limit(sensor, 'MIN')} {sensor.lowest}\n"
            f"#define {_limit(sensor, 'MAX')} {sensor.highest}"
            for sensor in numeric
        ),
        kinds=_listed("PROTOCOL_INPUT_", api.kinds),
        members="\n".join(
            f"    {_type(value, task.sensors)} {value};" for value in api.values
        ),
        results=_listed("PROTOCOL_PARSE_", api.kinds),
        serialisers="\n".join(
            f"bool protocol_serialize_act_{name}"
            f"(bool {actuator}, char *buffer, size_t buffer_size);"
            for name, actuator in zip(api.serialisers, api.actuators, strict=True)
        ),
    )


def _protocol(task: Task, api: ControllerApi) -> str:
    worded = [sensor for sensor in task.sensors if sensor.words]
    readers = "\n".join(_word_reader(sensor) for sensor in worded)
    return PROTOCOL_C.substitute(
        words=f"\n#include <string.h>\n\n{readers}" if worded else "",
        sensors="\n".join(_reading(sensor) for sensor in task.sensors),
        serialisers="\n".join(
            SERIALISER.substitute(
                name=name, actuator=actuator, write=_written(name, actuator)
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


def _written(name: str, actuator: str) -> str:
    told = _WORDS.get(actuator.rpartition("_")[2])
    if told is None:
        ends = " or ".join(f"_{end}" for end in _WORDS)
        raise ConfigError(
            f"controller.actuators: {actuator!r}: what its line says is told by the "
            f"end of its name: {ends}"
        )
    return (
        f'    return frame_write(buffer, buffer_size, "ACT {name.upper()} ", '
        f'{actuator} ? "{told[0]}" : "{told[1]}");'
    )


def _limit(sensor: Sensor, end: str) -> str:
    """Return the macro of an end of its range, with the unit that its value has."""
    unit = sensor.value.upper().removeprefix(sensor.kind)
    return f"PROTOCOL_{sensor.kind}_{end}{unit}"


def _type(value: str, sensors: Iterable[Sensor]) -> str:
    booleans = {sensor.value for sensor in sensors if len(sensor.words) == len("10")}
    return "bool" if value in booleans else "int"


def _constant(number: int, sensor: Sensor) -> str:
    is_boolean = _type(sensor.value, [sensor]) == "bool"
    return ("false", "true")[number] if is_boolean else str(number)


def _listed(prefix: str, names: Iterable[str]) -> str:
    return ",\n".join(f"    {prefix}{name}" for name in names)


def _begin(sensor: Sensor) -> list[str]:
    """Return the two words that its lines begin with."""
    words = sensor.line.split()
    if len(words) != len(("SENSE", "LEVEL")):
        message = f"sensor.line: {sensor.line!r}: no C is made for lines that do not "
        raise ConfigError(f"{message}begin with two words")
    return words
