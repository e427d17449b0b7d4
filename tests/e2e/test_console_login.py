"""Every way into a target, and every way to be kept out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.console import ConnectionConfig, Credentials, connect
from pytest_embedbench.errors import BoardUnreachable
from tests.support import ssh_server as ssh
from tests.support.linux_target import PASSWORD, USER, serial_target

if TYPE_CHECKING:
    from pathlib import Path

PI = Credentials(user=USER, password=PASSWORD)
NOBODY = Credentials()


def hello(config: ConnectionConfig) -> str:
    access = connect(config)
    try:
        return access.console.run("echo hello").text
    finally:
        access.close()


def why_not(config: ConnectionConfig) -> str:
    with pytest.raises(BoardUnreachable) as told:
        connect(config)
    return str(told.value)


@pytest.mark.parametrize("shell", ["sh -i", "bash --norc -i"])
def test_a_login_leads_to_a_shell(tmp_path: Path, shell: str) -> None:
    with serial_target(tmp_path, shell=shell) as line:
        config = ConnectionConfig(address=line.path, credentials=PI)
        assert hello(config) == "hello\n"
        assert hello(config) == "hello\n", "it has to log out"


def test_a_shell_that_is_there_needs_no_login(tmp_path: Path) -> None:
    with serial_target(tmp_path, script="exec bash --norc -i") as line:
        assert hello(ConnectionConfig(address=line.path)) == "hello\n"


def test_a_password_prompt_that_somebody_has_left_is_left(tmp_path: Path) -> None:
    with serial_target(tmp_path) as line:
        with pytest.raises(BoardUnreachable):
            connect(
                ConnectionConfig(
                    address=line.path, credentials=Credentials(user="someone")
                )
            )
        assert hello(ConnectionConfig(address=line.path, credentials=PI)) == "hello\n"


def test_no_key_is_pressed_while_a_boot_loader_waits_for_one(tmp_path: Path) -> None:
    script = """
        stty -icanon -echo min 0 time 12
        printf 'U-Boot 2024.01\n\nHit any key to stop autoboot:  2 '
        key=$(dd bs=1 count=1 2>/dev/null | od -An -c)
        stty sane
        [ -z "$key" ] || { printf '\n=> '; exec sleep 60; }
        printf '\n[    0.000000] Linux version 6.1\n'
        exec sh -i
    """
    with serial_target(tmp_path, script=script) as line:
        assert hello(ConnectionConfig(address=line.path)) == "hello\n"


# B23
def test_what_a_killed_run_has_left_is_taken_over(tmp_path: Path) -> None:
    with serial_target(tmp_path) as line:
        killed = connect(ConnectionConfig(address=line.path, credentials=PI))
        killed.console.begin("sleep 60")
        killed.console.terminal.close()
        assert hello(ConnectionConfig(address=line.path, credentials=PI)) == "hello\n"


@pytest.mark.parametrize(
    ("credentials", "reason"),
    [
        (NOBODY, "asks who logs in, and no user is given"),
        (Credentials(user="pi"), "asks 'pi' for a password, and none is given"),
        (
            Credentials(user="pi", password="wrong"),
            "does not let 'pi' in with that password",
        ),
    ],
)
def test_a_serial_login_that_fails_is_one_sentence(
    tmp_path: Path, credentials: Credentials, reason: str
) -> None:
    with serial_target(tmp_path) as line:
        told = why_not(ConnectionConfig(address=line.path, credentials=credentials))
        assert told.startswith(f"no console on {line.path}: ")
        assert reason in told
        assert "wrong" not in told


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("stty -echo; exec sleep 60", "it says nothing at all; check power, wiring"),
        (
            "stty -opost; while sleep 0.05; do printf '\\200\\201\\377\\000x'; done",
            "is not text .* check login.baud_bps",
        ),
        (
            "while sleep 0.1; do echo 'LOG: temperature 21'; done",
            "the last it said: .*LOG: temperature 21",
        ),
        (
            "stty -echo; while read -r x; do printf 'ERR unknown command\\n> '; done",
            "the last it said: ERR unknown command",
        ),
    ],
    ids=["silence", "wrong baud rate", "no login", "no Linux"],
)
def test_what_never_shows_a_shell_is_described(
    tmp_path: Path, script: str, reason: str
) -> None:
    with serial_target(tmp_path, script=script) as line:
        told = why_not(
            ConnectionConfig(address=line.path, credentials=PI, within_s=2.5)
        )
        assert re.search(reason, told, re.DOTALL), told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if reason := ssh.missing():
        pytest.skip(reason)
    (tmp_path / "ssh").mkdir()
    return tmp_path / "ssh"


def over_ssh(
    server: ssh.SshServer, credentials: Credentials = NOBODY, within_s: float = 30
) -> ConnectionConfig:
    return ConnectionConfig(
        address="ssh://bench",
        ssh_config=str(server.config),
        credentials=credentials,
        within_s=within_s,
    )


def test_a_passphrase_is_typed_where_ssh_asks_for_it(folder: Path) -> None:
    server = ssh.ssh_server(folder, passphrase="open sesame")
    assert hello(over_ssh(server, Credentials(password="open sesame"))) == "hello\n"
    told = why_not(over_ssh(server))
    assert 'ssh asks "Enter passphrase for key' in told
    assert "nothing is given: set login.password_env" in told
    told = why_not(over_ssh(server, Credentials(password="wrong")))
    assert "what login.password_env gives is not enough" in told


def test_a_wrong_password_is_one_sentence(folder: Path) -> None:
    server = ssh.ssh_server(folder, server="PubkeyAuthentication no\n")
    told = why_not(over_ssh(server, Credentials(password="wrong")))
    assert "Permission denied" in told
    assert "the right login.password_env" in told


def test_a_host_that_nobody_knows_is_not_trusted(folder: Path) -> None:
    server = ssh.ssh_server(folder)
    (folder / "known_hosts").write_text("")
    assert "its host key is not known here" in why_not(over_ssh(server))


def test_another_machine_under_that_name_is_not_trusted(folder: Path) -> None:
    server = ssh.ssh_server(folder)
    known = (folder / "user_key.pub").read_text()
    (folder / "known_hosts").write_text(f"bench {known}")
    assert "ssh-keygen -R" in why_not(over_ssh(server))


def test_a_host_that_is_not_there_is_named(folder: Path) -> None:
    server = ssh.ssh_server(folder, client="Host bench\n ProxyCommand false\n")
    told = why_not(over_ssh(server))
    assert told.startswith("no console on ssh://bench: ssh says: ")


def test_something_without_a_shell_is_described(folder: Path) -> None:
    server = ssh.ssh_server(
        folder, server="ForceCommand echo '% Invalid input'; exec sleep 60\n"
    )
    told = why_not(over_ssh(server, within_s=2))
    assert "no plain sh answers within 2 s; the last it said: % Invalid input" in told
