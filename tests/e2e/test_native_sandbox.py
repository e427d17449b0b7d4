"""Firmware of a submission's on ``native``: in a sandbox, alone, and found out."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.bench.rig import Rig
from pytest_embedbench.contracts import Board
from pytest_embedbench.engines.native import Native, NativeBoard
from pytest_embedbench.errors import BoardLost, FirmwareCrash
from pytest_embedbench.model import BoardSpec, FirmwareImage, Isolation
from pytest_embedbench.processes import descendants, wait_gone
from tests.e2e.native_firmware import HEAD, NativeCompiler, needs_gcc
from tests.e2e.test_host_sandbox import BOTH, DAEMON
from tests.support.sandboxes import needs_sandbox

pytestmark = needs_gcc

SYSTEM = """
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
"""
SAYS_ITS_TIME = """
    for (int count = 0;; count++) {
        char text[32];
        snprintf(text, sizeof text, "%d\\n", count);
        say(text);
        port_delay_ms(10);
    }
"""
# Speaks in the place of the library, with a stamp of long ago behind the first one.
BACK_DATED = """
    unsigned char pieces[2 * 13];
    struct __attribute__((packed)) { uint64_t at_us; uint32_t length; char byte; } a;
    struct { uint32_t length, kind; uint64_t value; } header = {sizeof pieces, 105, 0};
    port_delay_ms(50);
    a.at_us = 52000; a.length = 1; a.byte = 'x';
    memcpy(pieces, &a, 13);
    a.at_us = 51000;
    memcpy(pieces + 13, &a, 13);
    for (int fd = 3; fd < 16; fd++) {
        (void)!write(fd, &header, sizeof header);
        (void)!write(fd, pieces, sizeof pieces);
    }
    rest();
"""


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> NativeCompiler:
    return NativeCompiler(tmp_path_factory.mktemp("native"))


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    with closing(rig):
        yield rig


@pytest.fixture
def spec(rig: Rig) -> BoardSpec:
    return rig.registry.board("native")


def firmware(
    compiler: NativeCompiler, code: str, isolation: Isolation
) -> FirmwareImage:
    source = f"{SYSTEM}{HEAD}void firmware_main(void) {{ {code} }}"
    return replace(compiler.firmware(source), isolation=isolation)


def said(board: Board) -> bytes:
    return b"".join(chunk.data for chunk in board.link().receive())


@pytest.mark.parametrize("isolation", BOTH)
def test_boards_of_one_image_are_copies_of_one_program(
    rig: Rig, spec: BoardSpec, compiler: NativeCompiler, isolation: Isolation
) -> None:
    image = firmware(compiler, SAYS_ITS_TIME, isolation)
    heard = []
    keepers = set()
    others = set(descendants(os.getpid()))
    for _ in range(2):
        with rig.boot(spec, image) as board:
            board.advance(25)
            heard.append(said(board))
            board.reset()
            board.advance(5)
            heard.append(said(board))
        keepers.update(descendants(os.getpid()))
    assert heard == [b"0\n1\n2\n", b"0\n"] * 2
    rig.close()
    assert all(wait_gone(pid, budget_s=0) for pid in keepers - others)


@needs_sandbox
def test_firmware_sees_nothing_of_the_machine(
    rig: Rig, spec: BoardSpec, compiler: NativeCompiler, tmp_path: Path
) -> None:
    places = (Path.home(), tmp_path, Path(__file__).parents[2])
    tries = " + ".join(f'(open("{place}", O_RDONLY) >= 0)' for place in places)
    tries += ' + (open("/tmp/x", O_CREAT | O_WRONLY, 0600) >= 0)'
    code = f'printf("%d %d", {tries}, getppid()); fflush(stdout); rest();'
    with rig.boot(spec, firmware(compiler, code, Isolation.BUBBLEWRAP)) as board:
        board.advance(10)
        assert "printed was: 0 2" in board.notes[0]


@pytest.mark.parametrize("isolation", BOTH)
def test_a_daemon_is_found_and_the_next_board_is_alone(
    rig: Rig, spec: BoardSpec, compiler: NativeCompiler, isolation: Isolation
) -> None:
    image = firmware(compiler, f"{DAEMON} {SAYS_ITS_TIME}", isolation)
    others = set(descendants(os.getpid()))
    cores = os.sched_getaffinity(0)
    for _ in range(2):
        booting = rig.boot(spec, image)
        booting.__enter__().advance(5)
        with pytest.raises(FirmwareCrash, match="has left 1 processes running"):
            booting.__exit__(None, None, None)
        assert os.sched_getaffinity(0) == cores
    below = set(descendants(os.getpid()))
    rig.close()
    assert all(wait_gone(pid, budget_s=0) for pid in below - others)


@pytest.mark.parametrize("isolation", [Isolation.NONE, *BOTH])
def test_what_was_said_cannot_be_dated_back(
    rig: Rig, spec: BoardSpec, compiler: NativeCompiler, isolation: Isolation
) -> None:
    image = firmware(compiler, BACK_DATED, isolation)
    with rig.boot(spec, image) as board:
        board.advance(40)
        with pytest.raises(FirmwareCrash, match=r"meddles .* \[52000, 51000\] us"):
            board.advance(20)


AHEAD = """
    struct { uint32_t length, kind; uint64_t value; } header = {0, 105, 90000};
    for (int fd = 3; fd < 16; fd++) (void)!write(fd, &header, sizeof header);
    rest();
"""
HUGE = """
    uint32_t header[4] = {~0u, 105, 0, 0};
    for (int fd = 3; fd < 16; fd++) (void)!write(fd, header, sizeof header);
    rest();
"""
HANGS_UP = "for (int fd = 3; fd < 16; fd++) close(fd); for (;;) pause();"
TAKEN_OVER = "closed, or taken over, what connects it with the bench"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (AHEAD, "meddles .*: it is at 90000 us, and not at 40000 us"),
        (HUGE, "exited with code 0"),
        (HANGS_UP, TAKEN_OVER),
    ],
    ids=["ahead", "huge", "hangs-up"],
)
def test_who_speaks_for_the_board_is_at_fault(
    rig: Rig, spec: BoardSpec, compiler: NativeCompiler, code: str, words: str
) -> None:
    image = firmware(compiler, code, Isolation.LIMITS)
    with rig.boot(spec, image) as board, pytest.raises(FirmwareCrash, match=words):
        board.advance(40)


@pytest.mark.parametrize("isolation", BOTH)
@pytest.mark.parametrize(
    "code",
    ["raise(SIGKILL);", "raise(SIGUSR1);", "kill(getppid(), SIGKILL); pause();"],
    ids=["itself", "by-any-signal", "what-it-is-copied-from"],
)
def test_firmware_that_kills_is_at_fault_and_the_next_board_runs(
    rig: Rig,
    spec: BoardSpec,
    compiler: NativeCompiler,
    code: str,
    isolation: Isolation,
) -> None:
    image = firmware(compiler, f"{code} rest();", isolation)
    for _ in range(2):
        with (
            rig.boot(spec, image) as board,
            pytest.raises(FirmwareCrash, match=r"SIGSYS|raised by itself"),
        ):
            board.advance(10)


@needs_sandbox
def test_firmware_has_no_network(
    rig: Rig, spec: BoardSpec, compiler: NativeCompiler, answering: int
) -> None:
    code = f"""
        struct sockaddr_in to = {{.sin_family = AF_INET}};
        to.sin_port = htons({answering});
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int reached = connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&to, sizeof to);
        say(reached == 0 ? "reached\\n" : "alone\\n");
        rest();
    """
    with rig.boot(spec, firmware(compiler, code, Isolation.BUBBLEWRAP)) as board:
        board.advance(10)
        assert said(board) == b"alone\n"


@needs_sandbox
def test_a_signal_from_within_is_the_firmwares_and_one_from_outside_is_not(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    code = "pid_t self = getpid(); if (fork() == 0) { kill(self, SIGTERM); _exit(0); }"
    image = firmware(compiler, f"{code} for (;;) pause();", Isolation.BUBBLEWRAP)
    with (
        closing(Native().boot(spec, image)) as board,
        pytest.raises(FirmwareCrash, match="which a process of its own sent"),
    ):
        board.advance(10)
    image = firmware(compiler, "rest();", Isolation.BUBBLEWRAP)
    with closing(Native().boot(spec, image)) as board:
        os.kill(program_of(board), signal.SIGTERM)
        with pytest.raises(BoardLost, match="SIGTERM from outside"):
            board.advance(10)


def program_of(board: NativeBoard) -> int:
    return board._program.process.pid
