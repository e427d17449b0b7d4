"""Another process of the same lab, told what to do line by line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.lease import BoardRequest, Lease
from pytest_embedbench.lab.ports.discovery import PortQuery


def request(name: str, *places: str) -> BoardRequest:
    """Return a wish for any of some boards; a place is only a name here."""
    boards = tuple((place, PortQuery(port=f"socket://{place}:1")) for place in places)
    return BoardRequest(name=name, boards=boards or request(name, name).boards)


@dataclass(slots=True, eq=False)
class LabProcess:
    """One more process that takes boards out of ``folder``."""

    folder: Path
    flags: tuple[str, ...] = ()
    """What Python is given besides."""
    popen: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, *self.flags, __file__, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTEST_XDIST_TESTRUNUID": "run-1"},
        )

    def tell(self, command: str) -> None:
        """Give a command, and do not wait for its end."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(f"{command}\n")
        self.popen.stdin.flush()

    def reply(self) -> str:
        """Return what it says about the oldest unanswered command."""
        assert self.popen.stdout is not None
        return self.popen.stdout.readline().strip()

    def ask(self, command: str) -> str:
        """Give a command; return what came of it."""
        self.tell(command)
        return self.reply()

    def end(self) -> None:
        """Kill it, as ``kill -9`` does."""
        self.popen.kill()
        self.popen.communicate()


def main(folder: str) -> None:
    """Obey ``take NAME... [for SECONDS]``, ``any NAME...``, ``give-up CAUSE``, ..."""
    held: list[Lease] = []
    for command in sys.stdin:
        verb, *words = command.split()
        wait_s = 30.0
        if "for" in words:
            wait_s = float(words.pop())
            words.remove("for")
        try:
            if verb == "release":
                while held:
                    held.pop().release()
            elif verb == "give-up":
                held[-1].give_up(" ".join(words))
            else:
                requests = (
                    [request("any", *words)] if verb == "any" else map(request, words)
                )
                held += Leases(folder=Path(folder)).acquire(
                    list(requests), wait_s=wait_s
                )
            remarks = [remark for lease in held for remark in lease.remarks]
            remarks += [
                f"waited for {one.waited_for}" for one in held if one.waited_for
            ]
            boards = " ".join(lease.board for lease in held)
            answer = f"ok {boards}; {' | '.join(dict.fromkeys(remarks))}"
        except BenchFault as error:
            answer = f"{type(error).__name__}: {error}"
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
