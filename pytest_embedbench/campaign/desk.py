"""The submission desk of one workspace: it takes, judges, records and answers.

It runs outside of the agent's reach, and all that an agent has of it is a Unix socket.
A request is one JSON line, and so is the answer: ``{"do": "submit"}`` gives ``text``
and ``files`` (base64 by path), ``{"do": "status"}`` what is left to be had.
"""

from __future__ import annotations

import base64
import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Self

from pytest_embedbench.campaign.desk_socket import DeskSocket
from pytest_embedbench.campaign.feedback import TAKEN, Said, feedback_on
from pytest_embedbench.campaign.handed_out import handed_out
from pytest_embedbench.campaign.judging import outside_surface
from pytest_embedbench.campaign.modes import Feedback
from pytest_embedbench.campaign.taking import take
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import EmbedbenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.campaign.judging import Judgement
    from pytest_embedbench.campaign.modes import Mode
    from pytest_embedbench.campaign.record import Record, Seal
    from pytest_embedbench.campaign.taking import Taken
    from pytest_embedbench.grading.task import Suite

SOCKET = "EMBEDBENCH_DESK"
"""The environment variable that tells ``embedbench submit`` where the socket is."""
_MOST_NOTES = 10_000
_MOST_REFUSALS = 1000
_MOST_NAMED = 100
_COUNTS = ("passed", "failed", "builds", "boots")
_REFUSED = "REFUSED: {} of {} submissions were used; there is none left\n"
_BROKEN = "REFUSED: the desk cannot take it: tell whoever runs it\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """One submission, judged."""

    number: int
    at_s: float
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """One run of pytest in the workspace, as that has told: the agent's own word."""

    __test__ = False  # no test class

    at_s: float
    passed: int = 0
    failed: int = 0
    builds: int = 0
    boots: int = 0


class Desk:
    """The desk of one workspace.

    Args:
        suite: The task package.
        workspace: The folder that was made of it.
        mode: What is said, and how often one may submit.
        judge: Judges files of the edit surface in a new folder.
        record: Where all of it is written.
        folder: For what comes of each submission; nobody else's.
        on_first: Called when the first submission is taken, before it is judged.
    """

    def __init__(  # noqa: PLR0913  # all of them are its own
        self,
        *,
        suite: Suite,
        workspace: Path,
        mode: Mode,
        judge: Callable[[Mapping[str, bytes], Path], Judgement],
        record: Record,
        folder: Path,
        on_first: Callable[[], None] = lambda: None,
    ) -> None:
        self._workspace, self._mode, self._judge = workspace, mode, judge
        self._suite, self._record, self._folder = suite, record, folder
        self._given = handed_out(suite, mode)
        self._turn, self._writing = Lock(), Lock()
        self._waiting: SimpleQueue[tuple[int, float, Taken] | None] = SimpleQueue()
        self._judged: list[Submitted] = []
        self._test_runs: list[TestRun] = []
        self._on_first = on_first
        self._number = self._used = self._refusals = 0
        self._opened_at_s = host_now_s()
        self._failed: EmbedbenchError | None = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Make the socket, and take what comes over it."""
        self._place = tempfile.TemporaryDirectory(prefix="embedbench-desk-")
        self.socket = Path(self._place.name) / "desk"
        self._server = DeskSocket(self.socket, self._answer)
        self._later = Thread(target=self._judge_later, name="desk", daemon=True)
        self._later.start()
        self._write("opened", mode=self._mode.name, task=self._suite.task.name)

    def close(self) -> None:
        """Take no more, and judge what was taken.

        Raises:
            BenchFault: the record could not be kept.
        """
        self._server.close()
        self._waiting.put(None)
        self._later.join()
        self._place.cleanup()
        self._write("closed", submissions=self._number, refused=self._refusals)
        if self._failed is not None:
            raise self._failed

    @property
    def seal(self) -> Seal:
        """How far the record goes, which whoever reads it has to find again."""
        return self._record.seal

    @property
    def submissions(self) -> tuple[Submitted, ...]:
        """What was judged so far, in the order in which it was handed in."""
        return tuple(self._judged)

    @property
    def test_runs(self) -> tuple[TestRun, ...]:
        """What runs of pytest in the workspace have told of themselves."""
        return tuple(self._test_runs)

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        match request.get("do"):
            case "submit":
                return _reply(self._submit())
            case "status":
                limit = self._mode.submission_limit
                return {"mode": self._mode.name, "submissions": self._used,
                        "limit": limit}  # fmt: skip
            case "note" if len(self._test_runs) < _MOST_NOTES:
                return self._note(request)
            case other:
                self._refuse(asked=str(other)[:100])
                return {"error": "ask to submit, or for the status"}

    def _refuse(self, **data: object) -> None:
        """Count it, and write it down as long as that fills no disk."""
        self._refusals += 1
        if self._refusals <= _MOST_REFUSALS:
            self._write("refused", **data)

    def _note(self, request: Mapping[str, Any]) -> dict[str, Any]:
        counts = {name: request.get(name, 0) for name in _COUNTS}
        if not all(
            type(count) is int and 0 <= count < 10**9 for count in counts.values()
        ):
            return {"error": f"a note has whole numbers: {', '.join(_COUNTS)}"}
        at_s = host_now_s() - self._opened_at_s
        self._write("noted", at_s=round(at_s, 3), **counts)
        self._test_runs.append(TestRun(at_s=at_s, **counts))
        return {}

    def _submit(self) -> Said:
        """Take what is in the workspace; those who ask at once come one by one."""
        with self._turn:
            limit = self._mode.submission_limit
            if self._failed is not None:
                return Said(text=_BROKEN)
            if limit is not None and self._used >= limit:
                self._refuse(asked="submit", used=self._used)
                return Said(text=_REFUSED.format(self._used, limit))
            return self._take()

    def _take(self) -> Said:
        at_s = host_now_s() - self._opened_at_s
        task = self._suite.task
        taken = take(self._workspace, self._given, task.edit_surface, task.ignored)
        number = self._number + 1
        if not self._write(
            "taken",
            submission=number,
            at_s=round(at_s, 3),
            files=_digests(taken.surface),
            offences=taken.offences[:_MOST_NAMED],
            offences_in_all=len(taken.offences),
        ):
            return Said(text=_BROKEN)
        if number == 1:
            self._on_first()
        self._number, self._used = number, self._used + 1
        if self._mode.feedback is Feedback.NOTHING:
            # Answered before it is judged: neither text nor time can tell anything.
            self._waiting.put((number, at_s, taken))
            return Said(text=TAKEN)
        judged = self._judge_now(number, at_s, taken)
        if judged is None:
            return Said(text=_BROKEN)
        return feedback_on(self._mode.feedback, judged)

    def _judge_later(self) -> None:
        while (waiting := self._waiting.get()) is not None:
            self._judge_now(*waiting)

    def _judge_now(self, number: int, at_s: float, taken: Taken) -> Judgement | None:
        try:
            judgement = (
                outside_surface(taken.offences)
                if taken.offences
                else self._judge(taken.surface, self._folder / f"{number:03}")
            )
        except EmbedbenchError as error:
            self._failed = error
            return None
        if judgement.verdict is None and self._mode.feedback is not Feedback.NOTHING:
            self._used -= 1  # it was our fault, and that is being said
        self._judged.append(Submitted(number=number, at_s=at_s, judgement=judgement))
        self._write(
            "judged",
            submission=number,
            verdict=judgement.verdict,
            stage=judgement.stage,
            reason=judgement.reason,
            boards=dict(judgement.boards),
        )
        return judgement

    def _write(self, kind: str, **data: object) -> bool:
        """Write into the record; a desk whose record is broken takes nothing more."""
        with self._writing:
            try:
                self._record.append(kind, **data)
            except EmbedbenchError as error:
                self._failed = self._failed or error
                return False
        return True


def _reply(said: Said) -> dict[str, Any]:
    files = {name: base64.b64encode(data).decode() for name, data in said.files.items()}
    return {"text": said.text, "files": files}


def _digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
