"""The builder as a pytest run would have it from the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.model import BuilderSettings

if TYPE_CHECKING:
    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.contracts import Builder

USUAL = "platformio"


def builder_name() -> str:
    """Return the name of what builds."""
    return os.environ.get("EMBEDBENCH_BUILDER") or USUAL


def builder(
    registry: Registry,
    name: str,
    core: Path | None = None,
    libraries: tuple[Path, ...] = (),
) -> Builder:
    """Return a builder; ``core`` is a core directory told otherwise.

    ``libraries`` are folders of those.
    """
    core_dir = core or _path("EMBEDBENCH_CORE")
    settings = BuilderSettings(
        cache_dir=_path("EMBEDBENCH_CACHE"),
        pio=_path("EMBEDBENCH_PIO"),
        core_dir=core_dir.absolute() if core_dir else None,
        libraries=libraries,
    )
    return registry.builder(name, settings)


def _path(variable: str) -> Path | None:
    text = os.environ.get(variable)
    return Path(text) if text else None
