"""What a firmware does, held against what is wired: what fits, and how well."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_embedbench.esr.affinity import Affinity
from pytest_embedbench.esr.model import PinMove
from pytest_embedbench.esr.signals import SignalKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.signals import WiredSignal
    from pytest_embedbench.esr.uses import PinDoing

_TRAVEL_WEIGHT = 0.05
Moves = tuple[PinMove, ...]


@dataclass(frozen=True)
class PinFits:
    """What is done at pins, and what is wired to them.

    Args:
        signals: What is wired, by pin.
        doing: What the firmware does, by pin.
        pins: Those of the board.
        fixed: Pins that are what they are: those of a bus in hardware.
        groups: Pins that the firmware has in one array or loop, in its order.
    """

    signals: Mapping[str, WiredSignal]
    doing: Mapping[str, PinDoing]
    pins: BoardPins
    fixed: frozenset[str] = field(default_factory=frozenset[str])
    groups: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def affinity(self) -> Affinity:
        """What names and waveforms say."""
        return Affinity(self.signals)

    @cached_property
    def matched(self) -> tuple[str, ...]:
        """Wired pins at which the firmware does what belongs there."""
        return tuple(pin for pin in self.wired if self.suits(pin, pin))

    @cached_property
    def unserved(self) -> tuple[str, ...]:
        """Wired pins at which it does not."""
        return tuple(pin for pin in self.wired if pin not in self.matched)

    @cached_property
    def astray(self) -> tuple[str, ...]:
        """Pins at which it does something that is wired elsewhere, or nowhere."""
        return tuple(
            pin
            for pin in self.doing
            if pin not in self.matched and pin not in self.fixed
        )

    @cached_property
    def wired(self) -> tuple[str, ...]:
        """Wired pins that a firmware may have another one for."""
        return tuple(
            pin
            for pin, signal in self.signals.items()
            if pin not in self.fixed and signal.kind is not SignalKind.BUS
        )

    def suits(self, used: str, wired: str) -> bool:
        """Say whether what is done at one pin is what another one is wired for."""
        doing, signal = self.doing.get(used), self.signals.get(wired)
        if doing is None or signal is None or wired not in self.wired:
            return False
        return doing.suits(signal.kind)

    def is_possible(self, moves: Moves) -> bool:
        """Say whether pins are able to, as far as that is for certain."""
        return all(
            (self.pins.has_adc(it.used) and self.pins.has_adc(it.wired))
            for it in moves
            if self.signals[it.wired].kind is SignalKind.MEASURE
        )

    def score(self, moves: Moves) -> float:
        """Say how well names and waveforms fit a map."""
        fits = self.affinity.of
        return sum(fits(self.doing[u], self.signals[w]) for u, w in moves)

    def serves(self, moves: Moves) -> bool:
        """Say whether nothing is unserved that a map could serve."""
        wired = {it.wired for it in moves}
        return bool(self.unserved) and set(self.unserved) <= wired

    def all_suit(self, moves: Moves) -> bool:
        """Say whether there is something to move, and each is of its signal's kind."""
        return bool(moves) and all(self.suits(u, w) for u, w in moves)

    def is_contradicted(self, moves: Moves) -> bool:
        """Say whether names have a pin of a map where it is."""
        return any(
            self.affinity.is_contradicted(used, self.doing[used], self.signals[wired])
            for used, wired in moves
        )

    def gain(self, moves: Moves) -> float:
        """Say how much better names, waveforms and order would fit."""
        own = tuple(PinMove(it.used, it.used) for it in moves)
        to = {it.used: it.wired for it in moves}
        smoother = sum(
            self._travel(group) - self._travel([to.get(pin, pin) for pin in group])
            for group in self.groups
        )
        return self.score(moves) - self.score(own) + _TRAVEL_WEIGHT * smoother

    def _travel(self, group: Sequence[str]) -> int:
        """Return how far it is along an array: people wire in order."""
        numbers = [self.pins.number(pin) for pin in group]
        return sum(abs(one - other) for one, other in pairwise(numbers))
