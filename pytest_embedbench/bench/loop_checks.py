"""Refuse a closed loop that could not mean what its caller wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

from pytest_embedbench.bench.scenario import Scenario
from pytest_embedbench.contracts import Plant, lacking
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.values import check_fields
from pytest_embedbench.wire.streams import is_in_stream


def check_plant(plant: object) -> None:
    """Refuse what is no plant, but the name or the class of one.

    Raises:
        ConfigError: saying what it is, and what to give.
    """
    if isinstance(plant, str):
        raise ConfigError(f"{plant!r} is no plant but a name: give plant({plant!r})")
    if isinstance(plant, type):
        name = plant.__name__
        raise ConfigError(f"{name} is no plant but the class of one: give {name}()")
    if absent := lacking(plant, Plant):
        raise ConfigError(f"{plant!r} is no plant: it has no {', '.join(absent)}")


def check_invariants(invariants: object) -> None:
    """Refuse invariants that are no sentences with functions of the state.

    Raises:
        ConfigError: saying what they are, and what to give.
    """
    form = "give {'a sentence': a function of the plant's state}"
    if not isinstance(invariants, Mapping):
        raise ConfigError(f"invariants = {invariants!r}: must be a table; {form}")
    for sentence, holds in cast("Mapping[object, object]", invariants).items():
        if not callable(holds):
            raise ConfigError(
                f"invariant {sentence!r}: {holds!r} is no function; {form}"
            )


def check_changes(
    scenario: str, state: object, changes: Mapping[str, int | bool]
) -> None:
    """Refuse to set what a plant's state has not, or to another type.

    Raises:
        ConfigError: naming the scenario, and what the state has.
    """
    where = f"scenario {scenario!r}: the plant's state"
    known = [each.name for each in fields(cast("Any", state))]
    for name in changes:
        if name not in known:
            raise ConfigError(
                f"{where} has no field {name!r} to set; it has: {', '.join(known)}"
            )
    check_fields(state, changes, where)


def check_run(scenario: object, plant_factory: object, stop_when: object) -> None:
    """Refuse to run what is no scenario, or on what makes no plant.

    Raises:
        ConfigError: saying what it is, and what to give.
    """
    if not isinstance(scenario, Scenario):
        raise ConfigError(
            f"{scenario!r} is no scenario: give scenario('name'), or a Scenario"
        )
    if not callable(plant_factory):
        raise ConfigError(
            f"{plant_factory!r} makes no plant: a run makes its own, with the "
            "scenario's initial values; give the fixture plant, a class, or "
            "partial(plant, 'name')"
        )
    if stop_when is not None and not callable(stop_when):
        raise ConfigError(f"stop_when = {stop_when!r}: give a function of the loop")


def check_streams(where: str, streams: Iterable[str], lines: Sequence[str]) -> None:
    """Refuse a gate that none of the plant's lines would ever pass.

    Raises:
        ConfigError: naming it, and what the plant says.
    """
    for stream in streams:
        if not any(is_in_stream(line, stream) for line in lines):
            raise ConfigError(
                f"{where}: no sensor line begins with {stream!r}; the plant says: "
                f"{', '.join(lines)}"
            )


def check_kind(name: str, value: object, kind: type) -> None:
    """Refuse a value that is not of its class.

    Raises:
        ConfigError: saying what it is, and what to give.
    """
    if not isinstance(value, kind):
        raise ConfigError(f"{name} = {value!r}: give {kind.__name__}(...)")
