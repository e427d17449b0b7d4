"""The edit surface: what a submission may bring, and what it may reach for."""

from __future__ import annotations

import ctypes
import os
import pickle
import socket
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import (
    BenchFault,
    ConfigError,
    DoesNotFit,
    OutsideEditSurface,
)
from pytest_embedbench.grading.edit_surface import check_surface, ignored_files
from pytest_embedbench.grading.edit_surface.built import check_built
from pytest_embedbench.grading.task import Suite, Task
from pytest_embedbench.model import FirmwareImage

if TYPE_CHECKING:
    from collections.abc import Callable

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


@pytest.mark.parametrize(
    "line",
    [
        'const char *text = "...";',
        'const char *text = "../x", *root = "/", *null = "/dev/null";',
        'const char *state = "STATE " "/srv/" "../SAFE";',
        '// the published #include "../../hidden/answers.h" is not ours',
        '/*\n#include "/etc/passwd"\n.incbin "x" */',
        'const char *raw = R"(\n#include "/etc/passwd"\n)";',
        "#define WHERE <stdbool.h>\n#include WHERE",
        '#define WHERE "/srv/hidden/answers.h"',
        '#include "../src/controller.h"',
        '#include "../src/protocol.c"',
        '#line 7 "/home/me/controller.rl"',
        'void f(void) { asm("nop"); asm volatile(".balign 4" ::: "memory"); }',
        'const char *word = ".incbin \\"answers\\"";',
        "#if __has_include(<threads.h>)\n#endif",
        '#if 0\n#include "/etc/passwd"\n#endif',
    ],
)
def test_what_opens_no_file_is_no_offence(
    suite: Suite, submission: Path, line: str
) -> None:
    put(submission, "src/controller.c", f'#include "controller.h"\n{line}\n')
    check_surface(suite, submission)


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
        '%:include "/srv/hidden/answers.h"',
        '#inc\\\nlude "/srv/hidden/answers.h"',
        '/* a */ # /* b */ include /* c */ "/srv/hidden/answers.h"',
        '"/*"\n#include "/srv/hidden/answers.h"\n"*/"',
        "'\"';\n#include </srv/hidden/answers.h>",
        '#include_next "/srv/hidden/answers.h"',
        '#import "/srv/hidden/answers.h"',
        '#if __has_include("/srv/hidden/answers.h")\n#endif',
        'asm(".incbin \\"answers\\"");',
        '__asm__ volatile (".inc" /* so */ "bin \\x22answers\\42");',
        'asm(".INCLUDE \\"/srv/hidden/answers.s\\"");',
        '#embed "answers"',
    ],
)
def test_code_that_reaches_for_other_files_is_refused(
    suite: Suite, submission: Path, line: str
) -> None:
    put(submission, "src/controller.c", f"#include <stddef.h>\n{line}\n")
    (offence,) = offences(suite, submission)
    assert offence.startswith("src/controller.c: reaches for another file: ")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("controller.h", "#define app_run(lines) other(lines)"),
        ("controller.h", "#if 1\n#  define firmware_main other\n#endif"),
        ("controller.h", "#define protocol_parse_line other"),
        ("controller.h", "#define shell_send_if(fits, line)"),
        ("controller.h", "#undef PORT_TICK_MS"),
        ("controller.h", "#define static"),
        ("controller.h", "#define if(x) if (!(x))"),
        ("controller.h", "#pragma redefine_extname other shell_run"),
        ("controller.c", "uint32_t port_now_ms(void) { return 0; }"),
        ("controller.c", "int fork(void) { return 1; }"),
        ("controller.c", "int shell_run(int a) { return a; } int f(void) {}"),
        ("controller.c", 'void other(void) __asm__("shell_\\162un");'),
        ("controller.c", 'int other(void) __attribute__((alias("port_now_ms")));'),
    ],
)
def test_names_of_the_firmwares_own_keep_their_meaning(
    suite: Suite, submission: Path, name: str, code: str
) -> None:
    put(suite.root, "src/protocol.c", "int protocol_parse_line(void) { return 0; }")
    put(submission, f"src/{name}", f"/* */\n{code}\n")
    [offence] = offences(suite, submission)
    assert "gives a name of the firmware's own another meaning: " in offence


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("controller.h", "#define CONTROLLER_TIMEOUT_MS 1000U\n#define min(a, b) (a)"),
        ("controller.c", "#define printf(...)\n#define if(x) if (!!(x))"),
        ("controller.c", "static int app_step(int n) { return n; }"),
        ("controller.c", "static int fork(void) { return 1; }"),
        ("controller.c", "extern int bench_receive(void) __attribute__((weak));"),
        ("controller.c", "int x(void) { return 1 + port_now_ms() + (2); }"),
        ("controller.c", "int shell_of_mine; static int apply(void) { return 1; }"),
    ],
)
def test_other_names_are_free(
    suite: Suite, submission: Path, name: str, code: str
) -> None:
    put(submission, f"src/{name}", f"{code}\n")
    check_surface(suite, submission)


@pytest.mark.parametrize(
    "line",
    [
        '#include "{}"',
        '#define PIPE "{}"\n#include PIPE',
        "#define PIPE <{}>\n#define WHERE PIPE\n#include WHERE",
        '#ifdef __AVR__\n#include "{}"\n#endif',
        '#line 1 "{}"',
        '_Pragma("GCC dependency \\"{}\\"")',
    ],
)
def test_no_compiler_is_sent_to_read_a_pipe(
    suite: Suite, submission: Path, tmp_path: Path, line: str
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    put(submission, "src/controller.c", line.format(pipe))
    (offence,) = offences(suite, submission)
    assert offence.startswith("src/controller.c: reaches for another file: ")


@pytest.mark.parametrize(
    "piece",
    [
        'asm("x"',
        "#define A B\n#include A\n",
        '#line 1 "x" ',
        '_Pragma("x") ',
        "#if __has_include(<x>)\n",
        'R"(x)"\\\n',
    ],
)
def test_a_source_is_looked_through_once(
    suite: Suite, submission: Path, piece: str
) -> None:
    """Had each piece to be held against each, this would take hours."""
    put(submission, "src/controller.c", piece * 5_000)
    check_surface(suite, submission)


def make_socket(path: Path) -> None:
    # A path of its own would be too long for a socket in pytest's folders.
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(path.parent)
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def make_link(path: Path) -> None:
    path.symlink_to("nowhere")


KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "socket": make_socket,
    "link": make_link,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["src/controller.c", "src/extra.c"])
def test_what_is_no_regular_file_is_refused_unread(
    suite: Suite, submission: Path, kind: str, name: str
) -> None:
    (submission / name).unlink(missing_ok=True)
    KINDS[kind](submission / name)
    assert offences(suite, submission) == (f"{name}: is a {kind}, not a file",)


def test_what_is_no_file_is_submitted_nonetheless(suite: Suite, tmp_path: Path) -> None:
    folder = tmp_path / "only"
    (folder / "src").mkdir(parents=True)
    os.mkfifo(folder / "src/controller.c")
    assert suite.source(str(folder), tmp_path).overlay
    assert offences(suite, folder) == ("src/controller.c: is a pipe, not a file",)


@pytest.mark.parametrize("leads_to", ["elsewhere", "itself"])
def test_a_link_in_any_part_of_a_path_is_refused(
    suite: Suite, submission: Path, leads_to: str
) -> None:
    src, elsewhere = submission / "src", submission.parent / "elsewhere"
    src.rename(elsewhere)
    src.symlink_to(elsewhere if leads_to == "elsewhere" else "src")
    first, *_ = offences(suite, submission)
    assert first == "src/controller.c: src is a link, not a folder"


def test_a_submission_may_be_a_link_to_its_folder(
    suite: Suite, submission: Path, tmp_path: Path
) -> None:
    (tmp_path / "latest").symlink_to(submission)
    source = suite.source("latest", tmp_path)
    assert source.overlay["src/controller.c"].parent == submission / "src"
    check_surface(suite, tmp_path / "latest")


def test_names_that_are_no_text_are_shown_as_text(
    suite: Suite, submission: Path
) -> None:
    Path(os.fsdecode(os.fsencode(submission) + b"/src/\xff\n\xc3\xa9.c")).write_text("")
    (offence,) = offences(suite, submission)
    assert offence == "src/\\xff\\né.c: not a submission's to bring or change"
    offence.encode("utf-8")


def test_names_that_are_no_text_are_welcome_where_nothing_is_built(
    suite: Suite, submission: Path
) -> None:
    Path(os.fsdecode(os.fsencode(submission) + b"/notes-\xff")).write_text("")
    check_surface(suite, submission)


def test_a_name_that_differs_in_case_alone_is_refused(
    suite: Suite, submission: Path
) -> None:
    put(submission, "src/Controller.c", "which one counts?\n")
    assert offences(suite, submission) == (
        "src/Controller.c: is src/controller.c but for upper and lower case",
    )


def test_a_source_file_has_a_largest_size(suite: Suite, submission: Path) -> None:
    put(submission, "src/controller.c", "/".ljust(1_000_000, "/"))
    check_surface(suite, submission)
    put(submission, "src/controller.c", "/".ljust(1_000_001, "/"))
    (offence,) = offences(suite, submission)
    assert offence.startswith("src/controller.c: has 1000001 bytes, and a file of the ")


@pytest.mark.parametrize(
    "hidden", ["src/controller.c", "src"], ids=["a file", "a folder"]
)
def test_what_cannot_be_read_is_our_trouble(
    suite: Suite, submission: Path, hidden: str
) -> None:
    with pytest.raises(BenchFault, match="let the user that runs pytest") as caught:
        as_nobody(partial(check_surface, suite, submission), submission / hidden)
    assert hidden in str(caught.value)


def test_a_folder_that_cannot_be_reached_is_told(
    suite: Suite, submission: Path, tmp_path: Path
) -> None:
    def find() -> None:
        suite.source(str(submission), tmp_path)

    with pytest.raises(ConfigError, match=r"submission: cannot be looked at \(Perm"):
        as_nobody(find, submission.parent)


def as_nobody(call: Callable[[], None], closed: Path) -> None:
    """Call in a process without powers, to which ``closed`` is closed."""
    mode = closed.stat().st_mode
    closed.chmod(0)
    reads, writes = os.pipe()
    if (pid := os.fork()) == 0:
        libc = ctypes.CDLL(None)
        libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
        try:
            call()
        except BaseException as error:  # noqa: BLE001  # goes to the parent
            os.write(writes, pickle.dumps(error))
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as said:
        told = said.read()
    os.waitpid(pid, 0)
    closed.chmod(mode)
    if told:
        raise pickle.loads(told)


def test_what_the_task_ignores_is_not_looked_at(suite: Suite, submission: Path) -> None:
    put(submission, "main/uart_transport.c", "another shell\n")
    os.mkfifo(submission / "main" / "uart.c")
    put(submission, "main/controller.c", "which one counts?\n")
    suite = replace(suite, task=replace(TASK, ignored=("main/uart*.c", "src/*")))
    found = offences(suite, submission)
    assert found == ("main/controller.c: not a submission's to bring or change",)
    assert ignored_files(suite, submission) == ["main/uart.c", "main/uart_transport.c"]


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


def image(folder: Path, size_bytes: int = 1, **inputs: str) -> FirmwareImage:
    """Return what a compiler in ``/opt/cc/bin`` has made of files in ``/``."""
    program = folder / "program"
    with program.open("wb") as file:
        file.truncate(size_bytes)
    return FirmwareImage(
        environment="any",
        elf_path=program,
        sha256="",
        metadata={"cc": "/opt/cc/bin/cc"},
        inputs={f"/{path.replace('__', '/')}.h": "00" for path in inputs.values()},
    )


def test_an_image_has_a_largest_size(
    suite: Suite, submission: Path, tmp_path: Path
) -> None:
    check_built(suite, submission, image(tmp_path, 64_000_000))
    with pytest.raises(
        DoesNotFit, match="the program has 64000001 bytes, and may have 64000000"
    ):
        check_built(suite, submission, image(tmp_path, 64_000_001))


@pytest.mark.parametrize(
    ("path", "is_known"),
    [
        ("usr__include__stdio", True),
        ("opt__cc__lib__x", True),
        ("srv__sdk__x", True),
        ("srv__sdk2__x", False),
        ("home__me__x", False),
        ("usr__include__..__..__srv__x", False),
    ],
)
def test_what_a_build_for_a_board_has_read_is_judged_where_the_text_leaves_it_open(
    suite: Suite, submission: Path, tmp_path: Path, path: str, *, is_known: bool
) -> None:
    put(suite.root, "platformio.ini", "[env:x]\nbuild_flags = -I/srv/sdk\n")
    built = image(tmp_path, read=path)
    check_built(suite, submission, built)
    put(submission, "src/controller.c", "#define W <a.h>\n#include W\n")
    if is_known:
        check_built(suite, submission, built)
        return
    with pytest.raises(OutsideEditSurface, match=r"x\.h: is read by the compiler"):
        check_built(suite, submission, built)


def test_a_build_may_read_of_the_suite_what_is_built_of_it(
    suite: Suite, submission: Path, tmp_path: Path
) -> None:
    put(submission, "src/controller.c", "#define W <a.h>\n#include W\n")
    ours = replace(image(tmp_path), inputs={f"{suite.root}/src/app.c": "00"})
    check_built(suite, submission, ours)
    hidden = replace(image(tmp_path), inputs={f"{suite.root}/hidden/oracle.py": "00"})
    with pytest.raises(OutsideEditSurface, match=r"oracle\.py: is read by"):
        check_built(suite, submission, hidden)
