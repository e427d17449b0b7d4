"""Which port a board is on: found by what it is, never by what happens to be there."""

from __future__ import annotations

import re
import stat
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from serial.tools import list_ports

from pytest_embedbench.errors import BoardUnreachable, ConfigError
from pytest_embedbench.lab.ports.network import PORTS, peer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serial.tools.list_ports_common import ListPortInfo

_HWGREP = "hwgrep://"
_USB_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A port that the system lists. ``usb_id`` is ``vid:pid`` in lower-case hex."""

    device: str
    usb_id: str = ""
    usb_serial: str = ""
    usb_location: str = ""
    description: str = ""

    def __str__(self) -> str:
        facts = [
            self.usb_id,
            f"serial {self.usb_serial}" if self.usb_serial else "",
            f"location {self.usb_location}" if self.usb_location else "",
            self.description,
        ]
        text = ", ".join(fact for fact in facts if fact and fact != "n/a")
        return f"{self.device} ({text})" if text else self.device


@dataclass(frozen=True, slots=True, kw_only=True)
class PortQuery:
    """How a board's port is described; all that is given has to fit.

    ``port`` is a device (``/dev/ttyUSB0``, a by-id link, ``COM5``) or a pyserial URL.
    """

    port: str = ""
    usb_serial: str = ""
    usb_id: str = ""
    usb_location: str = ""

    def __post_init__(self) -> None:
        if not self.given():
            raise ConfigError(
                "a board needs a port: give one of port, usb_serial, usb_id, "
                "usb_location, and not empty"
            )
        if self.usb_id and not _USB_ID.fullmatch(self.usb_id.lower()):
            raise ConfigError(
                f"usb_id {self.usb_id!r} is not like '10c4:ea60' (vendor:product)"
            )
        _check_url(self.port)

    def __str__(self) -> str:
        given = self.given()
        if list(given) == ["port"]:
            return self.port
        return ", ".join(f"{name}={value}" for name, value in given.items())

    def given(self) -> dict[str, str]:
        """Return the facts that are given, by name."""
        facts: dict[str, str] = asdict(self)
        return {name: value for name, value in facts.items() if value}

    def fits(self, attached: Attached) -> bool:
        """Say whether a listed port has all the USB facts that are given."""
        location = attached.usb_location
        return (
            self.usb_serial.lower() in ("", attached.usb_serial.lower())
            and self.usb_id.lower() in ("", attached.usb_id)
            and self.usb_location in ("", location, location.partition(":")[0])
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPort:
    """A port that was found: where to open it, and what it really is.

    ``key`` is the same for one port whatever name it was found by; it is empty for a
    port that nobody else can have (``loop://``). ``reconnect`` finds it again should it
    come back under another name.
    """

    query: PortQuery
    address: str
    key: str
    reconnect: PortQuery
    attached: Attached | None = None

    def __str__(self) -> str:
        return str(self.attached or self.address)


def attached() -> Sequence[Attached]:
    """Return the ports that the system lists."""
    return sorted(map(_attached, list_ports.comports()), key=lambda port: port.device)


def find(query: PortQuery, ports: Sequence[Attached]) -> ResolvedPort:
    """Return the one port that fits; ``ports`` are those that are attached.

    Raises:
        BoardUnreachable: none fits, or more than one does; the message lists the
            ports that are there.
    """
    if "://" in query.port and not query.port.startswith(_HWGREP):
        key = _url_key(query.port)
        return ResolvedPort(query=query, address=query.port, key=key, reconnect=query)
    if query.port and not query.port.startswith(_HWGREP):
        return _named(query, ports)
    candidates = fitting(query, ports)
    if len(candidates) != 1:
        raise BoardUnreachable(_none_or_many(query, candidates, ports))
    return _found(query, candidates[0], ports)


def fitting(query: PortQuery, ports: Sequence[Attached]) -> list[Attached]:
    """Return the listed ports that have all that is asked for of USB."""
    return [port for port in ports if query.fits(port) and _greps(query, port)]


def _named(query: PortQuery, ports: Sequence[Attached]) -> ResolvedPort:
    """Find a device by its name or by a link to it."""
    device = _resolved(query.port)
    listed = next((port for port in ports if port.device == device), None)
    entry = listed or Attached(device=device)
    found = _found(query, entry, ports)
    # Last, for it may go at any time: by its number it is no other port than that.
    if listed is None and sys.platform != "win32" and not Path(device).exists():
        raise BoardUnreachable(
            f"there is no port {query.port}{_listing(ports)}; no other is tried"
        )
    if not query.fits(entry):
        raise BoardUnreachable(
            f"the port {query.port} is not the board that was asked for ({query}): "
            f"it is {entry}{_listing(ports)}"
        )
    return found


def _found(
    query: PortQuery, entry: Attached, ports: Sequence[Attached]
) -> ResolvedPort:
    """Name what is found by its serial number, else by where it is plugged in.

    A serial number that two ports share (every other cheap adapter is "0001") names
    neither of them.
    """
    location = entry.usb_location
    interface = location.partition(":")[2]
    namesakes = [
        port
        for port in ports
        if port.usb_serial.lower() == entry.usb_serial.lower()
        and port.usb_location.partition(":")[2] == interface
    ]
    if entry.usb_serial and len(namesakes) == 1:
        key = f"usb-{entry.usb_serial.lower()}-{interface}".rstrip("-")
        reconnect = PortQuery(
            usb_serial=entry.usb_serial, usb_location=location if interface else ""
        )
    elif location:
        key, reconnect = f"usb-at-{location}", PortQuery(usb_location=location)
    else:
        key, reconnect = _device_key(entry.device), query
    return ResolvedPort(
        query=query,
        address=entry.device,
        key=key,
        reconnect=reconnect,
        attached=entry,
    )


def _device_key(device: str) -> str:
    """Name a device by its number: links, mounts and second nodes share that."""
    try:
        status = Path(device).stat()
    except OSError:
        return f"port-{device}"
    if not stat.S_ISCHR(status.st_mode):
        return f"port-{device}"
    return f"device-{status.st_rdev:x}"


def _url_key(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "loop":
        return ""
    if parts.scheme in PORTS:
        return f"remote-{peer_of(url)}"
    return f"{parts.scheme}-{parts.netloc.lower()}{parts.path}".rstrip("/")


def _resolved(port: str) -> str:
    if sys.platform == "win32" or re.fullmatch(
        r"(\\\\\.\\)?COM\d+", port, re.IGNORECASE
    ):
        return port.removeprefix("\\\\.\\").upper()
    return str(Path(port).resolve())


def _greps(query: PortQuery, port: Attached) -> bool:
    if not query.port:
        return True
    pattern = query.port.removeprefix(_HWGREP)
    return re.search(pattern, str(port), re.IGNORECASE) is not None


def _check_url(port: str) -> None:
    """Refuse a URL that leads nowhere, before anybody tries to open it."""
    scheme = port.partition("://")[0].lower()
    try:
        if port.startswith(_HWGREP):
            re.compile(port.removeprefix(_HWGREP))
        elif scheme in PORTS:
            parts = urlsplit(port)
            if not parts.hostname or not parts.port:
                raise ConfigError(f"port {port!r} is not like '{scheme}://host:4000'")
    except re.error as error:
        raise ConfigError(f"{port}: not a regular expression: {error}") from error
    except ValueError as error:
        raise ConfigError(f"port {port!r}: {error}") from error


def _none_or_many(
    query: PortQuery, candidates: Sequence[Attached], ports: Sequence[Attached]
) -> str:
    if not candidates:
        return f"no port fits {query}{_listing(ports)}; no other is tried"
    listed = "; ".join(map(str, candidates))
    return (
        f"{len(candidates)} ports fit {query}, and guessing is not allowed: {listed}; "
        "add usb_serial or usb_location"
    )


def _listing(ports: Iterable[Attached]) -> str:
    listed = "; ".join(map(str, ports))
    return f"; attached: {listed}" if listed else "; no serial port is attached"


def _attached(port: ListPortInfo) -> Attached:
    usb_id = "" if port.vid is None else f"{port.vid:04x}:{port.pid or 0:04x}"
    return Attached(
        device=port.device,
        usb_id=usb_id,
        usb_serial=port.serial_number or "",
        usb_location=port.location or "",
        description=port.description or "",
    )
