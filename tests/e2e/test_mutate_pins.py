"""Mutants of pins as a user tries them: through pytest, the search and real builds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

pytestmark = pytest.mark.timeout(300)


def test_the_search_says_what_is_true_of_a_lamps_mutants(
    seeded: CoreSetup, images_dir: Path, tmp_path: Path
) -> None:
    skip_without_engine("uno")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest_embedbench.cli", "mutate", "--pins"),
            *(str(SUITES / "esr" / "toggle_lamp"), "--sample=4", "--jobs=1"),
            f"--out={tmp_path}",
        ],
        env=os.environ
        | {
            "EMBEDBENCH_CORE": str(seeded.core_dir),
            "EMBEDBENCH_CACHE": str(images_dir),
        },
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    record = json.loads((tmp_path / "pins" / "pins.json").read_text())
    assert {it["case"].split("--")[1]: it["outcome"] for it in record["mutants"]} == {
        "one-wrong-pin": "permissive-confirmed",
        "swapped-across-kinds": "permissive-confirmed",
        "two-constants-on-one-number": "permissive-confirmed",
        "logic1-wrong-pin": "logic-fail",
    }
    assert record["right"] == record["detectable"] == 4
    assert record["false_confirmed"] == 0
    assert "all detectable" in done.stdout
