"""``embedbench evaluate``: judge submissions to a task, one line each."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import ConfigError, EmbedbenchError
from pytest_embedbench.grading.submissions import gather
from pytest_embedbench.grading.task import load_task
from pytest_embedbench.grading.verdict_lines import JUDGED, verdict_line
from pytest_embedbench.processes.guarded import run_guarded
from pytest_embedbench.submissions import jsonl
from pytest_embedbench.support.progress import LongWork
from pytest_embedbench.support.pytest_command import add_run_options, pytest_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_embedbench.submissions import Submission
    from pytest_embedbench.support.commands import Subcommands

_USAGE, _NO_VERDICT = 2, 3
_PYTEST_USAGE = 4
_LIMIT_S = 14 * 24 * 3600.0
_RUN_DIR = re.compile(r"^embedbench: artifacts in (.+)$", re.MULTILINE)
_TAIL_LINES = 15


def add_evaluate(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "evaluate", help="judge submissions to a task: a line per submission and board"
    )
    parser.add_argument("task", type=Path, help="a folder with a task.toml")
    parser.add_argument(
        "places",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="a submission, a folder of submissions, or a JSONL file of them",
    )
    parser.add_argument(
        "--board",
        action="append",
        default=[],
        metavar="NAME",
        help="where its firmware runs (repeatable)",
    )
    parser.add_argument("--profile", default="", metavar="NAME", help="default: full")
    parser.add_argument(
        "-n",
        dest="workers",
        type=int,
        metavar="N",
        help="processes that judge at a time, 0 for none but pytest's own; "
        "default: one per processor, if there is work for them",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="the rows as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="the rows as CSV")
    add_run_options(parser)
    parser.set_defaults(run=_evaluate)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """How pytest ended, what it printed, and the folder of its run."""

    returncode: int
    printed: str
    told: frozenset[str]
    """The lines that were printed while others were judged."""
    run_dir: Path | None

    def rows(self) -> list[dict[str, Any]]:
        file = self.run_dir and self.run_dir / "submissions.json"
        if file is None or not file.is_file():
            return []
        rows: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["rows"]
        return rows


def _evaluate(arguments: argparse.Namespace) -> int:
    try:
        submissions = _submissions(arguments)
    except EmbedbenchError as error:
        return _complain(str(error), _USAGE)
    judged = _judge(arguments, submissions)
    if judged.returncode == _PYTEST_USAGE:
        said = re.search(r"^ERROR: (.*)", judged.printed, re.MULTILINE)
        return _complain(said[1] if said else judged.printed.strip(), _USAGE)
    rows = judged.rows()
    if not rows:
        last = "\n".join(judged.printed.splitlines()[-_TAIL_LINES:])
        return _complain(f"the hidden suite does not run:\n{last}", _NO_VERDICT)
    return _tell(arguments, judged, rows, submissions)


def _submissions(arguments: argparse.Namespace) -> list[Submission]:
    """Return what is judged, once the arguments make sense.

    Raises:
        ConfigError: they do not.
    """
    task = load_task(arguments.task / "task.toml")
    if not (arguments.task / "hidden").is_dir():
        raise ConfigError(f"{arguments.task}/hidden: no such folder, and so no checks")
    if not arguments.board:
        raise ConfigError("on which board? say --board=NAME (repeatable)")
    if arguments.workers is not None and arguments.workers < 0:
        raise ConfigError(f"-n {arguments.workers}: is less than none")
    return gather(arguments.places, task.edit_surface)


def _judge(arguments: argparse.Namespace, submissions: Sequence[Submission]) -> _Judged:
    """Run the hidden suite on all of them, once."""
    workers: int | None = arguments.workers
    if workers is None:
        workers = min(os.cpu_count() or 1, len(submissions))
        workers = workers if workers > 1 else 0
    with tempfile.TemporaryDirectory(prefix="embedbench-evaluate-") as scratch:
        listed = Path(scratch, "submissions.jsonl")
        listed.write_text(jsonl(submissions), encoding="utf-8")
        words = pytest_words(
            *("-q", "--tb=no"),
            *(f"--board={name}" for name in arguments.board),
            workers=workers,
            profile=arguments.profile,
            resume=arguments.resume,
            artifacts=arguments.artifacts,
            submissions=listed,
        )
        told = set[str]()
        work = LongWork("verdicts", len(submissions) * len(arguments.board), host_now_s)

        def pass_on(line: str) -> bool:
            if line.startswith(JUDGED):
                told.add(line.removeprefix(JUDGED))
                sys.stdout.write(f"{line.removeprefix(JUDGED)}\n")
                sys.stdout.flush()
                work.piece_done()
            return False

        with work:
            done = run_guarded(
                [*words, arguments.task / "hidden"], timeout_s=_LIMIT_S, stop_at=pass_on
            )
    printed = f"{done.stdout}{done.stderr}"
    found = _RUN_DIR.findall(done.stdout)
    run_dir = Path(found[-1]) if found else None
    return _Judged(
        returncode=done.returncode,
        printed=printed,
        told=frozenset(told),
        run_dir=run_dir,
    )


def _tell(
    arguments: argparse.Namespace,
    judged: _Judged,
    rows: Sequence[dict[str, Any]],
    submissions: Sequence[Submission],
) -> int:
    """Print what is not told yet, write the files, and name what has no verdict."""
    names = [submission.name for submission in submissions]
    for line in (verdict_line(row, names, arguments.board) for row in rows):
        if line not in judged.told:
            sys.stdout.write(f"{line}\n")
    assert judged.run_dir is not None, "there are rows"
    for file, name in (
        (arguments.json, "submissions.json"),
        (arguments.csv, "submissions.csv"),
    ):
        if file is not None:
            try:
                file.write_bytes((judged.run_dir / name).read_bytes())
            except OSError as error:
                return _complain(f"{file}: {error.strerror}", _USAGE)
    has = {(row["submission"], row["board"]) for row in rows if row["verdict"]}
    lacking = [
        f"{submission.name} on {board}"
        for submission in submissions
        for board in arguments.board
        if (submission.name, board) not in has
    ]
    if lacking:
        message = f"no verdict, through no fault of theirs: {', '.join(lacking)}"
        return _complain(message, _NO_VERDICT)
    return 0


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"embedbench evaluate: {message}\n")
    return code
