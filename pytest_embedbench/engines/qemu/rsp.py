"""GDB's remote serial protocol, as far as running in lockstep needs it.

Requests go out in one write and are answered in their order, so that many cost one
round trip. We never acknowledge, and skip the acknowledgements of the other end.
"""

from __future__ import annotations

import contextlib
import re
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from struct import (
    Struct,
    error as StructError,  # noqa: N812  # it is a class
)
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.engines.qemu.packets import PacketReader, packet
from pytest_embedbench.processes.channel_errors import Disconnected, ProtocolError

if TYPE_CHECKING:
    from pytest_embedbench.processes.channel import Channel

_U32 = Struct("<I")
_OK = b"OK"
_STOP = re.compile(rb"[ST][0-9a-fA-F]{2}(.*)", re.DOTALL)
_WATCHED = re.compile(rb"\b[ra]?watch:([0-9a-fA-F]+)")
_THREAD = re.compile(rb"\bthread:(?:p[0-9a-fA-F]+\.)?([0-9a-fA-F]+)")


class Stop(NamedTuple):
    """Why the guest stands still.

    ``watched`` is the address whose watchpoint was hit, if that is the reason.
    """

    watched: int | None
    thread: bytes


@dataclass(slots=True)
class Stub:
    """The gdb stub of an emulator whose guest stands still between calls.

    Any call may raise ``Disconnected``, ``ProtocolError`` or ``NoAnswer``.
    """

    channel: Channel
    _reader: PacketReader = field(default_factory=PacketReader, init=False)
    _ready: deque[bytes] = field(default_factory=deque[bytes], init=False)
    _unanswered: deque[bytes] = field(default_factory=deque[bytes], init=False)
    _thread: bytes = field(default=b"1", init=False)

    def ask(self, *requests: bytes) -> list[bytes]:
        """Send ``requests`` at once; return their replies."""
        self._send(*requests)
        return [self._receive() for _ in requests]

    def do(self, *requests: bytes) -> None:
        """Send ``requests``; raise ``ProtocolError`` unless each answers ``OK``."""
        self._send(*requests)
        for request in requests:
            self._receive_ok(request)

    def resume(self, *before: bytes) -> Stop:
        """Do what ``before`` says, let the guest run, and wait until it stops."""
        return self._run(*before, b"vCont;c")

    def step(self, *before: bytes) -> Stop:
        """Do what ``before`` says; let the thread that stopped do one instruction."""
        return self._run(*before, b"vCont;s:%s" % self._thread)

    def let_run(self) -> None:
        """Let the guest run, and do not wait for it to stop: it is not to."""
        self.channel.write(packet(b"vCont;c"))

    def interrupt(self) -> Stop:
        """Stop a guest that runs: after a ``resume`` that was given up."""
        self.channel.write(b"\x03")
        return self._stopped()

    def read_word(self, address: int) -> int:
        """Return the little-endian 32-bit number at ``address``."""
        return _word(self.ask(b"m%x,4" % address)[0])

    def read_register(self, number: int) -> int:
        """Return a register of the thread that stopped; all up to it have 32 bits."""
        return _word(self.ask(b"g")[0][number * 8 :][:8])

    def monitor(self, command: str) -> str:
        """Have QEMU's own monitor obey ``command``; return what it says."""
        self._send(b"qRcmd," + command.encode().hex().encode())
        said = b""
        while (reply := self._next_packet()) != _OK:
            if reply[:1] != b"O":
                raise ProtocolError(f"no monitor behind the gdb stub: {reply!r}")
            said += bytes.fromhex(reply[1:].decode())
        self._unanswered.popleft()
        return said.decode(errors="replace").strip()

    def kill(self) -> None:
        """Tell the emulator to end, which it hears while its guest stands still."""
        with contextlib.suppress(OSError):
            self.channel.end.send(packet(b"k"))
        self.channel.close()

    def _run(self, *requests: bytes) -> Stop:
        self._send(*requests)
        for request in requests[:-1]:
            self._receive_ok(request)
        return self._stopped()

    def _stopped(self) -> Stop:
        stop = _stop(self._receive())
        self._thread = stop.thread
        return stop

    def _send(self, *requests: bytes) -> None:
        self._unanswered.extend(requests)
        self.channel.write(b"".join([packet(request) for request in requests]))

    def _receive_ok(self, request: bytes) -> None:
        reply = self._receive()
        if reply != _OK:
            raise ProtocolError(f"the gdb stub refuses {request!r}: {reply!r}")

    def _receive(self) -> bytes:
        """Return the reply to the oldest request that has none yet."""
        reply = self._next_packet()
        self._unanswered.popleft()
        return reply

    def _next_packet(self) -> bytes:
        while not self._ready:
            packets, again = self._reader.feed(self.channel.read())
            self._ready += packets
            if again:
                lost = list(self._unanswered)[len(self._ready) :]
                self.channel.write(b"".join([packet(request) for request in lost]))
        return self._ready.popleft()


def _word(digits: bytes) -> int:
    try:
        (number,) = _U32.unpack(bytes.fromhex(digits.decode()))
    except (ValueError, StructError):
        raise ProtocolError(f"{digits!r} is no 32-bit number") from None
    return int(number)


@lru_cache(256)
def _stop(reply: bytes) -> Stop:
    match = _STOP.fullmatch(reply)
    if match is None:
        if reply[:1] in (b"W", b"X"):
            raise Disconnected
        raise ProtocolError(
            f"the gdb stub sent {reply[:40]!r} where the guest should stop"
        )
    watched = _WATCHED.search(match[1])
    thread = _THREAD.search(match[1])
    return Stop(
        watched=int(watched[1], 16) if watched else None,
        thread=thread[1] if thread else b"1",
    )
