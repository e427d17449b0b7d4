"""Programs that take turns with us share one core, and let us go again."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import pytest

from pytest_embedbench.processes.core_pinning import CorePinning, claim_core

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason=f"no affinity on {sys.platform}"
)


@pytest.fixture(autouse=True)
def free_again() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


def test_all_that_are_pinned_are_on_one_core_until_the_last_is_unpinned() -> None:
    before = os.sched_getaffinity(0)
    pinning = CorePinning()
    pinning.pin(os.getpid())
    pinning.pin(os.getpid())
    assert len(os.sched_getaffinity(0)) in (1, len(before))  # all may be taken
    pinning.unpin()
    pinning.unpin()
    assert os.sched_getaffinity(0) == before


def test_a_program_that_is_gone_disturbs_nobody() -> None:
    pinning = CorePinning()
    pinning.pin(2**22 + 1)
    pinning.unpin()


def test_no_two_claims_are_the_same_core() -> None:
    claims = [claim_core() for _ in range(3)]
    numbers = [claim.number for claim in claims if claim.number is not None]
    assert len(set(numbers)) == len(numbers)
    for claim in claims:
        claim.release()


def test_a_thread_is_let_go_by_another() -> None:
    before = os.sched_getaffinity(0)
    pinning = CorePinning()
    pinning.pin()
    closer = threading.Thread(target=pinning.unpin)
    closer.start()
    closer.join()
    assert os.sched_getaffinity(0) == before
