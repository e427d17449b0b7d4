"""Pseudo-random numbers that are the same on every machine, from whole numbers alone.

SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
"""

from __future__ import annotations

from dataclasses import dataclass

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(slots=True)
class SeededRandom:
    """A stream of numbers; equal ``state``, equal numbers."""

    state: int

    @classmethod
    def of(cls, *key: int) -> SeededRandom:
        """Return the stream of a key, as of seed, fault and tick: each has its own."""
        state = 0
        for number in key:
            state = _mixed((state + _GOLDEN) ^ number & _MASK)
        return cls(state)

    def below(self, sides: int) -> int:
        """Return a number from 0 to ``sides - 1``, all alike."""
        self.state = (self.state + _GOLDEN) & _MASK
        return _mixed(self.state) * sides >> 64

    def between(self, lowest: int, highest: int) -> int:
        """Return a number in a range, both ends included."""
        return lowest + self.below(highest - lowest + 1)

    def once_in(self, count: int) -> bool:
        """Return true once in ``count`` times, on average."""
        return self.below(count) == 0


def _mixed(number: int) -> int:
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31
