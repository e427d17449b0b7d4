"""The packets of GDB's remote serial protocol. Pure: feed it, read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pytest_embedbench.processes.channel_errors import ProtocolError


@dataclass(slots=True)
class PacketReader:
    """Feed bytes as they come; get whole packets. Pure."""

    _rest: bytes = b""

    def feed(self, data: bytes) -> tuple[tuple[bytes, ...], bool]:
        """Return the packets that ``data`` completes, and whether one is asked again.

        Raises:
            ProtocolError: bytes between packets, or a wrong checksum.
        """
        packets, again, self._rest = _split(self._rest + data)
        return packets, again


# A lockstep says and hears the same few things thousands of times a second.
@lru_cache(256)
def packet(payload: bytes) -> bytes:
    """Return what goes over the wire for ``payload``."""
    return b"$%s#%02x" % (payload, sum(payload) & 0xFF)


@lru_cache(256)
def _split(data: bytes) -> tuple[tuple[bytes, ...], bool, bytes]:
    """Return the whole packets, whether one is asked again, and what is not whole."""
    packets: list[bytes] = []
    again = False
    at = 0
    while at < len(data):
        if data[at] != ord("$"):
            if data[at] == ord("-"):
                again = True
            elif data[at] != ord("+"):
                raise ProtocolError(f"the gdb stub sent {data[at : at + 40]!r}")
            at += 1
            continue
        end = data.find(b"#", at)
        if end < 0 or len(data) < end + 3:
            break
        packets.append(_checked(data[at + 1 : end], data[end + 1 : end + 3]))
        at = end + 3
    return tuple(packets), again, data[at:]


def _checked(payload: bytes, checksum: bytes) -> bytes:
    if b"%02x" % (sum(payload) & 0xFF) != checksum.lower():
        raise ProtocolError(f"the gdb stub sent {payload[:40]!r} with a wrong checksum")
    return payload
