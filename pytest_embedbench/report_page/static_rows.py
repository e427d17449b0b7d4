"""The rows of the tables that a page has without JavaScript.

What a file of a run holds may be of another version, or anybody's: what is missing is
left empty.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from pytest_embedbench.report_page.test_entry import (
    as_table,
    group_of,
    label_of,
    tables_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.report_page.run_folder import PageRun
    from pytest_embedbench.report_page.test_entry import TestEntry

_USUAL = ("passed", "failed", "skipped")


def outcomes(tests: Iterable[TestEntry]) -> list[tuple[str, int]]:
    """Return how many tests ended how; the usual ends come first, also at zero."""
    counts = Counter(entry.outcome for entry in tests if not entry.trial)
    usual = [(name, counts.pop(name, 0)) for name in _USUAL]
    return [*usual, *sorted(counts.items())]


def blames(tests: Iterable[TestEntry]) -> list[tuple[str, int]]:
    """Return whose fault failures were, most frequent first."""
    return Counter(
        entry.blame or "unknown" for entry in tests if entry.failed and not entry.trial
    ).most_common()


def verdict_row(
    run: PageRun, verdict: Mapping[str, Any], *, several: bool
) -> dict[str, str]:
    """Return a row of the table of verdicts, in words, and a link to what decided.

    ``several`` says whether there are more runs in the page, and links name theirs.
    """

    def text(key: str, otherwise: str = "") -> str:
        return str(verdict.get(key) or otherwise)

    counts = as_table(verdict.get("counts"))
    return {
        "run": run.name,
        "submission": Path(text("submission")).name or "the suite's own",
        "task": text("task"),
        "board": text("board", "(none)"),
        "profile": text("profile"),
        "verdict": text("verdict", "no verdict"),
        "stage": text("stage"),
        "reason": text("reason").partition("\n")[0],
        "link": _deciding(run, verdict, several=several),
        "counts": ", ".join(
            f"{count} {name}"
            for name, count in counts.items()
            if count and name != "checks"
        ),
        "complete": "" if verdict.get("complete", True) else "(not complete)",
    }


def _deciding(run: PageRun, verdict: Mapping[str, Any], *, several: bool) -> str:
    """Return the link to the check that a verdict was decided by, if it has one."""
    check, file = verdict.get("decided_by"), str(verdict.get("file"))
    if not check:
        return ""
    board = verdict.get("board") or ""
    label = label_of(file)
    for entry in run.tests:
        same = entry.group == group_of(str(check), str(board), "")
        if same and entry.submission == label and entry.board in ("", board):
            return test_link(run.name, entry.folder, several=several)
    return ""


def test_link(run: str, folder: str, *, several: bool) -> str:
    """Return the link to a test by the folder it has in its run, ``""`` without one."""
    key = f"{run}:{folder}" if several else folder
    return f"#{_words(test=key)}" if folder else ""


def list_link(**filters: str) -> str:
    """Return the link to the list of tests, with these filters set."""
    return f"#tests&{_words(**filters)}"


def _words(**words: str) -> str:
    return urlencode(words, errors="replace")


def trial_rows(run: PageRun, *, several: bool) -> list[dict[str, Any]]:
    """Return the rows of robust tests: what was not tolerated comes first."""
    folders = {(entry.test, entry.board): entry.folder for entry in run.tests}
    rows: list[dict[str, Any]] = []
    for trial in run.trials:
        check, board = str(trial.get("check", "")), str(trial.get("board", ""))
        folder = folders.get((check, board), "")
        rows.append(
            {
                "name": check.rpartition("::")[2],
                "link": test_link(run.name, folder, several=several),
                "board": board,
                "tolerance": str(trial.get("tolerance") or "unknown"),
                "reason": str(trial.get("violated") or trial.get("reason") or ""),
                "faults": [
                    f"{each.get('fault')} ({each.get('ticks')} ticks)"
                    for each in tables_in(trial, "faults")
                ],
                "seed": trial.get("seed", ""),
            }
        )
    return sorted(rows, key=lambda row: row["tolerance"] == "tolerated")


def digests_of(verdict: Mapping[str, Any]) -> str:
    """Return the digests of sources and images, and what built, of one verdict."""
    names = ("sources", "images", "host_driver", "tools", "sandbox", "ignored")
    known = {name: verdict[name] for name in names if verdict.get(name)}
    return json.dumps(known, indent=2, default=str)
