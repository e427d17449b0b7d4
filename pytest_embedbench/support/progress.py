"""How far long work is, and about how long the rest takes: on stderr alone."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

EVERY_PERCENT, EVERY_S = 5, 10.0
"""Of plain lines, the least between two of them: both."""
_MINUTE_S, _HOUR_S = 60, 3600


def time_left(done: int, total: int, passed_s: float) -> str:
    """Return about how long the rest takes, if its pieces are like those before."""
    left = total - done
    return f"about {_span(passed_s / done * left)} to go" if done and left > 0 else ""


class Meter(Protocol):
    """What shows how far work is."""

    def show(self, done: int, rest: str) -> None:
        """Say how many pieces are done; ``rest`` is what of the others is known.

        It is which one is under way, and about how long they take.
        """
        ...

    def close(self) -> None:
        """Leave nothing behind."""
        ...


@dataclass(slots=True)
class LongWork:
    """Pieces of work that end one by one, as a context.

    ``now_s`` is the host's time. A terminal has a bar, if rich is installed; else, and
    where ``CI`` is set, there is a line now and then, so that short work is silent.
    """

    what: str
    total: int
    now_s: Callable[[], float]
    meter: Meter | None = None
    """What shows it; by default what suits this process's stderr."""
    done: int = field(default=0, init=False)
    _under_way: str = field(default="", init=False)
    _began_s: float = field(init=False)

    def __enter__(self) -> Self:
        self._began_s = self.now_s()
        if self.meter is None:
            self.meter = fitting_meter(self.what, self.total, self.now_s)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.meter is not None:
            self.meter.close()

    def begin_piece(self, name: str) -> None:
        """Say which piece is under way; the one that was begun before it has ended."""
        self.done += bool(self._under_way)
        self._under_way = name
        self._show()

    def piece_done(self) -> None:
        """Count one piece that has ended."""
        self.done += 1
        self._show()

    def _show(self) -> None:
        rest = time_left(self.done, self.total, self.now_s() - self._began_s)
        if self.meter is not None:
            self.meter.show(self.done, ", ".join(filter(None, (self._under_way, rest))))


@dataclass(slots=True)
class PlainLines:
    """A line after so many per cent and seconds, and none at the end."""

    what: str
    total: int
    now_s: Callable[[], float]
    write: Callable[[str], object]
    _last_percent: int = field(default=0, init=False)
    _last_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._last_s = self.now_s()

    def show(self, done: int, rest: str) -> None:
        """Say it, if it is time to."""
        percent, at_s = 100 * done // self.total, self.now_s()
        is_due = percent - self._last_percent >= EVERY_PERCENT
        if is_due and at_s - self._last_s >= EVERY_S and done < self.total:
            self._last_percent, self._last_s = percent, at_s
            self.write(f"{self.what}: {done} of {self.total}, {rest}\n")

    def close(self) -> None:
        """Leave the lines."""


class _Bar:
    """A bar at the end of a terminal; what is written meanwhile stands above it."""

    def __init__(self, what: str, total: int) -> None:
        from rich import progress  # noqa: PLC0415  # an extra
        from rich.console import Console  # noqa: PLC0415  # an extra

        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[rest]}"),
            console=Console(stderr=True),
            transient=True,
            # What goes elsewhere than to this terminal is left as it is.
            redirect_stdout=sys.stdout.isatty(),
        )
        self._task = self._bar.add_task(what, total=total, rest="")
        self._bar.start()

    def show(self, done: int, rest: str) -> None:
        self._bar.update(self._task, completed=done, rest=rest)

    def close(self) -> None:
        self._bar.stop()


def fitting_meter(what: str, total: int, now_s: Callable[[], float]) -> Meter:
    """Return a bar, if people look on and rich is here, or plain lines."""
    stderr: Any = sys.stderr
    if (
        stderr.isatty()
        and not os.environ.get("CI")
        and os.environ.get("TERM") != "dumb"
    ):
        try:
            return _Bar(what, total)
        except ImportError:
            pass
    return PlainLines(what, total, now_s, stderr.write)


def _span(duration_s: float) -> str:
    if duration_s < _MINUTE_S:
        return f"{duration_s:.0f} s"
    if duration_s < _HOUR_S:
        return f"{duration_s / _MINUTE_S:.0f} min"
    return f"{duration_s / _HOUR_S:.1f} h"
