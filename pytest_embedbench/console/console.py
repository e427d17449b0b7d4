"""A shell on a target: run commands, and know how each ended."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pexpect.exceptions import EOF, TIMEOUT

from pytest_embedbench.clock import Deadline
from pytest_embedbench.console import output
from pytest_embedbench.console.result import CommandResult, describe_exit
from pytest_embedbench.console.shell import INTERRUPT, QUIT, CommandLoop
from pytest_embedbench.console.transfer import COPY_WITHIN_S, copy_typed
from pytest_embedbench.errors import BenchFault, BoardLost, ExpectTimeout

if TYPE_CHECKING:
    import re
    from pathlib import Path

    from pytest_embedbench.console.terminal import StreamSpawn, Terminal
    from pytest_embedbench.console.transfer import FileTransfer

RUN_WITHIN_S = 30.0
MOST_BYTES = 64 << 20
"""What a command may say."""
_CUT_BYTES = 1 << 20
_READ_BYTES = 1 << 16
_LOOK_BACK_BYTES = 4096
_PRESSES = 4
_PRESSED_WITHIN_S = 1.5
"""How long a key may do nothing before the next is pressed."""


@dataclass(slots=True, eq=False)
class Console:
    """The shell of a target, ours alone until ``close``.

    What a command changes (its folder, exported variables) stays for the next ones.
    Commands have no standard input.
    """

    terminal: Terminal
    loop: CommandLoop
    transfer: FileTransfer = field(default=copy_typed, repr=False)
    """How files get there; without anything better they are typed."""
    usable: bool = field(default=True, init=False)
    _number: int = field(default=0, init=False)

    def __repr__(self) -> str:
        return f"<Console on {self.location}: {self._number} commands so far>"

    @property
    def location(self) -> str:
        """Where it is."""
        return self.terminal.location

    def await_ready(self, deadline: Deadline) -> bytes:
        """Wait until the loop runs; return what was said before.

        Raises:
            TIMEOUT: it does not run in time.
            EOF: the other end is gone.
        """
        self._spawn.expect_exact(self.loop.ready, timeout=deadline.remaining_s())
        return self._spawn.before or b""

    def run(self, command: str, *, within_s: float = RUN_WITHIN_S) -> CommandResult:
        """Run a command to its end.

        Raises:
            ExpectTimeout: it has not ended in time, and was interrupted.
            BenchFault: it has ended the shell itself; the console is closed.
            BoardLost: the target is gone, or cannot even be interrupted.
            ConfigError: the command cannot be typed.
        """
        number = self.begin(command)
        heard = self._hear(command, number, Deadline(within_s))
        clean = output.without_kernel(bytes(heard))
        said, ended = self._parts(clean, number)
        if ended is None or ended[1] is None:
            self.close()
            status = int(ended[2]) if ended else 0
            raise BenchFault(
                f"{self.location}: {command!r} has ended the shell itself "
                f"({describe_exit(status)}), so nothing more can be run; put it in "
                "parentheses to run it in a shell of its own"
            )
        return CommandResult(
            command=command,
            status=int(ended[1]),
            output=said,
            kernel=output.kernel_lines(bytes(heard)),
        )

    def copy(self, file: Path, to: str, *, within_s: float = COPY_WITHIN_S) -> None:
        """Copy a file to ``to``, which it becomes whole or not at all.

        It may be executed there if it may be here.

        Raises:
            BenchFault: it does not arrive: no room, no such folder, read-only, ...
            BoardLost: the target is gone.
        """
        self.transfer(self, file, to, within_s=within_s)

    def begin(self, command: str) -> int:
        """Have a command run, and do not wait for it; return its number."""
        if not self.usable:
            raise BoardLost(f"the console on {self.location} is closed")
        self._number += 1
        self._spawn.leftover()
        self._spawn.send(self.loop.typed(self._number, command))
        return self._number

    def hand_over(self, program: str, *, can_quit: bool, within_s: float) -> bytes:
        """Give a program the terminal, raw; return what it has said already.

        From then on the terminal's stream is the program's; with ``can_quit`` until
        ``interrupt``, else until it is ended from elsewhere.

        Raises:
            BoardLost: the target is gone, or does not start it.
        """
        self.begin(self.loop.around(program, can_quit=can_quit))
        try:
            self._spawn.expect_exact(self.loop.handed_over, timeout=within_s)
        except (EOF, TIMEOUT) as error:
            said = output.tail(self._spawn.before or b"")
            raise BoardLost(
                f"{self.location} does not start a program: {said or 'it says nothing'}"
            ) from error
        return self._spawn.leftover()

    def interrupt(self, keys: tuple[bytes, ...] = (INTERRUPT, QUIT)) -> bytes:
        """End what runs, and wait until the shell answers; return what it said.

        Raises:
            BoardLost: it does not answer, whatever is pressed.
        """
        said = bytearray()
        for key in keys * _PRESSES:  # what starts at that moment may not see a key
            self._spawn.send(key)
            deadline, has_obeyed = Deadline(_PRESSED_WITHIN_S), False
            while not deadline.passed():
                with contextlib.suppress(TIMEOUT):
                    said += self._read(deadline, said)
                recent = output.without_kernel(bytes(said[-8192:]))
                if self.loop.ready in recent:
                    return bytes(said)
                if not has_obeyed and self.loop.obeyed in recent:
                    # Another key now would end the shell that is just starting.
                    deadline, has_obeyed = Deadline(RUN_WITHIN_S), True
            if has_obeyed:
                break
        self.close()
        raise BoardLost(
            f"{self.location} does not answer, not even Ctrl-C or Ctrl-\\: "
            f"{output.tail(bytes(said)) or 'it says nothing'}"
        )

    def close(self) -> None:
        """Log out and hang up; safe to call twice."""
        if self.usable:
            self.usable = False
            with contextlib.suppress(BoardLost, TIMEOUT, EOF):  # as good as logged out
                self._spawn.send(self.loop.typed(self._number + 1, "exit"), within_s=1)
                self._spawn.expect(self.loop.ended(self._number + 1), timeout=1)
        self.terminal.close()

    @property
    def _spawn(self) -> StreamSpawn:
        return self.terminal.spawn

    def _hear(self, command: str, number: int, deadline: Deadline) -> bytearray:
        """Read up to the end of a command, in time that grows with what it says."""
        heard = bytearray()
        ended = self.loop.ended(number)
        looked_at = 0
        while True:
            try:
                heard += self._read(deadline, heard)
            except TIMEOUT:
                raise self._hung(command, deadline.budget_s, heard) from None
            recent = bytes(heard[max(0, looked_at - _LOOK_BACK_BYTES) :])
            if ended.search(recent) or ended.search(output.without_kernel(recent)):
                return heard
            looked_at = len(heard)
            if len(heard) > MOST_BYTES:
                raise self._hung(command, deadline.budget_s, heard)

    def _hung(self, command: str, budget_s: float, heard: bytearray) -> ExpectTimeout:
        """Interrupt what does not end, and say what it said last."""
        why = f"did not end within {budget_s:g} s"
        if len(heard) > MOST_BYTES:
            why = f"said more than {MOST_BYTES >> 20} MiB"
        last = output.tail(bytes(heard[-_CUT_BYTES:]).partition(b"+\n")[2])
        self.interrupt()
        return ExpectTimeout(
            f"{command!r} {why} on {self.location}, and was interrupted; "
            + (f"the last it said: {last}" if last else "it said nothing")
        )

    def _parts(self, clean: bytes, number: int) -> tuple[bytes, re.Match[bytes] | None]:
        """Return what a command said, and its end; what was before is an echo."""
        start = clean.find(begun := self.loop.begun(number))
        start = 0 if start < 0 else start + len(begun)
        ended = self.loop.ended(number).search(clean, start)
        return clean[start : ended.start() if ended else len(clean)], ended

    def _read(self, deadline: Deadline, before: bytearray) -> bytes:
        try:
            return self._spawn.read_nonblocking(_READ_BYTES, deadline.remaining_s())
        except EOF as gone:
            self.close()
            last = output.tail(bytes(before[-_LOOK_BACK_BYTES:]))
            raise BoardLost(
                f"{self.location} is gone ({self._spawn.gone}); "
                + (f"the last it said: {last}" if last else "it said nothing")
            ) from gone
