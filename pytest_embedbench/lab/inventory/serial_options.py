"""What a datasheet, a lab file or a test says about a board on a port."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from pytest_embedbench.flashing import read_settings
from pytest_embedbench.lab.inventory.labfile import WAIT_S
from pytest_embedbench.lab.ports.discovery import PortQuery
from pytest_embedbench.lab.ports.opening import ModemLines
from pytest_embedbench.support.toml_schema import check_keys

if TYPE_CHECKING:
    from pytest_embedbench.flashing import FlashSettings
    from pytest_embedbench.model import BoardSpec

_FLASH = "flash_"
_KINDS: dict[str, type] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of engine ``serial``, as in ``[options]`` of a datasheet.

    A table of a lab file becomes options with its name before them: ``command`` in
    ``[boards.NAME.reset]`` is ``reset_command``. All that begin with ``flash_`` are
    for the flash method.

    Args:
        port: Where the board is; with ``usb_serial``, ``usb_id`` and
            ``usb_location`` as in a lab file.
        lab: The lab file that says where the board is, or which boards would do.
        dtr: How DTR stands while the port is open.
        rts: The same for RTS.
        reset_on_open: Let opening the port reset the board.
        reset_sequence: How to press reset over DTR and RTS: a name or a sequence.
        reset_command: A command that presses reset.
        reset_hold: A command that holds the board in reset before that.
        silent_after_reset_ms: How long after a reset the new firmware cannot have
            spoken yet, because its bootloader waits: what comes in is of the old.
        power_off: A command that takes the power away.
        power_on: A command that gives it back.
        power_off_ms: How long it is away.
        power_hub: A USB hub, for ``uhubctl`` instead of commands.
        power_hub_port: The board's port on it.
        takes_within_ms: How long the board may take nothing of what is sent to it.
        reappears_within_ms: How long its port may be away after it has vanished.
        answers_within_ms: When it has said something after a reset; 0 if it need not.
        wait_s: How long to wait for the board while others have it.
        erase: What a test wants wiped first, whatever the board's ``flash`` says.
    """

    port: str = ""
    usb_serial: str = ""
    usb_id: str = ""
    usb_location: str = ""
    lab: str = ""
    dtr: bool = True
    rts: bool = True
    reset_on_open: bool = False
    reset_sequence: str = ""
    reset_command: tuple[str, ...] = ()
    reset_hold: tuple[str, ...] = ()
    silent_after_reset_ms: int = 0
    power_off: tuple[str, ...] = ()
    power_on: tuple[str, ...] = ()
    power_off_ms: int = 1000
    power_hub: str = ""
    power_hub_port: int = 0
    takes_within_ms: int = 1000
    reappears_within_ms: int = 0
    answers_within_ms: int = 0
    wait_s: int = WAIT_S
    erase: str = ""

    def lines(self) -> ModemLines:
        """Return how the modem lines stand."""
        return ModemLines(dtr=self.dtr, rts=self.rts, reset_on_open=self.reset_on_open)

    def sought(self) -> PortQuery:
        """Return how the port is described, or raise ``ConfigError`` if it is not."""
        return PortQuery(
            port=self.port,
            usb_serial=self.usb_serial,
            usb_id=self.usb_id,
            usb_location=self.usb_location,
        )

    def lab_file(self) -> Path | None:
        """Return the lab file, if there is one."""
        return Path(self.lab) if self.lab else None


def options_of(spec: BoardSpec) -> Options:
    """Return the options of a board.

    Raises:
        ConfigError: an unknown option, or a value of the wrong type.
    """
    hints = get_type_hints(Options)
    kinds = {
        key: kind if kind in (str, int, bool) else tuple for key, kind in hints.items()
    }
    own = {key: value for key, value in spec.options.items() if not _for_flash(key)}
    file, prefix = _where(spec)
    check_keys(file, f"{prefix}options.", own, required={}, optional=kinds)
    return Options(**own)  # type: ignore[arg-type]  # checked above


def flash_settings(spec: BoardSpec) -> FlashSettings | None:
    """Return how a board is flashed; ``None`` if it runs what is on it.

    Raises:
        ConfigError: an unknown option, or a value of the wrong type.
    """
    table: dict[str, Any] = {
        key.removeprefix(_FLASH): list(value) if isinstance(value, tuple) else value
        for key, value in spec.options.items()
        if _for_flash(key)
    }
    if table.get("method", "none") == "none":
        return None
    if erase := spec.options.get("erase"):
        table["erase"] = erase
    file, prefix = _where(spec)
    return read_settings(file, f"{prefix}flash", table)


def place_of(spec: BoardSpec, table: str, key: str) -> str:
    """Return where a lab file, or a datasheet, has a key of one of its tables."""
    file, prefix = _where(spec)
    return f"{file}: {prefix}{table}.{key}"


def _where(spec: BoardSpec) -> tuple[str, str]:
    """Return the file that speaks of a board, and how its keys begin there."""
    lab = str(spec.options.get("lab", ""))
    return (lab, f"boards.{spec.name}.") if lab else (f"board {spec.name}", "")


def _for_flash(key: str) -> bool:
    return key.startswith(_FLASH)
