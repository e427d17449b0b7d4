"""A pin that is joined to another board's, and whether both drive the wire."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_embedbench.bench.joined_end import JoinedEnd, taken
from pytest_embedbench.contracts import WireByte, pin_port
from pytest_embedbench.errors import PinContention
from pytest_embedbench.wiring.chip_pin import PinDrive

_OUTPUTS = {PinDrive.LOW, PinDrive.HIGH}


@dataclass(slots=True, eq=False, repr=False)
class WiredPin(JoinedEnd):
    """One pin of a board, and the one that it is joined to."""

    pin: str
    delay_us: int
    _does: list[tuple[int, PinDrive]] = field(
        default_factory=list[tuple[int, PinDrive]], init=False
    )
    """What its own firmware does there, and since when, as far as not looked at."""
    _own: PinDrive = field(default=PinDrive.RELEASED, init=False)
    _other: PinDrive = field(default=PinDrive.RELEASED, init=False)

    @property
    def port(self) -> str:
        """What stands for it in a ``WireByte``."""
        return pin_port(self.pin)

    @property
    def shown(self) -> str:
        """Its name with the board's, for messages."""
        return f"{self.recorder.board.spec.name}.{self.pin}"

    @property
    def window_us(self) -> float:
        """How long an edge is on its way."""
        return self.delay_us

    @staticmethod
    def order(signal: WireByte) -> tuple[int, ...]:
        """Keep edges of one microsecond as they came: the last one stays."""
        return (signal.ends_us,)

    def said(self, byte: WireByte) -> WireByte:
        """Keep what its own firmware does."""
        self._does.append((byte.begins_us, PinDrive(byte.value)))
        return JoinedEnd.said(self, byte)

    def write_down_until(self, until_us: int, ahead_us: int) -> None:
        """Look whether both drive the wire, up to then, to different levels.

        Raises:
            PinContention: they do.
        """
        heard = {
            byte.ends_us: PinDrive(byte.value) for byte in taken(self.given, until_us)
        }
        own = {at_us: drive for at_us, drive in self._does if at_us <= until_us}
        self._does = [each for each in self._does if each[0] > until_us]
        for at_us in sorted({*heard, *own}):
            self._own = own.get(at_us, self._own)
            self._other = heard.get(at_us, self._other)
            if {self._own, self._other} == _OUTPUTS and self.partners:
                raise self._contention(at_us + ahead_us)

    def miss(self, until_us: int) -> None:
        """Keep the last edge for when the firmware lives again: a level stays."""
        if missed := taken(self.given, until_us):
            self.coming.insert(0, missed[-1]._replace(ends_us=until_us + 1))

    def lose(self, partner: JoinedEnd, now_us: int) -> None:
        """Be let go of, behind the edges that are on their way."""
        JoinedEnd.lose(self, partner, now_us)
        gone_us = now_us + self.delay_us + 1
        self.coming.append(WireByte("", now_us, gone_us, int(PinDrive.RELEASED)))

    def _contention(self, at_us: int) -> PinContention:
        (partner,) = self.partners
        names = (
            f"{self.label} is {self._own.name}",
            f"{partner.label} {self._other.name}",
        )
        return PinContention(
            f"outputs work against each other since {at_us / 1000:.3f} ms of "
            f"{self.recorder.board.spec.name}: {' and '.join(names)}; one of the two "
            "firmwares has to leave its pin an input",
            at_us,
        )
