"""Submissions that reach beyond the host stage: each is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.errors import BuildError, FirmwareCrash, FirmwareSpin
from pytest_embedbench.grading.host.builder import ENVIRONMENT, HostDriver
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.program import HostProgram
from pytest_embedbench.model import FirmwareImage, Isolation
from pytest_embedbench.processes import descendants, wait_gone
from tests.e2e.host_controllers import (
    API,
    CONTROLLER,
    HEADER,
    TANK,
    unfiltered_compiler,
)
from tests.e2e.native_firmware import needs_gcc
from tests.support.sandboxes import needs_sandbox

pytestmark = needs_gcc

BOTH = [
    pytest.param(Isolation.BUBBLEWRAP, marks=needs_sandbox),
    Isolation.LIMITS,
]
HEADERS = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
"""
# How a source may have another file read while it is built.
READING = [
    pytest.param('#include "{file}"\n', id="include"),
    pytest.param('#define WHERE "{file}"\n#include WHERE\n', id="computed"),
    pytest.param(
        '__asm__(".pushsection .rodata\\n.incbin \\"{file}\\"\\n.popsection");',
        id="incbin",
    ),
    pytest.param('__asm__(".include \\"{file}\\"");', id="asm-include"),
    pytest.param(
        '#if __has_include("{file}")\n#error found\n#endif\n#error not there\n',
        id="has-include",
    ),
]
# A daemon as it stands in the book: two forks, a session of its own, no file kept open.
DAEMON = """
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            for (int fd = 0; fd < 64; fd++) close(fd);
            for (;;) pause();
        }
        _exit(0);
    }
    wait(NULL);
"""


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., FirmwareImage]:
    """Return a function that builds a submission kept apart."""

    def build_it(code: str, isolation: Isolation, before: str = "") -> FirmwareImage:
        folder = tmp_path / "submission"
        folder.mkdir(exist_ok=True)
        source = HEADERS + CONTROLLER % (before, code)
        (folder / "controller.c").write_text(source)
        (folder / "controller.h").write_text(HEADER)
        laid_over = TANK.source(str(folder), relative_to=tmp_path)
        laid_over = replace(laid_over.for_environment(ENVIRONMENT), isolation=isolation)
        # What no system call filter stops, a sandbox does.
        compiler = unfiltered_compiler(tmp_path)
        driver = HostDriver(api=API, cache_dir=tmp_path / "cache", compiler=compiler)
        return ImageCache(tmp_path / "cache").image(driver, laid_over)

    return build_it


@pytest.fixture
def run(build: Callable[..., FirmwareImage]) -> Iterator[Callable[..., Controller]]:
    """Return a function that has such a submission running."""
    programs: list[HostProgram] = []

    def run_it(code: str, isolation: Isolation, before: str = "") -> Controller:
        program = HostProgram(build(code, isolation, before))
        programs.append(program)
        controller = Controller(program, API)
        controller.restart()
        return controller

    yield run_it
    for program in programs:
        program.stop()


def step_and_close(controller: Controller) -> None:
    controller.step("LEVEL", now_ms=0)
    controller.program.close()


def kept(controller: Controller) -> list[int]:
    """Return the processes of a submission, that which all others end with included."""
    assert isinstance(controller.program, HostProgram)
    keeper = controller.program._keeper
    assert keeper is not None
    return [keeper.popen.pid, *descendants(keeper.popen.pid)]


def sees(run: Callable[..., Controller], what: str) -> bool:
    """Say whether a submission's expression is true in the sandbox."""
    code = f"output.pump_on = ({what});"
    return bool(run(code, Isolation.BUBBLEWRAP).step("LEVEL", now_ms=0).pump_on)


@needs_sandbox
def test_a_submission_runs_as_it_does_outside(run: Callable[..., Controller]) -> None:
    controller = run("output.pump_on = input.level < 30;", Isolation.BUBBLEWRAP)
    assert [
        controller.step("LEVEL", now_ms=at, level=at).pump_on for at in (29, 30)
    ] == [True, False]
    controller.restart()
    assert controller.step("LEVEL", now_ms=0).pump_on


@needs_sandbox
def test_what_it_crashes_of_is_told_with_its_line(
    run: Callable[..., Controller],
) -> None:
    controller = run("*(volatile int *)16 = 1;", Isolation.BUBBLEWRAP)
    with pytest.raises(FirmwareCrash, match=r"memory error: SEGV src/controller\.c:"):
        controller.step("LEVEL", now_ms=0)


@needs_sandbox
def test_nothing_of_the_suite_or_the_home_can_be_read(
    run: Callable[..., Controller], tmp_path: Path
) -> None:
    (tmp_path / "other.c").write_text("")
    places = [TANK.root / "hidden", TANK.root / "solution", Path.home(), tmp_path]
    tries = " || ".join(f'open("{place}", O_RDONLY) >= 0' for place in places)
    assert not sees(run, tries)


@needs_sandbox
def test_nothing_can_be_written_anywhere(run: Callable[..., Controller]) -> None:
    places = ("/x", "/tmp/x", "/dev/shm/x", "/usr/x", "/proc/sys/kernel/core_pattern")
    tries = " || ".join(
        f'open("{place}", O_WRONLY | O_CREAT, 0600) >= 0' for place in places
    )
    assert not sees(run, tries)


@needs_sandbox
def test_there_is_no_network(run: Callable[..., Controller], answering: int) -> None:
    before = f"""
    static bool reaches(void)
    {{
        struct sockaddr_in to = {{.sin_family = AF_INET}};
        to.sin_port = htons({answering});
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&to, sizeof to) == 0;
    }}
    """
    controller = run("output.pump_on = reaches();", Isolation.BUBBLEWRAP, before)
    assert not controller.step("LEVEL", now_ms=0).pump_on


@pytest.mark.parametrize("isolation", BOTH)
def test_a_daemon_is_found_and_ended(
    run: Callable[..., Controller], isolation: Isolation
) -> None:
    controller = run(DAEMON, isolation)
    controller.step("LEVEL", now_ms=0)
    below = kept(controller)
    with pytest.raises(FirmwareCrash, match="left 1 processes running"):
        controller.program.close()
    controller.program.stop()
    assert all(wait_gone(pid, budget_s=0) for pid in below)


@pytest.mark.parametrize("isolation", BOTH)
def test_a_daemon_does_not_outlive_a_crash(
    run: Callable[..., Controller], isolation: Isolation
) -> None:
    controller = run(f"{DAEMON} abort();", isolation)
    below = kept(controller)
    with pytest.raises(FirmwareCrash, match="SIGABRT"):
        controller.step("LEVEL", now_ms=0)
    controller.program.stop()
    assert all(wait_gone(pid, budget_s=0) for pid in below)


@needs_sandbox
def test_a_bomb_of_processes_goes_off_in_its_sandbox_only(
    run: Callable[..., Controller],
) -> None:
    bomb = "int count = 0; while (count < 1000 && fork() > 0) count++;"
    code = f"{bomb} if (count < 1000) output.pump_on = true; "
    controller = run(code, Isolation.BUBBLEWRAP)
    below = kept(controller)
    with pytest.raises((FirmwareCrash, FirmwareSpin)):
        step_and_close(controller)
    controller.program.stop()
    assert all(wait_gone(pid, budget_s=0) for pid in below)


@needs_sandbox
@pytest.mark.parametrize("reach", READING)
def test_a_build_cannot_read_what_is_not_its_own(
    build: Callable[..., FirmwareImage], tmp_path: Path, reach: str
) -> None:
    file = tmp_path / "secret.h"
    file.write_text("/* anybody's */\n")
    with pytest.raises(BuildError, match=r"No such file|not found|not there"):
        build("", Isolation.BUBBLEWRAP, reach.format(file=file))
