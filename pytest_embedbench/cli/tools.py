"""The builder as a pytest run would set it up from the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.contracts import Builder


def builder(registry: Registry, core: Path | None = None) -> Builder:
    """Return the PlatformIO builder; ``core`` is a core directory told otherwise.

    It looks at ``EMBEDBENCH_PIO`` and ``EMBEDBENCH_CACHE`` by itself.
    """
    if core_dir := core or os.environ.get("EMBEDBENCH_CORE"):
        return registry.builder("platformio", core_dir=Path(core_dir).absolute())
    return registry.builder("platformio")
