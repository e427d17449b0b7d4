"""The gallery of circuits, as a user runs it.

A few packages at a time, so that workers share the work and nothing is done twice.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.brief import read_brief
from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

pytestmark = pytest.mark.timeout(600)

CIRCUITS = SUITES / "circuits"
TASKS = sorted(file.parent.name for file in CIRCUITS.glob("*/task.toml"))
GROUPS = [TASKS[first::4] for first in range(4)]
SEES_THE_MISTAKE = {
    "chained_registers": "test_the_light_is_there_at_the_start",
    "data_logger": "test_temperatures_of_all_kinds[uno--10.5--10.5]",
    "dosing_pump": "test_no_pulse_is_lost_while_it_talks",
    "heater_ntc": "test_power_that_goes_while_it_is_stored_leaves_a_set_point",
    "ir_lamp": "test_a_held_power_key_switches_once",
    "joystick_gimbal": "test_tilt_never_leaves_its_frame",
    "keypad_lock": "test_anything_else_is_wrong[uno-47110]",
    "multiplexed_clock": "test_segments_change_in_the_dark",
    "oled_clock": "test_a_press_is_one_minute_and_begins_it",
    "parking_aid": "test_far_is_green_and_quiet[uno-200]",
    "pixel_ring": "test_as_many_pixels_are_lit_as_the_knob_says[uno-0.5-8]",
    "pot_servo": "test_it_does_not_tremble[uno-0.81]",
    "scale": "test_overload_is_of_all_that_lies_there",
    "stepper_dial": "test_steps_never_follow_too_fast",
    "traffic_light": "test_a_press_is_one_press[uno-4300]",
    "weather_display": "test_readings_are_shown[uno--12.3-0-rows2]",
}


class Gallery:
    """Runs packages, and tells what became of each test."""

    def __init__(self, core_dir: Path, images_dir: Path, folder: Path) -> None:
        self._core_dir, self._images_dir, self._folder = core_dir, images_dir, folder

    def run(
        self, firmware: str, tests: Iterable[str]
    ) -> tuple[list[dict[str, Any]], str]:
        """Return the records of these tests, and what was printed."""
        artifacts = self._folder / firmware
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-n0", "-rs", "--tb=short"),
                *("-p", "no:cacheprovider"),
                *("--board=uno", f"--embedbench-firmware={firmware}"),
                "--embedbench-plots=never",
                f"--embedbench-core={self._core_dir}",
                f"--embedbench-cache={self._images_dir}",
                f"--embedbench-artifacts={artifacts}",
                *tests,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        records = [
            json.loads(file.read_text()) for file in artifacts.rglob("test.json")
        ]
        assert records, done.stdout + done.stderr
        return records, done.stdout + done.stderr


@pytest.fixture
def gallery(seeded: CoreSetup, images_dir: Path, tmp_path: Path) -> Gallery:
    skip_without_engine("uno")
    return Gallery(seeded.core_dir, images_dir, tmp_path)


def task_of(record: dict[str, Any]) -> str:
    task, _, _ = record["test"].partition("circuits/")[2].partition("/hidden/")
    return str(task)


@pytest.mark.parametrize("tasks", GROUPS, ids="-".join)
def test_solutions_pass_and_wrong_sketches_are_blamed(
    gallery: Gallery, tasks: list[str]
) -> None:
    records, printed = gallery.run(
        "solution", [str(CIRCUITS / task / "hidden") for task in tasks]
    )
    bad = [it["test"] for it in records if it["outcome"] != "passed"]
    assert not bad, printed
    assert "skipped" not in printed.splitlines()[-1]
    for task in tasks:
        checked = {
            name for it in records if task_of(it) == task for name in it["brief"]
        }
        assert checked == {*read_brief(CIRCUITS / task / "BRIEF.md")}, task

    # What else these fail, or pass, says nothing more of the package.
    records, printed = gallery.run("wrong", map(sees_the_mistake, tasks))
    became = {task_of(it): (it["outcome"], it["blame"]) for it in records}
    assert became == dict.fromkeys(tasks, ("failed", "firmware")), printed


def sees_the_mistake(task: str) -> str:
    """Return the test that a package's wrong sketch is there for."""
    (file,) = (CIRCUITS / task / "hidden").glob("test_*.py")
    return f"{file}::{SEES_THE_MISTAKE[task]}"
