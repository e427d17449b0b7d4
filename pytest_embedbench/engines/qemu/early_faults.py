"""Faults of a Cortex-M before its first tick, of which no tick can tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_embedbench.processes.channel_errors import NoAnswer

if TYPE_CHECKING:
    from pytest_embedbench.engines.qemu.rsp import Stub

_THUMB = 1
_STACK_POINTER, _LINK = 13, 14
_FRAME_OF_PROCESS = 1 << 2
"""Of the value that the link register has in a handler."""
_RETURN_ADDRESS_IN_FRAME = 24
_STATUS, _BUS_ADDRESS, _ADDRESS_IS_VALID = 0xE000ED28, 0xE000ED38, 1 << 15
_CAUSES = {
    0: "it ran where no code may be",
    8: "it ran where there is no memory",
    9: "it read or wrote where there is nothing",
    10: "it wrote where there is nothing",
    16: "an undefined instruction",
    17: "a jump to an even address, or without a target",
    18: "a return to nowhere",
    19: "floating point without its unit switched on",
    24: "an unaligned access",
    25: "a division by zero",
}
"""By the bit of the fault status register (ARMv7-M, B3.2.15)."""
_SETTLES_WITHIN_CPU_S = 1.0
_SETTLES_WITHIN_WALL_S = 20.0


class Faulted(Exception):
    """The guest took a fault and never came to its first tick.

    ``pc`` is the instruction, if it can be told; ``cause`` is in words, or empty.
    """

    def __init__(self, pc: int | None, cause: str) -> None:
        super().__init__(pc, cause)
        self.pc = pc
        self.cause = cause


def run_to_entry(stub: Stub, entry: int, pc_register: int, fault_vector: int) -> None:
    """Run a guest from reset to the breakpoint at ``entry``.

    ``fault_vector`` is where the address of its handler for faults lies. A handler may
    tell of the fault, or make up for it, in a second of CPU time.

    Raises:
        Faulted: it was not heard of again.
    """
    handler = stub.read_word(fault_vector) & ~_THUMB
    if handler == entry:
        stub.resume()
        return
    stub.resume(b"Z0,%x,2" % handler)
    if stub.read_register(pc_register) != handler:
        stub.do(b"z0,%x,2" % handler)
        return
    fault = _read_fault(stub)
    budget = stub.channel.budget
    stub.channel.budget = replace(
        budget, cpu_s=_SETTLES_WITHIN_CPU_S, wall_s=_SETTLES_WITHIN_WALL_S
    )
    try:
        stub.resume(b"z0,%x,2" % handler)
    except NoAnswer:
        raise fault from None
    finally:
        stub.channel.budget = budget


def _read_fault(stub: Stub) -> Faulted:
    """Return what the guest has done that stands at the start of its handler."""
    status = stub.read_word(_STATUS)
    cause = next((text for bit, text in _CAUSES.items() if status >> bit & 1), "")
    if status & _ADDRESS_IS_VALID:
        cause += f", {stub.read_word(_BUS_ADDRESS):#010x}"
    if stub.read_register(_LINK) & _FRAME_OF_PROCESS:
        return Faulted(None, cause)
    frame = stub.read_register(_STACK_POINTER)
    return Faulted(stub.read_word(frame + _RETURN_ADDRESS_IN_FRAME), cause)
