"""What the parts of a new task are called, in every way that they are written."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_MAX_CHARACTERS = 32
_OF_C = frozenset(
    {
        *(
            "auto",
            "bool",
            "break",
            "case",
            "char",
            "const",
            "continue",
            "default",
            "do",
        ),
        *("double", "else", "enum", "extern", "false", "float", "for", "goto", "if"),
        *("inline", "int", "linux", "long", "register", "restrict", "return", "short"),
        *("signed", "sizeof", "static", "struct", "switch", "true", "typedef", "union"),
        *("unix", "unsigned", "void", "volatile", "while"),
    }
)
"""Its keywords, and what compilers define."""
_OF_A_TASK = frozenset(
    {
        *("actuate", "changed", "controller", "ignored", "initial", "kind", "none"),
        *("now_ms", "result", "sense", "sensor_timeout", "state", "state_name", "step"),
        *("thresholds", "tick_ms"),
    }
)
"""What stands beside a sensor's value, in a structure or in a plant's class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskNames:
    """The names of a task and of its plant, its sensor and its actuator.

    Raises:
        ConfigError: one is no name, or means something else where it would stand.
    """

    task: str
    plant: str = "plant"
    sensor: str = "reading"
    actuator: str = "actuator"

    def __post_init__(self) -> None:
        for what, name in (
            ("a task", self.task),
            ("a plant", self.plant),
            ("a sensor", self.sensor),
            ("an actuator", self.actuator),
        ):
            _check(what, name)
        if self.sensor in {self.actuator, f"{self.actuator}_on"}:
            raise ConfigError(
                f"{self.sensor!r} is no name for a sensor beside an actuator "
                f"{self.actuator!r}: give them names of their own"
            )

    def spellings(self) -> Mapping[str, str]:
        """Return what the template says, each with what is to be said instead."""
        found: dict[str, str] = {}
        for placeholder, name in (
            ("task_name", self.task),
            ("plant_name", self.plant),
            ("sensor_name", self.sensor),
            ("actuator_name", self.actuator),
        ):
            for spell in (str, str.upper, _as_class, _as_prose):
                found[spell(placeholder)] = spell(name)
        return found


def _check(what: str, name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _MAX_CHARACTERS:
        raise ConfigError(
            f"{name!r} is no name for {what}: lower-case letters and digits, with "
            f"single underscores in between, at most {_MAX_CHARACTERS}"
        )
    if keyword.iskeyword(name) or name in _OF_C:
        raise ConfigError(
            f"{name!r} is no name for {what}: it is a word of C or Python already"
        )
    if what == "a sensor" and name in _OF_A_TASK:
        raise ConfigError(
            f"{name!r} is no name for {what}: every task has something else of that "
            "name"
        )


def _as_class(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _as_prose(name: str) -> str:
    return name.replace("_", " ")
