"""Tell a library that is not here from a file that an answer forgot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.esr.sources.files import sources_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.model import FirmwareSource

_MISSING = re.compile(r"fatal error: ([\w./+-]+): No such file or directory")


def missing_library(diagnostics: str, source: FirmwareSource) -> str:
    """Return the header of a library that a build missed, ``""`` if it is none.

    It is one if it is asked for as ``<Name.h>``: what belongs to a firmware's own
    files is written in quotes, and is missing through its own fault.
    """
    found = _MISSING.search(diagnostics)
    if found is None:
        return ""
    asked = re.compile(rf"^\s*#\s*include\s*<{re.escape(found[1])}>", re.MULTILINE)
    return found[1] if any(asked.search(text) for text in _texts(source)) else ""


def _texts(source: FirmwareSource) -> Iterator[str]:
    for content in sources_of(source).values():
        yield content.decode("utf-8", "replace")
