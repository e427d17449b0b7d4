"""A program whose UART is joined to another board's: bytes with their times."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import WireByte
from pytest_embedbench.engines.native import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.model import Chunk, UartSpec

_BITS_PER_BYTE = 10  # 8N1
_TOLERANCE = 0.05


class NativeWire:
    """What goes to a program and comes from it while its UART is joined."""

    def __init__(self, uart: UartSpec) -> None:
        self._name = uart.name
        self._byte_ns = round(_BITS_PER_BYTE * 1e9 / uart.baud_bps)
        self._is_joined = False
        self._wire_free_ns = 0
        self._of_bench: deque[tuple[int, int]] = deque()
        self._begun: list[WireByte] = []
        self._is_told = False
        self._garbled = self._garbled_ns = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not understood."""
        if not self._garbled:
            return ()
        lost = (
            f"{self._name} lost {self._garbled} bytes: the other board sends at about"
        )
        speeds = f"{_bps(self._garbled_ns)} Bd, and the firmware listens at about"
        ours = f"{_bps(self._byte_ns)} Bd: a real one would read garbage"
        return (f"{lost} {speeds} {ours}",)

    def body(
        self, heard: Sequence[WireByte], sent: bytes, now_us: int, until_us: int
    ) -> bytes:
        """Return what is to be heard up to then, also of what the bench sends."""
        self._is_joined = True
        self._queue(sent, now_us)
        coming = [
            (byte.ends_us, byte.value) for byte in heard if self._understands(byte)
        ]
        while self._of_bench and self._of_bench[0][0] <= until_us:
            coming.append(self._of_bench.popleft())
        coming.sort(key=lambda byte: byte[0])
        return protocol.join_stretches((at_us, bytes([it])) for at_us, it in coming)

    def take(self, said: Sequence[Chunk]) -> list[Chunk]:
        """Return what has been said, and keep for ``begun`` what nobody was told of."""
        if not self._is_joined:
            return list(said)
        for at_us, data in said:
            ended_ns = (at_us & ~protocol.GOING) * 1000
            for place, value in enumerate(data, start=1 - len(data)):
                self._tell(ended_ns + place * self._byte_ns, value)
                self._is_told = bool(at_us & protocol.GOING)
        return [chunk for chunk in said if not chunk.at_us & protocol.GOING]

    def begin_anew(self) -> None:
        """Forget the byte that the program was in the middle of."""
        self._is_told = False
        self._of_bench.clear()

    def begun(self) -> Sequence[WireByte]:
        """Return what has begun to go out since the last call."""
        begun, self._begun = self._begun, []
        return begun

    def _tell(self, ends_ns: int, value: int) -> None:
        if not self._is_told:
            begins_us = (ends_ns - self._byte_ns) // 1000
            byte = WireByte(self._name, begins_us, ends_ns // 1000, value)
            self._begun.append(byte)

    def _queue(self, sent: bytes, now_us: int) -> None:
        self._wire_free_ns = max(self._wire_free_ns, now_us * 1000)
        for value in sent:
            self._wire_free_ns += self._byte_ns
            self._of_bench.append((self._wire_free_ns // 1000, value))

    def _understands(self, byte: WireByte) -> bool:
        span_ns = (byte.ends_us - byte.begins_us) * 1000
        if abs(span_ns - self._byte_ns) > _TOLERANCE * self._byte_ns + 1000:
            self._garbled += 1
            self._garbled_ns = span_ns
            return False
        return True


def _bps(byte_ns: int) -> int:
    """Return a speed to three digits: stamps of whole us tell no more."""
    return int(float(f"{_BITS_PER_BYTE * 1e9 / byte_ns:.3g}"))
