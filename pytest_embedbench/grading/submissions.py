"""Places that people name to have something judged: one submission each, or many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.grading.submitted import submitted
from pytest_embedbench.submissions import Submission, SubmissionSource, found_in, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def gather(places: Iterable[Path], surface: Sequence[str]) -> list[Submission]:
    """Return what several places hold: one submission each, or many.

    A folder is one itself if a file of the edit surface is where a task looks for it,
    or if it has a folder ``src``, ``main`` or ``components``. The same folder counts
    once.

    Raises:
        ConfigError: there is nothing, two have one name, or a line is broken.
    """
    found: dict[object, SubmissionSource] = {}
    for place in places:
        folder = place.resolve()
        alone = folder.is_dir() and _is_submission(folder, surface)
        one = SubmissionSource(str(place), folder.name, str(folder))
        for each in [one] if alone else found_in(place):
            found.setdefault(each.folder or each.where, each)
    return listed(found.values())


def _is_submission(folder: Path, surface: Sequence[str]) -> bool:
    return any(submitted(folder, name) for name in surface) or any(
        (folder / name).is_dir() for name in ("src", "main", "components")
    )
