"""How likely it is that what a firmware does at a pin is meant for a signal.

Only the order in which candidates are tried follows from it, and which of them names
speak against; what works is decided by the check.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.esr.signals import WiredSignal
    from pytest_embedbench.esr.uses import PinDoing

_BUSY_TYPES = ("servo", "buzzer", "stepper", "neopixel", "led-", "a4988", "hs-311")
_BUSY_EDGES = 50
_WAVE_WEIGHT = 0.1
CONTRADICTED = 0.5
"""By how much less a pin's names fit a signal than its own, for names to object."""


class Affinity:
    """Compares names and waveforms; words that many signals share weigh little."""

    def __init__(self, signals: Mapping[str, WiredSignal]) -> None:
        self._counts = Counter(w for it in signals.values() for w in it.words)
        self._signals = signals

    def of_words(self, words: Iterable[str], signal: WiredSignal) -> float:
        """Return how well names fit a signal; 1 for a word that it alone has."""
        shared = set(words) & signal.words
        return sum(1 / self._counts[word] for word in shared)

    def of(self, doing: PinDoing, signal: WiredSignal) -> float:
        """Return how well all that is known of a pin fits a signal."""
        kinds = [kind for _, _, kind in signal.ends]
        is_busy = any(word in kind for kind in kinds for word in _BUSY_TYPES)
        wave = _WAVE_WEIGHT if (doing.edges > _BUSY_EDGES) == is_busy else 0.0
        return self.of_words(doing.words, signal) + wave

    def is_contradicted(self, pin: str, doing: PinDoing, signal: WiredSignal) -> bool:
        """Say whether names have a pin where it is, and not at another signal."""
        own = self._signals.get(pin)
        if own is None or not doing.suits(own.kind):
            return False
        there = self.of_words(doing.words, signal)
        return self.of_words(doing.words, own) - there >= CONTRADICTED
