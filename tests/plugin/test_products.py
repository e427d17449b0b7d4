"""What a product has of the bench: hooks that it answers, and settings like its."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

PRODUCT = """
import pytest
from pytest_embedbench import (
    Blame, Setting, add_settings, path_setting, setting, settings,
)

SPEED = Setting(
    name="speed", flag="--lab-speed", metavar="NAME", help="How fast",
    default="slow", choices=("slow", "fast"),
)
COLOURS = Setting(
    name="colour", flag="--lab-colour", metavar="NAME", help="A colour", many=True
)
PLACE = Setting(name="place", flag="--lab-place", metavar="DIR", help="A place")


def pytest_addoption(parser):
    add_settings(parser, (SPEED, COLOURS, PLACE))


def pytest_report_header(config):
    return [
        f"speed: {setting(config, SPEED)}",
        f"colours: {' '.join(settings(config, COLOURS))}",
        f"place: {path_setting(config, PLACE)}",
        f"seed: {setting(config, 'seed')}",
    ]


def pytest_embedbench_plant(item):
    return "tank_fill_drain"


def pytest_embedbench_boot_line(item):
    return "DBG BOOTED"


def pytest_embedbench_booted(item, board, image):
    item.user_properties.append(("booted", f"{board.spec.name} {image.environment}"))


def pytest_embedbench_blame(item, error, ran):
    return Blame("tide", f"the tide, {ran}") if isinstance(error, OSError) else None


def pytest_embedbench_test_record(item, record):
    record["properties"] = item.user_properties
"""
TEST = """
def test_it(bench, plant):
    bench.wait_for_boot()
    bench.connect(plant(level=20))
    bench.run_for(200)
"""
HIGH_WATER = """
def test_it(bench):
    try:
        raise OSError("high water")
    except OSError as error:
        raise ValueError("wet") from error
"""


@pytest.fixture
def product(suite: Suite) -> Suite:
    """A suite with a plugin of somebody's beside it."""
    (suite.root / "product.py").write_text(PRODUCT)
    suite.test(TEST)
    return suite


def test_a_product_answers_and_hears(product: Suite) -> None:
    result = product.run("-pproduct")
    result.assert_outcomes(passed=1)
    record = json.loads(product.only("test.json").read_text())
    assert record["properties"] == [["booted", "lab lab"], ["embedbench_board", "lab"]]


def test_a_plant_without_a_name_is_for_a_product_to_say(product: Suite) -> None:
    result = product.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*plant() without a name: *known plants: *tank_fill*"])


def test_a_product_may_blame_a_cause_before_the_bench_does(product: Suite) -> None:
    product.test(HIGH_WATER)
    result = product.run("-pproduct")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*UART (the tide, True)*", "embedbench: 1 x the tide*"]
    )
    assert json.loads(product.only("test.json").read_text())["blame"] == "tide"


def test_a_product_has_settings_as_the_bench_has(
    product: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    (product.root / "pytest.ini").write_text("[pytest]\nembedbench_place = here\n")
    monkeypatch.setenv("EMBEDBENCH_COLOUR", "red blue red")
    result = product.run("-pproduct", "--lab-speed=fast", "--embedbench-seed=7")
    result.stdout.fnmatch_lines(
        ["speed: fast", "colours: red blue", f"place: {product.root}/here", "seed: 7"]
    )
    result = product.run("-pproduct", "--lab-speed=faster")
    result.stderr.fnmatch_lines(["*--lab-speed: 'faster' is not one of: slow, fast"])


def test_the_bench_runs_without_its_products(product: Suite) -> None:
    product.test("def test_it(bench):\n    bench.wait_for_boot()\n")
    result = product.run("-pno:embedbench-grading")
    result.assert_outcomes(passed=1)
    assert "brief" not in json.loads(product.only("test.json").read_text())
    helped = product.run("-pno:embedbench-grading", "--help").stdout.str()
    assert "--embedbench-seed" in helped
    assert "--embedbench-profile" not in helped


def test_a_product_starts_without_the_bench(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    result = pytester.runpytest_subprocess("-pno:embedbench")
    result.assert_outcomes(passed=1)


def test_a_wrong_choice_of_a_product_is_told_before_any_test_runs(
    suite: Suite,
) -> None:
    before, _, rest = PRODUCT.partition("def pytest_report_header")
    (suite.root / "product.py").write_text(before + rest.partition("\n\n\n")[2])
    suite.test("def test_nothing(): pass")
    result = suite.run("-p", "product", "--lab-speed=fats", board="")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --lab-speed: 'fats' is not one of: slow, fast"]
    )
