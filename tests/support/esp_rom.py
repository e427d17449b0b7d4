"""An ESP chip behind a TCP port: a mock bootloader, and a relay that spoils answers.

The mock answers as a healthy chip does; what goes wrong on real benches is done to its
answers on their way to esptool.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.processes import spawn, stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SYNC, READ_REG, FLASH_MD5 = 0x08, 0x0A, 0x13
FLASH_WRITES = frozenset({0x03, 0x11})
"""Data as it is, and compressed."""
MOCK_MAC = "24:0a:c4:e2:95:26"
"""What the mock's ESP32 has in its efuses."""
_EFUSE_MAC_LOW, _EFUSE_MAC_HIGH = 0x3FF5_A004, 0x3FF5_A008
_END, _ESCAPE = 0xC0, 0xDB


class Exchange(NamedTuple):
    """One answer on its way back: which run of the tool asked what."""

    run: int
    command: int
    request: bytes
    answer: bytes


@dataclass(slots=True)
class Rom:
    """A chip to flash; ``spoil`` may change each answer, or return none."""

    port: str
    spoil: Callable[[Exchange], bytes]
    commands: list[tuple[int, int]] = field(default_factory=list)
    """Every command that was seen: the run of the tool, and its number."""

    def runs(self) -> int:
        """How often a tool has connected and said something."""
        return len({run for run, _ in self.commands})

    def wrote(self) -> bool:
        return any(command in FLASH_WRITES for _, command in self.commands)


def healthy(exchange: Exchange) -> bytes:
    return exchange.answer


def noisy(runs: int) -> Callable[[Exchange], bytes]:
    """For some runs the application talks into the handshake."""

    def spoil(exchange: Exchange) -> bytes:
        if exchange.run < runs and exchange.command == SYNC:
            return b"\x1b[32mI (312) app: tick\r\n"
        return exchange.answer

    return spoil


def with_mac(mac: str) -> Callable[[Exchange], bytes]:
    """The efuses hold another MAC."""
    octets = bytes.fromhex(mac.replace(":", ""))
    words = {
        _EFUSE_MAC_LOW: octets[2:][::-1],
        _EFUSE_MAC_HIGH: octets[:2][::-1] + bytes(2),
    }

    def spoil(exchange: Exchange) -> bytes:
        address = int.from_bytes(exchange.request[:4], "little")
        if exchange.command == READ_REG and address in words:
            head, tail = exchange.answer[:4], exchange.answer[8:]
            return head + words[address] + tail
        return exchange.answer

    return spoil


def refusing_data(*, runs: range) -> Callable[[Exchange], bytes]:
    """In some runs the flash does not take what is written."""

    def spoil(exchange: Exchange) -> bytes:
        if exchange.run in runs and exchange.command in FLASH_WRITES:
            return exchange.answer[:8] + b"\x01\x06" + exchange.answer[10:]
        return exchange.answer

    return spoil


def rotten(*, runs: range) -> Callable[[Exchange], bytes]:
    """In some runs the flash reads back as something else."""

    def spoil(exchange: Exchange) -> bytes:
        if exchange.run in runs and exchange.command == FLASH_MD5:
            return exchange.answer[:8] + bytes(16) + exchange.answer[24:]
        return exchange.answer

    return spoil


@contextmanager
def rom(
    chip: str = "esp32", spoil: Callable[[Exchange], bytes] = healthy
) -> Iterator[Rom]:
    """Run a chip; its flash keeps what is written for as long as the block lasts."""
    with (
        _mock(chip, "--port", "0") as said,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        board = Rom(f"socket://127.0.0.1:{server.getsockname()[1]}", spoil)
        upstream = int(said.rpartition(":")[2])
        thread = threading.Thread(target=_serve, args=(server, upstream, board))
        thread.start()
        try:
            yield board
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@contextmanager
def rom_on_a_device(chip: str) -> Iterator[str]:
    """Run a healthy chip behind a device path, already in its bootloader."""
    with _mock(chip, "--pty") as said:
        yield said


@contextmanager
def _mock(chip: str, *words: str) -> Iterator[str]:
    """Run the mock, and return the first that it says: where it is."""
    argv = [sys.executable, "-m", "esp32_mock_bootloader.cli", "run", *words]
    process = spawn([*argv, "--chip", chip], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        with process.stdout as said:
            yield said.readline().decode().strip()
    finally:
        stop(process)


def _serve(server: socket.socket, upstream: int, board: Rom) -> None:
    run = 0
    while True:
        try:
            tool, _ = server.accept()
        except OSError:
            return
        before = len(board.commands)
        with tool, socket.create_connection(("127.0.0.1", upstream)) as chip:
            _relay(tool, chip, run, board)
        run += len(board.commands) > before


def _relay(tool: socket.socket, chip: socket.socket, run: int, board: Rom) -> None:
    asked: dict[int, bytes] = {}

    def pass_on() -> None:
        for frame in _frames(tool):
            command = frame[1] if len(frame) > 1 else 0
            asked[command] = frame[8:]
            board.commands.append((run, command))
            chip.sendall(_slip(frame))
        chip.shutdown(socket.SHUT_RDWR)

    forward = threading.Thread(target=pass_on)
    forward.start()
    for frame in _frames(chip):
        command = frame[1] if len(frame) > 1 else 0
        exchange = Exchange(run, command, asked.get(command, b""), frame)
        answer = board.spoil(exchange) if frame[:1] == b"\x01" else frame
        is_noise = answer[:1] == b"\x1b"
        tool.sendall(answer if is_noise else _slip(answer))
    forward.join()


def _frames(stream: socket.socket) -> Iterator[bytes]:
    pending = bytearray()
    while True:
        try:
            data = stream.recv(1 << 16)
        except OSError:
            return
        if not data:
            return
        pending += data
        *whole, rest = pending.split(bytes([_END]))
        pending = bytearray(rest)
        for frame in filter(None, whole):
            unescaped = frame.replace(b"\xdb\xdc", b"\xc0")
            yield bytes(unescaped.replace(b"\xdb\xdd", b"\xdb"))


def _slip(frame: bytes) -> bytes:
    escaped = frame.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")
    return bytes([_END]) + escaped + bytes([_END])
