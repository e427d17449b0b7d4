"""A Python program as an image: checked, and packed into one file.

A project is a folder with a ``main.py``. What goes along are the modules beside it and
the packages among them, except tests. The image is one that Python runs as it is.
"""

from __future__ import annotations

import hashlib
import platform
import warnings
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BuildError, ConfigError
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.support.projects import PROGRAM_FILE, PYTHON

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import FirmwareSource

_IMAGE = "program.pyz"
_START = (
    'import runpy\n\nrunpy.run_module("main", run_name="__main__", alter_sys=True)\n'
)
_FORMAT = "1"
"""Changes when the same program becomes another image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonProgram:
    """Builds Python programs; nothing of them is run."""

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return ``python`` if there is a ``main.py``."""
        if not (project_dir / PROGRAM_FILE).is_file():
            raise ConfigError(f"{project_dir}: not a Python program: no {PROGRAM_FILE}")
        return (PYTHON,)

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of all modules, and of the Python that checks them."""
        digest = hashlib.sha256(f"{_FORMAT} {platform.python_version()}".encode())
        for name, file in sorted(_modules(source).items()):
            data = file.read_bytes()
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Pack the modules, or raise ``BuildError`` if one of them is no Python."""
        modules = _modules(source)
        complaints = [
            complaint
            for name, file in sorted(modules.items())
            if (complaint := _complaint(name, file))
        ]
        log = out_dir / "build.log"
        log.write_text("\n".join(complaints), encoding="utf-8")
        if complaints:
            raise BuildError(source.environment, 1, log, "\n".join(complaints))
        image = out_dir / _IMAGE
        with zipfile.ZipFile(image, "w") as archive:
            for name, file in sorted(modules.items()):
                archive.writestr(zipfile.ZipInfo(name), file.read_bytes())
            archive.writestr(zipfile.ZipInfo("__main__.py"), _START)
        return FirmwareImage(
            environment=source.environment,
            elf_path=image,
            sha256=hashlib.sha256(image.read_bytes()).hexdigest(),
            artifacts={_IMAGE: image},
            metadata={"python": platform.python_version()},
        )

    def missing(self) -> ToolMissing | None:
        """Say that nothing is."""
        return None

    def version(self) -> str:
        """Name the Python that checks programs."""
        return f"Python {platform.python_version()}"


def _modules(source: FirmwareSource) -> dict[str, Path]:
    """Return the files of a program by their names in it."""
    root = source.project_dir
    found = {
        file.relative_to(root).as_posix(): file
        for folder in _folders(root)
        for file in folder.glob("*.py")
        if file.is_file() and not _is_test(file.name)
    }
    return found | dict(source.overlay)


def _folders(root: Path) -> Iterator[Path]:
    yield root
    for initial in sorted(root.glob("*/__init__.py")):
        if not initial.parent.name.startswith(("test", ".")):
            yield from _package(initial.parent)


def _package(folder: Path) -> Iterator[Path]:
    yield folder
    for initial in sorted(folder.glob("*/__init__.py")):
        yield from _package(initial.parent)


def _is_test(name: str) -> bool:
    return name.startswith("test_") or name == "conftest.py"


def _complaint(name: str, file: Path) -> str:
    """Say why a module is no Python; ``""`` if it is."""
    try:
        with warnings.catch_warnings():
            # A suite may make errors of warnings; a program has a right to them.
            warnings.simplefilter("ignore")
            compile(file.read_bytes(), name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{name}:{error.lineno}: {type(error).__name__}: {error.msg}"
    except ValueError as error:  # a NUL byte, before Python 3.12
        return f"{name}:1: {error}"
    return ""
