"""What is wrong with what was handed in, before any firmware runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors.base import EmbedbenchError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class SubmissionRefused(EmbedbenchError):
    """What was handed in is not taken: it is not even built."""


class NothingSubmitted(SubmissionRefused):
    """Nothing of a task's edit surface is in the submission's folder.

    Args:
        folder: The submission's folder.
        edit_surface: The files that a submission may replace.
    """

    def __init__(self, folder: Path, edit_surface: Iterable[str]) -> None:
        self.folder = folder
        self.edit_surface = tuple(edit_surface)
        wanted = ", ".join(self.edit_surface)
        super().__init__(f"{folder}: nothing submitted: none of {wanted} is there")


class OutsideEditSurface(SubmissionRefused):
    """A submission brings files that are not its to change, or reaches for others.

    Args:
        folder: The submission's folder.
        offences: Each with the file it is about, relative to ``folder``, first.
        edit_surface: The files that a submission may replace.
    """

    def __init__(
        self, folder: Path, offences: Iterable[str], edit_surface: Iterable[str]
    ) -> None:
        self.folder = folder
        self.offences = tuple(offences)
        self.edit_surface = tuple(edit_surface)
        listed, surface = "\n  ".join(self.offences), ", ".join(self.edit_surface)
        super().__init__(
            f"{folder}: outside the edit surface: {listed}\n(that is {surface})"
        )


class BuildError(EmbedbenchError):
    """The submission does not build: neither our fault nor firmware behaviour.

    Args:
        environment: The PlatformIO environment.
        returncode: What the build exited with.
        log_path: The whole build log.
        diagnostics: The compiler's own lines, verbatim.
    """

    def __init__(
        self, environment: str, returncode: int, log_path: Path, diagnostics: str
    ) -> None:
        self.environment = environment
        self.returncode = returncode
        self.log_path = log_path
        self.diagnostics = diagnostics
        lines = diagnostics.splitlines()
        first = _first_error(lines)
        what = f"the firmware does not build: environment {environment!r}: {first}"
        more = f"\n{diagnostics}" if len(lines) > 1 else ""
        super().__init__(f"{what}{more}\nfull log: {log_path}")

    def again(self) -> BuildError:
        """Return the same for who meets it after the first: its first error alone."""
        first = _first_error(self.diagnostics.splitlines())
        return type(self)(self.environment, self.returncode, self.log_path, first)


_TOLD = ("error:", "#error", "undefined reference", "multiple definition")
"""What a compiler or linker writes of an error that stands by itself."""


def _first_error(lines: list[str]) -> str:
    """Return the line that says most: a compiler's or linker's error, or the first."""
    told = (line for line in lines if any(words in line for words in _TOLD))
    other = (line for line in lines if "error" in line)
    return next(told, next(other, "".join(lines[:1])))
