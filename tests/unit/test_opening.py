"""Opening a port takes it for us alone, and does not reset the board."""

from __future__ import annotations

import errno
import fcntl
import grp
import io
import os
import struct
import termios
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
import serial

from pytest_embedbench.errors import BoardBusy, BoardUnreachable, ConfigError
from pytest_embedbench.flashing import RESETS
from pytest_embedbench.lab.inventory.controls import controls_for
from pytest_embedbench.lab.ports.fuser import processes_using
from pytest_embedbench.lab.ports.opening import ModemLines, open_port
from tests.support.pty_board import Pty, spec_for

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(slots=True)
class RemotePort:
    """A port without a descriptor, as Windows and RFC 2217 have: it logs its lines."""

    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    log: list[str] = field(default_factory=list[str])
    trouble: Exception | None = None

    @property
    def dtr(self) -> bool:
        return "dtr=1" in self.log

    @dtr.setter
    def dtr(self, value: bool) -> None:
        self.log.append(f"dtr={value:d}")

    @property
    def rts(self) -> bool:
        return "rts=1" in self.log

    @rts.setter
    def rts(self, value: bool) -> None:
        self.log.append(f"rts={value:d}")

    @property
    def in_waiting(self) -> int:
        return 0

    def open(self) -> None:
        self.log.append("open")
        if self.trouble is not None:
            raise self.trouble

    def close(self) -> None:
        self.log.append("close")

    def fileno(self) -> int:
        raise io.UnsupportedOperation

    def read(self, size: int = 1, /) -> bytes:
        return bytes(size)

    def write(self, data: bytes, /) -> int:
        return len(data)

    def reset_output_buffer(self) -> None:
        self.log.append("flush")


def opened(port: RemotePort, lines: ModemLines | None = None) -> RemotePort:
    def make(address: str, **settings: object) -> RemotePort:
        port.settings = {"address": address, **settings}
        return port

    open_port("COM5", baud_bps=74_880, lines=lines, make=make)
    return port


def test_a_port_is_opened_for_us_alone() -> None:
    # B2, W17: pyserial's default is to share.
    settings = opened(RemotePort()).settings
    assert settings["exclusive"] is True
    assert (settings["address"], settings["baudrate"]) == ("COM5", 74_880)


@pytest.mark.parametrize("state", [True, False])
def test_the_lines_are_where_they_belong_before_the_port_is_open(state: bool) -> None:  # noqa: FBT001
    # B1: nothing toggles afterwards.
    port = opened(RemotePort(), ModemLines(dtr=state, rts=state))
    assert port.log == [f"rts={state:d}", f"dtr={state:d}", "open"]


@pytest.mark.parametrize(
    ("trouble", "error", "told"),
    [
        (
            serial.SerialException(errno.EBUSY, "busy"),
            BoardBusy,
            "COM5 is in use by a program that cannot be named",
        ),
        (
            serial.SerialException(errno.EAGAIN, "Could not exclusively lock port"),
            BoardBusy,
            "COM5 is in use by",
        ),
        (
            serial.SerialException("could not open port 'COM5': FileNotFoundError(2,)"),
            BoardUnreachable,
            "COM5 cannot be opened: could not open port 'COM5': FileNotFoundError",
        ),
        (ValueError("not a valid baudrate"), ConfigError, "COM5: not a valid baudrate"),
    ],
)
def test_why_a_port_does_not_open_is_told(
    trouble: Exception, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        opened(RemotePort(trouble=trouble))


def test_without_permission_the_group_to_join_is_named(tmp_path: Path) -> None:
    node = tmp_path / "ttyUSB0"
    node.touch()
    denied = serial.SerialException(errno.EACCES, "Permission denied")

    def make(address: str, **settings: object) -> RemotePort:
        del address, settings
        return RemotePort(trouble=denied)

    group = grp.getgrgid(node.stat().st_gid).gr_name
    with pytest.raises(BoardUnreachable) as told:
        open_port(str(node), baud_bps=9600, make=make)
    assert str(told.value) == (
        f"no permission to open {node}: it belongs to group {group!r}; "
        f"'sudo usermod -aG {group} $USER', then log in again"
    )


def test_a_reset_is_held_while_the_board_is_silent() -> None:
    # U15: what came in before the release belongs to the time before.
    options = {"reset_sequence": "esp32-classic"}
    reset = controls_for(spec_for("COM5", **options)).reset
    assert reset is not None
    port = RemotePort()
    reset(port, "COM5", lambda: port.log.append("hold"))
    assert port.log == ["dtr=0", "rts=1", "hold", "rts=0"]


def test_what_comes_in_while_a_bootloader_waits_is_old_too() -> None:
    options: dict[str, str | int] = {
        "reset_sequence": "arduino",
        "silent_after_reset_ms": 1,
    }
    reset = controls_for(spec_for("COM5", **options)).reset
    assert reset is not None
    port = RemotePort()
    reset(port, "COM5", lambda: port.log.append("hold"))
    assert port.log == ["dtr=0", "rts=0", "hold", "dtr=1", "rts=1", "hold"]


@pytest.mark.parametrize("name", sorted(RESETS))
def test_every_reset_can_be_pressed_on_a_port_without_a_descriptor(name: str) -> None:
    reset = controls_for(spec_for("COM5", reset_sequence=name)).reset
    assert reset is not None
    reset(RemotePort(), "COM5", lambda: None)


def test_a_reset_that_makes_no_sense_is_named() -> None:
    with pytest.raises(
        ConfigError, match=r"board 'desk': options\.reset_sequence: .* one of ardu"
    ):
        controls_for(spec_for("COM5", reset_sequence="push it"))


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A /proc of three processes: a board, a terminal program, and ourselves."""
    opened = {
        "20": ["/dev/ttyUSB0"],
        "30": ["/dev/ttyUSB0", "/dev/pts/ptmx"],
        str(os.getpid()): ["/dev/ttyUSB0"],
    }
    for pid, files in opened.items():
        folder = tmp_path / pid / "fd"
        folder.mkdir(parents=True)
        (tmp_path / pid / "comm").write_text("minicom\n")
        for number, target in enumerate(files):
            (folder / str(number)).symlink_to(target)
    (tmp_path / "self").mkdir()
    (tmp_path / "40").mkdir()
    return tmp_path


def test_other_users_of_a_port_are_named_but_not_the_board_itself(proc: Path) -> None:
    assert processes_using("/dev/ttyUSB0", proc) == ["pid 20 (minicom)"]


@pytest.mark.parametrize("address", ["COM5", "rfc2217://desk:4000"])
def test_what_is_no_device_has_no_users_that_we_know(proc: Path, address: str) -> None:
    assert processes_using(address, proc) == []


def test_a_system_that_does_not_tell_names_nobody(tmp_path: Path) -> None:
    assert processes_using("/dev/ttyUSB0", tmp_path / "proc") == []


@dataclass(slots=True)
class Driver:
    """The modem lines of a device, which a pseudo-terminal has not: both on at first.

    That is what Linux makes of every port that is opened.
    """

    lines: int = termios.TIOCM_DTR | termios.TIOCM_RTS
    history: list[tuple[bool, bool]] = field(default_factory=list[tuple[bool, bool]])

    def ioctl(
        self, _descriptor: int, request: int, argument: bytes | bytearray
    ) -> bytes | bytearray:
        """Take the place of ``fcntl.ioctl``."""
        (given,) = struct.unpack("I", argument)
        match request:
            case termios.TIOCMGET:
                if isinstance(argument, bytearray):
                    argument[:] = struct.pack("I", self.lines)
                return struct.pack("I", self.lines)
            case termios.TIOCMSET:
                self.lines = given
            case termios.TIOCMBIS:
                self.lines |= given
            case termios.TIOCMBIC:
                self.lines &= ~given
        self.history.append(self.now())
        return argument

    def now(self) -> tuple[bool, bool]:
        """Return DTR and RTS."""
        return bool(self.lines & termios.TIOCM_DTR), bool(
            self.lines & termios.TIOCM_RTS
        )


@pytest.mark.parametrize("dtr", [False, True])
@pytest.mark.parametrize("rts", [False, True])
def test_the_lines_of_a_device_move_together_and_only_where_they_belong(
    monkeypatch: pytest.MonkeyPatch, *, dtr: bool, rts: bool
) -> None:
    # B1: each edge on the way is a reset of some board, or its bootloader.
    driver, pty = Driver(), Pty()
    monkeypatch.setattr(fcntl, "ioctl", driver.ioctl)
    port = open_port(pty.path, baud_bps=115_200, lines=ModemLines(dtr=dtr, rts=rts))
    changes = [now for now in driver.history if now != (True, True)]
    assert set(changes) == ({(dtr, rts)} - {(True, True)})
    assert driver.now() == (dtr, rts)
    port.close()
    pty.unplug()
