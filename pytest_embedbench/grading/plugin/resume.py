"""Go on with a run on many submissions: what has ended, and still holds, is not run.

Its tests are there all the same, and end as they did: who looks at the run's summary,
exit code or JUnit file sees one whole run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.artifacts import forget_folders
from pytest_embedbench.grading.journal import FILE, Journal, digest_for, read_journal
from pytest_embedbench.grading.plugin.digests import Digester
from pytest_embedbench.grading.plugin.plan import suite_name
from pytest_embedbench.grading.plugin.stash import CHECK, DIGESTS, DONE
from pytest_embedbench.grading.plugin.submissions import own_id, submission_of
from pytest_embedbench.plugin.resuming import hold
from pytest_embedbench.plugin.stash import PLACE, session_of
from pytest_embedbench.plugin.workers import input_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.grading.check_records import CheckRecord, Done
    from pytest_embedbench.plugin.workers import WorkerNode

_SIZE = "embedbench_journal_bytes"
_JOURNAL_BYTES: pytest.StashKey[int] = pytest.StashKey()
_AGAIN: pytest.StashKey[bool] = pytest.StashKey()


def begin(config: pytest.Config) -> None:
    """Hold the run's folder, and see how far its journal goes by now.

    Raises:
        pytest.UsageError: another pytest is at work in it.
    """
    if (told := input_of(config).get(_SIZE)) is not None:
        config.stash[_JOURNAL_BYTES] = int(told)
        return
    config.stash[_JOURNAL_BYTES] = 0
    if config.option.collectonly:
        return
    file = hold(config) / FILE
    if file.is_file():
        config.stash[_JOURNAL_BYTES] = file.stat().st_size


def tell_worker(node: WorkerNode) -> None:
    """Hand a worker what of the journal counts: one that starts late sees no more."""
    node.workerinput[_SIZE] = str(node.config.stash[_JOURNAL_BYTES])


def mark(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Take the digests of what is judged, and mark the checks that have ended."""
    size_bytes = config.stash[_JOURNAL_BYTES]
    file = session_of(config).run_dir / FILE
    journal = read_journal(file, size_bytes) if size_bytes else Journal()
    digester = Digester(config)
    config.stash[DIGESTS] = known = {}
    groups = _groups(config, items)
    for (name, label), checks in groups.items():
        suite, submission = checks[0].stash[CHECK].suite, submission_of(checks[0])
        assert submission is not None, "it is one of many"
        boards = dict.fromkeys(item.stash[CHECK].board for item in checks)
        now = digester.digests(suite, submission, boards)
        known[name, label] = now, journal.changed(name, label, now)
        for item in checks:
            digest = digest_for(now, item.stash[CHECK].board)
            check = own_id(item.nodeid, label)
            if done := journal.done(name, label, check, digest):
                _keep(item, done)
            elif size_bytes:
                item.stash[_AGAIN] = True


def _groups(
    config: pytest.Config, items: Iterable[pytest.Item]
) -> dict[tuple[str, str], list[pytest.Item]]:
    groups: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        submission = submission_of(item)
        if CHECK in item.stash and submission is not None:
            name = suite_name(item.stash[CHECK].suite, config)
            groups.setdefault((name, submission.label), []).append(item)
    return groups


def _keep(item: pytest.Item, done: Done) -> None:
    """Let a test end as it did, without its fixtures."""
    item.stash[DONE] = done
    setattr(item, "fixturenames", [])  # noqa: B010  # not every kind of test has them


def make_room(item: pytest.Item) -> None:
    """Remove what is left of a test that was cut short, or that is judged anew."""
    if item.stash.get(_AGAIN, False):
        del item.stash[_AGAIN]
        below, own = item.stash[PLACE]
        forget_folders(session_of(item.config).run_dir / below, own)


def tell_again(done: Done) -> None:
    """End as a check has ended before; called in its place."""
    if done["outcome"] == "failed":
        pytest.fail(done["reason"], pytrace=False)


def as_before(note: CheckRecord, done: Done, when: str) -> CheckRecord:
    """Return what was on record of a check, in the phase in which it is told."""
    told: CheckRecord = {**note, "duration_s": 0.0, "kept": done["attempt_count"]}
    if when == "call":
        told["outcome"], told["stage"] = done["outcome"], done["stage"]
        told["reason"] = done["reason"]
    elif when == "teardown":
        told["duration_s"], told["details"] = done["duration_s"], done["details"]
    return told
