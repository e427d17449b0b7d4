"""A desk says what its mode lets it say, counts, records, and bears what it is sent."""

from __future__ import annotations

import socket
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.campaign.desk import Desk
from pytest_embedbench.campaign.desk_socket import ask
from pytest_embedbench.campaign.judging import Judgement
from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.record import Record, check_record, read_record
from pytest_embedbench.campaign.workspace import create_workspace
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.task import Suite, load_task
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

TANK = SUITES / "tank_fill_drain"
PASS = Judgement(verdict="PASS", stage="INTEGRATION", reason="all 9 checks passed")
FAIL = Judgement(verdict="HOST", stage="HOST_TEST", reason="level=29 gives off")
BROKEN = Judgement(verdict=None, stage="BENCH", reason="the disk is full")


class Place:
    """A workspace, and what its desk is made of."""

    def __init__(self, folder: Path) -> None:
        self.workspace, self.records = folder / "workspace", folder / "records"
        self.suite = Suite(root=TANK, task=load_task(TANK / "task.toml"))
        self.judged: list[Mapping[str, bytes]] = []

    def desk(self, mode: str, judge: Callable[[], Judgement] = lambda: PASS) -> Desk:
        if not self.workspace.exists():
            create_workspace(self.suite, self.workspace, MODES[mode])

        def judged(files: Mapping[str, bytes], _folder: Path) -> Judgement:
            self.judged.append(files)
            return judge()

        return Desk(
            suite=self.suite,
            workspace=self.workspace,
            mode=MODES[mode],
            judge=judged,
            record=Record(self.records / "record.jsonl"),
            folder=self.records / "submissions",
        )

    def kinds(self) -> list[str]:
        entries, _ = read_record(self.records / "record.jsonl")
        return [entry.kind for entry in entries]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def submit(desk: Desk) -> dict[str, Any]:
    return ask(desk.socket, {"do": "submit"})


@pytest.mark.parametrize("mode", ["oneshot_blind", "realistic_self_verify"])
@pytest.mark.parametrize("judgement", [PASS, FAIL, BROKEN])
def test_without_feedback_it_says_the_same_before_anything_is_judged(
    place: Place, mode: str, judgement: Judgement
) -> None:
    may_judge = Event()

    def judge() -> Judgement:
        may_judge.wait()
        return judgement

    with place.desk(mode, judge) as desk:
        assert submit(desk) == {"text": "recorded\n", "files": {}}
        assert not desk.submissions
        used = "REFUSED: 1 of 1 submissions were used; there is none left\n"
        assert submit(desk)["text"] == used
        may_judge.set()
    assert [each.judgement for each in desk.submissions] == [judgement]
    assert place.kinds() == ["opened", "taken", "refused", "judged", "closed"]


@pytest.mark.parametrize(
    ("judgement", "said"),
    [
        (PASS, "PASS\n"),
        (FAIL, "FAIL\n"),
        (
            BROKEN,
            (
                "NO VERDICT: the bench failed, not your submission; "
                "it does not count, submit again\n"
            ),
        ),
    ],
)
def test_red_or_green_is_one_line(
    place: Place, judgement: Judgement, said: str
) -> None:
    with place.desk("ci_red_green", lambda: judgement) as desk:
        assert submit(desk) == {"text": said, "files": {}}
        assert submit(desk) == {"text": said, "files": {}}


def test_everything_is_told_by_the_oracle(place: Place) -> None:
    with place.desk("oracle_full", lambda: FAIL) as desk:
        said = submit(desk)["text"]
    assert said == "FAIL HOST HOST_TEST\nlevel=29 gives off\n"


def test_what_lies_outside_of_the_surface_is_never_judged(place: Place) -> None:
    with place.desk("ci_red_green") as desk:
        (place.workspace / "src/app.c").write_text("int main(void) { return 0; }\n")
        assert submit(desk)["text"] == "FAIL\n"
    assert place.judged == []
    (only,) = desk.submissions
    assert only.judgement.stage == "EDIT_SURFACE"
    assert only.judgement.reason == (
        "outside of the edit surface: "
        "src/app.c: was changed, and is not yours to change"
    )


def test_the_record_carries_the_digests_and_its_seal_is_the_desks(
    place: Place,
) -> None:
    desk = place.desk("ci_red_green")
    with desk:
        submit(desk)
    entries, seal = read_record(place.records / "record.jsonl")
    assert sorted(entries[1].data["files"]) == ["src/controller.c", "src/controller.h"]
    assert seal == desk.seal
    check_record(place.records / "record.jsonl", desk.seal)


def test_two_who_submit_at_once_come_one_by_one(place: Place) -> None:
    with place.desk("ci_red_green") as desk:
        threads = [Thread(target=submit, args=(desk,)) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    numbers = [each.number for each in desk.submissions]
    assert numbers == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "sent",
    [b"", b"\n", b"submit\n", b"[1]\n", b'{"do": "judge"}\n', b"\xff\xfe\n",
     b"{" * 70_000, b'{"do": "sub'],
)  # fmt: skip
def test_rubbish_is_answered_or_dropped_and_the_desk_goes_on(
    place: Place, sent: bytes
) -> None:
    with place.desk("ci_red_green") as desk:
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect(str(desk.socket))
            visitor.sendall(sent)
            visitor.shutdown(socket.SHUT_WR)
            answer = visitor.recv(1000)
        assert b"error" in answer
        assert submit(desk)["text"] == "PASS\n"


def test_a_flood_of_visitors_leaves_room_for_the_next(place: Place) -> None:
    with place.desk("ci_red_green") as desk:
        visitors = [socket.socket(socket.AF_UNIX) for _ in range(12)]
        for visitor in visitors:
            visitor.connect(str(desk.socket))
        assert submit(desk)["text"] == "PASS\n"
        for visitor in visitors:
            visitor.close()


def test_a_touched_record_ends_the_desk(place: Place) -> None:
    desk = place.desk("ci_red_green")
    desk.open()
    (place.records / "record.jsonl").write_text("")
    assert submit(desk)["text"].startswith("REFUSED: the desk cannot take it")
    assert submit(desk)["text"].startswith("REFUSED: the desk cannot take it")
    with pytest.raises(BenchFault, match="somebody cut or exchanged"):
        desk.close()
    assert place.judged == []


def test_a_closed_desk_is_told(place: Place) -> None:
    with place.desk("ci_red_green") as desk:
        pass
    with pytest.raises(BenchFault, match="the desk does not answer"):
        submit(desk)
