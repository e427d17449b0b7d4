"""A scenario: how a plant starts and what is done to it, as data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.support.toml_schema import check_keys, read_table, rows, subtable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from pytest_embedbench.faults import Fault

ONCE_MS = 0
"""Frames until plant time 0: one set of them."""
_OPTIONAL = {
    "description": str,
    "initial": dict,
    "frames": object,
    "inject": list,
    "events": list,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A line put on the wire after the frames of plant time ``at_ms``."""

    at_ms: int
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantEvent:
    """Fields of the plant's state that are set before the frames of ``at_ms``."""

    at_ms: int
    changes: Mapping[str, int | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What happens to a firmware and its plant, in plant time.

    ``initial`` are parameters of the plant. ``max_steps`` is how often the plant
    steps at most. The sensor frames of a state are sent while plant time is at most
    ``frames_until_ms``, always by default; ``streams_until_ms`` says it for single
    streams, by the words that their lines begin with (``SENSE TEMP``). ``faults`` act
    on what passes between plant and board; all their chance comes from ``seed``.
    """

    name: str
    max_steps: int
    description: str = ""
    initial: Mapping[str, int | bool] = field(default_factory=dict[str, "int | bool"])
    frames_until_ms: int | None = None
    streams_until_ms: Mapping[str, int | None] = field(
        default_factory=dict[str, "int | None"]
    )
    inject: tuple[Injection, ...] = ()
    events: tuple[PlantEvent, ...] = ()
    faults: tuple[Fault, ...] = ()
    seed: int = 0
    file: str = field(default="", compare=False)
    """Where it was read from, to say what is wrong with it."""

    def __repr__(self) -> str:
        done = len(self.inject) + len(self.events)
        what = f"{self.max_steps} steps, {done} done to it, {len(self.faults)} faults"
        return f"<Scenario {self.name!r}: {what}>"

    def with_faults(self, *faults: Fault, seed: int = 0) -> Scenario:
        """Return the same with these faults in it, and the seed of their chance."""
        return replace(self, faults=faults, seed=seed)

    def check_in_time(self, tick_ms: int) -> None:
        """Insist that all that is to be done is due by the last step.

        Raises:
            ConfigError: an event or a line comes later, so it would never take place.
        """
        last_ms, end_ms = (self.max_steps - 1) * tick_ms, self.max_steps * tick_ms
        where = f"{self.file}: {self.name}" if self.file else f"scenario {self.name!r}"
        scripts: dict[str, Sequence[PlantEvent | Injection]] = {
            "events": self.events,
            "inject": self.inject,
        }
        for key, script in scripts.items():
            for index, entry in enumerate(script):
                if entry.at_ms > last_ms:
                    raise ConfigError(
                        f"{where}.{key}[{index}].at_ms = {entry.at_ms}: it would never "
                        f"take place, for the last step begins at {last_ms} ms: the "
                        f"scenario ends at {end_ms} ms (max_steps = {self.max_steps}, "
                        f"{tick_ms} ms each)"
                    )


def load_scenarios(file: Traversable | Path) -> dict[str, Scenario]:
    """Read a table of scenarios; each table of the file is one, named by its key.

    .. code-block:: toml

        [malformed_frame]
        description = "a value that is no number"
        initial = { level = 20 }
        max_steps = 10
        frames = "once"                    # or "always", or { until_ms = 300 }
        inject = [{ at_ms = 100, line = "SENSE LEVEL banana" }]
        events = [{ at_ms = 300, set = { door_closed = false } }]

        [silent_thermometer]
        max_steps = 30
        frames = { "SENSE TEMP" = { until_ms = 300 } }     # all others always

    Raises:
        ConfigError: naming file and key.
    """
    table = read_table(file)
    return {
        name: _scenario(str(file), name, subtable(str(file), name, entry))
        for name, entry in table.items()
    }


def pick(scenarios: Mapping[str, Scenario], name: str) -> Scenario:
    """Return one scenario by name, or say which there are."""
    if name not in scenarios:
        raise UnknownName("scenario", name, scenarios)
    return scenarios[name]


def _scenario(file: str, name: str, table: Mapping[str, Any]) -> Scenario:
    check_keys(file, f"{name}.", table, required={"max_steps": int}, optional=_OPTIONAL)
    _at_least(1, file, f"{name}.max_steps", table["max_steps"])
    frames = table.get("frames", "always")
    streams = _streams(file, f"{name}.frames", frames)
    return Scenario(
        name=name,
        max_steps=table["max_steps"],
        description=table.get("description", ""),
        initial=_values(file, f"{name}.initial", table.get("initial", {})),
        frames_until_ms=None if streams else _gate(file, f"{name}.frames", frames),
        streams_until_ms=streams,
        inject=tuple(_injections(file, f"{name}.inject", table.get("inject", []))),
        events=tuple(_events(file, f"{name}.events", table.get("events", []))),
        file=file,
    )


def _streams(file: str, where: str, frames: object) -> Mapping[str, int | None]:
    """Return the gates of single streams; none if ``frames`` is a gate itself."""
    if not isinstance(frames, dict) or "until_ms" in frames:
        return {}
    table = cast("dict[str, object]", frames)
    return {
        stream: _gate(file, f'{where}."{stream}"', gate)
        for stream, gate in table.items()
    }


def _gate(file: str, where: str, frames: object) -> int | None:
    if frames == "always":
        return None
    if frames == "once":
        return ONCE_MS
    if not isinstance(frames, dict):
        raise ConfigError(
            f'{file}: {where}: must be "always", "once" or {{ until_ms = N }}, '
            f"is {frames!r}"
        )
    row = cast("dict[str, Any]", frames)
    check_keys(file, f"{where}.", row, required={"until_ms": int})
    until_ms: int = row["until_ms"]
    _at_least(0, file, f"{where}.until_ms", until_ms)
    return until_ms


def _injections(file: str, where: str, entries: object) -> Iterator[Injection]:
    for here, row in rows(file, where, entries):
        check_keys(file, f"{here}.", row, required={"at_ms": int, "line": str})
        _at_least(0, file, f"{here}.at_ms", row["at_ms"])
        yield Injection(at_ms=row["at_ms"], line=row["line"])


def _events(file: str, where: str, entries: object) -> Iterator[PlantEvent]:
    for here, row in rows(file, where, entries):
        check_keys(file, f"{here}.", row, required={"at_ms": int, "set": dict})
        _at_least(0, file, f"{here}.at_ms", row["at_ms"])
        changes = _values(file, f"{here}.set", row["set"])
        yield PlantEvent(at_ms=row["at_ms"], changes=changes)


def _at_least(lowest: int, file: str, where: str, value: int) -> None:
    if value < lowest:
        raise ConfigError(f"{file}: {where}: must be {lowest} or more, is {value}")


def _values(file: str, where: str, entry: object) -> Mapping[str, int | bool]:
    values = subtable(file, where, entry)
    for key, value in values.items():
        if not isinstance(value, int):
            raise ConfigError(
                f"{file}: {where}.{key}: must be a whole number or a boolean, "
                f"is {value!r}"
            )
    return values
