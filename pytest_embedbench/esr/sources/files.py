"""The files of a firmware's source that say its pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench.model import FirmwareSource

_FOLDERS = ("src", "include", "lib", "")
_SUFFIXES = (".ino", ".pde", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")


def sources_of(source: FirmwareSource) -> dict[str, bytes]:
    """Return the C and C++ files of a project by path, with what is laid over them.

    What a build of it may not see is none of them.
    """
    found: dict[str, bytes] = {}
    seen = [name for name in _FOLDERS if not source.parts or name in source.parts]
    for folder in seen:
        root = source.project_dir / folder
        files = sorted(root.rglob("*") if folder else root.glob("*"))
        for file in files:
            if file.suffix in _SUFFIXES and file.is_file():
                name = file.relative_to(source.project_dir).as_posix()
                found[name] = file.read_bytes()
    for name, file in sorted(source.overlay.items()):
        if file.suffix in _SUFFIXES:
            found[name] = file.read_bytes()
    return found
