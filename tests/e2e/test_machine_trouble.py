"""What this machine does to a correct submission is never held against it."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_embedbench.datasheet import load_board
from pytest_embedbench.engines.native import Native, program as native_program
from pytest_embedbench.engines.native.board import NativeBoard
from pytest_embedbench.errors import BenchFault, BoardLost, FirmwareCrash
from pytest_embedbench.grading.host import keeper as keepers, program as host_program
from pytest_embedbench.grading.host.builder import HostDriver
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.processes import wait_gone
from pytest_embedbench.processes.channel import start_child
from tests.e2e.host_controllers import API, TANK, HostStage
from tests.e2e.native_firmware import HEAD, NativeCompiler, needs_gcc

pytestmark = needs_gcc

RIGHT = "output.pump_on = input.level < 30;"
KILLED = [signal.SIGKILL, signal.SIGTERM]
SPEC = load_board(
    Path(__file__).parents[2] / "boards" / "embedbench_boards" / "native.toml"
)
TICKING = 'void firmware_main(void) { for (;;) { say("tick\\n"); port_delay_ms(10); } }'
UNFILTERED = "void bench_forbid_calls(void) { }"  # as on other machines
DIES_LATER = """
#include <signal.h>
void firmware_main(void)
{
    uint8_t byte;
    while (port_uart_read(&byte, 1, 1000) == 0) { }
    raise(SIGKILL);
}
"""


@contextmanager
def address_space(most_bytes: int) -> Iterator[None]:
    """As after ``ulimit -S -v``."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def keeper_of(controller: Controller) -> keepers.Keeper:
    program = controller.program
    assert isinstance(program, host_program.HostProgram)
    assert program._keeper is not None
    return program._keeper


def kill_copy(controller: Controller, number: int = signal.SIGKILL) -> None:
    keeper = keeper_of(controller)
    assert keeper.copy is not None
    os.kill(keeper.copy.pid, number)
    assert wait_gone(keeper.copy.pid, 2.0)


def test_no_room_for_the_sanitizers_shadow(host_stage: HostStage) -> None:
    image = host_stage.build(RIGHT)
    with address_space(8 * 1024**3), pytest.raises(BenchFault, match="ulimit -v"):
        host_stage.program(image).open()


@pytest.mark.parametrize("what", ["build", "start"])
def test_no_temporary_file_can_be_made(
    host_stage: HostStage, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    image = host_stage.build(RIGHT)
    monkeypatch.setattr(tempfile, "tempdir", "/proc/self/full")
    program = host_stage.program(image)
    with pytest.raises(BenchFault, match="look for room on its disks"):
        program.open() if what == "start" else host_stage.build(RIGHT)


@pytest.mark.parametrize("number", KILLED)
def test_a_copy_that_is_killed_between_two_steps(
    host_stage: HostStage, number: int
) -> None:
    controller = host_stage.run(RIGHT)
    controller.step("LEVEL", now_ms=0, level=20)
    kill_copy(controller, number)
    with pytest.raises(BenchFault, match="from outside: on a second try"):
        controller.step("LEVEL", now_ms=50, level=20)
    controller.restart()
    assert controller.step("LEVEL", now_ms=0, level=20).pump_on


def test_a_copy_that_is_killed_before_its_close_has_done_all_it_had_to(
    host_stage: HostStage,
) -> None:
    controller = host_stage.run(RIGHT)
    controller.step("LEVEL", now_ms=0, level=20)
    kill_copy(controller)
    controller.program.close()
    controller.restart()
    assert controller.step("LEVEL", now_ms=0, level=20).pump_on


@pytest.mark.parametrize("then", ["close", "step"])
def test_a_driver_that_is_killed(host_stage: HostStage, then: str) -> None:
    controller = host_stage.run(RIGHT)
    keeper = keeper_of(controller)
    assert keeper.copy is not None
    os.kill(keeper.popen.pid, signal.SIGKILL)
    assert wait_gone(keeper.copy.pid, 2.0)
    if then == "close":
        controller.program.close()
    else:
        with pytest.raises(BenchFault, match="from outside: on a second try"):
            controller.step("LEVEL", now_ms=0, level=20)
    controller.restart()
    assert controller.step("LEVEL", now_ms=0, level=20).pump_on


def test_the_kernel_counts_whom_it_kills_for_memory(
    host_stage: HostStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = iter(range(100))
    monkeypatch.setattr(host_program, "oom_kill_count", lambda: next(counted))
    controller = host_stage.run("raise(SIGKILL);", filtered=False)
    with pytest.raises(BenchFault, match="ran out of memory meanwhile"):
        controller.step("LEVEL", now_ms=0)


def test_a_cache_that_is_deleted_meanwhile(host_stage: HostStage) -> None:
    controller = host_stage.run(RIGHT)
    shutil.rmtree(host_stage.folder / "out")
    controller.restart()
    assert controller.step("LEVEL", now_ms=0, level=20).pump_on
    controller.program.stop()
    with pytest.raises(BenchFault, match="No such file"):
        controller.restart()


@pytest.mark.parametrize("killed", ["cc1", "ld", "cc"])
def test_a_compiler_that_is_killed(tmp_path: Path, killed: str) -> None:
    script = tmp_path / "compiler" / "bin" / "cc"
    script.parent.mkdir(parents=True)
    (tmp_path / "parts").mkdir()
    part = tmp_path / "parts" / killed
    part.write_text("#!/bin/sh\nkill -9 $$\n")
    part.chmod(0o755)
    words = "kill -9 $$" if killed == "cc" else f'exec cc -B{tmp_path}/parts/ "$@"'
    script.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec cc "$@"\n{words}\n')
    script.chmod(0o755)
    driver = HostDriver(api=API, cache_dir=tmp_path, compiler=str(script))
    source = TANK.source("solution", relative_to=tmp_path)
    with pytest.raises(BenchFault, match="compiler was killed from outside"):
        driver.build(source, tmp_path / "out")


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> NativeCompiler:
    return NativeCompiler(tmp_path_factory.mktemp("native"))


def running(board: NativeBoard) -> int:
    return board._program.process.pid


@pytest.mark.parametrize("number", KILLED)
@pytest.mark.parametrize("standing", [False, True], ids=["booted", "copied"])
def test_a_native_program_that_is_killed(
    compiler: NativeCompiler, number: int, *, standing: bool
) -> None:
    image = compiler.firmware(HEAD + TICKING)
    server = Native().stand_ready(SPEC, image)
    with closing(server):
        board = server.boot() if standing else Native().boot(SPEC, image)
        with closing(board):
            board.advance(1000)
            os.kill(running(board), number)
            with pytest.raises(BoardLost, match=r"second try|process sent"):
                board.advance(1000)


def test_a_native_program_that_kills_itself_does_so_again(
    compiler: NativeCompiler,
) -> None:
    image = compiler.firmware(HEAD + UNFILTERED + DIES_LATER, without="forbidden")
    with closing(Native().boot(SPEC, image)) as board:
        board.advance(500)
        board.link().send(b"x")
        with pytest.raises(FirmwareCrash, match=r"SIGKILL(.|\n)*on a second try"):
            board.advance(500)


def test_a_native_copy_that_is_killed_before_its_close(
    compiler: NativeCompiler,
) -> None:
    with closing(Native().boot(SPEC, compiler.firmware(HEAD + TICKING))) as board:
        board.advance(100)
        os.kill(running(board), signal.SIGKILL)


def test_a_native_program_that_is_killed_at_its_start(
    compiler: NativeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = compiler.firmware(HEAD + TICKING)
    start, killed = start_child, list[int]()

    def start_and_kill(*args: Any, **how: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401  # as it is
        popen = start(*args, **how)
        if not killed:
            killed.append(popen.pid)
            popen.kill()
            popen.wait()
        return popen

    monkeypatch.setattr(native_program, "start_child", start_and_kill)
    with pytest.raises(BoardLost, match="from outside: a second try ends otherwise"):
        Native().boot(SPEC, image)
    assert killed
    Native().boot(SPEC, image).close()


def test_a_native_program_that_kills_itself_before_its_firmware(
    compiler: NativeCompiler,
) -> None:
    early = "#include <signal.h>\n__attribute__((constructor)) static void early(void)"
    image = compiler.firmware(f"{HEAD}{early} {{ raise(SIGKILL); }}\n{TICKING}")
    with pytest.raises(FirmwareCrash, match="in a constructor, twice"):
        Native().boot(SPEC, image)


def test_a_native_program_whose_file_is_gone_at_a_reset(
    compiler: NativeCompiler,
) -> None:
    image = compiler.firmware(HEAD + TICKING)
    with closing(Native().boot(SPEC, image)) as board:
        image.elf_path.unlink()
        with pytest.raises(BoardLost, match="whether the cache is there"):
            board.reset()


def test_a_host_driver_that_does_not_answer_is_ours(
    host_stage: HostStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keepers, "_LIBRARY_VARIABLE", "NO_LIBRARY")
    with pytest.raises(BenchFault, match="nothing of the submission in it"):
        host_stage.run(RIGHT)
