"""Open a port for us alone, and so that opening it does not reset the board."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import serial

from pytest_embedbench.errors import (
    BenchFault,
    BoardBusy,
    BoardUnreachable,
    ConfigError,
    NotSupported,
)
from pytest_embedbench.flashing import press
from pytest_embedbench.lab.ports.fuser import processes_using
from pytest_embedbench.lab.ports.network import PORTS

if TYPE_CHECKING:
    from collections.abc import Callable

READ_SLICE_S = 0.01
"""How long a read waits. Changed later, it would renegotiate a remote port."""
WRITE_WITHIN_S = 1.0
_BUSY = (errno.EBUSY, errno.EAGAIN)


class SerialHandle(Protocol):
    """What we use of a pyserial port, of whatever kind."""

    dtr: bool
    rts: bool

    @property
    def in_waiting(self) -> int:
        """How many bytes can be read without waiting."""
        ...

    def open(self) -> None:
        """Open it as it is set up."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...

    def fileno(self) -> int:
        """Return its descriptor; ``io.UnsupportedOperation`` if it has none."""
        ...

    def read(self, size: int = 1, /) -> bytes:
        """Return up to ``size`` bytes, after ``READ_SLICE_S`` at the latest."""
        ...

    def write(self, data: bytes, /) -> int | None:
        """Send it or a part; ``SerialTimeoutException`` if that takes too long."""
        ...

    def reset_output_buffer(self) -> None:
        """Forget what is not sent yet."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModemLines:
    """What the modem lines of a board's port are for.

    ``dtr`` and ``rts`` are how they stand while the port is open; a board that boots
    into its loader where one of them is asserted says so here. Unless
    ``reset_on_open``, closing leaves them as they are, for it is the edge on DTR at
    the next opening that resets an Arduino.
    """

    dtr: bool = True
    rts: bool = True
    reset_on_open: bool = False


def open_port(
    address: str,
    *,
    baud_bps: int,
    lines: ModemLines | None = None,
    make: Callable[..., SerialHandle] | None = None,
) -> SerialHandle:
    """Open a device or a pyserial URL; ``make`` takes the place of pyserial's own.

    Raises:
        BoardBusy: another program has it; named where the system tells.
        BoardUnreachable: it is not there, or we may not open it.
        ConfigError: pyserial knows no such kind of port, or not that baud rate.
    """
    lines = lines or ModemLines()
    make = make or cast("Callable[..., SerialHandle]", _serial_for)
    try:
        port = make(
            address,
            do_not_open=True,
            baudrate=baud_bps,
            exclusive=True,
            timeout=READ_SLICE_S,
            # A client of RFC 2217 refuses a limit; its socket has one of its own.
            write_timeout=None if address.startswith("rfc2217:") else WRITE_WITHIN_S,
        )
    except (ValueError, serial.SerialException) as error:
        raise ConfigError(
            f"{address}: not a port that can be opened: {error}"
        ) from error
    if not _has_posix_lines(port):
        # The first state that these ports ask for is this one; see below for POSIX.
        port.rts, port.dtr = lines.rts, lines.dtr
    try:
        with warnings.catch_warnings():
            # pyserial's own: no fault of a suite that makes errors of warnings.
            warnings.simplefilter("ignore", DeprecationWarning)
            port.open()
    except (OSError, ValueError) as error:
        raise _why_not(address, error) from error
    try:
        _refuse_company(address)
        if _has_posix_lines(port):
            _settle_posix(port, lines)
    except BaseException:
        port.close()
        raise
    return port


class _UnflushedSerial(serial.Serial):
    """pyserial drops what has come in by the time a port is open; we want it all.

    A board that was just flashed, or has just come back, may have begun to speak.
    """

    def _reset_input_buffer(self) -> None:
        """Leave it."""


def _serial_for(address: str, **settings: Any) -> serial.SerialBase:  # noqa: ANN401
    """Make a port, not yet open, of the kind that the address asks for."""
    scheme, is_url, _ = address.partition("://")
    if is_url and scheme.lower() not in PORTS:
        return serial.serial_for_url(address, **settings)
    settings.pop("do_not_open")
    kind = PORTS[scheme.lower()] if is_url else _UnflushedSerial
    port = kind(**settings)
    port.port = address
    return port


def _settle_posix(port: SerialHandle, lines: ModemLines) -> None:
    """Bring the lines where they belong, from where opening has put them.

    Opening asserts both at once, before anyone can say no; pyserial would then take
    them back one by one. HUPCL is what makes closing drop them.
    """
    import termios  # noqa: PLC0415  # POSIX only

    with contextlib.suppress(NotSupported):
        press(port, f"U{lines.dtr:d},{lines.rts:d}")
    with contextlib.suppress(termios.error):
        attributes = termios.tcgetattr(port.fileno())
        if lines.reset_on_open:
            attributes[2] |= termios.HUPCL
        else:
            attributes[2] &= ~termios.HUPCL
        termios.tcsetattr(port.fileno(), termios.TCSANOW, attributes)


def _has_posix_lines(port: SerialHandle) -> bool:
    return os.name == "posix" and isinstance(port, serial.Serial)


def _refuse_company(address: str) -> None:
    """Insist on being the only reader: of two, each gets a part of the bytes."""
    if others := processes_using(address):
        raise BoardBusy(
            f"{address} is open in another program, which would take part of what the "
            f"board says: {', '.join(others)}; end it first"
        )


def _why_not(address: str, error: Exception) -> BenchFault | ConfigError:
    number = getattr(error, "errno", None)
    text = str(error)
    if isinstance(error, ValueError):
        return ConfigError(f"{address}: {error}")
    if number in _BUSY or (sys.platform == "win32" and "PermissionError" in text):
        others = ", ".join(processes_using(address)) or "a program that cannot be named"
        return BoardBusy(f"{address} is in use by {others}")
    if number == errno.EACCES:
        return BoardUnreachable(
            f"no permission to open {address}: {_permission(address)}"
        )
    return BoardUnreachable(f"{address} cannot be opened: {text}")


def _permission(address: str) -> str:
    """Say who may, and how to become one."""
    try:
        group_id = Path(address).stat().st_gid
        import grp  # noqa: PLC0415  # POSIX only

        group = grp.getgrgid(group_id).gr_name
    except (OSError, KeyError, ImportError):
        return "ask whoever runs this machine"
    return (
        f"it belongs to group {group!r}; 'sudo usermod -aG {group} $USER', then log in "
        "again"
    )
