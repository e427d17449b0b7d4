"""libsimavr 1.6 and 1.7 as ctypes sees it: structures, functions, and a self-check.

The library has no accessors for what we need, so we read its structures; ``check``
compares what we read with what we know before anything relies on it.
"""

# mypy: disable-error-code="mutable-override"
# (overriding _fields_ is how a ctypes structure is declared)

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int,
    c_int8,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)

LIMBO, STOPPED, RUNNING, SLEEPING = 0, 1, 2, 3
DONE, CRASHED = 6, 7
LOG_WARNING = 3
FIRST_IO, MAX_IOS = 32, 280

CycleTimer = CFUNCTYPE(c_uint64, c_void_p, c_uint64, c_void_p)
Notify = CFUNCTYPE(None, c_void_p, c_uint32, c_void_p)
IoRead = CFUNCTYPE(c_uint8, c_void_p, c_uint16, c_void_p)
IoWrite = CFUNCTYPE(None, c_void_p, c_uint16, c_uint8, c_void_p)
ResetHook = CFUNCTYPE(None, c_void_p)
SleepHook = CFUNCTYPE(None, c_void_p, c_uint64)
Logger = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_void_p)


class LayoutMismatch(Exception):
    """This libsimavr is not laid out as we know it."""


class CannotBeWired(Exception):
    """A part of the circuit cannot be what the diagram says."""


class IoSlot(Structure):
    """What happens when the firmware touches one I/O register."""

    _fields_ = (
        ("irq", c_void_p),
        ("read_param", c_void_p),
        ("read", c_void_p),
        ("write_param", c_void_p),
        ("write", c_void_p),
    )


class CycleSlot(Structure):
    """One entry of the list of cycle timers."""


CycleSlot._fields_ = (
    ("next", POINTER(CycleSlot)),
    ("when", c_uint64),
    ("timer", c_void_p),
    ("param", c_void_p),
)


class Avr(Structure):
    """``avr_t``, as far as its cycle timers."""

    _fields_ = (
        ("mmcu", c_char_p),
        ("ioend", c_uint16),
        ("ramend", c_uint16),
        ("flashend", c_uint32),
        ("e2end", c_uint32),
        ("vector_size", c_uint8),
        ("signature", c_uint8 * 3),
        ("fuse", c_uint8 * 6),
        ("lockbits", c_uint8),
        ("rampz", c_uint16),
        ("eind", c_uint16),
        ("address_size", c_uint8),
        ("reset_flags", c_uint32 * 4),
        ("codeend", c_uint32),
        ("state", c_int),
        ("frequency", c_uint32),
        ("vcc", c_uint32),
        ("avcc", c_uint32),
        ("aref", c_uint32),
        ("cycle", c_uint64),
        ("run_cycle_count", c_uint64),
        ("run_cycle_limit", c_uint64),
        ("sleep_usec", c_uint32),
        ("time_base", c_uint64),
        ("init", c_void_p),
        ("reset", c_void_p),
        ("custom_init", c_void_p),
        ("custom_deinit", c_void_p),
        ("custom_data", c_void_p),
        ("run", c_void_p),
        ("sleep", c_void_p),
        ("irq_pool_count", c_int),
        ("irq_pool", c_void_p),
        ("sreg", c_uint8 * 8),
        ("interrupt_state", c_int8),
        ("pc", c_uint32),
        ("reset_pc", c_uint32),
        ("io", IoSlot * MAX_IOS),
        ("io_shared_count", c_int),
        ("io_shared", (c_void_p * 9) * 4),
        ("flash", c_void_p),
        ("data", c_void_p),
        ("io_port", c_void_p),
        ("commands", c_void_p * 65),
        ("cycle_slots", CycleSlot * 64),
        ("free_slot", POINTER(CycleSlot)),
        ("first_slot", POINTER(CycleSlot)),
    )


class _Irq(Structure):
    _fields_ = (
        ("pool", c_void_p),
        ("name", c_void_p),
        ("irq", c_uint32),
        ("value", c_uint32),
        ("flags", c_uint8),
        ("hook", c_void_p),
    )


class _Vector(Structure):
    _fields_ = (
        ("vector", c_uint8),
        ("enable", c_uint32),
        ("raised", c_uint32),
        ("irq", _Irq * 2),
        ("flags", c_uint8),
    )


VECTOR_IRQ_BYTES = _Vector.irq.offset
"""How far the signals of an interrupt are from its beginning, where others see it."""
VECTOR_FLAGS_BYTES, IS_PENDING = _Vector.flags.offset, 1
"""How far its flags are, and the one of them that says that it waits to be served."""


def new_vector(
    number: int, enable: tuple[int, int], flag: tuple[int, int]
) -> Structure:
    """Return an interrupt that simavr lacks, of two registers and their bits."""
    enable_bit, flag_bit = (reg | bit << 9 | 1 << 12 for reg, bit in (enable, flag))
    return _Vector(vector=number, enable=enable_bit, raised=flag_bit)


class Uart(Structure):
    """``avr_uart_t``, as far as its byte time."""

    _fields_ = (
        ("io", c_void_p * 4),
        ("irq_ioctl", c_uint32),
        ("irq_count", c_int),
        ("irq", c_void_p),
        ("hooks", c_void_p * 3),
        ("name", c_char),
        ("disabled", c_uint32),
        ("r_udr", c_uint16),
        ("r_ucsra", c_uint16),
        ("r_ucsrb", c_uint16),
        ("r_ucsrc", c_uint16),
        ("bits", c_uint32 * 12),
        ("vectors", _Vector * 3),
        ("fifo", c_uint16 * 64),
        ("fifo_read", c_uint16),
        ("fifo_write", c_uint16),
        ("fifo_flags", c_uint8),
        ("tx_count", c_uint8),
        ("rx_count", c_uint32),
        ("flags", c_uint32),
        ("cycles_per_byte", c_uint64),
    )


def load(name: str) -> ctypes.CDLL:
    """Load libsimavr and declare what we call.

    As PyDLL, as there is one thread only: with the GIL kept, a callback costs half.

    Raises:
        OSError: it is not here.
        LayoutMismatch: it is something else.
    """
    lib = ctypes.PyDLL(name)
    try:
        _declare(lib)
    except AttributeError as error:
        raise LayoutMismatch(str(error)) from error
    return lib


def _declare(lib: ctypes.CDLL) -> None:
    lib.avr_make_mcu_by_name.restype = POINTER(Avr)
    avr = c_void_p  # as a number it goes over in two thirds of the time
    lib.avr_make_mcu_by_name.argtypes = (c_char_p,)
    lib.avr_init.argtypes = (avr,)
    lib.avr_reset.argtypes = (avr,)
    lib.avr_loadcode.argtypes = (avr, c_char_p, c_uint32, c_uint32)
    lib.avr_service_interrupts.argtypes = (avr,)
    lib.avr_cycle_timer_register.argtypes = (avr, c_uint64, c_void_p, c_void_p)
    lib.avr_cycle_timer_cancel.argtypes = (avr, c_void_p, c_void_p)
    lib.avr_ioctl.argtypes = (avr, c_uint32, c_void_p)
    lib.avr_io_getirq.argtypes = (avr, c_uint32, c_int)
    lib.avr_io_getirq.restype = c_void_p
    lib.avr_iomem_getirq.argtypes = (avr, c_uint16, c_char_p, c_int)
    lib.avr_iomem_getirq.restype = c_void_p
    lib.avr_raise_interrupt.argtypes = (avr, c_void_p)
    lib.avr_clear_interrupt.argtypes = (avr, c_void_p)
    lib.avr_register_vector.argtypes = (avr, c_void_p)
    lib.avr_get_interrupt_irq.argtypes = (avr, c_uint8)
    lib.avr_get_interrupt_irq.restype = c_void_p
    lib.avr_irq_register_notify.argtypes = (c_void_p, c_void_p, c_void_p)
    lib.avr_irq_unregister_notify.argtypes = (c_void_p, c_void_p, c_void_p)
    lib.avr_has_pending_interrupts.argtypes = (avr,)
    lib.avr_extint_set_strict_lvl_trig.argtypes = (avr, c_uint8, c_uint8)
    lib.avr_raise_irq.argtypes = (c_void_p, c_uint32)
    lib.avr_global_logger_set.argtypes = (c_void_p,)


def address_of(function: object) -> int:
    """Return where a C function, or a callback of ours, is in memory."""
    address = ctypes.cast(function, c_void_p).value  # type: ignore[arg-type]
    assert address is not None
    return address


def ioctl(letters: str) -> int:
    """Return simavr's number for a four-letter request."""
    return int.from_bytes(letters.encode(), "big")


def load_loop() -> ctypes.CDLL:
    """Return libc with ``lfind``, the loop that runs the core without Python.

    ``lfind(key, base, &n, 0, compare)`` calls ``compare(key, base)`` until that
    returns 0, at most n times. With ``avr_run`` to compare, the core runs until its
    state is 0 (limbo), which our stop timer sets.
    """
    libc = ctypes.PyDLL(None)
    libc.lfind.argtypes = (
        c_void_p,
        c_void_p,
        POINTER(c_size_t),
        c_size_t,
        c_void_p,
    )
    libc.lfind.restype = c_void_p
    return libc
