"""The files of a firmware's source that say its pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.support.projects import PYTHON

if TYPE_CHECKING:
    from pytest_embedbench.model import FirmwareSource

_FOLDERS = ("src", "include", "lib", "")
_PYTHON_SUFFIXES = (".py",)
_SUFFIXES = (".ino", ".pde", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")


def sources_of(source: FirmwareSource) -> dict[str, bytes]:
    """Return the C and C++ files of a project by path, with what is laid over them.

    What a build of it may not see is none of them. Of a Python program it is all of
    its files in Python.
    """
    found: dict[str, bytes] = {}
    is_python = source.environment == PYTHON
    suffixes = _PYTHON_SUFFIXES if is_python else _SUFFIXES
    seen = [name for name in _FOLDERS if not source.parts or name in source.parts]
    for folder in ("",) if is_python else seen:
        root = source.project_dir / folder
        is_deep = folder or is_python
        files = sorted(root.rglob("*") if is_deep else root.glob("*"))
        for file in files:
            is_test = is_python and file.name.startswith(("test_", "conftest."))
            if file.suffix in suffixes and file.is_file() and not is_test:
                name = file.relative_to(source.project_dir).as_posix()
                found[name] = file.read_bytes()
    for name, file in sorted(source.overlay.items()):
        if file.suffix in suffixes:
            found[name] = file.read_bytes()
    return found
