"""Which pins may be meant for which: maps from what is used to what is wired.

Fewest changes first. Maps are injective and typed; whether a pin has PWM or an
interrupt never leaves one out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice, pairwise, product
from typing import TYPE_CHECKING

from pytest_embedbench.esr.affinity import Affinity
from pytest_embedbench.esr.model import PinMap, PinMove
from pytest_embedbench.esr.rewiring import places
from pytest_embedbench.esr.signals import SignalKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.signals import WiredSignal
    from pytest_embedbench.esr.uses import PinDoing

_LEAST_OF_A_BLOCK = 3
_LEAST_OF_AN_ARRAY = 2
_SHIFTS = sorted(set(range(-12, 13)) - {0}, key=abs)
_BEAM = 60
_TRAVEL_WEIGHT = 0.05
_MIXED = 4
_AGAINST = "two that are where their names have them"
Moves = tuple[PinMove, ...]


@dataclass(frozen=True)
class Candidates:
    """All that is to be tried, in order.

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

    def __iter__(self) -> Iterator[PinMap]:
        seen: set[Moves] = {()}
        for moves, why in map(self._completed, self._all()):
            ordered = tuple(sorted(moves, key=lambda it: self.pins.number(it.wired)))
            if ordered not in seen and self._is_possible(ordered):
                seen.add(ordered)
                yield PinMap(ordered, why, is_against_names=why == _AGAINST)

    def _completed(self, candidate: tuple[Moves, str]) -> tuple[Moves, str]:
        """Give what a map puts out of its place what is done where it goes then."""
        moves, why = candidate
        named = {move.wired for move in moves}
        others = [
            PinMove(used, wired)
            for wired, used in places(moves).items()
            if wired not in named and self._suits(used, wired)
        ]
        return (*moves, *others), why

    # ------------------------------------------------------------- what fits, what not
    @cached_property
    def affinity(self) -> Affinity:
        """What names and waveforms say."""
        return Affinity(self.signals)

    @cached_property
    def matched(self) -> tuple[str, ...]:
        """Wired pins at which the firmware does what belongs there."""
        return tuple(pin for pin in self._wired if self._suits(pin, pin))

    @cached_property
    def unserved(self) -> tuple[str, ...]:
        """Wired pins at which it does not."""
        return tuple(pin for pin in self._wired if pin not in self.matched)

    @cached_property
    def astray(self) -> tuple[str, ...]:
        """Pins at which it does something that is wired elsewhere, or nowhere."""
        return tuple(
            pin
            for pin in self.doing
            if pin not in self.matched and pin not in self.fixed
        )

    @cached_property
    def _wired(self) -> tuple[str, ...]:
        return tuple(
            pin
            for pin, signal in self.signals.items()
            if pin not in self.fixed and signal.kind is not SignalKind.BUS
        )

    def _suits(self, used: str, wired: str) -> bool:
        doing, signal = self.doing.get(used), self.signals.get(wired)
        if doing is None or signal is None or wired not in self._wired:
            return False
        return doing.suits(signal.kind)

    def _is_possible(self, moves: Moves) -> bool:
        """Say whether pins are able to, as far as that is for certain."""
        return all(
            (self.pins.has_adc(it.used) and self.pins.has_adc(it.wired))
            for it in moves
            if self.signals[it.wired].kind is SignalKind.MEASURE
        )

    def _score(self, moves: Moves) -> float:
        fits = self.affinity.of
        return sum(fits(self.doing[u], self.signals[w]) for u, w in moves)

    # ------------------------------------------------------------------------- levels
    def _all(self) -> Iterator[tuple[Moves, str]]:
        yield from self._arrays()
        yield from self._blocks()
        assigned = list(self._assigned())
        for moves in assigned:
            yield moves, "what is done at pins that are not wired for it"
        if named := self._named():
            yield named, "what the names of pins say"
        for moves in self._parts_of_arrays():
            yield moves, "some of an array shifted as a block"
        swaps, unlikely = self._swaps()
        for swap in swaps:
            if not assigned or self._serves(swap) or self._gain(swap) > 0:
                yield swap, "two that could be each other"
        likely = [swap for swap in swaps if self._gain(swap) > 0]
        for moves, swap in product(assigned[:_MIXED], likely):
            if not {it.used for it in moves} & {it.used for it in swap}:
                yield (*moves, *swap), "what is astray, and two of a kind"
        for moves in self._mixed_up():
            yield moves, "a chain of what fits and what is astray"
        for moves in assigned[:_MIXED]:
            for fewer in _parts_of(moves):
                yield fewer, "some of what is astray"
        yield from self._last(swaps, unlikely)

    def _last(
        self, swaps: Sequence[Moves], unlikely: Sequence[Moves]
    ) -> Iterator[tuple[Moves, str]]:
        """Leave out nothing that kinds allow, whatever names say."""
        yield from ((swap, "two that could be each other") for swap in swaps)
        turned, mixed = self._turned(against=True), self._mixed_up(against=True)
        yield from ((moves, _AGAINST) for moves in (*unlikely, *turned, *mixed))

    def _assigned(self) -> Iterator[Moves]:
        """Give pins that are astray to unserved signals, the likeliest first."""
        beam: list[Moves] = [()]
        for wired in self.unserved:
            longer = [
                (*moves, PinMove(used, wired))
                for moves in beam
                for used in self.astray
                if self._suits(used, wired) and used not in {it.used for it in moves}
            ]
            beam = sorted([*longer, *beam], key=self._rank)[:_BEAM]
        most = max((len(moves) for moves in beam), default=0)
        yield from [moves for moves in beam if moves and len(moves) == most]

    def _rank(self, moves: Moves) -> tuple[int, float]:
        return -len(moves), -self._score(moves)

    def _swaps(self) -> tuple[list[Moves], list[Moves]]:
        """Swap two pins that are both what they could be, by how names would gain.

        Those that names speak against are apart.
        """
        pairs = [
            (PinMove(one, other), PinMove(other, one))
            for one, other in combinations(self._wired, 2)
            if self._suits(one, other) and self._suits(other, one)
        ]
        pairs.sort(key=lambda it: -self._gain(it))
        unlikely = [pair for pair in pairs if self._is_contradicted(pair)]
        return [pair for pair in pairs if pair not in unlikely], unlikely

    def _mixed_up(self, *, against: bool = False) -> Iterator[Moves]:
        """Let pins that fit be where others are astray: a chain of two moves."""
        for wired in self.unserved:
            for used in self.matched:
                if not self._suits(used, wired):
                    continue
                for other in self.astray:
                    if self._suits(other, used) and other != wired:
                        moves = (PinMove(used, wired), PinMove(other, used))
                        if self._is_contradicted(moves[:1]) is against:
                            yield moves

    def _named(self) -> Moves:
        """Return the map that names are for, if they are for one."""
        moves: list[PinMove] = []
        taken: set[str] = set()
        pairs = [
            (self.affinity.of_words(doing.words, self.signals[wired]), used, wired)
            for used, doing in self.doing.items()
            for wired in self._wired
            if used not in self.fixed and doing.suits(self.signals[wired].kind)
        ]
        served: set[str] = set()
        for score, used, wired in sorted(pairs, key=lambda it: -it[0]):
            if score > 0 and used not in taken and wired not in served:
                taken.add(used)
                served.add(wired)
                if used != wired:
                    moves.append(PinMove(used, wired))
        return tuple(moves)

    def _arrays(self) -> Iterator[tuple[Moves, str]]:
        """Shift or reverse the pins of an array, or of a part of one."""
        for group in self.groups:
            if len(set(group)) < max(len(group), _LEAST_OF_AN_ARRAY):
                continue
            if set(group) & set(self.astray):
                for moves in self._shifted(group):
                    yield moves, "an array shifted as a block"
            turned = tuple(map(PinMove, group, reversed(group)))
            moves = tuple(it for it in turned if it.used != it.wired)
            if len(group) >= _LEAST_OF_A_BLOCK and self._all_suit(moves):
                yield moves, "an array turned round"

    def _parts_of_arrays(self) -> Iterator[Moves]:
        """Shift pieces of arrays that serve all that is unserved, the longest first."""
        for group in self.groups:
            for length in range(len(group) - 1, _LEAST_OF_A_BLOCK - 1, -1):
                for begin in range(len(group) - length + 1):
                    part = group[begin : begin + length]
                    shifted = self._shifted(part)
                    yield from (it for it in shifted if self._serves(it))

    def _serves(self, moves: Moves) -> bool:
        """Say whether nothing is unserved that a map could serve."""
        wired = {it.wired for it in moves}
        return bool(self.unserved) and set(self.unserved) <= wired

    def _shifted(self, group: Sequence[str]) -> Iterator[Moves]:
        for shift in _SHIFTS:
            wired = [self.pins.at(self.pins.number(pin) + shift) for pin in group]
            moves = tuple(map(PinMove, group, wired))
            if self._all_suit(moves):
                yield moves

    def _blocks(self) -> Iterator[tuple[Moves, str]]:
        """Shift or reverse all pins of a part that has many, where some are astray."""
        for part, wired in self._of_parts().items():
            if self.astray and set(wired) & set(self.unserved):
                for moves in self._shifts(wired):
                    yield moves, f"{part} shifted as a block"
        for moves in self._turned():
            yield moves, "a part turned round as a block"

    def _of_parts(self) -> Mapping[str, list[str]]:
        """Return the pins of each part that has many."""
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for pin in self._wired:
            for part in self.signals[pin].parts:
                groups[part].append(pin)
        return {it: p for it, p in groups.items() if len(p) >= _LEAST_OF_A_BLOCK}

    def _turned(self, *, against: bool = False) -> Iterator[Moves]:
        """Reverse parts; those that names speak for, or those that they are against."""
        for wired in self._of_parts().values():
            turned = tuple(map(PinMove, reversed(wired), wired))
            moves = tuple(it for it in turned if it.used != it.wired)
            if self._all_suit(moves) and self._is_contradicted(moves) is against:
                yield moves

    def _shifts(self, wired: Sequence[str]) -> Iterator[Moves]:
        numbers = [self.pins.number(pin) for pin in wired]
        for shift in _SHIFTS:
            used = [self.pins.at(number + shift) for number in numbers]
            moves = tuple(map(PinMove, used, wired))
            if self._all_suit(moves):
                yield moves

    def _all_suit(self, moves: Moves) -> bool:
        return bool(moves) and all(self._suits(u, w) for u, w in moves)

    def _is_contradicted(self, moves: Moves) -> bool:
        return any(
            self.affinity.is_contradicted(used, self.doing[used], self.signals[wired])
            for used, wired in moves
        )

    def _gain(self, moves: Moves) -> float:
        own = tuple(PinMove(it.used, it.used) for it in moves)
        to = {it.used: it.wired for it in moves}
        smoother = sum(
            self._travel(group) - self._travel([to.get(pin, pin) for pin in group])
            for group in self.groups
        )
        return self._score(moves) - self._score(own) + _TRAVEL_WEIGHT * smoother

    def _travel(self, group: Sequence[str]) -> int:
        """Return how far it is along an array: people wire in order."""
        numbers = [self.pins.number(pin) for pin in group]
        return sum(abs(one - other) for one, other in pairwise(numbers))


def _parts_of(moves: Moves) -> Iterator[Moves]:
    """Yield what is left of a map without some of its moves, largest first."""
    for size in range(len(moves) - 1, 0, -1):
        yield from islice(combinations(moves, size), _MIXED)
