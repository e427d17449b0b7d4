"""Tests that hold a bare board: blame, needs and records as through a bench."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_blame import record
from tests.plugin.test_verdicts import decided, task, verdict

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

__all__ = ["task"]

SILENT = "def firmware(uart):\n    yield 1\n"
HEARD = """
import pytest


def heard(board):
    board.advance(100)
    return b"".join(chunk.data for chunk in board.link().receive())
"""
WAYS = {
    "board": "board",
    "fresh_board": "fresh_board()",
    "boot": "boot('lab')",
    "real_board": "real_board('some-port', board='lab')",
    "real_boards": "real_boards('some-port', board='lab')[0]",
}


def holding(way: str, marker: str = "") -> str:
    """Return a test that judges what a board says by a plain assertion."""
    return (
        f"{HEARD}\n{marker}\ndef test_it({way}):\n"
        f"    assert b'DBG BOOTED' in heard({WAYS[way]})\n"
    )


@pytest.mark.parametrize("way", WAYS)
def test_what_a_plain_assertion_catches_is_the_firmwares_fault(
    suite: Suite, way: str
) -> None:
    suite.firmware(SILENT)
    suite.test(holding(way))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["embedbench: 1 x firmware fault"])
    known = record(suite)
    assert (known["blame"], known["board"]) == ("firmware", "lab")
    assert known["environment"] == "lab"
    assert known["image"]["key"]


@pytest.mark.parametrize("way", WAYS)
def test_it_is_a_verdict_on_the_firmware(task: Suite, way: str) -> None:
    task.firmware(SILENT)
    (task.root / "test_loop.py").unlink()
    task.test(holding(way, "@pytest.mark.brief('T2')"), "test_bare.py")
    task.run()
    assert decided(task) == ("INT", "INTEGRATION")
    assert verdict(task)["decided_by"].startswith("test_bare.py::test_it")


@pytest.mark.parametrize("way", WAYS)
def test_an_assertion_before_anything_runs_is_the_tests_own(
    suite: Suite, way: str
) -> None:
    suite.test(
        "import pytest\n@pytest.fixture(autouse=True)\ndef wrong():\n    assert False\n"
        + holding(way)
    )
    suite.run().stdout.fnmatch_lines(["*AssertionError*", "*1 error*"])


def test_an_image_that_never_booted_blames_its_test(suite: Suite) -> None:
    suite.test("def test_it(firmware_image):\n    assert not firmware_image.key\n")
    suite.run().stdout.fnmatch_lines(["embedbench: 1 x test error"])


# Hypothesis raises all that its examples have found at once.
def test_the_firmware_is_to_blame_for_a_group_of_what_it_did(suite: Suite) -> None:
    suite.test(
        HEARD + "def test_it(board):\n    found = []\n    for word in ('up', 'down'):\n"
        "        try:\n            assert word in heard(board).decode()\n"
        "        except AssertionError as error:\n            found.append(error)\n"
        "    raise ExceptionGroup('two', found)\n"
    )
    suite.run().stdout.fnmatch_lines(["embedbench: 1 x firmware fault"])


@pytest.mark.parametrize("way", WAYS)
def test_needs_skips_where_a_board_lacks_it(suite: Suite, way: str) -> None:
    suite.board("blind")
    suite.test(
        HEARD
        + "@pytest.mark.needs('reset')\n"
        f"def test_it({way}):\n    heard({WAYS[way]})\n".replace("'lab'", "'blind'")
    )
    result = suite.run("-rs", board="blind")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*blind lacks reset*"])


@pytest.mark.parametrize("way", WAYS)
def test_a_need_goes_by_its_old_name_too(suite: Suite, way: str) -> None:
    suite.test(
        HEARD + "@pytest.mark.needs('step-time')\n"
        f"def test_it({way}):\n    heard({WAYS[way]})\n"
    )
    result = suite.run()
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(
        ["*DeprecationWarning: needs('step-time') is called needs('virtual-time') now"]
    )


def test_needs_skips_before_a_test_asks_for_its_first_fresh_board(suite: Suite) -> None:
    suite.board("blind")
    suite.test(
        "import pytest\n@pytest.mark.needs('reset')\n"
        "def test_it(fresh_board):\n    raise SystemError\n"
    )
    suite.run(board="blind").assert_outcomes(skipped=1)


def test_a_fresh_board_says_what_is_not_installed(suite: Suite) -> None:
    suite.board("absent")
    suite.test("def test_it(fresh_board):\n    fresh_board()\n")
    suite.run(board="absent").assert_outcomes(skipped=1)
    suite.run("--embedbench-require=all", board="absent").stdout.fnmatch_lines(
        ["*required here*the crane*", "embedbench: 1 x bench fault"]
    )


OWN_IMAGE = """
import pytest
from pytest_embedbench import FirmwareImage


@pytest.fixture
def firmware_image(tmp_path):
    elf = tmp_path / "mine.py"
    elf.write_text("from pytest_embedbench.testing import tank_firmware as firmware")
    return FirmwareImage(environment="mine", elf_path=elf, sha256="1" * 64, key="1")
"""
OWN_SOURCE = """
import pytest
from pytest_embedbench import FirmwareSource


@pytest.fixture
def firmware_source(request):
    return FirmwareSource(project_dir=request.path.parent, environment="own")
"""
OWN_SPEC = """
from dataclasses import replace

import pytest


@pytest.fixture
def board_spec(board_spec):
    return replace(board_spec, name="mine")
"""
OWN_BOARD_OF_OURS = """
import pytest


@pytest.fixture
def board(boot):
    return boot("lab")
"""
OWN_BOARD = """
import pytest
from pytest_embedbench.testing import LOOPBACK_SPEC, Loopback, loopback_image
from pytest_embedbench.testing import tank_firmware


@pytest.fixture
def board():
    board = Loopback(tank_firmware).boot(LOOPBACK_SPEC, loopback_image())
    yield board
    board.close()
"""
OVERRIDDEN = {
    "image": (OWN_IMAGE, "lab", "mine", "1"),
    "source": (OWN_SOURCE, "lab", "own", "[0-9a-f]{64}"),
    "spec": (OWN_SPEC, "mine", "lab", "[0-9a-f]{64}"),
    "board-of-ours": (OWN_BOARD_OF_OURS, "lab", "lab", "[0-9a-f]{64}"),
    "board": (OWN_BOARD, "loopback", None, None),
}


OWN_SOURCE_FOR_ANY_BOARD = OWN_SOURCE.replace(', environment="own"', "")


def test_a_source_of_ones_own_need_not_name_its_environment(suite: Suite) -> None:
    (suite.root / "conftest.py").write_text(OWN_SOURCE_FOR_ANY_BOARD)
    suite.test(
        "def test_it(bench, boot, firmware_source):\n    bench.run_for(10)\n"
        "    boot('lab', source=firmware_source)\n"
    )
    suite.run().assert_outcomes(passed=1)
    assert record(suite)["environment"] == "lab"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("boot('lab', source='here')", "'here' is no FirmwareSource: give "),
        ("boot('lab', source='')", "'' is no FirmwareSource: give "),
        ("boot('lab', image='here.elf')", "'here.elf' is no FirmwareImage: give "),
        ("make_bench('lab')", "'lab' is no board: it has no "),
    ],
)
def test_what_a_fixture_is_given_is_looked_at(
    suite: Suite, given: str, told: str
) -> None:
    suite.test(f"def test_it(boot, make_bench):\n    {given}\n")
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert told in result.stdout.str()
    result.stdout.fnmatch_lines(["embedbench: 1 x bench fault"])


@pytest.mark.parametrize("wanted", ["FirmwareImage", "FirmwareSource"])
@pytest.mark.parametrize("way", ["board", "fresh_board"])
def test_a_fixture_that_returns_a_path_is_told(
    suite: Suite, wanted: str, way: str
) -> None:
    name = wanted.removeprefix("Firmware").lower()
    (suite.root / "conftest.py").write_text(
        f"import pytest\n@pytest.fixture\ndef firmware_{name}():\n    return 'here'\n"
    )
    suite.test(f"def test_it({way}):\n    pass\n")
    result = suite.run()
    result.assert_outcomes(errors=1)
    assert f"'here' is no {wanted}: give " in result.stdout.str()
    assert record(suite)["blame"] == "bench"


@pytest.mark.parametrize("name", OVERRIDDEN)
@pytest.mark.parametrize("way", ["board", "bench"])
@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_a_suite_with_a_fixture_of_its_own_is_on_record(
    suite: Suite, name: str, way: str, outcome: str
) -> None:
    conftest, board, environment, key = OVERRIDDEN[name]
    (suite.root / "conftest.py").write_text(conftest)
    suite.test(
        f"def test_it({way}):\n    getattr({way}, 'board', {way}).advance(10)\n"
        f"    assert {outcome!r} == 'passed'\n"
    )
    suite.run()
    known = record(suite)
    assert known["outcome"] == outcome
    assert known["blame"] == {"passed": None, "failed": "firmware"}[outcome]
    assert (known["board"], known["environment"]) == (board, environment)
    if key is None:
        assert known["image"] is None
    else:
        assert re.fullmatch(key, known["image"]["key"])


def test_a_fixture_of_ones_own_that_fails_is_on_record(suite: Suite) -> None:
    (suite.root / "conftest.py").write_text(
        "import pytest\nfrom pytest_embedbench import ConfigError\n"
        "@pytest.fixture\ndef firmware_image():\n    raise ConfigError('no image')\n"
    )
    suite.test("def test_it(board):\n    pass\n")
    suite.run().assert_outcomes(errors=1)
    known = record(suite)
    assert (known["outcome"], known["board"]) == ("failed", "lab")
    assert (known["blame"], known["reason"]) == ("bench", "no image")


@pytest.mark.parametrize("own", ["board", "firmware_image", "firmware_source"])
def test_fixtures_of_others_that_have_our_names_are_left_alone(
    suite: Suite, own: str
) -> None:
    (suite.root / "conftest.py").write_text(
        f"import pytest\n@pytest.fixture\ndef {own}():\n    return 'chess'\n"
    )
    suite.test(f"def test_it({own}):\n    assert {own} == 'checkers'\n")
    result = suite.run(board="")
    result.assert_outcomes(failed=1)
    assert suite.runs() == []
    assert "embedbench" not in result.stdout.str().partition("= FAILURES")[2]


def test_every_board_of_a_fresh_one_is_left_as_it_was_found(suite: Suite) -> None:
    """A real board that a test has failed on is put right, however it was booted."""
    suite.test(
        HEARD + "def test_it(fresh_board):\n    assert not heard(fresh_board())\n"
    )
    lab = suite.root / "thirdparty" / "lab.py"
    lab.write_text(lab.read_text() + SHARED)
    suite.run()
    assert json.loads((suite.root / "recovered.json").read_text()) == [True]


SHARED = """

class Shared(Engine):
    def boot_together(self, wanted):
        from dataclasses import make_dataclass
        boards = []
        for spec, image in wanted:
            board = Engine.boot(self, spec, image)
            boards.append(SharedLoopback(board))
        return boards

    def needs_image(self, spec):
        return True

    def capabilities(self, spec):
        return frozenset()


class SharedLoopback:
    needs_recovery = False
    waited_s = 0.0
    waited_for = ""
    remarks = ()

    def __init__(self, board):
        self.board = board

    def __getattr__(self, name):
        return getattr(self.board, name)

    def close(self):
        import json, pathlib
        pathlib.Path("recovered.json").write_text(json.dumps([self.needs_recovery]))
        self.board.close()


Engine = Shared
"""
