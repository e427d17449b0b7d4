"""Reset sequences as data, and what is done about a board that does not answer."""

from __future__ import annotations

import errno
import os
import pty
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
import serial

from pytest_embedbench.errors import (
    BenchFault,
    BoardLost,
    ConfigError,
    NotSupported,
    ToolMissing,
)
from pytest_embedbench.flashing import (
    RESETS,
    press,
    reset_until_heard,
    run_command,
    uhubctl,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass
class Lines:
    """A port that remembers how its lines were set."""

    seen: list[str] = field(default_factory=list)

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("dtr", "rts"):
            self.seen.append(f"{name.upper()}{int(bool(value))}")
        object.__setattr__(self, name, value)

    def wait(self, duration_s: float) -> None:
        self.seen.append(f"{duration_s:g}")


def walked(sequence: str) -> str:
    lines = Lines()
    press(lines, sequence, lines.wait)  # type: ignore[arg-type]
    return " ".join(lines.seen)


def test_the_classic_circuit_is_reset_to_its_bootloader_and_to_run() -> None:
    classic = RESETS["esp32-classic"]
    assert walked(classic.bootloader) == "DTR0 RTS1 0.1 DTR1 RTS0 0.05 DTR0"
    assert walked(classic.run) == "DTR0 RTS1 0.1 RTS0"


def test_lines_that_cannot_be_set_at_once_are_set_in_turn() -> None:
    assert walked("U1,0|W0.5") == "DTR1 RTS0 0.5"


def test_an_arduino_is_reset_by_an_edge_of_dtr() -> None:
    assert walked(RESETS["arduino"].run) == "DTR0 RTS0 0.05 DTR1 RTS1"


@pytest.mark.parametrize("sequence", ["", "D2", "D0||R1", "W", "U1", "D0 | R1"])
def test_a_sequence_that_cannot_be_read_is_an_error_before_anything_moves(
    sequence: str,
) -> None:
    with pytest.raises(ConfigError, match=r"is no step; D0 D1 R0 R1 U0,1 W0\.1 are"):
        walked(f"D1|{sequence}")


def test_a_pty_has_no_lines_to_press_reset_with() -> None:
    ours, theirs = pty.openpty()
    try:
        refused = pytest.raises(NotSupported, match="configure a reset command")
        with serial.Serial(os.ttyname(theirs)) as port, refused:
            press(port, RESETS["esp32-unix-tight"].run, lambda _s: None)
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_port_that_goes_away_is_a_lost_board() -> None:
    def gone(_duration_s: float) -> None:
        raise OSError(errno.EIO, "gone")

    with pytest.raises(BoardLost, match="went away while reset was pressed"):
        press(Lines(), "W0.1", gone)  # type: ignore[arg-type]


def after(
    *answers: bytes,
) -> tuple[list[str], Callable[[], None], Callable[[float], bytes]]:
    """Return what was done, and a board that answers its resets like this."""
    done: list[str] = []
    left = list(answers)

    def reset() -> None:
        done.append("reset")

    def listen(within_s: float) -> bytes:
        done.append(f"listen {within_s:g}")
        return left.pop(0)

    return done, reset, listen


def test_a_board_that_answers_is_reset_once() -> None:
    done, reset, listen = after(b"BOOT")
    assert reset_until_heard(reset, listen) == b"BOOT"
    assert done == ["reset", "listen 2"]


def test_a_silent_board_gets_one_more_try_and_then_needs_power() -> None:
    # B16
    done, reset, listen = after(b"", b"", b"too late")
    with pytest.raises(BoardLost, match="it needs a power cycle"):
        reset_until_heard(reset, listen, within_s=1)
    assert done == ["reset", "listen 1"] * 2


def test_a_board_that_comes_back_at_the_second_try_is_well() -> None:
    # B16
    _, reset, listen = after(b"", b"BOOT")
    assert reset_until_heard(reset, listen) == b"BOOT"


def test_download_mode_is_said_at_once() -> None:
    # B17
    done, reset, listen = after(b"rst:0x15\r\nwaiting for download\r\n")
    with pytest.raises(BoardLost, match="stays in its ROM's download mode"):
        reset_until_heard(reset, listen)
    assert done == ["reset", "listen 2"]


def test_a_command_is_given_the_port() -> None:
    assert run_command(["echo", "off {port}"], {"port": "/dev/ttyUSB3"}) == (
        "off /dev/ttyUSB3"
    )


def test_a_command_that_fails_says_how() -> None:
    with pytest.raises(BenchFault, match="exited 3: no relay"):
        run_command(["sh", "-c", "echo no relay; exit 3"], {})


def test_a_command_that_hangs_is_given_up() -> None:
    with pytest.raises(BenchFault, match=r"took longer than 0\.2 s"):
        run_command(["sleep", "60"], {}, timeout_s=0.2)


def test_a_hubs_port_is_switched_by_uhubctl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "uhubctl").write_text("#!/bin/sh\n")
    (tmp_path / "uhubctl").chmod(0o755)
    words = " ".join(uhubctl("1-1.4", 2, "off")).rpartition("/")[2]
    assert words == "uhubctl -l 1-1.4 -p 2 -a off"


def test_a_missing_uhubctl_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="apt-get install uhubctl"):
        uhubctl("1-1", 1, "on")
