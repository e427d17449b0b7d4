"""From how a compiler ended to whose fault it was."""

from __future__ import annotations

import hashlib
import re
import signal
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, BuildError
from pytest_embedbench.processes import Limits
from pytest_embedbench.processes.guarded import GuardedExit
from pytest_embedbench.processes.machine_trouble import memory_room_bytes
from pytest_embedbench.support.compilers import broken_here

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.processes.guarded import Finished

_MEMORY_BYTES = 2 * 1024**3
COMPILER_LIMITS = Limits(cpu_s=60, memory_bytes=_MEMORY_BYTES)
"""So that a source file that never ends is no danger to other submissions."""
COMPILER_TIMEOUT_S = 900.0
"""For a machine so busy that the compiler does not even come to its limits."""
_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
_MAX_ERROR_LINES = 12
_OBJECT = re.compile(r"[^\s(]*/cc\w+\.o\b")
"""A name that the compiler has made up."""
_ERROR = re.compile(r"\berror\b|undefined reference|multiple definition")


def failure(done: Finished, environment: str, logs: Path) -> EmbedbenchError:
    """Return what to raise for a compiler that has failed; ``logs`` is a folder."""
    if done.ending is GuardedExit.TIMED_OUT:
        return BenchFault(
            f"the compiler was not done after {COMPILER_TIMEOUT_S:.0f} s, without "
            f"using its {COMPILER_LIMITS.cpu_s} s of CPU: this machine is too busy"
        )
    if done.returncode in _KILLED:
        return BenchFault(
            "the compiler was killed from outside (the kernel does so when memory "
            "runs out): give this machine more, or run less at once (-n)"
        )
    text = _OBJECT.sub("(object file)", f"{done.stdout}{done.stderr}")
    error = build_error(done.returncode, text, environment, logs)
    fault = broken_here(
        text.splitlines(),
        "the host stage",
        error.log_path,
        has_memory=memory_room_bytes() > _MEMORY_BYTES,
    )
    return fault or error


def build_error(returncode: int, text: str, environment: str, logs: Path) -> BuildError:
    """Return what to raise for a submission, with what is said of it in a file."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    log_path = logs / f"host-{digest}.log"
    log_path.parent.mkdir(parents=True, exist_ok=True)
    log_path.write_text(text, encoding="utf-8")
    return BuildError(environment, returncode, log_path, _errors(text))


def _errors(text: str) -> str:
    """Return the compiler's or linker's lines from the first error on, or all."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if _ERROR.search(line)), 0)
    return "\n".join(lines[first : first + _MAX_ERROR_LINES])
