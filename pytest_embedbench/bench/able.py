"""What a test needs of a board, and whether the board can."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.contracts import KnowsBoardTools, KnowsCapabilities, LabEngine
from pytest_embedbench.contracts.capabilities import (
    OLD_CAPABILITIES,
    meant_capability,
)
from pytest_embedbench.errors import CapabilityMissing, ConfigError
from pytest_embedbench.model import Capability

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pytest_embedbench.contracts import Engine
    from pytest_embedbench.model import BoardSpec


class Needs(NamedTuple):
    """What a test needs of its board."""

    capabilities: frozenset[Capability]
    features: frozenset[str]
    """What the board has to be wired to, as a lab file says it."""

    @property
    def names(self) -> frozenset[str]:
        """What ``needs(...)`` takes for the same, without what is old."""
        return self.features.union(each.value for each in self.capabilities)


def needs_named(names: Collection[str]) -> Needs:
    """Return what is needed, by the names that ``needs(...)`` takes.

    Raises:
        ConfigError: one of them is a capability misspelt.
    """
    known = {capability.value: capability for capability in Capability}
    for old in OLD_CAPABILITIES.keys() & names:
        message = f"needs({old!r}) is called needs({OLD_CAPABILITIES[old]!r}) now"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
    names = {OLD_CAPABILITIES.get(name, name) for name in names}
    for name in sorted(names):
        if meant := meant_capability(name):
            raise ConfigError(
                f"needs(): no such capability: {name!r}; do you mean {meant!r}? Known: "
                f"{', '.join(sorted(known))}"
            )
    return Needs(
        frozenset(known[name] for name in names & known.keys()),
        frozenset(names - known.keys()),
    )


def with_features(spec: BoardSpec, features: Collection[str]) -> BoardSpec:
    """Return a board that has the features; which of a label's have, its lab says.

    Raises:
        CapabilityMissing: it lacks some.
    """
    if features and "lab" in spec.options:
        options = {**spec.options, "needs": tuple(sorted(features))}
        return replace(spec, options=options)
    has = spec.options.get("features", ())
    if lacking := sorted({*features}.difference(has if isinstance(has, tuple) else ())):
        raise CapabilityMissing(f"{spec.name} lacks {', '.join(lacking)}")
    return spec


def check_able(
    spec: BoardSpec, able: Collection[Capability], needed: frozenset[Capability]
) -> None:
    """Insist that a board can do all that is needed.

    Raises:
        CapabilityMissing: it lacks some.
    """
    if lacking := sorted(capability.value for capability in needed.difference(able)):
        raise CapabilityMissing(f"{spec.name} lacks {', '.join(lacking)}")


def foretold(engine: Engine, spec: BoardSpec) -> frozenset[Capability] | None:
    """Return what a board can do; ``None`` if its engine cannot tell beforehand."""
    return engine.capabilities(spec) if isinstance(engine, KnowsCapabilities) else None


def check_foretold(engine: Engine, spec: BoardSpec, names: Collection[str]) -> None:
    """Insist on what ``needs(...)`` names, as far as an engine can tell beforehand.

    Raises:
        CapabilityMissing: the board lacks some.
        ConfigError: one of the names is a capability misspelt.
    """
    able = foretold(engine, spec)
    if able is not None:
        check_able(spec, able, needs_named(names).capabilities)


def check_tools(engine: Engine, spec: BoardSpec) -> None:
    """Insist on what a board takes, as far as its engine can tell beforehand.

    Raises:
        ToolMissing: it is not here.
    """
    if isinstance(engine, KnowsBoardTools):
        for missing in engine.missing_for(spec):
            raise missing


def engines_together(
    engine_named: Callable[[str], Engine], specs: Sequence[BoardSpec]
) -> list[Engine]:
    """Return the engines of boards that are taken together: one for all, or a lab's.

    Raises:
        ConfigError: there are several, and one of them is no lab's; or no board.
    """
    engines = {name: engine_named(name) for name in {spec.engine for spec in specs}}
    of_a_lab = all(isinstance(each, LabEngine) for each in engines.values())
    if not engines or (len(engines) > 1 and not of_a_lab):
        asked = ", ".join(f"{spec.name} ({spec.engine})" for spec in specs)
        raise ConfigError(
            "boards that are taken together are of one engine, or all real ones; asked "
            f"for: {asked or 'no board at all'}"
        )
    return [engines[spec.engine] for spec in specs]


def check_kind_of(thing: object, kind: type, give: str) -> None:
    """Insist that a thing is of its kind; ``give`` says what to give in its place."""
    if not isinstance(thing, kind):
        raise ConfigError(f"{thing!r} is no {kind.__name__}: give {give}")
