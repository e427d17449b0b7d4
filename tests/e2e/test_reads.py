"""What the compiler of the host stage reads for a submission, however it is told to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BuildError, OutsideEditSurface
from pytest_embedbench.grading.edit_surface import check_surface
from pytest_embedbench.grading.host.builder import HostDriver
from pytest_embedbench.grading.task import find_suite
from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.evaluator import Evaluator

pytestmark = needs_gcc

TANK = find_suite(SUITES / "tank_fill_drain" / "test_x.py")
SOLUTION = (SUITES / "tank_fill_drain/solution/src/controller.c").read_text()
TEXT = "#define T(x) #x\n#define TEXT(x) T(x)\n"
DATA = r'asm(".pushsection .rodata\n.incbin \"src/controller.h\"\n.popsection");'


def build(folder: Path, more: str) -> None:
    """Check and build the reference with more in it."""
    submission = folder / "submission"
    submission.mkdir()
    (submission / "controller.c").write_text(f"{SOLUTION}\n{more}\n")
    assert TANK.task.controller is not None
    check_surface(TANK, submission)
    driver = HostDriver(api=TANK.task.controller, cache_dir=folder / "cache")
    driver.build(TANK.source(str(submission), relative_to=folder), folder / "out")


@pytest.mark.parametrize(
    "more",
    [
        '#define ANSWERS "{}"\n#include ANSWERS',
        "#define ANSWERS <{}>\n#include ANSWERS",
        TEXT + "#define ANSWERS {}\n#include TEXT(ANSWERS)",
        '#line 1 "{}"\n#include __FILE__',
        '#ifdef __linux__\n#include "{}"\n#endif',
        '#ifdef __linux__\n#include "../../../../../../../../../../../..{}"\n#endif',
        '#define READ(w) asm(".inc" w " \\"{}\\"");\nREAD("bin")',
        '#define READ asm(".incbin \\"{}\\"")\nREAD;',
        'asm(".macro m a\\n.inc\\\\a \\"{}\\"\\n.endm\\nm bin");',
        'int x __attribute__((section(".data\\n.incbin \\"{}\\"\\n#"))) = 1;',
    ],
)
@pytest.mark.parametrize("answers", ["#define ANSWER 42\n", "no C at all {{"])
def test_a_file_that_only_the_compiler_is_told_of_is_refused(
    tmp_path: Path, more: str, answers: str
) -> None:
    file = tmp_path / "answers.h"
    file.write_text(answers)
    with pytest.raises(OutsideEditSurface) as caught:
        build(tmp_path, more.replace("{}", str(file)))
    assert caught.value.offences == (f"{file}: is read by the compiler",)


@pytest.mark.parametrize(
    "more",
    [
        "#define WHERE <stdbool.h>\n#include WHERE",
        TEXT + "#include TEXT(controller.h)",
        '#ifdef UNIT_TEST\n#include "../agent_tests/mock.h"\n#endif',
        '#include "../src/controller.h"',
        'asm("nop");',
        "static int unused __attribute__((unused)) = 1;",
        '#pragma GCC diagnostic ignored "-Wunused"',
        DATA,
    ],
)
def test_what_is_built_and_installed_may_be_read(tmp_path: Path, more: str) -> None:
    build(tmp_path, more)


def test_a_program_has_a_largest_size(tmp_path: Path) -> None:
    big = "__attribute__((used)) char big[64000000] = {1};"
    with pytest.raises(
        BuildError, match=r"the program has \d{8} bytes, and may have 64"
    ):
        build(tmp_path, big)


@pytest.mark.parametrize("board", ["native", "uno"])
def test_a_file_that_is_read_for_a_board_alone_is_refused(
    evaluate: Evaluator, tmp_path: Path, board: str
) -> None:
    skip_without_engine(board)
    file = tmp_path / "answers.h"
    file.write_text("#define ANSWER 42\n")
    # The shell is there for boards only.
    only = "__AVR__" if board == "uno" else '__has_include("embedbench_port.h")'
    condition = f"#if defined({only})" if board == "uno" else f"#if {only}"
    made = f'{condition}\n#define ANSWERS "{file}"\n#include ANSWERS\n#endif\n'
    done = evaluate.submit(made + SOLUTION, "--embedbench-sandbox=off", board=board)
    assert done.ending == ("HOST", "EDIT_SURFACE"), done.printed
    assert f"{file}: is read by the compiler" in done.verdict["reason"]


@pytest.mark.parametrize("board", ["native", "uno"])
def test_what_leaves_open_what_it_reads_and_reads_nothing_else_passes(
    evaluate: Evaluator, board: str
) -> None:
    skip_without_engine(board)
    open_ = (
        "#define WHERE <stddef.h>\n#include WHERE\n"
        '#ifdef UNIT_TEST\n#include "../agent_tests/mock.h"\n#endif\n'
        "static int unused __attribute__((unused));\n"
    )
    done = evaluate.submit(open_ + SOLUTION, board=board)
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
