"""What a check says when something is wrong: quantity, value, bound and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import WrongOutput

if TYPE_CHECKING:
    from collections.abc import Container


def insist_that(
    quantity: str,
    value: object,
    due: object = True,  # noqa: FBT002  # what a quantity has to be, mostly true or false
    *,
    at_ms: float | None = None,
    why: str = "",
) -> None:
    """Insist on what a quantity is.

    Args:
        quantity: What it is called: ``"pump_on"``.
        value: What it is.
        due: What it has to be.
        at_ms: When that was, if it is of a moment.
        why: What that means for whoever reads it.

    Raises:
        WrongOutput: it is not; the message has all of these.
    """
    if value != due:
        raise WrongOutput(_wrong(quantity, value, repr(due), at_ms, why))


def insist_bound(  # noqa: PLR0913  # one call says it all
    quantity: str,
    value: Any,  # noqa: ANN401  # whatever can be compared
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    one_of: Container[object] | None = None,
    at_ms: float | None = None,
    why: str = "",
) -> None:
    """Insist on bounds of a quantity, both ends included; the rest as ``insist_that``.

    Raises:
        WrongOutput: it is ``None`` or out of them.
    """
    bounds = [
        *([f"at least {at_least}"] if at_least is not None else []),
        *([f"at most {at_most}"] if at_most is not None else []),
        *([f"one of {one_of}"] if one_of is not None else []),
    ]
    is_in = value is not None and (
        (at_least is None or value >= at_least)
        and (at_most is None or value <= at_most)
        and (one_of is None or value in one_of)
    )
    if not is_in:
        raise WrongOutput(_wrong(quantity, value, " and ".join(bounds), at_ms, why))


def _wrong(
    quantity: str, value: object, due: str, at_ms: float | None, why: str
) -> str:
    when = f" at {at_ms:g} ms" if at_ms is not None else ""
    reason = f": {why}" if why else ""
    return f"{quantity} is {value!r}{when}; it has to be {due}{reason}"
