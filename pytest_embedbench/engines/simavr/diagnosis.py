"""What went wrong in the core, in words, with the place in the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import (
    FirmwareCrash,
    FirmwareFault,
    FirmwareReset,
    FirmwareStuck,
)

if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.avr_program import AvrProgram
    from pytest_embedbench.model import BoardSpec

_KINDS: dict[str, tuple[type[FirmwareFault], str]] = {
    "crashed": (FirmwareCrash, "crashed: it ran out of its flash at {pc}"),
    "address": (
        FirmwareCrash,
        "crashed: it used address 0x{detail}, where no RAM is, at {pc}",
    ),
    "stack": (FirmwareCrash, "crashed: its stack has grown out of RAM at {pc}"),
    "opcode": (FirmwareCrash, "crashed: there is no valid instruction at {pc}"),
    "restarted": (
        FirmwareReset,
        (
            "restarted without a reset: it jumped to address 0, as a null function "
            "pointer or an interrupt without a handler does; the stack leads to {stack}"
        ),
    ),
    "exited": (
        FirmwareStuck,
        "has ended: it called exit() or abort(); the stack leads to {stack}",
    ),
    "returned": (FirmwareStuck, "has ended: it returned from main()"),
    "watchdog": (
        FirmwareReset,
        "was reset by its watchdog; {before_ms:.3f} ms before it was at {pc}",
    ),
    "asleep": (
        FirmwareStuck,
        "went to sleep with interrupts off before {pc}, so nothing can wake it",
    ),
}


def explain(
    spec: BoardSpec, program: AvrProgram, fault: tuple[str, int, int, int, str]
) -> FirmwareFault:
    """Turn what ``core.machine`` noted into the exception for it."""
    kind, pc, cycle, stack, detail = fault
    error, sentence = _KINDS[kind]
    before_ms = int(detail) * 1000 / spec.cpu_hz if kind == "watchdog" else 0.0
    what = sentence.format(
        pc=program.describe(pc),
        # What is called and never returns may be the end of its function.
        stack=program.describe(stack - 2 if kind == "exited" else stack),
        before_ms=before_ms,
        detail=detail,
    )
    at_ms = cycle * 1000 / spec.cpu_hz
    return error(f"{spec.name}: at {at_ms:.3f} ms the firmware {what}")
