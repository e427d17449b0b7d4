"""What an agent may do to its desk: the outcome is right, the evaluator as it was."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import clock
from pytest_embedbench.campaign import desk as desk_module, taking, unfollowed
from pytest_embedbench.campaign.agent_run import MORE, Agent, run_agent
from pytest_embedbench.campaign.desk import Desk
from pytest_embedbench.campaign.desk_socket import ask
from pytest_embedbench.campaign.judging import Evaluator, Judgement
from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.record import Record, read_record
from pytest_embedbench.campaign.taking import take
from pytest_embedbench.campaign.workspace import create_workspace
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.task import Suite, load_task
from tests.e2e.native_firmware import SUITES
from tests.support.suite_digest import suite_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TANK = SUITES / "tank_fill_drain"
SUITE = Suite(root=TANK, task=load_task(TANK / "task.toml"))
ORACLE = TANK / "hidden" / "oracle.py"
SURFACE = ("src/controller.c", "src/controller.h")
PASS = Judgement(verdict="PASS", stage="INTEGRATION", reason="all 9 checks passed")


@pytest.fixture(autouse=True)
def evaluator_stays_as_it_was() -> Iterator[None]:
    before = suite_digest(TANK)
    yield
    assert suite_digest(TANK) == before


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_workspace(SUITE, tmp_path / "workspace", MODES["ci_red_green"])
    return tmp_path / "workspace"


@pytest.fixture
def make_desk(workspace: Path) -> Callable[..., Desk]:
    def make(
        mode: str = "ci_red_green",
        judge: Callable[[Mapping[str, bytes], Path], Judgement] = lambda *_: PASS,
    ) -> Desk:
        return Desk(
            suite=SUITE,
            workspace=workspace,
            mode=MODES[mode],
            judge=judge,
            record=Record(record_of(workspace)),
            folder=workspace.parent / "records" / "submissions",
        )

    return make


def record_of(workspace: Path) -> Path:
    return workspace.parent / "records" / "record.jsonl"


def submit(desk: Desk) -> str:
    text: str = ask(desk.socket, {"do": "submit"})["text"]
    return text


def link_to(secret: Path) -> Callable[[Path], None]:
    def swap(file: Path) -> None:
        file.unlink()
        file.symlink_to(secret)

    return swap


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("swap", "words"),
    [
        (link_to(Path("/etc/passwd")), ["cannot be read: Too many levels of symbo"]),
        (link_to(ORACLE), ["cannot be read: Too many levels of symbolic links"]),
        (pipe, ["is no regular file"]),
        (folder, ["is no regular file"]),
        (Path.unlink, []),
    ],
    ids=["passwd", "oracle", "pipe", "folder", "gone"],
)
def test_a_file_that_is_swapped_before_it_is_read_gives_nothing_away(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    swap: Callable[[Path], None],
    words: list[str],
) -> None:
    def swapping(name: str, inside: int, most: int) -> bytes | None:
        if name == "controller.c":
            swap(workspace / "src" / name)
        return unfollowed.content(name, inside, most)

    monkeypatch.setattr(taking, "content", swapping)
    taken = take(workspace, {}, SURFACE, ("*",))
    assert list(taken.surface) == ["src/controller.h"]
    found = [each for each in taken.offences if each.startswith("src/controller.c")]
    assert [word in each for word, each in zip(words, found, strict=True)] == [
        True for _ in words
    ]


def test_a_folder_that_is_swapped_before_it_is_entered_is_not(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def swapping(name: str | Path, inside: int | None = None) -> Iterator[int]:
        if name == "src":
            shutil.rmtree(workspace / "src")
            (workspace / "src").symlink_to(TANK / "solution" / "src")
        with unfollowed.opened(name, inside) as descriptor:
            yield descriptor

    monkeypatch.setattr(taking, "opened", swapping)
    taken = take(workspace, {}, SURFACE)
    assert taken.surface == {}
    assert any(each.startswith("src: cannot be read") for each in taken.offences)


def test_links_that_come_and_go_are_never_followed(workspace: Path) -> None:
    done = Event()
    file, beside = workspace / "src/controller.c", workspace / "src/.beside"
    content = file.read_bytes()

    def swap() -> None:
        while not done.is_set():
            beside.symlink_to("/etc/passwd")
            beside.replace(file)
            beside.write_bytes(content)
            beside.replace(file)

    swapper = Thread(target=swap)
    swapper.start()
    try:
        taken = [take(workspace, {}, SURFACE, ("*",)) for _ in range(200)]
    finally:
        done.set()
        swapper.join()
    found = {each.surface.get("src/controller.c", content) for each in taken}
    assert found <= {content, b""}  # empty: it was read while it was being written


def test_of_two_who_submit_at_once_one_is_taken_where_one_may(
    make_desk: Callable[..., Desk],
) -> None:
    said: list[str] = []
    with make_desk("realistic_self_verify") as desk:
        both = [Thread(target=lambda: said.append(submit(desk))) for _ in range(2)]
        for each in both:
            each.start()
        for each in both:
            each.join()
    refused = "REFUSED: 1 of 1 submissions were used; there is none left\n"
    assert sorted(said) == [refused, "recorded\n"]
    assert len(desk.submissions) == 1


def moved(workspace: Path) -> None:
    workspace.rename(workspace.with_name("elsewhere"))


def a_file(workspace: Path) -> None:
    shutil.rmtree(workspace)
    workspace.write_text("")


def a_link(workspace: Path) -> None:
    shutil.rmtree(workspace)
    workspace.symlink_to(TANK / "solution")


def filled(workspace: Path) -> None:
    for number in range(60):
        (workspace / "src" / f"more_{number}.c").touch()


@pytest.mark.parametrize(
    ("attack", "reason"),
    [
        (moved, ".: the workspace cannot be read: No such file or directory"),
        (a_file, ".: the workspace cannot be read: Not a directory"),
        (a_link, ".: the workspace cannot be read: "),
        (filled, "was not handed out, and could be built; and 40 more"),
    ],
)
def test_a_workspace_that_is_none_is_outside_of_the_surface(
    workspace: Path,
    make_desk: Callable[..., Desk],
    attack: Callable[[Path], None],
    reason: str,
) -> None:
    with make_desk() as desk:
        attack(workspace)
        assert submit(desk) == "FAIL\n"
    (only,) = desk.submissions
    assert only.judgement.stage == "EDIT_SURFACE"
    assert reason in only.judgement.reason


def test_more_files_than_are_looked_at_are_told_as_that_alone(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "_MOST_ENTRIES", 3)
    taken = take(workspace, {"src/zoo.c": b""}, SURFACE)
    assert taken.offences == [".: holds more than 3 files"]


def cut(record: Path) -> None:
    record.write_bytes(record.read_bytes()[:-20])


def exchanged(record: Path) -> None:
    record.rename(record.with_name("away"))
    Record(record).append("opened")


def retold(record: Path) -> None:
    record.write_text(record.read_text().replace("tank_fill", "tank_full"))


def spaced(record: Path) -> None:
    record.write_text(record.read_text().replace('"kind": ', '"kind":  '))


def a_folder(record: Path) -> None:
    record.unlink()
    record.mkdir()


@pytest.mark.parametrize(
    ("attack", "reason"),
    [
        (Path.unlink, "No such file or directory: it is the record"),
        (cut, "record.jsonl:1: does not fit the lines before it"),
        (exchanged, "is not the record that the desk wrote"),
        (retold, "record.jsonl:1: does not fit the lines before it"),
        (spaced, "somebody changed the record"),
        (a_folder, "Is a directory: it is the record"),
    ],
)
def test_a_touched_record_ends_the_desk_and_is_our_fault(
    workspace: Path,
    make_desk: Callable[..., Desk],
    attack: Callable[[Path], None],
    reason: str,
) -> None:
    desk = make_desk()
    desk.open()
    attack(record_of(workspace))
    assert submit(desk).startswith("REFUSED: the desk cannot take it")
    with pytest.raises(BenchFault) as caught:
        desk.close()
    assert reason in str(caught.value)
    assert desk.submissions == ()


@contextmanager
def room_for(letters: int) -> Iterator[None]:
    """Let no file grow beyond a size, as a full disk does: part of a write is done."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (letters, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_record_that_finds_no_room_stays_whole(tmp_path: Path) -> None:
    record = Record(tmp_path / "record.jsonl")
    record.append("opened")
    size = record.file.stat().st_size
    with room_for(size + 20), pytest.raises(BenchFault, match="File too large"):
        record.append("taken", submission=1)
    assert record.file.stat().st_size == size
    record.append("taken", submission=1)
    assert [each.kind for each in read_record(record.file)[0]] == ["opened", "taken"]


@pytest.mark.parametrize("mode", ["oneshot_blind", "ci_red_green"])
def test_where_nothing_can_be_judged_there_is_no_verdict(
    workspace: Path, make_desk: Callable[..., Desk], mode: str
) -> None:
    shutil.rmtree(workspace)
    create_workspace(SUITE, workspace, MODES[mode])
    desk = make_desk(mode, Evaluator(task=TANK, boards=("native",)))
    desk.open()
    (workspace.parent / "records" / "submissions").write_text("no folder")
    submit(desk)
    with pytest.raises(BenchFault, match=r"cannot be judged there: .*Not a directory"):
        desk.close()


def test_a_clock_that_is_set_back_changes_no_time_of_the_record(
    workspace: Path, make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    wall_s = iter(range(2_000_000_000, 0, -100_000))
    monkeypatch.setattr(time, "time", lambda: float(next(wall_s)))
    with make_desk() as desk:
        assert submit(desk) == submit(desk) == "PASS\n"
    entries, _ = read_record(record_of(workspace))
    stamps = [entry.at for entry in entries]
    assert stamps == sorted(stamps, reverse=True)  # it was set back, time and again
    first, second = [each.data["at_s"] for each in entries if each.kind == "taken"]
    assert 0 <= first <= second < 60


def test_a_flood_costs_the_desk_no_line_too_many(
    workspace: Path, make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "_MOST_REFUSALS", 20)
    with make_desk() as desk:
        for number in range(2000):
            with socket.socket(socket.AF_UNIX) as visitor:
                visitor.connect(str(desk.socket))
                if number % 2:
                    with suppress(OSError):  # dropped: too many are there
                        visitor.sendall(b'{"do": "sub')
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect(str(desk.socket))
            with suppress(OSError):
                visitor.sendall(b"x" * 10_000_000)
        until_heard(desk)
        for _ in range(30):
            ask(desk.socket, {"do": "judge"})
        assert submit(desk) == "PASS\n"
    entries, _ = read_record(record_of(workspace))
    assert sum(entry.kind == "refused" for entry in entries) == 20
    assert entries[-1].data == {"submissions": 1, "refused": 30}


def until_heard(desk: Desk) -> None:
    """Come again until those who have hung up are noticed to be gone."""
    deadline = clock.Deadline(30.0)
    while not deadline.passed():
        with suppress(BenchFault):
            ask(desk.socket, {"do": "status"})
            return
    raise TimeoutError("the desk hears nobody")


def test_of_what_an_agent_prints_a_part_is_kept(tmp_path: Path) -> None:
    program = "import sys; print('out ' * 250_000, end='')"
    program += "; print('x' * 9999, file=sys.stderr)"
    agent = Agent(
        command=(sys.executable, "-c", program), sandbox=False, log_letters=1000
    )
    log = tmp_path / "agent.log"
    end = run_agent(agent, tmp_path, tmp_path / "desk", hidden=(), log=log)
    assert end.returncode == 0
    assert log.read_text() == f"{'out ' * 250}{MORE}{'x' * 1000}{MORE}"
