"""The page: one file of HTML, with its data, style and programs inside.

What many tests have left is deflated, and taken apart only for the test that is looked
at, so that a page of thousands opens at once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import ChainableUndefined, Environment, FileSystemLoader
from markupsafe import Markup

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.report_page.browser_code import ASSETS, digest, scripts, style
from pytest_embedbench.report_page.esr_rows import (
    MOST_CASES,
    case_counts,
    case_rows,
    not_run,
    rate_rows,
)
from pytest_embedbench.report_page.evidence import read_evidence
from pytest_embedbench.report_page.packing import packed, script_json
from pytest_embedbench.report_page.static_rows import (
    blames,
    digests_of,
    list_link,
    outcomes,
    trial_rows,
    verdict_row,
)
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.report_page.run_folder import PageRun
    from pytest_embedbench.report_page.test_entry import TestEntry

MOST_PACKED_BYTES = 48_000_000
"""Of all evidence together; that of failed tests comes first."""
_SCRIPTS = (
    "text.js", "data.js", "lanes.js", "drawing.js", "chart.js", "transcript.js",
    "matrix.js", "tabs.js", "detail.js", "align.js", "differences.js", "compare.js",
    "theme.js", "main.js",
)  # fmt: skip


def write_page(
    file: Path, runs: Sequence[PageRun], tables: Sequence[Mapping[str, Any]] = ()
) -> int:
    """Write the page of some runs, whole or not at all; return its size in bytes.

    ``tables`` are more to show, each with ``title``, ``head``, ``rows`` and ``note``.

    Raises:
        ConfigError: it cannot be written there.
    """
    data = rendered_page(runs, tables, beside=file.parent).encode("ascii")
    try:
        replace_whole(file, data)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from error
    return len(data)


def rendered_page(
    runs: Sequence[PageRun],
    tables: Sequence[Mapping[str, Any]] = (),
    *,
    beside: Path | None = None,
) -> str:
    """Return the page, in ASCII; ``beside`` is where links to files are to start."""
    tests = [(at, entry) for at, run in enumerate(runs) for entry in run.tests]
    evidence, left_out = _all_evidence(runs, tests)
    script = scripts(_SCRIPTS)
    environment = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("page.html.j2").render(
        title="embedbench: " + ", ".join(run.name for run in runs),
        runs=runs,
        tables=tables,
        outcomes=outcomes(entry for _, entry in tests),
        blames=blames(entry for _, entry in tests),
        verdict_rows=[
            verdict_row(run, each, several=len(runs) > 1)
            for run in runs
            for each in run.verdicts
        ],
        rate_rows=rate_rows,
        case_rows=case_rows,
        case_counts=case_counts,
        not_run=not_run,
        most_cases=MOST_CASES,
        trial_rows=trial_rows,
        list_link=list_link,
        digests_of=digests_of,
        left_out=left_out,
        several=len(runs) > 1,
        style=Markup(style()),  # noqa: S704  # ours
        script=Markup(script),  # noqa: S704  # ours
        script_digest=digest(script),
        data=Markup(script_json(_light(runs, tests, beside))),  # noqa: S704  # escaped
        evidence=evidence,
    )
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _light(
    runs: Sequence[PageRun],
    tests: Sequence[tuple[int, TestEntry]],
    beside: Path | None,
) -> dict[str, Any]:
    """Return what the list of tests needs of each of them."""
    return {
        "runs": [{"name": run.name, "place": _place(run, beside)} for run in runs],
        "tests": [_row(run, entry, at) for at, (run, entry) in enumerate(tests)],
    }


def _row(run: int, entry: TestEntry, number: int) -> list[object]:
    """Return a test as a list, in the order of ``FIELDS`` in ``data.js``."""
    return [
        run, number, entry.test, entry.group, entry.outcome, entry.board, entry.blame,
        entry.reason, entry.submission, entry.started_at, round(entry.duration_s, 3),
        entry.attempt, entry.folder, sorted(entry.brief), entry.trial,
    ]  # fmt: skip


def _all_evidence(
    runs: Sequence[PageRun], tests: Sequence[tuple[int, TestEntry]]
) -> tuple[dict[int, str], int]:
    """Return evidence by number of test, and of how many there was no room for it."""
    order = sorted(range(len(tests)), key=lambda number: not tests[number][1].failed)
    found: dict[int, str] = {}
    room, left_out = MOST_PACKED_BYTES, 0
    for number in order:
        run, entry = tests[number]
        has_folder = entry.folder not in ("", ".")
        evidence = read_evidence(runs[run].path / entry.folder) if has_folder else None
        table = evidence.table() if evidence else {}
        text = packed({**table, "brief": entry.brief, "reason": entry.reason})
        if len(text) > room:
            left_out += 1
        else:
            room -= len(text)
            found[number] = text
    return found, left_out


def _place(run: PageRun, beside: Path | None) -> str:
    """Return where a run's files are, from the page, as a URL; ``""`` if unknown."""
    if beside is None:
        return ""
    return quote(os.fsencode(os.path.relpath(run.path, beside.resolve())))
