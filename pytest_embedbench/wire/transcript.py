"""What was said, by whom, when; and how that is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Direction, Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

MEMORY_CAP_BYTES = 32 * 2**20
TAIL_BYTES = 2048
BLOCK_LINES = 256
"""How many lines may wait to be written, or held beyond the cap."""
_LINE_OVERHEAD_BYTES = 160
"""What a stored line costs beside its payload, about."""

# By identity: the hash of an enumeration's member is a function in Python.
_ARROWS = {id(direction): f"{direction.value:<4}" for direction in Direction}


def decoded(payload: bytes) -> str:
    """Return ``payload`` as the text that patterns see; bad UTF-8 shows as escapes."""
    return payload.decode("utf-8", "backslashreplace")


def printable(payload: bytes) -> str:
    r"""Return ``payload`` fit for any terminal, log and XML file.

    Control characters (ESC, NUL, tabs), invisible ones and bad UTF-8 show as
    escapes such as ``\x1b``; a degree sign stays a degree sign.
    """
    text = decoded(payload)
    return text if text.isprintable() else _escaped(text)


def rendered(line: Line) -> str:
    """Return a line as the transcript shows it: seconds, arrow, text."""
    return _rendered((line,))[0][:-1]


def _rendered(lines: Iterable[Line]) -> list[str]:
    """Return lines as the transcript shows them, each with its end."""
    shown: list[str] = []
    for at_us, direction, payload in lines:
        text = payload.decode("utf-8", "backslashreplace")
        if not text.isprintable():
            text = _escaped(text)
        shown.append(f"{at_us / 1e6:13.6f} {_ARROWS[id(direction)]} {text}\n")
    return shown


def _escaped(text: str) -> str:
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


@dataclass(slots=True)
class Transcript:
    """Every line of a conversation, in the order in which it was recorded.

    Lines are numbered from 0 and keep their number. Those that exceed
    ``cap_bytes`` of memory are forgotten oldest first and counted in
    ``forgotten_count``; after ``flush``, ``sink`` has been given all of them.
    """

    sink: TextIO | None = None
    cap_bytes: int = MEMORY_CAP_BYTES
    listener: Callable[[Sequence[Line]], None] | None = field(
        default=None, kw_only=True
    )
    """Is given what ``sink`` is given, as lines."""
    sent: list[Line] = field(default_factory=list[Line], init=False)
    """What other boards have sent since the last ``extend``."""
    forgotten_count: int = field(default=0, init=False)
    _lines: list[Line] = field(default_factory=list[Line], init=False)
    _held_bytes: int = field(default=0, init=False)
    _new_count: int = field(default=0, init=False)
    """How many of the last lines were not given to ``sink`` yet."""

    def __repr__(self) -> str:
        return f"<Transcript of {len(self)} lines>"

    def __len__(self) -> int:
        """Return how many lines were ever recorded: the number of the next one."""
        return self.forgotten_count + len(self._lines)

    def record(self, line: Line) -> None:
        """Add a line at the end."""
        self._lines.append(line)
        self._new_count += 1
        if self._new_count >= BLOCK_LINES:
            self._settle()

    def extend(self, lines: Sequence[Line]) -> None:
        """Add lines at the end, and those that ``sent`` has, by their times."""
        if self.sent:
            lines = sorted([*self.sent, *lines], key=lambda line: line.at_us)
            self.sent.clear()
        self._lines += lines
        self._new_count += len(lines)
        if self._new_count >= BLOCK_LINES:
            self._settle()

    def since(
        self, number: int, until: int | None = None
    ) -> Iterator[tuple[int, Line]]:
        """Yield lines still held, with their numbers, from ``number`` to ``until``.

        Raises:
            ConfigError: one of them is no number of a line.
        """
        given: dict[str, object] = {"number": number, "until": until}
        for name, value in given.items():
            if value is not None and not isinstance(value, int):
                raise ConfigError(f"since({name}={value!r}): give the number of a line")
        first = max(number, self.forgotten_count)
        stop = None if until is None else max(0, until - self.forgotten_count)
        return enumerate(self._lines[first - self.forgotten_count : stop], start=first)

    def tail(self, max_bytes: int = TAIL_BYTES) -> str:
        """Return the last whole lines as printed, ``max_bytes`` or little more."""
        shown: list[str] = []
        size = 0
        for line in reversed(self._lines):
            shown.append(rendered(line))
            size += len(shown[-1]) + 1
            if size >= max_bytes:
                break
        return "\n".join(reversed(shown))

    def flush(self) -> None:
        """Make sure that the file on disk has all that was recorded."""
        if self.sink is not None and self.sink.closed:
            return  # and has been given all of it
        self._settle()
        if self.sink is not None:
            self.sink.flush()

    def _settle(self) -> None:
        """Write the new lines and forget old ones: in blocks, as that is cheaper."""
        new = self._lines[len(self._lines) - self._new_count :]
        self._new_count = 0
        if self.sink is not None:
            self.sink.writelines(_rendered(new))
        if self.listener is not None and new:
            self.listener(new)
        self._held_bytes += sum([_held_bytes(line) for line in new])
        if self._held_bytes > self.cap_bytes:
            self._forget(self.cap_bytes * 3 // 4)

    def _forget(self, target_bytes: int) -> None:
        count = 0
        while self._held_bytes > target_bytes:
            self._held_bytes -= _held_bytes(self._lines[count])
            count += 1
        del self._lines[:count]
        self.forgotten_count += count


def _held_bytes(line: Line) -> int:
    return len(line.payload) + _LINE_OVERHEAD_BYTES
