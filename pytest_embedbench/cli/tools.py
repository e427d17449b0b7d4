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

    ``EMBEDBENCH_CACHE`` is looked up where the cache is.
    """
    named = {
        "core_dir": core or os.environ.get("EMBEDBENCH_CORE"),
        "pio": os.environ.get("EMBEDBENCH_PIO"),
    }
    options = {name: Path(path).absolute() for name, path in named.items() if path}
    return registry.builder("platformio", **options)
