"""What a protocol consists of, and what of it something lacks."""

from __future__ import annotations

from typing import Generic, Protocol

_NO_SEAM = (object, Protocol, Generic)


def parts_of(protocol: type) -> list[str]:
    """Return the names that a protocol asks for, its bases' first."""
    seams = [base for base in reversed(protocol.__mro__) if base not in _NO_SEAM]
    return [name for seam in seams for name in vars(seam) if not name.startswith("_")]


def lacking(thing: object, protocol: type) -> list[str]:
    """Return the names that a protocol asks for and a thing has not."""
    return [name for name in parts_of(protocol) if not hasattr(thing, name)]
