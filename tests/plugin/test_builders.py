"""A builder of a third party works with every option, whatever it wants to know."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli import main

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

OPTIONS = ("--embedbench-pio=bin/pio", "--embedbench-core=core")
TEST = """
def test_it(bench):
    bench.wait_for_boot()
"""
SOME = """

class Builder(Builder):
    def with_settings(self, settings):
        chosen = Builder()
        chosen.log = settings.cache_dir.parent / "settings.log"
        with chosen.log.open("a") as log:
            log.write(f"cache {settings.cache_dir.name}\\n")
        return chosen
"""
ALL = """

class Builder(Builder):
    def with_settings(self, settings):
        with (settings.cache_dir.parent / "settings.log").open("a") as log:
            log.write(f"{settings.cache_dir} {settings.pio} {settings.core_dir}\\n")
        return self
"""


def extended(suite: Suite, code: str) -> None:
    with (suite.root / "thirdparty" / "lab.py").open("a") as file:
        file.write(code)


def test_a_builder_that_takes_no_settings(suite: Suite) -> None:
    suite.test(TEST)
    suite.run(*OPTIONS).assert_outcomes(passed=1)


def test_a_builder_that_takes_some(suite: Suite) -> None:
    extended(suite, SOME)
    suite.test(TEST)
    suite.run(*OPTIONS).assert_outcomes(passed=1)
    assert "cache cache\n" in (suite.root / "settings.log").read_text()


def test_a_builder_that_takes_all(suite: Suite) -> None:
    extended(suite, ALL)
    suite.test(TEST)
    suite.run(*OPTIONS).assert_outcomes(passed=1)
    root = suite.root
    told = f"{root}/cache {root}/bin/pio {root}/core"
    assert told in (root / "settings.log").read_text().splitlines()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "\nclass Builder:\n    def build(self, source, out_dir): ...\n",
            "thirdparty.lab.Builder) is no builder: it has no environments, finger",
        ),
        (
            "\nclass Builder(Builder):\n    def __init__(self, west): ...\n",
            "builder 'lab' cannot be made without arguments: ",
        ),
        (
            "\nclass Engine:\n    def boot(self, spec, image): ...\n",
            "(thirdparty.lab.Engine) is no engine: it has no missing, version",
        ),
    ],
    ids=["builder", "arguments", "engine"],
)
def test_what_is_not_what_it_should_be_is_told_once(
    suite: Suite, code: str, said: str
) -> None:
    extended(suite, code)
    suite.test(TEST)
    result = suite.run()
    assert result.ret != 0
    assert said in result.stdout.str() + result.stderr.str()


ABSENT = """

class Builder(Builder):
    def missing(self):
        return ToolMissing("lab", "the west command", "pip install west")
"""
BOARDWISE = """

class Builder(Builder):
    def missing_for(self, spec):
        return [ToolMissing("lab", f"a compiler for {spec.mcu}", "buy one")]
"""
SETS_UP = """

class Report:
    def lines(self):
        return ["made a workshop"]

class Builder(Builder):
    def set_up(self):
        return Report()
"""


@pytest.fixture
def lab_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_BUILDER", "lab")


@pytest.mark.usefixtures("lab_builds", "suite")
def test_the_doctor_asks_the_builder_that_is_chosen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "lab"]) == 0
    assert capsys.readouterr().out == "lab: ready (lab engine 1)\n"


@pytest.mark.usefixtures("lab_builds")
def test_the_doctor_tells_what_a_builder_lacks_for_a_board(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    extended(suite, BOARDWISE)
    assert main(["doctor", "lab"]) == 1
    assert "lab needs a compiler for python, not found" in capsys.readouterr().out


def test_the_doctor_lists_every_builder(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    extended(suite, ABSENT)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert re.search(r"^builder python: ready \(Python 3\.", said, re.MULTILINE)
    assert re.search(r"^builder platformio: (not )?ready", said, re.MULTILINE)
    assert (
        "builder lab: not ready\n"
        "    lab needs the west command, not found here: pip install west\n"
    ) in said
    assert re.search(r"^not ready: .*\blab$", said, re.MULTILINE)


def test_a_builder_is_set_up_if_there_is_anything_to_set_up(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    extended(suite, SETS_UP)
    assert main(["setup", "--builder=lab"]) == 0
    assert capsys.readouterr().out == "made a workshop\n"
    assert main(["setup", "--builder=python"]) == 1
    assert "'python' has nothing to set up" in capsys.readouterr().err


@pytest.mark.parametrize("workers", ["0", "2"])
def test_images_are_counted_as_built_or_found(suite: Suite, workers: str) -> None:
    suite.test("def test_a(bench): ...\ndef test_b(bench): ...\n")
    words = ("-n", workers)
    suite.run(*words).stdout.fnmatch_lines(
        ["embedbench: images: 1 built, 1 found in the cache"]
    )
    suite.run(*words).stdout.fnmatch_lines(
        ["embedbench: images: 0 built, 2 found in the cache"]
    )
    records = [
        json.loads(path.read_bytes())
        for run in suite.runs()
        for path in sorted(run.rglob("test.json"))
    ]
    assert sorted(record["image"]["from_cache"] for record in records) == [
        False, True, True, True,
    ]  # fmt: skip
