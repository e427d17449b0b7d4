"""The files that the host driver is built from, and where they lie as it is built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.grading.host.interface import header, unguessed

if TYPE_CHECKING:
    from pytest_embedbench.grading.task import ControllerApi
    from pytest_embedbench.model import FirmwareSource

_HERE = Path(__file__).parent
_FRAME = _HERE.parents[1] / "firmware" / "embedbench_frame"
_KEEPER = ("keeper.c", "limits.c", "host_driver.h", "host_limits.h")
_BEHIND = ("driver.c", "stepping.h")
COMPILED = ("src/controller.c", "src/protocol.c")
"""What is compiled of the task and the submission, beside all headers."""


def staged_files(source: FirmwareSource) -> dict[str, Path]:
    """Return each file by its place in the scratch folder.

    Ours are in ``host``, where only what is in there finds them.
    """
    return _sources(source) | _ours()


def keeper_files() -> dict[str, Path]:
    """Return those of the keeper, which are the same for all submissions."""
    return {f"host/{name}": _HERE / name for name in _KEEPER}


def staged_texts(source: FirmwareSource, api: ControllerApi) -> dict[str, str]:
    """Return what is made for a submission, to be compiled behind its own headers."""
    texts = {f"host/{name}": (_HERE / name).read_text() for name in _BEHIND}
    texts["host/host_task.h"] = header(api)
    return {name: unguessed(text, source.overlay) for name, text in texts.items()}


def _sources(source: FirmwareSource) -> dict[str, Path]:
    """Return what is compiled of the task and the submission: headers and two files."""
    folder = source.project_dir / "src"
    files = {f"src/{file.name}": file for file in folder.glob("*.h")}
    files |= {name: source.project_dir / name for name in COMPILED}
    laid_over = {
        name: file
        for name, file in source.overlay.items()
        if name in COMPILED or name.endswith(".h")
    }
    return files | laid_over


def _ours() -> dict[str, Path]:
    behind = {f"host/{name}": _HERE / name for name in _BEHIND}
    return (
        keeper_files()
        | behind
        | {
            "frame/embedbench_frame.c": _FRAME / "src" / "embedbench_frame.c",
            "frame/embedbench_frame.h": _FRAME / "include" / "embedbench_frame.h",
        }
    )
