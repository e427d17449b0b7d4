"""The rows of the tables that a page has without JavaScript.

What a file of a run holds may be of another version, or anybody's: what is missing is
left empty.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from pytest_embedbench.report_page.test_entry import as_table, group_of, label_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.report_page.run_folder import PageRun
    from pytest_embedbench.report_page.test_entry import TestEntry

_USUAL = ("passed", "failed", "skipped")
_RATES = ("E_str", "E_per", "delta_pin")


def outcomes(tests: Iterable[TestEntry]) -> list[tuple[str, int]]:
    """Return how many tests ended how; the usual ends come first, also at zero."""
    counts = Counter(entry.outcome for entry in tests)
    usual = [(name, counts.pop(name, 0)) for name in _USUAL]
    return [*usual, *sorted(counts.items())]


def blames(tests: Iterable[TestEntry]) -> list[tuple[str, int]]:
    """Return whose fault failures were, most frequent first."""
    return Counter(
        entry.blame or "unknown" for entry in tests if entry.failed
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
            key = f"{run.name}:{entry.folder}" if several else entry.folder
            return f"#{_words(test=key)}" if entry.folder else ""
    return ""


def list_link(**filters: str) -> str:
    """Return the link to the list of tests, with these filters set."""
    return f"#tests&{_words(**filters)}"


def _words(**words: str) -> str:
    return urlencode(words, errors="replace")


def rate_rows(esr: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the table of ESR, each with three shares."""
    rates: Any = esr.get("rates") or []
    return [
        {
            "by": rate.get("by", ""),
            "name": rate.get("name") or "all",
            "cases": rate.get("cases", ""),
            "shares": [(name, *_share(as_table(rate.get(name)))) for name in _RATES],
        }
        for rate in map(as_table, rates)
    ]


def _share(rate: Mapping[str, Any]) -> tuple[float, str, str]:
    """Return a share as a number from 0 to 1, and it and its interval in words."""
    share, interval = rate.get("share"), rate.get("interval")
    if not isinstance(share, (int, float)):
        return 0.0, "-", ""
    between = ""
    if isinstance(interval, list) and len(cast("list[object]", interval)) > 1:
        low, high = cast("list[float]", interval)[:2]
        between = f"{100 * low:.1f} to {100 * high:.1f}"
    return min(max(float(share), 0.0), 1.0), f"{100 * share:.1f} %", between


def digests_of(verdict: Mapping[str, Any]) -> str:
    """Return the digests of sources and images, and what built, of one verdict."""
    names = ("sources", "images", "host_driver", "tools", "sandbox", "ignored")
    known = {name: verdict[name] for name in names if verdict.get(name)}
    return json.dumps(known, indent=2, default=str)
