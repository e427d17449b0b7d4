"""A hand on one board of the lab: hold, release, console, reset, power, flash."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pexpect
import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.cli import main
from pytest_embedbench.clock import host_stamp
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.errors import BoardBusy, BoardUnreachable
from pytest_embedbench.lab.leases import records
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.lease import BoardRequest
from pytest_embedbench.lab.ports.discovery import PortQuery
from pytest_embedbench.model import NO_IMAGE
from tests.support import ssh_server as ssh
from tests.support.lab_process import LabProcess, request
from tests.support.pty_board import Button, Pty, PtyBoard
from tests.support.usb_hub import UsbHub

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.testing import LoopbackUart

    Lab = Callable[..., tuple[int, str]]


def counts_its_boots() -> Callable[[LoopbackUart], Generator[int, None, None]]:
    boots = 0

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        nonlocal boots
        boots += 1
        pending = b""
        while True:
            *lines, pending = (pending + uart.read()).split(b"\n")
            for line in lines:
                uart.write(b"boot %d heard %b\n" % (boots, line))
            yield 1

    return firmware


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "locks"
    folder.mkdir()
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(folder))
    return folder


@pytest.fixture
def other(locks: Path) -> Iterator[LabProcess]:
    process = LabProcess(locks)
    yield process
    process.end()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "embedbench.toml"


@pytest.fixture
def lab(
    locks: Path,
    file: Path,
    capsys: pytest.CaptureFixture[str],
) -> Lab:
    """Return a function that runs a subcommand on a lab of these boards."""
    del locks

    def run(*words: str, **boards: str) -> tuple[int, str]:
        if boards:
            tables = [
                f'[boards.{name}]\nboard = "any-serial"\n{text}\n'
                for name, text in boards.items()
            ]
            file.write_text("".join(tables))
        code = main(["lab", *words, "--lab", str(file)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


FAR = {"a": 'port = "socket://a:1"', "b": 'port = "socket://b:1"'}


def test_a_board_that_is_held_by_hand_is_nobody_elses_until_it_is_released(
    lab: Lab, other: LabProcess
) -> None:
    code, said = lab("hold", "a", "--why", "soldering a pull-up", **FAR)
    assert code == 0
    told = f"a is held by hand by {records.this_person()} since "
    assert said.startswith(told)
    answer = other.ask("take a")
    assert answer.startswith(f"BoardBusy: {told}")
    assert ": soldering a pull-up; nobody waits for that" in answer
    assert other.ask("any a b") == "ok b;"
    assert "; held by hand by" in lab("list")[1].splitlines()[0]
    code, said = lab("release", "a")
    assert code == 0
    assert said.startswith("a is free; it was held by hand by")
    assert other.ask("take a") == "ok b a;"


def test_a_hold_ends_by_itself(lab: Lab, other: LabProcess) -> None:
    lab("hold", "a", "--why", "lunch", "--for", "0s", **FAR)
    assert other.ask("take a") == "ok a;"


def test_a_hold_says_when_it_ends(lab: Lab, locks: Path) -> None:
    lab("hold", "a", "--why", "lunch", "--for", "2h", **FAR)
    with pytest.raises(BoardBusy, match=r" until 2\d{3}-.*: lunch") as busy:
        Leases(folder=locks).acquire([request("a")], wait_s=30)
    until = str(busy.value).partition(" until ")[2][:20]
    assert host_stamp(in_s=7000) < until <= host_stamp(in_s=7200)


def test_a_span_without_a_unit_is_refused(lab: Lab) -> None:
    code, said = lab("hold", "a", "--why", "lunch", "--for", "2", **FAR)
    assert code == 1
    assert "--for=2: give a number up to 999999 and a unit: 90s, 30m, 2h, 3d" in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--for", "9999999999999d"), "give a number up to 999999 and a unit: 90s"),
        (("--why", " \n"), "--why: is empty; say what the others are to be told"),
    ],
)
def test_a_hold_that_makes_no_sense_is_refused(
    lab: Lab, words: tuple[str, ...], told: str
) -> None:
    code, said = lab("hold", "near", "--why", "x", *words, near='port = "loop://"')
    assert code == 1
    assert told in said


@pytest.mark.parametrize("wait", ["nan", "-1", "inf", "soon"])
def test_a_wait_that_is_none_is_refused(
    wait: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["lab", "release", "near", f"--wait={wait}"])
    assert f"must be 0 or more seconds, is '{wait}'" in capsys.readouterr().err


def test_a_baud_rate_that_cannot_be_is_refused(lab: Lab) -> None:
    code, said = lab("console", "near", "--baud=99999999999", near='port = "loop://"')
    assert code == 1
    assert "--baud=99999999999: must be from 50 to 20000000" in said


def test_a_hold_waits_for_the_test_that_has_the_board(
    lab: Lab, other: LabProcess
) -> None:
    other.ask("take a")
    code, said = lab("hold", "a", "--why", "mine", "--wait", "0", **FAR)
    assert code == 1
    assert f"a is held by pid {other.popen.pid} on" in said
    other.ask("release")
    assert lab("hold", "a", "--why", "mine", "--wait", "0")[0] == 0


def test_what_was_not_held_is_released_all_the_same(lab: Lab) -> None:
    assert lab("release", "a", **FAR) == (0, "a was not held by hand\n")


def test_who_holds_a_board_can_use_it(lab: Lab, tmp_path: Path) -> None:
    near = power_by_file(tmp_path)
    lab("hold", "near", "--why", "mine", near=f'port = "socket://near:1"\n{near}')
    assert lab("power", "off", "near") == (0, "near: power off\n")
    assert lab("list", "--json")[0] == 0


def power_by_file(folder: Path) -> str:
    word = f'"sh", "-c", "echo $0 >> {folder}/power"'
    return f'power = {{ off = [{word}, "off"], on = [{word}, "on"], off_ms = 0 }}'


@pytest.mark.parametrize(
    ("action", "done"), [("on", "on"), ("off", "off"), ("cycle", "off on")]
)
def test_power_is_switched_by_hand(
    lab: Lab, tmp_path: Path, action: str, done: str
) -> None:
    near = f'port = "socket://near:1"\n{power_by_file(tmp_path)}'
    assert lab("power", action, "near", near=near)[0] == 0
    assert (tmp_path / "power").read_text().split() == done.split()


def test_a_hub_is_switched_by_hand(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = UsbHub(tmp_path / "hub")
    hub.on_path(monkeypatch)
    power = 'power = { hub = "1-1.4", hub_port = 2 }'
    near = f'port = "{hub.link}"\n{power}'
    assert lab("power", "cycle", "near", near=near)[0] == 0
    assert hub.switched == ["off", "on"]
    hub.close()


def test_a_linux_target_is_switched_and_reset_by_hand(
    lab: Lab, file: Path, tmp_path: Path
) -> None:
    word = f'"sh", "-c", "echo reset >> {tmp_path}/power"'
    file.write_text(
        '[boards.pi]\nboard = "raspberry-pi"\nport = "ssh://pi.invalid"\n'
        f"{power_by_file(tmp_path)}\nreset = {{ command = [{word}] }}\n"
    )
    assert lab("power", "cycle", "pi") == (0, "pi: power cycle\n")
    assert lab("reset", "pi") == (0, "pi was reset\n")
    assert (tmp_path / "power").read_text().split() == ["off", "on", "reset"]
    code, said = lab("flash", "pi", __file__)
    assert code == 1
    assert "pi is a Linux target, which nobody flashes: a test has its program" in said


def test_what_a_switch_complains_of_names_the_board(lab: Lab, pty: Pty) -> None:
    power = 'power = { off = ["false"], on = ["true"] }'
    code, said = lab("power", "off", "near", near=f'port = "{pty.path}"\n{power}')
    assert code == 1
    assert "near: 'false' exited 1" in said


def test_what_has_no_switch_and_no_button_is_told(lab: Lab, pty: Pty) -> None:
    near = f'port = "{pty.path}"'
    for words, told in (
        (("power", "off", "near"), "near has no way to switch its power: give it"),
        (("reset", "near"), "near has no way to press reset: give it 'reset' in"),
        (
            ("flash", "near", __file__),
            "near runs what is on it: its lab file or datasheet has no flash",
        ),
        (("console", "nope"), "no lab board named 'nope'; known lab boards: near"),
        (("console", "near"), "a console needs a terminal"),
    ):
        code, said = lab(*words, near=near)
        assert code == 1
        assert told in said


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.unplug()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[PtyBoard]:
    device = PtyBoard(counts_its_boots(), Button(tmp_path))
    yield device
    device.close()


def terminal(file: Path, name: str) -> pexpect.spawn[bytes]:
    """Open a terminal of a person's on a board."""
    words = ["-m", "pytest_embedbench.cli", "lab", "console", name, "--lab", str(file)]
    return pexpect.spawn(sys.executable, words, timeout=60)


def test_a_person_resets_a_board_and_talks_to_it_under_its_lock(
    lab: Lab, file: Path, other: LabProcess, device: PtyBoard
) -> None:
    assert device.button is not None
    hold, go = (list(device.button.command(word)) for word in ("hold", "go"))
    reset = f"reset = {{ hold = {json.dumps(hold)}, command = {json.dumps(go)} }}"
    code, said = lab("reset", "near", near=f'port = "{device.path}"\n{reset}')
    assert (code, said) == (0, "near was reset\n")
    with terminal(file, "near") as person:
        person.expect_exact("Ctrl-] leaves")
        person.send("hello\r")
        person.expect_exact("boot 3 heard hello")
        statuses = json.loads(lab("list", "--json")[1])["boards"]
        assert statuses[0]["holder"]["pid"] == person.pid
        person.send("\x1d")
        person.expect(pexpect.EOF)
    assert json.loads(lab("list", "--json")[1])["boards"][0]["holder"] is None
    del other


def test_a_person_talks_to_a_target_over_ssh(
    locks: Path, file: Path, tmp_path: Path
) -> None:
    del locks
    if reason := ssh.missing():
        pytest.skip(reason)
    (tmp_path / "ssh").mkdir()
    server = ssh.ssh_server(tmp_path / "ssh")
    file.write_text(
        '[boards.pi]\nboard = "raspberry-pi"\nport = "ssh://bench"\n'
        f'login = {{ ssh_config = "{server.config}" }}\n'
    )
    with terminal(file, "pi") as person:
        person.expect_exact("Ctrl-] leaves")
        person.send("echo $((6 * 7))0\r")
        person.expect_exact("420")
        person.send("\x1d")
        person.expect(pexpect.EOF)


def test_a_program_reads_the_list(lab: Lab, other: LabProcess, pty: Pty) -> None:
    other.ask("take b")
    code, said = lab(
        "list",
        "--json",
        near=f'port = "{pty.path}"\nlabels = ["desk"]\ndisabled = "on fire"',
        b='port = "socket://b:1"',
        gone='port = "/dev/ttyUSB77"',
    )
    table = json.loads(said)
    near, far, gone = table["boards"]
    assert (code, table["schema"]) == (0, 1)
    assert near == {
        "board": "near",
        "datasheet": "any-serial",
        "labels": ["desk"],
        "disabled": "on fire",
        "port": pty.path,
        "problem": None,
        "hold": None,
        "holder": None,
        "waiters": [],
    }
    assert far["holder"]["pid"] == other.popen.pid
    assert (gone["port"], gone["problem"]) == (None, "not there: /dev/ttyUSB77")


def test_a_program_reads_the_findings(lab: Lab, pty: Pty) -> None:
    code, said = lab(
        "check",
        "--json",
        near=f'port = "{pty.path}"',
        off='port = "/dev/ttyUSB77"\ndisabled = "on fire"',
        gone='port = "/dev/ttyUSB78"',
    )
    near, off, gone = json.loads(said)["boards"]
    assert code == 1
    assert near["is_well"]
    assert off == {
        "board": "off",
        "is_well": True,
        "text": "left alone: disabled: on fire",
    }
    assert not gone["is_well"]


def test_a_board_is_flashed_by_hand(lab: Lab, tmp_path: Path, pty: Pty) -> None:
    image = tmp_path / "firmware.hex"
    image.write_text(":00000001FF\n")
    copy = f'["cp", "{{hex}}", "{tmp_path}/flashed.hex"]'
    flash = f'flash = {{ method = "command", write_argv = {copy} }}'
    near = f'port = "{pty.path}"\n{flash}'
    code, said = lab("flash", "near", str(image), near=near)
    assert code == 0, said
    assert f"on {pty.path}: written (command, 0 retries)" in said
    assert (tmp_path / "flashed.hex").read_bytes() == image.read_bytes()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[UsbHub]:
    hub = UsbHub(tmp_path / "hub")
    hub.on_path(monkeypatch)
    yield hub
    hub.close()


def on_hub(hub: UsbHub) -> str:
    return f'port = "{hub.link}"\npower = {{ hub = "1-1.4", hub_port = 2 }}'


def test_what_is_held_stays_so_while_it_is_unplugged(
    lab: Lab, hub: UsbHub, locks: Path
) -> None:
    near = on_hub(hub)
    lab("hold", "near", "--why", "soldering", near=near)
    hub.link.unlink()
    assert "not there: " in (listed := lab("list")[1])
    assert "; held by hand by " in listed
    wanted = BoardRequest(
        name="near", boards=(("near", PortQuery(port=str(hub.link))),)
    )
    with pytest.raises(BoardBusy, match=r"near is held by hand by .*: soldering"):
        Leases(folder=locks).acquire([wanted], wait_s=0)
    assert lab("hold", "near", "--why", "still soldering")[0] == 0
    code, said = lab("release", "near")
    assert code == 0
    assert said.endswith(": still soldering\n")
    assert lab("release", "near") == (0, "near was not held by hand\n")


def test_what_was_seen_here_can_be_held_while_it_is_away(lab: Lab, hub: UsbHub) -> None:
    near = on_hub(hub)
    lab("release", "near", near=near)
    hub.link.unlink()
    assert lab("hold", "near", "--why", "on my desk")[0] == 0
    hub.link.symlink_to(hub.pty.path)
    assert "held by hand" in lab("list")[1]


def test_what_was_never_seen_here_cannot_be_held(lab: Lab) -> None:
    code, said = lab("hold", "near", "--why", "x", near='usb_serial = "none such"')
    assert code == 1
    assert "near is not there (usb_serial=none such) and never was" in said
    assert "plug it in first, or say 'disabled' in the lab file" in said
    assert lab("release", "near") == (0, "near was not held by hand\n")


@pytest.mark.parametrize("action", ["on", "cycle"])
def test_a_hand_gives_the_power_back_that_a_hand_has_taken(
    lab: Lab, hub: UsbHub, action: str
) -> None:
    lab("power", "off", "near", near=on_hub(hub))
    assert not hub.link.exists()
    assert lab("power", action, "near") == (0, f"near: power {action}\n")
    assert hub.link.exists()


def test_a_test_is_told_how_a_board_gets_back_the_power_that_a_hand_took(
    lab: Lab, hub: UsbHub, file: Path
) -> None:
    lab("power", "off", "near", near=on_hub(hub))
    spec = Registry(lab=file).board("near")
    with pytest.raises(BoardUnreachable, match="'embedbench lab power on near' gives"):
        SerialPort().boot(spec, NO_IMAGE)
    lab("power", "on", "near")
    SerialPort().boot(spec, NO_IMAGE).close()
