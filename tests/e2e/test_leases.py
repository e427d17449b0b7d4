"""Boards are shared by processes: one at a time, in turn, and never for ever."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.errors import BoardBusy, BoardGivenUp, BoardUnreachable
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.lease import BoardRequest
from pytest_embedbench.lab.leases.records import HeldByHand
from pytest_embedbench.lab.leases.wait_queue import WaitQueue
from pytest_embedbench.lab.ports.discovery import Attached, PortQuery
from tests.support.lab_process import LabProcess, request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Callable[..., LabProcess]]:
    with ExitStack() as opened:

        def start(*flags: str) -> LabProcess:
            process = LabProcess(tmp_path, flags)
            opened.callback(process.end)
            return process

        yield start


def waiters(folder: Path, count: int) -> None:
    """Return when so many wait."""
    deadline = Deadline(10)
    while len(WaitQueue(folder).waiters()) < count:
        assert not deadline.passed()
        pause(0.005)


def test_a_board_is_held_by_one_process_at_a_time(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    # B2, V3, B22
    one, other = another(), another()
    assert one.ask("take a") == "ok a;"
    other.tell("take a")
    waiters(tmp_path, 1)
    one.ask("release")
    assert other.reply().startswith("ok a; waited for a: a is held by ")


def test_a_board_is_waited_for_without_asserts(
    another: Callable[..., LabProcess], tmp_path: Path
) -> None:
    one, other = another("-O"), another("-O")
    assert one.ask("take a") == "ok a;"
    other.tell("take a")
    waiters(tmp_path, 1)
    one.ask("release")
    assert other.reply().startswith("ok a; waited for a: a is held by ")


def test_a_wait_says_for_whom(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    # X6
    one, other = another(), another()
    one.ask("take a")
    other.tell("take a")
    waiters(tmp_path, 1)
    one.ask("release")
    told = other.reply()
    assert f"waited for a: a is held by pid {one.popen.pid} on " in told


def test_a_wait_that_is_too_long_names_the_holder(
    another: Callable[[], LabProcess],
) -> None:
    # B2
    one, other = another(), another()
    one.ask("take a")
    told = other.ask("take a for 0.05")
    assert told.startswith(
        "BoardBusy: no board came free within 0.05 s for a: a is held by pid "
        f"{one.popen.pid} on "
    )


def test_a_wait_says_which_boards_will_not_come_free_by_themselves(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    one, other = another(), another()
    one.ask("take c")
    one.ask("give-up it burnt")
    one.ask("release")
    (lease,) = Leases(folder=tmp_path).acquire([request("b")], wait_s=0)
    lease.set_hold(HeldByHand(who="ann@desk", why="lunch", since="noon"))
    lease.release()
    other.ask("take a")
    told = one.ask("any a b c for 0.05")
    assert f"a is held by pid {other.popen.pid} on " in told
    assert "; b is held by hand by ann@desk since noon: lunch;" in told
    assert told.endswith("; c is out for this run: it burnt")


def test_what_a_run_has_waited_for_in_vain_none_of_its_workers_waits_for_again(
    another: Callable[[], LabProcess],
) -> None:
    one, other, third = another(), another(), another()
    one.ask("take a")
    first = other.ask("take a for 0.05").removeprefix("BoardBusy: ")
    told = third.ask("take a for 3000")
    assert told.startswith(f"BoardGivenUp: {first}; it still is: a is held by pid ")
    one.ask("release")
    assert third.ask("take a for 0") == "ok a;"


def test_killing_the_holder_frees_its_board_at_once(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    # B23, X1: nobody releases anything, and the next one is told who died.
    one, other = another(), another()
    one.ask("take a")
    other.tell("take a")
    waiters(tmp_path, 1)
    one.end()
    told = other.reply()
    assert told.startswith("ok a; ")
    assert f"a was left behind by pid {one.popen.pid} on " in told


def test_a_holder_that_comes_back_stands_in_line(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    # W7: without a queue the one that has just let go wins every time.
    one, other = another(), another()
    one.ask("take a")
    other.tell("take a")
    waiters(tmp_path, 1)
    one.tell("release")
    one.tell("take a for 0.1")
    assert other.reply().startswith("ok a; ")
    one.reply()
    assert one.reply().startswith("BoardBusy")


def test_who_waits_longest_is_served_first(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    holder, *line = another(), another(), another(), another()
    holder.ask("take a")
    for number, process in enumerate(line, start=1):
        process.tell("take a")
        waiters(tmp_path, number)
    holder.ask("release")
    for process in line:
        assert process.reply().startswith("ok a; ")
        process.ask("release")


def test_a_dead_waiter_holds_nobody_up(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    holder, dead, alive = another(), another(), another()
    holder.ask("take a")
    dead.tell("take a")
    waiters(tmp_path, 1)
    dead.end()
    alive.tell("take a")
    waiters(tmp_path, 1)
    holder.ask("release")
    assert alive.reply().startswith("ok a; ")
    assert not list(tmp_path.glob("*.ticket"))


def test_a_group_gives_any_free_board(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    one, other, third = another(), another(), another()
    assert one.ask("any a b") == "ok a;"
    assert other.ask("any a b") == "ok b;"
    third.tell("any a b")
    waiters(tmp_path, 1)
    one.ask("release")
    assert third.reply().startswith("ok a; ")


def test_tests_with_two_boards_cannot_deadlock(
    another: Callable[[], LabProcess],
) -> None:
    # X6: asked for in opposite orders, by three, over and over.
    turns = 8
    orders = ("take a b", "take b a", "take b a")
    processes = [another() for _ in orders]
    for process, order in zip(processes, orders, strict=True):
        for _ in range(turns):
            process.tell(order)
            process.tell("release")
    for process in processes:
        replies = [process.reply() for _ in range(2 * turns)]
        assert all(reply.startswith("ok") for reply in replies), replies


def test_waiting_for_two_does_not_starve(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    # While one waits for both, the boards that come free are kept for it.
    left, right, both, late = another(), another(), another(), another()
    left.ask("take a")
    right.ask("take b")
    both.tell("take a b")
    waiters(tmp_path, 1)
    late.tell("take a")
    waiters(tmp_path, 2)
    left.ask("release")
    right.ask("release")
    assert both.reply().startswith("ok a b; ")
    both.ask("release")
    assert late.reply().startswith("ok a; ")


def test_a_test_that_asks_for_its_own_board_again_is_told_at_once(
    tmp_path: Path,
) -> None:
    leases = Leases(folder=tmp_path)
    (lease,) = leases.acquire([request("a")], wait_s=0)
    with pytest.raises(BoardBusy, match="a is in use by this very test already"):
        leases.acquire([request("a")], wait_s=600)
    lease.release()


def test_more_boards_than_there_are_is_told_at_once(tmp_path: Path) -> None:
    # Such a test waited for itself, for all of wait_s.
    leases = Leases(folder=tmp_path)
    with pytest.raises(BoardUnreachable, match=r"2 boards at once .* there are only a"):
        leases.acquire([request("a"), request("a")], wait_s=600)
    for lease in leases.acquire([request("b"), request("a")], wait_s=0):
        lease.release()


def test_waiting_in_the_wrong_order_is_refused_at_once(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    # X6: holding b and waiting for a, while another holds a and waits for b.
    other = another()
    other.ask("take a")
    leases = Leases(folder=tmp_path)
    (lease,) = leases.acquire([request("b")], wait_s=0)
    with pytest.raises(BoardBusy, match=r"ask for all boards .* real_boards\(\.\.\.\)"):
        leases.acquire([request("a")], wait_s=600)
    lease.release()


def test_the_last_board_that_is_held_says_what_may_be_waited_for(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    # Holding a and c, and waiting for b, while another holds b and waits for c.
    other = another()
    other.ask("take b")
    leases = Leases(folder=tmp_path)
    held = leases.acquire([request("a"), request("c")], wait_s=0)
    with pytest.raises(BoardBusy, match="ask for all boards of a test at once"):
        leases.acquire([request("b")], wait_s=600)
    for lease in held:
        lease.release()


def test_a_second_board_that_is_free_may_be_taken_in_any_order(tmp_path: Path) -> None:
    leases = Leases(folder=tmp_path)
    held = leases.acquire([request("b")], wait_s=0) + leases.acquire(
        [request("a")], wait_s=0
    )
    assert [lease.board for lease in held] == ["b", "a"]
    for lease in held:
        lease.release()


def test_a_queue_for_other_boards_holds_nobody_up(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    other, waiting = another(), another()
    other.ask("take c")
    waiting.tell("take c")
    waiters(tmp_path, 1)
    leases = Leases(folder=tmp_path)
    held = leases.acquire([request("b")], wait_s=0) + leases.acquire(
        [request("a")], wait_s=0
    )
    for lease in held:
        lease.release()


def test_who_holds_a_board_does_not_queue_behind_those_who_wait_for_it(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    other = another()
    leases = Leases(folder=tmp_path)
    held = leases.acquire([request("b")], wait_s=0)
    other.tell("take a b")
    waiters(tmp_path, 1)
    held += leases.acquire([request("a")], wait_s=0)
    assert [lease.board for lease in held] == ["b", "a"]
    for lease in held:
        lease.release()
    assert other.reply().startswith("ok a b;")


def test_releasing_twice_leaves_the_next_holder_alone(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    other, third = another(), another()
    (lease,) = Leases(folder=tmp_path).acquire([request("a")], wait_s=0)
    lease.release()
    other.ask("take a")
    lease.release()
    told = third.ask("take a for 0")
    assert f"a is held by pid {other.popen.pid} on " in told


def test_what_was_taken_along_with_a_lost_board_is_free_again(
    another: Callable[[], LabProcess],
) -> None:
    one, other = another(), another()
    one.ask("take b")
    one.ask("give-up it burnt")
    one.ask("release")
    assert one.ask("take a b") == "BoardGivenUp: it burnt"
    assert other.ask("take a for 0") == "ok a;"


def test_a_lost_board_beside_one_in_use_gives_nobody_up(
    another: Callable[[], LabProcess],
) -> None:
    one, other, third = another(), another(), another()
    one.ask("take a")
    one.ask("give-up it burnt")
    one.ask("release")
    other.ask("take b")
    assert third.ask("any a b for 0").startswith("BoardBusy: no board came free")


def test_a_lost_board_is_out_for_the_run_and_says_why(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    one, other = another(), another()
    one.ask("take a")
    one.ask("give-up the port is gone")
    one.ask("give-up something that came of it")
    one.ask("release")
    assert other.ask("take a") == "BoardGivenUp: the port is gone"
    assert other.ask("any a b") == "ok b;"
    (lease,) = Leases(folder=tmp_path).acquire([request("a")], wait_s=0)
    lease.release()
    assert other.ask("release").startswith("ok")
    assert other.ask("take a") == "ok a;", "another run has found it well"


def test_a_board_lost_while_we_wait_for_it_ends_the_wait(
    another: Callable[[], LabProcess], tmp_path: Path
) -> None:
    one, other = another(), another()
    one.ask("take a")
    other.tell("take a")
    waiters(tmp_path, 1)
    one.ask("give-up it burnt")
    one.ask("release")
    assert other.reply() == "BoardGivenUp: it burnt"


def test_a_port_that_has_changed_hands_meanwhile_is_refused(tmp_path: Path) -> None:
    # B12: between finding a board and having it, another was plugged in.
    query = PortQuery(usb_id="10c4:ea60")
    plugged = iter(("FIRST", "OTHER"))

    def listed() -> list[Attached]:
        return [Attached(device="x", usb_id="10c4:ea60", usb_serial=next(plugged))]

    leases = Leases(listed=listed, folder=tmp_path)
    with pytest.raises(
        BoardUnreachable, match="a has changed its port while we waited"
    ):
        leases.acquire([BoardRequest(name="a", boards=(("a", query),))], wait_s=0)


def test_a_board_whose_port_its_holder_has_made_vanish_is_still_held(
    tmp_path: Path,
) -> None:
    # B8: others wait for it, instead of finding it missing.
    node = tmp_path / "ttyACM0"
    node.touch()
    query = PortQuery(port=str(node))
    leases = Leases(folder=tmp_path)
    (lease,) = leases.acquire(
        [BoardRequest(name="a", boards=(("a", query),))], wait_s=0
    )
    node.unlink()
    assert leases.key_of(query, []) == lease.found.key
    lease.release()
    with pytest.raises(BoardUnreachable):
        leases.key_of(query, [])


def test_the_loss_is_typed(tmp_path: Path) -> None:
    leases = Leases(folder=tmp_path)
    (lease,) = leases.acquire([request("a")], wait_s=0)
    lease.give_up("gone")
    lease.release()
    with pytest.raises(BoardGivenUp, match=r"^gone$"):
        leases.acquire([request("a")], wait_s=0)
