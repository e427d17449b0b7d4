"""The edit surface: what a submission may bring, and what it may reach for."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import OutsideEditSurface
from pytest_embedbench.grading.edit_surface.c_tokens import cut_up
from pytest_embedbench.grading.edit_surface.files import (
    code_files,
    is_ignored,
    no_file,
    read,
    too_large,
)
from pytest_embedbench.grading.edit_surface.own_names import fixed_names, redefined
from pytest_embedbench.grading.edit_surface.reaching import leads_out, reaches
from pytest_embedbench.grading.submitted import SUBMITTED_IN, submitted
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_embedbench.grading.edit_surface.reaching import Reach
    from pytest_embedbench.grading.task import Suite


def check_surface(suite: Suite, folder: Path) -> None:
    """Insist that a submission stays within its task's edit surface.

    It may bring the files of the surface, files that equal the package's own, those
    that the task ignores, and whatever is no code. Its code may not reach for files
    outside of what is built, as far as its text tells; see ``check_reads``.

    Raises:
        OutsideEditSurface: naming every offending file.
        BenchFault: a file cannot be read here.
    """
    check = _Check(suite, folder)
    if offences := list(check.offences()):
        raise OutsideEditSurface(Path(shown(folder)), offences, check.surface)


def ignored_files(suite: Suite, folder: Path) -> list[str]:
    """Return the files of a submission that its task says to ignore, as they read."""
    check = _Check(suite, folder)
    others = check.others(check.taken())
    return [shown(name) for name in others if check.ignores(name)]


@dataclass(frozen=True, slots=True)
class _Check:
    """One submission to one suite."""

    suite: Suite
    folder: Path

    @property
    def surface(self) -> tuple[str, ...]:
        return self.suite.task.edit_surface

    def offences(self) -> Iterator[str]:
        """Yield what is wrong, each with the file first."""
        taken = self.taken()
        for name, where in taken.items():
            for words in self._wrong_with_ours(name, where):
                yield f"{shown(where)}: {words}"
        for where in self.others(taken):
            if not self.ignores(where) and (words := self._wrong_with_other(where)):
                yield f"{shown(where)}: {words}"

    def taken(self) -> dict[str, str]:
        """Return where the files of the surface lie in the submission, by name."""
        found = {name: submitted(self.folder, name) for name in self.surface}
        return {
            name: file.relative_to(self.folder).as_posix()
            for name, file in found.items()
            if file is not None
        }

    def others(self, taken: Mapping[str, str]) -> list[str]:
        """Return the code that is not of the surface."""
        ours = set(taken.values())
        return [name for name in code_files(self.folder) if name not in ours]

    def ignores(self, where: str) -> bool:
        """Say whether the task ignores a file that is not of the surface."""
        return is_ignored(where, self.suite.task.ignored)

    def _wrong_with_ours(self, name: str, where: str) -> Iterator[str]:
        file = self.folder / where
        if words := no_file(self.folder, where) or too_large(file):
            yield words
            return
        said_anew, reached = _looked_at(read(file), name, fixed_names(self.suite))
        for told, line in said_anew:
            words = "gives a name of the firmware's own another meaning"
            yield f"{words}: {told} (line {line})"
        for reach in reached:
            if self._is_refused(reach, name):
                words = f"reaches for another file: {shown(reach.words)}"
                yield f"{words} (line {reach.line})"

    def _is_refused(self, reach: Reach, name: str) -> bool:
        if _is_special(reach.path):
            return True
        if not (reach.certain or reach.asks):
            return False
        if reach.names_data:
            base_names = {each.rpartition("/")[2] for each in self.surface}
            return reach.path.rpartition("/")[2] not in base_names
        return leads_out(reach.path, name, self.suite.is_built)

    def _wrong_with_other(self, where: str) -> str:
        if words := no_file(self.folder, where):
            return words
        for name in self.surface:
            if where != name and where.lower() == name.lower():
                return f"is {name} but for upper and lower case"
        same = self._equals_the_packages(where)
        return "" if same else "not a submission's to bring or change"

    def _equals_the_packages(self, where: str) -> bool:
        file, root = self.folder / where, self.suite.root
        names = [where, *(f"{place}/{file.name}".lstrip("/") for place in SUBMITTED_IN)]
        candidates = [root / name for name in names]
        size_bytes = file.stat().st_size
        return any(
            ours.is_file()
            and ours.stat().st_size == size_bytes
            and ours.read_bytes() == read(file)
            for ours in candidates
        )


# Each test on a board has its sources looked at; few of them are new.
@lru_cache(maxsize=64)
def _looked_at(
    data: bytes, name: str, names: frozenset[str]
) -> tuple[list[tuple[str, int]], list[Reach]]:
    """Return which fixed names a file says anew, where, and what it reaches for."""
    source = cut_up(data)
    return [*redefined(source, name, names)], [*reaches(source)]


def _is_special(path: str) -> bool:
    """Say whether a path leads to what a compiler might never have done reading."""
    if not path.startswith("/"):
        return False
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
