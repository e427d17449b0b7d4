"""One agent at work in one workspace, with a desk beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from pytest_embedbench.campaign.agent_sandbox import agent_environment, agent_policy
from pytest_embedbench.campaign.desk import SOCKET
from pytest_embedbench.campaign.usage import FILE_NAME, REPORT
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.processes import Limits
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PROMPT = (
    "Read README.md in this folder. It says where the task is described, which files "
    "are yours to write, and how to submit them. Do the task, and submit."
)
MORE = "\n[more was printed, and is not kept]\n"
_LIMITS = Limits(file_bytes=1024**3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """How an agent is started.

    Attributes:
        command: The program and its arguments, started in the workspace; ``{prompt}``
            in them is what an agent is told first, ``{workspace}`` its folder.
        limit_s: When it is ended, in host time.
        network: Whether it has this machine's network.
        readable: Files and folders beside the system's that it needs.
        variables: Names of environment variables that are passed on to it.
        sandbox: Whether it is kept in one.
        log_letters: How much of what it prints is kept, of each of both streams.
    """

    command: tuple[str, ...]
    limit_s: float = 3600.0
    network: bool = False
    readable: tuple[Path, ...] = ()
    variables: tuple[str, ...] = ()
    sandbox: bool = True
    log_letters: int = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """How an agent's run ended."""

    returncode: int
    timed_out: bool
    wall_s: float


def run_agent(
    agent: Agent,
    workspace: Path,
    socket: Path,
    *,
    hidden: Sequence[Path],
    log: Path,
) -> AgentEnd:
    """Run an agent's command to its end, or to the end of its time.

    Whatever it has started ends with it. What it prints goes into ``log``, of each of
    both streams the first part, with a word that there was more.

    Raises:
        BenchFault: the sandbox cannot be made.
    """
    policy = None
    if agent.sandbox:
        policy = agent_policy(
            workspace,
            socket,
            hidden=hidden,
            readable=agent.readable,
            network=agent.network,
        )
    begun_s = host_now_s()
    with log.open("w", encoding="utf-8") as out:
        done = run_guarded(
            _words(agent.command, workspace),
            timeout_s=agent.limit_s,
            cwd=workspace,
            env=agent_environment(agent.variables)
            | {SOCKET: str(socket), REPORT: str(workspace / FILE_NAME)},
            limits=_LIMITS,
            policy=policy,
            stop_at=_Log(out, agent.log_letters).line,
        )
        _Log(out, agent.log_letters).text(done.stderr)
    return AgentEnd(
        returncode=done.returncode,
        timed_out=done.ending is GuardedExit.TIMED_OUT,
        wall_s=host_now_s() - begun_s,
    )


def _words(command: Sequence[str], workspace: Path) -> list[str]:
    filled = {"{prompt}": PROMPT, "{workspace}": str(workspace)}
    words = list(command)
    for place, text in filled.items():
        words = [word.replace(place, text) for word in words]
    return words


class _Log:
    """Takes what is printed, up to a limit; never ends the run."""

    def __init__(self, out: TextIO, most: int) -> None:
        self._out, self._room = out, most

    def line(self, line: str) -> bool:
        self.text(f"{line}\n")
        return False

    def text(self, text: str) -> None:
        if self._room <= 0:
            return
        self._out.write(text[: self._room])
        self._room -= len(text)
        if self._room <= 0:
            self._out.write(MORE)
        self._out.flush()
