"""What a project says of its environments: for which board, chip, clock and speed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_embedbench.builders.platformio.ini import INI, read_ini
from pytest_embedbench.builders.platformio.packages import local_platforms
from pytest_embedbench.clock import wall_now_ns
from pytest_embedbench.contracts import EnvironmentFacts
from pytest_embedbench.digests import Memo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_embedbench.builders.platformio.ini import ProjectIni

_NATIVE = "native"
_CLOCKED_FROM_OUTSIDE = ("atmega", "attiny", "at90", "atxmega")
"""Chips whose clock is the board's. Others set theirs themselves, from any crystal."""
_FACTS = Memo[list[EnvironmentFacts]]()


def known_facts(
    project_dir: Path, core_dirs: tuple[Path, ...]
) -> list[EnvironmentFacts]:
    """Return ``environment_facts``, from memory as long as no file has changed.

    Raises:
        ConfigError: there is no project.
    """
    asked = (project_dir, core_dirs)
    facts = _FACTS.recall(asked)
    if facts is None:
        begun_ns = wall_now_ns()
        ini = read_ini(project_dir / INI, project_dir)
        facts = environment_facts(ini, project_dir, core_dirs)
        _FACTS.remember(asked, facts, _sources(ini, project_dir, core_dirs), begun_ns)
    return facts


def environment_facts(
    ini: ProjectIni, project_dir: Path, core_dirs: Iterable[Path]
) -> list[EnvironmentFacts]:
    """Return what is said of each environment, those of ``default_envs`` first.

    ``core_dirs`` are where PlatformIO keeps platforms, with what they say of boards.
    """
    named = ini.value("platformio", "default_envs").replace(",", " ").split()
    names = ini.environments()
    ordered = dict.fromkeys([*(name for name in named if name in names), *names])
    cores = tuple(core_dirs)
    return [_facts(ini, name, project_dir, cores) for name in ordered]


def _sources(ini: ProjectIni, project_dir: Path, core_dirs: Iterable[Path]) -> set[str]:
    """Return all files and folders, there or not, that such facts come from."""
    configs = [ini.path, *ini.extra_configs]
    configs += [project_dir / named for named in ini.absent_configs]
    found = {project_dir, *configs, *(path.parent for path in configs)}
    for core_dir in core_dirs:
        found |= {core_dir, core_dir / "platforms", *core_dir.glob("platforms/*")}
    ours = {platform / "boards" for platform in local_platforms().values()}
    for folder in {*_board_folders(project_dir, core_dirs)} - ours:
        found |= {folder, *folder.glob("*.json")}
    return {str(path) for path in found}


def board_manifest(
    board: str, project_dir: Path | None, core_dirs: Iterable[Path]
) -> dict[str, Any]:
    """Return what a platform, or the project itself, says of a board; or nothing."""
    for folder in _board_folders(project_dir, core_dirs):
        try:
            manifest: dict[str, Any] = json.loads(
                (folder / f"{board}.json").read_bytes()
            )
        except (OSError, ValueError):
            continue
        return manifest
    return {}


def _facts(
    ini: ProjectIni, name: str, project_dir: Path, core_dirs: tuple[Path, ...]
) -> EnvironmentFacts:
    section = f"env:{name}"
    board = ini.value(section, "board")
    build: dict[str, Any] = {}
    if board and "/" not in board:
        build = board_manifest(board, project_dir, core_dirs).get("build", {})
    mcu = ini.value(section, "board_build.mcu") or str(build.get("mcu", ""))
    cpu_hz = ini.value(section, "board_build.f_cpu") or str(build.get("f_cpu", ""))
    if not board and ini.value(section, "platform") == _NATIVE:
        board = _NATIVE
    return EnvironmentFacts(
        name=name,
        board=board,
        mcu=mcu,
        cpu_hz=_number(cpu_hz) if mcu.lower().startswith(_CLOCKED_FROM_OUTSIDE) else 0,
        monitor_bps=_number(ini.value(section, "monitor_speed")),
    )


def _board_folders(
    project_dir: Path | None, core_dirs: Iterable[Path]
) -> Iterator[Path]:
    if project_dir is not None:
        yield project_dir / "boards"
    for core_dir in core_dirs:
        yield core_dir / "boards"
        yield from core_dir.glob("platforms/*/boards")
    for platform in local_platforms().values():
        yield platform / "boards"


def _number(text: str) -> int:
    """Return a number as C has it (``16000000UL``); 0 of anything else."""
    digits = text.strip().rstrip("UuLl")
    return int(digits) if digits.isdecimal() else 0
