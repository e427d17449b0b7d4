"""Whether something of a submission can run by being loaded, before it is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.grading.edit_surface.c_tokens import cut_up

if TYPE_CHECKING:
    from collections.abc import Iterable

_EARLY = re.compile(r"constructor|section|ifunc|\b(?:__)?asm(?:__)?\b")
"""What can make code run then, or hide that it does."""
_PLACE = re.compile(r'# \d+ "(?P<file>[^"]*)"')


def may_run_early(preprocessed: str, sources: Iterable[bytes]) -> bool:
    """Say whether anything may; better once too often.

    The system's headers have such words, too, and are not looked at. Who says that its
    lines are another file's may do anything.
    """
    if any(map(_renames_lines, sources)):
        return True
    file = ""
    for line in preprocessed.splitlines():
        if place := _PLACE.match(line):
            file = place["file"]
        elif not file.startswith("/") and _EARLY.search(line):
            return True
    return False


def _renames_lines(source: bytes) -> bool:
    names = [directive.name for directive in cut_up(source).directives]
    return any(name == "line" or name[:1].isdigit() for name in names)
