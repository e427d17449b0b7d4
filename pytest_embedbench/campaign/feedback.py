"""What is said of a submission, by mode: text, and files to look at.

Files come as a table from path to content; whoever asked writes them where it is. No
path of the evaluator is in any of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.campaign.modes import Feedback

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_embedbench.campaign.judging import Judgement

TAKEN = "recorded\n"
_BENCH_FAILED = (
    "NO VERDICT: the bench failed, not your submission; "
    "it does not count, submit again\n"
)
_EVIDENCE = ("transcript.log", "trace.csv", "plot.svg", "metrics.json", "history.txt")
_UART_TAIL_LINES = 25
_MOST_BYTES = 200_000
_MOST_CHECKS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said to whoever submitted."""

    text: str
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


def feedback_on(feedback: Feedback, judgement: Judgement) -> Said:
    """Return what a mode lets out of a judgement."""
    if feedback is Feedback.NOTHING:
        return Said(text=TAKEN)
    if judgement.verdict is None:
        return Said(text=_BENCH_FAILED)
    if feedback is Feedback.RED_OR_GREEN:
        return Said(text="PASS\n" if judgement.passed else "FAIL\n")
    return _everything(judgement)


def _everything(judgement: Judgement) -> Said:
    verdict = "PASS" if judgement.passed else "FAIL"
    lines = [f"{verdict} {judgement.verdict} {judgement.stage}", judgement.reason]
    files: dict[str, bytes] = {}
    for board, about in judgement.details.items():
        lines += ["", f"## {board}: {_counts(about)}"]
        failed = [each for each in about["checks"] if each["outcome"] == "failed"]
        for check in failed[:_MOST_CHECKS]:
            lines += ["", *_check(check)]
            files |= _evidence(judgement.folder, check, board)
        if len(failed) > _MOST_CHECKS:
            lines.append(f"... and {len(failed) - _MOST_CHECKS} more")
        lines += _uart_tail(board, failed, files)
    text = "\n".join(lines) + "\n"
    return Said(text=text, files=files | {"report.md": text.encode()})


def _counts(about: Mapping[str, Any]) -> str:
    counts: Mapping[str, int] = about["counts"]
    return f"{counts['passed']} of {counts['checks']} checks passed"


def _check(check: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {check['stage']}: {_name(check)}"
    yield from (f"- **{key}** {words}" for key, words in check["brief"].items())
    yield check["reason"] or "no reason was given"
    for scenario in check["scenarios"]:
        figures = ", ".join(f"{k}={v}" for k, v in scenario["metrics"].items())
        yield f"scenario {scenario['name']}: {figures}"


def _name(check: Mapping[str, Any]) -> str:
    """Return the name of a check without the file of the hidden suite that it is in."""
    name: str = check["check"]
    return name.rpartition("::")[2]


def _evidence(
    run: Path | None, check: Mapping[str, Any], board: str
) -> dict[str, bytes]:
    """Return the files that a failed check left, by the paths that they are given."""
    if run is None or check["folder"] is None:
        return {}
    folder = run / check["folder"]
    found: dict[str, bytes] = {}
    for name in _EVIDENCE:
        for file in sorted(folder.rglob(name)) if folder.is_dir() else ():
            inside = file.relative_to(folder).as_posix()
            content = file.read_bytes()[:_MOST_BYTES]
            found[f"{board}/{_name(check)}/{inside}"] = content
    return found


def _uart_tail(
    board: str, failed: Iterable[Mapping[str, Any]], files: Mapping[str, bytes]
) -> list[str]:
    """Return what the firmware said last in the first failed check with a UART."""
    for check in failed:
        place = f"{board}/{_name(check)}/transcript.log"
        if place in files:
            lines = files[place].decode(errors="replace").splitlines()
            return ["", "### UART, its last lines", *lines[-_UART_TAIL_LINES:]]
    return []
