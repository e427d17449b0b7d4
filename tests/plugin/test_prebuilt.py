"""Firmware that is built already takes the place of what would be built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

SAYS = "from pytest_embedbench.testing import tank_firmware as firmware\n# {}\n"
TEST = """
def test_it(bench, firmware_image):
    bench.run_for(10)
    print("RUNS", firmware_image.metadata.get("prebuilt", "what was built"))
"""


def runs(suite: Suite, *args: str) -> list[str]:
    result = suite.run("-s", *args)
    result.assert_outcomes(passed=1)
    return [line.split("RUNS ")[1] for line in result.outlines if "RUNS " in line]


@pytest.fixture
def images(suite: Suite) -> Suite:
    suite.test(TEST)
    for name in ("a.bin", "b.bin"):
        (suite.root / name).write_text(SAYS.format(name))
    return suite


def test_an_image_needs_no_project(images: Suite) -> None:
    assert runs(images, "--embedbench-image=a.bin") == ["a.bin"]
    assert not (images.root / "cache" / "builds.log").exists()


def test_an_image_of_one_board_comes_before_that_of_all(images: Suite) -> None:
    words = ("--embedbench-image=a.bin", "--embedbench-image=lab=b.bin")
    assert runs(images, *words) == ["b.bin"]
    images.run(*words).stdout.fnmatch_lines(
        ["embedbench prebuilt: lab: *b.bin (BIN, without symbols)"]
    )


def test_a_test_names_its_own_image(images: Suite) -> None:
    marked = TEST.replace("def test", "@pytest.mark.image('b.bin')\ndef test")
    images.test(f"import pytest\n{marked}")
    assert runs(images, "--embedbench-image=a.bin") == ["b.bin"]


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["--embedbench-image=c.bin"], "*image *c.bin: no such file*"),
        (["--embedbench-image=x=a.bin"], "*'x' is no board and no engine*"),
        (
            ["--embedbench-image=a.bin", "--embedbench-firmware=there"],
            "*a.bin is built already, and --embedbench-firmware=there is to be built*",
        ),
    ],
)
def test_a_choice_that_makes_no_sense_ends_the_run(
    images: Suite, args: list[str], error: str
) -> None:
    result = images.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([error])


def test_an_image_of_a_test_and_a_firmware_to_build_are_two_answers(
    images: Suite,
) -> None:
    marked = TEST.replace("def test", "@pytest.mark.image('b.bin')\ndef test")
    images.test(f"import pytest\n{marked}")
    result = images.run("--embedbench-firmware=there")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*--embedbench-firmware names a firmware to build*"])


def test_a_marker_without_a_file_is_told_when_it_is_collected(images: Suite) -> None:
    images.test(f"import pytest\n@pytest.mark.image\n{TEST.strip()}\n")
    result = images.run()
    result.stdout.fnmatch_lines(["*image() says nothing; known: the path of*"])
