"""simavr's queue of interrupts that wait, as ctypes sees it."""

# mypy: disable-error-code="mutable-override"
from __future__ import annotations

from ctypes import Structure, c_uint8, c_uint32, c_void_p, sizeof

from pytest_embedbench.engines.simavr.core.layout import LayoutMismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.hooks import Core

_ANY_INTERRUPT = 0xFF  # the number of the signals behind the table
_HALF_BITS, _HALF_MASK = 16, 0xFFFF


class _Queue(Structure):
    _fields_ = (
        ("vectors", c_void_p * 64),
        ("ends", c_uint32),  # of 16 bits each
    )


class _Interrupts(Structure):
    """``avr_int_table_t``, up to its signals."""

    _fields_ = (
        ("vectors", c_void_p * 64),
        ("count", c_uint8),
        ("waiting", _Queue),
        ("running_count", c_uint8),
        ("running", c_void_p * 64),
    )


def queue_ends(core: Core, vector: int) -> memoryview:
    """Return where the queue begins and ends, as the only item of a view.

    Its halves are equal if nothing waits. To ask simavr takes four times as long.

    Args:
        core: Whose queue.
        vector: Of any interrupt that there is.

    Raises:
        LayoutMismatch: it is not where it should be.
    """
    begin = core.vector_irq(_ANY_INTERRUPT) - sizeof(_Interrupts)
    table = _Interrupts.from_address(begin)
    ends = table.waiting.ends
    if vector not in table.vectors[: table.count] or ends >> _HALF_BITS != (
        ends & _HALF_MASK
    ):
        raise LayoutMismatch("avr_int_table_t is not laid out as known")
    ends_at = begin + _Interrupts.waiting.offset + _Queue.ends.offset
    return memoryview(c_uint32.from_address(ends_at)).cast("B").cast("I")
