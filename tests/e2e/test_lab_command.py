"""``embedbench lab``: what it says of boards, and that it leaves others' alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli import main
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.inventory.status import board_statuses
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.ports.discovery import Attached
from tests.support.lab_process import LabProcess
from tests.support.pty_board import Pty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "locks"
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(folder))
    monkeypatch.delenv("EMBEDBENCH_LAB", raising=False)
    return Leases().folder


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.unplug()


@pytest.fixture
def other(locks: Path) -> Iterator[LabProcess]:
    """Another process of the lab; it knows boards as ``socket://NAME:1``."""
    process = LabProcess(locks)
    yield process
    process.end()


@pytest.fixture
def lab(
    tmp_path: Path, locks: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a subcommand on a lab of these boards."""
    del locks
    file = tmp_path / "embedbench.toml"

    def run(*words: str, **boards: str) -> tuple[int, str]:
        if boards:
            tables = [f"[boards.{name}]\n{text}\n" for name, text in boards.items()]
            file.write_text("".join(tables))
        code = main(["lab", *words, "--lab", str(file)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def on(port: str, *rest: str) -> str:
    return "\n".join(('board = "any-serial"', f'port = "{port}"', *rest))


def test_the_list_says_where_a_board_is_and_who_has_it(
    lab: Callable[..., tuple[int, str]], pty: Pty, other: LabProcess
) -> None:
    other.ask("take a")
    code, said = lab(
        "list",
        near=on(pty.path, 'labels = ["any", "desk"]'),
        far=on("socket://a:1"),
        gone=on("/dev/ttyUSB77"),
    )
    near, far, gone = said.splitlines()
    assert code == 0
    assert near.split() == [
        *("near", "any-serial", "[any", "desk]", f"{pty.path};", "free"),
    ]  # fmt: skip
    assert f"socket://a:1; held by pid {other.popen.pid} on " in far
    assert gone.endswith("not there: /dev/ttyUSB77; free")


def test_the_list_calls_an_ambiguous_serial_number_so(tmp_path: Path) -> None:
    twins = [
        Attached(
            device=f"/dev/ttyUSB{port}", usb_serial="0001", usb_location=f"1-{port}"
        )
        for port in (1, 2)
    ]
    file = tmp_path / "embedbench.toml"
    file.write_text('[boards.a]\nboard = "any-serial"\nusb_serial = "0001"\n')
    leases = Leases(listed=lambda: twins, folder=tmp_path)
    (status,) = board_statuses(load_lab(file), leases)
    assert status.problem == (
        "2 ports fit usb_serial=0001, and guessing is not allowed: /dev/ttyUSB1 "
        "(serial 0001, location 1-1); /dev/ttyUSB2 (serial 0001, location 1-2); add "
        "usb_serial or usb_location"
    )


def test_the_list_says_who_waits(
    lab: Callable[..., tuple[int, str]], locks: Path, other: LabProcess
) -> None:
    other.ask("take a")
    waiter = LabProcess(locks)
    waiter.tell("take a")
    said = ""
    while "waited for" not in said:
        _, said = lab("list", far=on("socket://a:1"))
    assert f"    waited for by pid {waiter.popen.pid} on " in said
    waiter.end()


def test_a_board_that_a_killed_process_had_is_free(
    lab: Callable[..., tuple[int, str]], other: LabProcess
) -> None:
    # B23
    other.ask("take a")
    other.end()
    _, said = lab("list", far=on("socket://a:1"))
    assert said.endswith("socket://a:1; free\n")


def test_a_lab_that_is_well_is_ready(
    lab: Callable[..., tuple[int, str]], pty: Pty
) -> None:
    code, said = lab("check", near=on(pty.path))
    assert (code, said) == (0, f"near: ready: not asked who it is on {pty.path}\n")


def test_what_a_board_is_wired_to_is_checked_with_it(
    lab: Callable[..., tuple[int, str]], pty: Pty, tmp_path: Path
) -> None:
    log, port = Pty(), tmp_path / "log"
    port.symlink_to(log.path)  # whose number may be another test's next
    wired = on(pty.path, f'uarts.log = {{ port = "{port}" }}')
    assert lab("check", near=wired)[0] == 0
    log.unplug()
    port.unlink()
    code, said = lab("check", near=wired)
    assert code == 1
    assert said.startswith(f"near: its UART 'log': there is no port {port}")
    code, said = lab("check", near=on(pty.path, 'instruments.s = { kind = "none" }'))
    assert code == 1
    assert "boards.near.instruments.s.kind: no instrument named 'none'; known" in said


def test_a_missing_board_is_a_problem(lab: Callable[..., tuple[int, str]]) -> None:
    code, said = lab("check", gone=on("/dev/ttyUSB77"))
    assert code == 1
    assert said.startswith("gone: there is no port /dev/ttyUSB77")


def test_a_board_that_somebody_has_is_left_alone(
    lab: Callable[..., tuple[int, str]], pty: Pty, other: LabProcess
) -> None:
    other.ask("take a")
    code, said = lab("check", far=on("socket://a:1"), near=on(pty.path))
    assert code == 0
    assert "far: left alone: no board came free within 0 s" in said
    assert f"a is held by pid {other.popen.pid}" in said or "far is held by" in said


@pytest.mark.parametrize(("says", "code"), [("unknown", 0), ("esp32", 1)])
def test_the_wrong_board_is_told_by_its_own_answer(
    lab: Callable[..., tuple[int, str]], pty: Pty, says: str, code: int
) -> None:
    # B11
    ask = f'identify_argv = ["echo", "{says}"]'
    flash = f'flash = {{ method = "command", write_argv = ["true"], {ask} }}'
    assert lab("check", near=on(pty.path, flash))[0] == code


def test_a_board_is_not_asked_if_that_is_not_wanted(
    lab: Callable[..., tuple[int, str]], pty: Pty
) -> None:
    flash = 'flash = {method="command", write_argv=["true"], identify_argv=["false"]}'
    assert lab("check", "--no-ask", near=on(pty.path, flash))[0] == 0


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('reset = {sequence = "X1"}', "boards.near.reset.sequence: reset sequence"),
        ('power = {off = ["a"]}', "boards.near.power.off: needs power.on, and"),
        ('power = {hub = "1-1"}', "boards.near.power.hub: needs power.hub_port, and"),
        ("power = {hub_port = 2}", "boards.near.power.hub_port: needs power.hub, and"),
        (
            'power = {off = ["a"], on = ["b"], hub = "1-1", hub_port = 2}',
            "boards.near.power.hub: power is switched by a hub or by commands: leave",
        ),
        (
            'reset = {command = ["true"], sequence = "D0"}',
            "boards.near.reset.command: reset is pressed by a command or by a sequence",
        ),
        ('reset = {hold = ["true"]}', "boards.near.reset.hold: needs reset.command"),
        (
            'flash = {chip = "esp32"}',
            "boards.near.flash.chip: nothing flashes near: name a flash.method",
        ),
        (
            'flash = {method = "none", chop = "esp32"}',
            "boards.near.flash.chop: unknown key; known keys: ",
        ),
        ('flash = {method = "magic"}', "boards.near.flash.method: must be one of"),
        ('options = {colour = "red"}', "boards.near.options.colour: unknown key"),
        ('board = "uno"', "boards.near.board: 'uno' runs on simavr, not on a port"),
    ],
)
def test_what_makes_no_sense_is_named(
    lab: Callable[..., tuple[int, str]], pty: Pty, table: str, told: str
) -> None:
    lines = on(pty.path, table)
    if table.startswith("board"):
        lines = lines.removeprefix('board = "any-serial"\n')
    code, said = lab("check", near=lines)
    assert code == 1
    assert told in said


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            'reset = {command = ["no-such-relay", "1"]}',
            "near: 'no-such-relay 1' needs no-such-relay, not found here: install it",
        ),
        (
            'power = {off = ["true"], on = ["no-such-relay"]}',
            "near: 'no-such-relay' needs no-such-relay, not found here: install it",
        ),
        (
            'power = {hub = "1-1.4", hub_port = 2}',
            "near: switching port 2 of the USB hub at 1-1.4 needs uhubctl, not found",
        ),
    ],
)
def test_a_program_that_is_not_here_is_told_before_a_night_needs_it(
    lab: Callable[..., tuple[int, str]],
    pty: Pty,
    table: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "true").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("pytest_embedbench.flashing.programs._SBIN", ())
    code, said = lab("check", near=on(pty.path, table))
    assert code == 1
    assert said.startswith(told)


def test_one_port_under_two_names_is_one_board_too_many(
    lab: Callable[..., tuple[int, str]], pty: Pty, tmp_path: Path
) -> None:
    (tmp_path / "by-id").symlink_to(pty.path)
    boards = {"left": on(pty.path), "right": on(str(tmp_path / "by-id"))}
    code, said = lab("check", **boards)
    assert code == 1
    assert said.splitlines() == [
        "left: has the same port as right; one of them is wrong in the lab file",
        "right: has the same port as left; one of them is wrong in the lab file",
    ]
    _, listed = lab("list")
    assert "has the same port as right; one of them" in listed.splitlines()[0]
    assert "has the same port as left; one of them" in listed.splitlines()[1]


def test_a_lab_file_may_begin_as_windows_writes_it(
    lab: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    lab("list", far=on("socket://a:1"))
    file = tmp_path / "embedbench.toml"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    load_lab.cache_clear()
    code, said = lab("list")
    assert (code, said.split()[0]) == (0, "far")


def test_a_lab_without_boards_says_how_to_name_one(
    lab: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    (tmp_path / "embedbench.toml").write_text("wait_s = 5\n")
    code, said = lab("list")
    assert code == 1
    assert "boards: a lab needs at least one, as [boards.NAME]" in said


def test_only_some_boards_can_be_checked(
    lab: Callable[..., tuple[int, str]], pty: Pty
) -> None:
    boards = {"near": on(pty.path), "gone": on("/dev/ttyUSB77")}
    assert lab("check", "near", **boards)[0] == 0
    code, said = lab("check", "nope", **boards)
    assert code == 1
    assert "no lab board named 'nope'; known lab boards: gone, near" in said


def test_without_a_lab_file_there_is_nothing_to_say(
    locks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del locks
    assert main(["lab", "list"]) == 1
    assert "name one with --lab or EMBEDBENCH_LAB" in capsys.readouterr().err
