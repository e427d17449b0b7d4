"""What a datasheet, a lab file or a test says about a board on a port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.flashing import Erase, check_keys_of_any, read_settings
from pytest_embedbench.lab.inventory.instruments import PREFIX
from pytest_embedbench.lab.inventory.lab import WAIT_S, WIRED
from pytest_embedbench.lab.leases.lease import QUARANTINE_AFTER
from pytest_embedbench.lab.ports.discovery import PortQuery
from pytest_embedbench.lab.ports.opening import ModemLines
from pytest_embedbench.support.options import option, option_location, read_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.flashing import FlashSettings
    from pytest_embedbench.model import BoardSpec

_FLASH = "flash_"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabOptions:
    """Where a board of a lab is, and how long it is waited for."""

    port: str = option("", "where the board is: a device or a URL of pyserial's")
    usb_serial: str = option("", "the serial number of its USB adapter")
    usb_id: str = option("", "`vendor:product` of its USB adapter")
    usb_location: str = option("", "where its USB adapter is plugged in")
    lab: str = option("", "the lab file that says so, or which boards would do")
    wait_s: int = option(
        WAIT_S, "how long to wait for the board while others have it", lowest=0
    )
    features: tuple[str, ...] = option((), "what it is wired to, for `needs(...)`")
    needs: tuple[str, ...] = option((), "which of these a test has asked for")
    quarantine_after: int = option(
        QUARANTINE_AFTER,
        "after how many faults in a run no test has the board any more",
        lowest=1,
    )
    erase: str = option(
        "",
        "what a test wants wiped first, whatever `flash` says",
        choices=[erase.value for erase in Erase],
    )
    reset_command: tuple[str, ...] = option((), "a command that presses reset")
    reset_hold: tuple[str, ...] = option(
        (), "a command that holds the board in reset before that"
    )
    power_off: tuple[str, ...] = option((), "a command that takes the power away")
    power_on: tuple[str, ...] = option((), "a command that gives it back")
    power_off_ms: int = option(1000, "how long the power is away", lowest=0)
    power_hub: str = option("", "a USB hub, for `uhubctl` instead of commands")
    power_hub_port: int = option(0, "the board's port on it", lowest=0)

    def query(self) -> PortQuery:
        """Return how the port is described, or raise ``ConfigError`` if it is not."""
        return PortQuery(
            port=self.port,
            usb_serial=self.usb_serial,
            usb_id=self.usb_id,
            usb_location=self.usb_location,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialOptions(LabOptions):
    """The options of engine ``serial``, as in ``[options]`` of a datasheet.

    A table of a lab file becomes options with its name before them: ``command`` in
    ``[boards.NAME.reset]`` is ``reset_command``. All that begin with ``flash_`` are
    for the flash method.
    """

    dtr: bool = option(default=True, help="how DTR stands while the port is open")
    rts: bool = option(default=True, help="the same for RTS")
    reset_on_open: bool = option(
        default=False, help="let opening the port reset the board"
    )
    reset_sequence: str = option("", "how to press reset over DTR and RTS")
    silent_after_reset_ms: int = option(
        0,
        "what comes in for so long after a reset is still of the old firmware",
        lowest=0,
    )
    takes_within_ms: int = option(
        1000, "how long it may take nothing of what is sent", lowest=0
    )
    reappears_within_ms: int = option(
        0,
        "how long its port may be away: native USB goes with a reset",
        lowest=0,
    )
    answers_within_ms: int = option(
        0,
        "it has said something by then, or it is reset again, then power-cycled, then "
        "lost",
        lowest=0,
    )

    def lines(self) -> ModemLines:
        """Return how the modem lines stand."""
        return ModemLines(dtr=self.dtr, rts=self.rts, reset_on_open=self.reset_on_open)


def serial_options(spec: BoardSpec) -> SerialOptions:
    """Return the options of a board on a port, those of its flash method apart.

    Raises:
        ConfigError: an unknown option, or a value that cannot be.
    """
    return read_options(spec, SerialOptions, ignoring=(_FLASH, PREFIX, WIRED))


def wired_uarts(spec: BoardSpec) -> dict[str, PortQuery]:
    """Return the UARTs that are wired to ports of their own, and how each is found."""
    found: dict[str, dict[str, str]] = {}
    for key, value in spec.options.items():
        if key.startswith(WIRED):
            name, _, fact = key.removeprefix(WIRED).rpartition(".")
            found.setdefault(name, {})[fact] = str(value)
    return {name: PortQuery(**facts) for name, facts in found.items()}


def flash_settings(spec: BoardSpec) -> FlashSettings | None:
    """Return how a board is flashed; ``None`` if it runs what is on it.

    Raises:
        ConfigError: an unknown option, or a value that cannot be.
        NotSupported: it is to be wiped, and it is not flashed.
    """
    table: dict[str, Any] = {
        key.removeprefix(_FLASH): value
        for key, value in spec.options.items()
        if key.startswith(_FLASH)
    }
    erase = spec.options.get("erase", "")
    if table.get("method", "none") == "none":
        _refuse_unused(spec, table)
        if erase in (Erase.NVS.value, Erase.ALL.value):
            raise NotSupported(
                f"{spec.name} runs what is on it: it is not flashed, so {erase!r} "
                "cannot be erased before this test"
            )
        return None
    if erase:
        table["erase"] = erase
    file = str(spec.options.get("lab", ""))
    return read_settings(
        table, lambda key: option_location(spec, f"{_FLASH}{key}"), relative_to=file
    )


def _refuse_unused(spec: BoardSpec, table: Mapping[str, Any]) -> None:
    """Refuse what is said for nothing of how a board is flashed, which is not.

    With ``method = "none"`` a method's keys may stay, for when it is flashed again.
    """
    check_keys_of_any(table, lambda key: option_location(spec, f"{_FLASH}{key}"))
    if table and "method" not in table:
        key = min(table)
        raise ConfigError(
            f"{option_location(spec, f'{_FLASH}{key}')}: nothing flashes {spec.name}: "
            f"name a flash.method, or leave flash.{key} out"
        )
