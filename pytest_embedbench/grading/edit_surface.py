"""The edit surface: what a submission may bring, and what it may reach for."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import OutsideEditSurface
from pytest_embedbench.grading.task import SUBMITTED_IN, submitted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.grading.task import Suite

_CODE = re.compile(
    r".*\.([ch]|cc|cpp|cxx|hh|hpp|hxx|inc|ino|s|asm|ld|a|o|cmake|ini)", re.IGNORECASE
)
_BUILD_FILES = re.compile(r"CMakeLists\.txt|sdkconfig.*|component\.mk|library\.json")
# An agent's own tests and notes are never built into a firmware.
_NOT_BUILT = frozenset(
    {"agent_tests", "test", "tests", "visible", "docs", "tools", "build", "__pycache__"}
)
_REACHING = re.compile(
    r"""
    "(?:/|\.\./)[^"\n]*"                          # a path out of what is built
    | "[^"\n]*/\.\./[^"\n]*" | "(?:[^"\n]*/)?\.\."
    | <(?:/|\.\.)[^>\n]*> | <[^>\n]*/\.\.[^>\n]*>  # the same, as an include
    | \.incbin\b | ^[ \t]*\#[ \t]*embed\b
    | ^[ \t]*\#[ \t]*include[ \t]+\w+           # a path that only the compiler sees
    """,
    re.MULTILINE | re.VERBOSE,
)


def check_surface(suite: Suite, folder: Path) -> None:
    """Insist that a submission stays within its task's edit surface.

    It may bring the files of the surface, files that equal the package's own, and
    whatever is no code. Its code may not reach for files outside of what is built.

    Raises:
        OutsideEditSurface: naming every offending file.
    """
    surface = suite.task.edit_surface
    taken = [file for name in surface if (file := submitted(folder, name)) is not None]
    offences = [
        offence
        for file in _code_files(folder)
        if (offence := _offence(file, folder, suite.root, taken))
    ]
    if offences:
        raise OutsideEditSurface(folder, offences, surface)


def _offence(file: Path, folder: Path, root: Path, taken: list[Path]) -> str:
    """Return what is wrong with a file, ``""`` for nothing."""
    shown = file.relative_to(folder).as_posix()
    if not file.is_file():  # a pipe, a folder, a link to nowhere
        return f"{shown}: is no regular file"
    if file not in taken:
        ours = _equals_ours(file, folder, root)
        return "" if ours else f"{shown}: not a submission's to bring or change"
    if file.is_symlink():
        return f"{shown}: is a link, not a file"
    reaching = _REACHING.search(file.read_text("utf-8", "replace"))
    if reaching is None:
        return ""
    return f"{shown}: reaches for another file: {reaching.group().strip()}"


def _equals_ours(file: Path, folder: Path, root: Path) -> bool:
    names = [file.relative_to(folder).as_posix()]
    names += [f"{place}/{file.name}".lstrip("/") for place in SUBMITTED_IN]
    data = file.read_bytes()
    candidates = (root / name for name in names)
    return any(ours.is_file() and ours.read_bytes() == data for ours in candidates)


def _code_files(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _NOT_BUILT and name[0] != "."
        )
        # A folder of a source file's name would let the starter's stand in for it.
        for name in sorted([*names, *folders]):
            if _CODE.fullmatch(name) or _BUILD_FILES.fullmatch(name):
                yield Path(here, name)
