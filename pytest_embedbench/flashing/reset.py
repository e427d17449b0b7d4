"""Press reset over a serial port's control lines: sequences are data, in one notation.

Steps are separated by ``|``: ``D1`` asserts DTR and ``R0`` releases RTS, ``U1,0`` sets
both at the same instant (DTR first), ``W0.1`` waits a tenth of a second. It is the
notation of ``custom_reset_sequence`` in esptool's configuration file. On the usual
ESP32 circuit RTS pulls EN and DTR pulls IO0, each only while the other is released.
"""

from __future__ import annotations

import errno
import io
import re
import struct
import sys
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from pytest_embedbench.clock import pause
from pytest_embedbench.errors import BoardLost, ConfigError, NotSupported

if TYPE_CHECKING:
    from collections.abc import Callable

_STEP = re.compile(r"([DR])([01])|U([01]),([01])|W(\d+(?:\.\d+)?)")


class ControlLines(Protocol):
    """The control lines of a serial port, as pyserial has them."""

    dtr: bool
    rts: bool


@runtime_checkable
class HasDescriptor(Protocol):
    """A port that is a device of this machine."""

    def fileno(self) -> int:
        """Return its descriptor; ``io.UnsupportedOperation`` if it has none."""
        ...


class Press(NamedTuple):
    """How one kind of board is reset: to run its program, and to its bootloader.

    A board whose bootloader listens after every reset has the same for both.
    """

    run: str
    bootloader: str


RESETS: dict[str, Press] = {
    "esp32-classic": Press(
        run="D0|R1|W0.1|R0",
        bootloader="D0|R1|W0.1|D1|R0|W0.05|D0",
    ),
    # EN and IO0 change together: no glitch through "both released" on the way.
    "esp32-unix-tight": Press(
        run="U0,0|U0,1|W0.1|U0,0",
        bootloader="U0,0|U1,1|U0,1|W0.1|U1,0|W0.05|U0,0",
    ),
    # The peripheral inside the chip reads the lines itself; there is no circuit.
    "esp32-usb-jtag": Press(
        run="D0|R1|W0.2|R0|W0.2",
        bootloader="R0|D0|W0.1|D1|R0|W0.1|R1|D0|R1|W0.1|D0|R0",
    ),
    # A capacitor on DTR (RTS on some) makes a pulse of its falling edge.
    "arduino": Press(run="D0|R0|W0.05|D1|R1", bootloader="D0|R0|W0.05|D1|R1"),
}


def check_sequence(sequence: str) -> None:
    """Insist that a sequence can be read.

    Raises:
        ConfigError: naming the step that cannot.
    """
    for step in sequence.split("|"):
        if _STEP.fullmatch(step) is None:
            raise ConfigError(
                f"reset sequence {sequence!r}: {step!r} is no step; "
                "D0 D1 R0 R1 U0,1 W0.1 are"
            )


def press(
    port: ControlLines, sequence: str, wait: Callable[[float], None] = pause
) -> None:
    """Walk a sequence on an open port; ``wait`` lets its pauses pass.

    Raises:
        ConfigError: the sequence cannot be read.
        NotSupported: this port has no control lines (a pty, a socket).
        BoardLost: the port went away in the middle.
    """
    check_sequence(sequence)
    for step in sequence.split("|"):
        try:
            _walk(port, step, wait)
        except OSError as error:
            raise _translated(error) from error


def _walk(port: ControlLines, step: str, wait: Callable[[float], None]) -> None:
    kind, value = step[0], step[1:]
    if kind == "D":
        port.dtr = value == "1"
    elif kind == "R":
        port.rts = value == "1"
    elif kind == "U":
        _set_both(port, dtr=value[0] == "1", rts=value[2] == "1")
    else:
        wait(float(value))


def _set_both(port: ControlLines, *, dtr: bool, rts: bool) -> None:
    """Set both lines in one call to the driver where there is one, else in turn."""
    descriptor = _descriptor(port)
    if descriptor is None or sys.platform == "win32":
        port.dtr, port.rts = dtr, rts
        return
    import fcntl  # noqa: PLC0415  # POSIX only
    import termios  # noqa: PLC0415

    word = struct.Struct("I")
    state = bytearray(word.size)
    fcntl.ioctl(descriptor, termios.TIOCMGET, state)
    lines = word.unpack(state)[0] & ~(termios.TIOCM_DTR | termios.TIOCM_RTS)
    lines |= termios.TIOCM_DTR * dtr | termios.TIOCM_RTS * rts
    fcntl.ioctl(descriptor, termios.TIOCMSET, word.pack(lines))


def _descriptor(port: ControlLines) -> int | None:
    """Return the port's descriptor; RFC 2217 and ``loop://`` have none."""
    try:
        return port.fileno() if isinstance(port, HasDescriptor) else None
    except io.UnsupportedOperation:
        return None


def _translated(error: OSError) -> Exception:
    if error.errno in (errno.ENOTTY, errno.EINVAL):
        return NotSupported(
            "this port has no control lines, so reset cannot be pressed over it; "
            "configure a reset command"
        )
    return BoardLost(f"the port went away while reset was pressed: {error}")
