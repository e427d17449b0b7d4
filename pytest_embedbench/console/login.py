"""Get from whatever a serial line shows to a shell of ours.

It may show nothing, the end of a boot, a login, a prompt for a password that somebody
has left, a shell, or a loop of ours that a killed run has left. Nothing is typed while
a boot loader waits for a key; nothing is answered that is not the last thing said.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pexpect.exceptions import EOF, TIMEOUT

from pytest_embedbench.clock import Deadline
from pytest_embedbench.console import output
from pytest_embedbench.console.console import Console
from pytest_embedbench.console.shell import INTERRUPT, LEFT, QUIT, CommandLoop
from pytest_embedbench.errors import BoardUnreachable

if TYPE_CHECKING:
    from pytest_embedbench.console.terminal import Terminal

_QUIET_S = 0.5
"""How long a line has to be silent before something is typed to see what is there."""
_SETTLED_S = 0.15
"""How long after a prompt, to be one and not the middle of a text."""
_FLOOD_S = 2.0
_RECENT_BYTES = 4096
_LOGIN = re.compile(rb"(?<!Last )[Ll]ogin: *\Z")
_PASSWORD = re.compile(rb"[Pp]assword( for \S+)?: *\Z")
_REFUSED = re.compile(rb"[Ll]ogin incorrect|[Aa]uthentication failure")
_BOOT_LOADER = re.compile(rb"stop autoboot: +\d+[\x08 \d]*\Z")
_STRANGE = re.compile(rb"[\x00-\x06\x0e-\x1a\x80-\xff]")
_GARBAGE_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Who logs in; ``password`` is ``None`` where there is none to give."""

    user: str = ""
    password: str | None = None

    def __repr__(self) -> str:
        return f"Credentials(user={self.user!r})"


def log_in(terminal: Terminal, credentials: Credentials, *, within_s: float) -> Console:
    """Return a console on a serial line, logged in.

    Raises:
        BoardUnreachable: no login and no shell in time, or it does not let us in.
    """
    return _Login(terminal, credentials, Deadline(within_s)).run()


@dataclass(slots=True)
class _Login:
    """One attempt: each thing that is seen has one answer."""

    terminal: Terminal
    credentials: Credentials
    deadline: Deadline
    probe: str = field(default_factory=lambda: secrets.token_hex(4))
    seen: bytearray = field(default_factory=bytearray)
    recent: bytearray = field(default_factory=bytearray)
    """What came since something was typed."""
    asked_count: int = 0
    named: bool = False
    """Whether the user was given."""
    answered: bool = False
    """Whether the password was."""

    def run(self) -> Console:
        shell = re.compile(rf"\n<{self.probe}>".encode())
        answers = (
            (_REFUSED, self._refused),
            (_LOGIN, self._login),
            (_PASSWORD, self._password),
            (_BOOT_LOADER, self._wait),
        )
        while True:
            silent = not self._listen()
            recent = bytes(self.recent[-_RECENT_BYTES:])
            if shell.search(recent):
                return self._start(None)
            if left := LEFT.search(recent):
                return self._start(CommandLoop(left.group(1).decode()))
            answer = next((do for sign, do in answers if sign.search(recent)), None)
            if answer is not None:
                answer()
            elif self.deadline.passed():
                raise self._failed(self._why_not(bytes(self.seen)))
            elif silent:
                self._ask()

    def _listen(self) -> bool:
        """Hear what is said until it settles; say whether anything was."""
        heard = self._hear(_QUIET_S)
        flood = Deadline(_FLOOD_S)
        while heard and not flood.passed():
            if not self._hear(_SETTLED_S):
                return True
        return bool(heard)

    def _hear(self, within_s: float) -> bool:
        spawn = self.terminal.spawn
        wait_s = min(within_s, self.deadline.remaining_s())
        try:
            heard = spawn.read_nonblocking(_RECENT_BYTES, wait_s)
        except TIMEOUT:
            return False
        except EOF as gone:
            raise self._failed(f"it hung up ({spawn.gone})") from gone
        self.seen += heard
        self.recent += heard
        return True

    def _type(self, data: bytes) -> None:
        self.recent.clear()
        self.terminal.spawn.send(data)

    def _ask(self) -> None:
        """Wake what is there, in one way after the other."""
        # The word comes in two pieces, so the echo of this is no answer to it.
        head, tail = self.probe[:4], self.probe[4:]
        is_it_a_shell = f"printf '\\n<%s%s>' {head} {tail}\n".encode()
        ways = (b"\n", is_it_a_shell, INTERRUPT, QUIT)
        self._type(ways[self.asked_count % len(ways)])
        self.asked_count += 1

    def _wait(self) -> None:
        """Leave a boot loader alone; it goes on by itself."""
        if self.deadline.passed():
            raise self._failed(self._why_not(bytes(self.seen)))

    def _login(self) -> None:
        if self.answered:
            self._refused()
        if not self.credentials.user:
            raise self._failed("it asks who logs in, and no user is given (login.user)")
        self.named = True
        self._type(f"{self.credentials.user}\n".encode())

    def _password(self) -> None:
        if not self.named:  # what somebody has left, or took our line for a name
            self._type(b"\x03\n")
        elif self.answered:
            raise self._failed(
                f"it asks {self.credentials.user!r} for another password"
            )
        elif self.credentials.password is None:
            raise self._failed(
                f"it asks {self.credentials.user!r} for a password, and none is given "
                "(login.password_env)"
            )
        else:
            self.answered = True
            self._type(f"{self.credentials.password}\n".encode())

    def _refused(self) -> None:
        if self.named:
            secret = "that password" if self.answered else "no password"
            raise self._failed(
                f"it does not let {self.credentials.user!r} in with {secret}"
            )
        self.recent.clear()  # somebody before us

    def _start(self, other: CommandLoop | None) -> Console:
        """Start our loop instead of a shell, or of another loop."""
        spawn = self.terminal.spawn
        loop = CommandLoop()
        start = f" {loop.started_by()}\n".encode()
        spawn.send(start if other is None else loop.takes_over(other))
        console = Console(self.terminal, loop)
        try:
            console.await_ready(Deadline(max(5.0, self.deadline.remaining_s())))
        except (TIMEOUT, EOF) as error:
            raise self._failed(
                "its shell does not run a plain sh; it said: "
                f"{output.tail(spawn.before or b'')}"
            ) from error
        return console

    def _why_not(self, heard: bytes) -> str:
        """Say what a line that never shows a login shows instead."""
        waited = f"neither login nor shell within {self.deadline.budget_s:g} s"
        if not heard:
            return (
                f"{waited}: it says nothing at all; check power, wiring, that RX and "
                "TX are crossed, and that the target has a getty on this line"
            )
        strange = len(_STRANGE.findall(heard))
        if strange > _GARBAGE_SHARE * len(heard):
            return (
                f"{waited}: what it says is not text ({len(heard)} bytes, for one "
                f"{heard[-12:]!r}); check login.baud_bps, and what is on that port"
            )
        return f"{waited}; the last it said: {output.tail(heard)}"

    def _failed(self, why: str) -> BoardUnreachable:
        return BoardUnreachable(f"no console on {self.terminal.location}: {why}")
