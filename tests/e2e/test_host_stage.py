"""A submission's own C, stepped in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.errors import (
    BenchFault,
    BuildError,
    ConfigError,
    FirmwareCrash,
    FirmwareSpin,
    UnknownName,
    WrongOutput,
)
from pytest_embedbench.grading.host import builder
from pytest_embedbench.grading.host.builder import ENVIRONMENT, KEEPER, HostDriver
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.line_protocol import LineProtocol
from pytest_embedbench.grading.host.program import HostProgram
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.processes import wait_gone
from pytest_embedbench.processes.time_budget import TimeBudget
from pytest_embedbench.testing import check_builder
from tests.e2e.host_controllers import API, HEADER, TANK, HostStage
from tests.e2e.native_firmware import needs_gcc

pytestmark = needs_gcc

STEPS = 100_000


@pytest.fixture
def build(host_stage: HostStage) -> Callable[..., FirmwareImage]:
    """Return a function that builds a submission, given what it does with a level."""
    return host_stage.build


@pytest.fixture
def run(host_stage: HostStage) -> Callable[..., Controller]:
    """Return a function that has such a submission running."""
    return host_stage.run


def test_the_driver_is_a_builder_like_any_other(tmp_path: Path) -> None:
    source = TANK.source("solution", relative_to=tmp_path)
    source = source.for_environment(ENVIRONMENT)
    check_builder(HostDriver(api=API, cache_dir=tmp_path), source, tmp_path / "out")


def test_what_is_the_same_for_all_submissions_is_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, script = tmp_path / "log", tmp_path / "cc"
    script.write_text(f'#!/bin/sh\necho "$*" >>{log}\nexec cc "$@"\n')
    script.chmod(0o755)
    driver = HostDriver(api=API, cache_dir=tmp_path, compiler=str(script))
    keepers: list[bytes] = []
    for number in range(4):
        if number > 1:  # as if in another process
            monkeypatch.setattr(builder, "_KEEPERS", {})
        if number == 3:
            for kept in tmp_path.glob("drivers/*.program"):
                kept.write_bytes(kept.read_bytes()[:-1])
        submission = tmp_path / f"submission{number}"
        shutil.copytree(TANK.root / "solution", submission)
        with (submission / "src/controller.c").open("a") as file:
            file.write(f"/* {number} */\n")
        source = TANK.source(str(submission), relative_to=tmp_path)
        image = driver.build(source, tmp_path / f"out{number}")
        keepers.append(image.artifacts[KEEPER].read_bytes())
        program = HostProgram(image)
        program.open()
        program.stop()
    assert len({*keepers}) == 1
    runs = log.read_text().splitlines()
    assert sum("host/keeper.c" in run for run in runs) == 2  # one was damaged
    assert sum("host/driver.c" in run for run in runs) == 4


def test_steps_go_in_and_outputs_come_back(run: Callable[..., Controller]) -> None:
    controller = run(
        "output.pump_on = input.level == 7 && input.now_ms == 4294967295U;"
    )
    assert controller.step("LEVEL", level=7, now_ms=2**32 - 1).pump_on
    assert not controller.step("LEVEL", level=7, now_ms=1).pump_on
    assert not controller.step(now_ms=2**32 - 1).pump_on
    assert controller.history().splitlines() == [
        "LEVEL, level=7, now_ms=4294967295 -> pump_on=True, changed=False",
        "LEVEL, level=7, now_ms=1 -> pump_on=False, changed=False",
        "NONE, level=0, now_ms=4294967295 -> pump_on=False, changed=False",
    ]


@pytest.mark.host_time
def test_100_000_steps_are_taken_in_one_go(run: Callable[..., Controller]) -> None:
    controller = run("output.pump_on = input.level < 30;")
    rows = [("LEVEL", number, number % 100) for number in range(STEPS)]
    assert sum(output.pump_on for output in controller.run(rows)) == STEPS * 30 / 100


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("*(volatile int *)16 = 1;", "memory error: SEGV src/controller.c:"),
        ("{ char *p = malloc(4); p[input.level] = 1; }", "heap-buffer-overflow"),
        (
            "{ static int t[3]; memory = t[input.level]; }",
            "out of bounds for type 'int",
        ),
        ("memory = 2147483647; memory += input.level;", "signed integer overflow"),
        ("memory = input.level / zero;", "division by zero"),
        ("memory = input.level << 40;", "shift exponent 40"),
        ("abort();", "it crashed (SIGABRT)"),
        ("exit(0);", "it ended the program with exit code 0"),
        ("for (;;) { char *p = malloc(65536); *p = 1; p[9999] = 1; }", "more memory"),
    ],
)
def test_a_crash_names_the_step_and_the_place(
    run: Callable[..., Controller], code: str, reason: str
) -> None:
    controller = run(code)
    with pytest.raises(FirmwareCrash) as caught:
        controller.run([("NONE", 50), ("LEVEL", 100, 20), ("NONE", 150)])
    message = str(caught.value)
    assert message.startswith("in controller_step(LEVEL, level=20, now_ms=100): ")
    assert reason in message


def test_a_spin_is_cut_off_and_located(run: Callable[..., Controller]) -> None:
    controller = run("for (;;) { zero = 0; }")
    with pytest.raises(FirmwareSpin, match="out of CPU time") as caught:
        controller.step("LEVEL", now_ms=0)
    assert "controller_step src/controller.c:" in str(caught.value)


def test_a_controller_that_sleeps_is_not_waited_for(
    run: Callable[..., Controller],
) -> None:
    controller = run("pause();", limits=TimeBudget(idle_s=0.5))
    with pytest.raises(FirmwareSpin, match="it does not come back: it waits for"):
        controller.step("LEVEL", now_ms=0)


def test_what_a_controller_prints_does_not_disturb(
    run: Callable[..., Controller],
) -> None:
    controller = run('puts("hello"); fputs("there\\n", stderr); output.pump_on = true;')
    assert controller.step("LEVEL", now_ms=0).pump_on


def test_a_controller_that_prints_without_end_is_not_kept_from_it(
    run: Callable[..., Controller],
) -> None:
    controller = run('printf("%1000d", 1); output.pump_on = true;')
    steps = [("LEVEL", 0)] * 20_000
    assert all(output.pump_on for output in controller.run(steps))
    controller.restart()
    assert all(output.pump_on for output in controller.run(steps))


@pytest.mark.parametrize(
    ("before_main", "reason"),
    [
        ("abort();", r"it crashed \(SIGABRT\)"),
        ("*(volatile int *)0 = 1;", "undefined behaviour: store to null pointer"),
        ("exit(0);", "it ended the program with exit code 0"),
    ],
)
def test_what_dies_before_its_first_step_is_the_submissions_fault(
    run: Callable[..., Controller], before_main: str, reason: str
) -> None:
    early = "__attribute__((constructor)) static void early(void) { %s }"
    with pytest.raises(FirmwareCrash, match=f"before controller_init: {reason}"):
        run("", before=early % before_main)


def test_a_function_that_is_called_like_one_of_the_systems_is_the_submissions_own(
    run: Callable[..., Controller],
) -> None:
    own = "ssize_t write(int fd, const void *from, size_t size) { return 7; }"
    controller = run('output.pump_on = write(1, "", 0) == 7;', before=own)
    assert controller.step("LEVEL", now_ms=0).pump_on


def test_a_controller_that_speaks_for_the_driver_is_found_out_at_once(
    run: Callable[..., Controller],
) -> None:
    write = '(void)!write(fd, "garbage\\n", 8);'
    code = f"for (int fd = 3; fd < 32; fd++) {{ {write} }}"
    controller = run(code)
    steps = [("LEVEL", now_ms) for now_ms in range(5_000)]  # more than one request
    with pytest.raises(FirmwareCrash, match="written into a file that it did not open"):
        controller.run(steps)


def test_after_a_crash_the_next_controller_is_a_fresh_one(
    run: Callable[..., Controller],
) -> None:
    controller = run("output.pump_on = ++memory == 1; if (input.level == 9) abort();")
    with pytest.raises(FirmwareCrash):
        controller.step("LEVEL", level=9, now_ms=0)
    with pytest.raises(BenchFault, match="it takes no more steps"):
        controller.step("LEVEL", now_ms=0)
    controller.restart()
    assert controller.step("LEVEL", now_ms=0).pump_on


def test_a_restart_is_another_process_in_which_init_is_called_once(
    run: Callable[..., Controller],
) -> None:
    controller = run("output.pump_on = ++memory == 1;")
    assert controller.step("LEVEL", now_ms=0).pump_on
    assert not controller.step("LEVEL", now_ms=0).pump_on
    assert not hasattr(controller, "init")
    controller.restart()
    assert controller.step("LEVEL", now_ms=0).pump_on


def test_the_published_evaluator_overlooked_undefined_behaviour(
    run: Callable[..., Controller],
) -> None:
    code = "memory = 2147483647; memory += input.level;"
    run(code, sanitize=False).step("LEVEL", level=1, now_ms=0)


def test_a_header_with_other_members_is_what_counts(
    run: Callable[..., Controller],
) -> None:
    header = HEADER.replace("typedef struct {", "typedef struct {\n    int first;")
    header = header.replace("CONTROLLER_INPUT_NONE = 0", "CONTROLLER_INPUT_NONE = 70")
    controller = run("output.pump_on = input.level == 5;", header=header)
    assert controller.step("LEVEL", level=5, now_ms=0).pump_on


STATE_ENUM = HEADER[HEADER.index("typedef enum {\n    CONTROLLER_STATE") :]
STATE_ENUM = STATE_ENUM[: STATE_ENUM.index(";") + 1]
ADDRESSES = """typedef const int *controller_state_t;
extern const int the_states[3];
#define CONTROLLER_STATE_SAFE_OFF (&the_states[0])
#define CONTROLLER_STATE_PUMPING (&the_states[1])
#define CONTROLLER_STATE_HOLDING (&the_states[2])"""
TEXTS = """typedef const char *controller_state_t;
#define CONTROLLER_STATE_SAFE_OFF "safe"
#define CONTROLLER_STATE_PUMPING "pumping"
#define CONTROLLER_STATE_HOLDING "holding" """
VARIABLES = """typedef int controller_state_t;
extern int safe, pumping, holding;
#define CONTROLLER_STATE_SAFE_OFF safe
#define CONTROLLER_STATE_PUMPING pumping
#define CONTROLLER_STATE_HOLDING holding"""


@pytest.mark.parametrize(
    ("names", "defined"),
    [
        (STATE_ENUM, ""),
        (ADDRESSES, "const int the_states[3] = {0};"),
        (TEXTS, ""),
        (VARIABLES, "int safe = 5, pumping = -6, holding = 7;"),
    ],
    ids=["numbers", "addresses", "texts", "variables"],
)
def test_a_state_is_what_its_name_denotes_whatever_that_is(
    host_stage: HostStage, names: str, defined: str
) -> None:
    controller = host_stage.run(
        "output.state = input.level == 1 ? CONTROLLER_STATE_PUMPING "
        ": input.level == 2 ? CONTROLLER_STATE_HOLDING : CONTROLLER_STATE_SAFE_OFF;",
        header=HEADER.replace(STATE_ENUM, names),
        before=defined,
        states=("SAFE_OFF", "PUMPING", "HOLDING"),
    )
    rows = [("LEVEL", 100 * (1 + level), level) for level in range(3)]
    states = [output.state for output in controller.run(rows)]
    assert states == ["SAFE_OFF", "PUMPING", "HOLDING"]


def test_a_state_that_has_no_name_is_none(host_stage: HostStage) -> None:
    controller = host_stage.run("output.state = 77;", states=("SAFE_OFF", "PUMPING"))
    assert controller.step("LEVEL", now_ms=0).state is None


def test_a_header_may_use_any_name_that_is_not_ours(
    run: Callable[..., Controller],
) -> None:
    names = "#define COUNT 3\n#define STATE 1\n#define IDLE 2\ntypedef int step_t;\n"
    header = HEADER.replace("typedef enum {", f"{names}typedef enum {{", 1)
    controller = run("output.pump_on = COUNT == 3;", header=header)
    assert controller.step("LEVEL", now_ms=0).pump_on


def test_a_submission_that_does_not_compile_shows_the_compilers_lines(
    build: Callable[..., FirmwareImage],
) -> None:
    with pytest.raises(BuildError) as caught:
        build("oops here;")
    assert "src/controller.c:" in caught.value.diagnostics
    assert "error: unknown type name" in caught.value.diagnostics
    assert caught.value.log_path.is_file()


def test_a_submission_that_lacks_a_name_of_the_api_does_not_compile(
    build: Callable[..., FirmwareImage],
) -> None:
    with pytest.raises(BuildError, match=r"has no member named .pump_on"):
        build("", header=HEADER.replace("bool pump_on;", "bool the_pump_is_on;"))


def test_only_the_scratch_folder_is_compiled(
    build: Callable[..., FirmwareImage], tmp_path: Path
) -> None:
    # What stands next to the submission is not next to what is compiled.
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "answers.h").write_text("#define ANSWER 1\n")
    with pytest.raises(BuildError, match=r"answers\.h: No such file"):
        build('\n#include "answers.h"\n')


def test_a_program_that_is_not_what_was_built_does_not_run(
    build: Callable[..., FirmwareImage], host_stage: HostStage
) -> None:
    image = build("")
    image.elf_path.write_bytes(image.elf_path.read_bytes() + b"\0")
    with pytest.raises(BenchFault, match="not the host driver that was built"):
        host_stage.program(image).open()


def test_a_program_that_hangs_up_is_our_fault(
    build: Callable[..., FirmwareImage], host_stage: HostStage, tmp_path: Path
) -> None:
    false = Path(shutil.which("false") or "")
    image = replace(build(""), artifacts={KEEPER: tmp_path / "impostor"})
    shutil.copy(false, tmp_path / "impostor")
    with pytest.raises(BenchFault, match="nothing of the submission in it"):
        host_stage.program(image).open()


def test_nothing_is_left_running(run: Callable[..., Controller]) -> None:
    controller = run("")
    assert isinstance(controller.program, HostProgram)
    keeper = controller.program._keeper
    assert keeper is not None
    assert keeper.copy is not None
    controller.program.stop()
    assert wait_gone(keeper.popen.pid, 2.0)
    assert wait_gone(keeper.copy.pid, 2.0)


def test_names_that_are_not_the_tasks_are_listed(
    run: Callable[..., Controller],
) -> None:
    controller = run("")
    with pytest.raises(UnknownName, match="no input kind named 'TEMP'"):
        controller.step("TEMP", now_ms=0)
    with pytest.raises(UnknownName, match="no value named 'lvl'; known values: level"):
        controller.step("LEVEL", lvl=3, now_ms=0)
    with pytest.raises(ConfigError, match="step"):
        controller.run([("LEVEL", 0, 2**40)])
    with pytest.raises(UnknownName, match="no actuator named 'heater'"):
        LineProtocol(controller.program, API).serialise("heater", on=True)


def test_lines_are_parsed_and_written(run: Callable[..., Controller]) -> None:
    lines = LineProtocol(run("").program, API)
    assert lines.parse("SENSE LEVEL 25") == ("LEVEL", "LEVEL", 25)
    assert lines.parse("SENSE LEVEL x") == ("INVALID_LEVEL", "INVALID_LEVEL", 0)
    assert lines.parse("") == ("IGNORED", "NONE", 0)
    assert lines.serialise("pump", on=True) == "ACT PUMP ON\n"
    assert lines.serialise("pump", on=True, size_bytes=12) is None
    assert lines.serialise("pump", on=True, size_bytes=0) is None


def test_a_wrong_output_is_told_in_one_sentence(run: Callable[..., Controller]) -> None:
    controller = run("output.pump_on = input.level < 30;")
    controller.expect(("LEVEL", 100, 20), pump_on=True, changed=False)
    with pytest.raises(WrongOutput) as caught:
        controller.expect(("LEVEL", 100, 20), ("LEVEL", 200, 30), pump_on=True)
    assert str(caught.value) == (
        "controller_step(LEVEL, level=30, now_ms=200) gives pump_on=False; "
        "it has to give pump_on=True"
    )


def test_a_killed_run_leaves_no_controller_behind(
    build: Callable[..., FirmwareImage],
) -> None:
    image = build("for (;;) { pause(); }")
    code = (
        "import sys; from pathlib import Path\n"
        "from pytest_embedbench.grading.host.controller import Controller\n"
        "from pytest_embedbench.grading.host.program import HostProgram\n"
        "from tests.e2e.host_controllers import API\n"
        "from pytest_embedbench.model import FirmwareImage as Image\n"
        "library = Path(sys.argv[1])\n"
        "keeper = {'keeper': library.with_name('keeper')}\n"
        "program = HostProgram(Image(environment='', sha256=sys.argv[2],\n"
        "                            elf_path=library, artifacts=keeper))\n"
        "program.open()\n"
        "print(program._keeper.popen.pid, flush=True)\n"
        "Controller(program, API).step('LEVEL', now_ms=0)\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code, str(image.elf_path), image.sha256],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    driver = int(run.stdout.readline())
    (copy,) = Path(f"/proc/{driver}/task/{driver}/children").read_text().split()
    run.kill()
    run.communicate()
    assert wait_gone(driver, 2.0)
    assert wait_gone(int(copy), 2.0)
