"""A gdb stub with a guest of a few words of memory, in a thread: no emulator needed.

The guest writes its words in a fixed order, again and again, as a tick does. Where a
word is watched it stops before the write, as QEMU does.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pytest_embedbench.engines.qemu.packets import packet
from pytest_embedbench.engines.qemu.rsp import Stub
from pytest_embedbench.processes.channel import Channel
from pytest_embedbench.processes.time_budget import TimeBudget

ENTRY = 0x4000
ROM_WAIT, ROM_END = 0x8000, 0x8010


@dataclass(frozen=True)
class Write:
    """The guest stores ``value`` at ``address``, or runs into a breakpoint there."""

    address: int
    value: int
    traps: bool = False


@dataclass
class FakeGuest:
    """Speaks the protocol on one end of a socket pair until it is hung up on."""

    script: Iterator[Write]
    memory: dict[int, int] = field(default_factory=dict[int, int])
    watched: set[int] = field(default_factory=set[int])
    breakpoints: set[int] = field(default_factory=set[int])
    hangs_on: bytes = b"\0"
    """A request that starts like this is never answered."""
    rom_stops: int = 0
    """How often it stops at ``ROM_WAIT`` before it comes to its entry."""
    _pc: int = 0
    _due: Write | None = None
    _entered: bool = False

    def serve(self, end: socket.socket) -> None:
        """Answer requests one after the other."""
        data = b""
        while more := end.recv(65536):
            data += more
            while b"#" in data and len(data) >= data.index(b"#") + 3:
                request = data[data.index(b"$") + 1 : data.index(b"#")]
                data = data[data.index(b"#") + 3 :]
                if not request.startswith(self.hangs_on):
                    end.sendall(packet(self.answer(request)))

    def answer(self, request: bytes) -> bytes:
        if request[:3] in (b"Z0,", b"z0,", b"Z2,", b"z2,"):
            places = self.watched if request[1:2] == b"2" else self.breakpoints
            address = int(request[3:].split(b",")[0], 16)
            (places.add if request[:1] == b"Z" else places.remove)(address)
        answer = b"OK"
        match request[:1]:
            case b"m":
                address = int(request[1:].split(b",")[0], 16)
                answer = word(self.memory.get(address, 0))
            case b"M":
                place, _, digits = request[1:].partition(b":")
                at = int(place.split(b",")[0], 16)
                (self.memory[at],) = struct.unpack("<I", bytes.fromhex(digits.decode()))
            case b"g":
                answer = word(self._pc)
            case b"v":
                answer = self._run() if request == b"vCont;c" else self._step()
        return answer

    def _run(self) -> bytes:
        if self.rom_stops and ROM_WAIT in self.breakpoints:
            self.rom_stops -= 1
            self._pc = ROM_WAIT
            return b"T05thread:01;"
        if ROM_END in self.breakpoints:
            self._pc = ROM_END
            return b"T05thread:01;"
        if not self._entered:
            self._entered = True
            self._pc = ENTRY
            return b"T05thread:01;"
        while True:
            if self._due is None:
                self._due = next(self.script)
            if self._due.traps:
                self._pc = self._due.address
                return b"T05thread:01;"
            if self._due.address in self.watched:
                return b"T05thread:01;watch:%08x;" % self._due.address
            self._perform()

    def _step(self) -> bytes:
        if self._entered:
            self._perform()
        return b"T05thread:01;"

    def _perform(self) -> None:
        if self._due is None:
            self._due = next(self.script)
        self.memory[self._due.address] = self._due.value
        self._due = None


def word(value: int) -> bytes:
    return struct.pack("<I", value).hex().encode()


@contextmanager
def serving(guest: FakeGuest, wall_s: float = 20.0) -> Iterator[Stub]:
    """Yield a stub that talks with ``guest``."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=guest.serve, args=(theirs,))
    thread.start()
    try:
        yield Stub(Channel(ours, os.getpid(), TimeBudget(wall_s=wall_s)))
    finally:
        ours.close()
        thread.join()
        theirs.close()
