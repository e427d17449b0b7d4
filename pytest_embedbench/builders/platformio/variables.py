"""The variables that a build of ours gives to PlatformIO."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.recipes import may_be_replayed
from pytest_embedbench.builders.platformio.staging import WORKSPACE
from pytest_embedbench.builders.platformio.unit_tests import UNITY_OUTPUT

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.scratch import Scratch

_PACKAGE = Path(__file__).parents[2]
OUR_LIBRARIES = _PACKAGE / "firmware"
_REPORT_SCRIPT = _PACKAGE / "platforms" / "report_build.py"
_WATCH_SCRIPT = _PACKAGE / "platforms" / "watch_build.py"


def build_variables(scratch: Scratch, core_dir: Path) -> dict[str, str]:
    """Return where PlatformIO finds and puts things: never in the project."""
    workspace = scratch.workspace
    # A test/test_x directory would make a plain build ask for Unity.
    without_tests = {"PLATFORMIO_TEST_DIR": str(workspace / "no-tests")}
    has_tests = bool(scratch.project.source.test_suite)
    scripts = [f"pre:{_WATCH_SCRIPT}", f"post:{_REPORT_SCRIPT}"]
    scripts += [f"pre:{UNITY_OUTPUT}"] if has_tests else []
    # For a build of ours that may be done once more without PlatformIO.
    lines = (
        {"EMBEDBENCH_KEEPS_LINES": "1"}
        if may_be_replayed(scratch.project, core_dir)
        else {}
    )
    return (
        ({} if has_tests else without_tests)
        | lines
        | {
            "PLATFORMIO_CORE_DIR": str(core_dir),
            "PLATFORMIO_WORKSPACE_DIR": str(scratch.stage / WORKSPACE),
            "PLATFORMIO_BUILD_DIR": str(scratch.objects),
            # As in the checkout, or the scratch place would be in their __FILE__.
            "PLATFORMIO_LIBDEPS_DIR": str(scratch.stage / WORKSPACE / "libdeps"),
            "PLATFORMIO_LIB_EXTRA_DIRS": _added_to(
                "PLATFORMIO_LIB_EXTRA_DIRS", str(OUR_LIBRARIES)
            ),
            "PLATFORMIO_EXTRA_SCRIPTS": _added_to(
                "PLATFORMIO_EXTRA_SCRIPTS", "\n".join(scripts)
            ),
            # A user's own would be used for whatever SCons takes for the same.
            "PLATFORMIO_BUILD_CACHE_DIR": str(scratch.objects / "cache"),
            "EMBEDBENCH_REPORT": str(scratch.report),
            "EMBEDBENCH_READS": str(scratch.reads),
            "EMBEDBENCH_PACKAGE": str(_PACKAGE),
        }
    )


def shared_libraries() -> list[Path]:
    """Return the folders of libraries that every project may use."""
    shared = os.environ.get("PLATFORMIO_LIB_EXTRA_DIRS", "").replace(", ", "\n")
    return [
        *(Path(line) for line in shared.splitlines() if line.strip()),
        OUR_LIBRARIES,
    ]


def _added_to(variable: str, value: str) -> str:
    return "\n".join(filter(None, (os.environ.get(variable), value)))
