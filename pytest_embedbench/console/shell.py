"""What runs on the target while we have its console: a loop in plain ``sh``.

A login shell has a prompt of its own, a line editor, colours and a history, and each
distribution has others. So it is replaced by a loop that reads a command, says that it
begins, evaluates it and says how it has ended. What it says carries a word that was
made up for this console, so no output can be mistaken for it.

The loop needs no more than a POSIX ``sh`` and, to be of use, ``stty``. Ctrl-C ends it
together with what it runs, and starts it anew.
"""

from __future__ import annotations

import re
import secrets
import shlex
from dataclasses import dataclass, field

from pytest_embedbench.errors import ConfigError

INTERRUPT, QUIT = b"\x03", b"\x1c"
LINE_BYTES = 4000
"""What a terminal takes as one line is 4096 bytes on Linux, its end included."""
_COOKED = "stty sane -echo -opost -ixon 2>/dev/null"
_RAW = "stty raw -echo -ixon -iexten"
_WITH_QUIT = "isig intr undef susp undef quit ^\\\\"
"""One key still works: Ctrl-backslash ends what has the terminal."""
# The word stands in two pieces in whatever is typed: an echo of it is no answer. The
# terminal is descriptor 9, because commands have no standard input.
_LOOP = (
    "_m={head}; _m=${{_m}}{tail}; "
    '_e=$(printf "\\nx"); _e=${{_e%x}}; exec 9<&0; '
    f"{_COOKED}; "
    'trap "printf \\"\\\\n\\$_m!\\\\n\\"; '
    'exec sh -c \\"\\$EMBEDBENCH_LOOP\\" <&9" INT QUIT; '
    'trap "printf \\"\\\\n\\$_m=%s\\\\n\\" \\$?" 0; '
    'printf "\\n$_m?\\n"; '
    "while IFS= read -r _n; do _c=; "
    'while IFS= read -r _l; do case $_l in "$_m") break;; esac; _c=$_c$_l$_e; done; '
    'printf "\\n$_m$_n+\\n"; '
    'command eval "$_c" </dev/null; '
    'printf "\\n$_m$_n-%s\\n" $?; done'
)
LEFT = re.compile(rb"\n(@@[0-9a-f]{10})\?\n\Z")
"""What a loop says that was interrupted."""
_UNTYPABLE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_HEAD_LENGTH = 6


@dataclass(frozen=True, slots=True)
class CommandLoop:
    """The loop of one console."""

    word: str = field(default_factory=lambda: f"@@{secrets.token_hex(5)}")

    def started_by(self) -> str:
        """Return the command line that replaces whatever shell is there."""
        head, tail = self.word[:_HEAD_LENGTH], self.word[_HEAD_LENGTH:]
        loop = _LOOP.format(head=head, tail=tail)
        return (
            f"exec env EMBEDBENCH_LOOP='{loop}' TERM=dumb "
            "sh -c 'eval \"$EMBEDBENCH_LOOP\"'"
        )

    def takes_over(self, other: CommandLoop) -> bytes:
        """Return what is typed to have this loop instead of one that was left."""
        return other.typed(1, f"{self.started_by()} <&9")

    @property
    def ready(self) -> bytes:
        """What it says when it starts."""
        return f"\n{self.word}?\n".encode()

    @property
    def obeyed(self) -> bytes:
        """What it says when a key has worked, before it starts anew."""
        return f"\n{self.word}!\n".encode()

    def begun(self, number: int) -> bytes:
        """Return what it says when a command starts."""
        return f"\n{self.word}{number}+\n".encode()

    def ended(self, number: int) -> re.Pattern[bytes]:
        """Return what it says when a command has ended, or the shell with it."""
        word = re.escape(self.word)
        return re.compile(rf"\n{word}(?:{number}-(\d+)|=(\d+))\n".encode())

    def typed(self, number: int, command: str) -> bytes:
        """Return what is typed to have a command run.

        Raises:
            ConfigError: it cannot be typed.
        """
        data = command.encode()
        if strange := _UNTYPABLE.search(data):
            raise ConfigError(
                f"{command!r} cannot be typed on a console: a terminal takes "
                f"{strange.group()!r} for a key; copy a file instead"
            )
        if any(len(line) > LINE_BYTES for line in data.split(b"\n")):
            raise ConfigError(
                f"a line of {command[:40]!r}... is too long for a terminal, which "
                f"takes {LINE_BYTES} bytes; copy a file instead"
            )
        return f"{number}\n".encode() + data + f"\n{self.word}\n".encode()

    def around(self, program: str, *, can_quit: bool) -> str:
        """Return the command that gives a program the terminal, raw.

        What it says begins after ``handed_over``, and ends with ``returned``. Where
        nothing else can end it (``can_quit``), Ctrl-backslash does; else that is a
        byte like any other.
        """
        raw = f"{_RAW} {_WITH_QUIT}" if can_quit else _RAW
        return (
            f'{raw} <&9 2>/dev/null; printf "$_m>\\n"; {{ {program}\n}} <&9; '
            f'_s=$?; printf "$_m~%s\\n" $_s; {_COOKED} <&9'
        )

    @property
    def handed_over(self) -> bytes:
        """What it says when a program is about to have the terminal."""
        return f"{self.word}>\n".encode()

    @property
    def returned(self) -> bytes:
        """What it says when that program has ended; its status and a newline follow."""
        return f"{self.word}~".encode()


def quoted(path: str) -> str:
    """Return a path as a shell takes it for one word."""
    return shlex.quote(path)
