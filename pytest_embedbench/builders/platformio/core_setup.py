"""A private PlatformIO core directory made of what this machine has already.

It lets ``pio run`` build an unchanged ``platformio.ini`` without a registry: our own
small platforms, compilers that pip or the system installed, SCons from its wheel.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_embedbench.builders.platformio.packages import (
    LOCAL_PACKAGES,
    NOT_FOR_BUILDING,
    local_platforms,
    module_dir,
)
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import ConfigError, ToolMissing
from pytest_embedbench.support.progress import LongWork
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_embedbench.builders.platformio.packages import LocalPackage

# PlatformIO knows packages by what is in them; the folder's name keeps ours apart from
# those that it has installed itself.
_OURS = "@embedbench"
_LIBRARIES = "embedbench-libraries.json"
_STAMP = "embedbench-seed.json"
# For those who run pio there by hand; our own builds say so each time.
_SETTINGS = {"check_platformio_interval": 99999, "enable_telemetry": False}
_SCONS_SCRIPT = """\
from SCons.Script.Main import main

if __name__ == "__main__":
    main()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreSetup:
    """What a private core directory offers, and what it could not.

    ``absent`` maps the packages that this machine lacks to the command that
    installs what they are made of.
    """

    core_dir: Path
    platforms: tuple[str, ...]
    packages: tuple[str, ...]
    absent: Mapping[str, str]
    libraries: tuple[Path, ...] = ()

    def lines(self) -> Iterator[str]:
        """Say so on a terminal."""
        yield f"PlatformIO core directory: {self.core_dir}"
        yield f"platforms: {', '.join(self.platforms)}"
        for folder in self.libraries:
            yield f"libraries: {folder}"
        for package, command in self.absent.items():
            yield f"without {package} (to have it: {command})"


def is_set_up(core_dir: Path) -> bool:
    """Say whether ``set_up_core`` has finished on that directory."""
    return (core_dir / _STAMP).is_file()


def set_up_files(core_dir: Path) -> tuple[Path, ...]:
    """Return where a core directory that was set up says so, and what it was told."""
    return (core_dir / _STAMP, core_dir / _LIBRARIES, *named_libraries(core_dir))


def set_up_core(
    core_dir: Path,
    scons_version: str,
    local_packages: Sequence[LocalPackage] = LOCAL_PACKAGES,
    libraries: Sequence[Path] = (),
) -> CoreSetup:
    """Make or refresh a private core directory; safe to run again, and at once.

    Args:
        core_dir: Where.
        scons_version: What PlatformIO asks for, as it writes it: ``4.41101.0``.
        local_packages: What is linked there, as far as it is here.
        libraries: Folders of libraries for ``lib_deps``, in place of those named
            earlier; if none, those stay.

    Raises:
        ToolMissing: SCons is not installed here.
        ConfigError: one of ``libraries`` is no folder.
    """
    for folder in libraries:
        if not folder.is_dir():
            raise ConfigError(f"{folder}: not a folder of libraries: no such folder")
    scons = module_dir("SCons")
    if scons is None:
        raise ToolMissing("platformio", "SCons", "pip install 'SCons==4.11.1'")
    core_dir.mkdir(parents=True, exist_ok=True)
    pieces = len(local_packages) + 2
    with (
        LongWork("setup", pieces, host_now_s) as work,
        FileLock(core_dir / "embedbench-seed.lock"),
    ):
        work.begin_piece("platforms")
        platforms = _link_platforms(core_dir / "platforms")
        work.begin_piece("SCons")
        tool_scons = core_dir / "packages" / f"tool-scons{_OURS}"
        _write_scons(tool_scons, scons, scons_version)
        absent = _make_packages(core_dir / "packages", local_packages, work)
        for name, version in NOT_FOR_BUILDING.items():
            _describe(core_dir / "packages" / f"{name}{_OURS}", name, version)
        if libraries:
            named = json.dumps([str(folder.resolve()) for folder in libraries])
            _write(core_dir / _LIBRARIES, named)
        if not (core_dir / "appstate.json").exists():
            _write(core_dir / "appstate.json", json.dumps({"settings": _SETTINGS}))
        _write(core_dir / _STAMP, json.dumps({"platforms": platforms}))
    return CoreSetup(
        core_dir=core_dir,
        platforms=tuple(platforms),
        packages=tuple(p.name for p in local_packages if p.name not in absent),
        absent=absent,
        libraries=named_libraries(core_dir),
    )


def named_libraries(core_dir: Path) -> tuple[Path, ...]:
    """Return the folders of libraries that the setup was told of, now or earlier."""
    try:
        named: list[str] = json.loads((core_dir / _LIBRARIES).read_bytes())
    except OSError:
        return ()
    return tuple(map(Path, named))


def _make_packages(
    packages_dir: Path, local_packages: Sequence[LocalPackage], work: LongWork
) -> dict[str, str]:
    """Link what is here; return what is not, with the command that installs it."""
    absent: dict[str, str] = {}
    for local_package in local_packages:
        work.begin_piece(local_package.name)
        where = packages_dir / f"{local_package.name}{_OURS}"
        if contents := local_package.find():
            _write_package(where, local_package, contents)
        else:
            shutil.rmtree(where, ignore_errors=True)
            absent[local_package.name] = local_package.install
    return absent


def _link_platforms(where: Path) -> list[str]:
    platforms = local_platforms()
    for name, path in platforms.items():
        spec = _spec(name) | {"uri": f"symlink://{path}"}
        _write(where / f"{name}.pio-link", json.dumps({"cwd": "/", "spec": spec}))
    return sorted(platforms)


def _write_scons(where: Path, scons: Path, version: str) -> None:
    _describe(where, "tool-scons", version)
    _write(where / "scons.py", _SCONS_SCRIPT)
    # PlatformIO may live in another environment than the one that has SCons.
    _link(where / "SCons", scons)


def _write_package(
    where: Path, local_package: LocalPackage, contents: Mapping[str, Path]
) -> None:
    for link in [path for path in where.rglob("*") if path.is_symlink()]:
        if link.relative_to(where).as_posix() not in contents:
            link.unlink()
    for path, target in contents.items():
        _link(where / path, target)
    _describe(where, local_package.name, local_package.version)


def _describe(where: Path, name: str, version: str) -> None:
    """Write the two files by which PlatformIO knows an installed package."""
    package = {"name": name, "version": version, "system": "*"}
    _write(where / "package.json", json.dumps(package))
    known = {"type": "tool", "name": name, "version": version, "spec": _spec(name)}
    _write(where / ".piopm", json.dumps(known))


def _spec(name: str) -> dict[str, str | None]:
    return {
        "owner": "platformio",
        "id": None,
        "name": name,
        "requirements": None,
        "uri": None,
    }


def _write(path: Path, text: str) -> None:
    """Replace a file whole; one with the same text is left as it is."""
    if path.is_file() and path.read_text() == text:
        return
    replace_whole(path, text.encode())


def _link(path: Path, target: Path) -> None:
    """Point ``path`` at ``target``, absolutely: PlatformIO changes directory."""
    target = target.absolute()
    if path.is_symlink() and path.readlink() == target:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    draft.symlink_to(target)
    os.replace(draft, path)  # noqa: PTH105  # Path.replace follows nothing either
