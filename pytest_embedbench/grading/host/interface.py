"""A task's C interface, as the driver program is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.grading.task import ControllerApi


def header(api: ControllerApi) -> str:
    """Return ``host_task.h``: the names of a task as lists that C can walk."""
    lines = [
        "/* Made from task.toml. */",
        f"#define HOST_VALUE_COUNT {len(api.values)}",
        f"#define HOST_ACTUATOR_COUNT {len(api.actuators)}",
        _list("HOST_KINDS", api.kinds),
        _list("HOST_VALUES", api.values),
        _list("HOST_ACTUATORS", api.actuators),
        _list("HOST_SERIALISERS", api.serialisers),
    ]
    if api.states:
        lines.append(_list("HOST_STATES", api.states))
    return "\n".join(lines) + "\n"


def _list(name: str, items: Iterable[str]) -> str:
    return f"#define {name}(X) " + " ".join(f"X({item})" for item in items)
