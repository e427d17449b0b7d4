"""A sample by names: the same each time, and spread over all."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)


def sampled(items: Sequence[_T], count: int | None) -> Sequence[_T]:
    """Return ``count`` of the items, in their order, chosen by their names."""
    if count is None:
        return items
    by_chance = sorted(items, key=lambda item: _digest(item.name))
    kept = {item.name for item in by_chance[:count]}
    return [item for item in items if item.name in kept]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
