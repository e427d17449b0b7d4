"""Inner pytest runs with a third party's package: board, engine and builder.

Its firmware is a Python generator in the suite's ``firmware.py``, so these runs need no
compiler and no simulator; what they test is the plugin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

# Inner runs in this process must meet the modules that the outer one has, or an error's
# class is not the one that is looked for.
import pytest_embedbench.esr.plugin.attempt
import pytest_embedbench.esr.plugin.cases
import pytest_embedbench.esr.plugin.judging
import pytest_embedbench.esr.search
import pytest_embedbench.grading.plugin.check_recorder
import pytest_embedbench.grading.plugin.overview
import pytest_embedbench.grading.plugin.plan
import pytest_embedbench.grading.plugin.profile
import pytest_embedbench.grading.plugin.resume
import pytest_embedbench.grading.plugin.running
import pytest_embedbench.grading.plugin.session
import pytest_embedbench.grading.plugin.submissions
import pytest_embedbench.grading.plugin.verdicts
import pytest_embedbench.plugin.blame
import pytest_embedbench.plugin.collect
import pytest_embedbench.plugin.header
import pytest_embedbench.plugin.report
import pytest_embedbench.plugin.running
import pytest_embedbench.plugin.session
import pytest_embedbench.plugin.testlog
import pytest_embedbench.plugin.testrig
import pytest_embedbench.testing
import pytest_embedbench.unity.plugin.collect
import pytest_embedbench.unity.plugin.items
import pytest_embedbench.unity.plugin.subcases  # noqa: F401
from tests.support import slim

if TYPE_CHECKING:
    from pathlib import Path

# What these runs do not need; and what pytest says where ``python -O`` leaves out the
# asserts of all that it does not rewrite.
WITHOUT = [
    *(*slim.WITHOUT, "-pno:cacheprovider", "-pno:timeout"),
    "-Wignore:assertions not in test:pytest.PytestConfigWarning",
]

ENTRY_POINTS = """\
[embedbench.engines]
lab = thirdparty.lab:Engine
[embedbench.builders]
lab = thirdparty.lab:Builder
[embedbench.boards]
thirdparty = thirdparty.boards
"""

BOARD = """\
engine = "lab"
mcu = "python"
cpu_hz = 1_000_000
environments = ["lab"]
[uarts.uart0]
baud_bps = 115_200
"""

LAB = """\
import hashlib
import runpy

from pytest_embedbench.errors import BuildError, ToolMissing
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.testing import Loopback


class Engine:
    def missing(self):
        return None

    def version(self):
        return "lab engine 1"

    def boot(self, spec, image):
        if spec.name == "absent":
            raise ToolMissing("lab", "the crane", "buy a crane")
        if spec.name == "blind":
            return Blind(Loopback(read(image.elf_path)).boot(spec, image))
        return Loopback(read(image.elf_path)).boot(spec, image)


class Blind:
    # What every board has to be, and nothing beyond.

    def __init__(self, board):
        self.spec = board.spec
        self.link = board.link
        self.now_us = board.now_us
        self.advance = board.advance
        self.close = board.close


def read(path):
    return runpy.run_path(str(path))["firmware"]


class Builder:
    def missing(self):
        return None

    def version(self):
        return "lab builder 1"

    def environments(self, project_dir):
        return ("lab",)

    def _source(self, source):
        return source.overlay.get("firmware.py", source.project_dir / "firmware.py")

    def fingerprint(self, source):
        return hashlib.sha256(self._source(source).read_bytes()).hexdigest()

    def build(self, source, out_dir):
        text = self._source(source).read_text()
        with (out_dir.parents[1] / "builds.log").open("a") as log:
            log.write("built\\n")
        if "syntax error" in text:
            log_path = out_dir / "build.log"
            raise BuildError("lab", 1, log_path, "firmware.c:1:1: error: expected ;")
        elf = out_dir / "firmware.elf"
        elf.write_text(text)
        return FirmwareImage(environment="lab", elf_path=elf, sha256="0" * 64,
                             key=self.fingerprint(source))
"""

TANK = """\
from pytest_embedbench.testing import tank_firmware as firmware
"""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite in a folder of its own, and how to run it."""

    pytester: pytest.Pytester

    @property
    def root(self) -> Path:
        return self.pytester.path

    def firmware(self, text: str) -> None:
        (self.root / "firmware.py").write_text(text)

    def test(self, text: str, name: str = "test_it.py") -> None:
        (self.root / name).write_text(text)

    def board(self, name: str, text: str = BOARD) -> None:
        (self.root / "thirdparty" / "boards" / f"{name}.toml").write_text(text)

    def run(self, *args: str, board: str = "lab") -> pytest.RunResult:
        """Run it: in this process, or in one of its own where xdist is asked for.

        xdist gives its workers the ``sys.path`` that this process started with. What is
        covered in so many processes is covered in this one, too, and costs half as much
        again there.
        """
        words = (
            "--embedbench-builder=lab",
            f"--embedbench-cache={self.root / 'cache'}",
            *WITHOUT,
            *([f"--board={board}"] if board else []),
            *args,
        )
        if not any(word.startswith("-n") for word in args):
            return self.pytester.runpytest_inprocess(*words)
        with pytest.MonkeyPatch.context() as unmeasured:
            unmeasured.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
            return self.pytester.runpytest_subprocess(*words)

    def runs(self) -> list[Path]:
        """Return the folders of artifacts of all runs so far, oldest first."""
        return sorted(
            path
            for path in (self.root / ".embedbench" / "runs").glob("*")
            if not path.is_symlink()
        )

    def only(self, name: str) -> Path:
        """Return the one artifact of that name."""
        (found,) = (path for run in self.runs() for path in run.rglob(name))
        return found


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A suite whose board, engine and builder come from somebody's package."""
    package = pytester.path / "thirdparty"
    (package / "boards").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "boards" / "__init__.py").touch()
    (package / "lab.py").write_text(LAB)
    info = pytester.path / "thirdparty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (pytester.path / "platformio.ini").write_text("[env:lab]\n")
    monkeypatch.syspath_prepend(pytester.path)
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    for name in ("BOARD", "FIRMWARE", "REQUIRE", "ARTIFACTS", "CACHE"):
        monkeypatch.delenv(f"EMBEDBENCH_{name}", raising=False)
    made = Suite(pytester)
    made.board("lab")
    made.firmware(TANK)
    return made
