"""A board behind a pseudo-terminal: what a real port sees, without a real board."""

from __future__ import annotations

import os
import select
import threading
import tty
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.model import BoardSpec, UartSpec
from pytest_embedbench.testing import LOOPBACK_SPEC, Loopback, loopback_image

if TYPE_CHECKING:
    from pytest_embedbench.model import Option
    from pytest_embedbench.testing import Firmware

TICK_S = 0.005


def spec_for(port: str, **options: Option) -> BoardSpec:
    """Return the datasheet of a board on a port."""
    return BoardSpec(
        name="desk",
        engine="serial",
        mcu="any",
        cpu_hz=1,
        uarts=(UartSpec(name="uart0", baud_bps=115_200),),
        environments=("none",),
        options={"port": port, "wait_s": 5, **options},
    )


@dataclass(slots=True, eq=False)
class Pty:
    """The board's end of a pseudo-terminal, and the name of ours."""

    board: int = field(init=False)
    path: str = field(init=False)
    _port: int = field(init=False)

    def __post_init__(self) -> None:
        self.board, self._port = os.openpty()
        # Without a reader that stays, the board's end breaks between two openings.
        tty.setraw(self._port)
        self.path = os.ttyname(self._port)

    def say(self, data: bytes) -> None:
        """Send as the board."""
        os.write(self.board, data)

    def hear(self, count: int, within_s: float = 5.0) -> bytes:
        """Return the next ``count`` bytes that the board was sent."""
        heard = b""
        while len(heard) < count and select.select([self.board], [], [], within_s)[0]:
            heard += os.read(self.board, count - len(heard))
        return heard

    def unplug(self) -> None:
        """Take the board away; safe to call twice."""
        for name in ("_port", "board"):
            if getattr(self, name) >= 0:
                os.close(getattr(self, name))
                setattr(self, name, -1)


@dataclass(frozen=True, slots=True)
class Button:
    """A reset button for commands: FIFOs in a folder, there and back."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("pressed", "obeyed"):
            os.mkfifo(self.folder / name)

    def command(self, word: str) -> tuple[str, ...]:
        """Return what has the board obey ``hold`` or ``go``, and then ends."""
        script = f"echo {word} > pressed; read answer < obeyed"
        return ("sh", "-c", f"cd '{self.folder}'; {script}")

    def open(self) -> tuple[int, int]:
        """Return the board's ends."""
        flags = os.O_RDWR | os.O_NONBLOCK
        pressed = os.open(self.folder / "pressed", flags)
        return pressed, os.open(self.folder / "obeyed", flags)


@dataclass(slots=True, eq=False)
class PtyBoard:
    """A Loopback firmware in real time behind a pseudo-terminal, on a thread."""

    firmware: Firmware
    button: Button | None = None
    pty: Pty = field(default_factory=Pty)
    _stop: tuple[int, int] = field(default_factory=os.pipe, init=False)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def path(self) -> str:
        """The port."""
        return self.pty.path

    def close(self) -> None:
        """End the firmware and take the port away."""
        os.write(self._stop[1], b"!")
        self._thread.join()
        self.pty.unplug()
        for descriptor in self._stop:
            os.close(descriptor)

    def _run(self) -> None:
        board = Loopback(self.firmware).boot(LOOPBACK_SPEC, loopback_image())
        pressed, obeyed = self.button.open() if self.button else (-1, -1)
        inputs = [self.pty.board, self._stop[0], *([pressed] if self.button else [])]
        last_s, held = host_now_s(), False
        while True:
            ready, _, _ = select.select(inputs, [], [], TICK_S)
            if self._stop[0] in ready:
                break
            if pressed in ready:
                held = b"hold" in os.read(pressed, 4096)
                board.reset()
                os.write(obeyed, b"yes\n")
            if self.pty.board in ready:
                board.link().send(os.read(self.pty.board, 4096))
            due_ms = int((host_now_s() - last_s) * 1000)
            last_s += due_ms / 1000
            board.advance(0 if held else due_ms)
            for chunk in board.link().receive():
                self.pty.say(chunk.data if not held else b"")
        for descriptor in (pressed, obeyed):
            if descriptor >= 0:
                os.close(descriptor)
