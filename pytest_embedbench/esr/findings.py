"""What is to be said of a firmware's pins beside the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.esr.model import FindingNote
from pytest_embedbench.esr.signals import SignalKind
from pytest_embedbench.pins import PinJob

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.esr.signals import WiredSignal
    from pytest_embedbench.esr.uses import Uses

_BUSES = {PinJob.UART: "UART", PinJob.I2C: "I2C", PinJob.SPI: "SPI"}
_SMALL = ("uno", "nano")


def findings_of(
    board: str,
    uses: Uses,
    signals: Mapping[str, WiredSignal],
    files: Mapping[str, bytes],
    notes: Iterable[str],
) -> Iterator[FindingNote]:
    """Yield what a real board might not forgive, or a check cannot see."""
    yield from _missing_modes(uses, signals)
    yield from _shared_with_buses(uses)
    if board in _SMALL:
        yield from _claimed_by_libraries(uses, files)
    for note in notes:
        if "outputs work against each other" in note:
            yield FindingNote("contention", note)
        if "nothing holds" in note:
            yield FindingNote("floating-input", note)
    for sentence in uses.unseen:
        yield FindingNote("not-observed", sentence)


def _missing_modes(
    uses: Uses, signals: Mapping[str, WiredSignal]
) -> Iterator[FindingNote]:
    for pin, jobs in uses.jobs.items():
        signal = signals.get(pin)
        is_driven = signal is not None and signal.kind is SignalKind.DRIVE
        if jobs == {PinJob.PULL_UP} and is_driven:
            yield FindingNote(
                "missing-pin-mode",
                f"pin {pin} ({signal}) is written to and is no output: pinMode is "
                "missing, and all that it drives with is its pull-up",
            )
        if signal is None or signal.is_held:
            continue
        is_read = bool(jobs & {PinJob.READ, PinJob.INTERRUPT})
        if is_read and not jobs & {PinJob.PULL_UP, PinJob.OUTPUT}:
            yield FindingNote(
                "floating-input",
                f"pin {pin} ({signal}) is read without a pull-up, and nothing holds "
                "it while the contact is open",
            )


def _shared_with_buses(uses: Uses) -> Iterator[FindingNote]:
    for pin, jobs in uses.jobs.items():
        named = [it.name for it in uses.constants if it.pin == pin]
        for job in jobs & set(_BUSES):
            others = jobs - {job} - {PinJob.OUTPUT, PinJob.PULL_UP}
            if named or others:
                who = named[0] if named else "the firmware"
                yield FindingNote(
                    "bus-pin-reused",
                    f"pin {pin} is in the hands of the {_BUSES[job]}, and {who} uses "
                    "it as well",
                )


def _claimed_by_libraries(
    uses: Uses, files: Mapping[str, bytes]
) -> Iterator[FindingNote]:
    claims = (
        (b"Servo", ("9", "10"), "Servo takes timer 1, and PWM from pins 9 and 10"),
        (b"tone(", ("3", "11"), "tone takes timer 2, and PWM from pins 3 and 11"),
    )
    doing = uses.by_pin()
    for word, pins, what in claims:
        hit = [pin for pin in pins if pin in doing and doing[pin].needs_pwm]
        if hit and any(word in it for it in files.values()):
            listed = " and ".join(hit)
            yield FindingNote(
                "library-claims-pin", f"{what}: analogWrite has no PWM at {listed}"
            )
