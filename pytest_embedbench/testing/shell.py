"""The benchmark's firmware shell as a Loopback firmware, around any controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pytest_embedbench.testing.loopback import Firmware, LoopbackUart

    Controller = Callable[[str, int], tuple[str, ...] | None]

READ_WAIT_MS = 50
HEARTBEAT_MS = 1000


def line_shell(banner: tuple[str, ...], make: Callable[[], Controller]) -> Firmware:
    """Return a firmware that reads lines with a 50 ms wait, and idles in between.

    It says ``banner`` at boot, then ``DBG HEARTBEAT`` once a second. ``make`` makes
    the controller of one boot: a function from a line and the time in ms to the
    lines of the reply. An idle step is the empty line; ``None`` is no reply.
    """

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        controller = make()
        _say(uart, banner)
        beat_ms = uart.now_ms + HEARTBEAT_MS
        pending = b""
        while True:
            yield from _read_wait(uart)
            *lines, pending = (pending + uart.read()).split(b"\n")
            for line in (*lines, b""):
                _say(uart, controller(_text(line), uart.now_ms) or ())
            if uart.now_ms >= beat_ms:
                _say(uart, ("DBG HEARTBEAT",))
                beat_ms = uart.now_ms + HEARTBEAT_MS

    return firmware


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()


def _read_wait(uart: LoopbackUart) -> Generator[int, None, None]:
    """Sleep until 50 ms have passed since the start, or since the last byte."""
    ends_us = uart.now_us + READ_WAIT_MS * 1000
    while uart.now_us < ends_us:
        yield (ends_us - uart.now_us) // 1000
        ends_us = max(ends_us, uart.heard_at_us + READ_WAIT_MS * 1000)


def _say(uart: LoopbackUart, lines: tuple[str, ...]) -> None:
    for line in lines:
        uart.write(line.encode() + b"\n")
