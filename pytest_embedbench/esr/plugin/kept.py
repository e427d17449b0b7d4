"""What has come of cases, in files: both items of a case, and a run that goes on.

A case has one file. Whoever asks first searches, and who asks meanwhile waits, in
whatever worker; the file is written whole or not at all.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import uuid4

from filelock import FileLock

from pytest_embedbench.bench.artifacts import replace_json, safe_name
from pytest_embedbench.esr.plugin.stash import KEPT
from pytest_embedbench.esr.records import outcome_of
from pytest_embedbench.esr.usual import FOLDER
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    import pytest

    from pytest_embedbench.esr.records import CaseRecord

JOURNAL = "run.json"
"""In the folder of cases: that a run can go on, and which pytest is at work in it."""
_CASES, _LOCKS = "cases", ".locks"


class Told(TypedDict):
    """What a case came to, or why its check was skipped.

    ``session`` is the pytest that judged it, ``digest`` of all that the outcome
    depends on, ``failure`` the strict run's as pytest shows it.
    """

    record: CaseRecord | None
    skipped: str
    failure: str
    session: str
    digest: str


@dataclass(frozen=True, slots=True)
class CaseFiles:
    """The files of one run; ``session`` is what all of its processes have in common."""

    folder: Path
    session: str

    @contextmanager
    def alone(self, own_id: str) -> Generator[None]:
        """Have a case to oneself."""
        locks = self.folder / _LOCKS
        locks.mkdir(parents=True, exist_ok=True)
        with FileLock(locks / safe_name(own_id)):
            yield

    def find(self, own_id: str, digest: str) -> Told | None:
        """Return what has come of a case, if that still holds.

        Of an earlier pytest's, what was our fault does not, nor what depends on
        anything that has changed.
        """
        try:
            told: Told = json.loads(self._file(own_id).read_bytes())
        except (OSError, ValueError):
            return None
        if told["session"] == self.session:
            return told
        record = told["record"]
        if record is None or outcome_of(record).is_undecided:
            return None
        return told if told["digest"] == digest else None

    def has_earlier(self, own_id: str) -> bool:
        """Say whether an earlier pytest has judged a case."""
        return self._file(own_id).is_file()

    def put(self, own_id: str, told: Told) -> None:
        """Write down what has come of a case."""
        file = self._file(own_id)
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_json(self.folder / JOURNAL, {"session": self.session})
        table: dict[str, Any] = {**told}
        replace_json(file, table)

    def _file(self, own_id: str) -> Path:
        return self.folder / _CASES / f"{safe_name(own_id)}.json"


def begun(config: pytest.Config, session: str = "") -> CaseFiles:
    """Return the files of this run; it can go on later.

    Args:
        config: What pytest knows.
        session: What other processes of this pytest have been told.
    """
    if KEPT not in config.stash:
        folder = session_of(config).run_dir / FOLDER
        kept = CaseFiles(folder, session or uuid4().hex)
        config.stash[KEPT] = kept
    return config.stash[KEPT]


def end(folder: Path) -> None:
    """Leave no locks behind; every worker has ended."""
    import shutil  # noqa: PLC0415  # late

    shutil.rmtree(folder / _LOCKS, ignore_errors=True)
