"""What ``embedbench`` says of boards that are broken, and to those who stop reading."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli import main
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    from pathlib import Path

ODD = """
engine = "simavr"
mcu = "attiny85"
cpu_hz = 8_000_000
environments = ["attiny85"]

[uarts]
serial0 = { baud_bps = 9600 }
"""


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of boards that another package has registered."""
    folder = tmp_path / tmp_path.name  # a module's name is taken once and for all
    folder.mkdir()
    (folder / "__init__.py").touch()
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[embedbench.boards]\nx = {folder.name}\n")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_one_broken_datasheet_does_not_hide_the_other_boards(
    theirs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (theirs / "broken.toml").write_text("engine = 5\n")
    code = main(["boards"])
    assert code == 1
    rows = capsys.readouterr().out.splitlines()
    assert any(row.startswith("uno ") for row in rows)
    (said,) = [row for row in rows if row.startswith("broken ")]
    assert "broken: " in said
    assert "broken.toml" in said


def test_the_doctor_knows_boards_that_their_engine_could_never_boot(
    theirs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (theirs / "odd.toml").write_text(ODD)
    assert main(["doctor", "odd"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("odd: broken: odd: mcu 'attiny85' is not one that simavr")
    assert said.endswith("not ready: odd\n")


def test_the_doctor_looks_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EMBEDBENCH_CORE", str(tmp_path / "nothing-here"))
    assert main(["doctor", "uno"]) == 1
    assert "'toolchain-atmelavr'" in capsys.readouterr().out


def test_the_doctor_says_why_there_is_no_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "sandbox: not ready\n" in said
    assert "not found here: apt-get install bubblewrap" in said
    assert "sandbox" in said.splitlines()[-1]


def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDBENCH_CACHE", str(tmp_path))
    assert cache_root() == tmp_path


def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "pytest_embedbench.cli", "plants"],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, b"")


COMMAND = """
import sys


def add_hello(commands):
    parser = commands.add_parser("hello", help="say hello")
    parser.add_argument("--to", default="you")
    parser.set_defaults(run=run)


def run(arguments):
    sys.stdout.write(f"hello {arguments.to}\\n")
    return 3
"""


@pytest.fixture
def commands(theirs: Path) -> Path:
    """Have a package with a command that works, and one that is not there."""
    about = theirs.parent / "theirs-1.0.dist-info"
    (theirs / "commands.py").write_text(COMMAND)
    (about / "entry_points.txt").write_text(
        "[embedbench.commands]\n"
        f"hello = {theirs.name}.commands:add_hello\n"
        f"gone = {theirs.name}.commands:add_gone\n"
    )
    return theirs


@pytest.mark.usefixtures("commands")
def test_a_command_of_somebody_else_is_one_of_ours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["hello", "--to", "all"]) == 3
    assert capsys.readouterr().out == "hello all\n"


@pytest.mark.usefixtures("commands")
def test_a_command_that_cannot_be_loaded_stands_in_nobodys_way(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["gone"]) == 1
    assert "command 'gone' (" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "setup make PlatformIO" in said
    assert "hello say hello" in said
    assert "gone command 'gone' (" in said
    assert "cannot load" in said


def test_products_bring_their_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    order = ("setup", "doctor", "boards", "plants", "lab", "mutate", "new-task")
    places = [said.index(f"\n    {name} ") for name in order]
    assert places == sorted(places)


ENGINE = """
class Engine:
    def missing(self): {missing}
    def version(self): {version}
    def boot(self, spec, image): raise NotImplementedError
"""
BUILDER = """
class Builder:
    def missing(self): return None
    def version(self): return "1"
    def environments(self, project_dir): return ()
    def fingerprint(self, source): return ""
    def build(self, source, out_dir): raise NotImplementedError
"""
ENTRY_POINTS = """
[embedbench.engines]
{name} = {name}.engine:Engine
[embedbench.builders]
{name} = {name}.builder:Builder
"""


@pytest.mark.parametrize(
    ("missing", "version", "said"),
    [
        ("return None", "return 1 / 0", "version() raises ZeroDivisionError: division"),
        ("return 1 / 0", "return ''", "missing() raises ZeroDivisionError: division"),
    ],
)
def test_the_doctor_tells_of_an_engine_that_raises(  # fixtures
    theirs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    missing: str,
    version: str,
    said: str,
) -> None:
    (theirs / "engine.py").write_text(ENGINE.format(missing=missing, version=version))
    (theirs / "builder.py").write_text(BUILDER)
    (theirs / "odd.toml").write_text(ODD.replace("simavr", theirs.name))
    about = theirs.parent / "theirs-1.0.dist-info" / "entry_points.txt"
    about.write_text(about.read_text() + ENTRY_POINTS.format(name=theirs.name))
    monkeypatch.setenv("EMBEDBENCH_BUILDER", theirs.name)
    assert main(["doctor", "odd"]) == 1
    assert f"odd: broken: {said}" in capsys.readouterr().out
