"""Which pins may be meant for which: maps from what is used to what is wired.

Fewest changes first. Maps are injective and typed; whether a pin has PWM or an
interrupt never leaves one out.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations, islice, product
from typing import TYPE_CHECKING

from pytest_embedbench.esr.blocks import arrays, part_blocks, parts_of_arrays, turned
from pytest_embedbench.esr.fits import Moves, PinFits
from pytest_embedbench.esr.model import PinMap, PinMove
from pytest_embedbench.esr.rewiring import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BEAM = 60
_MIXED = 4
_AGAINST = "two that are where their names have them"


class Candidates(PinFits):
    """All that is to be tried, in order."""

    def __iter__(self) -> Iterator[PinMap]:
        seen: set[Moves] = {()}
        for moves, why in map(self._completed, self._all()):
            ordered = tuple(sorted(moves, key=lambda it: self.pins.number(it.wired)))
            if ordered not in seen and self.is_possible(ordered):
                seen.add(ordered)
                yield PinMap(ordered, why, is_against_names=why == _AGAINST)

    def _completed(self, candidate: tuple[Moves, str]) -> tuple[Moves, str]:
        """Give what a map puts out of its place what is done where it goes then."""
        moves, why = candidate
        named = {move.wired for move in moves}
        others = [
            PinMove(used, wired)
            for wired, used in places(moves).items()
            if wired not in named and self.suits(used, wired)
        ]
        return (*moves, *others), why

    def _all(self) -> Iterator[tuple[Moves, str]]:
        yield from arrays(self)
        yield from part_blocks(self)
        assigned = self._assigned()
        for moves in assigned:
            yield moves, "what is done at pins that are not wired for it"
        if named := self._named():
            yield named, "what the names of pins say"
        for moves in parts_of_arrays(self):
            yield moves, "some of an array shifted as a block"
        swaps, unlikely = self._swaps()
        for swap in swaps:
            if not assigned or self.serves(swap) or self.gain(swap) > 0:
                yield swap, "two that could be each other"
        likely = [swap for swap in swaps if self.gain(swap) > 0]
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
        backwards, mixed = turned(self, against=True), self._mixed_up(against=True)
        yield from ((moves, _AGAINST) for moves in (*unlikely, *backwards, *mixed))

    @property
    def is_cut(self) -> bool:
        """Whether there are more orders of what is astray than are tried."""
        return self._beam[1]

    def _assigned(self) -> list[Moves]:
        """Give pins that are astray to unserved signals, the likeliest first."""
        beam, _ = self._beam
        most = max((len(moves) for moves in beam), default=0)
        return [moves for moves in beam if moves and len(moves) == most]

    @cached_property
    def _beam(self) -> tuple[list[Moves], bool]:
        is_cut = False
        beam: list[Moves] = [()]
        for wired in self.unserved:
            longer = [
                (*moves, PinMove(used, wired))
                for moves in beam
                for used in self.astray
                if self.suits(used, wired) and used not in {it.used for it in moves}
            ]
            beam = sorted([*longer, *beam], key=self._rank)
            is_cut |= len(beam) > _BEAM
            beam = beam[:_BEAM]
        return beam, is_cut

    def _rank(self, moves: Moves) -> tuple[int, float]:
        return -len(moves), -self.score(moves)

    def _swaps(self) -> tuple[list[Moves], list[Moves]]:
        """Swap two pins that are both what they could be, by how names would gain.

        Those that names speak against are apart.
        """
        pairs: list[Moves] = [
            (PinMove(one, other), PinMove(other, one))
            for one, other in combinations(self.wired, 2)
            if self.suits(one, other) and self.suits(other, one)
        ]
        pairs.sort(key=lambda it: -self.gain(it))
        unlikely = [pair for pair in pairs if self.is_contradicted(pair)]
        return [pair for pair in pairs if pair not in unlikely], unlikely

    def _mixed_up(self, *, against: bool = False) -> Iterator[Moves]:
        """Let pins that fit be where others are astray: a chain of two moves."""
        for wired in self.unserved:
            for used in self.matched:
                if not self.suits(used, wired):
                    continue
                for other in self.astray:
                    if self.suits(other, used) and other != wired:
                        moves = (PinMove(used, wired), PinMove(other, used))
                        if self.is_contradicted(moves[:1]) is against:
                            yield moves

    def _named(self) -> Moves:
        """Return the map that names are for, if they are for one."""
        moves: list[PinMove] = []
        taken: set[str] = set()
        pairs = [
            (self.affinity.of_words(doing.words, self.signals[wired]), used, wired)
            for used, doing in self.doing.items()
            for wired in self.wired
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


def _parts_of(moves: Moves) -> Iterator[Moves]:
    """Yield what is left of a map without some of its moves, largest first."""
    for size in range(len(moves) - 1, 0, -1):
        yield from islice(combinations(moves, size), _MIXED)
