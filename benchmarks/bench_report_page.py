"""How long a report page of many tests takes to make, and a browser to open.

    python benchmarks/bench_report_page.py [TESTS]

Opening is from navigation to the list being there and usable; the test that is looked
at has a transcript of 1,000 lines and a trace of 1,000 samples.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from playwright.sync_api import sync_playwright

from pytest_embedbench.report_page.page import write_page
from pytest_embedbench.report_page.run_folder import read_run

BUDGET_MS = 2000
BOARDS = ("native", "uno")
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
OPENED = """() => new Promise((done) => {
    const look = () => document.documentElement.dataset.ready
        ? requestAnimationFrame(() => done(performance.now())) : setTimeout(look, 5);
    look();
})"""


def main() -> int:
    """Print the figures; exit 1 if opening takes longer than its budget."""
    test_count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    with tempfile.TemporaryDirectory() as name:
        run, file = Path(name) / "run", Path(name) / "page.html"
        make_run(run, test_count)
        began_s = perf_counter()
        size = write_page(file, [read_run(run)])
        print(f"making {test_count:,} tests   {perf_counter() - began_s:7.2f} s")
        print(f"file                 {size / 1e6:7.2f} MB")
        opened_ms, filtered_ms, detail_ms = opening_ms(file)
    print(f"opening              {opened_ms:7.0f} ms (budget {BUDGET_MS})")
    print(f"a filter             {filtered_ms:7.0f} ms")
    print(f"a test               {detail_ms:7.0f} ms")
    return int(opened_ms > BUDGET_MS)


def make_run(run: Path, test_count: int) -> None:
    """Write a run in which one test of twenty fails."""
    for number in range(test_count // len(BOARDS)):
        for board in BOARDS:
            folder = f"test_suite_{number // 50}.py/test_case[{number}-{board}]"
            put(run / folder, folder.replace("/", "::"), board, fails=number % 20 == 0)


def put(place: Path, test: str, board: str, *, fails: bool) -> None:
    """Write what one test leaves; of one that fails, as much as a real one does."""
    place.mkdir(parents=True)
    count = 1000 if fails else 60
    record: dict[str, Any] = {
        "test": test,
        "board": board,
        "outcome": "failed" if fails else "passed",
        "blame": "firmware" if fails else None,
        "reason": "nothing matched '^ACT PUMP ON$' within 1000 ms" if fails else None,
        "brief": {"T5": "A malformed level switches the pump off."},
        "image": {"sha256": f"{hash(test):064x}", "key": test},
        "phases": {"call": {"outcome": "passed", "duration_s": 0.25}},
    }
    lines = [f"{0.1 * at:13.6f} fw-> ACT LEVEL {at * at % 97}" for at in range(count)]
    rows = [f"{100 * at},{at * at % 97},{at % 7 == 0}" for at in range(count)]
    (place / "test.json").write_text(json.dumps(record))
    (place / "transcript.log").write_text("\n".join(lines) + "\n")
    trace = "\n".join(["timestamp_ms,level,pump_on", *rows])
    (place / "trace.csv").write_text(trace)


def opening_ms(file: Path) -> tuple[float, float, float]:
    """Return medians of five for opening, filtering and looking at a failed test."""
    program = next(filter(None, map(shutil.which, BROWSERS)))
    figures: list[tuple[float, float, float]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        for _ in range(5):
            page = browser.new_page()
            page.goto(file.as_uri(), wait_until="commit")
            opened = page.evaluate(OPENED)
            filtered = page.evaluate(
                "() => { const began = performance.now(); const it = MATRIX.controls;"
                "it.outcome.value = 'failed'; it.q.value = 'suite_7'; MATRIX.changed();"
                "document.body.offsetHeight; return performance.now() - began; }"
            )
            detail = page.evaluate(
                "async () => { const began = performance.now();"
                "location.hash = MATRIX.table.querySelector('a').hash;"
                "while (!document.querySelector('#detail canvas'))"
                "  await new Promise((done) => setTimeout(done, 1));"
                "document.body.offsetHeight; return performance.now() - began; }"
            )
            figures.append((opened, filtered, detail))
            page.close()
        browser.close()
    opened, filtered, detail = zip(*figures, strict=True)
    return (*map(statistics.median, (opened, filtered, detail)),)  # type: ignore[return-value]


if __name__ == "__main__":
    sys.exit(main())
