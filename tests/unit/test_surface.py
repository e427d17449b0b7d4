"""The edit surface: what a submission may bring, and what it may reach for."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from pytest_embedbench.errors import OutsideEditSurface
from pytest_embedbench.grading.edit_surface import check_surface
from pytest_embedbench.grading.task import Suite, Task

TASK = Task(
    name="tank",
    plant="tank",
    brief="BRIEF.md",
    boot_line="",
    edit_surface=("src/controller.c", "src/controller.h"),
)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    root = tmp_path / "suite"
    put(root, "src/app.c", "the shell\n")
    put(root, "src/protocol.c", "the protocol\n")
    put(root, "platformio.ini", "[env:native]\n")
    return Suite(root=root, task=TASK)


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    folder = tmp_path / "submission"
    put(folder, "src/controller.c", '#include "controller.h"\n#include <stddef.h>\n')
    put(folder, "src/controller.h", "/* fine */\n")
    return folder


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def offences(suite: Suite, submission: Path) -> tuple[str, ...]:
    with pytest.raises(OutsideEditSurface) as caught:
        check_surface(suite, submission)
    return caught.value.offences


def test_the_files_of_the_surface_are_welcome(suite: Suite, submission: Path) -> None:
    check_surface(suite, submission)


@pytest.mark.parametrize(
    "name",
    ["README.md", "notes.txt", "log.csv", "agent_tests/test_it.py", "tests/test_it.c"],
)
def test_what_is_never_built_is_welcome(
    suite: Suite, submission: Path, name: str
) -> None:
    put(submission, name, "anything")
    check_surface(suite, submission)


@pytest.mark.parametrize("name", ["src/app.c", "main/app.c", "app.c"])
def test_a_copy_of_the_packages_own_file_is_welcome(
    suite: Suite, submission: Path, name: str
) -> None:
    put(submission, name, "the shell\n")
    check_surface(suite, submission)


@pytest.mark.parametrize(
    "name",
    [
        "src/app.c",
        "src/protocol.c",
        "main/uart_transport.c",
        "shell.cpp",
        "include/extra.h",
        "lib/x/x.S",
        "platformio.ini",
        "CMakeLists.txt",
        "sdkconfig.defaults",
    ],
)
def test_any_other_code_is_refused_by_name(
    suite: Suite, submission: Path, name: str
) -> None:
    put(submission, name, "another shell\n")
    found = offences(suite, submission)
    assert found == (f"{name}: not a submission's to bring or change",)


@pytest.mark.parametrize("text", ["...", "../x", "..", "/"])
def test_dots_and_strokes_in_a_text_are_a_path_only_where_they_can_be_one(
    suite: Suite, submission: Path, text: str
) -> None:
    put(submission, "src/controller.c", f'const char *text = "{text}";\n')
    if text == "...":
        check_surface(suite, submission)
    else:
        assert offences(suite, submission)


def test_a_second_version_of_a_surface_file_is_refused(
    suite: Suite, submission: Path
) -> None:
    put(submission, "main/controller.c", "which one counts?\n")
    assert offences(suite, submission)[0].startswith("main/controller.c: ")


@pytest.mark.parametrize(
    "line",
    [
        '#include "/srv/hidden/answers.h"',
        '#include "../../hidden/answers.h"',
        "#  include <../hidden/answers.h>",
        '#include "src/../../hidden/answers.h"',
        '#define WHERE "/srv/hidden/answers.h"',
        'asm(".incbin \\"answers\\"");',
        '#embed "answers"',
        "#include WHERE",
    ],
)
def test_code_that_reaches_for_other_files_is_refused(
    suite: Suite, submission: Path, line: str
) -> None:
    put(submission, "src/controller.c", f"#include <stddef.h>\n{line}\n")
    (offence,) = offences(suite, submission)
    assert offence.startswith("src/controller.c: reaches for another file: ")


def test_a_pipe_is_refused_unread(suite: Suite, submission: Path) -> None:
    os.mkfifo(submission / "src" / "extra.c")
    (offence,) = offences(suite, submission)
    assert offence == "src/extra.c: is no regular file"


def test_a_folder_in_place_of_a_source_file_is_refused(
    suite: Suite, submission: Path
) -> None:
    (submission / "src" / "controller.c").unlink()
    (submission / "src" / "controller.c").mkdir()
    assert offences(suite, submission) == ("src/controller.c: is no regular file",)


def test_a_link_is_not_a_file(suite: Suite, submission: Path, tmp_path: Path) -> None:
    put(tmp_path, "solution.c", "the answer\n")
    (submission / "src/controller.c").unlink()
    (submission / "src/controller.c").symlink_to(tmp_path / "solution.c")
    found = offences(suite, submission)
    assert found == ("src/controller.c: is a link, not a file",)


def test_every_offence_is_named_and_travels(suite: Suite, submission: Path) -> None:
    put(submission, "shell.c", "")
    put(submission, "main/other.c", "")
    with pytest.raises(OutsideEditSurface) as caught:
        check_surface(suite, submission)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.offences == caught.value.offences
    assert len(again.offences) == 2
