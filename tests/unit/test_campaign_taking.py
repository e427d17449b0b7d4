"""What a desk takes of a workspace, whatever an agent has made of it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pytest_embedbench.campaign.taking import take

SURFACE = ("src/controller.c", "src/controller.h")
GIVEN = {
    "BRIEF.md": b"# Keep it\n",
    "src/app.c": b"int main(void) { return 0; }\n",
    "src/controller.c": b"int x;\n",
    "src/controller.h": b"extern int x;\n",
    "visible/test_task.py": b"def test(): pass\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    for name, content in GIVEN.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def offences(workspace: Path, *ignored: str) -> list[str]:
    return take(workspace, GIVEN, SURFACE, ignored).offences


def test_the_surface_is_taken_as_it_is(workspace: Path) -> None:
    (workspace / "src/controller.c").write_bytes(b"int x = 1;\n")
    taken = take(workspace, GIVEN, SURFACE)
    assert taken.offences == []
    assert taken.surface == {
        "src/controller.c": b"int x = 1;\n",
        "src/controller.h": b"extern int x;\n",
    }


def test_what_is_never_built_is_an_agents_own(workspace: Path) -> None:
    for name in ("agent_tests/test_own.py", "visible/fake.c", ".git/config.c",
                 "docs/x.c", "notes.txt", "feedback/001/history.txt"):  # fmt: skip
        file = workspace / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    (workspace / "visible/test_task.py").unlink()
    (workspace / "agent_tests/link.c").symlink_to("/etc/passwd")
    assert offences(workspace) == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("src/app.c", "src/app.c: was changed, and is not yours to change"),
        ("BRIEF.md", "BRIEF.md: was changed, and is not yours to change"),
        ("src/more.c", "src/more.c: was not handed out, and could be built"),
        ("CMakeLists.txt", "CMakeLists.txt: was not handed out, and could be built"),
    ],
)
def test_anything_else_that_differs_is_named(
    workspace: Path, name: str, told: str
) -> None:
    (workspace / name).write_text("changed")
    assert offences(workspace) == [told]
    assert offences(workspace, "*.txt", "src/m*.c") == (
        [told] if "was changed" in told else []
    )


def test_what_is_gone_is_named_and_the_surface_need_not_be_whole(
    workspace: Path,
) -> None:
    (workspace / "src/app.c").unlink()
    (workspace / "src/controller.h").unlink()
    assert offences(workspace) == ["src/app.c: was handed out, and is gone"]


def test_a_link_is_not_followed_wherever_it_is(workspace: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.c"
    secret.write_text("oracle")
    file = workspace / "src/controller.c"
    file.unlink()
    file.symlink_to(secret)
    (workspace / "harmless").symlink_to(tmp_path)
    taken = take(workspace, GIVEN, SURFACE)
    assert taken.offences == [
        "harmless: is a link, not a file",
        "src/controller.c: is a link, not a file",
    ]
    assert b"oracle" not in b"".join(taken.surface.values())


def test_a_folder_that_is_a_link_is_not_entered(
    workspace: Path, tmp_path: Path
) -> None:
    (workspace / "src").rename(tmp_path / "elsewhere")
    (workspace / "src").symlink_to(tmp_path / "elsewhere")
    assert offences(workspace) == [
        "src/app.c: was handed out, and is gone",
        "src: is a link, not a file",
    ]
    assert take(workspace, GIVEN, SURFACE).surface == {}


def test_nothing_that_could_block_is_opened(workspace: Path) -> None:
    for name in SURFACE:
        (workspace / name).unlink()
    os.mkfifo(workspace / "src/controller.c")
    (workspace / "src/controller.h").mkdir()
    os.mkfifo(workspace / "src/pipe.c")
    assert offences(workspace) == [
        "src/controller.c: is a pipe, not a file",
        "src/controller.h: is a folder, not a file",
        "src/pipe.c: is a pipe, not a file",
    ]


def test_a_socket_is_named(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace / "src")  # the path of a socket is short
    Path("controller.c").unlink()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("controller.c")
    assert offences(workspace) == ["src/controller.c: is a socket, not a file"]


def test_what_is_too_large_deep_or_many_is_named(workspace: Path) -> None:
    (workspace / "src/controller.c").write_bytes(b" " * 1_000_001)
    deep = workspace
    for _ in range(60):
        deep /= "d"
    deep.mkdir(parents=True)
    told = offences(workspace)
    assert told[0].endswith("lies deeper than 40 folders")
    assert told[1] == "src/controller.c: has more than 1000000 bytes"


def test_a_name_that_is_no_utf8_can_be_told(workspace: Path) -> None:
    Path(os.fsdecode(os.fsencode(workspace / "src") + b"/\xff.c")).touch()
    assert offences(workspace) == [
        "src/\\xff.c: was not handed out, and could be built"
    ]


def test_a_workspace_that_is_gone_is_told(tmp_path: Path) -> None:
    told = offences(tmp_path / "nowhere")
    assert told == [".: the workspace cannot be read: No such file or directory"]
