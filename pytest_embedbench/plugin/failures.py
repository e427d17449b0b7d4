"""How our errors reach a report: as their own sentences, without a traceback."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_CARRIED = "embedbench_error"


@contextmanager
def told_plainly() -> Generator[None]:
    """Turn an error of ours into pytest's way to fail with a sentence."""
    from pytest_embedbench.errors import EmbedbenchError  # noqa: PLC0415  # late

    try:
        yield
    except EmbedbenchError as error:
        failure = pytest.fail.Exception(str(error), pytrace=False)
        setattr(failure, _CARRIED, error)
        raise failure from None


def cause_of(error: BaseException) -> BaseException | None:
    """Return what an error came from: one of ours that was told, or its cause."""
    told: BaseException | None = getattr(error, _CARRIED, None)
    return told or error.__cause__
