"""Making the folder that an agent works in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.campaign.handed_out import handed_out
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.campaign.modes import Mode
    from pytest_embedbench.grading.task import Suite


def create_workspace(suite: Suite, folder: Path, mode: Mode) -> None:
    """Write all that an agent is given into ``folder``, which is made, or is empty.

    Raises:
        ConfigError: something is in its place, or it cannot be written.
    """
    files = handed_out(suite, mode)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ConfigError(f"{folder}: is not empty: name a new folder")
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    except OSError as error:
        raise ConfigError(
            f"{folder}: no workspace can be made there: {error.strerror}"
        ) from error
