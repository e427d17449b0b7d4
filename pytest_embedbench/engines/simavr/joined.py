"""A simulated board whose UARTs are joined to those of other boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts import WireByte

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.model import BoardSpec


class SimavrWire:
    """What a board has to do with bytes of others: in and out, in cycles and in us."""

    def __init__(self, spec: BoardSpec) -> None:
        self._names = [uart.name for uart in spec.uarts]
        self._cpu_hz = spec.cpu_hz
        self._begun: list[WireByte] = []
        self._garbled = [0] * len(self._names)
        self._is_joined = False

    def commands(self, heard: Sequence[WireByte]) -> list[tuple[object, ...]]:
        """Return what the child is asked for, that it hears these."""
        asked: list[tuple[object, ...]] = [
            (
                "arrive",
                self._names.index(byte.uart),
                self._cycle(byte.begins_us),
                self._cycle(byte.ends_us),
                byte.value,
            )
            for byte in heard
        ]
        if not self._is_joined:
            self._is_joined = True
            asked.insert(0, ("join",))
        return asked

    def take(self, begun: Sequence[tuple[int, int, int, int]]) -> None:
        """Keep what has begun to go out."""
        self._begun += [
            WireByte(self._names[index], self._us(begins), self._us(ends), value)
            for index, begins, ends, value in begun
        ]

    def begun(self) -> Sequence[WireByte]:
        """Return what has begun since the last call."""
        begun, self._begun = self._begun, []
        return begun

    def _cycle(self, at_us: int) -> int:
        return at_us * self._cpu_hz // 1_000_000

    def _us(self, cycle: int) -> int:
        return cycle * 1_000_000 // self._cpu_hz
