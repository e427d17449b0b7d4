"""One run for all who ask: the first to come makes it, others read what came of it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_embedbench.bench.artifacts import replace_file
from pytest_embedbench.unity.suite_run import SuiteRun, from_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def shared_run(folder: Path, what: str, make: Callable[[], SuiteRun]) -> SuiteRun:
    """Return the one run of ``what`` among all processes that give ``folder``.

    What ``make`` raises is not kept: whoever comes next tries again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / hashlib.sha256(what.encode()).hexdigest()[:16]
    result = place.with_suffix(".json")
    with FileLock(place.with_suffix(".lock")):
        if result.is_file():
            return from_json(result.read_bytes())
        run = make()
        replace_file(result, run.as_json())
    return run
