"""How our errors reach a report: as their own sentences, without a traceback."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.options import settings

if TYPE_CHECKING:
    from collections.abc import Generator

_CARRIED = "embedbench_error"
MOST_TRACEBACK_CHARS = 20_000
"""Of what pytest shows of one failure, in ``test.json``; beyond it, both ends."""


@contextmanager
def told_plainly(*others: type[Exception]) -> Generator[None]:
    """Turn an error of ours, or of ``others``, into pytest's way to fail plainly."""
    from pytest_embedbench.errors import EmbedbenchError  # noqa: PLC0415  # late

    ours: tuple[type[Exception], ...] = (EmbedbenchError, *others)
    try:
        yield
    except ours as error:
        sentence = "\n".join((str(error), *getattr(error, "__notes__", ())))
        failure = pytest.fail.Exception(sentence, pytrace=False)
        setattr(failure, _CARRIED, error)
        raise failure from None


@contextmanager
def skipped_if_not_here(config: pytest.Config, *names: str) -> Generator[None]:
    """Skip the test for what is not installed, was lost before, or cannot be done.

    One broken board is one failure. What ``--embedbench-require`` names, by one of
    ``names`` or that of the tool's user, has to be here.
    """
    from pytest_embedbench.errors import (  # noqa: PLC0415  # late
        BenchFault,
        BoardDisabled,
        BoardGivenUp,
        CapabilityMissing,
        ToolMissing,
    )

    try:
        yield
    except ToolMissing as missing:
        if {"all", missing.needed_by, *names} & {*settings(config, "require")}:
            message = f"required here (--embedbench-require): {missing}"
            raise BenchFault(message) from missing
        pytest.skip(f"not installed: {missing}")
    except BoardDisabled as disabled:
        if {"all", *names} & {*settings(config, "require")}:
            message = f"required here (--embedbench-require): {disabled}"
            raise BenchFault(message) from disabled
        pytest.skip(str(disabled))
    except BoardGivenUp as lost:
        pytest.skip(f"lost earlier in this run: {lost}")
    except CapabilityMissing as lacking:
        pytest.skip(str(lacking))


def cause_of(error: BaseException) -> BaseException | None:
    """Return what an error came from: one of ours that was told, or its cause."""
    told: BaseException | None = getattr(error, _CARRIED, None)
    return told or error.__cause__


def traceback_of(report: pytest.TestReport, reason: str) -> str:
    """Return what pytest shows of a failure, as ``--tb`` has it; none beside a reason.

    What only says the reason again, as our own errors do, is left out.
    """
    text = report.longreprtext.strip()
    if text == reason.strip():
        return ""
    if len(text) <= MOST_TRACEBACK_CHARS:
        return text
    half = MOST_TRACEBACK_CHARS // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n... {left_out} characters are left out ...\n{text[-half:]}"
