"""How what ``task.toml`` names is called in C, and on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.grading.task import Sensor

_WORDS = {"on": ("ON", "OFF"), "open": ("OPEN", "CLOSED"), "closed": ("CLOSED", "OPEN")}
"""What a line says of an actuator, by the end of its name."""


def words_of(actuator: str) -> tuple[str, str]:
    """Return what a line says of an actuator that is true, and of one that is false.

    Raises:
        ConfigError: its name does not end as it has to.
    """
    told = _WORDS.get(actuator.rpartition("_")[2])
    if told is None:
        ends = " or ".join(f"_{end}" for end in _WORDS)
        raise ConfigError(
            f"controller.actuators: {actuator!r}: what its line says is told by the "
            f"end of its name: {ends}"
        )
    return told


def type_of(value: str, sensors: Iterable[Sensor]) -> str:
    """Return the type of a member of the input: two words are a truth value."""
    booleans = {sensor.value for sensor in sensors if len(sensor.words) == len("10")}
    return "bool" if value in booleans else "int"


def listed(prefix: str, names: Iterable[str]) -> str:
    """Return enumerators, one a line."""
    return ",\n".join(f"    {prefix}{name}" for name in names)
