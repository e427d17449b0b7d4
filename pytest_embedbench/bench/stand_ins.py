"""Boards that another engine's board stands in for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_embedbench.bench.able import with_features
from pytest_embedbench.bench.speeds import at_its_speed
from pytest_embedbench.contracts import HasStandIns

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_DIAGRAM = "diagram"


def stand_in(registry: Registry, spec: BoardSpec) -> BoardSpec:
    """Return what is booted for a board: itself, unless its engine names another one.

    That one stands in the same circuit, and its first UART is as fast.

    Raises:
        ConfigError: there has to be one, and there is none.
    """
    engine = registry.engine(spec.engine)
    name = engine.stand_in(spec) if isinstance(engine, HasStandIns) else ""
    if not name:
        return spec
    other = registry.board(name)
    first = replace(spec.uarts[0], name=other.uarts[0].name)
    drawn = {key: spec.options[key] for key in (_DIAGRAM,) if key in spec.options}
    return replace(
        other,
        uarts=(first, *other.uarts[1:]),
        options={**other.options, **drawn},
    )


def as_booted(
    registry: Registry, spec: BoardSpec, image: FirmwareImage, features: Collection[str]
) -> BoardSpec:
    """Return what is booted for a board, at its project's speed, with all features.

    Raises:
        CapabilityMissing: it lacks some.
        ConfigError: there has to be a stand-in, and there is none.
    """
    return with_features(at_its_speed(stand_in(registry, spec), image), features)
