"""Two readings as a published brief has them: which count, and which may.

Such a brief says that a bad line and a reading that is too old make the plant safe. It
does not say how it comes back: whether a malformed reading has to come again, and
whether the one beside it goes on counting. So until both have come again a controller
may do one thing or the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

STALE_MS = 1000


@dataclass(slots=True)
class ReadingsInDoubt:
    """The last valid readings, for an oracle that leaves free what is ours."""

    names: tuple[str, ...]
    known: dict[str, tuple[object, int]] = field(
        default_factory=dict[str, "tuple[object, int]"]
    )
    """Each with the time at which it came in, unless it is too old."""
    doubted: set[str] = field(default_factory=set[str])
    """Those that may count, and may have to come again."""

    def age(self, now_ms: int) -> bool:
        """Drop what is too old; say whether anything is."""
        old = [n for n, (_, at_ms) in self.known.items() if now_ms - at_ms > STALE_MS]
        for name in old:
            del self.known[name]
        if old:
            self.doubted = set(self.known)
        return bool(old)

    def doubt(self) -> None:
        """Take in a bad line."""
        self.doubted = set(self.known)

    def take(self, name: str, value: object, now_ms: int) -> None:
        """Take in a valid reading."""
        self.known[name] = (value, now_ms)
        self.doubted.discard(name)

    def value(self, name: str) -> object:
        """Return the last valid reading; ``None`` if there is none."""
        return self.known[name][0] if name in self.known else None

    @property
    def all_known(self) -> bool:
        """Whether there is one of each that is not too old."""
        return len(self.known) == len(self.names)
