"""Firmware as a process of the host: exact time, honest faults, no orphans."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.datasheet import load_board
from pytest_embedbench.engines.native import Native, NativeBoard, NativeForkServer
from pytest_embedbench.engines.native.control import Control
from pytest_embedbench.engines.native.protocol import SAID, ControlMessage
from pytest_embedbench.errors import (
    BoardLost,
    ConfigError,
    FirmwareCrash,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.model import BoardSpec, Chunk, FirmwareImage, Level
from pytest_embedbench.processes import wait_gone
from tests.e2e.native_firmware import HEAD, NativeCompiler, needs_gcc

pytestmark = needs_gcc

BYTE_NS = 86_806  # 10 bits at 115200 baud
ECHO = (
    HEAD
    + """
void firmware_main(void)
{
    uint8_t bytes[64];
    say("up\\n");
    for (;;) {
        size_t count = port_uart_read(bytes, sizeof bytes, 50);
        char stamp[32];
        if (count == 0) continue;
        snprintf(stamp, sizeof stamp, "%u:", (unsigned)port_now_ms());
        say(stamp);
        port_uart_write(bytes, count);
    }
}
"""
)


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> NativeCompiler:
    return NativeCompiler(tmp_path_factory.mktemp("native"))


@pytest.fixture(scope="module")
def spec() -> BoardSpec:
    boards = Path(__file__).parents[2] / "boards" / "embedbench_boards"
    return load_board(boards / "native.toml")


@pytest.fixture(scope="module")
def echo(compiler: NativeCompiler) -> FirmwareImage:
    return compiler.firmware(ECHO)


def text(chunks: list[Chunk]) -> bytes:
    return b"".join(chunk.data for chunk in chunks)


def test_a_line_is_stamped_when_its_last_byte_is_out(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    with closing(Native().boot(spec, echo)) as board:
        board.advance(1)
        assert board.link().receive() == [Chunk(3 * BYTE_NS // 1000, b"up\n")]


def test_bytes_arrive_at_the_baud_rate_and_a_read_ends_50_ms_after_the_last(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    with closing(Native().boot(spec, echo)) as board:
        board.advance(1000)
        board.link().receive()
        board.link().send(b"hello\n")
        board.advance(100)
        asked_ns = 1_000_000_000
        answered_ns = asked_ns + 6 * BYTE_NS + 50_000_000 + 11 * BYTE_NS
        expected = [Chunk(answered_ns // 1000, b"1050:hello\n")]
        assert board.link().receive() == expected


def test_a_full_buffer_ends_a_read_at_once(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    with closing(Native().boot(spec, echo)) as board:
        board.advance(10)
        board.link().receive()
        board.link().send(b"x" * 64)
        board.advance(40)
        assert text(board.link().receive()).startswith(b"10:xxx")


@settings(max_examples=30)
@given(cuts=st.lists(st.integers(min_value=1, max_value=120), min_size=1, max_size=20))
def test_how_time_is_cut_into_steps_does_not_matter(
    spec: BoardSpec, echo: FirmwareImage, cuts: list[int]
) -> None:
    def lines(board: NativeBoard, steps: list[int]) -> list[tuple[int, bytes]]:
        board.link().send(b"one\ntwo and more than one tick of it\n" * 20)
        for step in steps:
            board.advance(step)
        said = board.link().receive()
        whole = [(chunk.at_us, chunk.data) for chunk in said]
        stamps = [at_us for at_us, data in whole if data.endswith(b"\n")]
        return [(0, text(said)), *[(at_us, b"") for at_us in stamps]]

    with (
        closing(Native().boot(spec, echo)) as board,
        closing(Native().boot(spec, echo)) as twin,
    ):
        assert lines(board, cuts) == lines(twin, [sum(cuts)])


def test_what_comes_in_while_nobody_reads_is_lost_beyond_the_ring(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    sleepy = compiler.firmware(
        HEAD
        + """
        void firmware_main(void)
        {
            static uint8_t bytes[2000];
            char count[32];
            port_delay_ms(200);
            snprintf(count, sizeof count, "%zu\\n", port_uart_read(bytes, 2000, 50));
            say(count);
            rest();
        }
        """
    )
    with closing(Native().boot(spec, sleepy)) as board:
        board.link().send(b"x" * 1000)
        board.advance(500)
        assert text(board.link().receive()) == b"512\n"


def test_a_flood_takes_its_time(spec: BoardSpec, compiler: NativeCompiler) -> None:
    flood = compiler.firmware(
        HEAD + 'void firmware_main(void) { for (;;) say("ACT PUMP ON\\n"); }'
    )
    with closing(Native().boot(spec, flood)) as board:
        board.advance(10_000)
        assert len(text(board.link().receive())) == 10_000_000_000 // BYTE_NS


def test_a_process_killed_from_outside_is_not_the_firmwares_fault(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    for number in (signal.SIGKILL, signal.SIGSEGV):
        with closing(Native().boot(spec, echo)) as board:
            board.advance(10)
            os.kill(pid_of(board), number)
            with pytest.raises(BoardLost, match=f"killed by {number.name}"):
                board.advance(10)


def test_what_was_told_before_a_signal_is_not_told_twice(
    spec: BoardSpec, echo: FirmwareImage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Native().boot(spec, echo)) as board:
        board.advance(10)
        receive = Control.receive
        again = [ControlMessage(SAID, board.now_us(), board._last_payload)]
        monkeypatch.setattr(
            Control, "receive", lambda self: again.pop() if again else receive(self)
        )
        os.kill(pid_of(board), signal.SIGKILL)
        with pytest.raises(BoardLost, match="killed by SIGKILL"):
            board.advance(10)
        assert not again
        assert text(board.link().receive()) == b"up\n"


def pid_of(board: NativeBoard) -> int:
    return board._program.process.pid


def test_unknown_options_and_uarts_name_the_known_ones(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    with pytest.raises(
        ConfigError, match=r"options\.speed: unknown key; known keys: asleep_limit"
    ):
        Native().boot(replace(spec, options={"speed": 3}), echo)
    with pytest.raises(ConfigError, match="exactly one UART, not: uart0, uart0"):
        Native().boot(replace(spec, uarts=spec.uarts * 2), echo)
    with closing(Native().boot(spec, echo)) as board:
        with pytest.raises(UnknownName, match="known uarts: uart0"):
            board.link("uart7")
        with pytest.raises(NotSupported, match="no pins"):
            under_test(board).drive_pin("D2", Level.HIGH)


def test_reset_starts_the_firmware_over_while_time_goes_on(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    with closing(Native().boot(spec, echo)) as board:
        board.advance(500)
        board.reset()
        board.advance(500)
        board.link().send(b"now?\n")
        board.advance(100)
        said = board.link().receive()
        assert [chunk.data for chunk in said] == [b"up\n", b"up\n", b"550:now?\n"]
        assert said[1].at_us == 500_000 + 3 * BYTE_NS // 1000
        assert board.now_us() == 1_100_000


def test_a_closed_board_is_lost_but_what_it_said_is_not(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    board = Native().boot(spec, echo)
    board.advance(10)
    board.close()
    board.close()
    with pytest.raises(BoardLost, match="closed"):
        board.link().send(b"x")
    with pytest.raises(BoardLost, match="closed"):
        board.advance(1)
    assert text(board.link().receive()) == b"up\n"
    assert wait_gone(pid_of(board), 2)


def test_firmware_gets_no_environment_and_an_empty_folder_that_is_gone(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        #include <unistd.h>
        extern char **environ;
        void firmware_main(void)
        {
            char folder[512] = "gone";
            int variables = 0;
            while (environ[variables] != NULL) variables++;
            printf("%d %s %p\\n", variables, getcwd(folder, sizeof folder),
                   (void *)fopen("left-behind", "w"));
            rest();
        }
        """
    )
    with closing(Native().boot(spec, image)) as board:
        board.advance(10)
        assert board.console_text() == "1 (null) (nil)"
    assert board.console_text() == "1 (null) (nil)"


def test_what_is_printed_in_place_of_the_uart_is_a_note(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    firmware = 'void firmware_main(void) { puts("BOOTED"); fflush(stdout); rest(); }'
    with closing(Native().boot(spec, compiler.firmware(HEAD + firmware))) as board:
        board.advance(100)
        assert board.notes == ("what is printed goes to no UART; printed was: BOOTED",)


def test_more_console_output_than_is_kept_does_no_harm(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(
        HEAD
        + """
        void firmware_main(void)
        {
            for (int i = 0; i < 400000; i++) {
                puts("a line of fifty characters, the newline included.");
            }
            say("alive\\n");
            rest();
        }
        """
    )
    with closing(Native().boot(spec, image)) as board:
        board.advance(100)
        assert text(board.link().receive()) == b"alive\n"


def test_copies_from_a_fork_server_are_fresh_and_independent(
    spec: BoardSpec, echo: FirmwareImage
) -> None:
    server = NativeForkServer(spec, echo)
    with closing(server), closing(server.boot()) as first:
        first.link().send(b"to the first\n")
        first.advance(300)
        with closing(server.boot()) as second:
            second.advance(10)
            assert text(second.link().receive()) == b"up\n"
        assert text(first.link().receive()) == b"up\n50:to the first\n"


def test_a_crash_of_a_copy_is_reported_like_any_other(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(HEAD + "void firmware_main(void) { abort(); }")
    server = NativeForkServer(spec, image)
    with closing(server):
        for _ in range(2):
            with (
                closing(server.boot()) as board,
                pytest.raises(FirmwareCrash, match="SIGABRT"),
            ):
                board.advance(1)


def test_addresses_are_the_same_in_every_run(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    setarch = shutil.which("setarch")
    if setarch is None or subprocess.call([setarch, "-R", "true"]):
        pytest.skip("this system does not let a program choose its addresses")
    image = compiler.firmware(
        HEAD
        + """
        void firmware_main(void)
        {
            int on_stack;
            printf("%p %p %p\\n", (void *)&on_stack, malloc(1), (void *)stdout);
            rest();
        }
        """
    )
    seen: set[str] = set()
    for _ in range(3):
        with closing(Native().boot(spec, image)) as board:
            board.advance(1)
            seen.add(board.console_text())
    assert len(seen) == 1


def test_a_step_that_was_interrupted_leaves_the_board_lost_and_easy_to_close(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    class Alarm(Exception):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    image = compiler.firmware(HEAD + "void firmware_main(void) { for (;;) {} }")
    before = signal.signal(signal.SIGALRM, ring)
    with closing(Native().boot(spec, image)) as board:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Alarm):
            board.advance(1)
        with pytest.raises(BoardLost, match="interrupted"):
            board.advance(1)
    signal.signal(signal.SIGALRM, before)
    assert wait_gone(pid_of(board), 2)


BOOT_AND_HANG = """
import signal, sys
from pathlib import Path
from pytest_embedbench.datasheet import load_board
from pytest_embedbench.engines.native import Native, NativeForkServer
from pytest_embedbench.model import FirmwareImage

spec = load_board(Path(sys.argv[1]))
image = FirmwareImage(
    environment="native", elf_path=Path(sys.argv[2]), sha256="", key=""
)
board = Native().boot(spec, image)
copy = NativeForkServer(spec, image).boot()
board.advance(10), copy.advance(10)
print(board._program.process.pid, copy._program.process.pid, flush=True)
signal.pause()
"""


def test_kill_9_of_the_bench_leaves_no_firmware_behind(echo: FirmwareImage) -> None:
    # E2: no child after the parent was killed, copies of a fork server included.
    board = Path(__file__).parents[2] / "boards" / "embedbench_boards" / "native.toml"
    with subprocess.Popen(
        [sys.executable, "-c", BOOT_AND_HANG, board, echo.elf_path],
        stdout=subprocess.PIPE,
    ) as bench:
        assert bench.stdout is not None
        pids = [int(word) for word in bench.stdout.readline().split()]
        assert len(pids) == 2
        bench.kill()
    assert all(wait_gone(pid, 2) for pid in pids)
