"""Terminals over ``ssh``, the program, which pexpect talks to.

The first connection logs in and stays; all others go through it and need no password.
A password is typed where ssh asks for one: it is in no argument and no environment.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
from pexpect.exceptions import EOF, TIMEOUT

from pytest_embedbench.clock import Deadline
from pytest_embedbench.console import output
from pytest_embedbench.console.console import Console
from pytest_embedbench.console.shell import CommandLoop, quoted
from pytest_embedbench.console.terminal import StreamSpawn
from pytest_embedbench.console.transfer import copy_piped
from pytest_embedbench.errors import BoardLost, BoardUnreachable, ToolMissing
from pytest_embedbench.lab.ports.stream import SelectStream
from pytest_embedbench.processes import die_with_parent

if TYPE_CHECKING:
    from pytest_embedbench.console.login import Credentials
    from pytest_embedbench.console.transfer import RunsCommands

SCHEME = "ssh://"
_PROMPT = re.compile(rb"(?:[Pp]assword|[Pp]assphrase)[^\r\n]*: *\Z|passcode: *\Z")
_HOST_KEY = re.compile(rb"\(yes/no[^)]*\)\? *\Z")
_ADVICE = (
    ("IDENTIFICATION HAS CHANGED", "another machine, or a new system: ssh-keygen -R"),
    ("Permission denied", "give a key (ssh-copy-id) or the right login.password_env"),
    ("Could not resolve", "check the name in 'port', or give the address"),
    ("Connection refused", "no SSH server listens there: 'sudo systemctl start ssh'"),
    ("timed out", "the target is off, or not on this network"),
    ("No route to host", "the target is off, or not on this network"),
    ("Host key verification", "log in by hand once, and compare the key"),
)
# Where the first connection is gone, ssh would make one of its own: let that fail.
_THROUGH = ("-oControlMaster=no", "-oProxyCommand=false", "-oBatchMode=yes")


@dataclass(slots=True, eq=False)
class SshTerminal:
    """One ``ssh`` in a pseudo-terminal of its own."""

    location: str
    child: pexpect.spawn[bytes]
    spawn: StreamSpawn = field(init=False)

    def __post_init__(self) -> None:
        os.set_blocking(self.child.child_fd, False)
        stream = SelectStream(_PtyProcess(self.child), self.child.child_fd)
        self.spawn = StreamSpawn(stream, self.location)

    def close(self) -> None:
        """End it; the other side hangs up on what still runs there."""
        if not self.child.closed:
            self.spawn.stream.close()


@dataclass(frozen=True, slots=True)
class _PtyProcess:
    """A program in a pseudo-terminal, as far as a stream cares."""

    child: pexpect.spawn[bytes]

    def close(self) -> None:
        """End the program."""
        with contextlib.suppress(ProcessLookupError):
            self.child.kill(signal.SIGTERM)
        self.child.delayafterclose = self.child.delayafterterminate = 0.02
        self.child.close(force=True)

    def reset_output_buffer(self) -> None:
        """Have nothing to forget."""


@dataclass(slots=True, eq=False)
class SshLink:
    """What leads to one target: the first connection, and others through it.

    Args:
        address: ``ssh://[user@]host[:port]``; a name of the ssh configuration will do.
        config: A file for ``ssh -F``; ssh's own if empty.
        user: Who logs in, if the address does not say.
    """

    address: str
    config: str = ""
    user: str = ""
    _folder: Path = field(init=False)
    _master: Console | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if shutil.which("ssh") is None:
            raise ToolMissing(self.address, "ssh", "apt-get install openssh-client")
        # Not below anything deep: the path of a socket is a hundred bytes at most.
        self._folder = Path(tempfile.mkdtemp(prefix="embedbench-ssh-"))

    def log_in(self, credentials: Credentials, *, within_s: float) -> Console:
        """Return a console, logged in.

        Raises:
            BoardUnreachable: ssh cannot get there, or is not let in.
        """
        deadline = Deadline(within_s)
        timeout_s = max(1, int(within_s))
        loop = CommandLoop()
        terminal = self._terminal(loop, "-M", f"-oConnectTimeout={timeout_s}")
        try:
            _answer(terminal, loop, credentials, deadline)
        except BaseException:
            terminal.close()
            self.close()
            raise
        self._master = Console(terminal, loop, self._transfer)
        return self._master

    def another(self, *, within_s: float) -> Console:
        """Return one more console on the same target.

        Raises:
            BoardLost: the connection is gone.
        """
        loop = CommandLoop()
        terminal = self._terminal(loop, *_THROUGH)
        console = Console(terminal, loop)
        try:
            console.await_ready(Deadline(within_s))
        except (EOF, TIMEOUT) as error:
            terminal.close()
            said = output.tail(terminal.spawn.before or b"")
            raise BoardLost(
                f"no further connection to {self.address}: {said or 'no answer'}"
            ) from error
        return console

    def argv(self, command: str) -> list[str]:
        """Return what runs a command on the target, with pipes and no terminal."""
        return [*self._ssh(), *_THROUGH, "-T", "--", self.address, command]

    def close(self) -> None:
        """Hang up; safe to call twice."""
        if self._master is not None:
            self._master.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _transfer(
        self, console: RunsCommands, file: Path, to: str, *, within_s: float
    ) -> None:
        argv = self.argv(f"cat > {quoted(f'{to}.part')}")
        copy_piped(console, argv, file, to, within_s=within_s)

    def _terminal(self, loop: CommandLoop, *options: str) -> SshTerminal:
        argv = [*self._ssh(), *options, "-tt", "--", self.address]
        with warnings.catch_warnings():
            # We fork beside threads; between fork and exec nothing takes a lock.
            warnings.simplefilter("ignore", DeprecationWarning)
            child: pexpect.spawn[bytes] = pexpect.spawn(
                argv[0],
                [*argv[1:], loop.started_by()],
                env={**os.environ, "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"},
                preexec_fn=die_with_parent,
                dimensions=(24, 500),
            )
        return SshTerminal(self.address, child)

    def _ssh(self) -> list[str]:
        return [
            "ssh",
            *(("-F", self.config) if self.config else ()),
            *(("-l", self.user) if self.user else ()),
            *("-e", "none", "-S", str(self._folder / "master")),
            *("-oNumberOfPasswordPrompts=1", "-oControlPersist=no"),
            *("-oServerAliveInterval=5", "-oServerAliveCountMax=3"),
        ]


def _answer(
    terminal: SshTerminal,
    loop: CommandLoop,
    credentials: Credentials,
    deadline: Deadline,
) -> None:
    """Answer what ssh asks until the loop runs on the other side."""
    spawn = terminal.spawn
    location = terminal.location
    answered = False
    while True:
        try:
            kind = spawn.expect(
                [re.escape(loop.ready), _PROMPT, _HOST_KEY],
                timeout=deadline.remaining_s(),
            )
        except EOF as ended:
            raise _refused(location, spawn.before or b"") from ended
        except TIMEOUT as late:
            raise _late(location, deadline.budget_s, spawn.before or b"") from late
        if kind == 0:
            return
        question = output.tail(_last_line((spawn.before or b"") + _matched(spawn)))
        if kind == 2:  # noqa: PLR2004  # the third pattern
            raise BoardUnreachable(
                f"no console on {location}: its host key is not known here; log in by "
                "hand once and compare the key, or put it into known_hosts"
            )
        if credentials.password is None:
            raise BoardUnreachable(
                f"no console on {location}: ssh asks {question!r} and nothing is "
                "given: set login.password_env, or up a key that needs none"
            )
        if answered:
            raise BoardUnreachable(
                f"no console on {location}: what login.password_env gives is not "
                f"enough: ssh asks {question!r} next"
            )
        answered = True
        spawn.send(f"{credentials.password}\n".encode())


def _refused(location: str, said: bytes) -> BoardUnreachable:
    text = output.tail(said, 4000)
    advice = next((cure for sign, cure in _ADVICE if sign in text), "")
    lines = [line.strip() for line in text.splitlines() if not _asks(line)]
    told = " / ".join([line for line in lines if line][-2:]) or "nothing, and ended"
    return BoardUnreachable(
        f"no console on {location}: ssh says: {told}"
        + (f" ({advice})" if advice else "")
    )


def _late(location: str, budget_s: float, said: bytes) -> BoardUnreachable:
    text = output.tail(said)
    return BoardUnreachable(
        f"no console on {location}: no plain sh answers within {budget_s:g} s; "
        + (f"the last it said: {text}" if text else "it says nothing")
    )


def _asks(line: str) -> bool:
    return line.rstrip().endswith((":", "?"))


def _last_line(data: bytes) -> bytes:
    return data.rpartition(b"\n")[2]


def _matched(spawn: StreamSpawn) -> bytes:
    return spawn.after if isinstance(spawn.after, bytes) else b""
