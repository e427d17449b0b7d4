"""The shipped project of Wokwi's: here without a token, and at our server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES
from tests.support.wokwi_talk import TOKEN, wokwi_server

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup


def test_it_passes_wherever_our_engine_can_and_skips_the_rest(
    seeded: CoreSetup, images_dir: Path, tmp_path: Path
) -> None:
    skip_without_engine("uno")

    def run(*boards: str, **variables: str) -> str:
        left = {k: v for k, v in os.environ.items() if not k.startswith("WOKWI_")}
        done = subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "pytest",
                    "-n0",
                    "-rs",
                    "-p",
                    "no:cacheprovider",
                ),
                *(f"--board={board}" for board in boards),
                f"--embedbench-core={seeded.core_dir}",
                f"--embedbench-cache={images_dir}",
                f"--embedbench-artifacts={tmp_path}",
                str(SUITES / "wokwi"),
            ],
            env={**left, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    printed = run("wokwi-uno", "wokwi-esp32")
    assert re.search(r"\b4 passed, 4 skipped in", printed), printed
    assert "wokwi needs a token in WOKWI_CLI_TOKEN" in printed
    with wokwi_server() as server:
        named = {"WOKWI_CLI_SERVER": server.url, "WOKWI_CLI_TOKEN": TOKEN}
        printed = run("wokwi-uno", **named)
    assert re.search(r"\b4 passed in", printed), printed
    assert server.url in printed, printed
