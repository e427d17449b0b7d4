"""The environment variables that PlatformIO runs under."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_embedbench.support.paths import home_dir

if TYPE_CHECKING:
    from pathlib import Path

# Nothing phones home, nothing checks for updates (62 s without a network), nothing
# draws for a terminal, and compilers speak English.
_QUIET = {
    "LC_ALL": "C.UTF-8",
    "PLATFORMIO_DISABLE_PROGRESSBAR": "true",
    "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
    "PLATFORMIO_NO_ANSI": "true",
    "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "99999",
    "PLATFORMIO_SETTING_CHECK_PRUNE_SYSTEM_THRESHOLD": "0",
    "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
}


def quiet_environment(core_dir: Path | None = None) -> dict[str, str]:
    """Return our own environment with PlatformIO kept quiet."""
    environment = {**os.environ, **_QUIET, "HOME": str(home_dir())}
    if core_dir is not None:
        environment["PLATFORMIO_CORE_DIR"] = str(core_dir)
    return environment
