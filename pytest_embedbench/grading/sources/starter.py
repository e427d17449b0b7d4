"""What a submission begins with: the interface, and a controller that does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.grading.sources.names import listed, type_of, words_of
from pytest_embedbench.grading.sources.templates import CONTROLLER_C, CONTROLLER_H

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.task import ControllerApi, Starter, Task


_NOW = ("uint32_t now_ms", "since start-up; wraps")


def controller_h(task: Task, api: ControllerApi, starter: Starter) -> str:
    """Return the interface of a submission."""
    return CONTROLLER_H.substitute(
        constants="\n".join(
            f"#define CONTROLLER_{name} {value}"
            for name, value in starter.constants.items()
        ),
        kinds=listed("CONTROLLER_INPUT_", api.kinds),
        states=listed("CONTROLLER_STATE_", starter.states).replace(",", " = 0,", 1),
        inputs=_aligned(
            [*_values(task, api), ("uint32_t now_ms", "since start-up; wraps")]
        ),
        actuators=_declared(f"bool {name}" for name in api.actuators),
        members=_declared(starter.members),
    )


def controller_c(task: Task, api: ControllerApi, starter: Starter) -> str:
    """Return a controller that is safe, and of no use."""
    safe, *others = starter.states
    values = {
        name: "true" if _line(serialiser, name) in task.safe_lines else "false"
        for serialiser, name in zip(api.serialisers, api.actuators, strict=True)
    }
    return CONTROLLER_C.substitute(
        names="\n".join(
            f'    case CONTROLLER_STATE_{state}:\n        return "STATE {state}";'
            for state in others
        ),
        safe=safe,
        members="\n".join(f"            .{n} = {v}," for n, v in values.items()),
        outputs="\n".join(f"    output.{n} = {v};" for n, v in values.items()),
    )


def _values(task: Task, api: ControllerApi) -> Iterator[tuple[str, str]]:
    """Yield the values of an input, each with what is said of it."""
    of_kinds = {
        sensor.value: " or ".join(sensor.words.values()) or sensor.kind
        for sensor in task.sensors
    }
    for value in api.values:
        yield f"{type_of(value, task.sensors)} {value}", f"only for {of_kinds[value]}"


def _line(serialiser: str, actuator: str) -> str:
    """Return what is said of an actuator that is true."""
    return f"ACT {serialiser.upper()} {words_of(actuator)[0]}"


def _declared(members: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(f"    {member};" for member in members)


def _aligned(members: Sequence[tuple[str, str]]) -> str:
    """Return members of a structure with comments, one below the other."""
    width = max(len(member) for member, _ in members) + 1
    return "\n".join(
        f"    {f'{member};':<{width}} /* {said} */" for member, said in members
    )
