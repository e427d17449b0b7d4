"""The tables of ``task.toml`` beside ``[task]``: C interface, starter, sensors."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.toml_schema import check_items, check_keys, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORBIDDEN = ("wait", "allocate", "print")


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerApi:
    """The names in a task's C interface; the host driver is made from them.

    ``kinds`` are ``CONTROLLER_INPUT_*`` after ``NONE``, in the order of the parser's
    results too; ``values`` are integer or boolean members of the input; ``actuators``
    are booleans of the output; ``serialisers`` are ``protocol_serialize_act_*``.
    ``states`` are ``CONTROLLER_STATE_*``, none where the brief leaves them free.
    ``forbidden`` is what the brief says that no submission may do: ``wait``,
    ``allocate``, ``print``.
    """

    kinds: tuple[str, ...]
    values: tuple[str, ...]
    actuators: tuple[str, ...]
    serialisers: tuple[str, ...]
    states: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kinds, values = len(self.kinds), ", ".join(self.values)
        return f"<ControllerApi of {kinds} kinds: {values}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """What a submission begins with, beside the names of the C interface.

    ``constants`` are ``CONTROLLER_*`` and their values in C; ``members`` are those of
    ``controller_t`` as C declares them, which a submission may change; the first of
    ``states`` is the safe one.
    """

    states: tuple[str, ...]
    constants: Mapping[str, str]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """A stream of lines: what they say, and what the controller takes them for.

    ``line`` is what stands before the value (``SENSE LEVEL``), which goes into the
    input's member ``value``. A valid one is a whole number from ``lowest`` to
    ``highest`` and of kind ``kind``, or one of ``words``, which go by the number of
    their place and have kinds of their own; ``around`` are the numbers at which
    something changes.
    """

    line: str
    value: str
    invalid: str
    kind: str = ""
    lowest: int = 0
    highest: int = 0
    around: tuple[int, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict[str, str])

    def __repr__(self) -> str:
        return f"<Sensor {self.line}>"


def read_controller(where: str, table: dict[str, Any]) -> ControllerApi:
    """Read ``[controller]``; ``ConfigError`` names the key that is wrong."""
    required = {"kinds": list, "values": list, "actuators": list, "serialisers": list}
    optional = {"states": list, "forbidden": list}
    check_keys(where, "controller.", table, required=required, optional=optional)
    for key, names in table.items():
        check_items(where, f"controller.{key}", names, str)
        for name in names:
            if not _NAME.fullmatch(name):
                message = f"{where}: controller.{key}: {name!r} is not a name in C"
                raise ConfigError(message)
    for name in table.get("forbidden", ()):
        if name not in _FORBIDDEN:
            message = f"{where}: controller.forbidden: {name!r} is none of: "
            raise ConfigError(message + ", ".join(_FORBIDDEN))
    return ControllerApi(**{key: tuple(names) for key, names in table.items()})


def read_starter(
    where: str, top: dict[str, Any], api: ControllerApi | None
) -> Starter | None:
    """Read what a submission begins with; the states are those that are checked."""
    if "starter" not in top:
        return None
    table: dict[str, Any] = top["starter"]
    optional = {"states": list, "constants": dict, "members": list}
    check_keys(where, "starter.", table, required={}, optional=optional)
    states = table.get("states") or list(api.states if api else ())
    check_items(where, "starter.states", [*states], str)
    members = table.get("members", [])
    if members:
        check_items(where, "starter.members", members, str)
    constants = {name: str(n) for name, n in table.get("constants", {}).items()}
    return Starter(states=tuple(states), constants=constants, members=tuple(members))


def read_sensors(where: str, entries: object) -> Iterator[Sensor]:
    """Read each ``[[sensor]]``; ``ConfigError`` names the key that is wrong."""
    required: dict[str, type] = {"line": str, "value": str, "invalid": str}
    words: dict[str, type] = {"words": dict}
    numeric = {"kind": str, "lowest": int, "highest": int, "around": list}
    for here, table in rows(where, "sensor", entries):
        own = words if "words" in table else numeric
        check_keys(where, f"{here}.", table, required=required | own)
        yield Sensor(**table | {"around": tuple(table.get("around", ()))})
