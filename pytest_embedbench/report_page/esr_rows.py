"""The rows of the tables of ESR: shares, and what each case came to.

What a file of a run holds may be of another version, or anybody's: what is missing is
left empty.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.report_page.static_rows import list_link, test_link
from pytest_embedbench.report_page.test_entry import as_table, tables_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.report_page.run_folder import PageRun

MOST_CASES = 1000
"""In the page; all of them are in ``esr.csv``."""
_RATES = ("E_str", "E_per", "delta_pin")
_WORKS, _CORRECTED = "strict", "permissive-confirmed"
_FIRST = ("bench-fault", "budget", "permissive-rewired", "build-fail", "logic-fail")
"""What somebody has to look at, before what works."""


def rate_rows(esr: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the table of ESR, each with three shares."""
    return [
        {
            "by": rate.get("by", ""),
            "name": rate.get("name") or "all",
            "cases": rate.get("cases", ""),
            "undecided": rate.get("undecided") or "",
            "shares": [(name, *_share(as_table(rate.get(name)))) for name in _RATES],
        }
        for rate in tables_in(esr, "rates")
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


def case_counts(esr: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return how many cases came to what, in the order of their rows."""
    counts = Counter(str(case.get("outcome")) for case in _cases(esr))
    return sorted(counts.items(), key=lambda each: _place(each[0]))


def case_rows(run: PageRun, *, several: bool) -> list[dict[str, Any]]:
    """Return a row for each case, at most ``MOST_CASES`` of them."""
    cases = sorted(
        _cases(run.esr or {}), key=lambda case: _place(str(case.get("outcome")))
    )
    return [_case(run, case, several=several) for case in cases[:MOST_CASES]]


def not_run(esr: Mapping[str, Any]) -> list[str]:
    """Return the answers to cases that did not run, in words."""
    return _texts(esr, "not_run")


def trial_words(esr: Mapping[str, Any]) -> dict[str, str]:
    """Return what each trial of a search was on, by its folder."""
    return {
        str(each["folder"]): _tried(each)
        for case in _cases(esr)
        for each in tables_in(case, "evidence")
        if each.get("folder")
    }


def _case(run: PageRun, case: Mapping[str, Any], *, several: bool) -> dict[str, Any]:
    test, outcome = str(case.get("test", "")), str(case.get("outcome") or "unknown")
    model, name = (str(case.get(key) or "") for key in ("model", "case"))
    return {
        "name": f"{model}: {name}" if model else name,
        "link": list_link(q=test.partition("[")[0] + f" {case.get('answer') or ''}"),
        "board": str(case.get("board") or ""),
        "outcome": outcome,
        "look": _look(outcome),
        "corrections": _texts(case, "corrections"),
        "used": _pins(case, "pins_used"),
        "wired": _pins(case, "pins_wired"),
        "trials": [
            (
                _tried(each),
                str(each.get("end", "")),
                test_link(run.name, str(each.get("folder") or ""), several=several),
            )
            for each in tables_in(case, "evidence")
        ],
        "notes": _notes(case, outcome),
    }


def _notes(case: Mapping[str, Any], outcome: str) -> list[str]:
    """Return why it failed, what was not seen, and what stands beside that."""
    why = str(case.get("why") or "").partition("\n")[0]
    notes = [why] if why and outcome != _WORKS else []
    if not case.get("observed", True):
        notes.append("unseen: nobody could see its pins; those are of its source")
    return notes + [
        f"{finding.get('text', '')} [{finding.get('kind', '')}]"
        for finding in tables_in(case, "findings")
    ]


def _look(outcome: str) -> str:
    if outcome in (_WORKS, _CORRECTED):
        return "passed"
    return "failed" if outcome in ("logic-fail", "build-fail") else "odd"


def _place(outcome: str) -> int:
    known = (*_FIRST, _CORRECTED, _WORKS)
    return known.index(outcome) if outcome in known else -1


def _tried(evidence: Mapping[str, Any]) -> str:
    words = (str(evidence.get(key) or "") for key in ("how", "tried"))
    return _arrowed(": ".join(filter(None, words)) or "trial")


def _pins(case: Mapping[str, Any], key: str) -> list[str]:
    return [f"{pin} ({what})" for pin, what in as_table(case.get(key)).items()]


def _texts(case: Mapping[str, Any], key: str) -> list[str]:
    value: object = case.get(key)
    texts = cast("list[object]", value) if isinstance(value, list) else []
    return [_arrowed(str(text)) for text in texts]


def _arrowed(text: str) -> str:
    """Return ``9 -> 3`` so that no line of a narrow column ends within it."""
    return text.replace(" -> ", "\u00a0\u2192\u00a0")


def _cases(esr: Mapping[str, Any]) -> list[dict[str, Any]]:
    return tables_in(esr, "cases")
