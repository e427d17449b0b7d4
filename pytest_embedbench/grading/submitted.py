"""Where the files of a submission lie in its folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from pathlib import Path

SUBMITTED_IN = ("src", "main", "")
"""Folders of a submission in which a file of the edit surface is looked for."""


def submitted(folder: Path, name: str) -> Path | None:
    """Find a file of the edit surface in a submission.

    ``src/controller.c`` may also lie there as ``main/controller.c``, bare, or in an
    ESP-IDF component of its own: ``components/controller``, headers in ``include``.
    Whatever is there counts, be it a file or not: ``check_surface`` looks at that.
    """
    file_name = name.rpartition("/")[2]
    component = f"components/{file_name.partition('.')[0]}"
    places = (*SUBMITTED_IN, component, f"{component}/include")
    names = (name, *(os.path.join(place, file_name) for place in places))  # noqa: PTH118
    found = next((each for each in names if _is_there(f"{folder}/{each}")), None)
    return None if found is None else folder / found


def _is_there(file: str) -> bool:
    """Say whether anything is at a path, be it a link to nowhere."""
    try:
        os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except PermissionError as error:
        raise BenchFault(
            f"{shown(file)}: a submission's folder cannot be looked into "
            f"({error.strerror}): let the user that runs pytest do so"
        ) from error
    except OSError:  # a link that leads to itself
        return True
    return True
