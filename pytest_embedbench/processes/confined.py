"""How a submission's program is started: apart from all else, or on a leash."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_embedbench.model import Isolation
from pytest_embedbench.processes import KeptProcess, SandboxedProcess
from pytest_embedbench.processes.sandbox import Policy, nobody_else, words_for

if TYPE_CHECKING:
    from collections.abc import Sequence

GUARDIAN = Path(__file__).with_name("guardian.py")
_INSIDE = "/program"
_PROCESS_COUNT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What ``spawn`` takes, beside what the program itself is given."""

    argv: Sequence[str | Path]
    kind: type[subprocess.Popen[bytes]] = subprocess.Popen
    stdin: int = subprocess.DEVNULL
    user: int | None = None
    files: tuple[int, ...] = ()


def launch(program: IO[bytes], isolation: Isolation) -> Launch:
    """Return how to start ``program``, an open file that the child inherits.

    In a sandbox it sees a copy of itself and the system's libraries, and can write
    nowhere. On a leash what it leaves running is found and ended with it.
    """
    name = Path(program.name)
    match isolation:
        case Isolation.NONE:
            return Launch(argv=[name])
        case Isolation.LIMITS:
            argv: list[str | Path] = [sys.executable, "-I", "-S", GUARDIAN, name]
            return Launch(argv=argv, kind=KeptProcess, stdin=subprocess.PIPE)
        case Isolation.BUBBLEWRAP:
            return _sandboxed(program.fileno())


def _sandboxed(fd: int) -> Launch:
    policy = Policy(copied=((fd, _INSIDE),), process_count=_PROCESS_COUNT)
    words = [*words_for(policy), _INSIDE]
    return Launch(argv=words, kind=SandboxedProcess, user=nobody_else(), files=(fd,))
