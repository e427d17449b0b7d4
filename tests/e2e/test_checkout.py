"""What `pio run` builds in a checkout builds here, whatever its folders are called."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.model import FirmwareSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.builders.platformio import PlatformIO

    MakeProject = Callable[..., Path]

RAN = "a-shell-was-here"
"""No file above a project is called so: those are among what is looked through."""
INI = "[env:native]\nplatform = native\n"
MAIN = '#include <stdio.h>\nint main(void) { printf("%d", LIMIT); }\n'


def said(platformio: PlatformIO, project: Path, out_dir: Path) -> bytes:
    source = FirmwareSource(project_dir=project, environment="native")
    return subprocess.check_output([platformio.build(source, out_dir).elf_path])


@pytest.mark.parametrize(
    "name",
    ["project(1)", "with  space", "it's", 'quo"te', "a&b", f"a;touch {RAN}", "do$HOME",
     f"back`touch {RAN}`tick", f"$(touch {RAN})", "new\nline", "-rf", "größe",
     f"a|b>{RAN}", "#", "*"],
)  # fmt: skip
def test_a_folders_name_never_reaches_a_shell(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    files = {"src/main.c": f"#define LIMIT 3\n{MAIN}", f"tests/{RAN}": ""}
    project = make_project(INI, files, at=f"{name}/{name}")
    monkeypatch.chdir(project)
    assert said(platformio, project, tmp_path / "out") == b"3"
    made = [path for path in tmp_path.rglob(RAN) if path.parent.name != "tests"]
    assert not made, "a part of the name was run as a command"


@pytest.mark.parametrize(
    ("ini", "main", "header"),
    [
        ("", '#include "../../shared/s.h"\n', "../shared/s.h"),
        ("", '#include "../../project/.gen/s.h"\n', ".gen/s.h"),
        ("build_flags = -I.gen", '#include "s.h"\n', ".gen/s.h"),
        ("build_flags = -I lib/a/.gen", '#include "s.h"\n', "lib/a/.gen/s.h"),
        ("build_flags = -include tests/s.h", "", "tests/s.h"),
        ("", '#include "../tests/s.h"\n', "tests/s.h"),
        ("build_flags = -I../../far", '#include "s.h"\n', "../../far/s.h"),
    ],
)
def test_what_a_checkout_can_include_can_be_included(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    ini: str,
    main: str,
    header: str,
) -> None:
    files = {"src/main.c": main + MAIN, header: "#define LIMIT 7\n"}
    project = make_project(f"{INI}{ini}\n", files, "group/project")
    assert said(platformio, project, tmp_path / "out") == b"7"


def test_a_script_in_a_hidden_folder_is_run(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    script = 'Import("env")\nenv.Append(CPPDEFINES=[("LIMIT", 7)])\n'
    ini = f"{INI}extra_scripts = pre:.scripts/a.py\n"
    project = make_project(ini, {"src/main.c": MAIN, ".scripts/a.py": script})
    assert said(platformio, project, tmp_path / "out") == b"7"


def test_two_links_to_one_folder_are_two_folders(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    main = f'#include "../lib/one/s.h"\n#include "../lib/two/s.h"\n{MAIN}'
    project = make_project(INI, {"src/main.c": main, "lib/real/s.h": "#define LIMIT 4"})
    for name in ("one", "two"):
        (project / "lib" / name).symlink_to("real")
    (project / "lib" / "real" / "round").symlink_to("..")
    assert said(platformio, project, tmp_path / "out") == b"4"


@pytest.mark.parametrize(
    ("flags", "chosen", "source"),
    [
        ("-I${platformio.workspace_dir}/../far", "*", "src/main.c"),
        ("-Ifar", "${platformio.workspace_dir}/../code", "code/main.c"),
        ("-Ifar", "${platformio.workspace_dir}/..", "code/main.c"),
    ],
)
def test_above_the_workspace_is_the_project(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    flags: str,
    chosen: str,
    source: str,
) -> None:
    ini = f"{INI}build_flags = {flags}\nbuild_src_filter = +<{chosen}>\n"
    main = f'#include "s.h"\n{MAIN}'
    project = make_project(ini, {source: main, "far/s.h": "#define LIMIT 6\n"})
    (project / "src").mkdir(exist_ok=True)
    assert said(platformio, project, tmp_path / "out") == b"6"
    (project / "far" / "s.h").write_text("#define LIMIT 5\n")
    assert said(platformio, project, tmp_path / "out") == b"5"


@pytest.mark.parametrize("target", ["group/far/in", "group/project/.far/in"])
@pytest.mark.parametrize("link", ["src/in", "lib/in", "in"])
def test_upwards_from_a_folder_that_is_a_link_is_where_the_link_leads(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    link: str,
    target: str,
) -> None:
    main = f'#include "../{link}/s.h"\n{MAIN}'
    project = make_project(INI, {"src/main.c": main}, "group/project")
    inside = project.parents[1] / target
    inside.mkdir(parents=True)
    (inside / "s.h").write_text('#include "../up/s.h"\n')
    up = inside.parent / "up" / "s.h"
    up.parent.mkdir()
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(os.path.relpath(inside, (project / link).parent))
    for number in (b"4", b"5"):
        up.write_text(f"#define LIMIT {number.decode()}\n")
        source = FirmwareSource(project_dir=project, environment="native")
        image = platformio.build(source, tmp_path / "out")
        assert subprocess.check_output([image.elf_path]) == number
        known = {str(up)} & {str(path) for path in image.inputs}
        assert known or "project" in target, "an edit of it would go unseen"


def git(*words: str, at: Path) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    argv = ["git", *who, "-c", "init.defaultBranch=main", *words]
    hidden = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return subprocess.check_output(argv, cwd=at, env=hidden, text=True)


@pytest.mark.parametrize("worktree", ["", "beside"])
def test_git_tells_a_build_what_it_tells_in_the_checkout(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path, worktree: str
) -> None:
    script = (
        'Import("env")\nimport subprocess\n'
        'words = ["git", "describe", "--tags", "--dirty", "--always"]\n'
        "told = subprocess.check_output(words, text=True).strip()\n"
        "env.Append(CPPDEFINES=[('VERSION', env.StringifyMacro(told))])\n"
    )
    main = "#include <stdio.h>\nint main(void) { printf(VERSION); }\n"
    ini = f"{INI}extra_scripts = pre:version.py\n"
    files = {
        "src/main.c": main,
        "version.py": script,
        "tests/t.py": "",
        "README.md": "",
    }
    project = make_project(ini, files, at="repository/firmware")
    repository = project.parent
    git("init", "-q", at=repository)
    git("add", ".", at=repository)
    git("commit", "-qm", "first", at=repository)
    git("tag", "v1.2.3", at=repository)
    if worktree:
        git("worktree", "add", "-q", str(tmp_path / worktree), at=repository)
        project = tmp_path / worktree / "firmware"
    ini_text = (project / "platformio.ini").read_text()
    assert said(platformio, project, tmp_path / "out") == b"v1.2.3"
    (project / "platformio.ini").write_text(f"{ini_text}; edited\n")
    assert said(platformio, project, tmp_path / "out") == b"v1.2.3-dirty"
    git("commit", "-qam", "second", at=project)
    assert said(platformio, project, tmp_path / "out").startswith(b"v1.2.3-1-g")
    assert git("status", "--porcelain", at=project) == ""


def test_a_sources_name_never_reaches_a_shell(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["a&b", "it's", "sp ace", "p(1)", "#"]
    names += [f"back`touch {RAN}`tick", f"semi;touch {RAN}"]
    texts = {
        f"src/{n}.c": f"int f{i}(void) {{ return {i}; }}\n" for i, n in enumerate(names)
    }
    called = " + ".join(f"f{i}()" for i in range(len(names)))
    declared = "".join(f"int f{i}(void);\n" for i in range(len(names)))
    main = f"{declared}#define LIMIT {called}\n{MAIN}"
    project = make_project(INI, {**texts, "src/main.c": main})
    monkeypatch.chdir(tmp_path)
    assert said(platformio, project, tmp_path / "out") == b"21"
    assert not list(tmp_path.rglob(RAN)), "a part of a name was run as a command"
    source = FirmwareSource(project_dir=project, environment="native")
    assert not platformio.build(source, tmp_path / "again").untold
