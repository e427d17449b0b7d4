"""What ``core.main`` reports after every request, and what of it is worth a note."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.model import BoardSpec


class Answer(NamedTuple):
    """All that has happened since the last one, stamped with CPU cycles."""

    cycle: int
    chunks: list[tuple[int, int, bytes]]
    pins: list[tuple[int, str, int, int]]
    pwm: list[tuple[int, str, float, float]]
    lost: list[tuple[int, int, int]]
    resets: list[int]
    pins_cut: bool
    sleeps_deep: bool
    has_ended: bool
    pc: int
    sleeps: bool
    fault: tuple[str, int, int, int, str] | None

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
                    f"{uart.name} runs at {odd_bps} Bd, not at the {uart.baud_bps} Bd "
                    f"of {spec.name}: a real board would not be understood"
                )
        if self.sleeps_deep:
            yield (
                "the firmware sleeps deeper than idle: on the chip its timers and "
                "UARTs would stop, here they go on"
            )
        if self.has_ended:
            yield (
                "the firmware has ended: it jumps on the spot with interrupts off, as "
                "after exit(), abort() or a return from main()"
            )
        for cycle in self.resets:
            at_ms = cycle * 1000 / spec.cpu_hz
            yield f"the watchdog reset the firmware at {at_ms:.3f} ms"
