"""The firmware that steps a submission: the task's project with our driver in it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, ConfigError
from pytest_embedbench.grading.host.interface import header, unguessed
from pytest_embedbench.grading.target.wire import TEXT_BYTES, stepped_bytes
from pytest_embedbench.support.paths import cache_root
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from pytest_embedbench.grading.task import ControllerApi
    from pytest_embedbench.model import FirmwareSource

APPLICATION = "src/app.c"
"""The file of a task's project that defines ``firmware_main``: the driver's place."""
_STEPPING = Path(__file__).parents[1] / "host" / "stepping.h"
_DRIVER = Path(__file__).with_name("driver.c")


def driven(
    source: FirmwareSource, api: ControllerApi, cache_dir: Path | None = None
) -> FirmwareSource:
    """Return a submission's source with the driver in the place of the application.

    Raises:
        ConfigError: the project has no application that could make room for it.
        BenchFault: the driver cannot be kept where caches are.
    """
    if not (source.project_dir / APPLICATION).is_file():
        raise ConfigError(
            f"{source.project_dir}: has no {APPLICATION}: a check that steps the "
            "controller on a board puts a driver in the place of that file, which has "
            "to define firmware_main()"
        )
    text = unguessed(_text(api), source.overlay)
    driver = _kept(text, cache_dir or cache_root())
    return replace(source, overlay={**source.overlay, APPLICATION: driver})


def _text(api: ControllerApi) -> str:
    """Return the driver for a task, whole in one file."""
    return "\n".join(
        (
            '#include "controller.h"\n#include "protocol.h"\n',
            header(api),
            f"#define HOST_TEXT_BYTES {TEXT_BYTES}",
            f"#define HOST_STEPPED_BYTES {stepped_bytes(api)}",
            _STEPPING.read_text(encoding="utf-8"),
            _DRIVER.read_text(encoding="utf-8"),
        )
    )


def _kept(text: str, cache_dir: Path) -> Path:
    """Return a file with ``text``, which may have been there."""
    data = text.encode()
    digest = hashlib.sha256(data).hexdigest()[:16]
    folder = cache_dir / "drivers"
    file = folder / f"{digest}.c"
    try:
        if not file.is_file() or file.read_bytes() != data:
            replace_whole(file, data)
    except OSError as error:
        raise BenchFault(
            f"{folder}: the driver for boards cannot be kept there ({error}): choose "
            "another place with --embedbench-cache"
        ) from error
    return file
