"""Say which promise is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts import lacking
from pytest_embedbench.errors import ContractViolation

if TYPE_CHECKING:
    from collections.abc import Callable


def insist(kept: object, promise: str) -> None:
    """Raise unless a promise is kept; no ``assert``, which ``python -O`` leaves out.

    Raises:
        ContractViolation: with that sentence.
    """
    if not kept:
        raise ContractViolation(promise)


def insist_on_all(thing: object, protocol: type) -> None:
    """Raise if something lacks a part of what it says it is."""
    kind = protocol.__name__.lower()
    absent = ", ".join(lacking(thing, protocol))
    insist(not absent, f"it is no {kind}: it has no {absent}")


def insist_on_refusal(
    what: str, call: Callable[[], object], error: type[Exception]
) -> None:
    """Raise unless a call that makes no sense is refused with that error."""
    try:
        call()
    except error:
        return
    raise ContractViolation(f"{what} must raise {error.__name__}")
