"""Power that a test takes away and gives back, by commands and by a USB hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import capabilities_of
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.errors import BoardLost
from pytest_embedbench.model import NO_IMAGE, Capability
from tests.support.pty_board import Button, PtyBoard, spec_for
from tests.support.usb_hub import UsbHub

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.testing import LoopbackUart


def says_its_boots(uart: LoopbackUart) -> Generator[int, None, None]:
    uart.write(b"READY\n")
    while True:
        if line := uart.read():
            uart.write(b"HEARD " + line)
        yield 1


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[UsbHub]:
    hub = UsbHub(tmp_path / "hub")
    hub.on_path(monkeypatch)
    yield hub
    hub.close()


@pytest.fixture
def switched(tmp_path: Path) -> Iterator[BoardSpec]:
    """A board on a supply of its own: its port stays."""
    button = Button(tmp_path)
    device = PtyBoard(says_its_boots, button)
    yield spec_for(
        device.path,
        power_off=button.command("hold"),
        power_on=button.command("go"),
    )
    device.close()


def on(hub: UsbHub) -> BoardSpec:
    return spec_for(str(hub.link), power_hub="1-1.4", power_hub_port=2)


def bench_on(spec: BoardSpec, folder: Path) -> Bench:
    (folder / "test").mkdir()
    return Bench(SerialPort().boot(spec, NO_IMAGE), folder / "test", boot_line="READY")


def test_a_board_with_a_switch_can_stay_off(switched: BoardSpec) -> None:
    board = SerialPort().boot(switched, NO_IMAGE)
    able = {Capability.POWER_CYCLE, Capability.POWER_SWITCH}
    assert capabilities_of(board) == able
    board.close()


def test_a_board_without_power_is_silent_and_boots_when_it_has_it_back(
    switched: BoardSpec, tmp_path: Path
) -> None:
    bench = bench_on(switched, tmp_path)
    bench.send("one")
    bench.expect("HEARD one", within_ms=5000)
    bench.power_off()
    bench.expect_silence(for_ms=50)
    bench.power_on()
    bench.wait_for_boot(within_ms=5000)
    bench.close()
    said = bench.transcript_path.read_text()
    assert said.index("power off") < said.index("power on") < said.rindex("READY")


def test_a_port_that_goes_with_the_power_is_not_lost(
    hub: UsbHub, tmp_path: Path
) -> None:
    # Nothing says reappears_within_ms: that a hub switches the port is enough.
    bench = bench_on(on(hub), tmp_path)
    bench.power_off()
    bench.run_for(100)
    bench.send("nobody hears this")
    bench.power_on()
    bench.expect("^boot 2$", within_ms=5000)
    bench.send("hello")
    assert hub.pty.hear(6) == b"hello\n"
    bench.close()


def test_a_power_cycle_by_a_hub_implies_that_the_port_comes_back(hub: UsbHub) -> None:
    board = SerialPort().boot(on(hub), NO_IMAGE)
    under_test(board).power_cycle()
    heard = b""
    while not heard:
        board.advance(20)
        heard = b"".join(chunk.data for chunk in board.receive())
    assert heard == b"boot 2\n"
    assert hub.switched == ["off", "on"]
    board.close()


def test_a_port_that_goes_without_a_switch_is_lost_all_the_same(hub: UsbHub) -> None:
    board = SerialPort().boot(on(hub), NO_IMAGE)
    hub.pty.unplug()
    with pytest.raises(BoardLost, match="was unplugged"):
        board.advance(5000)
    board.close()


def test_the_next_test_finds_power_and_port(hub: UsbHub) -> None:
    board = SerialPort().boot(on(hub), NO_IMAGE)
    under_test(board).power_off()
    board.advance(50)
    board.close()
    assert hub.switched == ["off", "on"]
    after = SerialPort().boot(on(hub), NO_IMAGE)
    after.close()
