"""PlatformIO's own unit tests: which suites a project has, and how they are built.

The same rules as ``pio test``: each folder ``test_*`` below the folder of tests is a
suite, or all of that folder is one if there is none; ``test_filter`` and
``test_ignore`` choose.
"""

from __future__ import annotations

import os
import warnings
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.ini import INI, read_ini
from pytest_embedbench.contracts import UnitTestSuite
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.builders.platformio.ini import ProjectIni
    from pytest_embedbench.builders.platformio.project import Project
    from pytest_embedbench.builders.platformio.wanted_libraries import WantedLibrary
    from pytest_embedbench.model import FirmwareSource

WHOLE = "*"
"""The name of a suite that is all of the folder of tests."""
OPTIONS = (
    "test_framework", "test_speed", "test_transport", "test_build_src", "test_filter",
    "test_ignore",
)  # fmt: skip
"""Those that have an effect on what is built."""
_PLATFORMS = Path(__file__).parents[2] / "platforms"
OUR_UNITY = _PLATFORMS / "libraries" / "Unity"
UNITY_OUTPUT = _PLATFORMS / "unity_output.py"
DOCTEST = Path("/usr/include/doctest")
STAND_INS = (OUR_UNITY, UNITY_OUTPUT, DOCTEST)
"""What of this machine the programs of tests may be built of."""
_DEFAULT_BPS = "115200"
_FRAMEWORKS = ("unity", "doctest", "googletest", "custom")
"""Those that PlatformIO knows."""


def test_dir(ini: ProjectIni) -> str:
    """Return the folder of tests: relative to the project, as a rule."""
    return ini.value("platformio", "test_dir") or "test"


def unit_tests(project_dir: Path, environment: str) -> list[UnitTestSuite]:
    """Return the suites that ``pio test -e ENVIRONMENT`` would run, by name.

    Warns if ``test_filter`` or ``test_ignore`` leaves none of them.

    Raises:
        ConfigError: ``test_speed`` is no number, or ``test_framework`` nothing that
            PlatformIO knows.
    """
    ini = read_ini(project_dir / INI, project_dir)
    folder = Path(os.path.normpath(project_dir / test_dir(ini)))
    if not folder.is_dir():
        return []
    section = f"env:{environment}"
    speed = ini.value(section, "test_speed") or _DEFAULT_BPS
    if not speed.isdecimal():
        where = f"{ini.path}: {section}"
        raise ConfigError(f"{where}: test_speed = {speed!r} is not a whole number")
    framework = ini.value(section, "test_framework") or "unity"
    if framework not in _FRAMEWORKS:
        raise ConfigError(
            f"{ini.path}: {section}: test_framework = {framework!r} is none of "
            f"PlatformIO's: {', '.join(_FRAMEWORKS)}"
        )
    return [
        UnitTestSuite(
            name=name,
            folder=folder if name == WHOLE else folder / name,
            framework=framework,
            baud_bps=int(speed),
        )
        for name in _chosen(_names(folder), ini, section)
    ]


def unity_in(project: Project) -> list[WantedLibrary]:
    """Return what a project's ``lib_deps`` say of Unity, if no folder here has it."""
    return [
        one
        for one in project.libraries.unresolved
        if not one.keys().isdisjoint({"unity"})
        and (one.owner or "throwtheswitch").lower() == "throwtheswitch"
    ]


def options_of(ini: ProjectIni, source: FirmwareSource) -> dict[str, str]:
    """Return what of its tests' options changes a suite's program."""
    section = f"env:{source.environment}"
    found = {name: ini.value(section, name) for name in OPTIONS}
    return {name: value for name, value in found.items() if value}


def arguments(source: FirmwareSource, stage: Path) -> list[str]:
    """Return what ``pio`` is told, to build a suite and do no more with it."""
    words = ["test", "-d", str(stage), "-e", source.environment]
    if source.test_suite != WHOLE:
        words += ["-f", source.test_suite]
    return [*words, "--without-uploading", "--without-testing", "-vv"]


def _names(folder: Path) -> list[str]:
    found: list[str] = []
    for here, _, _ in os.walk(folder, followlinks=True):
        if Path(here).name.startswith("test_") and Path(here) != folder:
            found.append(Path(here).relative_to(folder).as_posix())
    return sorted(found) or [WHOLE]


def _chosen(names: list[str], ini: ProjectIni, section: str) -> list[str]:
    if names == [WHOLE]:
        return names
    wanted = _listed(ini.value(section, "test_filter")) or ["*"]
    ignored = _listed(ini.value(section, "test_ignore"))
    found = [name for name in names if _matches(name, wanted)]
    left = [name for name in found if not _matches(name, ignored)]
    if not left:
        option, value = ("test_ignore", ignored) if found else ("test_filter", wanted)
        warnings.warn(
            f"{ini.path}: {section}: {option} = {', '.join(value)} leaves none of the "
            f"suites of unit tests: {', '.join(found or names)}",
            stacklevel=3,
        )
    return left


def _matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _listed(value: str) -> list[str]:
    return list(_entries(value))


def _entries(value: str) -> Iterator[str]:
    for line in value.splitlines():
        for part in line.split(", "):
            if part.strip():
                yield part.strip()
