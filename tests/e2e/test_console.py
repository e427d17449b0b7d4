"""Consoles on real shells: behind a serial login, and behind a real SSH server."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.console import ConnectionConfig, Credentials, connect
from pytest_embedbench.errors import (
    BenchFault,
    BoardBusy,
    BoardLost,
    ConfigError,
    ExpectTimeout,
)
from tests.support import ssh_server as ssh
from tests.support.linux_target import PASSWORD, USER, serial_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.console import Console, TargetSession
    from tests.support.linux_target import SerialTarget

PI = Credentials(user=USER, password=PASSWORD)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SerialTarget]:
    with serial_target(tmp_path_factory.mktemp("home")) as target:
        yield target


@pytest.fixture(scope="module")
def serial_access(line: SerialTarget) -> Iterator[TargetSession]:
    access = connect(ConnectionConfig(address=line.path, credentials=PI))
    yield access
    access.close()


@pytest.fixture(scope="module")
def over_ssh(tmp_path_factory: pytest.TempPathFactory) -> ConnectionConfig:
    if reason := ssh.missing():
        pytest.skip(reason)
    server = ssh.ssh_server(tmp_path_factory.mktemp("ssh"))
    return ConnectionConfig(address="ssh://bench", ssh_config=str(server.config))


@pytest.fixture(scope="module")
def ssh_access(over_ssh: ConnectionConfig) -> Iterator[TargetSession]:
    access = connect(over_ssh)
    yield access
    access.close()


@pytest.fixture
def fresh_access(over_ssh: ConnectionConfig) -> Iterator[TargetSession]:
    access = connect(over_ssh)
    yield access
    access.close()


@pytest.fixture(params=["serial", "ssh"])
def console(request: pytest.FixtureRequest) -> Console:
    access: TargetSession = request.getfixturevalue(f"{request.param}_access")
    return access.console


def test_a_command_has_a_status_and_an_output(console: Console) -> None:
    result = console.run("echo out; echo err >&2; (exit 3)")
    assert (result.status, result.output) == (3, b"out\nerr\n")
    assert result.ended == "failed (exit status 3)"


def test_what_a_command_changes_stays(console: Console, tmp_path: Path) -> None:
    console.run(f"cd {tmp_path}; NAME=pi")
    assert console.run('pwd; echo "$NAME"').text == f"{tmp_path}\npi\n"


def test_output_that_does_not_end_a_line_is_what_it_is(console: Console) -> None:
    assert console.run("printf abc").output == b"abc"
    assert console.run("true").output == b""


def test_a_command_may_have_several_lines(console: Console) -> None:
    text = "cat <<'END'\n  one\n\n\ttwo\nEND"
    assert console.run(text).output == b"  one\n\n\ttwo\n"


def test_a_command_that_is_no_shell_fails_alone(console: Console) -> None:
    assert console.run("if (").status == 2
    assert console.run("echo well").output == b"well\n"


# U1, U2
def test_any_byte_may_be_in_an_output(console: Console, tmp_path: Path) -> None:
    data = bytes(range(256)) * 4096 + "°€\U0001f600".encode()
    (tmp_path / "data").write_bytes(data)
    assert console.run(f"cat {tmp_path}/data").output == data


# U7: read once, whatever its length.
def test_a_long_output_is_read_whole(console: Console) -> None:
    expected = b"".join(b"%d\n" % number for number in range(1, 300_001))
    assert console.run("seq 300000", within_s=60).output == expected


def test_colours_are_no_part_of_the_text(console: Console) -> None:
    result = console.run("printf '\\033[1;31mred\\033[0m\\033]0;title\\007\\r\\n'")
    assert result.text == "red\n"
    assert result.output.startswith(b"\x1b[1;31m")


def test_an_output_that_looks_like_a_prompt_is_an_output(console: Console) -> None:
    script = "cat /proc/self/environ | tr '\\0' '\\n' | grep -a EMBEDBENCH; echo 'pi$ '"
    result = console.run(script)
    assert result.status == 0
    assert result.output.endswith(b"\npi$ \n")


@pytest.mark.parametrize(
    "hanging", ["sleep 100", "while :; do :; done", "sh -c 'trap : INT; sleep 100'"]
)
def test_a_command_that_hangs_is_interrupted(console: Console, hanging: str) -> None:
    with pytest.raises(ExpectTimeout, match=r"within 0\.3 s .* and was interrupted"):
        console.run(f"printf waiting; {hanging}", within_s=0.3)
    assert console.run("echo here").output == b"here\n"


def test_a_shell_says_that_a_key_has_worked_before_it_starts_anew(
    console: Console,
) -> None:
    said = console.interrupt()
    assert said.index(console.loop.obeyed) < said.index(console.loop.ready)
    assert console.run("echo here").output == b"here\n"


# U11
def test_a_hanging_command_is_told_with_its_last_words(console: Console) -> None:
    with pytest.raises(ExpectTimeout, match=r"the last it said: (?s:.*)step 4000\Z"):
        console.run("seq -f 'step %g' 4000; sleep 100", within_s=1)


def test_a_command_that_cannot_be_typed_is_refused(console: Console) -> None:
    with pytest.raises(ConfigError, match="cannot be typed"):
        console.run("echo \x03")
    with pytest.raises(ConfigError, match="too long for a terminal"):
        console.run("echo " + 5000 * "x")


def test_a_command_that_ends_the_shell_is_named(fresh_access: TargetSession) -> None:
    console = fresh_access.console
    with pytest.raises(BenchFault, match="'exit 4' has ended the shell itself"):
        console.run("exit 4")
    with pytest.raises(BoardLost, match="is closed"):
        console.run("true")


def test_a_failed_command_can_be_made_an_error(console: Console) -> None:
    with pytest.raises(BenchFault, match=r"'echo why; false' failed .*: why"):
        console.run("echo why; false").check()


def test_a_copy_is_whole_and_may_be_run(console: Console, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(
        b"#!/bin/sh\necho it runs\nexit 7\n" + secrets.token_bytes(9000)
    )
    program.chmod(0o755)
    there = tmp_path / "a folder's" / "copy"
    there.parent.mkdir()
    console.copy(program, str(there))
    assert there.read_bytes() == program.read_bytes()
    result = console.run(f'"{there}"')
    assert (result.status, result.output) == (7, b"it runs\n")
    assert [path.name for path in there.parent.iterdir()] == ["copy"]


def test_a_copy_that_finds_no_room_leaves_nothing(
    console: Console, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_bytes(bytes(10_000))
    (tmp_path / "full.part").symlink_to("/dev/full")
    with pytest.raises(BenchFault, match=r"program was not copied .*No space left"):
        console.copy(program, str(tmp_path / "full"))
    assert not (tmp_path / "full").exists()
    assert not (tmp_path / "full.part").is_symlink()


def test_a_copy_to_where_nothing_can_be_written_says_so(
    console: Console, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"x")
    with pytest.raises(BenchFault, match=r"as /proc/program: .*/proc/program\.part"):
        console.copy(program, "/proc/program")


def test_the_kernel_may_speak_in_the_middle(
    serial_access: TargetSession, tmp_path: Path
) -> None:
    console = serial_access.console
    kernel = tmp_path / "kernel"
    kernel.write_bytes(b"[  123.456789] usb 1-1: new high-speed USB device\r\n")
    result = console.run(f"printf 'level 4'; cat {kernel}; echo 2")
    assert result.output == b"level 42\n"
    assert result.kernel == ("[  123.456789] usb 1-1: new high-speed USB device",)
    dmesg = console.run("printf '[  123.456789] usb 1-1: as dmesg has it\\n'")
    assert dmesg.output == b"[  123.456789] usb 1-1: as dmesg has it\n"


# B2
def test_nobody_else_has_the_line(
    line: SerialTarget, serial_access: TargetSession
) -> None:
    assert serial_access.console.usable
    with pytest.raises(BoardBusy, match="in use by"):
        connect(ConnectionConfig(address=line.path, credentials=PI))


def test_more_terminals_share_one_login(ssh_access: TargetSession) -> None:
    assert ssh_access.link is not None
    other = ssh_access.link.another(within_s=30)
    other.run("NAME=other")
    assert ssh_access.console.run('echo "<$NAME>"').text == "<>\n"
    assert other.run('echo "<$NAME>"').text == "<other>\n"
    other.close()


def test_a_copy_is_no_folder(console: Console, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"x")
    with pytest.raises(BenchFault, match="that is a folder; name a file in it"):
        console.copy(program, str(tmp_path))
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_a_lost_connection_is_a_lost_board(fresh_access: TargetSession) -> None:
    with pytest.raises(BoardLost, match="ssh://bench is gone"):
        fresh_access.console.run("kill -9 $(ps -o ppid= $PPID)", within_s=30)
