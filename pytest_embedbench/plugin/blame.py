"""Whose fault an error is, and what it says in one sentence."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    ConfigError,
    EmbedbenchError,
    FirmwareFault,
)
from pytest_embedbench.model import Blame
from pytest_embedbench.plugin.failures import cause_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

FIRMWARE = Blame("firmware", "firmware fault")
_TEST = Blame("test", "test error")
BENCH = Blame("bench", "bench fault")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BLAMES = (
    (BuildError, Blame("build", "the submission does not build")),
    (FirmwareFault, FIRMWARE),
    ((BenchFault, ConfigError), BENCH),
)


def blame_for(item: pytest.Item, error: BaseException, *, ran: bool) -> Blame:
    """Return whose fault it is that a test has ended with ``error``.

    Args:
        item: The test.
        error: What ended it; its causes are looked through.
        ran: Whether code under test had been running.
    """
    ask = item.ihook.pytest_embedbench_blame
    for cause in causes(error):
        blame: Blame | None = ask(item=item, error=cause, ran=ran)
        if blame is not None:
            return blame
    return _TEST


def blame_of(error: BaseException, *, ran: bool) -> Blame | None:
    """Return what the bench itself thinks of one error.

    A plain ``assert`` in a test whose firmware ran is a verdict on the firmware.
    """
    for kinds, blame in _BLAMES:
        if isinstance(error, kinds):
            return blame
    if _is_no_room(error):
        return BENCH
    return FIRMWARE if ran and isinstance(error, AssertionError) else None


def reason_for(error: BaseException) -> str:
    """Return what our own error among the causes says, or else the error itself."""
    for cause in causes(error):
        if isinstance(cause, EmbedbenchError):
            return str(cause)
    kind = type(error).__name__
    if isinstance(error, AssertionError) and str(error):
        return str(error)
    advice = "; make room on its disk (--embedbench-artifacts, TMPDIR name others)"
    more = advice if _is_no_room(error) else ""
    return f"{kind}: {error}{more}" if str(error) else kind


def _is_no_room(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it is a group of, what it came from, and so on."""
    while error is not None:
        yield error
        for each in _members(error):
            yield from causes(each)
        error = cause_of(error)


def _members(error: BaseException) -> tuple[BaseException, ...]:
    members: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return members if isinstance(error, BaseExceptionGroup) else ()
