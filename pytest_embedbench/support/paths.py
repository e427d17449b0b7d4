"""Where we keep things between runs."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """Return the default folder for images and builds.

    ``EMBEDBENCH_CACHE``, else ``~/.cache/embedbench``.
    """
    if own := os.environ.get("EMBEDBENCH_CACHE"):
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return home / "embedbench"
