"""What ``core.main`` reports after every request, and what of it is worth a note."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.model import BoardSpec


_SAID_BY = {"lab": "the lab file says so", "test": "the test says so"}
_NOTES_KEPT = 100


@dataclass(slots=True)
class NoteLog:
    """What a test author should know of a run, each thing once, the first hundred."""

    _notes: list[str] = field(default_factory=list[str], init=False)
    _left_out: int = field(default=0, init=False)

    def add(self, note: str) -> None:
        """Keep a note, or count it."""
        if len(self._notes) == _NOTES_KEPT:
            self._left_out += 1
        elif note not in self._notes:
            self._notes.append(note)

    def all(self) -> tuple[str, ...]:
        """Return them, and how many more there were."""
        more = [f"and {self._left_out} more notes"] if self._left_out else []
        return (*self._notes, *more)


class Answer(NamedTuple):
    """All that has happened since the last one, stamped with CPU cycles.

    ``trace`` is what the pins did, if that was asked for. ``goes_on`` says that the
    next stretch which was foreseen has been begun: another answer follows unasked.
    ``joined`` has the bytes that go out to other boards, as the UART's name, the
    cycles of start and end, and the value; and by UART how many from there came at a
    wrong speed, how many cycles such a byte takes, and how many one of ours.
    ``circuit`` has its replies, the stop that was met and its cycle, and findings.
    """

    cycle: int
    chunks: list[tuple[int, int, bytes]]
    trace: tuple[Any, ...]
    lost: list[tuple[int, int, int]]
    resets: list[int]
    has_ended: bool
    clock_divisor: int
    pc: int
    sleeps: str
    joined: tuple[list[tuple[str, int, int, int]], list[tuple[int, int, int]]]
    fault: tuple[str, int, int, int, str] | None
    circuit: tuple[Any, ...]
    goes_on: bool

    def notes(self, spec: BoardSpec, until_us: int) -> Iterator[str]:
        """Yield what is no fault, but what a real board might not let pass."""
        when = f"before {until_us / 1000:.3f} ms"
        for uart, lost in zip(spec.uarts, self.lost, strict=True):
            overruns, unheard, odd_bps = lost
            if overruns:
                yield (
                    f"{uart.name} lost {overruns} bytes {when}: the firmware had not "
                    "read the ones before them"
                )
            if unheard:
                yield f"{uart.name} lost {unheard} bytes {when}: its receiver was off"
            if odd_bps:
                yield (
                    f"{uart.name} runs at {odd_bps} Bd, and the other end listens at "
                    f"{uart.baud_bps} Bd ({_SAID_BY.get(uart.said_by, uart.said_by)}): "
                    "a real board would not be understood"
                )
        _, garbled = self.joined
        for uart, (count, theirs, ours) in zip(spec.uarts, garbled, strict=False):
            if count:
                yield (
                    f"{uart.name} lost {count} bytes {when}: the other board sends at "
                    f"about {_bps(spec, theirs)} Bd, and the firmware listens at about "
                    f"{_bps(spec, ours)} Bd: a real one would read garbage"
                )
        if self.has_ended:
            yield (
                "the firmware has ended: it jumps on the spot with interrupts off, as "
                "after exit(), abort() or a return from main()"
            )
        if self.clock_divisor > 1:
            yield (
                f"the firmware divides its clock by {self.clock_divisor} (CLKPR), and "
                "here it does not: a real board takes so many times as long for all"
            )
        for cycle in self.resets:
            at_ms = cycle * 1000 / spec.cpu_hz
            yield f"the watchdog reset the firmware at {at_ms:.3f} ms"


def _bps(spec: BoardSpec, byte_cycles: int) -> int:
    """Return a speed to three digits: stamps of whole us tell no more."""
    return int(float(f"{10 * spec.cpu_hz / byte_cycles:.3g}"))
