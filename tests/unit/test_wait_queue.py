"""Who waits first is served first."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from pytest_embedbench.lab.leases.records import this_process
from pytest_embedbench.lab.leases.wait_queue import Waiter, WaitQueue, reserved_keys


def test_waiters_stand_in_order_of_arrival(tmp_path: Path) -> None:
    queue = WaitQueue(tmp_path)
    names = [f"board-{number}" for number in range(20)]
    with ExitStack() as joined:
        tickets = [
            joined.enter_context(
                queue.join(Waiter(who=this_process(name), keys=frozenset({name})))
            )
            for name in names
        ]
        assert [waiter.who.board for waiter in queue.waiters()] == names
        ahead = queue.waiters(ahead_of=tickets[3])
        assert reserved_keys(ahead) == set(names[:3])
    assert list(tmp_path.iterdir()) == []
