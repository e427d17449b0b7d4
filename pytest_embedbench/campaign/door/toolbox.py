"""What an agent can do in a folder, each with a structured answer; no protocol here.

Every answer has ``outcome``, and where something went wrong ``blame`` (``firmware``,
``build``, ``bench`` or ``test``), ``reason`` and ``next``: what to do about it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.open_bench import open_bench
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.campaign.desk import SOCKET
from pytest_embedbench.campaign.desk_socket import ask
from pytest_embedbench.campaign.door.pages import page_of
from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.errors import (
    BuildError,
    ConfigError,
    EmbedbenchError,
    FirmwareFault,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.bench.bench import Bench

_LATEST = Path(".embedbench/runs/latest")
_EVIDENCE = ("transcript.log", "trace.csv", "metrics.json", "plot.svg", "history.txt",
             "test.json", "circuit.vcd")  # fmt: skip
_LIMIT_S = 900
_MOST_MS = 600_000
_NEXT = {
    "firmware": "change the code, and run the tests again",
    "build": "mend what the compiler says, and build again",
    "test": "the test asks for something that cannot be: change the test",
    "bench": "that is not your code: say so to whoever runs the bench",
}


class Toolbox:
    """The tools of one agent in one folder; a workspace offers what its mode allows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = os.environ.get(SOCKET, "")
        self._registry = Registry()
        self._open = ExitStack()
        self._bench: Bench | None = None

    def has_aids(self) -> bool:
        """Say whether tests and boards may be used here."""
        if not self._socket:
            return True
        return MODES[ask(Path(self._socket), {"do": "status"})["mode"]].has_aids

    def close(self) -> None:
        """Put away what is open."""
        self._open.close()
        self._bench = None

    # ------------------------------------------------------------------- what there is
    def list_boards(self) -> dict[str, Any]:
        """List the boards that firmware can be tried on."""
        return {"outcome": "ok", "boards": self._registry.names("board")}

    def list_tasks(self) -> dict[str, Any]:
        """List the tasks in this folder, with the file that says what is wanted."""
        tasks = [
            {"folder": str(file.parent.relative_to(self._folder)), "brief": "BRIEF.md"}
            for file in sorted(self._folder.glob("**/task.toml"))
        ]
        return {"outcome": "ok", "tasks": tasks}

    # ------------------------------------------------------------------- trying things
    def build(self, board: str) -> dict[str, Any]:
        """Build the firmware in this folder for a board, and start it once."""
        try:
            with open_bench(board, self._folder) as bench:
                return {"outcome": "built", "board": bench.board.spec.name}
        except EmbedbenchError as error:
            return _failure(error)

    def run_tests(
        self, path: str = "visible", board: str = "native", keyword: str = ""
    ) -> dict[str, Any]:
        """Run the tests in a file or folder on a board; those that failed are told."""
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                 f"--board={board}", "--tb=short"]  # fmt: skip
        if keyword:
            words += ["-k", keyword]
        try:
            done = subprocess.run(
                [*words, "--", path],
                cwd=self._folder,
                capture_output=True,
                text=True,
                timeout=_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {
                "outcome": "failed",
                "blame": "test",
                "reason": f"the tests took more than {_LIMIT_S} s",
                "next": "run fewer of them",
            }
        ending = (done.stdout.strip().splitlines() or [done.stderr.strip()])[-1]
        failed = [each for each in self._records() if each["outcome"] == "failed"]
        answer: dict[str, Any] = {
            "outcome": "passed" if done.returncode == 0 else "failed",
            "summary": ending,
            "failed": failed,
        }
        if done.returncode and not failed:
            answer["output"] = page_of(f"{done.stdout}{done.stderr}", 1)["text"]
        return answer

    def read_evidence(self, test: str, name: str, page: int = 1) -> dict[str, Any]:
        """Read what a test of the latest run left: a transcript, a trace, metrics, ...

        ``test`` is its name or a part of it, ``name`` one of the files.
        """
        if name not in _EVIDENCE:
            return _refused(f"{name!r}: is none of {', '.join(_EVIDENCE)}")
        for folder in self._folders():
            if test in folder.name and (folder / name).is_file():
                text = (folder / name).read_text("utf-8", errors="replace")
                return {"outcome": "ok"} | page_of(text, page)
        return _refused(f"no test like {test!r} of the latest run has a {name}")

    # -------------------------------------------------------------- a board in the hand
    def open_board(self, board: str) -> dict[str, Any]:
        """Build the firmware, boot a board, and keep it; it stands still until told."""
        self.close()
        try:
            self._bench = self._open.enter_context(open_bench(board, self._folder))
        except EmbedbenchError as error:
            return _failure(error)
        return {"outcome": "open", "now_us": self._bench.uart.now_us}

    def drive_board(self, line: str = "", for_ms: int = 100) -> dict[str, Any]:
        """Send a line to the open board, let simulated time pass, read what it said."""
        bench = self._bench
        if bench is None:
            return _refused("no board is open: call open_board first")
        if not 0 <= for_ms <= _MOST_MS:
            return _refused(f"for_ms={for_ms}: from 0 to {_MOST_MS}")
        try:
            since = bench.uart.mark()
            if line:
                bench.send(line)
            bench.run_for(for_ms)
            heard = bench.uart.heard(since)
        except EmbedbenchError as error:
            return _failure(error)
        return {"outcome": "ok", "now_us": bench.uart.now_us, "heard": heard}

    # ---------------------------------------------------------------------- the desk
    def submit(self) -> dict[str, Any]:
        """Hand in what is in this workspace; what is said of it depends on the mode."""
        if not self._socket:
            return _refused("no desk is open here: nothing can be submitted")
        try:
            answer = ask(Path(self._socket), {"do": "submit"})
        except EmbedbenchError as error:
            return _failure(error)
        return {"outcome": "answered", "text": answer.get("text", "")}

    # -------------------------------------------------------------------------- parts
    def _folders(self) -> list[Path]:
        return [
            file.parent for file in sorted((self._folder / _LATEST).rglob("test.json"))
        ]

    def _records(self) -> Iterator[dict[str, Any]]:
        for folder in self._folders():
            record: dict[str, Any] = json.loads((folder / "test.json").read_bytes())
            blame = record.get("blame")
            yield {
                "test": folder.name,
                "outcome": record.get("outcome"),
                "blame": blame,
                "reason": record.get("reason"),
                "next": _NEXT.get(str(blame), ""),
            }


def _failure(error: EmbedbenchError) -> dict[str, Any]:
    match error:
        case BuildError():
            blame = "build"
        case FirmwareFault():
            blame = "firmware"
        case ConfigError():
            blame = "test"
        case _:
            blame = "bench"
    next_ = _NEXT[blame] if blame != "test" else "ask for something that is there"
    return {"outcome": "failed", "blame": blame, "reason": str(error), "next": next_}


def _refused(reason: str) -> dict[str, Any]:
    return {"outcome": "refused", "blame": "test", "reason": reason,
            "next": "ask for something that is there"}  # fmt: skip
