"""A board behind a network is a board: pyserial's RFC 2217 server, and bare sockets."""

from __future__ import annotations

import select
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.engines.serial_port import SerialBoard, SerialPort
from pytest_embedbench.errors import (
    BoardBusy,
    BoardGivenUp,
    BoardLost,
    BoardUnreachable,
    ConfigError,
    FirmwareStuck,
    NotSupported,
)
from pytest_embedbench.flashing import FlashSettings, identify
from pytest_embedbench.flashing.esptool import Esptool
from pytest_embedbench.lab.ports.network import Rfc2217Port, SocketPort
from pytest_embedbench.lab.ports.opening import open_port
from pytest_embedbench.model import NO_IMAGE
from pytest_embedbench.testing import check_engine, tank_firmware
from tests.support.boards import board as datasheet, image
from tests.support.esp_rom import MOCK_MAC, rom_on_a_device
from tests.support.network_ports import (
    Lineless,
    Purging,
    SharedPort,
    echo,
    hang_up,
    say_nothing,
    served,
    server,
)
from tests.support.pty_board import Pty, PtyBoard, spec_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_embedbench.model import Option

WITHIN_S = 5.0
SCHEMES = ("rfc2217", "socket")
EVERY_BYTE = bytes(range(256)) * 4 + b"\xff\xff\xf0\xff\xfa\r\n\r\x00"


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.unplug()


@pytest.fixture
def boot(tmp_path: Path) -> Iterator[Callable[..., SerialBoard]]:
    firmware = image(tmp_path / "image", {"firmware.bin": b"new"})
    with ExitStack() as opened:

        def boot(port: str, **options: Option) -> SerialBoard:
            spec = spec_for(port, **options)
            flashed = "flash_method" in options
            board = SerialPort().boot(spec, firmware if flashed else NO_IMAGE)
            opened.callback(board.close)
            return board

        yield boot


def shared(pty: Pty, scheme: str, greeting: bytes = b"") -> SharedPort:
    """Return what a server of this kind does with a device."""
    port = SharedPort(pty.path, greeting=greeting)
    if scheme == "socket":
        port.manager = None
    return port


def heard(board: SerialBoard, count: int) -> bytes:
    """Advance until so many bytes are in."""
    deadline = Deadline(WITHIN_S)
    data = b""
    while len(data) < count and not deadline.passed():
        board.advance(5)
        data += b"".join(chunk.data for chunk in board.receive())
    return data


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_board_behind_a_network_keeps_the_contract(scheme: str) -> None:
    # U10: among it, that no wait outlasts its budget.
    device = PtyBoard(tank_firmware)
    with server(shared(device.pty, scheme)) as desk:
        check_engine(SerialPort(), spec_for(f"{scheme}://{desk.place}"), NO_IMAGE)
    device.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_tank_runs_on_a_board_behind_a_network(
    boot: Callable[..., SerialBoard], tmp_path: Path, scheme: str
) -> None:
    device = PtyBoard(tank_firmware)
    with server(shared(device.pty, scheme)) as desk:
        bench = Bench(boot(f"{scheme}://{desk.place}"), tmp_path)
        bench.send("SENSE LEVEL 20")
        bench.expect("ACT PUMP ON", within_ms=2000)
        bench.send("SENSE LEVEL 85")
        bench.expect("ACT PUMP OFF", within_ms=2000)
        bench.close()
    device.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_any_byte_arrives_on_either_side(
    boot: Callable[..., SerialBoard], pty: Pty, scheme: str
) -> None:
    # B20, U2: 255 is what Telnet begins its commands with.
    with server(shared(pty, scheme)) as desk:
        board = boot(f"{scheme}://{desk.place}")
        pty.say(EVERY_BYTE)
        assert heard(board, len(EVERY_BYTE)) == EVERY_BYTE
        board.send(EVERY_BYTE)
        board.advance(5)
        assert pty.hear(len(EVERY_BYTE)) == EVERY_BYTE
        board.close()


def test_more_than_a_fast_uart_can_carry_gets_through(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    sent = b"".join(b"%07d\n" % number for number in range(4000))
    with server(shared(pty, "rfc2217")) as desk:
        board = boot(f"rfc2217://{desk.place}")
        board.send(sent)
        assert pty.hear(len(sent)) == sent
        assert board.now_us() < 3_000_000, "slower than 115200 baud"
        board.close()


def test_a_server_need_not_confirm_a_purge(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B20: pyserial's client gives up after 3 s, in opening and in closing.
    with server(SharedPort(pty.path, manager=Purging)) as desk:
        board = boot(f"rfc2217://{desk.place}")
        pty.say(b"here\n")
        assert heard(board, 5) == b"here\n"
        board.close()


class SlowSocket(SocketPort):
    """A client that takes so long to set up that the board has spoken meanwhile."""

    def _reconfigure_port(self) -> None:
        super()._reconfigure_port()  # type: ignore[misc]  # unknown to the stubs
        assert self._socket is not None
        select.select([self._socket], [], [], WITHIN_S)


class SlowRfc2217(Rfc2217Port):
    """The same with modem lines."""

    def _reconfigure_port(self) -> None:
        super()._reconfigure_port()  # type: ignore[misc]  # unknown to the stubs
        deadline = Deadline(WITHIN_S)
        while not self.in_waiting and not deadline.passed():
            pause(0.005)


@pytest.mark.parametrize("kind", [SlowSocket, SlowRfc2217])
def test_what_a_new_firmware_says_while_we_connect_is_heard(
    pty: Pty, kind: type[SlowSocket | SlowRfc2217]
) -> None:
    # F5: pyserial drops what is there by the time that it is connected.
    scheme = "socket" if kind is SlowSocket else "rfc2217"

    def make(address: str, **settings: Any) -> SlowSocket | SlowRfc2217:  # noqa: ANN401  # pyserial's own
        settings.pop("do_not_open")
        port = kind(**settings)
        port.port = address
        return port

    with server(shared(pty, scheme, greeting=b"I am new\n")) as desk:
        port = open_port(f"{scheme}://{desk.place}", baud_bps=115_200, make=make)
        assert port.read(9) == b"I am new\n"
        port.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("dtr", [False, True])
def test_the_lines_stand_as_the_options_say_and_never_otherwise(
    boot: Callable[..., SerialBoard], pty: Pty, scheme: str, *, dtr: bool
) -> None:
    # B1: DTR asserted for a moment is a reset.
    service = shared(pty, scheme)
    with server(service) as desk:
        board = boot(f"{scheme}://{desk.place}", dtr=dtr)
        board.close()
    said = [f"D{dtr:d}", "R1"] if scheme == "rfc2217" else []
    assert service.lines == said


def test_reset_is_pressed_through_the_network(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    service = shared(pty, "rfc2217")
    with server(service) as desk:
        board = boot(f"rfc2217://{desk.place}", reset_sequence="arduino")
        service.lines.clear()
        under_test(board).reset()
        assert service.lines == ["D0", "R0", "D1", "R1"]
        board.close()


def test_lines_that_a_server_does_not_confirm_press_no_reset(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B20: 'ser2net' on a port without lines; the board itself can be talked to.
    with server(SharedPort(pty.path, manager=Lineless)) as desk:
        url = f"rfc2217://{desk.place}?timeout=0.3"
        board = boot(url)
        pty.say(b"here\n")
        assert heard(board, 5) == b"here\n"
        board.close()
        with pytest.raises(NotSupported, match="this port has no control lines"):
            boot(url, reset_sequence="arduino")


def test_a_socket_has_no_lines_to_press_reset_with(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    with (
        server(shared(pty, "socket")) as desk,
        pytest.raises(
            ConfigError, match=r"options\.reset_sequence: socket:// has neither DTR"
        ),
    ):
        boot(f"socket://{desk.place}", reset_sequence="arduino")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_connection_that_breaks_loses_the_board(
    boot: Callable[..., SerialBoard], pty: Pty, scheme: str
) -> None:
    # B3: what was said before is not lost, and later tests do not wait for it.
    with server(shared(pty, scheme)) as desk:
        board = boot(f"{scheme}://{desk.place}")
        pty.say(b"last words")
        assert heard(board, 10) == b"last words"
        desk.down()
        with pytest.raises(BoardLost, match=rf"the connection to .*{desk.place} broke"):
            board.advance(5000)
        board.close()
        with pytest.raises(BoardGivenUp, match="broke"):
            boot(f"{scheme}://{desk.place}")


def test_the_last_words_of_a_server_that_goes_are_heard(pty: Pty) -> None:
    # B3: pyserial's reader thread is gone by the time that we read.
    with server(shared(pty, "rfc2217", greeting=b"panic")) as desk:
        port = open_port(f"rfc2217://{desk.place}", baud_bps=115_200)
        desk.down()
        assert port.read(5) == b"panic"
        port.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_board_whose_server_comes_back_is_followed(
    boot: Callable[..., SerialBoard], pty: Pty, scheme: str
) -> None:
    # B8: native USB takes the server's port along at every reset.
    service = shared(pty, scheme)
    with server(service) as desk:
        board = boot(f"{scheme}://{desk.place}", reappears_within_ms=5000)
        desk.down()
        board.advance(10)
        board.send(b"hello")
        service.greeting = b"back\n"
        desk.up()
        assert heard(board, 5) == b"back\n"
        assert pty.hear(5) == b"hello"
        board.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_server_that_is_not_there_is_named(
    boot: Callable[..., SerialBoard], scheme: str
) -> None:
    with served(echo) as place:
        pass
    with pytest.raises(BoardUnreachable, match=f"{scheme}://{place} cannot be opened"):
        boot(f"{scheme}://{place}")


@pytest.mark.parametrize("serve", [say_nothing, echo, hang_up])
def test_what_is_no_rfc_2217_server_is_told_in_time(
    boot: Callable[..., SerialBoard], serve: Callable[..., None]
) -> None:
    with (
        served(serve) as place,
        pytest.raises(BoardUnreachable, match=f"{place}.* cannot be opened: ") as told,
    ):
        boot(f"rfc2217://{place}?timeout=0.2")
    assert ("the server said: 'bye'" in str(told.value)) is (serve is hang_up)


def test_a_server_that_hangs_up_at_once_is_told_in_words(
    boot: Callable[..., SerialBoard], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hung_up(_: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("serial.rfc2217.Serial.open", hung_up)
    with pytest.raises(BoardUnreachable, match="the server hung up before it had"):
        boot("rfc2217://127.0.0.1:4000")


def test_a_server_with_a_client_already_says_so(
    boot: Callable[..., SerialBoard],
    pty: Pty,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    # B2: the other one is on another machine, whose locks we do not see.
    with server(shared(pty, "rfc2217")) as desk:
        board = boot(f"rfc2217://{desk.place}")
        monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "elsewhere"))
        with pytest.raises(BoardUnreachable, match="said: 'Port already in use'"):
            boot(f"rfc2217://{desk.place}?timeout=0.2")
        board.close()


def test_one_remote_port_has_one_lock_whatever_it_is_called(
    boot: Callable[..., SerialBoard], pty: Pty
) -> None:
    # B2, B12
    with server(shared(pty, "socket")) as desk:
        board = boot(f"socket://{desk.place}")
        number = desk.place.partition(":")[2]
        with pytest.raises(BoardBusy, match="is in use by this very test already"):
            boot(f"rfc2217://LocalHost:{number}?timeout=1")
        board.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_board_that_never_reads_stalls_nobody(
    boot: Callable[..., SerialBoard], pty: Pty, scheme: str
) -> None:
    # B7: pyserial's RFC 2217 client would wait for 5 s, and then call it broken.
    with server(shared(pty, scheme)) as desk:
        board = boot(f"{scheme}://{desk.place}", takes_within_ms=100)
        board.send(b"x" * 12_000_000)
        with pytest.raises(FirmwareStuck, match=r"took nothing for 0\.1 s"):
            board.advance(20_000)
        board.close()


def test_esptool_finds_its_chip_through_an_rfc_2217_server() -> None:
    for module in ("esptool", "esp32_mock_bootloader"):
        pytest.importorskip(module, reason="pip install 'pytest-embedbench[test]'")
    method = Esptool(before="no-reset", restart="no-reset", stub=False)
    settings = FlashSettings(method=method)
    with rom_on_a_device("esp32") as device, server(SharedPort(device)) as desk:
        url = f"rfc2217://{desk.place}?ign_set_control"
        identity = identify(datasheet("esp32"), url, settings)
    assert identity is not None
    assert identity.serial == MOCK_MAC
