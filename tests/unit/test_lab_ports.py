"""A board's port is found by what it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BoardUnreachable, ConfigError
from pytest_embedbench.lab.ports.discovery import Attached, PortQuery, find

if TYPE_CHECKING:
    from collections.abc import Iterator

FTDI = Attached(
    device="/dev/ttyUSB0",
    usb_id="0403:6001",
    usb_serial="A5XK",
    usb_location="1-1",
    description="FT232R USB UART",
)
CP2102 = Attached(
    device="/dev/ttyUSB1",
    usb_id="10c4:ea60",
    usb_serial="0001",
    usb_location="1-2",
    description="CP2102",
)
CP2102_TWIN = Attached(
    device="/dev/ttyUSB2",
    usb_id="10c4:ea60",
    usb_serial="0001",
    usb_location="1-3",
    description="CP2102",
)
DUAL_A = Attached(
    device="/dev/ttyUSB3",
    usb_id="0403:6010",
    usb_serial="DUAL",
    usb_location="1-4:1.0",
)
DUAL_B = Attached(
    device="/dev/ttyUSB4",
    usb_id="0403:6010",
    usb_serial="DUAL",
    usb_location="1-4:1.1",
)
BENCH = [FTDI, CP2102, CP2102_TWIN, DUAL_A, DUAL_B]


@pytest.fixture
def pty() -> Iterator[str]:
    board, port = os.openpty()
    yield os.ttyname(port)
    os.close(board)
    os.close(port)


@pytest.mark.parametrize(
    ("query", "device"),
    [
        (PortQuery(usb_serial="A5XK"), "/dev/ttyUSB0"),
        (PortQuery(usb_serial="a5xk"), "/dev/ttyUSB0"),
        (PortQuery(usb_id="0403:6001"), "/dev/ttyUSB0"),
        (PortQuery(usb_location="1-3"), "/dev/ttyUSB2"),
        (PortQuery(usb_id="10C4:EA60", usb_location="1-2"), "/dev/ttyUSB1"),
        (PortQuery(usb_serial="DUAL", usb_location="1-4:1.1"), "/dev/ttyUSB4"),
        (PortQuery(port="hwgrep://ft232r"), "/dev/ttyUSB0"),
        (PortQuery(port="hwgrep://0403:6010.*1-4:1.0"), "/dev/ttyUSB3"),
    ],
    ids=str,
)
def test_a_port_is_found_by_any_of_its_facts(query: PortQuery, device: str) -> None:
    # V11: a location alone is enough.
    assert find(query, BENCH).address == device


def test_no_match_lists_what_is_there_and_takes_none_of_it() -> None:
    # B10: never another port.
    with pytest.raises(BoardUnreachable) as told:
        find(PortQuery(usb_serial="ZZZ"), [FTDI, CP2102])
    assert str(told.value) == (
        "no port fits usb_serial=ZZZ; attached: /dev/ttyUSB0 (0403:6001, serial A5XK, "
        "location 1-1, FT232R USB UART); /dev/ttyUSB1 (10c4:ea60, serial 0001, "
        "location 1-2, CP2102); no other is tried"
    )


def test_two_matches_are_no_match() -> None:
    # B10
    with pytest.raises(BoardUnreachable, match="2 ports fit usb_id=10c4:ea60"):
        find(PortQuery(usb_id="10c4:ea60"), BENCH)


def test_a_missing_device_lists_what_is_there() -> None:
    # B15
    with pytest.raises(BoardUnreachable) as told:
        find(PortQuery(port="/dev/ttyUSB77"), [])
    assert str(told.value) == (
        "there is no port /dev/ttyUSB77; no serial port is attached; no other is tried"
    )


def test_a_device_that_is_not_the_board_asked_for_is_refused(pty: str) -> None:
    # B12: ttyACM0 and ttyACM1 have changed places.
    swapped = Attached(device=pty, usb_serial="other")
    with pytest.raises(BoardUnreachable, match="is not the board that was asked for"):
        find(PortQuery(port=pty, usb_serial="mine"), [swapped])


def test_links_to_a_port_share_its_identity(pty: str, tmp_path: Path) -> None:
    link = tmp_path / "usb-Board_A-if00"
    link.symlink_to(pty)
    through_link = find(PortQuery(port=str(link)), [])
    assert through_link.address == pty
    assert through_link.key == find(PortQuery(port=pty), []).key


def test_a_usb_board_has_one_identity_by_whatever_it_is_found() -> None:
    by_serial = find(PortQuery(usb_serial="A5XK"), BENCH)
    by_place = find(PortQuery(usb_location="1-1"), BENCH)
    assert by_serial.key == by_place.key


def test_the_ports_of_one_adapter_are_different_boards() -> None:
    keys = {
        find(PortQuery(usb_location=place), BENCH).key
        for place in ("1-4:1.0", "1-4:1.1")
    }
    assert len(keys) == 2


def test_a_serial_number_that_two_boards_share_names_neither() -> None:
    one, other = (
        find(PortQuery(usb_location=place), BENCH) for place in ("1-2", "1-3")
    )
    assert one.key != other.key
    assert one.reconnect == PortQuery(usb_location="1-2")


def test_a_board_is_followed_by_its_serial_number_under_another_name() -> None:
    # B8, B9
    found = find(PortQuery(usb_id="0403:6001"), BENCH)
    back = Attached(device="/dev/ttyUSB7", usb_id="0403:0000", usb_serial="A5XK")
    assert find(found.reconnect, [back]).address == "/dev/ttyUSB7"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("socket://Desk7.invalid:4000", "remote-desk7.invalid:4000"),
        ("rfc2217://desk7.invalid:4000?ign_set_control", "remote-desk7.invalid:4000"),
        ("rfc2217://127.0.0.1:4000", "remote-127.0.0.1:4000"),
        ("rfc2217://[::1]:4000", "remote-::1:4000"),
        ("loop://", ""),
    ],
)
def test_a_url_is_its_own_identity(url: str, key: str) -> None:
    found = find(PortQuery(port=url), BENCH)
    assert (found.address, found.key) == (url, key)


@pytest.mark.parametrize("name", ["COM5", "com5", r"\\.\COM5"])
def test_windows_ports_are_named_as_windows_does(name: str) -> None:
    com5 = Attached(device="COM5")
    found = find(PortQuery(port=name), [com5])
    assert (found.address, found.key) == ("COM5", "port-COM5")


def test_a_port_that_goes_as_it_is_looked_at_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = tmp_path / "tty"
    port.touch()
    there, status = Path.exists, Path.stat

    def going(path: Path, **how: bool) -> bool:
        was_there = there(path, **how)
        port.unlink(missing_ok=True)
        return was_there

    def gone(path: Path, **how: bool) -> os.stat_result:
        port.unlink(missing_ok=True)
        return status(path, **how)

    monkeypatch.setattr(Path, "exists", going)
    monkeypatch.setattr(Path, "stat", gone)
    with pytest.raises(BoardUnreachable, match="there is no port"):
        find(PortQuery(port=str(port)), ())


@pytest.mark.parametrize("usb_id", ["10c4", "10c4-ea60", "0x10c4:0xea60"])
def test_a_usb_id_is_checked(usb_id: str) -> None:
    with pytest.raises(ConfigError, match="is not like '10c4:ea60'"):
        PortQuery(usb_id=usb_id)


def test_a_port_that_is_not_described_is_an_error_at_once() -> None:
    # B19
    with pytest.raises(ConfigError, match="a board needs a port"):
        PortQuery(port="")
